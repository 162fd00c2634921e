"""The formats that one task reads from beginning to end, and their readers.

A task reads one file, all packet captures, or the files of one Java trace, because a connection may continue from file
to file.
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
    """The relation of inputs to those of other days."""

    begun: str = ""
    """The unfinished state of earlier days, as text (spark_checks.readers.begun_captures). Empty if there is none."""
    goes_on: bool = False
    """Whether another day follows. If so, the unfinished state is kept for it; otherwise it is finished."""


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
"""The readers by format.

A reader yields the records of a file and an error for each unreadable thing, for which it never raises. The engine
itself reads undamaged Parquet.
"""


def streams_of(sources: Sequence[Source], over_days: OverDays = ALONE) -> list[list[Source]]:
    """Return the files of these formats, grouped by the task that reads them.

    A group without files is there if captures of earlier days are to be finished now.
    """
    captures = [source for source in sources if source.format is Format.PCAP]
    joined = (Format.PCAP, Format.JAVA_TRACE)
    others = [[source] for source in sources if source.format in STREAMED and source.format not in joined]
    others += chains([source for source in sources if source.format is Format.JAVA_TRACE])
    to_finish = bool(over_days.begun) and not over_days.goes_on
    return [captures, *others] if captures or to_finish else others


def rows_of_stream(sources: Sequence[Source], over_days: OverDays = ALONE) -> Iterator[Row]:
    """Return the rows of related files with the reader of their format; an unreadable file is a row too."""
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
