"""Which calls of a log may still matter to a later day, when the calls of that day are read.

A message is *over* when as often as it became visible it was taken for good, or when its put was backed out; then no
later call can have to do with it, save one that is wrong by itself. So these are carried:

- every call of the last stretch of time, as long as the audit is told to remember, and all calls of their messages;
- on queues of which no call is missing, all calls of messages that are not over, until they have expired;
- gets and empty calls that stand before such a message: whether they were wrong shows when it is seen again;
- puts and gets in units of work of which the end is not known;
- the calls of findings, and all calls of their messages, so that what a later day tells of them is noticed;
- of the connections of all these, and of those that have not ended: the calls that bound the others in time, that
  begin the connection and register consumers, and that end the units of work;
- of open handles the MQOPEN, and the last call of each kind that the next call is judged by; of others the MQCLOSE.

The last two kinds are there for the calls of their connection only: such a call is marked as context and moves nothing,
for the other calls of its message may have been left behind. Each call is carried with the narrowest interval that is
known of its effect, for the calls that tell it may be left behind too.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from oracle.constants import MQGMO
from oracle.event_log import COLUMNS
from oracle.model.option_matrix import BROWSE, SCANS
from spark_checks.checks.emptiness import LOST
from spark_checks.preparation.absence import EXPIRY_TOLERANCE_US
from spark_checks.preparation.columns import NEVER, has, holds
from spark_checks.preparation.connections import CONTEXT, completed, undoes
from spark_checks.preparation.handles import returned
from spark_checks.preparation.keeping import kept
from spark_checks.preparation.log import Log
from spark_checks.preparation.messages import MESSAGE
from spark_checks.preparation.moves import EMPTY, MAYBE_PUT, PUTS, TAKE, TOUCH
from spark_checks.preparation.queues import QUEUE
from spark_checks.preparation.sweep import ROW

_CONNECTION = ("qmgr", "conn")
_KEPT_OF_CONNECTIONS = ("MQCONN", "MQCB", "MQCTL")


def row_of(qmgr: Column, conn: Column, seq: Column) -> Column:
    """Return the value by which moves know a call (see spark_checks.preparation.moves)."""
    return fn.xxhash64(qmgr, conn, seq)


def _own_row() -> Column:
    return row_of(fn.col("qmgr"), fn.col("conn"), fn.col("seq"))


def carried_calls(log: Log, answers: DataFrame, findings: DataFrame, horizon_us: int) -> DataFrame:
    """Return the calls to carry, with the columns of an event log and CONTEXT.

    All calls that end after `horizon_us` are carried. `answers` are those of the sweep with their rows, `findings` have
    the columns of the report.
    """
    calls = log.calls.withColumn(ROW, _own_row())
    late = calls.where((fn.col("end_us") >= horizon_us) & ~fn.col(CONTEXT)).select(ROW)
    in_open_units = log.moves.where(holds(fn.col("in_unit")) & fn.col("effect").isNull()).select(ROW)
    parts = [late, in_open_units, _rows_of_answers(answers, log.moves), _rows_of_findings(findings)]
    seeds = kept(reduce(DataFrame.unionByName, parts).distinct())
    rows = kept(seeds.unionByName(_rows_of_messages(log, seeds, horizon_us)).distinct())
    wanted = rows.withColumn("around", fn.lit(False))
    around = _rows_around(calls, rows).withColumn("around", fn.lit(True))
    carried = wanted.unionByName(around).groupBy(ROW).agg(fn.min("around").alias("around"))
    columns = {name: fn.col(name) for name in COLUMNS} | {
        "start_us": fn.col("lo"),
        "end_us": fn.col("hi"),
        CONTEXT: fn.col(CONTEXT) | fn.col("around"),
    }
    return calls.join(carried, ROW).select(*(column.alias(name) for name, column in columns.items()))


def _rows_of_findings(findings: DataFrame) -> DataFrame:
    calls = findings.select("qmgr", fn.explode("calls").alias("call"))
    return calls.select(row_of(fn.col("qmgr"), fn.col("call.conn"), fn.col("call.seq")).alias(ROW))


def _rows_of_answers(answers: DataFrame, moves: DataFrame) -> DataFrame:
    """Return the calls that a message stands before which has not been seen again, and the puts of those messages."""
    few = answers.where(fn.col("endless") & fn.col("asker.whole")).select(
        *QUEUE,
        "family",
        fn.col(f"asker.{ROW}").alias("asker"),
        fn.col(f"answer.{ROW}").alias("answer"),
        fn.col("answer.lo").alias("answer_lo"),
    )
    open_ones = kept(few)
    sides = open_ones.select(fn.explode(fn.array("asker", "answer")).alias(ROW))
    since = open_ones.where(fn.col("family") == LOST).groupBy(*QUEUE).agg(fn.min("answer_lo").alias("lost_since"))
    empty = moves.where(fn.col("role") == EMPTY).join(fn.broadcast(since), [*QUEUE])
    return sides.unionByName(empty.where(fn.col("lo") >= fn.col("lost_since")).select(ROW))


def _rows_of_messages(log: Log, seeds: DataFrame, horizon_us: int) -> DataFrame:
    """Return all calls of messages that are not over, and of those that the calls in `seeds` are about."""
    named = log.moves.where(fn.col("msg_id").isNotNull())
    role, kind = fn.col("role"), fn.col("effect.kind")
    unresolved = role.isin(MAYBE_PUT, TOUCH) | (role.isin(*PUTS, TAKE) & kind.isNull())
    gone_us = fn.max("expires_us") + EXPIRY_TOLERANCE_US + log.margin
    not_over = (
        named.where("whole")
        .groupBy(*MESSAGE)
        .agg(
            fn.max(unresolved).alias("unresolved"),
            fn.count(fn.when(kind == "visible", 1)).alias("visible"),
            fn.count(fn.when(kind == "final", 1)).alias("final"),
            fn.when(fn.max("expires_us") < NEVER, gone_us).otherwise(fn.lit(NEVER)).alias("gone_us"),
        )
        .where((fn.col("unresolved") | (fn.col("visible") > fn.col("final"))) & (fn.col("gone_us") >= horizon_us))
    )
    of_seeds = named.join(seeds, ROW, "left_semi")
    messages = not_over.select(*MESSAGE).unionByName(of_seeds.select(*MESSAGE)).distinct()
    return named.join(messages, [*MESSAGE], "left_semi").select(ROW)


def _rows_around(calls: DataFrame, rows: DataFrame) -> DataFrame:
    """Return the calls that the connections of others need; see above."""
    known = calls.select(*_CONNECTION, ROW, "seq", "call", "reason", "start_us", "end_us", "unit_end")
    wanted = known.join(rows.withColumn("wanted", fn.lit(True)), ROW, "left")
    first = fn.min(fn.struct("seq", ROW))[ROW]
    last_ones = [_last(fn.lit(True), name) for name in ("seq", "start_us", "end_us")]
    begins = fn.collect_list(fn.when(fn.col("call").isin(*_KEPT_OF_CONNECTIONS), fn.col(ROW)))
    conns = wanted.groupBy(*_CONNECTION).agg(
        fn.max(holds(fn.col("wanted"))).alias("has_wanted"),
        fn.max(fn.col("call") == "MQDISC").alias("ended"),
        fn.array(first, *last_ones, _last(undoes())).alias("bounds"),
        begins.alias("begins"),
    )
    live = conns.where(fn.col("has_wanted") | ~fn.col("ended"))
    of_conns = live.select(fn.explode(fn.array_compact(fn.concat("bounds", "begins"))).alias(ROW))
    end = row_of(fn.col("qmgr"), fn.col("unit_end.conn"), fn.col("unit_end.seq"))
    ends = wanted.where(fn.col("wanted") & fn.col("unit_end").isNotNull()).select(end.alias(ROW))
    open_conns = conns.where(~fn.col("ended")).select(*_CONNECTION)
    return reduce(DataFrame.unionByName, [of_conns, ends, _rows_of_handles(calls, open_conns)])


def _last(where: Column, by: str = "seq") -> Column:
    """Aggregate to the last call, by some column, of which a condition holds."""
    return fn.max(fn.when(where, fn.struct(by, ROW)))[ROW]


def _rows_of_handles(calls: DataFrame, open_conns: DataFrame) -> DataFrame:
    """Return of each open handle its MQOPEN and what the next call is judged by, and of a closed one the MQCLOSE.

    What that is, spark_checks.preparation.handles says.
    """
    browses, returns = holds(has("options", BROWSE)), returned()
    opens, closes = ((fn.col("call") == name) & completed() for name in ("MQOPEN", "MQCLOSE"))
    kinds = [
        opens,
        returns & ~browses,
        returns & browses,
        returns & holds(has("options", SCANS)),
        returns & holds(has("options", MQGMO.BROWSE_FIRST)),
        returns & holds(has("options", MQGMO.LOCK)),
        (fn.col("call") == "MQGET") & completed() & holds(has("options", MQGMO.UNLOCK)),
        (fn.col("call") == "MQPUT") & completed(),
        fn.col("comp_code").isNull() | fn.col("options").isNull() | (fn.col("call") == "CALLBACK"),
    ]
    handles = (
        calls.where(fn.col("hobj").isNotNull())
        .join(open_conns, [*_CONNECTION], "left_semi")
        .groupBy(*_CONNECTION, "hobj")
        .agg(
            fn.max(fn.when(holds(opens), fn.col("seq"))).alias("opened_at"),
            fn.max(fn.when(holds(closes), fn.col("seq"))).alias("closed_at"),
            fn.array(_last(holds(closes))).alias("close"),
            fn.array(*(_last(holds(kind)) for kind in kinds)).alias("context"),
        )
    )
    closed = holds(fn.col("closed_at") > fn.coalesce("opened_at", fn.lit(-1)))
    needed = fn.when(closed, fn.col("close")).otherwise(fn.col("context"))
    return handles.select(fn.explode(fn.array_compact(needed)).alias(ROW))
