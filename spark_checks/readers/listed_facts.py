"""Facts that listings of queues' contents add to a log.

They supply what a capture left out: the place of a message in its group, by queue and MsgId. The user may give the time
of a listing. The messages of a listing from just before the log become puts that ended before the log began, each with
the rest of its Expiry, on a queue that was empty before. A listing from just after the log gives the depth at the end.
This holds only if nothing was uncommitted on the queue.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_

from oracle.errors import BadInputError, Place
from oracle.histories.event_log import COLUMNS, DepthHeader
from oracle.mqi.constants import MQCC, MQEI, MQPMO
from spark_checks.frames import Frame, Row
from spark_checks.frames import functions as fn
from spark_checks.frames.schema import KIND, LISTED, LISTING, NOTE, WHOLE, type_of
from spark_checks.preparation.columns import LISTED_BY

_PUT = ("MQPUT", "MQPUT1")
_OF_GETS = ("msg_flags", "original_length")
_ALONE = ", all are on {}; a listing without a name is of that one"
_TENTH_US = 100_000
_OF_ALL = ("group_id", "msg_seq_number", "offset")


@dataclass(frozen=True)
class Span:
    """The time of a log. Times are microseconds since 1970-01-01 UTC."""

    first_us: int
    """The earliest time at which its first call may have begun."""
    begun_us: int
    """The time at which its first call had surely begun: the earliest end of a call."""
    last_us: int
    """The time at which its last call ended."""
    clock_us: int
    """The possible error of a time of it, in microseconds."""
    qmgrs: tuple[str, ...]
    """Its queue managers, sorted."""


def span(calls: Frame, clock_us: int) -> Span:
    """Return the span of a log that has calls."""
    row = calls.agg(
        fn.min("start_us").alias("first"), fn.min("end_us").alias("begun"), fn.max("end_us").alias("last"),
        fn.collect_set("qmgr").alias("qmgrs"),
    ).collect()[0]  # fmt: skip  # the bounds, then the names
    return Span(row["first"], row["begun"], row["last"], clock_us, tuple(sorted(row["qmgrs"])))


def with_group_fields(calls: Frame, rows: Frame) -> Frame:
    """Fill the calls' missing fields of groups and segments from listed messages with their queue and MsgId.

    An identifier with different values in the listings is ignored. The flags of a put are the caller's, so they are not
    filled.
    """
    fields = (*_OF_ALL, *_OF_GETS)
    listed = (
        rows.where(fn.col(KIND) == LISTED)
        .group_by("queue", "msg_id")
        .agg(
            fn.collect_set("qmgr").alias("known_qmgrs"),
            *(fn.collect_set(name).alias(f"known_{name}") for name in fields),
        )
        .where(reduce(and_, [fn.size(f"known_{name}") <= 1 for name in ("qmgrs", *fields)]))
    )
    returned = ~fn.col("call").is_in(*_PUT)
    same = (fn.size("known_qmgrs") == 0) | fn.array_contains("known_qmgrs", fn.col("qmgr"))
    filled = {
        name: fn.coalesce(
            name, fn.when(same & (returned if name in _OF_GETS else fn.lit(True)), fn.get(f"known_{name}", fn.lit(0)))
        )
        for name in fields
    }
    return calls.join(fn.broadcast(listed), ["queue", "msg_id"], "left").with_columns(filled).select(*COLUMNS)


def _listings(rows: Frame, sources: Sequence[str]) -> list[Row]:
    found = rows.where((fn.col(KIND) == LISTING) & (fn.col(NOTE) == WHOLE)).select("qmgr", "queue", "seq", "source")
    return [row for row in found.collect() if row["source"] in sources]


def unused(rows: Frame, given: Sequence[str], log: Span) -> list[BadInputError]:
    """Return an error for each of the given listings whose queue manager has no calls in the log, or is not known."""
    of_files = (
        rows.where((fn.col(KIND) == LISTING) & fn.col("source").is_in(*given)).select("source", "qmgr").distinct()
    )
    errors = []
    for row in sorted(of_files.collect(), key=lambda row: (row["source"], row["qmgr"] or "")):
        if row["qmgr"] is None and len(log.qmgrs) > 1:
            why = f"this listing does not name its queue manager, and the log has calls of {len(log.qmgrs):,}"
        elif row["qmgr"] is not None and row["qmgr"] not in log.qmgrs:
            alone = _ALONE.format(log.qmgrs[0]) if len(log.qmgrs) == 1 else ""
            why = f"this listing is not used: the log has no calls on queue manager {row['qmgr']}{alone}"
        else:
            continue
        errors.append(BadInputError(why, Place(row["source"])))
    return errors


def depths(rows: Frame, before: Sequence[str], after: Sequence[str], log: Span) -> list[DepthHeader]:
    """Return the depths from whole listings: 0 at the beginning, and the number of messages at the end.

    The messages that were there before the log are puts (`earlier_puts`), so the queue was empty before those.
    """
    margin = 2 * log.clock_us + 1
    listings = [(row, log.first_us - 2 * margin, 0) for row in _listings(rows, before)]
    listings += [(row, log.last_us + margin, row["seq"]) for row in _listings(rows, after)]
    only = log.qmgrs[0] if len(log.qmgrs) == 1 else None
    return [
        DepthHeader(qmgr=row["qmgr"] or only, queue=row["queue"], at_us=at_us, depth=depth)
        for row, at_us, depth in listings
        if row["qmgr"] or only
    ]


def earlier_puts(rows: Frame, before: Sequence[str], log: Span) -> Frame:
    """Return the messages of listings from before the log as puts that ended before it began.

    They come in the order of the listing, which is that of the queue. Their put time is that of the original put, which
    they stand for. If the listing does not show it, they count as puts that set their context themselves. A listed
    Expiry is the rest at the time of the listing. That is not known if the first call may have begun at any of several
    times, as a wait whose request is not in the log: then how long the messages live is not known.
    """
    sure_rest = log.begun_us - log.first_us <= _TENTH_US
    only = log.qmgrs[0] if len(log.qmgrs) == 1 else None
    at = fn.lit(log.first_us - 2 * log.clock_us - 1)
    given = {
        "qmgr": fn.coalesce("qmgr", fn.lit(only)),
        "conn": fn.concat(fn.lit(LISTED_BY), "source"),
        "start_us": at,
        "end_us": at,
        "call": fn.lit("MQPUT"),
        "comp_code": fn.lit(MQCC.OK),
        "reason": fn.lit(0),
        "options": fn.when(fn.col("put_us").is_null(), int(MQPMO.NO_SYNCPOINT | MQPMO.SET_ALL_CONTEXT)).otherwise(
            int(MQPMO.NO_SYNCPOINT)
        ),
        "object_name": fn.col("queue"),
        "expiry": fn.when(fn.lit(sure_rest) | (fn.col("expiry") == MQEI.UNLIMITED), fn.col("expiry")),
    }
    listed = rows.where((fn.col(KIND) == LISTED) & fn.col("source").is_in(list(before)))
    columns = [given.get(name, fn.col(name)).cast(type_of(name)).alias(name) for name in COLUMNS]
    return listed.select(*columns).where(fn.col("qmgr").is_not_null())
