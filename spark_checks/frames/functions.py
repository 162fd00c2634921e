"""Functions of columns, under the names that Spark SQL gives them.

A string argument is the name of a column where a function takes columns; `lit` makes a plain value. Aggregates ignore
null.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count as counting
from typing import Any, TypeVar

from spark_checks.frames.columns import Case, Column, literal, named

F = TypeVar("F")
_numbers = counting()


def _call(op: str, *columns: Column | str) -> Column:
    return Column(op, *map(named, columns))


def col(name: str) -> Column:
    """Return a column of the frame; a dot selects a member of a struct."""
    return Column("col", name)


def lit(value: object) -> Column:
    """Return a plain value as a column."""
    return literal(value)


def when(condition: Column, value: object) -> Case:
    """Begin a choice by conditions."""
    return Case((condition, literal(value)))


def coalesce(*columns: Column | str) -> Column:
    """Return the first value that is not null."""
    return _call("coalesce", *columns)


def greatest(*columns: Column | str) -> Column:
    """Return the largest value; null is ignored."""
    return _call("greatest", *columns)


def least(*columns: Column | str) -> Column:
    """Return the smallest value; null is ignored."""
    return _call("least", *columns)


def abs(column: Column | str) -> Column:
    """Return the absolute value of a number."""
    return _call("abs", column)


def floor(column: Column | str) -> Column:
    """Return the largest whole number that is not larger."""
    return _call("floor", column)


def round(column: Column | str, digits: int = 0) -> Column:
    """Return a number rounded to some digits after the point."""
    return Column("round", named(column), literal(digits))


def signum(column: Column | str) -> Column:
    """Return the sign of a number: -1, 0 or 1."""
    return _call("signum", column)


def pmod(column: Column | str, divisor: Column) -> Column:
    """Return the remainder of a division, never negative."""
    return _call("pmod", column, divisor)


def hashed(*columns: Column | str) -> Column:
    """Return a hash of values: the same for the same values within one engine and run."""
    return _call("hashed", *columns)


def md5(column: Column | str) -> Column:
    """Return the MD5 digest of a text, in hexadecimal digits: the same on every engine."""
    return _call("md5", column)


def concat(*columns: Column | str) -> Column:
    """Return texts or arrays concatenated; null if one of them is null."""
    return _call("concat", *columns)


def concat_ws(separator: str, *columns: Column | str) -> Column:
    """Return texts joined with a separator; null is ignored."""
    return Column("concat_ws", literal(separator), *map(named, columns))


def trim(column: Column | str) -> Column:
    """Return a text without blanks at its ends."""
    return _call("trim", column)


def rtrim(column: Column | str) -> Column:
    """Return a text without blanks at its end."""
    return _call("rtrim", column)


def unpadded(column: Column | str) -> Column:
    """Return a text up to its first null character, without blanks at its end: a name in a field of fixed length."""
    return _call("unpadded", column)


def lower(column: Column | str) -> Column:
    """Return a text in lower case."""
    return _call("lower", column)


def length(column: Column | str) -> Column:
    """Return the number of characters."""
    return _call("length", column)


def substring(column: Column | str, start: int, size: int) -> Column:
    """Return a part of a text; the first character has the number 1."""
    return Column("substring", named(column), literal(start), literal(size))


def replace(column: Column | str, what: Column, by: Column) -> Column:
    """Return a text in which every occurrence of another is replaced."""
    return _call("replace", column, what, by)


def is_hex(column: Column | str) -> Column:
    """Return whether a text consists of hexadecimal digits in lower case."""
    return _call("is_hex", column)


def is_valid_utf8(column: Column | str) -> Column:
    """Return whether the bytes of a text are UTF-8, for an engine that does not refuse other bytes itself."""
    return _call("is_valid_utf8", column)


def json_of(*names: str, nulls: bool = False) -> Column:
    """Return columns as the text of a JSON object; null members are left out unless `nulls` is true."""
    return Column("json_of", tuple(names), nulls)


def struct(*columns: Column | str) -> Column:
    """Return columns as the members of a struct."""
    return _call("struct", *columns)


def array(*columns: Column | str) -> Column:
    """Return columns as an array."""
    return _call("array", *columns)


def size(column: Column | str) -> Column:
    """Return the number of elements; null for a null array."""
    return _call("size", column)


def get(column: Column | str, place: Column) -> Column:
    """Return the element at a place, from 0 on; null if there is none."""
    return _call("get", column, place)


def element_at(column: Column | str, place: int | Column) -> Column:
    """Return the element at a place, from 1 on; -1 is the last one."""
    return Column("element_at", named(column), literal(place))


def array_compact(column: Column | str) -> Column:
    """Return an array without its null elements."""
    return _call("array_compact", column)


def array_contains(column: Column | str, value: object) -> Column:
    """Return whether an array has a value among its elements."""
    return Column("array_contains", named(column), literal(value))


def arrays_overlap(one: Column | str, other: Column | str) -> Column:
    """Return whether two arrays have an element in common."""
    return _call("arrays_overlap", one, other)


def array_distinct(column: Column | str) -> Column:
    """Return an array without duplicates, in an arbitrary order."""
    return _call("array_distinct", column)


def array_position(column: Column | str, value: object) -> Column:
    """Return the place of the first occurrence of a value in an array, from 1 on; 0 if there is none."""
    return Column("array_position", named(column), literal(value))


def array_min(column: Column | str) -> Column:
    """Return the smallest element of an array."""
    return _call("array_min", column)


def array_sort(column: Column | str) -> Column:
    """Return an array in increasing order."""
    return _call("array_sort", column)


def array_join(column: Column | str, separator: str) -> Column:
    """Return the elements of an array of texts, joined with a separator."""
    return Column("array_join", named(column), literal(separator))


def flatten(column: Column | str) -> Column:
    """Return an array of arrays as one array."""
    return _call("flatten", column)


def sequence(first: Column | str, last: Column | str) -> Column:
    """Return the whole numbers from one to another."""
    return _call("sequence", first, last)


def slice(column: Column | str, start: int, number: Column) -> Column:
    """Return some consecutive elements of an array; the first has the number 1."""
    return Column("slice", named(column), literal(start), number)


def _with(op: str, column: Column | str, function: Callable[..., Column], places: int = 1) -> Column:
    """Return a column that applies a function to each element; it is called once, with names for the elements."""
    variables = [Column("variable", f"x{next(_numbers)}") for _ in range(places)]
    return Column(op, named(column), function(*variables), *(variable.args[0] for variable in variables))


def transform(column: Column | str, function: Callable[[Column], Column]) -> Column:
    """Return the array of a function's results for each element."""
    return _with("transform", column, function)


def filter(column: Column | str, function: Callable[[Column], Column]) -> Column:
    """Return the array of the elements for which a condition holds."""
    return _with("filter", column, function)


def forall(column: Column | str, function: Callable[[Column], Column]) -> Column:
    """Return whether a condition holds for all elements; a null condition does not hold."""
    return _with("forall", column, function)


def explode(column: Column | str) -> Column:
    """Return a row for each element of an array."""
    return _call("explode", column)


def explode_outer(column: Column | str) -> Column:
    """Return a row for each element of an array, or one row with null if there is none."""
    return _call("explode_outer", column)


def posexplode(column: Column | str) -> Column:
    """Return a row for each element of an array, as two columns: its place, from 0 on, and the element."""
    return _call("posexplode", column)


def count(column: Column | str) -> Column:
    """Count the rows that have a value; with `*`, all rows."""
    return Column("count_all") if isinstance(column, str) and column == "*" else _call("count", column)


def count_distinct(*columns: Column | str) -> Column:
    """Count the distinct values of rows in which none of the columns is null."""
    return _call("count_distinct", *columns)


def max(column: Column | str) -> Column:
    """Return the largest value; structs are compared by their first member, then by the second, and so on."""
    return _call("max", column)


def min(column: Column | str) -> Column:
    """Return the smallest value; structs are compared as for `max`."""
    return _call("min", column)


def sum(column: Column | str) -> Column:
    """Return the sum of numbers."""
    return _call("sum", column)


def first(column: Column | str) -> Column:
    """Return the value of an arbitrary row."""
    return _call("first", column)


def max_by(column: Column | str, order: Column | str) -> Column:
    """Return the value of the row with the largest value of another column."""
    return _call("max_by", column, order)


def collect_set(column: Column | str) -> Column:
    """Return an array of the distinct values."""
    return _call("collect_set", column)


def different(column: Column | str) -> Column:
    """Return the number of different values in a window without order."""
    return _call("different", column)


def collect_list(column: Column | str) -> Column:
    """Return an array of the values."""
    return _call("collect_list", column)


def percentiles(column: Column | str, shares: list[float]) -> Column:
    """Return approximate percentiles: the values below which these shares of the rows lie."""
    return Column("percentiles", named(column), tuple(shares))


def last(column: Column | str, *, ignorenulls: bool = False) -> Column:
    """Return the value of the last row of a window."""
    return Column("last_known" if ignorenulls else "last", named(column))


def lag(column: Column | str) -> Column:
    """Return the value of the row before."""
    return _call("lag", column)


def lead(column: Column | str) -> Column:
    """Return the value of the row after."""
    return _call("lead", column)


def row_number() -> Column:
    """Return the number of a row in its window, from 1 on."""
    return Column("row_number")


def numbered() -> Column:
    """Return a number for each row of a frame, in no particular order."""
    return Column("numbered")


def desc(column: Column | str) -> Column:
    """Return a sort key from the largest value down."""
    return named(column).desc()


def broadcast(frame: F) -> F:
    """Have a small frame sent to the rows that it is joined with, if the engine has these in several places."""
    send: Callable[[], F] | None = getattr(frame, "sent", None)
    return frame if send is None else send()


def sql(text: str) -> Column:
    """Return a condition written in SQL; only names, comparisons, AND, OR and IS NULL are allowed."""
    return Column("sql", text)


def is_condition(value: Any) -> Column:
    """Return a condition, given as a column or in SQL, as a column."""
    return sql(value) if isinstance(value, str) else named(value)
