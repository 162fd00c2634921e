"""Duplicates of calls in overlapping inputs that name their connections differently: the second record is removed.

Overlapping traces of one program have them. Two connections of two inputs are the same if both have a record of one
put, or of one message returned, at the same times of the same clock; all of their records that agree are then copies.
Two records within one input are two calls. Calls that were captured at two points have two clocks and are not touched.
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
"""Columns that depend only on the call itself, not on earlier calls in its input."""
_PART: Final = ("source", "conn")
_CONTENT: Final = "content"


@dataclass(frozen=True)
class WithoutCopies:
    """The calls of a log, each once."""

    calls: Frame
    """The calls."""
    copies: int = 0
    """The number of records that were removed because another one shows their call."""


def without_overlaps(calls: Frame, sources: Collection[str]) -> WithoutCopies:
    """Remove from inputs the calls that an earlier input has too."""
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
