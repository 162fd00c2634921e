"""What a queue manager makes: expiration reports (RPT-02, RPT-03, ZOS-04), COA reports (RPM-01), MsgIds (IDS-03).

A report that no call put was made by the queue manager, and its CorrelId is the MsgId of its original; unless that was
put with MQRO_PASS_CORREL_ID, which a log may show only of puts that it holds.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from oracle.constants import MQEI, MQFB, MQMF, MQMT, MQPMO, MQRO
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.findings import Doubt, Statement, ref, this_call
from spark_checks.preparation.absence import EXPIRY_TOLERANCE_US
from spark_checks.preparation.columns import NEVER, has, holds, is_null_id, text, unknown_or
from spark_checks.preparation.connections import REF_FIELDS
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import PUT, PUTS, RETURNS
from spark_checks.preparation.queues import Use

_EXPIRATION = MQRO.EXPIRATION_WITH_FULL_DATA


def _made_report(*feedback: int) -> Column:
    """Return whether a row shows a report that the queue manager made, as far as a complete log tells."""
    report = (fn.col("msg_type") == MQMT.REPORT) & fn.col("feedback").isin(*feedback)
    put = (fn.col("n_puts") > 0) | ~fn.col("whole")
    return fn.col("role").isin(*RETURNS) & report & ~put & ~is_null_id("correl_id")


def _originals(log: Log) -> DataFrame:
    """Return by queue manager and MsgId what the puts of messages with it have in common."""
    expiry = fn.col("expiry").cast("long")
    expires = fn.when(expiry > 0, fn.col("lo") + expiry * 100_000).when(expiry == MQEI.UNLIMITED, fn.lit(NEVER))
    return (
        log.moves.where(fn.col("role").isin(*PUTS) & fn.col("msg_id").isNotNull())
        .groupBy("qmgr", fn.col("msg_id").alias("of"))
        .agg(
            fn.max(fn.coalesce(has("report", _EXPIRATION), fn.lit(True))).alias("requested"),
            fn.min(fn.coalesce(expires, fn.lit(-NEVER))).alias("expires"),
            fn.min(holds(has("options", MQPMO.NEW_MSG_ID))).alias("generated"),
            fn.min(fn.struct("lo", *REF_FIELDS)).alias("original"),
            fn.count("*").alias("originals"),
        )
    )


def _reports(log: Log) -> DataFrame:
    """Return the reports that the queue manager made, with what is known of the messages that they may be about."""
    puts = log.moves.where(fn.col("role").isin(*PUTS)).groupBy("qmgr")
    told = puts.agg(
        fn.max(unknown_or(has("report", MQRO.PASS_CORREL_ID))).alias("passes"),
        fn.max(fn.col("msg_id").isNull()).alias("nameless"),
        fn.max(unknown_or(has("msg_flags", MQMF.SEGMENTATION_ALLOWED))).alias("splits"),
    )
    about_one = Window.partitionBy("qmgr", "of", "feedback")
    made = log.moves.where(_made_report(MQFB.EXPIRATION, MQFB.COA)).withColumnRenamed("correl_id", "of")
    reports = made.withColumn("reports", fn.size(fn.collect_set("msg_id").over(about_one)))
    return reports.join(_originals(log), ["qmgr", "of"], "left").join(fn.broadcast(told), ["qmgr"], "left")


def _passed() -> Doubt:
    return Doubt(fn.col("passes"), "its CorrelId is that of another message, put with MQRO_PASS_CORREL_ID")


def _of_reports(log: Log) -> Sequence[Statement]:
    expired, original = fn.col("feedback") == MQFB.EXPIRATION, fn.col("original")
    never = fn.col("expires") == NEVER
    early = fn.col("expires") > fn.col("hi") + EXPIRY_TOLERANCE_US + log.margin
    when = fn.when(never, "whose original has unlimited expiry").otherwise("before its original can have expired")
    older = Doubt(~fn.col("generated"), "it is about another message with the same MsgId, from before the log began")
    report = (fn.col("call"), " by connection ", fn.col("conn"), " returned ")
    return [
        Statement(
            rule="RPT-02",
            where=expired & ~fn.col("requested") & ~early,
            call=this_call(),
            msg_id=fn.col("msg_id"),
            calls=[ref(original), this_call()],
            sentence=text(*report, "an expiration report on a message that was put without MQRO_EXPIRATION"),
            doubts=[older, _passed()],
        ),
        Statement(
            rule="RPT-03",
            where=expired & early,
            call=this_call(),
            msg_id=fn.col("msg_id"),
            calls=[ref(original), this_call()],
            sentence=text(*report, "an expiration report ", when),
            doubts=[older, _passed()],
        ),
        Statement(
            rule="ZOS-04",
            where=fn.lit(log.facts.platform == "zos") & expired & (fn.col("reports") > fn.col("originals")),
            call=this_call(),
            msg_id=fn.col("msg_id"),
            calls=[ref(original), this_call()],
            sentence=text(*report, "one of ", fn.col("reports"), " expiration reports on one message"),
            doubts=[older, _passed()],
            once=fn.concat(fn.lit("reports on "), fn.col("of")),
        ),
        Statement(
            rule="RPM-01",
            where=~expired & original.isNull() & fn.col("pinned"),
            call=this_call(),
            msg_id=fn.col("msg_id"),
            calls=[this_call()],
            sentence=text(*report, "a confirmation of arrival whose CorrelId is the MsgId of no message that was put"),
            doubts=[
                _passed(),
                Doubt(fn.col("nameless"), "it is about a message whose MsgId the log lacks"),
                Doubt(fn.col("splits"), "it is about a segment that the queue manager made"),
            ],
        ),
    ]


def _generated(log: Log) -> DataFrame:
    """Return the puts that had their MsgId generated, each with the one before it with the same, if any."""
    generated = holds((fn.col("role") == PUT) & has("options", MQPMO.NEW_MSG_ID)) & fn.col("msg_id").isNotNull()
    before = fn.lag(fn.struct(*REF_FIELDS)).over(Window.partitionBy("qmgr", "msg_id").orderBy("lo", "conn", "seq"))
    return log.moves.where(generated).withColumn("before", before)


def _repeated() -> Statement:
    """Find generated message identifiers that were generated before (IDS-03): a violation by itself."""
    return Statement(
        rule="IDS-03",
        where=fn.col("before").isNotNull(),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[fn.col("before"), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " was given a MsgId that had been generated before, for"
            " another message",
        ),
    )  # fmt: skip


def _concerns(log: Log) -> Sequence[Concern]:
    kind = (fn.col("msg_type") == MQMT.REPORT) & fn.col("role").isin(*RETURNS)
    expired, arrived = fn.col("feedback") == MQFB.EXPIRATION, fn.col("feedback") == MQFB.COA
    needs = absent("queue", "msg_id", "correl_id") | {"complete": ~fn.col("whole")}
    generated = (fn.col("role") == PUT) & has("options", MQPMO.NEW_MSG_ID)
    return [
        Concern("RPT-02", kind & expired, needs),
        Concern("RPT-03", kind & expired, needs),
        Concern("ZOS-04", kind & expired & fn.lit(log.facts.platform == "zos"), needs),
        Concern("RPM-01", kind & arrived, needs | {"depth": ~fn.col("pinned")}),
        Concern("IDS-03", generated, absent("msg_id")),
    ]


def _of_frames(log: Log) -> Sequence[tuple[DataFrame, Sequence[Statement]]]:
    frames: list[tuple[DataFrame, Sequence[Statement]]] = []
    if Use.REPORTS in log.uses:
        frames.append((_reports(log), _of_reports(log)))
    if Use.GENERATED in log.uses:
        frames.append((_generated(log), [_repeated()]))
    return frames


REPORTS = Check("reports", _concerns, of_frames=_of_frames)
