"""The search for the owners at a time: open units of work, locks, exclusive handles and waits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeVar

from oracle.histories.event_log import COLUMNS
from oracle.mqi.constants import MQGMO, MQOO, MQRC
from spark_checks.frames import Column, Frame
from spark_checks.frames import functions as fn
from spark_checks.preparation.absence import EXPIRY_TOLERANCE_US
from spark_checks.preparation.capture import GETS, PUTS
from spark_checks.preparation.columns import has, holds
from spark_checks.preparation.connections import completed, has_unknown_effect
from spark_checks.questions.deeds import deeds_of, spans_around
from spark_checks.questions.deletions import Deletions, deletions_on
from spark_checks.questions.ended_units import MOST_MOVES, ended_unseen, lock_ended_unseen
from spark_checks.questions.evidence import Evidence, event_of
from spark_checks.questions.holdings import Exclusive, Lock, Owners, Unit, Wait
from spark_checks.questions.missing import hints
from spark_checks.questions.open_units import open_moves
from spark_checks.questions.put_twice import put_twice
from spark_checks.questions.queue_uses import queue_uses
from spark_checks.readers.detect import Format

_FEW: Final = 1000
"""The number of locks, and of payloads put several times, that are looked at."""
_UNDER_WAY: Final = "calls that were under way when the log ended are not in it, waiting gets among them: "
_UNSEEN_WAITS: Final = (
    f"{_UNDER_WAY}ask for an earlier time with --at, or capture on; DISPLAY QSTATUS TYPE(HANDLE) shows who waits now"
)
_ENDLESS_WAITS: Final = f"{_UNDER_WAY}one that had begun by this time and still waited then is not shown"
_NO_PAYLOADS: Final = (
    "payloads were not captured, so a message that was put twice around a reconnection is not recognised: a packet "
    "capture of whole packets, a Java trace of whole buffers, or `digest` in an event log shows it"
)


_ENDED_UNSEEN: Final = (
    "a connection without MQDISC is shown as if it lasted: if its TCP connection ended (FIN or RST), its unit of work "
    "was backed out and its handles were closed"
)
_LOSSY: Final = (
    "the log does not say that it is complete: what is shown as held may have ended by a call that the log lacks"
)
_KEPT_BY_SKIP: Final = (
    "a message that was put and got with MQGMO_MARK_SKIP_BACKOUT in one unit of work, which was backed out, is not "
    "shown as held: whether it went into the next unit of work is open"
)


def owners(evidence: Evidence, at_us: int | None = None, queue: str | None = None) -> Owners:
    """Return the owners at a time, by default at the log's end. With `queue`, only those of that queue."""
    moment_us = evidence.span[1] if at_us is None else at_us
    begun = evidence.calls.where(fn.col("start_us") <= moment_us)
    until = begun.where(~(_waits_for_one() & (fn.col("end_us") > moment_us)))
    moves, waiting = (rows if queue is None else rows.where(fn.col("queue") == queue) for rows in (until, begun))
    twice = tuple(put_twice(evidence, moves))
    lacking = [_UNSEEN_WAITS if at_us is None else _ENDLESS_WAITS]
    if queue is not None and waiting.is_empty():
        lacking.insert(0, _unknown(queue, begun))
    if moves.where(fn.col("call").is_in(*PUTS) & fn.col("digest").is_not_null()).is_empty():
        lacking.append(_NO_PAYLOADS)
    uses = tuple(queue_uses(evidence, moves, moment_us, queue))
    open_, undone_with_puts = open_moves(evidence, until)
    units = tuple(_units(evidence, until, open_, moment_us, queue))
    locks = tuple(_locks(evidence, moves, moment_us))
    exclusives = tuple(_exclusives(until, queue))
    names = {(one.qmgr, one.queue) for one in units} | {(one.qmgr, one.queue) for one in locks}
    deletions = deletions_on(evidence, names)
    units, of_units = _without_deleted(units, deletions, moment_us)
    locks, of_locks = _without_deleted(locks, deletions, moment_us)
    lacking += sorted({*of_units, *of_locks})
    if (units or locks or exclusives) and Format.PCAP in evidence.formats:
        lacking.append(_ENDED_UNSEEN)
    if (units or locks or exclusives) and not evidence.facts.complete:
        lacking.append(_LOSSY)
    if not undone_with_puts.is_empty():
        lacking.append(_KEPT_BY_SKIP)
    if any(use.backed_out is None for use in uses):
        lacking.append("how many gets were backed out is counted with --queue, or with --index")
    return Owners(
        moment_us,
        units,
        locks,
        exclusives,
        () if at_us is None else tuple(_waits(waiting, moment_us)),
        uses,
        twice,
        (*lacking, *hints(evidence, evidence.sample(), payloads=False)),
    )


def _unknown(queue: str, begun: Frame) -> str:
    """Return the sentence about a queue that no call names, perhaps because it is misspelt."""
    rows = begun.where(fn.col("queue").is_not_null()).select("queue").distinct().limit(_FEW).collect()
    named = ", ".join(sorted(row["queue"] for row in rows)[:5])
    return f"no call until then is about a queue called {queue}{f'; there are calls about {named}' if named else ''}"


H = TypeVar("H", Unit, Lock)


def _without_deleted(held: tuple[H, ...], deletions: Deletions, moment_us: int) -> tuple[tuple[H, ...], list[str]]:
    """Return what is held on queues that were not deleted meanwhile, and the doubts about those that may have been."""
    found: list[H] = []
    doubts: list[str] = []
    for one in held:
        deletion = deletions.since((one.qmgr, one.queue), one.used_us, moment_us)
        if deletion is None or deletion.made_as is not None:
            found.append(one)
        if deletion is not None and deletion.made_as is not None:
            doubts.append(f"what is shown of queue {one.queue} may have ended: {deletion.sentence}")
    return tuple(found), doubts


def _waits_for_one() -> Column:
    """Return whether a call is a get that may wait, and does nothing until it ends."""
    return (fn.col("call") == "MQGET") & holds(has("options", MQGMO.WAIT))


def _units(evidence: Evidence, until: Frame, open_: Frame, moment_us: int, queue: str | None) -> Iterator[Unit]:
    rows = (
        open_.group_by("qmgr", "conn", "queue")
        .agg(
            fn.min(fn.when(_waits_for_one(), fn.col("end_us")).otherwise(fn.col("start_us"))).alias("since_us"),
            fn.max("end_us").alias("last_us"),
            fn.count(fn.when(fn.col("call").is_in(*PUTS), 1)).alias("puts"),
            fn.count(fn.when(fn.col("call").is_in(*GETS), 1)).alias("gets"),
        )
        .collect()
    )
    within = [event_of(row) for row in open_.select(*COLUMNS).order_by("start_us").limit(MOST_MOVES).collect()]
    ended = ended_unseen(evidence, within, moment_us)
    chosen = [row for row in rows if queue is None or row["queue"] == queue]
    chosen = [row for row in chosen if (row["qmgr"], row["conn"]) not in ended]
    for row in sorted(chosen, key=lambda row: (row["since_us"], row["conn"], str(row["queue"]))):
        found = (fn.col("queue") == (row["queue"] or "")) & (fn.col("reason") == MQRC.NO_MSG_AVAILABLE)
        others = found & (fn.col("conn") != row["conn"]) & (fn.col("end_us") >= row["since_us"])
        yield Unit(**row.as_dict(), empty_gets=until.where((fn.col("qmgr") == row["qmgr"]) & others).count())


def _locks(evidence: Evidence, moves: Frame, moment_us: int) -> Iterator[Lock]:
    locking = (fn.col("call") == "MQGET") & completed() & holds(has("options", MQGMO.LOCK))
    last = moves.where(locking).group_by("qmgr", "conn", "hobj").agg(fn.max("seq").alias("seq")).limit(_FEW).collect()
    events = evidence.named((row["qmgr"], row["conn"], row["seq"]) for row in last)
    keys = {(event.qmgr, event.conn, event.seq) for event in events}
    gets = evidence.showing({"msg_id": [event.msg_id for event in events if event.msg_id is not None]})
    for deed in deeds_of(evidence, spans_around(evidence, events)):
        if deed.key not in keys or deed.event.reason == MQRC.TRUNCATED_MSG_FAILED:
            continue
        if lock_ended_unseen(gets, deed, moment_us):
            continue  # the lock is gone although no call shows its end: the application may have died
        if deed.lives_until is not None and deed.lives_until + EXPIRY_TOLERANCE_US < moment_us:
            continue  # a locked message expires like any other (EXP-28)
        if deed.lock_end is None or deed.lock_end.lo > moment_us:
            event = deed.event
            until_us = deed.locked_until
            since_us = deed.hi if deed.asks & MQGMO.WAIT else deed.lo
            yield Lock(event.qmgr, event.conn, event.queue, event.hobj, event.msg_id, since_us, until_us)


def _exclusives(until: Frame, queue: str | None) -> Iterator[Exclusive]:
    opened = (fn.col("call") == "MQOPEN") & completed()
    exclusive = opened & holds(has("options", MQOO.INPUT_EXCLUSIVE))
    closed = (fn.col("call") == "MQCLOSE") & completed()
    gone = fn.col("call").is_in("MQDISC", "MQCONN") & completed()
    opens = until.where(exclusive & fn.col("hobj").is_not_null())
    last = opens.group_by("qmgr", "conn", "hobj").agg(fn.max(fn.struct("seq", "queue", "start_us")).alias("open"))
    closes = (
        until.where(closed | (opened & ~exclusive)).group_by("qmgr", "conn", "hobj").agg(fn.max("seq").alias("closed"))
    )
    ends = until.where(gone | has_unknown_effect()).group_by("qmgr", "conn").agg(fn.max("seq").alias("gone"))
    known = last.join(closes, ["qmgr", "conn", "hobj"], "left").join(ends, ["qmgr", "conn"], "left")
    seq = fn.col("open.seq")
    still = ~holds(fn.col("closed") > seq) & ~holds(fn.col("gone") > seq)
    rows = known.where(still).select("qmgr", "conn", "hobj", "open.queue", "open.start_us").collect()
    for row in sorted(rows, key=lambda row: (row["start_us"], row["conn"])):
        if queue is not None and row["queue"] != queue:
            continue
        mine = (fn.col("qmgr") == row["qmgr"]) & (fn.col("reason") == MQRC.OBJECT_IN_USE)
        name = row["queue"] or ""
        about = (fn.col("queue") == name) | (fn.col("object_name") == name)
        refused = until.where(mine & about & (fn.col("start_us") >= row["start_us"])).count()
        yield Exclusive(row["qmgr"], row["conn"], row["queue"], row["hobj"], row["start_us"], refused)


def _waits(moves: Frame, moment_us: int) -> Iterator[Wait]:
    waits = _waits_for_one() & (fn.col("end_us") > moment_us)
    wanted = ("qmgr", "conn", "seq", "queue", "start_us", "wait_ms")
    for row in moves.where(waits).select(*wanted).order_by("start_us", "conn").collect():
        yield Wait(row["qmgr"], row["conn"], row["seq"], row["queue"], row["start_us"], row["wait_ms"])
