"""Browsing in physical order: BROWSE_NEXT goes forward only (BRW-05, BRW-13, BRW-20, BRW-21).

The message that BROWSE_NEXT returns must stand behind the one under the cursor, which is the one that the handle
browsed last. That one message stands before another is sure if its priority is higher, or if it is the same and it
was visible before the other's put began: whether a message's place is that of its put or of its commit does not
matter here.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from oracle.constants import MQCC, MQGMO, MQMO, MQMT, MQRC
from oracle.model.option_matrix import SCANS
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.checks.delivery import likely
from spark_checks.findings import Doubt, Statement, this_call
from spark_checks.preparation.columns import has, holds, text, unknown_or
from spark_checks.preparation.connections import REF_FIELDS
from spark_checks.preparation.identity import elsewhere, from_before, put_in_log
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import RETURNS, SIGHT
from spark_checks.preparation.queues import Use

_OTHER_ORDERS = MQGMO.LOGICAL_ORDER | MQGMO.COMPLETE_MSG | MQGMO.UNMARKED_BROWSE_MSG
_OF_CURSOR = (
    *REF_FIELDS, "options", "lives_left", "physical", "msg_id", "rank", "put", "put_us", "n_puts",
)  # fmt: skip


def _in_physical_order(log: Log) -> Column:
    """Return whether a browse surely moved the cursor to the message returned, in physical order."""
    token = unknown_or(has("match_options", MQMO.MATCH_MSG_TOKEN)) & fn.lit(log.facts.platform == "zos")
    moved = (fn.col("call") == "MQGET") & ((fn.col("comp_code") == MQCC.OK) | _truncated_for_good())
    plain = ~has("options", _OTHER_ORDERS) & fn.col("comp_code").isNotNull()
    return holds(moved & plain & ~token & (fn.col("msg_type") != MQMT.REPORT))


def _truncated_for_good() -> Column:
    return (fn.col("reason") == MQRC.TRUNCATED_MSG_ACCEPTED) | has("options", MQGMO.ACCEPT_TRUNCATED_MSG)


def _browses(log: Log) -> DataFrame:
    """Return the browses of each handle, each with the one before it as `cursor`."""
    stayed = has("options", MQGMO.BROWSE_NEXT) & (fn.col("reason") == MQRC.TRUNCATED_MSG_FAILED)
    may_move = fn.col("role").isin(*RETURNS) & unknown_or(has("options", SCANS)) & ~holds(stayed)
    handle = Window.partitionBy("qmgr", "conn", "hobj").orderBy("seq")
    rows = log.moves.where(may_move & fn.col("hobj").isNotNull()).withColumn("physical", _in_physical_order(log))
    return rows.withColumn("cursor", fn.lag(fn.struct(*_OF_CURSOR)).over(handle))


def _stands_before(margin: int) -> Column:
    """Return whether the message returned surely stands before the cursor's, the two having the same rank."""
    cursor, put, later = fn.col("cursor"), fn.col("put"), fn.col("cursor.put")
    by_time = put["visible"]["hi"] + margin < later["lo"]
    ordered = (put["seq"] < later["seq"]) & (put["visible"]["seq"] <= later["visible"]["seq"])
    by_seq = (put["conn"] == later["conn"]) & ordered & (later["in_unit"] | ~put["in_unit"])
    return (cursor["n_puts"] == 1) & (fn.col("n_puts") == 1) & (holds(by_time) | holds(by_seq))


def _backwards(log: Log) -> Statement:
    """Find BROWSE_NEXTs that returned the message under the cursor again, or one that stands before it.

    A violation in a complete log if both messages can be no others than those put in the log.
    """
    cursor = fn.col("cursor")
    same_sweep = (cursor["lives_left"] == fn.col("lives_left")) & cursor["physical"] & fn.col("physical")
    again = (fn.col("msg_id") == cursor["msg_id"]) & (fn.col("n_puts") <= 1)
    by_priority, fifo = fn.col("sequence") == "PRIORITY", fn.col("sequence") == "FIFO"
    higher = holds(by_priority & (fn.col("rank") > cursor["rank"]))
    level = holds(fifo) | holds(fn.col("rank") == cursor["rank"])
    behind = level & _stands_before(log.margin)
    what = (
        fn.when(again, "the message that it had returned before")
        .when(higher, "a message of higher priority than the one that it had returned before")
        .otherwise("a message that stands on the queue before the one that it had returned before")
    )
    by_group = fn.lit(log.facts.platform == "zos") & ~holds(fn.col("index_type") != "GROUP_ID")
    in_log = put_in_log(log.margin)
    return Statement(
        rule=fn.when(again, "BRW-05").when(higher, "BRW-21").when(fifo, "BRW-20").otherwise("BRW-13"),
        where=has("options", MQGMO.BROWSE_NEXT)
        & fn.col("role").isin(*RETURNS)
        & holds(same_sweep)
        & (holds(again) | higher | behind)
        & likely(),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[fn.when(~again, cursor["put"]), fn.col("put"), cursor, this_call()],
        sentence=text("BROWSE_NEXT by connection ", fn.col("conn"), " went back: it returned ", what),
        doubts=[
            elsewhere(),
            from_before(in_log & (again | put_in_log(log.margin, _of_cursor))),
            Doubt(~again & by_group, "the queue is indexed by group, which leaves the order open on z/OS"),
        ],
        once=fn.concat_ws(" ", fn.lit("back"), "conn", "hobj", fn.col("lives_left").cast("string")),
    )  # fmt: skip


def _of_cursor(name: str) -> Column:
    """Return a column of the message under the cursor, or of the queue and the log, which the two have in common."""
    return fn.col("cursor")[name] if name in _OF_CURSOR else fn.col(name)


def _concerns(log: Log) -> Sequence[Concern]:
    del log
    browses = (fn.col("role") == SIGHT) & has("options", MQGMO.BROWSE_NEXT) & ~has("options", _OTHER_ORDERS)
    fifo = holds(fn.col("sequence") == "FIFO")
    needs = absent("queue", "hobj", "msg_id", "comp_code") | {
        "MQPUT": fn.col("n_puts") == 0,
        "complete": ~fn.col("whole"),
    }
    unordered = {"MsgDeliverySequence": fn.col("sequence").isNull()}
    return [
        Concern("BRW-05", browses, needs),
        Concern("BRW-13", browses & ~fifo, needs | absent("priority")),
        Concern("BRW-20", browses & (fifo | fn.col("sequence").isNull()), needs | unordered),
        Concern("BRW-21", browses & ~fifo, needs | absent("priority") | unordered),
    ]


def _of_frames(log: Log) -> Sequence[tuple[DataFrame, Sequence[Statement]]]:
    return [(_browses(log), [_backwards(log)])] if Use.BROWSE_NEXT in log.uses else []


BROWSE = Check("browse", _concerns, of_frames=_of_frames)
