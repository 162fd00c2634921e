"""The effects of single calls: the calls of a few connections, prepared as for the checks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from oracle.histories.event_log import COLUMNS, Event
from oracle.mqi.constants import MQGMO, MQPMO
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import packed, unpacked
from spark_checks.preparation.connections import (
    APART,
    BACKED_OUT,
    BEFORE_THE_LOG,
    CARRIED,
    COMMITTED,
    by_connection,
    with_content,
    without_copies,
)
from spark_checks.preparation.locks import with_locks
from spark_checks.preparation.messages import LONGEST_EXPIRY
from spark_checks.preparation.moves import TAKE, moves_of
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
    skipped: End | None = None
    """The MQBACK that its message skipped, by MQGMO_MARK_SKIP_BACKOUT. None if there was none.

    The message went into the unit of work that began then (MSB-04), and `end` and `unit_end` are of that.
    """
    may_skip: bool = False
    """Whether its message skipped the backout if the queue manager is one of z/OS, of which the log says nothing."""
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
    rows = list(ordered.select(*wanted).rows())
    backouts = {(row["qmgr"], row["conn"], row["seq"]): row for row in rows if row["call"] == "MQBACK"}
    zos = evidence.facts.platform == "zos"
    deeds = [
        _with_skip(_deed(row, of_moves.get((row["qmgr"], row["conn"], row["seq"]))), row, backouts, zos=zos)
        for row in rows
    ]
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


def _with_skip(deed: Deed, row: Any, backouts: Mapping[tuple[str, str, int], Any], *, zos: bool) -> Deed:
    """Return a deed with the MQBACK that its message skipped, which has an effect on z/OS alone (MSB-01)."""
    marked = deed.role == TAKE and deed.in_unit and deed.asks & MQGMO.MARK_SKIP_BACKOUT
    backout = None if deed.unit_end is None else backouts.get((*deed.key[:2], deed.unit_end.seq))
    if not marked or backout is None or row["unit_end"]["outcome"] != BACKED_OUT:
        return deed
    if not zos:
        return replace(deed, end=_end(row["unit_end"], "released"), may_skip=True)
    end = backout["unit_end"]
    kind = None if end is None else _OF_TAKE.get(end["outcome"])
    return replace(
        deed,
        end=None if kind is None else _end(end, kind),
        unit_end=None if end is None else _end(end, end["outcome"]),
        open_until=_time(backout["open_until"]),
        skipped=_end(row["unit_end"], "skipped"),
    )


_OF_TAKE: Final = {COMMITTED: "final", BACKED_OUT: "released"}
"""What the end of a unit of work does to the messages got in it, by its outcome."""


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
    for conn, seq in _ends_after(evidence, [(*conn_of(event), event.seq) for event in in_units]):
        spans.add((conn, (seq - _BESIDE, seq + _BESIDE)))
    skips = [event for event in in_units if (event.options or 0) & MQGMO.MARK_SKIP_BACKOUT]
    skipped = _ends_after(evidence, [(*conn_of(event), event.seq) for event in skips])
    for conn, seq in _ends_after(evidence, [(*conn, seq) for conn, seq in skipped]):
        spans.add((conn, (seq - _BESIDE, seq + _BESIDE)))
    return _merged(spans)


def conn_of(event: Event) -> Conn:
    """Return the connection of a call."""
    return event.qmgr, event.conn


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


def _ends_after(evidence: Evidence, calls: Collection[tuple[str, str, int]]) -> list[tuple[Conn, int]]:
    """Return for each call the first one after it in its connection that ends a unit of work, if there is one."""
    if not calls:
        return []
    rows = sorted(set(calls))
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
