"""Event logs in damaged Parquet, read in Python: undamaged row groups, and an error for each record of the others.

An engine reads such a file as a whole or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from oracle.errors import BadInputError, Place
from oracle.histories.event_log import COLUMNS, Event, Header, parse_record
from spark_checks.frames.batch_rows import rows_of
from spark_checks.frames.schema import INT_COLUMNS
from spark_checks.readers.detect import Source

_BATCH_ROWS = 8192
_DAMAGE = (OSError, pa.ArrowException, UnicodeDecodeError)
"""The errors that the library raises for damage; the last is for damaged names of columns."""

Records = list[dict[str, Any] | None]
"""Records by their columns, None for one whose text is not UTF-8."""


def is_damaged(source: Source) -> bool:
    """Return whether part of a file cannot be read, or has text that is not UTF-8, which not every engine accepts."""
    return any(isinstance(found, BadInputError) or None in found for found in _batches(source))


def _batches(source: Source) -> Iterator[Records | BadInputError]:
    """Yield the records of each row group in batches, or an error for each record of one that is damaged."""
    try:
        with pq.ParquetFile(source.path) as file:
            names = [name for name in file.schema_arrow.names if name in COLUMNS]
            line = 1
            for group in range(file.num_row_groups):
                count = file.metadata.row_group(group).num_rows
                try:
                    table = file.read_row_group(group, columns=names)
                except _DAMAGE:
                    for row in range(count):
                        yield BadInputError("a damaged part of a Parquet file", Place(source.name, line + row))
                else:
                    yield from map(_records, table.to_batches(_BATCH_ROWS))
                line += count
    except _DAMAGE as error:
        yield BadInputError(f"damaged Parquet file: {str(error).splitlines()[0]}", Place(source.name))


def _records(batch: pa.RecordBatch) -> Records:
    try:
        return list(rows_of(batch))
    except UnicodeDecodeError:
        if batch.num_rows == 1:
            return [None]
        return [record for row in range(batch.num_rows) for record in _records(batch.slice(row, 1))]


def read_damaged_parquet(source: Source) -> Iterator[Event | Header | BadInputError]:
    """Yield the calls of a Parquet event log as far as it is undamaged, and an error for each other record."""
    line = 0
    for found in _batches(source):
        if isinstance(found, BadInputError):
            line += found.place is not None and found.place.line is not None
            yield found
            continue
        for record in found:
            line += 1
            yield _event(record, Place(source.name, line))


def _event(record: dict[str, Any] | None, place: Place) -> Event | Header | BadInputError:
    if record is None:
        return BadInputError("not UTF-8", place)
    members = {name: _narrow(name, value) for name, value in record.items() if value is not None}
    try:
        return parse_record({"source": place.source, "line": place.line, **members}, place)
    except BadInputError as error:
        return error


def _narrow(name: str, value: Any) -> Any:
    """Return a value as a signed number if its column has 32 bits."""
    unsigned = name in INT_COLUMNS and isinstance(value, int) and 2**31 <= value < 2**32
    return value - 2**32 if unsigned else value
