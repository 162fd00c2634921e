"""The formats that one task reads from the beginning to the end, and their readers.

A task reads one file, or all packet captures, or the files of one Java trace: a connection may go on from file to file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from oracle.errors import BadInputError, Place
from oracle.histories.event_log import Event, Header
from spark_checks.readers.config_events import read_config_events
from spark_checks.readers.contents import Listed, Listing, read_amqsbcg, read_dmpmqmsg
from spark_checks.readers.detect import Format, Source
from spark_checks.readers.java_rotation import chains
from spark_checks.readers.java_trace import read_java_trace
from spark_checks.readers.mqsc import read_mqsc
from spark_checks.readers.mqsc_commands import read_mqsc_commands
from spark_checks.readers.parquet_rows import read_damaged_parquet
from spark_checks.readers.pcap import read_captures
from spark_checks.readers.remarks import Begun, Remark
from spark_checks.readers.rows import Row, fault_row, rows_of_records

Records = Iterator[Event | Header | Listed | Listing | Remark | Begun | BadInputError]


@dataclass(frozen=True)
class OverDays:
    """How inputs stand among those of other days."""

    begun: str = ""
    """What the reading of earlier days has begun, as text (spark_checks.readers.begun_captures). Empty if nothing."""
    goes_on: bool = False
    """Whether another day follows. Then what has begun is kept for it, and else finished."""


ALONE = OverDays()


def _captures(sources: Sequence[Source], over_days: OverDays = ALONE) -> Records:
    most = sources[0].limits.unpacked_bytes if sources else None
    paths = [Path(source.path) for source in sources]
    return read_captures(paths, most, over_days.begun, goes_on=over_days.goes_on)


STREAMED: Mapping[Format, Callable[[Source], Records]] = {
    Format.PCAP: lambda source: _captures([source]),
    Format.JAVA_TRACE: lambda source: read_java_trace([source]),
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


def streams_of(sources: Sequence[Source], over_days: OverDays = ALONE) -> list[list[Source]]:
    """Return the files of these formats, those together that one task reads as one.

    No files are a stream too if what earlier days have begun in captures is to be finished now.
    """
    captures = [source for source in sources if source.format is Format.PCAP]
    joined = (Format.PCAP, Format.JAVA_TRACE)
    others = [[source] for source in sources if source.format in STREAMED and source.format not in joined]
    others += chains([source for source in sources if source.format is Format.JAVA_TRACE])
    to_finish = bool(over_days.begun) and not over_days.goes_on
    return [captures, *others] if captures or to_finish else others


def rows_of_stream(sources: Sequence[Source], over_days: OverDays = ALONE) -> Iterator[Row]:
    """Read files that belong together with the reader of their format; what makes one unreadable is a row too."""
    place = Place(sources[0].name) if sources else None
    try:
        yield from rows_of_records(_records(sources, over_days), place)
    except OSError as error:
        yield fault_row(BadInputError(error.strerror or "cannot be read", place))


def _records(sources: Sequence[Source], over_days: OverDays) -> Records:
    if all(source.format is Format.PCAP for source in sources):
        return _captures(sources, over_days)
    first = sources[0]
    return read_java_trace(sources) if first.format is Format.JAVA_TRACE else STREAMED[first.format](first)
