"""Segments that the queue manager makes: they fit together (SEG-02), and only the first has a Format (SEG-03).

A segment that no call put was made by the queue manager from the one message that was put with its GroupId and
MsgSeqNumber and MQMF_SEGMENTATION_ALLOWED. The record of that put shows the whole length, and its unit of work is that
of the segments (VIS-01, UOW-02).
"""

from __future__ import annotations

from collections.abc import Sequence

from oracle.model.groups.put_groups import SEGMENT_FLAGS
from oracle.mqi.constants import MQGMO, MQMF, MQMT
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.checks.exclusion import of_transaction_manager
from spark_checks.frames import Column, Frame, Window
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import QUEUE, has, holds, is_null_id, text
from spark_checks.preparation.connections import BACKED_OUT, REF_FIELDS
from spark_checks.preparation.log import Log, never_ended
from spark_checks.preparation.moves import HEADED, PUTS, RETURNS
from spark_checks.preparation.uses import Use
from spark_checks.results.findings import Statement, ref, this_call


def _made(log: Log) -> Column:
    """Return whether a row returned a segment that the queue manager made, as far as a complete log tells."""
    report = holds(fn.col("msg_type") == MQMT.REPORT) | fn.col("msg_type").is_null()
    known = fn.col("whole") & fn.col("pinned") & ~fn.col("ungrouped") & fn.lit(log.facts.platform != "zos")
    alone = ~has("options", MQGMO.COMPLETE_MSG | MQGMO.CONVERT)
    return (
        fn.col("role").is_in(*RETURNS)
        & known
        & (fn.col("n_puts") == 0)
        & has("msg_flags", SEGMENT_FLAGS)
        & alone
        & ~report
    )


def _segments(log: Log) -> Frame:
    """Return the segments that the queue manager made, each with the put of the whole and the segment in front."""
    is_put = fn.col("role").is_in(*PUTS)
    rows = log.moves.where((is_put | holds(_made(log))) & fn.col("group_id").is_not_null() & ~is_null_id("group_id"))
    message = Window.partition_by(*QUEUE, "group_id", "msg_seq_number")
    unit = ("in_unit", "unit_end", "open_until")
    whole = fn.struct(*REF_FIELDS, "length", "format", "msg_flags", "offset", *unit)
    in_front = message.order_by(fn.when(is_put, 0).otherwise(1), "offset", "length", "msg_id", "lo")
    part = fn.struct(*REF_FIELDS, "offset", "length", "msg_id")
    joined = rows.select(
        "*",
        fn.count(fn.when(is_put, 1)).over(message).alias("wholes"),
        fn.max(fn.when(is_put, whole)).over(message).alias("whole_put"),
        fn.lag(fn.when(~is_put, part)).over(in_front).alias("in_front"),
    )
    may_split = fn.col("whole_put.msg_flags").bit_and(fn.lit(int(MQMF.SEGMENTATION_ALLOWED))) != 0
    headed = fn.rtrim("whole_put.format").is_in(*HEADED)
    return joined.where(~is_put & (fn.col("wholes") == 1) & may_split & ~headed)


def _of_segments() -> Sequence[Statement]:
    """Find segments that overlap or do not cover exactly what was put, and later segments that have a Format."""
    whole, before = fn.col("whole_put"), fn.col("in_front")
    end, due = fn.col("offset") + fn.col("length"), whole["offset"] + whole["length"]
    overlaps = (before["msg_id"] != fn.col("msg_id")) & (before["offset"] + before["length"] > fn.col("offset"))
    last = has("msg_flags", MQMF.LAST_SEGMENT)
    later = fn.col("offset") > whole["offset"]
    cases: tuple[tuple[str, Column, Column | None, tuple[str | Column, ...]], ...] = (
        ("SEG-02", overlaps, ref(before), (" that overlaps another segment of it",)),
        (
            "SEG-02",
            (end > due) | (last & (end < due)),
            None,
            (" that ends at ", end, ", of a message that ends at ", due),
        ),
        (
            "SEG-03",
            later & (fn.rtrim("format") != ""),
            None,
            (" that is not the first, with Format ", fn.col("format")),
        ),
    )
    return [
        Statement(
            rule=rule,
            where=holds(where),
            call=this_call(),
            msg_id=fn.col("msg_id"),
            calls=[ref(whole), this_call()] if other is None else [ref(whole), other, this_call()],
            sentence=text(
                fn.col("call"), " by connection ", fn.col("conn"), " returned a segment made by the queue manager",
                *what,
            ),
        )
        for rule, where, other, what in cases
    ]  # fmt: skip  # a sentence


def _seen_uncommitted(log: Log) -> Statement:
    """Find segments that another connection than the putter's got before the put was committed, or never was."""
    whole, over = fn.col("whole_put"), fn.col("hi") + log.margin
    end, others = whole["unit_end"], fn.col("conn") != whole["conn"]
    backed_out, pending = end["outcome"] == BACKED_OUT, never_ended(log, end)
    still = holds(backed_out & (fn.col("lo") > end["hi"] + log.margin))
    what = fn.when(still, " although the put had been backed out").otherwise(" before the put was committed")
    return Statement(
        rule=fn.when(still, "UOW-02").otherwise("VIS-01"),
        where=holds(whole["in_unit"] & others & (holds(backed_out) | holds(over < whole["open_until"]) | pending)),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[ref(whole), fn.when(end.is_not_null() & ~holds(end["call"] == "MQDISC"), ref(end)), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " returned a segment that the queue manager had made of"
            " a message which connection ", whole["conn"], " put in its unit of work,", what,
        ),
        doubts=[of_transaction_manager(end, pending)],
    )  # fmt: skip  # a sentence


def _concerns(log: Log) -> Sequence[Concern]:
    unknown = {"complete": ~fn.col("whole"), "depth": ~fn.col("pinned"), "group_id": fn.col("ungrouped")}
    segments = fn.col("role").is_in(*RETURNS) & (fn.col("n_puts") == 0) & has("msg_flags", SEGMENT_FLAGS)
    made = segments & fn.lit(log.facts.platform != "zos")
    needs = unknown | absent("queue", "msg_id", "msg_type", "options", "msg_seq_number", "offset")
    return [
        Concern("SEG-02", made, needs | absent("length")),
        Concern("SEG-03", made & (fn.col("offset") > 0), needs | absent("format")),
    ]


def _of_frames(log: Log) -> Sequence[tuple[Frame, Sequence[Statement]]]:
    return [(_segments(log), [*_of_segments(), _seen_uncommitted(log)])] if Use.SPLITS in log.uses else []


SPLITTING = Check("splitting", _concerns, of_frames=_of_frames)
