"""Find for each of many queries the best of the offers before it, in near-linear time and one pass for all checks.

The question behind it: which calls lie wholly within a time in which some message was surely available? A
message is available in a gap that begins and ends with calls of others; it was available throughout a call if
the gap's beginning surely precedes the call and the call surely precedes the gap's end. "Surely precedes" is
told by the times or, within one connection, by `seq`; so there is one *pass* for each way in which the two can
be known. A pass sorts offers (gaps) and queries (calls) together by where they stand, and keeps the largest
value (the latest end) of the offers so far: a query is answered if that value exceeds its own. No pair of
offer and query is ever formed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from spark_checks.queues import QUEUE

LEVELS = 10
_ROW = ("conn", "seq", "msg_id")


@dataclass(frozen=True)
class Spot:
    """Where a row stands in a pass.

    `where` says which rows stand in it, `at` their place in its order, `same` what offers and queries must
    have in common beside the queue. An offer has a `value`, and counts for queries whose `level` is not
    above its own; a query is answered by an offer of a greater value.
    """

    where: Column
    at: Column
    value: Column
    same: tuple[Column, ...] = ()
    level: Column | int = 0


@dataclass(frozen=True)
class Pass:
    """One order in which offers and queries are compared; rows with a null place or value stay out of it.

    The passes of a family ask the same question in different ways.
    """

    family: str
    way: str
    offers: Spot
    queries: Spot


def _row(one: Pass, spot: Spot, *, is_offer: bool) -> Column:
    level = fn.lit(spot.level) if isinstance(spot.level, int) else spot.level
    key = fn.concat(fn.lit(""), *(part for column in spot.same for part in (column.cast("string"), fn.lit("|"))))
    row = fn.struct(
        fn.lit(one.family).alias("family"),
        fn.lit(one.way).alias("way"),
        key.alias("key"),
        spot.at.cast("long").alias("at"),
        fn.lit(is_offer).alias("is_offer"),
        level.cast("int").alias("level"),
        spot.value.cast("long").alias("value"),
    )
    return fn.when(spot.where & key.isNotNull() & spot.at.isNotNull() & spot.value.isNotNull(), row)


def spots(rows: DataFrame, passes: Sequence[Pass]) -> DataFrame:
    """Return the places of rows in the passes; the rows have `qmgr`, `queue`, `conn`, `seq` and `msg_id`."""
    places = [
        _row(one, spot, is_offer=is_offer)
        for one in passes
        for spot, is_offer in ((one.offers, True), (one.queries, False))
    ]
    placed = rows.select(*QUEUE, *_ROW, fn.explode(fn.array_compact(fn.array(*places))).alias("spot"))
    return placed.select(*QUEUE, fn.struct(*_ROW).alias("row"), "spot.*")


def sweep(placed: DataFrame) -> DataFrame:
    """Return the answered queries: `family`, `qmgr`, `queue`, the query's row as `asker`, the best offer's as `answer`.

    Both have `conn`, `seq` and `msg_id`; the answer also its `value`. A query that was answered in several
    ways appears several times.
    """
    order = Window.partitionBy(*QUEUE, "family", "way", "key").orderBy("at", "is_offer")
    so_far = order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    offer = fn.struct("value", *(fn.col("row")[name].alias(name) for name in _ROW))
    best = [
        fn.max(fn.when(fn.col("is_offer") & (fn.col("level") >= level), offer)).over(so_far) for level in range(LEVELS)
    ]
    asked = placed.withColumn("best", fn.array(*best)).where(~fn.col("is_offer"))
    answered = asked.withColumn("answer", fn.get("best", fn.col("level"))).where(
        fn.col("answer.value") > fn.col("value")
    )
    return answered.select("family", *QUEUE, fn.col("row").alias("asker"), "answer")


def best_answers(answers: DataFrame, preferences: Sequence[Sequence[str]]) -> DataFrame:
    """Return each answered query once for a list of families: by the first of them that has an answer, the best."""
    places = [
        fn.when(fn.col("family") == family, fn.struct(fn.lit(group).alias("group"), fn.lit(place).alias("place")))
        for group, families in enumerate(preferences)
        for place, family in enumerate(families)
    ]
    query = Window.partitionBy(*QUEUE, "choice.group", "asker.conn", "asker.seq", "asker.msg_id")
    order = query.orderBy("choice.place", fn.desc("answer.value"), fn.desc("answer.msg_id"))
    placed = answers.withColumn("choice", fn.coalesce(*places))
    return placed.withColumn("nth", fn.row_number().over(order)).where("nth = 1").drop("choice", "nth")


def with_rows(answers: DataFrame, rows: DataFrame) -> DataFrame:
    """Put whole rows in the place of the `asker` and the `answer`."""
    whole = answers
    for side in ("asker", "answer"):
        named = rows.select(
            *QUEUE,
            fn.col("conn").alias("conn_"),
            fn.col("seq").alias("seq_"),
            fn.struct(*rows.columns).alias("row_"),
        )
        keyed = whole.withColumns({"conn_": fn.col(side)["conn"], "seq_": fn.col(side)["seq"]}).drop(side)
        joined = keyed.join(named, [*QUEUE, "conn_", "seq_"])
        whole = joined.withColumnRenamed("row_", side).drop("conn_", "seq_")
    return whole
