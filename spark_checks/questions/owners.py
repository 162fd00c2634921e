"""The owners at a time: open units of work, locks, exclusive handles and waits; and the consumers of queues."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final, TypeVar

from oracle.histories.event_log import COLUMNS
from oracle.model.requests.option_matrix import BROWSE
from oracle.mqi.constants import MQGMO, MQOO, MQRC
from oracle.mqi.without_outputs import WITHOUT_OUTPUTS
from spark_checks.frames import Column, Frame
from spark_checks.frames import functions as fn
from spark_checks.preparation.absence import EXPIRY_TOLERANCE_US
from spark_checks.preparation.capture import GETS, PUTS
from spark_checks.preparation.columns import has, holds
from spark_checks.preparation.connections import completed, unlearnt
from spark_checks.questions.deeds import deeds_of, spans_around
from spark_checks.questions.deletions import Deletions, deletions_on
from spark_checks.questions.ended_units import MOST_MOVES, ended_unseen, lock_ended_unseen
from spark_checks.questions.evidence import Evidence, event_of
from spark_checks.questions.missing import hints
from spark_checks.questions.open_units import open_moves
from spark_checks.questions.put_twice import Twice, put_twice
from spark_checks.questions.stock import moves_among
from spark_checks.readers.detect import Format

_MANY: Final = 1_000_000
"""In a log with more calls, backouts are counted only for one queue, or with an index."""
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


@dataclass(frozen=True)
class Unit:
    """The effect of an open unit of work on a queue. Times are microseconds since 1970-01-01 UTC."""

    qmgr: str
    """The queue manager."""
    conn: str
    """The connection that has the unit of work."""
    queue: str | None
    """The queue. None if it was not captured."""
    since_us: int
    """The time at which its first put or get on the queue began."""
    last_us: int
    """The time at which its last put or get on the queue ended."""
    puts: int
    """The number of messages that it has put to the queue."""
    gets: int
    """The number of messages that it has got from the queue."""
    empty_gets: int
    """The number of gets of other connections on the queue that found nothing since it began."""

    @property
    def used_us(self) -> int:
        """The time at which it last used the queue."""
        return self.last_us


@dataclass(frozen=True)
class Lock:
    """A message that a handle has locked. Times are microseconds since 1970-01-01 UTC."""

    qmgr: str
    """The queue manager."""
    conn: str
    """The connection that has the handle."""
    queue: str | None
    """The queue. None if it was not captured."""
    hobj: int | None
    """The number of the handle. None if it was not captured."""
    msg_id: str | None
    """The MsgId of the message. None if it was not captured."""
    since_us: int
    """The time since which it may have been locked."""
    seen_until_us: int | None
    """The time until which the log surely shows it locked. None if it does not show that."""

    @property
    def used_us(self) -> int:
        """The time at which its handle locked it."""
        return self.since_us


@dataclass(frozen=True)
class Exclusive:
    """A handle that keeps others from opening a queue for input."""

    qmgr: str
    """The queue manager."""
    conn: str
    """The connection that has the handle."""
    queue: str | None
    """The queue. None if it was not captured."""
    hobj: int | None
    """The number of the handle. None if it was not captured."""
    since_us: int
    """The time at which its MQOPEN began, in microseconds since 1970-01-01 UTC."""
    refused: int
    """The number of other MQOPENs that have ended with MQRC_OBJECT_IN_USE since."""


@dataclass(frozen=True)
class Wait:
    """A get that was waiting at the given time."""

    qmgr: str
    """The queue manager."""
    conn: str
    """The connection that made it."""
    seq: int
    """Its number in the order of the connection's calls."""
    queue: str | None
    """The queue. None if it was not captured."""
    since_us: int
    """The time at which it began, in microseconds since 1970-01-01 UTC."""
    wait_ms: int | None
    """Its WaitInterval in milliseconds, -1 for unlimited. None if it was not captured."""


@dataclass(frozen=True)
class Use:
    """The use that a connection made of a queue. Times are microseconds since 1970-01-01 UTC."""

    qmgr: str
    """The queue manager."""
    queue: str | None
    """The queue. None if it was not captured."""
    conn: str
    """The connection."""
    puts: int
    """The number of messages that it put."""
    gets: int
    """The number of messages that it got."""
    backed_out: int | None
    """The number of messages got that came back to the queue by a backout. None if they were not counted."""
    browses: int
    """The number of messages that it browsed."""
    empty: int
    """The number of its gets that found nothing."""
    first_us: int
    """The time at which its first put or get began."""
    last_us: int
    """The time at which its last put or get ended."""


@dataclass(frozen=True)
class Owners:
    """The owners at a time."""

    at_us: int
    """The time, in microseconds since 1970-01-01 UTC."""
    units: tuple[Unit, ...]
    """The open units of work, by queue."""
    locks: tuple[Lock, ...]
    """The locked messages."""
    exclusives: tuple[Exclusive, ...]
    """The handles that keep others from opening a queue for input."""
    waits: tuple[Wait, ...]
    """The gets that were waiting. At the end of the log there are none, because they are not in the log."""
    uses: tuple[Use, ...]
    """The use that each connection had made of each queue by then."""
    twice: tuple[Twice, ...]
    """The payloads that were put twice by then."""
    hints: tuple[str, ...]
    """What the log lacks, and how to capture it: sentences."""


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
    uses = tuple(_uses(evidence, moves, moment_us, queue))
    open_, undone_with_puts = open_moves(evidence, until)
    units, locks, exclusives = (
        tuple(_units(evidence, until, open_, moment_us, queue)),
        tuple(_locks(evidence, moves, moment_us)),
        tuple(_exclusives(until, queue)),
    )
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
    ends = until.where(gone | unlearnt()).group_by("qmgr", "conn").agg(fn.max("seq").alias("gone"))
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


def _uses(evidence: Evidence, moves: Frame, moment_us: int, queue: str | None) -> Iterator[Use]:
    browses = holds(has("options", BROWSE))
    gets = fn.col("call").is_in(*GETS)

    def number(where: Column) -> Column:
        return fn.count(fn.when(where, 1))

    stays = holds(fn.col("reason").is_in(MQRC.TRUNCATED_MSG_FAILED, *WITHOUT_OUTPUTS))
    stays |= holds(has("options", MQGMO.UNLOCK))
    returned = gets & completed() & ~stays
    rows = (
        moves.where(fn.col("call").is_in(*PUTS, *GETS))
        .group_by("qmgr", "queue", "conn")
        .agg(
            number(fn.col("call").is_in(*PUTS) & completed()).alias("puts"),
            number(returned & ~browses).alias("gets"),
            number(returned & browses).alias("browses"),
            number(holds(fn.col("reason") == MQRC.NO_MSG_AVAILABLE)).alias("empty"),
            fn.min("start_us").alias("first_us"),
            fn.max("end_us").alias("last_us"),
        )
    )
    ordered = sorted(rows.collect(), key=lambda row: (str(row["queue"]), -row["gets"], -row["puts"], row["conn"]))
    undone = _backed_out(evidence, moves, moment_us, queue)
    for row in ordered:
        came_back = None if undone is None else undone.get((row["qmgr"], row["queue"], row["conn"]), 0)
        yield Use(**row.as_dict(), backed_out=came_back)


def _backed_out(
    evidence: Evidence, moves: Frame, moment_us: int, queue: str | None
) -> dict[tuple[str, str | None, str], int] | None:
    """Return the number of gets that were backed out, by queue and connection; None if that would take too long."""
    if evidence.moves is None and queue is None and evidence.records > _MANY:
        return None
    prepared = moves_among(evidence, moves) if evidence.moves is None else evidence.moves
    mine = prepared if queue is None else prepared.where(fn.col("queue") == queue)
    end = fn.col("end")
    ended = holds((end["how"] == "released") & (end["start_us"] <= moment_us)) & (fn.col("start_us") <= moment_us)
    zos = fn.lit(evidence.facts.platform == "zos")
    skips = zos & holds(has("options", MQGMO.MARK_SKIP_BACKOUT))  # that goes into the next unit of work (MSB-04)
    undone = mine.where(fn.col("took") & holds(fn.col("in_unit")) & ended & ~skips)
    rows = undone.group_by("qmgr", "queue", "conn").count().collect()
    return {(row["qmgr"], row["queue"], row["conn"]): row["count"] for row in rows}


def document_of(found: Owners) -> dict[str, Any]:
    """Return the owners as plain data for JSON."""
    wanted = {"qmgr", "conn", "seq", "call", "queue", "msg_id", "reason", "start_us", "source", "line"}
    return {
        "at_us": found.at_us,
        "units_of_work": [asdict(each) for each in found.units],
        "locks": [asdict(each) for each in found.locks],
        "exclusive_handles": [asdict(each) for each in found.exclusives],
        "waits": [asdict(each) for each in found.waits],
        "uses": [asdict(each) for each in found.uses],
        "put_twice": [
            {
                "queue": each.queue,
                "digest": each.digest,
                "first": each.first.model_dump(include=wanted),
                "second": each.second.model_dump(include=wanted),
                "broken": None if each.broken is None else each.broken.model_dump(include=wanted),
            }
            for each in found.twice
        ],
        "hints": list(found.hints),
    }
