"""The ways in which a call can be known to lie within a gap, as passes of the sweep.

Offers are the rows that end a gap (see spark_checks.messages), queries the rows of calls. In each way the
margin of the clocks is on the side of doubt.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pyspark.sql import Column
from pyspark.sql import functions as fn

from spark_checks.columns import NEVER
from spark_checks.moves import PUT
from spark_checks.sweep import Pass, Spot


def seen_gap() -> Column:
    """Return whether a row ends a gap by showing the message."""
    return fn.col("gap_from").isNotNull() & (fn.col("role") != PUT)


def unseen_gap() -> Column:
    """Return whether a row stands for a gap after which the message is not seen again."""
    return fn.col("gap_from").isNotNull() & (fn.col("role") == PUT)


def begun(family: str, offers: Spot, queries: Spot, margin: int) -> list[Pass]:
    """Return the passes in which a call starts after a gap has begun: by time, or by `seq` after the put.

    The values of the spots are left open.
    """
    conn = fn.col("conn")
    return [
        Pass(
            family,
            "after by time",
            replace(offers, at=fn.col("gap_from") + margin),
            replace(queries, at=fn.col("lo")),
        ),
        Pass(
            family,
            "after by seq",
            replace(
                offers,
                where=offers.where & fn.col("gap_first"),
                at=fn.col("put.visible.seq"),
                same=(*offers.same, fn.col("put.conn")),
            ),
            replace(queries, where=queries.where & fn.col("loose"), at=fn.col("seq"), same=(*queries.same, conn)),
        ),
    ]


def ended(passes: Iterable[Pass], margin: int) -> list[Pass]:
    """Complete passes over seen gaps: a call is over before the gap's end, by time or by `seq`.

    `seq` tells it where one connection made the call and all calls that returned the gap's message.
    """
    conn = fn.col("conn")
    complete = []
    for one in passes:
        by_time = Pass(
            one.family,
            f"{one.way}, before by time",
            replace(one.offers, value=fn.col("lo")),
            replace(one.queries, value=fn.col("hi") + margin),
        )
        by_seq = Pass(
            one.family,
            f"{one.way}, before by seq",
            replace(
                one.offers,
                where=one.offers.where & fn.col("alone"),
                value=fn.col("seq"),
                same=(*one.offers.same, conn),
            ),
            replace(
                one.queries,
                where=one.queries.where & fn.col("loose"),
                value=fn.col("seq"),
                same=(*one.queries.same, conn),
            ),
        )
        complete += [by_time, by_seq]
    return complete


def endless(passes: Iterable[Pass]) -> list[Pass]:
    """Complete passes over unseen gaps, which have no end: the youngest of them is the answer."""
    return [
        replace(
            one,
            offers=replace(one.offers, value=fn.col("gap_from")),
            queries=replace(one.queries, value=fn.lit(-NEVER)),
        )
        for one in passes
    ]


def reversed_(passes: Iterable[Pass]) -> list[Pass]:
    """Turn passes round: for each gap the first call after it, where they had for each call a gap before it."""
    return [
        Pass(
            one.family,
            one.way,
            offers=replace(one.queries, at=-one.queries.at, value=-one.queries.at),
            queries=replace(one.offers, at=-one.offers.at, value=fn.lit(-NEVER)),
        )
        for one in passes
    ]
