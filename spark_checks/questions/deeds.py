"""The effects of single calls: the calls of a few connections, prepared as for the checks."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from oracle.histories.event_log import COLUMNS, Event
from oracle.mqi.constants import MQGMO, MQPMO
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import packed, unpacked
from spark_checks.preparation.connections import (
    APART,
    BEFORE_THE_LOG,
    CARRIED,
    by_connection,
    with_content,
    without_copies,
)
from spark_checks.preparation.locks import with_locks
from spark_checks.preparation.messages import LONGEST_EXPIRY
from spark_checks.preparation.moves import moves_of
from spark_checks.questions.evidence import Conn, Evidence, Span, ends_something, event_of

_BESIDE = 2
"""The number of calls before and after a stretch that are also read: they bound the times of those within."""

_AFTER_A_LOCK = 20_000
"""The number of calls after a lock that are searched for its release."""


@dataclass(frozen=True)
class End:
    """The call that ended something. Times are microseconds since 1970-01-01 UTC."""

    conn: str
    """The connection that made it."""
    seq: int
    """Its number in the order of the connection's calls."""
    call: str
    """The name of the call."""
    lo: int
    """The earliest time at which it can have taken effect."""
    hi: int
    """The latest time at which it can have taken effect."""
    how: str
    """`visible`, `undone`, `final` or `released` (spark_checks.preparation.moves); for a unit of work its outcome."""


@dataclass(frozen=True)
class Deed:
    """A call and its effect on a queue. Times are microseconds since 1970-01-01 UTC."""

    event: Event
    """The call."""
    lo: int
    """The earliest time at which it can have taken effect."""
    hi: int
    """The latest time at which it can have taken effect."""
    role: str | None = None
    """Its effect, as spark_checks.preparation.moves names it. None if it moved nothing."""
    in_unit: bool | None = None
    """Whether its effect was in a unit of work. None if that is not known, or it moved nothing."""
    end: End | None = None
    """The call that settled it. None if the log does not show that."""
    unit_end: End | None = None
    """The end of the unit of work around the call, whatever it did. None if the log does not show it."""
    open_until: int | None = None
    """The time until which the log surely shows its unit of work open. None if it is not known."""
    locked_until: int | None = None
    """The time until which the log surely shows its lock held. None if it locks nothing, or it is not known."""
    lock_end: End | None = None
    """The call that released its lock. None if it locks nothing, or the log does not show that."""
    behind_put: bool = False
    """Whether it returned a message that was put after it had begun; `lo` is then that of the put."""

    @property
    def key(self) -> tuple[str, str, int]:
        """The key that identifies the call."""
        return self.event.qmgr, self.event.conn, self.event.seq

    @property
    def lives_until(self) -> int | None:
        """The time until which its message surely lives, by the Expiry put or returned.

        None if that does not show it.
        """
        expiry = self.event.expiry
        return self.hi + expiry * 100_000 if expiry is not None and 0 < expiry <= LONGEST_EXPIRY else None

    @property
    def asks(self) -> int:
        """The options of the call, 0 if they were not captured."""
        return self.event.options or 0


def deeds_of(evidence: Evidence, spans: Collection[tuple[Conn, Span]]) -> list[Deed]:
    """Return the effects of the calls in stretches of connections, ordered by their earliest times."""
    if not spans:
        return []
    calls = evidence.within(spans).with_column(CARRIED, fn.lit(None).cast("string"))
    apart = packed(with_content(calls), APART)
    bounded = by_connection(without_copies(apart), evidence.facts.clock_us, complete=True)
    ordered = unpacked(with_locks(bounded)).kept()
    moves = moves_of(ordered, evidence.facts.platform, evidence.facts.asynchronous)
    of_moves = {
        (row["qmgr"], row["conn"], row["seq"]): row
        for row in moves.select(
            "qmgr", "conn", "seq", "role", "in_unit", "effect", "open_until", "held_until"
        ).collect()
    }
    wanted = (*COLUMNS, "lo", "hi", "unit_end", "open_until", "lock_until", "lock_end")
    deeds = [_deed(row, of_moves.get((row["qmgr"], row["conn"], row["seq"]))) for row in ordered.select(*wanted).rows()]
    return sorted(deeds, key=lambda deed: (deed.lo, deed.hi, deed.event.conn, deed.event.seq))


def _deed(row: Any, move: Any) -> Deed:
    event = event_of(row)
    lock_end = row["lock_end"]
    locks = (event.options or 0) & MQGMO.LOCK and move is not None and event.call == "MQGET"
    unit_end = row["unit_end"]
    effect = None if move is None else move["effect"]
    return Deed(
        event,
        row["lo"],
        row["hi"],
        None if move is None else move["role"],
        None if move is None else move["in_unit"],
        None if effect is None else _end(effect["by"], effect["kind"]),
        None if unit_end is None else _end(unit_end, unit_end["outcome"]),
        _time(row["open_until"]),
        _time(row["lock_until"]) if locks else None,
        _end(lock_end, "released") if lock_end is not None and locks else None,
    )


def _time(us: int | None) -> int | None:
    """Return a time; None for one before all times, which stands for an unknown one."""
    return None if us is None or us <= BEFORE_THE_LOG else us


def _end(by: Any, how: str) -> End:
    return End(by["conn"], by["seq"], by["call"], by["lo"], by["hi"], how)


def spans_around(evidence: Evidence, events: Collection[Event]) -> list[tuple[Conn, Span]]:
    """Return the stretches of connections that show how some calls were settled.

    Besides each call itself, that is the end of the unit of work around it and, for a call that locked a message, the
    calls that follow.
    """
    spans: set[tuple[Conn, Span]] = set()
    for event in events:
        locks = event.call == "MQGET" and (event.options or 0) & MQGMO.LOCK
        after = _AFTER_A_LOCK if locks else _BESIDE
        spans.add(((event.qmgr, event.conn), (event.seq - _BESIDE, event.seq + after)))
    in_units = [event for event in events if _may_be_in_unit(event, evidence.facts.platform)]
    for conn, seq in _ends_after(evidence, in_units):
        spans.add((conn, (seq - _BESIDE, seq + _BESIDE)))
    return _merged(spans)


def _merged(spans: Iterable[tuple[Conn, Span]]) -> list[tuple[Conn, Span]]:
    merged: list[tuple[Conn, Span]] = []
    for conn, (first, last) in sorted(spans):
        if merged and merged[-1][0] == conn and merged[-1][1][1] >= first - 1:
            before = merged.pop()[1]
            merged.append((conn, (before[0], max(before[1], last))))
        else:
            merged.append((conn, (first, last)))
    return merged


def _may_be_in_unit(event: Event, platform: str) -> bool:
    """Return whether a call may have put or got in a unit of work."""
    if event.call not in ("MQPUT", "MQPUT1", "MQGET", "CALLBACK"):
        return False
    syncpoint, outside = MQPMO.SYNCPOINT, MQPMO.NO_SYNCPOINT  # the same bits as in MQGMO
    options = event.options
    if options is None or options & (syncpoint | MQGMO.SYNCPOINT_IF_PERSISTENT):
        return True
    return platform == "zos" and not options & outside


def _ends_after(evidence: Evidence, events: Collection[Event]) -> list[tuple[Conn, int]]:
    """Return for each call the first one after it in its connection that ends a unit of work, if there is one."""
    if not events:
        return []
    rows = sorted({(event.qmgr, event.conn, event.seq) for event in events})
    places = evidence.engine.frame(rows, "qmgr string, conn string, after long")
    near = evidence.calls
    if len(conns := {conn for _, conn, _ in rows}) <= _MANY:
        near = near.where(fn.col("conn").is_in(*sorted(conns)) & (fn.col("seq") > min(seq for *_, seq in rows)))
    ends = near.where(ends_something()).select("qmgr", "conn", "seq")
    later = ends.join(fn.broadcast(places), ["qmgr", "conn"]).where(fn.col("seq") > fn.col("after"))
    found = later.group_by("qmgr", "conn", "after").agg(fn.min("seq").alias("seq")).collect()
    return [((row["qmgr"], row["conn"]), row["seq"]) for row in found]


_MANY = 200
"""The number of connections from which on calls are looked up by name."""
