"""Calls that two inputs have, although each names its connections by itself: the second record of each is left out.

So it is with traces of one program that overlap. Two connections of two inputs are one if both have a record of one
put, or of one message returned, at the same times of the same clock; of these all records that agree are copies.
Within one input two records are two calls. What was captured at two points has two clocks, and is left as it is.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from oracle.mqi.constants import MQCC
from spark_checks.frames import Frame
from spark_checks.frames import functions as fn
from spark_checks.preparation.keeping import kept

_TOLD_BY_THE_CALL: Final = (
    "call", "comp_code", "reason", "start_us", "end_us", "hobj", "options", "msg_id", "correl_id", "length", "put_us",
    "digest",
)  # fmt: skip  # names
"""Columns that rest on nothing but the call itself, not on what came before it in its input."""
_PART: Final = ("source", "conn")
_CONTENT: Final = "content"


@dataclass(frozen=True)
class WithoutCopies:
    """The calls of a log, each once."""

    calls: Frame
    """The calls."""
    copies: int = 0
    """How many records were left out, for another one shows their call."""


def without_overlaps(calls: Frame, sources: Collection[str]) -> WithoutCopies:
    """Leave out what some of the inputs have of calls that an earlier one of them has too."""
    concerned = calls.where(fn.col("source").is_in(*sources))
    told = concerned.with_column(_CONTENT, fn.hashed(*_TOLD_BY_THE_CALL))
    names_message = fn.col("msg_id").is_not_null() & (fn.col("comp_code") != MQCC.FAILED)
    itself = fn.struct(*_PART)
    telling = told.where(names_message).group_by(_CONTENT).agg(fn.collect_set(itself).alias("parts"))
    together = telling.with_column("first", fn.array_min("parts")).where(fn.size("parts") > 1)
    pairs = (
        together.select("first", fn.explode("parts").alias("part"))
        .where(fn.col("part.source") != fn.col("first.source"))
        .group_by("part.source", "part.conn")
        .agg(fn.min("first").alias("first"))
    )
    few = kept(pairs)
    if few.is_empty():
        return WithoutCopies(calls)
    of_first = told.select(fn.struct(*_PART).alias("first"), _CONTENT).distinct()
    copied = kept(
        told.join(fn.broadcast(few), [*_PART]).join(of_first, ["first", _CONTENT], "left_semi").select(*_PART, "seq")
    )
    return WithoutCopies(calls.join(copied, [*_PART, "seq"], "left_anti").select(*calls.columns), copied.count())
