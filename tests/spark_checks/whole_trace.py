"""An activity trace read whole in memory, as the audit reads it in pieces."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from oracle.errors import BadInputError
from oracle.histories.event_log import Event, Header
from spark_checks.readers.activity_trace import HEADER, trace_messages
from spark_checks.readers.detect import detect
from spark_checks.readers.pieces import Piece
from spark_checks.readers.trace_connections import assemble, sorting
from spark_checks.readers.trace_messages import TraceMessage


def read_trace(path: Path) -> Iterator[Event | Header | BadInputError]:
    """Yield the records of one file, and an error for each thing unread."""
    source = detect(path)
    yield HEADER
    messages: list[TraceMessage] = []
    for found in trace_messages(Piece(source, 0, source.size)):
        if isinstance(found, TraceMessage):
            messages.append(found)
        else:
            yield found
    yield from assemble(sorted(messages, key=sorting))
