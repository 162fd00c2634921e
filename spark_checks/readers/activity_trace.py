"""Reader of application activity trace, as `amqsact -v` or `amqsevt -o json` prints it.

Pieces of files become trace messages, wherever they are read; trace messages are sorted by connection and become
records of the event log (`trace_connections`). A trace never shows that it has every call of a queue manager, so its
header never says `complete`. `line` is the line of the call in the file, or of its trace message if that is one line.
Configuration events in the same stream are definitions of queues.
"""

from __future__ import annotations

from collections.abc import Iterator

from oracle.errors import BadInputError, Place
from oracle.histories.event_log import LogHeader, QueueHeader
from spark_checks.readers.detect import Format
from spark_checks.readers.other_events import of_json
from spark_checks.readers.pieces import Piece
from spark_checks.readers.trace_json import read_json
from spark_checks.readers.trace_marks import JSON_EVENT, TEXT_MESSAGE
from spark_checks.readers.trace_messages import TraceMessage
from spark_checks.readers.trace_records import chunks
from spark_checks.readers.trace_text import read_text
from spark_checks.readers.trace_times import CLOCK_US

HEADER = LogHeader(complete=False, clock_us=CLOCK_US)

_READERS = {
    Format.TRACE_JSON: (JSON_EVENT, read_json),
    Format.TRACE_TEXT: (TEXT_MESSAGE, read_text),
}


def trace_messages(piece: Piece) -> Iterator[TraceMessage | QueueHeader | BadInputError]:
    """Yield trace messages and definitions that begin in a piece of a file, and an error for each unreadable one.

    Raises OSError if the file cannot be read.
    """
    beginning, read = _READERS[piece.source.format]
    found, first = False, b""
    for chunk in chunks(piece, beginning):
        if isinstance(chunk, BadInputError):
            found = True
            yield chunk
            continue
        first = first or (chunk.data if chunk.begins else b"")
        for message in read(chunk, piece.source.name):
            found = True
            yield message
    if first and not found and piece.stop - piece.start == piece.source.size:
        yield BadInputError(of_json(first), Place(piece.source.name, 1))
