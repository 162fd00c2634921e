"""Windows computed by place: rows in the order of their window need no search, only arithmetic.

If the rows of a partition are consecutive, "the largest so far" is a running maximum, "the last one for which a
condition holds" is a running maximum of places, and "how many before" is a running sum. Each costs some nanoseconds a
row, whatever other columns the rows have.

>>> import pyarrow as pa
>>> rows = Places.of([pa.array([7, 7, 8])], [pa.array([1, 2, 1])])
>>> in_window("max", [pa.array([5, 3, 4])], ("rows", None, 0), rows).to_pylist()
[5, 5, 4]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Frame = tuple[str, int | None, int | None] | None
"""The rows of a partition that count; see spark_checks.frames.columns.WindowSpec."""

_NONE: Final = -1
"""The place of no row."""
_LEAST: Final = np.iinfo(np.int64).min
_COST_OF_A_PART: Final = 300
"""The cost of a part that is processed by itself, in units of one step for one row."""
_PREFIXES: Final = frozenset({("rows", None, 0), ("rows", None, -1), ("range", None, -1), ("rows", None, None)})


@dataclass(frozen=True)
class Places:
    """The beginnings and ends of partitions and peers.

    A place is the number of a row, from 0, in the order of the partitions. Peers are the rows of a partition that are
    equal in its order.
    """

    first: Numbers
    """For each row, the place of its partition's first row."""
    end: Numbers
    """For each row, the place after its partition's last row."""
    peers: Numbers
    """For each row, the place of the first of its peers."""
    peers_end: Numbers
    """For each row, the place after the last of its peers."""
    begins: Numbers
    """For each partition, the place of its first row."""

    @staticmethod
    def of(partition: Sequence[pa.Array], order: Sequence[pa.Array]) -> Places:
        """Find the places from the columns of the partition and of the order, in which null equals null."""
        new = _changes(partition)
        new_peers = new | _changes(order) if order else new
        begins = np.flatnonzero(new)
        return Places(*_spans(new), *_spans(new_peers), begins)

    def before(self, frame: Frame, *, ordered: bool) -> Numbers:
        """Return for each row the place after the last row before it that counts."""
        places = np.arange(len(self.first))
        if frame is None:
            return self.peers_end if ordered else self.end
        return {0: places + 1, None: self.end, -1: places if frame[0] == "rows" else self.peers}[frame[2]]


def is_known(op: str, frame: Frame) -> bool:
    """Return whether a function over such a frame is computed here."""
    return op in _FUNCTIONS and (frame is None or frame in _PREFIXES)


def in_window(op: str, columns: Sequence[pa.Array], frame: Frame, rows: Places, *, ordered: bool = True) -> pa.Array:
    """Return a function of some columns over the window of each row."""
    return _FUNCTIONS[op](rows, rows.before(frame, ordered=ordered), *columns)


def _changes(columns: Sequence[pa.Array]) -> Flags:
    """Return for each row whether some column differs from the row before."""
    length = len(columns[0]) if columns else 0
    changed = np.zeros(length, dtype=bool)
    changed[:1] = True
    for column in columns:
        here, before = column[1:], column[:-1]
        differs = pc.fill_null(pc.not_equal(here, before), False).to_numpy(zero_copy_only=False)
        nulls = pc.not_equal(pc.is_null(here), pc.is_null(before)).to_numpy(zero_copy_only=False)
        changed[1:] |= differs | nulls
    return changed


def _spans(new: Flags) -> tuple[Numbers, Numbers]:
    """Return for each row the beginning and end of its span; spans begin where `new` is true."""
    begins = np.flatnonzero(new)
    lengths = np.diff(np.append(begins, len(new)))
    return np.repeat(begins, lengths), np.repeat(begins + lengths, lengths)


def _there(column: pa.Array) -> Flags:
    found: Flags = pc.is_valid(column).to_numpy(zero_copy_only=False)
    return found


def _taken(column: pa.Array, places: Numbers) -> pa.Array:
    """Return the values at some places, null for no place."""
    return column.take(pa.array(places, mask=places == _NONE))


def _numbers(column: pa.Array) -> Numbers:
    """Return whole numbers and truth values as numbers; null becomes an arbitrary one."""
    found: Numbers = pc.fill_null(column.cast(pa.int64()), 0).to_numpy(zero_copy_only=False)
    return found


def _running(found: Flags, rows: Places) -> Numbers:
    """Return for each row the place of the last found one of its partition up to itself."""
    last = np.maximum.accumulate(np.where(found, np.arange(len(found)), _NONE))
    return np.where(last >= rows.first, last, _NONE)


def _up_to(running: Numbers, before: Numbers, rows: Places, none: int) -> Numbers:
    """Return the running value of the partition just before a place."""
    return np.where(before > rows.first, running[np.maximum(before - 1, 0)], none) if len(running) else running


def _last_known(rows: Places, before: Numbers, column: pa.Array) -> pa.Array:
    return _taken(column, _up_to(_running(_there(column), rows), before, rows, _NONE))


def _last(rows: Places, before: Numbers, column: pa.Array) -> pa.Array:
    return _taken(column, np.where(before > rows.first, before - 1, _NONE))


def _count(rows: Places, before: Numbers, column: pa.Array) -> pa.Array:
    return pa.array(_sums(_there(column).astype(np.int64), rows, before))


def _sums(values: Numbers, rows: Places, before: Numbers) -> Numbers:
    sums: Numbers = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(values)])
    found: Numbers = sums[before] - sums[rows.first]
    return found


def _sum(rows: Places, before: Numbers, column: pa.Array) -> pa.Array:
    there = _there(column)
    none = _sums(there.astype(np.int64), rows, before) == 0
    return pa.array(_sums(np.where(there, _numbers(column), 0), rows, before), mask=none)


def _different(rows: Places, _: Numbers, column: pa.Array) -> pa.Array:
    """Count the different values of whole partitions."""
    values = np.flatnonzero(_there(column))
    known = column.take(pa.array(values))
    numbers = [_ordered(member, least=False) for member in _members(known)]
    in_order = np.lexsort([*numbers, rows.first[values]])
    new = np.zeros(len(values), dtype=bool)
    new[:1] = True
    for each in (rows.first[values], *numbers):
        new[1:] |= each[in_order][1:] != each[in_order][:-1]
    first = np.zeros(len(column), dtype=np.int64)
    first[values[in_order]] = new
    return pa.array(_sums(first, rows, rows.end))


def _row_number(rows: Places, _: Numbers) -> pa.Array:
    return pa.array(np.arange(len(rows.first)) - rows.first + 1)


def _lag(rows: Places, _: Numbers, column: pa.Array) -> pa.Array:
    places = np.arange(len(rows.first))
    return _taken(column, np.where(places > rows.first, places - 1, _NONE))


def _lead(rows: Places, _: Numbers, column: pa.Array) -> pa.Array:
    places = np.arange(len(rows.first)) + 1
    return _taken(column, np.where(places < rows.end, places, _NONE))


def _max(rows: Places, before: Numbers, column: pa.Array) -> pa.Array:
    return _best(rows, before, column, least=False)


def _min(rows: Places, before: Numbers, column: pa.Array) -> pa.Array:
    return _best(rows, before, column, least=True)


def _best(rows: Places, before: Numbers, column: pa.Array, *, least: bool) -> pa.Array:
    if _is_plain(column):
        there = _there(column)
        values = np.where(there, _ordered(column, least=least), _LEAST)
        best = _up_to(_running_max(values, rows.begins), before, rows, _LEAST)
        none = _sums(there.astype(np.int64), rows, before) == 0
        return pa.array(~best if least else best, mask=none).cast(column.type)
    return _taken(column, _up_to(_running_best(column, rows, least=least), before, rows, _NONE))


def _running_best(column: pa.Array, rows: Places, *, least: bool) -> Numbers:
    """Return for each row the place of the best value of its partition up to itself."""
    values = np.flatnonzero(_there(column))
    first = rows.first[values]
    new = np.ones(len(values), dtype=bool)
    new[1:] = first[1:] != first[:-1]
    several = ~(new & np.append(new[1:], True))
    best = values.copy()  # the best of a single row is itself
    if several.any():
        best[several] = values[several][_best_so_far(column.take(pa.array(values[several])), new[several], least=least)]
    last = np.cumsum(_there(column)) - 1  # of the values, the last one up to each row
    if not len(values):
        return np.full(len(column), _NONE)
    found = best[np.maximum(last, 0)]
    return np.where((last >= 0) & (values[np.maximum(last, 0)] >= rows.first), found, _NONE)


def _best_so_far(column: pa.Array, new: Flags, *, least: bool) -> Numbers:
    """Return for each value the place of the best one between the last that is `new` and itself.

    Structs are compared by their first member, then those with the best one so far by the second, and so on. Each time,
    the rows since the last change of the best are a partition of their own.
    """
    new, best = new.copy(), np.ones(len(column), dtype=bool)
    for member in _members(column):
        values = _ordered(member, least=least)
        running = _running_max(np.where(best, values, _LEAST), np.flatnonzero(new))
        new[1:] |= running[1:] != running[:-1]
        best &= values == running
        if not (best & ~new).any():
            break
    return np.maximum.accumulate(np.where(best, np.arange(len(best)), 0))


def _members(column: pa.Array) -> list[pa.Array]:
    """Return the members of a struct, and of structs within it; a column of another type is returned as it is."""
    if not pa.types.is_struct(column.type):
        return [column]
    return [each for member in column.flatten() for each in _members(member)]


def _ordered(column: pa.Array, *, least: bool) -> Numbers:
    """Return numbers in the order of the values, null first; with `least`, in the reverse order."""
    values = np.where(_there(column), _numbers(column) if _is_plain(column) else _ranks(column), _LEAST)
    return ~values if least else values  # the complement reverses the order


def _ranks(column: pa.Array) -> Numbers:
    encoded = column.dictionary_encode()
    ranks = pc.rank(encoded.dictionary, "ascending").to_numpy().astype(np.int64)
    places = pc.fill_null(encoded.indices, 0).to_numpy()
    found: Numbers = ranks[places] if len(ranks) else np.zeros(len(column), dtype=np.int64)
    return found


def _is_plain(column: pa.Array) -> bool:
    return bool(pa.types.is_integer(column.type) or pa.types.is_boolean(column.type))


def _running_max(values: Numbers, begins: Numbers) -> Numbers:
    """Return for each row the largest value between the last beginning and itself."""
    if not len(values):
        return values
    lengths = np.diff(np.append(begins, len(values)))
    longest = int(lengths.max())
    if len(lengths) * _COST_OF_A_PART < len(values) * longest.bit_length():
        found: Numbers = np.concatenate([np.maximum.accumulate(part) for part in np.split(values, begins[1:])])
        return found
    first = np.repeat(begins, lengths)
    found, reach = values.copy(), 1
    while reach < longest:  # after each pass, of the last 2, 4, 8 ... rows
        near = first[reach:] <= np.arange(len(values) - reach)
        np.maximum(found[reach:], np.where(near, found[:-reach], _LEAST), out=found[reach:])
        reach *= 2
    return found


_FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "max": _max,
    "min": _min,
    "sum": _sum,
    "count": _count,
    "different": _different,
    "last": _last,
    "last_known": _last_known,
    "lag": _lag,
    "lead": _lead,
    "row_number": _row_number,
}
