"""A column: an expression over the columns of a frame, as data that each engine translates.

A column holds no rows. It is built here and by `spark_checks.frames.functions`, and read by `spark_checks.frames.sql`
for the local engine and by `spark_checks.frames.on_spark` for Spark. Null means what it means in SQL: a comparison with
it is null, and a condition that is null does not hold.

>>> from spark_checks.frames import functions as fn
>>> (fn.col("lo") > 5).op
'>'
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Ordering = "Column | str"
"""A sort key: a column, its name, or the reverse of a column (`Column.desc`)."""


class Column:
    """An expression: an operation, `op`, and its arguments, `args`: columns, plain values and windows."""

    __hash__ = object.__hash__
    __slots__ = ("args", "op")

    def __init__(self, op: str, *args: Any) -> None:
        self.op, self.args = op, args

    def __repr__(self) -> str:
        """Return the expression as a call."""
        return f"{self.op}({', '.join(map(repr, self.args))})"

    def __bool__(self) -> bool:
        """Raise an error: a column has no truth value, because it has one value for each row."""
        raise TypeError("a column has no truth value of its own: combine columns with & and |, and turn one with ~")

    def __eq__(self, other: object) -> Column:  # type: ignore[override]  # an expression, not an answer
        return Column("=", self, _of(other))

    def __ne__(self, other: object) -> Column:  # type: ignore[override]  # likewise
        return Column("<>", self, _of(other))

    def __lt__(self, other: object) -> Column:
        return Column("<", self, _of(other))

    def __le__(self, other: object) -> Column:
        return Column("<=", self, _of(other))

    def __gt__(self, other: object) -> Column:
        return Column(">", self, _of(other))

    def __ge__(self, other: object) -> Column:
        return Column(">=", self, _of(other))

    def __and__(self, other: object) -> Column:
        return Column("AND", self, _of(other))

    def __rand__(self, other: object) -> Column:
        return Column("AND", _of(other), self)

    def __or__(self, other: object) -> Column:
        return Column("OR", self, _of(other))

    def __ror__(self, other: object) -> Column:
        return Column("OR", _of(other), self)

    def __invert__(self) -> Column:
        return Column("not", self)

    def __neg__(self) -> Column:
        return Column("negative", self)

    def __add__(self, other: object) -> Column:
        return Column("+", self, _of(other))

    def __radd__(self, other: object) -> Column:
        return Column("+", _of(other), self)

    def __sub__(self, other: object) -> Column:
        return Column("-", self, _of(other))

    def __rsub__(self, other: object) -> Column:
        return Column("-", _of(other), self)

    def __mul__(self, other: object) -> Column:
        return Column("*", self, _of(other))

    def __rmul__(self, other: object) -> Column:
        return Column("*", _of(other), self)

    def __truediv__(self, other: object) -> Column:
        return Column("/", self, _of(other))

    def __getitem__(self, of: str | int) -> Column:
        """Return a member of a struct by its name, or an element of an array by its place, from 0 on."""
        return Column("field", self, of) if isinstance(of, str) else Column("get", self, _of(of))

    def get_field(self, name: str) -> Column:
        """Return a member of a struct."""
        return self[name]

    def with_field(self, name: str, value: Column) -> Column:
        """Return a struct in which one of its members is replaced; null for a null struct."""
        return Column("with_field", self, name, value)

    def alias(self, name: str, *more: str) -> Column:
        """Return the column under a name; a column that stands for two has two names."""
        return Column("alias", self, name, *more)

    def cast(self, kind: str) -> Column:
        """Return the value as another type; see spark_checks.frames.types."""
        return Column("cast", self, kind)

    def is_null(self) -> Column:
        """Return whether there is no value."""
        return Column("is_null", self)

    def is_not_null(self) -> Column:
        """Return whether there is a value."""
        return Column("is_not_null", self)

    def same_as(self, other: object) -> Column:
        """Return whether two values are equal, where null equals null; never null."""
        return Column("same", self, _of(other))

    def is_in(self, *values: Any) -> Column:
        """Return whether the value is one of some plain values."""
        if len(values) == 1 and isinstance(values[0], (list, tuple, set, frozenset)):
            values = tuple(values[0])
        return Column("in", self, *map(_of, values))

    def between(self, least: object, most: object) -> Column:
        """Return whether the value lies between two others, bounds included."""
        return (self >= least) & (self <= most)

    def bit_and(self, other: object) -> Column:
        """Return the bits that both values have."""
        return Column("&", self, _of(other))

    def bit_or(self, other: object) -> Column:
        """Return the bits that either value has."""
        return Column("|", self, _of(other))

    def startswith(self, other: object) -> Column:
        """Return whether a text begins with another."""
        return Column("startswith", self, _of(other))

    def endswith(self, other: object) -> Column:
        """Return whether a text ends with another."""
        return Column("endswith", self, _of(other))

    def desc(self) -> Column:
        """Return the column as a sort key from the largest value down, null last."""
        return Column("desc", self)

    def asc(self) -> Column:
        """Return the column as a sort key from the smallest value up, null first: the default order."""
        return Column("asc", self)

    def over(self, window: WindowSpec) -> Column:
        """Return an aggregate over a window of rows, for each row."""
        return Column("over", self, window)


class Case(Column):
    """A choice by conditions: the value of the first condition that holds, or else `otherwise`, or else null."""

    __slots__ = ()

    def __init__(self, *pairs: tuple[Column, Column]) -> None:
        super().__init__("case", pairs, None)

    def when(self, condition: Column, value: object) -> Case:
        """Return the choice with one more condition."""
        return Case(*self.args[0], (condition, _of(value)))

    def otherwise(self, value: object) -> Column:
        """Return the choice with a value for rows in which no condition holds."""
        return Column("case", self.args[0], _of(value))


def _of(value: object) -> Column:
    return value if isinstance(value, Column) else Column("lit", value)


def literal(value: object) -> Column:
    """Return a plain value as a column; a column is returned as it is."""
    return _of(value)


def named(value: Column | str) -> Column:
    """Return the column of a name, `put.conn` for a member of a struct; a column is returned as it is."""
    return Column("col", value) if isinstance(value, str) else value


@dataclass(frozen=True)
class WindowSpec:
    """The rows that belong together with each row, their order, and which of them count."""

    partition: tuple[Column, ...] = ()
    """The columns that rows of one partition have in common; null equals null."""
    order: tuple[Column, ...] = ()
    """The columns by which the rows are ordered. Empty for no order."""
    frame: tuple[str, int | None, int | None] | None = field(default=None)
    """The rows that count: the kind of bounds, the first bound and the last.

    With "rows" a bound is a number of rows from the current one; with "range" it is a distance from its value in the
    order. A bound of None is open. Without a frame all rows up to the current one count, and those equal to it in the
    order; without an order all.
    """

    def order_by(self, *columns: Column | str) -> WindowSpec:
        """Return the window in an order. Without a frame, the rows up to the current one count."""
        return WindowSpec(self.partition, tuple(map(named, columns)), self.frame)

    def rows_between(self, start: int | None, end: int | None) -> WindowSpec:
        """Return the window with the rows between two places, counted from the current row."""
        return WindowSpec(self.partition, self.order, ("rows", start, end))

    def range_between(self, start: int | None, end: int | None) -> WindowSpec:
        """Return the window with the rows between two values, counted from that of the current row."""
        return WindowSpec(self.partition, self.order, ("range", start, end))


class Window:
    """Constructors of windows."""

    unbounded: None = None
    """The open bound: the first row of the partition, or the last one."""
    current_row: int = 0
    """The bound that is the current row, or its value in the order."""

    @staticmethod
    def partition_by(*columns: Column | str) -> WindowSpec:
        """Return the window of all rows that have these columns in common; null equals null."""
        return WindowSpec(tuple(map(named, columns)))


def nodes(part: Any) -> Iterator[Column]:
    """Yield a column, or the columns of a tuple, and all columns within them, outer ones first."""
    left = [part]
    while left:
        each = left.pop()
        if isinstance(each, Column):
            yield each
            each = each.args
        if isinstance(each, tuple):
            left.extend(reversed(each))


def names_in(part: Any) -> set[str]:
    """Return the names of the columns of a frame that a column, or the columns of a tuple, read."""
    return {str(each.args[0]).partition(".")[0] for each in nodes(part) if each.op == "col"}


def name_of(column: Column) -> str:
    """Return the name of a column in a frame that selects it."""
    if column.op == "alias":
        return str(column.args[1])
    if column.op == "col":
        return str(column.args[0]).rpartition(".")[2]
    if column.op == "field":
        return str(column.args[1])
    if column.op in ("desc", "asc", "cast"):
        return name_of(column.args[0])
    return column.op
