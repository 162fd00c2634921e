"""The course of queues over time, in slices of the log's time: depth, age and remaining expiry."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from oracle.histories.event_log import DepthHeader, Header
from spark_checks.frames import Column, Frame, Row
from spark_checks.frames import functions as fn
from spark_checks.preparation.moves import PUT, RETURNS, TAKE
from spark_checks.reports.results import SLICES, Courses, QueueCourse, Slice

QUEUES = 6
"""The number of queues shown: those with the most findings, then those with the most calls."""

QueueKey = tuple[str | None, str | None]


def courses(moves: Frame, headers: Iterable[Header], found: Mapping[QueueKey, int]) -> Courses:
    """Gather the courses of a few queues. `found` counts findings by queue, `moves` are the log's."""
    span = moves.group_by("qmgr", "queue").agg(
        fn.count(fn.lit(1)).alias("calls"), fn.min("start_us").alias("first"), fn.max("end_us").alias("last")
    )
    rows = span.collect()
    if not rows:
        return Courses(0, 1, ())
    calls = Counter[QueueKey]({(row["qmgr"], row["queue"]): int(row["calls"]) for row in rows})
    named = [key for key in calls if key[1] is not None]
    shown = sorted(named, key=lambda key: (-found.get(key, 0), -calls[key], str(key)))[:QUEUES]
    first, last = min(row["first"] for row in rows), max(row["last"] for row in rows)
    width = max(1, -(-(last - first + 1) // SLICES))
    slices: defaultdict[QueueKey, list[Slice]] = defaultdict(list)
    if shown:
        for row in _slices(moves, shown, first, width).order_by("slice").collect():
            slices[row["qmgr"], row["queue"]].append(_slice(row))
    known = {(header.qmgr, header.queue): header for header in headers if isinstance(header, DepthHeader)}
    return Courses(
        first,
        width,
        tuple(
            QueueCourse(
                str(qmgr),
                str(queue),
                calls[qmgr, queue],
                tuple(slices[qmgr, queue]),
                (at.at_us, at.depth) if (at := known.get((str(qmgr), str(queue)))) else None,
            )
            for qmgr, queue in shown
        ),
        tuple(calls),
    )


def _slices(moves: Frame, queues: Iterable[QueueKey], first: int, width: int) -> Frame:
    wanted = moves.engine.frame(list(queues), "qmgr string, queue string")
    role, kind, by = fn.col("role"), fn.col("effect.kind"), fn.col("effect.by")
    done = kind.is_in("visible", "final")
    at = fn.when(done, by["lo"]).otherwise(fn.col("lo"))
    returned = role.is_in(*RETURNS)
    age = fn.when(returned, fn.greatest(fn.col("start_us") - fn.col("put")["start_us"], fn.lit(0)))
    left = fn.when(returned & (fn.col("expiry") > 0), fn.col("expiry"))
    number = fn.least(fn.greatest(fn.floor((at - first) / width), fn.lit(0)), fn.lit(SLICES - 1)).cast("int")
    return (
        moves.join(fn.broadcast(wanted), ["qmgr", "queue"])
        .group_by("qmgr", "queue", number.alias("slice"))
        .agg(
            fn.sum(_change(done)).cast("long").alias("change"),
            fn.min(age).alias("youngest"),
            fn.max(age).alias("oldest"),
            fn.min(left).alias("least"),
            fn.max(left).alias("most"),
        )
    )


def _change(done: Column) -> Column:
    """Return the change of the depth of committed messages by a move; one not known to be in a unit counts too."""
    counts = done | fn.col("in_unit").is_null()
    return fn.when(counts & (fn.col("role") == PUT), 1).when(counts & (fn.col("role") == TAKE), -1).otherwise(0)


def _slice(row: Row) -> Slice:
    return Slice(row["slice"], row["change"], row["youngest"], row["oldest"], row["least"], row["most"])
