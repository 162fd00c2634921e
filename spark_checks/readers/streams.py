"""The formats that one task reads from the beginning to the end of a file, and their readers."""

from __future__ import annotations

import gzip
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from oracle.errors import BadInputError, Place
from oracle.event_log import Event, Header
from spark_checks.readers.config_events import read_config_events
from spark_checks.readers.contents import Listed, Listing, read_amqsbcg, read_dmpmqmsg
from spark_checks.readers.detect import Format, Source
from spark_checks.readers.java_trace import read_java_trace
from spark_checks.readers.mqsc import read_mqsc
from spark_checks.readers.pcap import read_pcap
from spark_checks.readers.rows import Row, fault_row, rows_of_records
from spark_checks.schema import BROKEN

Records = Iterator[Event | Header | Listed | Listing | BadInputError]


def _capture(source: Source) -> Records:
    if not source.compressed:
        yield from read_pcap(Path(source.path))
        return
    with tempfile.TemporaryDirectory() as directory:
        plain = Path(directory) / Path(source.path).name
        with gzip.open(source.path, "rb") as packed, plain.open("wb") as unpacked:
            shutil.copyfileobj(packed, unpacked)
        yield from read_pcap(plain)


STREAMED: Mapping[Format, Callable[[Source], Records]] = {
    Format.PCAP: _capture,
    Format.JAVA_TRACE: read_java_trace,
    Format.MQSC: read_mqsc,
    Format.CONFIG_EVENTS: read_config_events,
    Format.DMPMQMSG: read_dmpmqmsg,
    Format.AMQSBCG: read_amqsbcg,
}
"""By format: yields the records of a file, an error for each thing that cannot be read, and never raises for those."""


def rows_of_stream(source: Source) -> Iterator[Row]:
    """Read a file with the reader of its format; what makes the whole file unreadable is a row too."""
    try:
        yield from rows_of_records(STREAMED[source.format](source))
    except (EOFError, OSError) as error:
        reason = "truncated gzip" if isinstance(error, EOFError) else str(error)
        yield fault_row(BadInputError(reason, Place(source.path)), BROKEN)
