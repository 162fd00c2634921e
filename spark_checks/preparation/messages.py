"""Puts and gets of one message brought together, and the times in which the message was surely available.

A message is known by queue manager, queue and MsgId. Identifiers may repeat: what rests on one put being
*the* put of a message asks for `n_puts` to be 1.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from oracle.constants import MQEI, MQMT, MQPMO
from spark_checks.preparation.columns import NEVER, has, holds
from spark_checks.preparation.connections import REF_FIELDS
from spark_checks.preparation.moves import EMPTY, PUT, PUTS, RETURNS

MESSAGE = ("qmgr", "queue", "msg_id")
LONGEST_EXPIRY = 999_999_999
"""Expiry in tenths of a second above which queue managers differ: such a message is taken as unlimited."""
HIGHEST_PRIORITY = 9

_PUT_FIELDS = (
    *REF_FIELDS, "lo", "hi", "until_lo", "options", "object_name", "correl_id", "priority", "persistence", "expiry",
    "msg_flags", "in_unit",
)  # fmt: skip


def capped_priority(priority: Column) -> Column:
    """Return at which priority a message of some priority stands in the queue; null if that is unknown."""
    return fn.when(priority > HIGHEST_PRIORITY, HIGHEST_PRIORITY).otherwise(priority)


def _latest_put_us(clock_us: int) -> Column:
    """Return the latest time at which a put can have happened; the descriptor's put time may tell more than `hi`.

    A put time that the application set itself is not believed, nor one outside the call.
    """
    own = has("options", MQPMO.SET_ALL_CONTEXT | MQPMO.PASS_ALL_CONTEXT)
    within = (fn.col("put_us") >= fn.col("lo") - 10_000) & (fn.col("put_us") <= fn.col("hi"))
    told = fn.col("put_us") + 10_000 + 2 * clock_us
    return fn.when(~own & within, fn.least(told, "hi")).otherwise(fn.col("hi"))


def _with_puts(moves: DataFrame, clock_us: int) -> DataFrame:
    """Add what the puts of a message tell, and which of its removals were final."""
    message = Window.partitionBy("qmgr", "queue", "key")
    role, expiry = fn.col("role"), fn.col("expiry")
    is_put, returned = role.isin(*PUTS), role.isin(*RETURNS)
    kind, by = fn.col("effect.kind"), fn.col("effect.by")
    final = (kind == "final") & ~holds(fn.col("msg_type") == MQMT.REPORT)
    put = fn.struct(*_PUT_FIELDS, fn.when(kind == "visible", by).alias("visible"))
    limited = (expiry > 0) & (expiry <= LONGEST_EXPIRY)
    lifetime = fn.when(limited, expiry.cast("long")).otherwise(fn.lit(NEVER))
    expires = fn.when(limited, _latest_put_us(clock_us) + expiry.cast("long") * 100_000).otherwise(fn.lit(NEVER))
    earliest_final = fn.struct(
        by["hi"].alias("hi"),
        by["seq"].alias("at_seq"),
        by.alias("by"),
        fn.struct(*REF_FIELDS).alias("take"),
        fn.col("in_unit").alias("in_unit"),
    )
    release = fn.when(returned, fn.when(kind == "released", by["hi"]).otherwise(fn.lit(NEVER)))
    conn = fn.when(returned, fn.col("conn"))
    return moves.select(
        "*",
        fn.count(fn.when(is_put, 1)).over(message).alias("n_puts"),
        fn.max(fn.when(role == PUT, put)).over(message).alias("any_put"),
        fn.min(fn.when(is_put, fn.col("lo"))).over(message).alias("first_put_lo"),
        fn.max(fn.when(is_put, expires)).over(message).alias("expires_us"),
        fn.max(fn.when(is_put, lifetime)).over(message).alias("largest_expiry"),
        fn.min(fn.when(is_put, holds(expiry == MQEI.UNLIMITED))).over(message).alias("put_unlimited"),
        fn.max(fn.when(returned, fn.col("priority"))).over(message).alias("seen_priority"),
        fn.count(fn.when(final, 1)).over(message).alias("n_final"),
        fn.min(fn.when(final, earliest_final)).over(message).alias("first_final"),
        release.alias("release"),
        fn.max(release).over(message).alias("all_releases"),
        (fn.min(conn).over(message) == fn.max(conn).over(message)).alias("alone"),
    )


def matched(moves: DataFrame, clock_us: int) -> DataFrame:
    """Bring the moves of each message together, and find the times in which it was surely available.

    Every row gets what is known of its message: `n_puts`, with 1 also `put` and when that became `visible`;
    `first_put_lo`; `expires_us`, the latest time at which it expires, and `largest_expiry` (both NEVER when
    unlimited or not captured for one of its puts); `put_unlimited`; `n_final`, the removals that were final,
    with the `first_final` of them; and `rank`, its priority.

    A *gap* is a time in which the message was surely available: committed, and neither got nor locked. It
    begins after `gap_from`, when the put, its commit and the backouts of all earlier gets were surely over.
    The row of a call that returned the message is the end of the gap before it; the row of the put stands
    for the last gap, which ends somewhere unknown. `gap_first` marks the gap that begins with the put;
    `alone` says that one connection made all calls that returned the message. Rows without gap have null.
    """
    own_key = fn.concat_ws("/", "conn", fn.col("seq").cast("string"))
    nameless = (fn.col("role") == EMPTY) | fn.col("queue").isNull() | fn.col("msg_id").isNull()
    keyed = moves.withColumn("key", fn.when(nameless, own_key).otherwise(fn.col("msg_id")))
    earlier = (
        Window.partitionBy("qmgr", "queue", "key")
        .orderBy("lo", "hi", "conn", "seq")
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    role = fn.col("role")
    with_puts = _with_puts(keyed, clock_us).withColumn(
        "releases", fn.when(role.isin(*RETURNS), fn.max("release").over(earlier)).otherwise(fn.col("all_releases"))
    )
    put = fn.when((fn.col("n_puts") == 1) & ~nameless, fn.col("any_put"))
    visible_hi = put["visible"]["hi"]
    begins = fn.when(
        role.isin(PUT, *RETURNS) & visible_hi.isNotNull(), fn.greatest(visible_hi, fn.coalesce("releases", visible_hi))
    )
    rank = fn.coalesce("seen_priority", fn.when(put["priority"] >= 0, put["priority"]))
    return with_puts.select(
        *moves.columns,
        "n_puts",
        put.alias("put"),
        *("first_put_lo", "expires_us", "largest_expiry", "put_unlimited", "n_final", "first_final", "alone"),
        capped_priority(rank).alias("rank"),
        fn.when(begins < NEVER, begins).alias("gap_from"),
        fn.col("releases").isNull().alias("gap_first"),
    )
