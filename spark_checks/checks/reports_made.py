"""The reports that the queue manager made, each with the log's facts about its original message.

A report that no call put was made by the queue manager. Its CorrelId is the MsgId of its original, unless that was put
with MQRO_PASS_CORREL_ID, which a log shows only for the puts that it has.
"""

from __future__ import annotations

from typing import Final

from oracle.mqi.constants import MQEI, MQFB, MQGMO, MQMF, MQMT, MQPMO, MQRO
from spark_checks.frames import Column, Frame, Window
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import has, holds, unknown_or
from spark_checks.preparation.connections import REF_FIELDS
from spark_checks.preparation.log import Log, never_ended
from spark_checks.preparation.moves import PUTS, RETURNS, TAKE, TOUCH
from spark_checks.times import NEVER

_EXPIRATION = MQRO.EXPIRATION_WITH_FULL_DATA
MADE: Final = {
    MQFB.EXPIRATION: (MQRO.EXPIRATION, MQRO.EXPIRATION_WITH_DATA, MQRO.EXPIRATION_WITH_FULL_DATA),
    MQFB.COA: (MQRO.COA, MQRO.COA_WITH_DATA, MQRO.COA_WITH_FULL_DATA),
    MQFB.COD: (MQRO.COD, MQRO.COD_WITH_DATA, MQRO.COD_WITH_FULL_DATA),
}
"""By the Feedback of a report, the options that ask for it without data, with the first bytes, and with all data."""

_ORIGINAL = (
    "lo", *REF_FIELDS, "priority", "persistence", "report", "correl_id", "reply_to_q", "length", "format", "group_id",
    "msg_seq_number", "offset", "msg_flags", "msg_type", "sequence", "def_priority", "in_unit", "unit_end",
    "open_until",
)  # fmt: skip  # names


def made_report(*feedback: int) -> Column:
    """Return whether a row shows a report that the queue manager made, as far as a complete log tells."""
    report = (fn.col("msg_type") == MQMT.REPORT) & fn.col("feedback").is_in(*feedback)
    put = (fn.col("n_puts") > 0) | ~fn.col("whole")
    return fn.col("role").is_in(*RETURNS) & report & ~put & fn.col("correl_id").is_not_null()


def is_put() -> Column:
    """Return whether a row put a message, or perhaps did."""
    return fn.col("role").is_in(*PUTS)


def _passes() -> Column:
    """Return whether a row put a message whose reports may have its CorrelId."""
    return is_put() & unknown_or(has("report", MQRO.PASS_CORREL_ID))


def _may_be_split() -> Column:
    """Return whether the queue manager may make segments of the message that a row put."""
    return unknown_or(has("msg_flags", MQMF.SEGMENTATION_ALLOWED))


def _may_confirm() -> Column:
    """Return whether a row removed a message that may have asked for a report of its delivery."""
    return fn.col("role").is_in(TAKE, TOUCH) & unknown_or(has("report", MQRO.COD))


def _committed(log: Log) -> Column:
    """Return the earliest time from which a get can have been committed; null if that is not known."""
    kind = fn.col("effect.kind")
    never = (kind == "released") | (fn.col("in_unit") & never_ended(log, fn.col("unit_end")))
    return fn.when(kind == "final", fn.col("effect.by.lo")).when(never, fn.lit(NEVER))


def _wholes(log: Log) -> Frame:
    """Return, by queue manager and GroupId, the gets of whole logical messages, which deliver each of their segments.

    `whole_delivered` is the earliest time from which one can have been committed, `whole_getters` the connections.
    """
    asks = fn.col("role").is_in(TAKE, TOUCH) & unknown_or(has("options", MQGMO.COMPLETE_MSG))
    return (
        log.moves.where(asks & fn.col("group_id").is_not_null())
        .group_by(fn.col("qmgr").alias("w_qmgr"), fn.col("group_id").alias("w_group_id"))
        .agg(
            fn.min(fn.coalesce(_committed(log), "lo")).alias("whole_delivered"),
            fn.collect_set("conn").alias("whole_getters"),
        )
    )


def _originals(log: Log) -> Frame:
    """Return, by queue manager and MsgId, what the puts of messages with that MsgId have in common.

    `original` is the put if there is just one, `delivered` the earliest time from which a get of it can have been
    committed, and `getters` are the connections that got it. If one `may_be_split`, reports may be about its segments.
    """
    expiry = fn.col("expiry").cast("long")
    cap = fn.when(fn.col("cap_expiry") > 0, fn.col("cap_expiry").cast("long"))
    tenths = fn.when(expiry > 0, fn.least(expiry, cap)).when(expiry == MQEI.UNLIMITED, cap)
    endless = (expiry == MQEI.UNLIMITED) & cap.is_null()
    expires = fn.when(endless, fn.lit(NEVER)).otherwise(fn.col("lo") + tenths * 100_000)

    def of_puts(value: Column) -> Column:
        return fn.when(is_put(), value)

    return (
        log.moves.where((is_put() | _may_confirm()) & fn.col("msg_id").is_not_null())
        .group_by("qmgr", fn.col("msg_id").alias("of"))
        .agg(
            fn.max(of_puts(fn.coalesce(has("report", _EXPIRATION), fn.lit(True)))).alias("requested"),
            fn.min(of_puts(fn.coalesce(expires, fn.lit(-NEVER)))).alias("expires"),
            fn.min(of_puts(holds(has("options", MQPMO.NEW_MSG_ID)))).alias("generated"),
            fn.max(of_puts(_may_be_split())).alias("may_be_split"),
            fn.min(of_puts(fn.struct(*_ORIGINAL))).alias("original"),
            fn.count(of_puts(fn.lit(1))).alias("originals"),
            fn.min(fn.when(_may_confirm(), fn.coalesce(_committed(log), "lo"))).alias("delivered"),
            fn.collect_set(fn.when(_may_confirm(), fn.col("conn"))).alias("getters"),
        )
        .where("originals > 0")
    )


def made_reports(log: Log) -> Frame:
    """Return the reports that the queue manager made, with the known facts of the messages that they may be about.

    Reports whose CorrelId may be that of the original, rather than its MsgId, are left out.
    """
    of_managers = (
        log.moves.where(is_put() | fn.col("role").is_in(TAKE, TOUCH))
        .group_by("qmgr")
        .agg(
            fn.max(_passes() & fn.col("correl_id").is_null()).alias("passes"),
            fn.max(is_put() & fn.col("msg_id").is_null()).alias("nameless"),
            fn.max(~is_put() & fn.col("msg_id").is_null()).alias("nameless_gets"),
            fn.max(~is_put() & fn.col("group_id").is_null()).alias("groupless_gets"),
            fn.max(~is_put() & unknown_or(has("options", MQGMO.COMPLETE_MSG))).alias("whole_gets"),
            fn.max(is_put() & _may_be_split()).alias("splits"),
        )
    )
    about_one = Window.partition_by("qmgr", "of", "feedback")
    made = log.moves.where(made_report(*MADE)).renamed("correl_id", "of")
    passed_on = log.moves.where(_passes()).select("qmgr", fn.col("correl_id").alias("of"))
    named = fn.struct("msg_id", *REF_FIELDS)
    reports = made.with_columns(
        {
            "reports": fn.different("msg_id").over(about_one),
            "one": fn.min(named).over(about_one),
            "another": fn.max(named).over(about_one),
        }
    )
    of_whole = (fn.col("qmgr") == fn.col("w_qmgr")) & (fn.col("original.group_id") == fn.col("w_group_id"))
    return (
        reports.join(passed_on, ["qmgr", "of"], "left_anti")
        .join(_originals(log), ["qmgr", "of"], "left")
        .join(_wholes(log), of_whole, "left")
        .join(_got(log), ["qmgr", "of"], "left")
        .join(fn.broadcast(of_managers), ["qmgr"], "left")
        .join(fn.broadcast(_defined(log)), (fn.col("qmgr") == fn.col("r_qmgr")) & _is_reply_queue(), "left")
    )


def _got(log: Log) -> Frame:
    """Return the MsgIds of all messages that may have been got, and the CorrelIds that their reports may have."""
    gets = log.moves.where(fn.col("role").is_in(TAKE, TOUCH))
    passed = fn.when(~holds(made_report(*MADE)), fn.col("correl_id"))
    shown = gets.select("qmgr", fn.explode(fn.array_compact(fn.array("msg_id", passed))).alias("of"))
    return shown.distinct().with_column("got", fn.lit(True))


def _defined(log: Log) -> Frame:
    """Return the queues with a definition in the log: their names are not those of an alias."""
    names = [(queue.qmgr, queue.queue) for queue in log.facts.queues if queue.sequence is not None]
    return log.moves.engine.frame(names, "r_qmgr string, r_queue string")


def _is_reply_queue() -> Column:
    return fn.trim("original.reply_to_q") == fn.col("r_queue")
