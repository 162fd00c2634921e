"""Records as rows: the Arrow batches that every reader in Python hands to the engine.

The stream of a reader has calls, headers and errors; `kind` of ROW_SCHEMA distinguishes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from operator import attrgetter
from typing import Any

import pyarrow as pa

from oracle.errors import BadInputError, Place
from oracle.histories.event_log import COLUMNS, Event, Record, to_line
from spark_checks.frames.schema import (
    BEGUN,
    CALL,
    FAULT,
    HEADER,
    INT_COLUMNS,
    KIND,
    LISTED,
    LISTING,
    NOTE,
    PART,
    READ,
    REMARK,
    WHOLE,
    arrow_types,
)
from spark_checks.readers.contents import Listed, Listing
from spark_checks.readers.remarks import Begun, Remark

BATCH_ROWS = 8192
_NAMES = (KIND, NOTE, *COLUMNS)
_SOURCE, _LINE = _NAMES.index("source"), _NAMES.index("line")
_WIDE = 2**31
_values = attrgetter(*COLUMNS)
_wide_positions = tuple((_NAMES.index(name), name) for name in sorted(INT_COLUMNS))

Row = tuple[Any, ...]


def _note_row(kind: str, note: str, place: Place | None) -> Row:
    row: list[Any] = [None] * len(_NAMES)
    row[0], row[1] = kind, note
    if place is not None:
        row[_SOURCE], row[_LINE] = place.source, place.line
    return tuple(row)


def fault_row(error: BadInputError) -> Row:
    """Return the row of an unreadable record."""
    note = str(error)
    if error.place is not None:
        note = note.removeprefix(f"{error.place}: ")
    return _note_row(FAULT, note, error.place)


def read_row(place: Place) -> Row:
    """Return the row that says up to which line a file, or a piece of it, was read."""
    return _note_row(READ, "", place)


def row_of(record: Record | BadInputError, place: Place | None = None) -> Row:
    """Return the row of a record; `place` is its place in the file, for a call that does not give one."""
    if isinstance(record, BadInputError):
        return fault_row(record)
    if not isinstance(record, Event):
        return _note_row(HEADER, to_line(record), place)
    row = (CALL, None, *_values(record))
    if record.source is None and place is not None:
        row = (*row[:_SOURCE], place.source, place.line)
    return row


def row_of_contents(found: Listed | Listing) -> Row:
    """Return the row of an entry in a listing of a queue's contents."""
    values: dict[str, Any] = {"qmgr": found.qmgr, "queue": found.queue}
    values |= {"source": found.place.source, "line": found.place.line}
    if isinstance(found, Listed):
        values |= {KIND: LISTED, "seq": found.place.line, **found.columns}
    else:
        values |= {KIND: LISTING, NOTE: WHOLE if found.whole else PART, "seq": found.count}
    return tuple(values.get(name) for name in _NAMES)


def _narrowed(row: Row) -> Row:
    """Return a row whose 32-bit columns hold signed numbers, or a fault if a number has more than 32 bits."""
    changed = list(row)
    for position, name in _wide_positions:
        value = row[position]
        if value is None or -_WIDE <= value < _WIDE:
            continue
        if not 0 <= value < 2 * _WIDE:
            place = None if row[_SOURCE] is None else Place(row[_SOURCE], row[_LINE])
            return _note_row(FAULT, f"{name}: {value} has more than 32 bits", place)
        changed[position] = value - 2 * _WIDE
    return tuple(changed)


def _batch(rows: list[Row]) -> pa.RecordBatch:
    types = [pa.string(), pa.string(), *arrow_types().values()]
    columns = list(zip(*rows, strict=True))
    return pa.RecordBatch.from_arrays(
        [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)], names=list(_NAMES)
    )


def _fitting_batch(rows: list[Row]) -> pa.RecordBatch:
    try:
        return _batch(rows)
    except (OverflowError, pa.ArrowInvalid):
        return _batch([_narrowed(row) for row in rows])


def batches(rows: Iterable[Row]) -> Iterator[pa.RecordBatch]:
    """Pack rows into Arrow batches."""
    stream = iter(rows)
    while chunk := list(islice(stream, BATCH_ROWS)):
        yield _fitting_batch(chunk)


def _row_of_found(found: Record | Listed | Listing | Remark | Begun | BadInputError, place: Place | None) -> Row:
    if isinstance(found, Remark):
        return _note_row(REMARK, found.to_note(), found.place)
    if isinstance(found, Begun):
        return _note_row(BEGUN, found.text, None)
    return row_of_contents(found) if isinstance(found, (Listed, Listing)) else row_of(found, place)


def rows_of_records(
    records: Iterable[Record | Listed | Listing | Remark | Begun | BadInputError], place: Place | None = None
) -> Iterator[Row]:
    """Return the rows of a foreign format's reader; if the reader gives up, that is a row too.

    `place` is the file, for records without a place.
    """
    try:
        for record in records:
            yield _row_of_found(record, place)
    except BadInputError as error:
        yield fault_row(error)
