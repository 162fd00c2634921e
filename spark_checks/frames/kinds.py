"""The kinds of rows that a frame has, and which conditions some row of them may fulfil.

A log uses a small part of MQ. A condition that none of its kinds of rows can fulfil need not be planned or computed.
`Kinds` evaluates a condition for each kind with what is known of its rows, in SQL's logic of three values. Where too
little is known, a condition may hold: so one that is said to hold for no row holds for none.

>>> from spark_checks.frames import functions as fn
>>> from spark_checks.frames.local import LocalEngine
>>> calls = LocalEngine().frame([("MQPUT", 4, "aa"), ("MQGET", 1, None)], "call string, options long, msg_id string")
>>> kinds = kinds_of(calls, by=("call", "options"), nulls=("msg_id",))
>>> kinds.may_hold((fn.col("call") == "MQPUT") & (fn.col("options").bit_and(4) != 0))
True
>>> kinds.may_hold((fn.col("call") == "MQGET") & fn.col("msg_id").is_not_null())
False
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, reduce
from typing import Any, Final, NamedTuple

from spark_checks.frames.columns import Column
from spark_checks.frames.frame import Frame
from spark_checks.frames.functions import col, count

_MOST: Final = 1_000
"""The number of kinds up to which conditions are evaluated: a frame with more has nearly every kind."""


class _Unknown(Enum):
    """What is known of a value that is not known itself."""

    SOME = "some value, not null"
    ANY = "some value, or null"


_SOME, _ANY = _Unknown.SOME, _Unknown.ANY

_COMPARING: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "&": operator.and_, "|": operator.or_,
}  # fmt: skip  # pairs
"""Operations of two values; null if either is null."""


class Truths(NamedTuple):
    """For each truth value the kinds of rows for which a condition may have it: a bit for each kind."""

    true: int
    """The kinds for which it may be true."""
    false: int
    """The kinds for which it may be false."""
    null: int
    """The kinds for which it may be null."""


@dataclass(frozen=True)
class Kinds:
    """The kinds of rows of a frame."""

    rows: Sequence[Mapping[str, Any]]
    """What is known of each kind: the values of columns by name. A column that is not among them may have any."""

    @cached_property
    def all(self) -> int:
        """All kinds, as the bits of `Truths`."""
        return (1 << len(self.rows)) - 1

    def may_hold(self, condition: Column) -> bool:
        """Return whether a condition may hold for some row."""
        return bool(self.truths(condition).true)

    def truths(self, condition: Column) -> Truths:
        """Return which truth values a condition may have, for each kind."""
        of = _CONDITIONS.get(condition.op)
        found = None if of is None else of(self, *condition.args)
        return self._of_values(condition) if found is None else found

    def _of_values(self, column: Column) -> Truths:
        true = false = null = 0
        for bit, row in enumerate(self.rows):
            value = _value(column, row)
            kind = 1 << bit
            true |= kind if value in (True, _SOME, _ANY) else 0
            false |= kind if value in (False, _SOME, _ANY) else 0
            null |= kind if value in (None, _ANY) else 0
        return Truths(true, false, null)


def _and(kinds: Kinds, *parts: Column) -> Truths:
    return reduce(_both, map(kinds.truths, parts))


def _or(kinds: Kinds, *parts: Column) -> Truths:
    return _not(reduce(_both, (_not(kinds.truths(part)) for part in parts)))


def _negated(kinds: Kinds, part: Column) -> Truths:
    return _not(kinds.truths(part))


def _same(kinds: Kinds, one: Column, other: Column) -> Truths | None:
    if other.op != "lit" or not isinstance(other.args[0], bool):
        return None
    of = kinds.truths(one)
    same, differs = (of.true, of.false) if other.args[0] else (of.false, of.true)
    return Truths(same, differs | of.null, 0)


def _case(kinds: Kinds, pairs: Iterable[tuple[Column, Column]], otherwise: Column | None) -> Truths:
    found, left = Truths(0, 0, 0), kinds.all
    for condition, value in pairs:
        of = kinds.truths(condition)
        found = _either(found, kinds.truths(value), left & of.true)
        left &= of.false | of.null
    last = Truths(0, 0, kinds.all) if otherwise is None else kinds.truths(otherwise)
    return _either(found, last, left)


def _coalesce(kinds: Kinds, *parts: Column) -> Truths:
    found, left = Truths(0, 0, 0), kinds.all
    for part in parts:
        of = kinds.truths(part)
        found = _either(found, of._replace(null=0), left)
        left &= of.null
    return found._replace(null=left)


def _both(one: Truths, other: Truths) -> Truths:
    unsure = (one.null & (other.null | other.true)) | (other.null & one.true)
    return Truths(one.true & other.true, one.false | other.false, unsure)


def _not(of: Truths) -> Truths:
    return Truths(of.false, of.true, of.null)


def _either(found: Truths, more: Truths, where: int) -> Truths:
    return Truths(*(one | (other & where) for one, other in zip(found, more, strict=True)))


_CONDITIONS: Final[Mapping[str, Callable[..., Truths | None]]] = {
    "AND": _and,
    "OR": _or,
    "not": _negated,
    "same": _same,
    "is_not_null": lambda kinds, of: _not(kinds.truths(of.is_null())),
    "case": _case,
    "coalesce": _coalesce,
}
"""The operations that are judged by the truths of other conditions."""


def _value(column: Column, row: Mapping[str, Any]) -> Any:
    """Return the value of a column for a kind of rows, as far as it is known."""
    if (name := _name(column)) is not None:
        return _of_name(name, row)
    of = _VALUES.get(column.op)
    return _ANY if of is None else of(row, *column.args)


def _literal(_: Mapping[str, Any], value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


def _comparison(op: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Return the operation for values as far as they are known; null if either is null."""

    def compared(row: Mapping[str, Any], left: Column, right: Column) -> Any:
        one, other = _value(left, row), _value(right, row)
        if one is None or other is None:
            return None
        if _ANY in (one, other):
            return _ANY
        return _SOME if _SOME in (one, other) else op(one, other)

    return compared


def _is_null(row: Mapping[str, Any], of: Column) -> Any:
    value = _value(of, row)
    return _SOME if value is _ANY else value is None


def _in(row: Mapping[str, Any], of: Column, *others: Column) -> Any:
    value, values = _value(of, row), [_value(each, row) for each in others]
    if value is None:
        return None if values else False
    if value is _ANY or None in values or _ANY in values:
        return _ANY if values else False
    return _SOME if value is _SOME or _SOME in values else value in values


_VALUES: Final[Mapping[str, Callable[..., Any]]] = {
    "lit": _literal,
    "alias": lambda row, of, *_: _value(of, row),
    "in": _in,
    "is_null": _is_null,
    **{name: _comparison(op) for name, op in _COMPARING.items()},
}
"""The operations by whose arguments a value is known."""


def _name(column: Column) -> str | None:
    """Return the name of a column, or of a member of one with dots; None for other expressions."""
    if column.op == "col":
        return str(column.args[0])
    if column.op == "field":
        of = _name(column.args[0])
        return None if of is None else f"{of}.{column.args[1]}"
    return None


def _of_name(name: str, row: Mapping[str, Any]) -> Any:
    if name in row:
        return row[name]
    struct = name
    while "." in struct:
        struct = struct.rpartition(".")[0]
        if struct in row and row[struct] is None:
            return None
    return _ANY


def kinds_of(frame: Frame, *, by: Sequence[str], nulls: Sequence[str]) -> Kinds:
    """Return the kinds of rows of a frame: rows that agree in the columns `by`.

    Of the columns `nulls` only this is known: whether they are null, or not null, in all rows of a kind.
    """
    names = [*by, *nulls]
    keys = [col(name).alias(f"by_{number}") for number, name in enumerate(by)]
    counts = [count(col(name)).alias(f"known_{number}") for number, name in enumerate(nulls)]
    grouped = frame.group_by(*keys).agg(*counts, count("*").alias("number"))
    rows = [tuple(row) for row in grouped.limit(_MOST + 1).collect()]
    if len(rows) > _MOST:
        return Kinds([{}])
    return Kinds([dict(zip(names, (*row[: len(by)], *_known(row[len(by) :])), strict=True)) for row in rows])


def _known(counts: Sequence[int]) -> Iterable[Any]:
    *known, number = counts
    return ({0: None, number: _SOME}.get(each, _ANY) for each in known)
