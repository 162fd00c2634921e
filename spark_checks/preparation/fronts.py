"""Calls that looked from the front of the queue on, though only what their handle did before tells it.

BROWSE_NEXT goes on from the browse cursor; a handle that has browsed nothing has none (BRW-06). LOGICAL_ORDER goes on
with the current group; there is none if nothing was got since the MQOPEN, or if what was got last ended its group
(LOG-06, LOG-08).
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from oracle.constants import MQCC, MQGMO, MQMF, MQRC
from oracle.model.option_matrix import BROWSE
from oracle.model.put_groups import GROUP_FLAGS, SEGMENT_FLAGS
from spark_checks.capture import GETS
from spark_checks.preparation.columns import has, holds, if_few_sent, looked_up, unknown_or
from spark_checks.preparation.connections import call_row
from spark_checks.preparation.handles import HANDLE, last, opens, perhaps_closes
from spark_checks.preparation.keeping import kept
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import from_front, goes_on
from spark_checks.preparation.queues import Use
from spark_checks.preparation.sweep import ROW

FROM_FRONT = "from_front"
_OF_GET = ("comp_code", "reason", "options", "msg_flags")


def fronts(log: Log) -> DataFrame | None:
    """Return these calls by their `row`, with the rows of the calls that tell it: the MQOPEN and what was got last.

    None if the log has no calls of which that would have to be told.
    """
    if Use.GOES_ON not in log.uses:
        return None
    handles = kept(log.moves.where(goes_on() & fn.col("hobj").isNotNull()).select(*HANDLE).distinct())
    calls = looked_up(log.calls, handles, HANDLE, handles.count(), "left_semi")
    told = _with_last_calls(calls.withColumn(ROW, call_row()))
    start = fn.when(has("options", BROWSE), ~_since_opened("browsed")).otherwise(_between_groups())
    looked = told.where(goes_on() & holds(_surely_opened() & start))
    return kept(looked.select(ROW, fn.col(f"opened.{ROW}").alias("opened"), fn.col(f"got.{ROW}").alias("got")))


def _with_last_calls(calls: DataFrame) -> DataFrame:
    """Add to each call the last ones of its handle before it that opened it, closed it, or left it somewhere."""
    failed = holds((fn.col("comp_code") == MQCC.FAILED) & (fn.col("reason") != MQRC.TRUNCATED_MSG_FAILED))
    gets, browses = fn.col("call").isin(*GETS) & ~failed, unknown_or(has("options", BROWSE))
    return calls.select(
        "*",
        last(opens(), "seq", ROW).alias("opened"),
        last(perhaps_closes(), "seq").alias("closed"),
        last(gets & browses, "seq").alias("browsed"),
        last(gets & ~holds(has("options", BROWSE)), "seq", ROW, *_OF_GET).alias("got"),
    )


def _since_opened(name: str) -> Column:
    return holds(fn.col(f"{name}.seq") > fn.col("opened.seq"))


def _surely_opened() -> Column:
    """Return whether the MQOPEN of the handle is in the log, and no later one may have given the handle anew."""
    again = holds(fn.col("unseen_before") > fn.col("opened.seq"))
    return fn.col("opened").isNotNull() & ~_since_opened("closed") & ~again


def _between_groups() -> Column:
    """Return whether a handle has no current group and no current logical message for MQGETs.

    What was got last tells it if that, too, was in logical order, and was not backed out.
    """
    got, flags = fn.col("got"), fn.col("got.msg_flags")
    whole = (got["comp_code"] == MQCC.OK) | (got["reason"] == MQRC.TRUNCATED_MSG_ACCEPTED)
    last_segment = (flags.bitwiseAND(SEGMENT_FLAGS) == 0) | (flags.bitwiseAND(MQMF.LAST_SEGMENT) != 0)
    last_message = (flags.bitwiseAND(GROUP_FLAGS) == 0) | (flags.bitwiseAND(MQMF.LAST_MSG_IN_GROUP) != 0)
    in_order = got["options"].bitwiseAND(MQGMO.LOGICAL_ORDER) != 0
    undone = holds(fn.col("undone_before") > got["seq"])
    return ~_since_opened("got") | (whole & in_order & last_segment & last_message & ~undone)


def with_fronts(moves: DataFrame, told: DataFrame | None) -> DataFrame:
    """Return moves with FROM_FRONT: whether a call surely looked from the front of its queue on.

    `told` are those of which only `fronts` tells it.
    """
    if told is None:
        return moves.withColumn(FROM_FRONT, from_front())
    rows = told.select(ROW, fn.lit(True).alias("told"))
    joined = moves.join(if_few_sent(rows, told.count()), ROW, "left")
    return joined.withColumn(FROM_FRONT, from_front() | holds(fn.col("told"))).drop("told")
