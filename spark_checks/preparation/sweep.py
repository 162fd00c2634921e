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

from spark_checks.preparation.queues import QUEUE

ROW = "row"
"""The column by which a row of the log's moves is known."""


@dataclass(frozen=True)
class Spot:
    """Where a row stands in a pass.

    `where` says which rows stand in it, `at` their place in its order, `same` what offers and queries must
    have in common beside the queue, and `each` an array of which they must have a value in common. An offer has a
    `value`, and answers queries of a lower one; an `endless` offer answers every query.
    """

    where: Column
    at: Column
    value: Column
    same: tuple[Column, ...] = ()
    each: Column | None = None
    endless: Column | None = None


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
    """Return the places of a row in a pass, as an array."""
    parts = [part for column in spot.same for part in (column.cast("string"), fn.lit("|"))]
    key = fn.concat(fn.lit(f"{one.way}|"), *parts)

    def place(of: Column) -> Column:
        return fn.struct(
            fn.lit(one.family).alias("family"),
            of.alias("key"),
            spot.at.cast("long").alias("at"),
            fn.lit(is_offer).alias("is_offer"),
            spot.value.cast("long").alias("value"),
            (fn.lit(False) if spot.endless is None else spot.endless).alias("endless"),
        )

    there = spot.where & key.isNotNull() & spot.at.isNotNull() & spot.value.isNotNull()
    if spot.each is None:
        return fn.when(there, fn.array(place(key)))
    return fn.when(there, fn.transform(spot.each, lambda each: place(fn.concat(key, each.cast("string")))))


def spots(rows: DataFrame, passes: Sequence[Pass]) -> DataFrame:
    """Return the places of rows in the passes; the rows are those of the log's moves."""
    places = [
        _row(one, spot, is_offer=is_offer)
        for one in passes
        for spot, is_offer in ((one.offers, True), (one.queries, False))
    ]
    placed = rows.select(*QUEUE, ROW, fn.explode(fn.flatten(fn.array_compact(fn.array(*places)))).alias("spot"))
    return placed.select(*QUEUE, ROW, "spot.*")


def sweep(placed: DataFrame) -> DataFrame:
    """Return the answered queries: `family`, `qmgr`, `queue`, and the rows of the query and of its best offer.

    The rows are named by `asker` and `answer`, and `value` and `endless` are the offer's. A query that was answered
    in several ways appears several times.
    """
    order = Window.partitionBy(*QUEUE, "family", "key").orderBy("at", "is_offer")
    so_far = order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    offer = fn.struct("value", ROW, "endless")

    def best(kind: Column) -> Column:
        return fn.max(fn.when(fn.col("is_offer") & kind, offer)).over(so_far)

    swept = placed.select("*", best(~fn.col("endless")).alias("ending"), best(fn.col("endless")).alias("lasting"))
    ending = fn.when(fn.col("ending.value") > fn.col("value"), fn.col("ending"))
    answers = fn.explode(fn.array_compact(fn.array(ending, fn.col("lasting")))).alias("best")
    asked = swept.where(~fn.col("is_offer"))
    return asked.select("family", *QUEUE, fn.col(ROW).alias("asker"), answers).select(
        "family", *QUEUE, "asker", fn.col(f"best.{ROW}").alias("answer"), "best.value", "best.endless"
    )


def best_answers(answers: DataFrame, preferences: Sequence[Sequence[str]]) -> DataFrame:
    """Return each answered query once for a list of families, with the best answer.

    That is an ending offer rather than an endless one, then one of an earlier family, then the largest value.
    """
    places = [
        fn.when(fn.col("family") == family, fn.struct(fn.lit(group).alias("group"), fn.lit(place).alias("place")))
        for group, families in enumerate(preferences)
        for place, family in enumerate(families)
    ]
    query = Window.partitionBy(*QUEUE, "choice.group", "asker")
    order = query.orderBy("endless", "choice.place", fn.desc("value"), fn.desc("answer"))
    placed = answers.withColumn("choice", fn.coalesce(*places))
    return placed.withColumn("nth", fn.row_number().over(order)).where("nth = 1").drop("choice", "nth")


def with_rows(answers: DataFrame, rows: DataFrame) -> DataFrame:
    """Put whole rows in the place of the names of `asker` and `answer`."""
    whole = answers
    for side in ("asker", "answer"):
        named = rows.select(*QUEUE, fn.col(ROW).alias(side), fn.struct(*rows.columns).alias("whole"))
        whole = whole.join(named, [*QUEUE, side]).drop(side).withColumnRenamed("whole", side)
    return whole
