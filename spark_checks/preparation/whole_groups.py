"""Groups that were complete on their queue: the times in which each of their messages was surely available.

A get with ALL_MSGS_AVAILABLE looks for such a group (AMA-01). It lasts from when the last of its messages became
available until the first of them was removed or seen for the last time.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from oracle.constants import MQMF
from spark_checks.preparation.columns import holds, if_few_sent, is_null_id
from spark_checks.preparation.keeping import kept
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import IN_PIECES, NEXT_WHOLE, PUTS, RETURNS
from spark_checks.preparation.passes import gap, unseen
from spark_checks.preparation.queues import QUEUE, Use
from spark_checks.preparation.sweep import ROW

GROUP_FROM, AFTERWARDS = "group_from", "afterwards"
SEEN, NEVER_SEEN, OPEN = "seen", "never seen", "open"
"""What the log shows of a complete group afterwards: all its messages, none, though they must be there, or neither."""

_GROUP = (*QUEUE, "group")


def with_whole_groups(moves: DataFrame, log: Log) -> DataFrame:
    """Add to moves of a log GROUP_FROM and AFTERWARDS, on one row of each group that was complete; null on all others.

    That row ends a gap, as all rows that are offers do: that of the message which is seen first, or of the one that was
    put first of those not seen again. Nothing is added if no call asked for whole groups.
    """
    if Use.WHOLE_GROUPS not in log.uses:
        return moves
    groups = kept(_complete_groups(log.moves.where(fn.array_contains("asked", NEXT_WHOLE))))
    return moves.join(if_few_sent(groups, groups.count()), ROW, "left")


def _complete_groups(moves: DataFrame) -> DataFrame:
    """Return ROW, GROUP_FROM and AFTERWARDS of each group of which the log has every message, put just once."""
    group = fn.coalesce("put.group_id", "group_id")
    named = moves.withColumn("group", group).where(~is_null_id("group") & ~fn.col("ungrouped"))
    first_gap, flags = gap() & fn.col("gap_first") & fn.col("put").isNotNull(), fn.col("put.msg_flags")
    seen = fn.col("role").isin(*RETURNS)
    members = named.groupBy(*_GROUP, "msg_id").agg(
        fn.count(fn.when(fn.col("role").isin(*PUTS), 1)).alias("puts"),
        fn.max(fn.when(first_gap, fn.col("gap_from"))).alias("from"),
        fn.max(fn.when(first_gap & seen, fn.struct("lo", ROW))).alias("seen"),
        fn.min(fn.when(first_gap & unseen(), fn.struct("put.lo", ROW))).alias("unseen"),
        fn.max(fn.when(first_gap, fn.col("put.msg_seq_number"))).alias("number"),
        fn.max(holds(flags.bitwiseAND(MQMF.LAST_MSG_IN_GROUP) != 0)).alias("is_last"),
        fn.max(first_gap & ~holds(flags.bitwiseAND(fn.lit(int(IN_PIECES))) == 0)).alias("may_be_cut"),
        fn.max(fn.when(first_gap, fn.col("put_unlimited"))).alias("lasts"),
    )
    of_group = members.groupBy(*_GROUP).agg(
        *(fn.sum("puts").alias("puts"), fn.count("*").alias("members"), fn.count("from").alias("available")),
        *(fn.max(name).alias(name) for name in ("from", "may_be_cut")),
        *(fn.min(name).alias(name) for name in ("seen", "unseen", "lasts")),
        fn.count("unseen").alias("n_unseen"),
        fn.sort_array(fn.collect_set("number")).alias("numbers"),
        fn.collect_list(fn.when(fn.col("is_last"), fn.col("number"))).alias("last_numbers"),
    )
    size = fn.col("members").cast("int")
    once = (fn.col("puts") == size) & (fn.col("available") == size) & ~fn.col("may_be_cut")
    numbered = (fn.col("numbers") == fn.sequence(fn.lit(1), size)) & (fn.col("last_numbers") == fn.array(size))
    afterwards = (
        fn.when(fn.col("n_unseen") == 0, SEEN)
        .when((fn.col("n_unseen") == size) & fn.col("lasts"), NEVER_SEEN)
        .otherwise(OPEN)
    )
    row = fn.coalesce(f"unseen.{ROW}", f"seen.{ROW}")
    return of_group.where(once & numbered).select(
        row.alias(ROW), fn.col("from").alias(GROUP_FROM), afterwards.alias(AFTERWARDS)
    )
