"""The stock of a queue at a time: the messages that may have been there, as far as the log shows, and their holders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from oracle.histories.event_log import Event
from oracle.model.requests.option_matrix import BROWSE
from oracle.mqi.constants import MQCC, MQGMO, MQRC, NULL_ID
from spark_checks.frames import Column, Frame, Row
from spark_checks.frames import functions as fn
from spark_checks.preparation.absence import EXPIRY_TOLERANCE_US
from spark_checks.preparation.capture import GETS, PUTS
from spark_checks.preparation.columns import has, holds
from spark_checks.preparation.connections import completed, later_in_connection, next_, unit_by_options
from spark_checks.preparation.messages import LONGEST_EXPIRY
from spark_checks.preparation.moves import MAYBE_PUT, PUT, RETURNS, TAKE, TOUCH
from spark_checks.questions.deeds import Deed, End, deeds_of, spans_around
from spark_checks.questions.deletions import Deletions, deletions_on
from spark_checks.questions.evidence import Evidence, ends_something
from spark_checks.questions.unseen import Queue, Unseen, unseen_on
from spark_checks.questions.whereabouts import UNLESS_ZOS
from spark_checks.times import NEVER

MOST_HELD: Final = 500
"""The number of messages, those put last, for which the reason is given why they did not suit; others are counted."""
_MOST_NAMED: Final = 100_000
_NARROW: Final = (
    "qmgr", "conn", "seq", "start_us", "end_us", "call", "comp_code", "reason", "options", "persistence", "msg_id",
    "expiry", "queue",
)  # fmt: skip  # names
_UNPUT: Final = "no put of the log shows since when it was there"
_LACKING: Final = "no later call shows it, and a call that the log lacks may have got it"


@dataclass(frozen=True)
class Moment:
    """The interval in which something took effect, in microseconds since 1970-01-01 UTC."""

    lo: int
    """The earliest time."""
    hi: int
    """The latest time."""
    margin: int
    """The difference, in microseconds, that two times must have for their order to be sure."""
    call: tuple[str, int] | None = None
    """The connection and the number of the call whose moment it is. None for the moment of no call."""
    complete: bool = True
    """Whether the log has every call."""

    def surely_after(self, one: Deed | End) -> bool:
        """Return whether the moment surely came after a call took effect."""
        return one.hi + self.margin < self.lo or self._calls_since(one) > 0

    def surely_before(self, one: Deed | End) -> bool:
        """Return whether the moment surely came before a call took effect."""
        return self.hi + self.margin < one.lo or self._calls_since(one) < 0

    def _calls_since(self, one: Deed | End) -> int:
        """Return how many calls of its connection the call of the moment is behind a call; 0 if that is unknown."""
        conn, seq = (one.event.conn, one.event.seq) if isinstance(one, Deed) else (one.conn, one.seq)
        return self.call[1] - seq if self.call is not None and self.call[0] == conn else 0


@dataclass(frozen=True)
class Holder:
    """The holder of a message at the time: it kept the message from others."""

    deed: Deed
    """The call by which it holds the message."""
    came_us: int = -NEVER
    """The earliest time at which the message can have been there for that call, which may have waited for it."""
    may_have_ended: bool = False
    """Whether the log may lack the call that ended its unit of work, before an MQDISC that it has."""

    @property
    def conn(self) -> str:
        """The connection."""
        return self.deed.event.conn

    @property
    def since_us(self) -> int:
        """The time since which it may have held the message."""
        return max(self.deed.lo, self.came_us)

    @property
    def ended_somehow(self) -> End | None:
        """The call that ended its unit of work, if the outcome is not known. None otherwise."""
        return self.deed.unit_end if self.deed.role in (PUT, TAKE) and self.deed.end is None else None


@dataclass(frozen=True)
class Held:
    """A message that may have been on the queue at the time."""

    msg_id: str
    """Its MsgId."""
    deeds: tuple[Deed, ...]
    """The puts and gets of it, in the order of their earliest times."""
    put_by: Holder | None = None
    """The holder that had put it and not committed. None if there was none."""
    got_by: Holder | None = None
    """The holder that had got it and not committed. None if there was none."""
    locked_by: Holder | None = None
    """The holder that had locked it. None if there was none."""
    after: bool = False
    """Whether it came only after the time."""
    doubts: tuple[str, ...] = ()
    """The reasons why it is not sure that it was there, or that it was held."""

    @property
    def shown(self) -> Event:
        """The call that shows most of the message: a get, which has priority and persistence, or its put."""
        gets = [deed.event for deed in self.deeds if deed.event.call in GETS and deed.event.priority is not None]
        return (gets or [deed.event for deed in self.deeds])[0]

    @property
    def put(self) -> Deed | None:
        """Its put, None if the log has none."""
        return next((deed for deed in self.deeds if deed.role in (PUT, MAYBE_PUT)), None)


@dataclass(frozen=True)
class Stock:
    """The messages that may have been on a queue at a moment."""

    held: tuple[Held, ...]
    """The messages, in the order in which they were put, those first that the log does not show to be put."""
    left_out: int
    """The number of further messages, which are not shown."""
    expired: int
    """The number of further messages that had surely expired, according to their puts."""
    gone: tuple[Event, ...]
    """The last few calls before the moment that took a message."""
    next: Event | None
    """The first call that brought a message after the moment. None if there was none."""


def stock_at(evidence: Evidence, qmgr: str, queue: str, when: Moment) -> Stock:
    """Return what was on a queue at a moment."""
    rows = _moves(evidence, qmgr, queue)
    found, expired = _perhaps_there(rows, when)
    ids = [row["msg_id"] for row in found[:MOST_HELD]]
    mine = (fn.col("qmgr") == qmgr) & (fn.col("queue") == queue)
    events = evidence.where(mine & fn.col("msg_id").is_in(*ids), of_queue=True) if ids else []
    deeds = deeds_of(evidence, spans_around(evidence, events))
    by_id: dict[str, list[Deed]] = {msg_id: [] for msg_id in ids}
    for deed in deeds:
        if deed.event.queue == queue and deed.event.msg_id in by_id and deed.event.call in (*PUTS, *GETS):
            by_id[deed.event.msg_id].append(deed)
    if _begins_empty(evidence, qmgr, queue, rows):
        by_id = {msg_id: own for msg_id, own in by_id.items() if any(deed.role in (PUT, MAYBE_PUT) for deed in own)}
    unseen = unseen_on(evidence, [(qmgr, queue)]) if ids else Unseen({}, {})
    deletions = deletions_on(evidence, [(qmgr, queue)]) if ids else Deletions()
    held = [
        replace(one, doubts=(*one.doubts, *unseen.reasons((qmgr, queue), one.deeds, when.lo)))
        for msg_id, own in by_id.items()
        if own and (one := _held(msg_id, own, when)) is not None
    ]
    held = [kept for one in held if (kept := _unless_deleted(one, deletions, (qmgr, queue), when)) is not None]
    arrived = sorted((each for each in held if not each.after), key=_arrival)
    later = [each.deeds[0].event for each in held if each.after]
    gone, following = _neighbours(evidence, rows, when)
    first_later = min([*later, *following], key=lambda event: event.start_us, default=None)
    return Stock(tuple(arrived), len(found) - len(ids), expired, gone, first_later)


def _unless_deleted(held: Held, deletions: Deletions, queue: Queue, when: Moment) -> Held | None:
    """Return a message, with a doubt if its queue may have been deleted before the time; None if it surely was."""
    before = [deed for deed in held.deeds if _may_have_come(deed, when)]
    deletion = None if held.after else deletions.of_message(queue, before, when.lo)
    if deletion is None:
        return held
    return None if deletion.made_as is None else replace(held, doubts=(*held.doubts, deletion.sentence))


def _arrival(held: Held) -> tuple[bool, int, int, str, int]:
    """Return the key that sorts messages by their puts; one without a put was perhaps there when the log began."""
    first = held.deeds[0] if held.put is None else held.put
    return held.put is not None, first.lo, first.hi, first.event.conn, first.event.seq


def _begins_empty(evidence: Evidence, qmgr: str, queue: str, moves: Frame) -> bool:
    """Return whether a complete log says that a queue was empty when it began, so that each message has its put."""
    known = (one for one in evidence.facts.queues if (one.qmgr, one.queue) == (qmgr, queue))
    empty_us = next((one.empty_at_us for one in known), None)
    if not evidence.facts.complete or empty_us is None:
        return False
    first_us = moves.agg(fn.min("start_us").alias("first_us")).collect()[0]["first_us"]
    return first_us is None or empty_us <= first_us + evidence.margin


def _moves(evidence: Evidence, qmgr: str, queue: str) -> Frame:
    """Return the puts to a queue and the gets from it; see moves_among."""
    mine = (fn.col("qmgr") == qmgr) & (fn.col("queue") == queue)
    if evidence.moves is not None:
        return evidence.moves.where(mine).kept()
    return moves_among(evidence, evidence.by_queue.where(mine)).kept()


def moves_among(evidence: Evidence, calls: Frame) -> Frame:
    """Return the puts and gets among calls in a few columns, each with the end of the unit of work around it.

    Adds `gave`, `took` and `returned`, which say what a call did, `in_unit`, and `end`: the next call of the connection
    that ends a unit of work.
    """
    named = fn.col("msg_id").is_not_null() & (fn.col("msg_id") != NULL_ID.hex())
    moves = calls.where(fn.col("call").is_in(*PUTS, *GETS) & named).select(*_NARROW, fn.lit(False).alias("ends"))
    users = moves.select("qmgr", "conn").distinct()
    ends = evidence.calls.where(ends_something()).select(*_NARROW, fn.lit(True).alias("ends"))
    of_users = ends.join(fn.broadcast(users), ["qmgr", "conn"], "left_semi")
    end = fn.struct("seq", _how().alias("how"), "start_us", "end_us")
    both = moves.union_by_name(of_users).with_column("end", next_(fn.col("ends"), end, later_in_connection()))
    done, browse = completed(), has("options", BROWSE) & ~has("options", MQGMO.LOCK)
    stays = browse | (fn.col("reason") == MQRC.TRUNCATED_MSG_FAILED) | has("options", MQGMO.LOCK)
    gets = fn.col("call").is_in(*GETS)
    added = {
        "in_unit": unit_by_options(evidence.facts.platform, gets),
        "gave": fn.col("call").is_in(*PUTS) & ~holds(fn.col("comp_code") == MQCC.FAILED),
        "took": holds(gets & done & ~stays),
        "returned": gets & ~holds(fn.col("comp_code") == MQCC.FAILED),
    }
    return both.where(~fn.col("ends")).with_columns(added)


def _how() -> Column:
    backed_out = (fn.col("reason") == MQRC.BACKED_OUT) | (fn.col("call") == "MQBACK")
    commits = fn.col("call").is_in("MQCMIT", "MQDISC") & (fn.col("comp_code") == MQCC.OK)
    return fn.when(holds(backed_out), "released").when(holds(commits), "final").otherwise("unknown")


def _perhaps_there(moves: Frame, when: Moment) -> tuple[list[Row], int]:
    """Return the messages that may have been on the queue: put, or from before the log, and not surely gone before.

    They come with the number of further messages that had surely expired, according to their puts.
    """
    end, over = fn.col("end"), when.lo - when.margin
    outside = holds(~fn.col("in_unit"))
    final = holds(end["how"] == "final") & holds(fn.col("in_unit"))
    gone = fn.col("took") & ((outside & (fn.col("end_us") < over)) | (final & holds(end["end_us"] < over)))
    undone = fn.col("gave") & holds(fn.col("in_unit") & (end["how"] == "released") & (end["end_us"] < over))
    limited = fn.col("expiry").between(1, LONGEST_EXPIRY)
    expires = fn.when(holds(limited), fn.col("end_us") + fn.col("expiry").cast("long") * 100_000).otherwise(NEVER)
    begun = fn.col("start_us") <= when.hi + when.margin
    counts = moves.group_by("msg_id").agg(
        fn.count(fn.when(fn.col("gave") & ~undone & begun, 1)).alias("puts"),
        fn.count(fn.when(fn.col("gave"), 1)).alias("all_puts"),
        fn.count(fn.when(gone, 1)).alias("gone"),
        fn.count(fn.when(fn.col("returned"), 1)).alias("returned"),
        fn.max("start_us").alias("last_us"),
        fn.max(fn.when(fn.col("gave"), expires)).alias("expires_us"),
    )
    from_before = (fn.col("all_puts") == 0) & (fn.col("gone") == 0) & (fn.col("returned") > 0)
    there = counts.where((fn.col("puts") > fn.col("gone")) | from_before)
    dead = holds(fn.col("expires_us") + when.margin + EXPIRY_TOLERANCE_US < when.lo)
    known = there.with_column("dead", dead).kept()
    alive = known.where(~fn.col("dead")).order_by(fn.desc("last_us"), "msg_id").limit(_MOST_NAMED).collect()
    return alive, known.where(fn.col("dead")).count()


def _neighbours(evidence: Evidence, moves: Frame, when: Moment) -> tuple[tuple[Event, ...], list[Event]]:
    """Return the last calls before the moment that took a message, and the first put after it."""
    before = moves.where(fn.col("took") & (fn.col("end_us") < when.lo)).order_by(fn.desc("end_us")).limit(3)
    after = moves.where(fn.col("gave") & (fn.col("start_us") > when.hi)).order_by("start_us").limit(1)
    names = [[(row["qmgr"], row["conn"], row["seq"]) for row in rows.collect()] for rows in (before, after)]
    return tuple(reversed(evidence.named(names[0]))), evidence.named(names[1])


def _held(msg_id: str, deeds: Sequence[Deed], when: Moment) -> Held | None:
    """Return the known facts of a message at the time; None if it was surely not there.

    Of several messages that were put with one MsgId, it is one that was not taken.
    """
    all_puts = [deed for deed in deeds if deed.role in (PUT, MAYBE_PUT)]
    puts = [deed for deed in all_puts if _may_have_come(deed, when)]
    if all_puts and not puts:
        return Held(msg_id, tuple(deeds), after=True)
    doubts = [] if all_puts else [_UNPUT]
    put_by = _putter(puts[-1], when, doubts) if puts else None
    there = [each for each in puts if each.end is None or each.end.how != "undone" or not when.surely_after(each.end)]
    if puts and not there:
        return None
    takers = _takers(deeds, puts, len(there), when, doubts)
    if takers is None:
        return None
    got_by, locked_by = takers
    if not when.complete and not any(deed.role in RETURNS and when.surely_before(deed) for deed in deeds):
        doubts.append(_LACKING)
    if len(there) > 1:
        doubts.append(f"{len(there)} messages were put with this MsgId")
    return Held(msg_id, tuple(deeds), put_by, got_by, locked_by, doubts=tuple(dict.fromkeys(doubts)))


def _takers(
    deeds: Sequence[Deed], puts: Sequence[Deed], there: int, when: Moment, doubts: list[str]
) -> tuple[Holder | None, Holder | None] | None:
    """Return who had got a message and who had locked it; None if as many had left for good as were `there`."""
    got_by = locked_by = None
    gone = 0
    for deed in deeds:
        came_us = _earliest(deed, puts)
        if came_us > when.hi or not _may_have_come(deed, when) or deed.role not in (TAKE, TOUCH):
            continue
        holder = _taker(deed, when, doubts)
        if holder == "gone":
            gone += 1
            got_by = locked_by = None
            if gone >= there:
                return None
        if isinstance(holder, Holder):
            holder = replace(holder, came_us=came_us)
            got_by, locked_by = (None, holder) if _locks(deed) else (holder, None)
    return got_by, locked_by


def _may_have_come(deed: Deed, when: Moment) -> bool:
    """Return whether a call may have taken effect by the moment."""
    return deed.lo <= when.hi and not when.surely_before(deed)


def _earliest(deed: Deed, puts: Sequence[Deed]) -> int:
    """Return the earliest time of a get: it came no sooner than the only put or, by another connection, its commit."""
    if len(puts) != 1:
        return deed.lo
    put = puts[0]
    committed = put.in_unit and put.end is not None and deed.event.conn != put.event.conn
    return max(deed.lo, put.end.lo if committed and put.end is not None else put.lo)


def _putter(put: Deed, when: Moment, doubts: list[str]) -> Holder | None:
    """Return the holder that had put a message and not committed it."""
    if put.role == MAYBE_PUT:
        doubts.append("whether its put took effect is not known")
        return None
    if not when.surely_after(put):
        doubts.append(f"its put by connection {put.event.conn} was under way at the same time")
    if not put.in_unit:
        if put.in_unit is None:
            doubts.append("whether its put was in a unit of work was not captured")
        return None
    if put.end is None or not when.surely_after(put.end):
        if put.end is not None and not when.surely_before(put.end):
            doubts.append(f"{put.end.call} of connection {put.end.conn}, which made it visible, came at the same time")
        return _holder(put, when, doubts)
    return None


def _holder(deed: Deed, when: Moment, doubts: list[str]) -> Holder:
    """Return the holder by a call. An incomplete log may lack the end of its unit of work before an MQDISC."""
    end = deed.end
    if when.complete or _locks(deed) or end is None or end.call != "MQDISC":
        return Holder(deed)
    doubts.append(f"the log may lack an MQCMIT or MQBACK of connection {end.conn} before its MQDISC")
    return Holder(deed, may_have_ended=True)


def _locks(deed: Deed) -> bool:
    return deed.role == TOUCH and bool(deed.asks & MQGMO.LOCK)


def _taker(deed: Deed, when: Moment, doubts: list[str]) -> Holder | str | None:
    """Return who had a message by a get or lock: a holder, `gone` if it had left for good, None if it was back."""
    end = deed.lock_end if _locks(deed) else deed.end
    if deed.role == TOUCH and not _locks(deed):
        doubts.append(f"{deed.event.call} of connection {deed.event.conn} may have taken it: what it did is not known")
        return None
    if end is not None and when.surely_after(end):
        doubts += [UNLESS_ZOS] if deed.may_skip else []
        return "gone" if end.how == "final" else None
    if not when.surely_after(deed):
        doubts.append(f"{deed.event.call} of connection {deed.event.conn} took it at the same time")
        return Holder(deed)
    if end is not None and not when.surely_before(end) and (end.conn, end.seq) != when.call:
        doubts.append(f"{end.call} of connection {end.conn} ended that at the same time")
    if end is None:
        known = Holder(deed).ended_somehow
        doubts.append("the log shows no end of that" if known is None else f"{known.call} may have ended it either way")
    return _holder(deed, when, doubts)
