"""The formats that one task reads from the beginning to the end, and their readers.

A task reads one file, or all packet captures: a connection may go on from file to file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from oracle.errors import BadInputError, Place
from oracle.histories.event_log import Event, Header
from spark_checks.readers.config_events import read_config_events
from spark_checks.readers.contents import Listed, Listing, read_amqsbcg, read_dmpmqmsg
from spark_checks.readers.detect import Format, Source
from spark_checks.readers.java_trace import read_java_trace
from spark_checks.readers.mqsc import read_mqsc
from spark_checks.readers.mqsc_commands import read_mqsc_commands
from spark_checks.readers.parquet_rows import read_damaged_parquet
from spark_checks.readers.pcap import read_captures
from spark_checks.readers.remarks import Remark
from spark_checks.readers.rows import Row, fault_row, rows_of_records

Records = Iterator[Event | Header | Listed | Listing | Remark | BadInputError]


def _captures(sources: Sequence[Source]) -> Records:
    most = sources[0].limits.unpacked_bytes
    return read_captures([Path(source.path) for source in sources], most)


STREAMED: Mapping[Format, Callable[[Source], Records]] = {
    Format.PCAP: lambda source: _captures([source]),
    Format.JAVA_TRACE: read_java_trace,
    Format.MQSC: read_mqsc,
    Format.MQSC_SCRIPT: read_mqsc_commands,
    Format.CONFIG_EVENTS: read_config_events,
    Format.DMPMQMSG: read_dmpmqmsg,
    Format.AMQSBCG: read_amqsbcg,
    Format.PARQUET: read_damaged_parquet,
}
"""By format: yields the records of a file, an error for each thing that cannot be read, and never raises for those.

Parquet that is not damaged is read by Spark.
"""


def streams_of(sources: Sequence[Source]) -> list[list[Source]]:
    """Return the files of these formats, those together that one task reads as one."""
    captures = [source for source in sources if source.format is Format.PCAP]
    others = [[source] for source in sources if source.format in STREAMED and source.format is not Format.PCAP]
    return [captures, *others] if captures else others


def rows_of_stream(sources: Sequence[Source]) -> Iterator[Row]:
    """Read files that belong together with the reader of their format; what makes one unreadable is a row too."""
    first = sources[0]
    try:
        records = STREAMED[first.format](first) if len(sources) == 1 else _captures(sources)
        yield from rows_of_records(records, Place(first.name))
    except OSError as error:
        yield fault_row(BadInputError(error.strerror or "cannot be read", Place(first.name)))
