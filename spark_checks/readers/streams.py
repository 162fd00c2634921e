"""The formats that one task reads from the beginning to the end of a file, and their readers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from oracle.errors import BadInputError, Place
from oracle.event_log import Event, Header
from spark_checks.readers.config_events import read_config_events
from spark_checks.readers.contents import Listed, Listing, read_amqsbcg, read_dmpmqmsg
from spark_checks.readers.detect import Format, Source
from spark_checks.readers.java_trace import read_java_trace
from spark_checks.readers.mqsc import read_mqsc
from spark_checks.readers.mqsc_commands import read_mqsc_commands
from spark_checks.readers.parquet_rows import read_damaged_parquet
from spark_checks.readers.pcap import read_pcap
from spark_checks.readers.rows import Row, fault_row, rows_of_records

Records = Iterator[Event | Header | Listed | Listing | BadInputError]


def _capture(source: Source) -> Records:
    yield from read_pcap(Path(source.path), source.limits.unpacked_bytes)


STREAMED: Mapping[Format, Callable[[Source], Records]] = {
    Format.PCAP: _capture,
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


def rows_of_stream(source: Source) -> Iterator[Row]:
    """Read a file with the reader of its format; what makes the whole file unreadable is a row too."""
    try:
        yield from rows_of_records(STREAMED[source.format](source), Place(source.name))
    except OSError as error:
        yield fault_row(BadInputError(error.strerror or "cannot be read", Place(source.name)))
