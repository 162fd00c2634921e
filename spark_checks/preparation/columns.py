"""Small expressions over columns. Null always means not captured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from oracle.mqi.constants import NULL_ID
from spark_checks.frames import Column, Frame
from spark_checks.frames import functions as fn

QUEUE: Final = ("qmgr", "queue")
"""The columns that identify a queue."""

Of = Callable[[str], Column]
"""A function that gives a column of a row by name: `fn.col`, or `get_field` of a row within a row."""


def holds(condition: Column) -> Column:
    """Return a condition with false in place of null."""
    return condition.same_as(True)


def unknown_or(condition: Column) -> Column:
    """Return a condition with true in place of null."""
    return ~condition.same_as(False)


LISTED_BY: Final = "contents of "
"""The beginning of the name of the connection that stands for a listing from before the log."""


def listed(of: Of = fn.col) -> Column:
    """Return whether a row is no call, but stands for a message that was there when the log began."""
    return of("conn").startswith(LISTED_BY)


def has(column: str, bits: int) -> Column:
    """Return whether any of the bits is set; null if the column was not captured."""
    return fn.col(column).bit_and(fn.lit(bits)) != 0


def is_null_id(column: str) -> Column:
    """Return whether an identifier is the null identifier; null if it was not captured."""
    return fn.col(column) == NULL_ID.hex()


def text(*parts: str | Column) -> Column:
    """Return a sentence made from texts and columns; an unknown value reads `unknown`."""
    return fn.concat(
        *(
            fn.lit(part) if isinstance(part, str) else fn.coalesce(part.cast("string"), fn.lit("unknown"))
            for part in parts
        )
    )


_REST = "rest"
_FEW = 10_000


def packed(rows: Frame, apart: Sequence[str]) -> Frame:
    """Pack all columns except a few into one, so that windows over these few carry the others at little cost."""
    others = [name for name in rows.columns if name not in apart]
    return rows.select(*apart, fn.struct(*others).alias(_REST))


def unpacked(rows: Frame) -> Frame:
    """Undo `packed`. Columns that were added since come first."""
    return rows.select(*(name for name in rows.columns if name != _REST), f"{_REST}.*")


def if_few_sent(named: Frame, number: int) -> Frame:
    """Have rows sent to those that they are joined with, if their `number` is small."""
    return fn.broadcast(named) if number <= _FEW else named


def looked_up(rows: Frame, named: Frame, by: Sequence[str], number: int, how: str = "inner") -> Frame:
    """Join rows with the rows that name them. If there are none, no row is read."""
    if not number:
        rows = rows.limit(0)
    return rows.join(if_few_sent(named, number), [*by], how)


def each_of(rows: Frame, keep: Sequence[str], *choices: tuple[Column, Column]) -> Frame:
    """Return a row for each choice whose condition holds: the columns `keep`, and the chosen struct as `chosen`.

    All structs have the same fields.
    """
    chosen = fn.array_compact(fn.array(*(fn.when(condition, value) for condition, value in choices)))
    return rows.select(*keep, chosen.alias("choices")).select(*keep, fn.explode("choices").alias("chosen"))
