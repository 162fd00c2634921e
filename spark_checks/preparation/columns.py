"""Small expressions over columns, in which null always means not captured."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as fn

from oracle.constants import NULL_ID

NEVER = 2**62
"""A time in microseconds later than all times: of what does not happen."""


def holds(condition: Column) -> Column:
    """Return a condition that is false where it is null."""
    return fn.coalesce(condition, fn.lit(False))


def unknown_or(condition: Column) -> Column:
    """Return a condition that is true where it is null."""
    return fn.coalesce(condition, fn.lit(True))


def has(column: str, bits: int) -> Column:
    """Return whether any of the bits is on; null if the column was not captured."""
    return fn.col(column).bitwiseAND(fn.lit(bits)) != 0


def is_null_id(column: str) -> Column:
    """Return whether an identifier is the null one; null if it was not captured."""
    return fn.col(column) == NULL_ID.hex()


def text(*parts: str | Column) -> Column:
    """Return a sentence put together from texts and columns; an unknown value reads `unknown`."""
    return fn.concat(
        *(
            fn.lit(part) if isinstance(part, str) else fn.coalesce(part.cast("string"), fn.lit("unknown"))
            for part in parts
        )
    )


def each_of(*choices: tuple[Column, Column]) -> Column:
    """Explode into the elements of the arrays of which the condition beside them holds; none of them may be null."""
    return fn.explode(fn.concat(*(fn.when(condition, values).otherwise(fn.array()) for condition, values in choices)))
