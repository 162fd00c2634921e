"""Carried facts for judging reports on a later day: messages with a report due, and confirmations that came too early.

See spark_checks.checks.reports_made.
"""

from __future__ import annotations

from oracle.mqi.constants import MQFB, MQRO
from spark_checks.checks.reports_made import MADE, is_put, made_report
from spark_checks.frames import Column, Frame
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import has, holds
from spark_checks.preparation.log import Log
from spark_checks.preparation.messages import MESSAGE
from spark_checks.preparation.moves import TAKE, in_open_unit
from spark_checks.preparation.sweep import ROW
from spark_checks.preparation.uses import Use


def unanswered(log: Log) -> Frame | None:
    """Return the messages with reports due on a queue of the log; None if there are none.

    A confirmation of arrival is due if it was asked for, one of delivery if the message was got, and a report of its
    expiry as long as it was not.
    """
    used = {*log.gathered.calls, *log.gathered.moves, *((known.qmgr, known.queue) for known in log.facts.queues)}
    queues = [name for name in used if name[1] is not None]
    if not any(of_queue["asks"] for of_queue in log.gathered.moves.values()):
        return None
    known = log.moves.engine.frame(queues, "qmgr string, known string")
    final, gone = fn.col("effect.kind") == "final", fn.col("n_final") > 0

    def due(bits: int, where: Column) -> Column:
        return holds(has("report", bits) & where).cast("int")

    asked = due(MQRO.COA, fn.lit(True)) + due(MQRO.COD, gone) + due(MQRO.EXPIRATION, ~gone)
    puts = log.moves.where(is_put() & (asked > 0)).select(
        *MESSAGE, asked.alias("asked"), fn.trim("reply_to_q").alias("known")
    )
    came = log.moves.where((fn.col("role") == TAKE) & final & made_report(*MADE))
    counted = came.group_by("qmgr", fn.col("correl_id").alias("msg_id")).agg(fn.count("*").alias("came"))
    of_log = puts.join(fn.broadcast(known), ["qmgr", "known"], "left_semi")
    counts = of_log.union_by_name(puts.where("known is null")).join(counted, ["qmgr", "msg_id"], "left")
    return counts.where(fn.col("asked") > fn.coalesce("came", fn.lit(0))).select(*MESSAGE)


def perhaps_early(log: Log) -> Frame | None:
    """Return the rows of confirmations of calls in units of work whose end is unknown; None if there are no reports."""
    if Use.REPORTS not in log.uses:
        return None
    confirmed = log.moves.where(in_open_unit()).select("qmgr", fn.col("msg_id").alias("correl_id"))
    confirmations = log.moves.where(made_report(MQFB.COA, MQFB.COD))
    return confirmations.join(confirmed, ["qmgr", "correl_id"], "left_semi").select(ROW)
