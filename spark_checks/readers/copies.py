"""Duplicates of calls in overlapping inputs that name their connections differently: the second record is removed.

Overlapping traces of one program have them. Two connections of two inputs are the same if both have a record of one
put, or of one message returned, at the same times of the same clock, and if most of what one has while the other has
calls is in both; all of their records that agree are then copies. One record alone shows nothing: a message that was
backed out may be returned to another program within the same millisecond. Two records within one input are two calls.
Calls that were captured at two points have two clocks and are not touched.
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
    with_content = concerned.with_column(_CONTENT, fn.hashed(*_TOLD_BY_THE_CALL))
    names_message = fn.col("msg_id").is_not_null() & (fn.col("comp_code") != MQCC.FAILED)
    itself = fn.struct(*_PART)
    parts = with_content.where(names_message).group_by(_CONTENT).agg(fn.collect_set(itself).alias("parts"))
    together = parts.where(fn.size("parts") > 1).with_column("first", fn.explode("parts"))
    pairs = kept(
        together.select("first", fn.explode("parts").alias("part"))
        .where(fn.col("first.source") < fn.col("part.source"))
        .select("part.source", "part.conn", "first")
        .distinct()
    )
    if pairs.is_empty():
        return WithoutCopies(calls)
    of_first = with_content.select(itself.alias("first"), _CONTENT).distinct()
    few = _same(with_content, pairs, of_first)
    copied = kept(
        with_content.join(fn.broadcast(few), [*_PART])
        .join(of_first, ["first", _CONTENT], "left_semi")
        .select(*_PART, "seq")
    )
    return WithoutCopies(calls.join(copied, [*_PART, "seq"], "left_anti").select(*calls.columns), copied.count())


def _same(calls: Frame, pairs: Frame, of_first: Frame) -> Frame:
    """Return the pairs of which most calls of the second, while the first has calls, are in the first too.

    Calls whose times depend on where an input begins or ends do not count. Of several that are the same, it is the
    first one.
    """
    spans = calls.group_by(fn.struct(*_PART).alias("first")).agg(
        fn.min("start_us").alias("begins"), fn.max("end_us").alias("ends")
    )
    meanwhile = (
        calls.where((fn.col("call") != "CALLBACK") & fn.col("comp_code").is_not_null())
        .select(*_PART, _CONTENT, "start_us", "end_us")
        .join(fn.broadcast(pairs), [*_PART])
        .join(spans, ["first"])
        .where((fn.col("start_us") >= fn.col("begins")) & (fn.col("end_us") <= fn.col("ends")))
    )
    all_calls = meanwhile.group_by(*_PART, "first").agg(fn.count("*").alias("calls"))
    in_both = meanwhile.join(of_first, ["first", _CONTENT], "left_semi")
    of_both = in_both.group_by(*_PART, "first").agg(fn.count("*").alias("copies"))
    most = of_both.join(all_calls, [*_PART, "first"]).where(fn.col("copies") * 2 > fn.col("calls"))
    return kept(most.group_by(*_PART).agg(fn.min("first").alias("first")))
