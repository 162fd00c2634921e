"""Event logs in JSON Lines: valid lines are read in blocks, other lines one by one.

Arrow reads a block of lines as columns in a third of the time that Python needs to make a record of each. A block is
read this way only if every line of it is a call without a fault, which its columns show. All other blocks are read line
by line, which reports the fault of each line and separates headers from calls. Both ways give the same rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import ValidationError

from oracle.errors import BadInputError, Place
from oracle.histories.event_log import CALLS, MOST_US, Event, Record, parse_line
from spark_checks.frames.schema import CALL, HEX_DIGITS, KIND, NOTE, REQUIRED_COLUMNS, arrow_types
from spark_checks.readers.pieces import Piece, numbered_lines
from spark_checks.readers.rows import BATCH_ROWS, Row, batches, fault_row, read_row, row_of

_TIMES = ("start_us", "end_us", "put_us")
_PATTERNS = {name: f"^[0-9a-f]{{{digits}}}$" for name, digits in HEX_DIGITS.items()}
_ENDS = (b"}\n", b"}\r\n", b"}")
"""The possible ends of a line that holds an object."""

Numbered = tuple[int, bytes | BadInputError]
"""A line with its number in the file, or the error why it cannot be read."""


def batches_of_piece(piece: Piece) -> Iterator[pa.RecordBatch]:
    """Read a piece of an event log. Errors become rows too."""
    name, last = piece.source.name, 0
    lines = _unknown_lines(piece)
    while block := list(islice(lines, BATCH_ROWS)):
        columns = _columns_of(block, name)
        yield from batches(_rows_of(block, name)) if columns is None else [columns]
        last = _last_whole(block)
    if last:
        yield from batches([read_row(Place(name, last))])


def _unknown_lines(piece: Piece) -> Iterator[Numbered]:
    """Yield the lines of a piece that were not read before."""
    first = piece.source.from_line or 1
    lines = numbered_lines(piece)
    return lines if first == 1 else (each for each in lines if each[0] >= first)


def _last_whole(block: Sequence[Numbered]) -> int:
    """Return the number of the last line that is all there: what follows it may still be written."""
    number, line = block[-1]
    return number if not isinstance(line, bytes) or line.endswith(_ENDS) or line.endswith(b"\n") else number - 1


def _rows_of(block: Iterable[Numbered], source: str) -> Iterator[Row]:
    for number, line in block:
        if isinstance(line, BadInputError):
            yield fault_row(line)
        else:
            yield from _rows_of_line(line, Place(source, number))


def _rows_of_line(line: bytes, place: Place) -> Iterator[Row]:
    """Yield the row of a line, or one for each call that seems to be in a line that cannot be read."""
    record = _parse(line, place)
    yield row_of(record, place)
    if isinstance(record, BadInputError):
        for _ in islice(_CALL.finditer(line), 1, None):
            yield row_of(record, place)


_CALL = re.compile(rb'"call"\s*:')
"""What each record of a call has once."""


def _parse(line: bytes, place: Place) -> Record | BadInputError:
    if b'"header"' not in line:
        try:
            return Event.model_validate_json(line)
        except ValidationError:
            pass
    try:
        return parse_line(line.decode(), place)
    except UnicodeDecodeError:
        return BadInputError("not UTF-8", place)
    except BadInputError as error:
        return error


def _columns_of(block: Sequence[Numbered], source: str) -> pa.RecordBatch | None:
    """Return the rows of a block in which each line is a call without a fault; None if one may be something else."""
    text = _joined(block)
    if text is None:
        return None
    try:
        calls = _read(text).combine_chunks()
        sound = len(calls) == len(block) and _are_sound(calls)
    except (pa.ArrowException, UnicodeDecodeError):
        return None
    if not sound:
        return None
    numbers = pa.array([number for number, _ in block], pa.int64())
    elsewhere = pc.is_valid(calls["source"])
    own = {
        KIND: pa.repeat(CALL, len(block)),
        NOTE: pa.nulls(len(block), pa.string()),
        "source": pc.fill_null(calls["source"], source),
        "line": pc.if_else(elsewhere, calls["line"], numbers),
    }
    columns = {KIND: own[KIND], NOTE: own[NOTE], **dict(zip(calls.column_names, calls.columns, strict=True)), **own}
    return pa.table(columns).combine_chunks().to_batches()[0]


def _joined(block: Sequence[Numbered]) -> bytes | None:
    """Return a block as one text; None if a line may be anything but a flat object without escapes."""
    lines = [line for _, line in block if isinstance(line, bytes)]
    if len(lines) < len(block) or not all(line.startswith(b"{") and line.endswith(_ENDS) for line in lines):
        return None
    text = b"".join(lines)
    flat = text.count(b"{") == len(block) and b"[" not in text
    return text if flat and b"\\" not in text and b'"header"' not in text and _is_utf8(text) else None


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


@cache
def _as_records() -> object:
    """Return Arrow's options: the columns with their types, no other columns, and each line by itself."""
    from pyarrow.json import ParseOptions

    return ParseOptions(pa.schema(arrow_types()), newlines_in_values=False, unexpected_field_behavior="ignore")


def _read(text: bytes) -> pa.Table:
    """Return the columns of lines. Raises ArrowException for invalid JSON or a value of another type."""
    from pyarrow.json import ReadOptions, read_json

    reading = ReadOptions(use_threads=False, block_size=len(text) + 1)
    return read_json(pa.BufferReader(text), read_options=reading, parse_options=_as_records())


def _are_sound(calls: pa.Table) -> bool:
    """Return whether `Event` accepts all values."""
    return (
        not any(calls[name].null_count for name in REQUIRED_COLUMNS)
        and _all(pc.is_in(calls["call"], pa.array(CALLS)))
        and _all(pc.less_equal(calls["start_us"], calls["end_us"]))
        and all(_all(pc.less_equal(pc.abs_checked(calls[name]), MOST_US)) for name in _TIMES)
        and all(_all(pc.match_substring_regex(calls[name], pattern)) for name, pattern in _PATTERNS.items())
    )


def _all(holds: pa.ChunkedArray) -> bool:
    """Return whether something holds wherever it is known; true if there are no values."""
    return pc.all(holds).as_py() is not False
