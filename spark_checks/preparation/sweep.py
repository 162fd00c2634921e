"""The sweep: for each of many queries, the best offer before it, in near-linear time and one pass for all checks.

It answers this question: which calls lie wholly within a time in which some message was surely available? A message is
available in a gap that begins and ends with other calls. It was available throughout a call if the gap's beginning
surely precedes the call and the call surely precedes the gap's end. Times show this or, within one connection, `seq`;
so there is one *pass* for each way in which the two can be known. A pass sorts offers (gaps) and queries (calls)
together by their places, and keeps the largest value (the latest end) of the offers so far: a query is answered if that
value exceeds its own. No pair of offer and query is ever formed. One task sorts the rows of one key. If most records of
a log belong to one queue, the other cores would be idle. So a key with very many places is cut into *stretches*, and
the best offers of each stretch are repeated at the beginning of all later ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spark_checks.frames import Column, Frame, Window
from spark_checks.frames import functions as fn
from spark_checks.frames.columns import names_in
from spark_checks.frames.kinds import Kinds
from spark_checks.preparation.columns import QUEUE, each_of, looked_up, unknown_or
from spark_checks.preparation.keeping import kept
from spark_checks.times import NEVER

ROW = "row"
"""The column that identifies a row of the log's moves."""

_KEY = (*QUEUE, "family", "key")
_MOST_STRETCHES = 256


@dataclass(frozen=True)
class Spot:
    """The place of a row in a pass, as an offer or as a query.

    Columns may be null for rows that are not in the pass. Only the best offer is tested for having begun in time, so an
    answer by another may be missed.
    """

    where: Column
    """The rows that are in the pass."""
    at: Column
    """The place of a row in the order of the pass. An offer answers only queries that stand after it."""
    value: Column
    """For an offer, how far it reaches; for a query, what an offer must exceed to answer it."""
    same: tuple[Column, ...] = ()
    """The columns that an offer and a query must have in common besides the queue."""
    each: Column | None = None
    """An array: an offer and a query must have a value of it in common.

    None asks for nothing; an empty array keeps the row out.
    """
    endless: Column | None = None
    """Whether an offer answers a query whatever its value. None means false."""
    since: Column | None = None
    """An offer answers only queries with a later `since`. None, or a null of either, sets no condition."""


@dataclass(frozen=True)
class Pass:
    """One order in which offers and queries are compared."""

    family: str
    """The question. Passes of one family ask it in different ways."""
    way: str
    """How it is asked, in words."""
    offers: Spot
    """The spots of offers. A row with a null place or value is not in the pass."""
    queries: Spot
    """The spots of queries. A row with a null place or value is not in the pass."""

    def may_answer(self, kinds: Kinds) -> bool:
        """Return whether rows of these kinds may be offers, and rows of them queries."""
        return kinds.may_hold(self.offers.where) and kinds.may_hold(self.queries.where)

    def reads(self) -> set[str]:
        """Return the names of the columns that the pass reads."""
        return names_in((*vars(self.offers).values(), *vars(self.queries).values()))


def _place(number: int, one: Pass, spot: Spot, *, is_offer: bool) -> tuple[Column, Column]:
    """Return whether a row is in a pass, which is known by its number, and where; `each` is still to be expanded."""
    parts = [part for column in spot.same for part in (column.cast("string"), fn.lit("|"))]
    key = fn.concat(fn.lit(f"{number}|"), *parts)
    each = fn.array() if spot.each is None else spot.each
    place = fn.struct(
        fn.lit(one.family).alias("family"),
        key.alias("key"),
        spot.at.cast("long").alias("at"),
        fn.lit(is_offer).alias("is_offer"),
        spot.value.cast("long").alias("value"),
        (fn.lit(False) if spot.endless is None else spot.endless).alias("endless"),
        (fn.lit(None) if spot.since is None else spot.since).cast("long").alias("since"),
        each.cast("array<string>").alias("each"),
    )
    there = spot.where & key.is_not_null() & spot.at.is_not_null() & spot.value.is_not_null()
    return there if spot.each is None else there & (fn.size(spot.each) > 0), place


def spots(rows: Frame, passes: Sequence[Pass]) -> Frame:
    """Return the places of rows in the passes; the rows are those of the log's moves."""
    places = [
        _place(number, one, spot, is_offer=is_offer)
        for number, one in enumerate(passes)
        for spot, is_offer in ((one.offers, True), (one.queries, False))
    ]
    placed = each_of(rows, (*QUEUE, ROW), *places).select(*QUEUE, ROW, "chosen.*")
    told_apart = placed.with_column("each", fn.explode_outer("each"))
    return told_apart.with_column("key", fn.concat("key", fn.coalesce("each", fn.lit("")))).drop("each")


def sweep(placed: Frame, stretches: Sequence[Stretches] = ()) -> Frame:
    """Return the answered queries: `family`, `qmgr`, `queue`, and the rows of the query and of its best offer.

    The rows are named by `asker` and `answer`, and `value` and `endless` are the offer's. A query that was answered
    in several ways appears several times. The answers do not depend on `stretches` (see busy_keys).
    """
    if stretches:
        cut = kept(_cut(placed, stretches))
        placed = cut.union_by_name(_carried(cut))
    order = Window.partition_by(*_KEY, *(["stretch"] if stretches else [])).order_by("at", "is_offer")
    so_far = order.rows_between(Window.unbounded, Window.current_row)
    swept = placed.select(
        "*",
        _best(~fn.col("endless")).over(so_far).alias("ending"),
        _best(fn.col("endless")).over(so_far).alias("lasting"),
    )
    in_time = fn.col("ending.value") > fn.col("value")
    ending = fn.when(in_time & _has_begun(fn.col("ending")), fn.col("ending"))
    lasting = fn.when(_has_begun(fn.col("lasting")), fn.col("lasting"))
    answers = fn.explode(fn.array_compact(fn.array(ending, lasting))).alias("best")
    asked = swept.where(~fn.col("is_offer"))
    return asked.select("family", *QUEUE, fn.col(ROW).alias("asker"), answers).select(
        "family", *QUEUE, "asker", fn.col(f"best.{ROW}").alias("answer"), "best.value", "best.endless"
    )


def _best(kind: Column) -> Column:
    """Return an aggregate: the best of the offers of a kind."""
    return fn.max(fn.when(fn.col("is_offer") & kind, fn.struct("value", ROW, "endless", "since")))


def _has_begun(offer: Column) -> Column:
    """Return whether an offer answers a query as far as its `since` goes."""
    return unknown_or(offer["since"] < fn.col("since"))


@dataclass(frozen=True)
class Stretches:
    """A key with very many places, and the places at which it is cut."""

    qmgr: str
    """The queue manager."""
    queue: str
    """The queue."""
    family: str
    """The family of the pass."""
    key: str
    """The number of the pass, and the values that its rows have in common."""
    cuts: tuple[int, ...]
    """The places at which a new stretch begins, in increasing order."""


def busy_keys(placed: Frame, most: int) -> list[Stretches]:
    """Find the keys with more than `most` places, and cut each so that no stretch has many more than that.

    A sample of the places is enough, with `most` reduced accordingly.
    """
    counted = placed.group_by(*_KEY).agg(fn.count("*").alias("places")).where(fn.col("places") > most).collect()
    if not counted:
        return []
    pieces = min(_MOST_STRETCHES, -(-max(row["places"] for row in counted) // most))
    shares = [number / pieces for number in range(1, pieces)]
    busy = placed.engine.frame([row[:4] for row in counted], dict.fromkeys(_KEY, "string"))
    cuts = placed.join(fn.broadcast(busy), [*_KEY]).group_by(*_KEY).agg(fn.percentiles("at", shares).alias("cuts"))
    return [
        Stretches(row["qmgr"], row["queue"], row["family"], row["key"], tuple(sorted(set(row["cuts"]))))
        for row in cuts.collect()
    ]


def _cut(placed: Frame, stretches: Sequence[Stretches]) -> Frame:
    """Return the places, each with its stretch of the key, and the number of places that the key has."""
    rows = [(each.qmgr, each.queue, each.family, each.key, list(each.cuts)) for each in stretches]
    known = placed.engine.frame(rows, {**dict.fromkeys(_KEY, "string"), "cuts": "array<long>"})
    of_key = placed.join(fn.broadcast(known), [*_KEY], "left")
    before = fn.size(fn.filter(fn.coalesce("cuts", fn.array().cast("array<long>")), lambda cut: cut <= fn.col("at")))
    last = fn.coalesce(fn.size("cuts"), fn.lit(0))
    return of_key.select(*placed.columns, before.alias("stretch"), last.alias("last_stretch"))


def _carried(cut: Frame) -> Frame:
    """Return the best offers of each stretch, once for each later stretch of the key, at its beginning."""
    best = (
        cut.where(fn.col("is_offer") & (fn.col("stretch") < fn.col("last_stretch")))
        .group_by(*_KEY, "stretch", "last_stretch")
        .agg(_best(~fn.col("endless")).alias("ending"), _best(fn.col("endless")).alias("lasting"))
    )
    later = fn.explode(fn.sequence(fn.col("stretch") + 1, fn.col("last_stretch"))).alias("stretch")
    offers = fn.explode(fn.array_compact(fn.array("ending", "lasting"))).alias("offer")
    repeated = best.select(*_KEY, later, "last_stretch", "ending", "lasting").select(
        *_KEY, "stretch", "last_stretch", offers
    )
    return repeated.select(
        *_KEY, "stretch", "last_stretch", "offer.*", fn.lit(-NEVER).alias("at"), fn.lit(True).alias("is_offer")
    )


def best_answers(answers: Frame, preferences: Sequence[Sequence[str]]) -> Frame:
    """Return each answered query once for a list of families, with the best answer.

    An ending offer is better than an endless one; then an earlier family, then the largest value.
    """
    places = [
        fn.when(fn.col("family") == family, fn.struct(fn.lit(group).alias("group"), fn.lit(place).alias("place")))
        for group, families in enumerate(preferences)
        for place, family in enumerate(families)
    ]
    query = Window.partition_by(*QUEUE, "choice.group", "asker")
    order = query.order_by("endless", "choice.place", fn.desc("value"), fn.desc("answer"))
    placed = answers.with_column("choice", fn.coalesce(*places))
    return placed.with_column("nth", fn.row_number().over(order)).where("nth = 1").drop("choice", "nth")


def with_rows(answers: Frame, number: int, rows: Frame) -> Frame:
    """Replace `asker` and `answer` of `count` answers by the whole rows that they name.

    The named rows are gathered first, so that all others stay where they are.
    """
    sides = answers.select(*QUEUE, fn.explode(fn.array("asker", "answer")).alias(ROW))
    named = kept(looked_up(rows, sides, (*QUEUE, ROW), number, "left_semi"))
    whole = answers
    for side in ("asker", "answer"):
        of_side = named.select(*QUEUE, fn.col(ROW).alias(side), fn.struct(*rows.columns).alias("whole"))
        with_side = looked_up(whole, of_side, (*QUEUE, side), number)
        whole = with_side.drop(side).renamed("whole", side)
    return whole
