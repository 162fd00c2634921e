"""Lateness: a call waited on although a message that it could have returned was there (WAI-02, WAI-03).

That a call took long says only that somebody was slow; so these are suspicions. They name what an operator sees as a
hanging consumer: the message that ended the wait had been on the queue for seconds.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as fn

from oracle.constants import MQGMO
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.findings import HELD_UP, Doubt, Statement, committed_by, this_call
from spark_checks.preparation.columns import has, holds, text
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import ANY, BY_BOTH, BY_CORREL_ID, BY_MSG_ID, SIGHT, TAKE, from_front

LATE_US = 5_000_000
"""How long a call may take to return a message that was there, in microseconds."""


def _returned_after_wait() -> Column:
    """Return whether a row is a get or browse that was to wait and that returned a message."""
    return (fn.col("call") == "MQGET") & fn.col("role").isin(TAKE, SIGHT) & has("options", MQGMO.WAIT)


def _suited_all_the_while() -> Column:
    """Return whether no call is known that had the message before, or meanwhile, and any state of its group suits."""
    put, before = fn.col("put"), fn.col("put.lo") <= fn.col("lo")
    next_return = fn.when(before, fn.col("next_lo")).otherwise(fn.col("after_next_lo"))
    alone = (fn.col("n_puts") == 1) & fn.col("gap_first") & (next_return.isNull() | (next_return > fn.col("hi")))
    selected = fn.col("selection").isin(ANY, BY_MSG_ID, BY_CORREL_ID, BY_BOTH)
    by_its_name = holds(put["object_name"] == fn.col("queue")) | fn.col("ordinary")
    return alone & selected & from_front() & ~has("options", MQGMO.COMPLETE_MSG) & by_its_name


def _late(rule: str, log: Log, where: Column, since: Column, what: str) -> Statement:
    put, seconds = fn.col("put"), fn.round((fn.col("end_us") - since) / 1_000_000, 1)
    late = fn.col("end_us") - log.margin > since + LATE_US
    return Statement(
        rule=rule,
        where=_returned_after_wait() & _suited_all_the_while() & where & late,
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[put, committed_by(put), this_call()],
        sentence=text(
            "MQGET by connection ", fn.col("conn"), " returned a message ", seconds, f" seconds after {what}"
        ),
        doubts=[
            Doubt(~fn.col("whole"), "an application whose calls the log lacks had got or locked it and gave it back"),
            Doubt(fn.lit(True), HELD_UP),
        ],
    )


def _of_moves(log: Log) -> Sequence[Statement]:
    start, visible = fn.col("start_us") + log.margin, fn.col("put.visible.hi")
    there = visible < fn.col("start_us") - log.margin
    return [
        _late("WAI-02", log, there, start, "it began, although the message that it returned was there by then"),
        _late("WAI-03", log, ~there, fn.greatest(start, visible), "the message that it returned had come"),
    ]


def _concerns(log: Log) -> Sequence[Concern]:
    del log
    returned = _returned_after_wait() & (fn.col("n_puts") == 1)
    asked = absent("queue", "msg_id", "options") | {"match_options": fn.col("selection").isNull()}
    return [Concern("WAI-02", returned, asked), Concern("WAI-03", returned, asked)]


LATENESS = Check("lateness", _concerns, _of_moves)
