"""Segments of a logical message that another call held as a whole: locked (LCK-03), or in its unit of work (SYN-01).

A call for a whole logical message names its first segment alone. But one that returned as many bytes as all segments
have together held each that has any. So its backout counts for each of them (BOC-01, BOC-03).
"""

from __future__ import annotations

from collections.abc import Sequence

from oracle.mqi.constants import MQGMO
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.checks.delivery import twice
from spark_checks.checks.exclusion import of_transaction_manager
from spark_checks.frames import Column, Frame, Window
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import has, holds, text
from spark_checks.preparation.connections import REF_FIELDS
from spark_checks.preparation.doubts import Doubt
from spark_checks.preparation.groups import of_groups
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import RETURNS, TAKE, TOUCH
from spark_checks.preparation.uses import Use
from spark_checks.results.findings import Statement, ref, this_call


def _whole() -> Column:
    """Return whether a row is a call that returned all segments of a logical message."""
    asked = has("options", MQGMO.COMPLETE_MSG) & ~has("options", MQGMO.CONVERT) & (fn.col("offset") == 0)
    return holds(asked & fn.col("m_whole") & fn.col("m_once") & (fn.col("length") == fn.col("m_length")))


def _holds_whole() -> Column:
    """Return whether a row is a call that held all segments of a logical message for a known time."""
    held = fn.col("role").is_in(TAKE, TOUCH) & (fn.col("held_until") > fn.col("hi"))
    return holds(held) & _whole()


def _segments(log: Log) -> Frame:
    """Return the moves of groups, each with the call that held its logical message as a whole for longest.

    `restored` is the first get of the whole that was backed out.
    """
    message = Window.partition_by("qmgr", "queue", "group_id", "msg_seq_number")
    holder = fn.struct("held_until", "lo", "hi", *REF_FIELDS, "hobj", "role", "msg_id", "unit_end")
    back = (fn.col("role") == TAKE) & (fn.col("effect.kind") == "released") & _whole()
    restored = fn.struct(fn.col("effect.by").alias("by"), "lo", *REF_FIELDS, "msg_id")
    return of_groups(log).with_columns(
        {
            "holder": fn.max(fn.when(_holds_whole(), holder)).over(message),
            "restored": fn.min(fn.when(holds(back), restored)).over(message),
        }
    )


def _taken_while_held(log: Log) -> Statement:
    """Find segments returned while another call held their whole logical message."""
    put, holder = fn.col("put"), fn.col("holder")
    locked, others = holder["role"] == TOUCH, fn.col("conn") != holder["conn"]
    other_handle = others | (locked & (fn.col("hobj") != holder["hobj"]))
    part_of_it = (put["length"] > 0) & (put["visible"]["hi"] + log.margin < holder["lo"])
    meanwhile = (holder["hi"] + log.margin < fn.col("lo")) & (fn.col("hi") + log.margin < holder["held_until"])
    known = fn.col("role").is_in(*RETURNS) & fn.col("whole") & fn.col("pinned") & ~fn.col("ungrouped")
    segment = (fn.col("n_puts") == 1) & (fn.col("msg_id") != holder["msg_id"])
    how = fn.when(locked, " had locked as a whole").otherwise(" had got as a whole, and not committed or backed out")
    in_unit = of_transaction_manager(holder["unit_end"])
    return Statement(
        rule=fn.when(locked, "LCK-03").otherwise("SYN-01"),
        where=known & holds(segment & other_handle & part_of_it & meanwhile),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[put, ref(holder), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " returned a segment of a logical message that",
            " connection ", holder["conn"], how,
        ),
        doubts=[Doubt(~locked & in_unit.applies, in_unit.unless)],
        once=twice(fn.col("msg_id")),
    )  # fmt: skip  # a sentence


def _not_counted(log: Log) -> Statement:
    """Find segments whose BackoutCount does not count the backout of a get of their whole logical message."""
    put, restored = fn.col("put"), fn.col("restored")
    part_of_it = (put["length"] > 0) & (put["visible"]["hi"] + log.margin < restored["lo"])
    later = restored["by"]["hi"] + log.margin < fn.col("lo")
    known = fn.col("role").is_in(*RETURNS) & fn.col("whole") & fn.col("pinned") & ~fn.col("ungrouped")
    segment = (fn.col("n_puts") == 1) & (fn.col("msg_id") != restored["msg_id"])
    return Statement(
        rule=fn.when(fn.col("role") == TAKE, "BOC-01").otherwise("BOC-03"),
        where=known & holds(segment & part_of_it & later & (fn.col("backout_count") < fn.col("backouts") + 1)),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[put, ref(restored), ref(restored["by"]), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " returned a segment with BackoutCount ",
            fn.col("backout_count"), " although a get of its whole logical message had been backed out",
        ),
    )  # fmt: skip  # a sentence


def _concerns(log: Log) -> Sequence[Concern]:
    del log
    whole = fn.col("role").is_in(TAKE, TOUCH) & holds(has("options", MQGMO.COMPLETE_MSG))
    complete = {"complete": ~fn.col("whole"), "depth": ~fn.col("pinned"), "group_id": fn.col("ungrouped")}
    return [
        Concern("LCK-03", whole & holds(has("options", MQGMO.LOCK)), complete | absent("queue", "hobj", "length")),
    ]


def _of_frames(log: Log) -> Sequence[tuple[Frame, Sequence[Statement]]]:
    return [(_segments(log), [_taken_while_held(log), _not_counted(log)])] if Use.WHOLES in log.uses else []


HELD_WHOLES = Check("held wholes", _concerns, of_frames=_of_frames)
