"""Calls that an open unit of work forbids: splitting (SEG-07), reassembling (CMP-10), skipping backout twice (MSB-06).

A unit of work was surely open on a connection from a call that put or got in it until the MQCMIT or MQBACK that ended
it.
"""

from __future__ import annotations

from collections.abc import Sequence

from oracle.model.groups.put_groups import SEGMENT_FLAGS
from oracle.mqi.constants import MQGMO, MQMF, MQPER
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.frames import Column, Frame, Window
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import has, holds, text
from spark_checks.preparation.connections import EXPLICIT_ENDS, REF_FIELDS
from spark_checks.preparation.doubts import Doubt, end_unseen
from spark_checks.preparation.identity import from_before, sole_origin
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import PUT, TAKE
from spark_checks.preparation.uses import Use
from spark_checks.results.findings import Statement, ref, this_call


def _with_work(log: Log) -> Frame:
    """Return the moves, each with the last call before it in the open unit of work: any call, and a marked get."""
    end = fn.col("unit_end")
    works = fn.col("role").is_in(PUT, TAKE) & fn.col("in_unit") & end["call"].is_in(*EXPLICIT_ENDS)
    before = Window.partition_by("qmgr", "conn").order_by("seq").rows_between(Window.unbounded, -1)
    itself = fn.struct(*REF_FIELDS, end["seq"].alias("until"))

    def last(where: Column) -> Column:
        found = fn.last(fn.when(where, itself), ignorenulls=True).over(before)
        return fn.when(found["until"] > fn.col("seq"), found)

    return log.moves.select("*", last(works).alias("work"), last(works & _skips()).alias("skipping"))


def _skips() -> Column:
    return (fn.col("role") == TAKE) & has("options", MQGMO.MARK_SKIP_BACKOUT)


def _outside() -> Column:
    return fn.col("role").is_in(PUT, TAKE) & ~fn.col("in_unit")


def _split() -> Column:
    """Return whether a row is a put outside a unit of work of a message that may be split."""
    return (fn.col("role") == PUT) & _outside() & has("msg_flags", MQMF.SEGMENTATION_ALLOWED)


def _longest() -> Column:
    """Return MaxMsgLength; null if unknown, or if zero, whose effect is doubtful (SIZ-06)."""
    return fn.when(fn.col("max_msg_length") > 0, fn.col("max_msg_length"))


def _put_together() -> Column:
    """Return whether a row is a get outside a unit of work that reassembled a persistent message from segments."""
    segment = fn.col("put")["msg_flags"].bit_and(SEGMENT_FLAGS) == MQMF.SEGMENT
    persistent = fn.col("persistence") == MQPER.PERSISTENT
    return (fn.col("role") == TAKE) & _outside() & has("options", MQGMO.COMPLETE_MSG) & segment & persistent


def _statement(rule: str, where: Column, other: str, what: str, doubts: Sequence[Doubt] = ()) -> Statement:
    """Return the statement about calls that completed although a unit of work was open.

    A violation in a complete log; in another one a call that ended the unit of work may be missing.
    """
    work = fn.col(other)
    return Statement(
        rule=rule,
        where=holds(where & work.is_not_null()),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[ref(work), this_call(), fn.when(fn.col("in_unit"), ref(fn.col("unit_end")))],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), what,
            " although the connection had a unit of work open since its ", work["call"],
        ),
        doubts=[end_unseen(fn.col("whole")), *doubts],
    )  # fmt: skip  # a sentence


def _of_work(log: Log) -> Sequence[Statement]:
    elsewhere = fn.lit(log.facts.platform != "zos")
    return [
        _statement(
            "SEG-07",
            elsewhere & _split() & (fn.col("length") > _longest()),
            "work",
            " put a message outside a unit of work that had to be split",
        ),
        _statement(
            "CMP-10",
            elsewhere & _put_together(),
            "work",
            " put a persistent message together outside a unit of work",
            [from_before(sole_origin())],
        ),
        _statement(
            "MSB-06",
            fn.lit(log.facts.platform == "zos") & _skips(),
            "skipping",
            " got a second message with MQGMO_MARK_SKIP_BACKOUT",
        ),
    ]


def _concerns(log: Log) -> Sequence[Concern]:
    elsewhere, zos = fn.lit(log.facts.platform != "zos"), fn.lit(log.facts.platform == "zos")
    whole = {"complete": ~fn.col("whole")}
    unlimited = {"MaxMsgLength": _longest().is_null()}
    return [
        Concern("SEG-07", elsewhere & _split(), whole | absent("length") | unlimited),
        Concern("CMP-10", elsewhere & _put_together(), whole),
        Concern("MSB-06", zos & _skips(), whole),
    ]


def _of_frames(log: Log) -> Sequence[tuple[Frame, Sequence[Statement]]]:
    return [(_with_work(log), _of_work(log))] if Use.SIDE_WORK in log.uses else []


UNITS = Check("units", _concerns, of_frames=_of_frames)
