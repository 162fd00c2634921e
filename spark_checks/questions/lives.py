"""The life of a message, step by step, as the calls of a log show it.

A message has its MsgId on every queue on which it has been; a queue manager keeps it when a message moves on. The
effect of a call and the end of its unit of work are those that the checks of the audit use (spark_checks.preparation).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from oracle.histories.event_log import Event
from oracle.mqi.constants import MQCC, MQGMO, MQMT, MQPER, MQRC, NULL_ID
from spark_checks.preparation.moves import GLANCE, MAYBE_PUT, PUT, PUTS, RETURNS, SIGHT, TAKE, TOUCH
from spark_checks.questions.deeds import Deed
from spark_checks.questions.unseen import Queue, Unseen
from spark_checks.times import duration, moment

NULL = NULL_ID.hex()


@dataclass(frozen=True)
class Step:
    """One line of a message's life."""

    deed: Deed
    """The call and its effect."""
    kind: str
    """Its kind in a picture: `put`, `get`, `browse`, `lock`, `maybe` or `failed`."""
    what: str
    """What happened, in words."""
    then: str = ""
    """The consequence, in words."""
    unsure: str | None = None
    """The reason why its place in the order is not certain. None if it is certain."""

    @property
    def queue(self) -> Queue:
        """The queue of the call."""
        return self.deed.event.qmgr, self.deed.event.queue


@dataclass(frozen=True)
class Whereabouts:
    """The place of a message at the end of the log, or who may have it."""

    state: str
    """The state in a word or two, by which states can be counted."""
    sentence: str
    """The state, in words for people."""
    queue: Queue | None = None
    """The queue that it is on, or was got from. None if there is none."""
    conn: str | None = None
    """The connection that has it, took it or may have put it. None if there is none."""
    since_us: int | None = None
    """The time since which it is there, in microseconds since 1970-01-01 UTC. None if it is not known."""
    sure: bool = False
    """Whether the log leaves no doubt about it."""


@dataclass
class Life:
    """The life of a message."""

    msg_id: str
    """Its MsgId."""
    relation: str
    """Its relation to the message that was asked for, in words."""
    steps: list[Step] = field(default_factory=list)
    """The events of its life, in the order of the calls."""
    now: list[Whereabouts] = field(default_factory=list)
    """Its places when the log ends."""

    @property
    def first_us(self) -> int:
        """The time at which its first call began."""
        return min((step.deed.event.start_us for step in self.steps), default=0)


IN_ORDER, EITHER = None, "may have come before the line above: their times overlap"

_SHOWS = (*PUTS, *RETURNS)


def shows(event: Event, msg_id: str) -> bool:
    """Return whether a call put or returned the message with a MsgId."""
    return event.msg_id == msg_id and event.call in ("MQPUT", "MQPUT1", "MQGET", "CALLBACK")


def asked_for(event: Event, msg_id: str) -> bool:
    """Return whether a call asked for the message by its MsgId and did not return it."""
    return event.call == "MQGET" and event.sel_msg_id == msg_id and event.msg_id != msg_id


@dataclass(frozen=True)
class Ending:
    """The known facts of the log's end."""

    at_us: int
    """The time at which the log ended."""
    complete: bool
    """Whether the log has every call of its time."""
    unseen: Unseen
    """What may have taken messages away unseen."""


def life_of(msg_id: str, relation: str, deeds: Iterable[Deed], ending: Ending, margin: int) -> Life:
    """Return the life of a message. `margin` is the uncertainty of the log's clock."""
    own = _behind_put([deed for deed in deeds if shows(deed.event, msg_id) or asked_for(deed.event, msg_id)])
    life = Life(msg_id, relation)
    before: Deed | None = None
    for deed in own:
        unsure = None if before is None or _surely_after(deed, before, margin) else EITHER
        life.steps.append(
            Step(deed, *_told(deed, seen=not ending.complete and _seen_before(deed, own, margin)), unsure)
        )
        before = deed
    life.now = list(_whereabouts([deed for deed in own if deed.role in _SHOWS], ending))
    return life


def _behind_put(deeds: Sequence[Deed]) -> list[Deed]:
    """Return the deeds in their order, those that returned the message behind its put where it has only one on a queue.

    A get may have begun to wait for the message long before.
    """
    puts: dict[Queue, list[Deed]] = {}
    for deed in deeds:
        if deed.role in PUTS:
            puts.setdefault((deed.event.qmgr, deed.event.queue), []).append(deed)

    def placed(deed: Deed) -> Deed:
        own = puts.get((deed.event.qmgr, deed.event.queue), [])
        waited = len(own) == 1 and deed.role in RETURNS and deed.lo < own[0].lo <= deed.hi
        return replace(deed, lo=own[0].lo, behind_put=True) if waited else deed

    found = [placed(deed) for deed in deeds]
    return sorted(found, key=lambda deed: (deed.lo, deed.role not in PUTS, deed.hi))


def _surely_after(deed: Deed, before: Deed, margin: int) -> bool:
    if deed.behind_put and before.role in PUTS:
        return True
    if (deed.event.qmgr, deed.event.conn) == (before.event.qmgr, before.event.conn):
        return True
    return before.hi + margin < deed.lo


def outcome(event: Event) -> str:
    """Return how a call ended, in words."""
    if event.comp_code is None:
        return "its outcome was not captured"
    if not event.reason:
        return MQCC.name_of(event.comp_code)
    return f"{MQCC.name_of(event.comp_code)} {MQRC.describe(event.reason)}"


def _seen_before(put: Deed, own: Sequence[Deed], margin: int) -> bool:
    """Return whether another connection surely got the message of a put before the unit of work of that seems to end.

    Several messages may have the identifier.
    """
    queue = (put.event.qmgr, put.event.queue)
    others = [deed for deed in own if deed is not put and (deed.event.qmgr, deed.event.queue) == queue]
    got = [deed for deed in others if deed.role in RETURNS and deed.event.conn != put.event.conn]
    early = any(put.end is None or deed.hi + margin < put.end.lo for deed in got)
    return bool(put.in_unit) and early and all(deed.role not in PUTS for deed in others)


def _told(deed: Deed, *, seen: bool) -> tuple[str, str, str]:
    """Return a call's kind in a picture, what it did, and the consequence; `seen` is what _seen_before says of it."""
    event = deed.event
    if deed.role == PUT and seen:
        return "put", f"put{_properties(event)}", "in a unit of work; the log lacks the call that ended it"
    if deed.role == PUT:
        return "put", f"put{_properties(event)}", _after_put(deed)
    if deed.role == MAYBE_PUT:
        return "maybe", "perhaps put", f"whether the put took effect is not known: {outcome(event)}"
    if deed.role == TAKE:
        return "get", f"got{_returned(event)}", _after_take(deed)
    return _told_of_others(deed)


def _told_of_others(deed: Deed) -> tuple[str, str, str]:
    event = deed.event
    if deed.role == SIGHT:
        return ("browse", *_after_sight(event))
    if deed.role == TOUCH:
        return _after_touch(deed)
    if deed.role == GLANCE:
        return "browse", "perhaps browsed", outcome(event)
    if event.call in ("MQPUT", "MQPUT1"):
        return "failed", "was to be put, and was not", outcome(event)
    return "failed", "asked for by its MsgId, not returned", outcome(event)


def _after_touch(deed: Deed) -> tuple[str, str, str]:
    if deed.asks & MQGMO.LOCK:
        return "lock", "browsed and locked", _after_lock(deed)
    return "maybe", "perhaps got", f"the log does not show what the call did: {outcome(deed.event)}"


def _properties(event: Event) -> str:
    told = []
    if event.persistence in (MQPER.NOT_PERSISTENT, MQPER.PERSISTENT):
        told.append("persistent" if event.persistence == MQPER.PERSISTENT else "not persistent")
    if event.priority is not None and event.priority >= 0:
        told.append(f"priority {event.priority}")
    if event.expiry is not None and event.expiry > 0:
        told.append(f"expires after {duration(event.expiry * 100_000)}")
    if event.length is not None:
        told.append(f"{event.length:,} bytes")
    if event.msg_type == MQMT.REPORT:
        told.append(f"a report, feedback {event.feedback}")
    return f" ({', '.join(told)})" if told else ""


def _returned(event: Event) -> str:
    return f" (BackoutCount {event.backout_count})" if event.backout_count else ""


def _after_put(deed: Deed) -> str:
    if deed.in_unit is None:
        return "whether in a unit of work was not captured"
    if not deed.in_unit:
        return "visible to all at once"
    if deed.end is None:
        return _open_unit(deed, "so nobody else sees it")
    if deed.end.how == "undone":
        return f"backed out by {deed.end.call}, call {deed.end.seq}, at {moment(deed.end.lo, day=False)}: never visible"
    return f"in a unit of work, visible since {deed.end.call}, call {deed.end.seq}, at {moment(deed.end.lo, day=False)}"


def _after_take(deed: Deed) -> str:
    if deed.in_unit is None:
        return "whether in a unit of work was not captured"
    if not deed.in_unit:
        return "removed for good at once"
    if deed.end is None:
        return _open_unit(deed, "which holds it")
    at = f"{deed.end.call}, call {deed.end.seq}, at {moment(deed.end.lo, day=False)}"
    return f"backed out by {at}: on the queue again" if deed.end.how == "released" else f"removed for good by {at}"


def _open_unit(deed: Deed, what: str) -> str:
    if deed.unit_end is not None:
        end = deed.unit_end
        return f"in a unit of work; how {end.call}, call {end.seq}, ended it is not known"
    return f"in a unit of work whose end the log does not show, {what}"


def _after_sight(event: Event) -> tuple[str, str]:
    if event.reason == MQRC.TRUNCATED_MSG_FAILED:
        return "shown and left", f"{outcome(event)}: the buffer was too small, the message stayed"
    return "browsed", "it stayed on the queue"


def _after_lock(deed: Deed) -> str:
    if deed.lock_end is not None:
        end = deed.lock_end
        return f"unlocked by {end.call}, call {end.seq}, at {moment(end.lo, day=False)}"
    if deed.locked_until is not None:
        return f"locked at least until {moment(deed.locked_until, day=False)}; the log shows no release"
    return "how long it was locked is not known"


def _whereabouts(deeds: Sequence[Deed], ending: Ending) -> Iterator[Whereabouts]:
    """Yield where a message is at the end of the log, for each queue on which it was last seen."""
    queues: dict[Queue, list[Deed]] = {}
    for deed in deeds:
        queues.setdefault((deed.event.qmgr, deed.event.queue), []).append(deed)
    found = [_of_all_puts(queue, own, ending) for queue, own in queues.items()]
    ended = [each for each in found if each.state not in ("gone", "never there")]
    yield from ended or found[-1:]


def _of_all_puts(queue: Queue, deeds: Sequence[Deed], ending: Ending) -> Whereabouts:
    left = _left_of_several(_of_last_put(deeds))
    return _on_queue(queue, _of_last_put(deeds), ending) if left is None else _several(queue, deeds, left, ending)


def _name(queue: Queue) -> str:
    return queue[1] or "a queue that was not captured"


def _on_queue(queue: Queue, deeds: Sequence[Deed], ending: Ending) -> Whereabouts:
    complete, ended_us = ending.complete, ending.at_us
    name = _name(queue)
    last_take = next((deed for deed in reversed(deeds) if deed.role in (TAKE, TOUCH) and not _came_back(deed)), None)
    last_put = next((deed for deed in reversed(deeds) if deed.role in PUTS), None)
    if last_take is not None and (last_put is None or last_take.lo >= last_put.lo):
        expires = _expires_us(deeds)
        if _locks(last_take) and expires is not None and expires <= ended_us:
            return _expired(queue, name, expires, complete=complete)
        return _taken(queue, name, last_take, complete=complete)
    if last_put is not None and last_put.role == MAYBE_PUT and not _returned_later(deeds, last_put):
        told = f"may be on {name}: whether the put at {moment(last_put.lo)} took effect is not known"
        return Whereabouts("perhaps there", told, queue, last_put.event.conn, last_put.lo)
    if last_put is not None and last_put.end is not None and last_put.end.how == "undone":
        return Whereabouts("never there", f"was never on {name}: its put was backed out", queue, sure=True)
    if last_put is not None and last_put.in_unit and last_put.end is None and not _returned_later(deeds, last_put):
        conn = last_put.event.conn
        told = f"put to {name} in a unit of work of connection {conn} whose end the log does not show"
        if last_put.unit_end is not None:
            told = f"put to {name} by connection {conn}; whether {last_put.unit_end.call} committed that is not known"
        told += f", {_since(last_put.lo, ended_us)}"
        return Whereabouts("uncommitted", told, queue, conn, last_put.lo)
    return _there(queue, name, deeds, ending)


def _visible(deeds: Iterable[Deed]) -> list[Deed]:
    return [deed for deed in deeds if deed.role == PUT and (deed.end is None or deed.end.how != "undone")]


def _removed(deeds: Iterable[Deed]) -> list[Deed]:
    return [deed for deed in deeds if deed.role == TAKE and deed.end is not None and deed.end.how == "final"]


def _of_last_put(deeds: Sequence[Deed]) -> Sequence[Deed]:
    """Return what happened since the last put of a message, if all of those put before with its MsgId were removed."""
    puts = _visible(deeds)
    if len(puts) < 2:
        return deeds
    earlier = [deed for deed in deeds if deed.lo < puts[-1].lo]
    return deeds[len(earlier) :] if len(_removed(earlier)) == len(puts) - 1 else deeds


def _left_of_several(deeds: Sequence[Deed]) -> int | None:
    """Return how many of several messages that were put with one MsgId were not removed. None if none was left."""
    puts, removed = _visible(deeds), _removed(deeds)
    return len(puts) - len(removed) if len(puts) > 1 and len(puts) > len(removed) else None


def _several(queue: Queue, deeds: Sequence[Deed], left: int, ending: Ending) -> Whereabouts:
    """Return that some of several messages with one MsgId may be on a queue."""
    number, name = len(_visible(deeds)), _name(queue)
    told = (
        f"{left} of {number} messages that were put to {name} with this MsgId {'was' if left == 1 else 'were'} not got"
    )
    expired = [deed for deed in deeds if deed.lives_until is not None and deed.lives_until <= ending.at_us]
    perhaps = ["what had an Expiry may have expired"] if expired else []
    perhaps += ending.unseen.reasons(queue, deeds, ending.at_us)
    if not ending.complete:
        perhaps.append("a call that the log lacks may have got it since")
    return Whereabouts("several", "; ".join([told, *perhaps]), queue)


def _locks(deed: Deed) -> bool:
    """Return whether a call locked its message."""
    return deed.role == TOUCH and bool(deed.asks & MQGMO.LOCK)


def _expired(queue: Queue, name: str, expires: int, *, complete: bool) -> Whereabouts:
    """Return the whereabouts of an expired message; a locked message expires too (EXP-28)."""
    told = f"expired on {name} at {moment(expires)}: it is never returned again (EXP-09)"
    return Whereabouts("expired", told, queue, since_us=expires, sure=complete)


def _came_back(deed: Deed) -> bool:
    return (deed.end is not None and deed.end.how == "released") or deed.lock_end is not None


def _returned_later(deeds: Sequence[Deed], put: Deed) -> bool:
    return any(deed.role in (TAKE, SIGHT, TOUCH) and deed.lo >= put.lo for deed in deeds)


def _taken(queue: Queue, name: str, take: Deed, *, complete: bool) -> Whereabouts:
    event, conn = take.event, take.event.conn
    if take.role == TAKE and take.end is not None:
        itself = (take.end.conn, take.end.seq) == (conn, event.seq)
        final_us = take.end.lo if not itself or not take.asks & MQGMO.WAIT else take.hi
        told = f"gone from {name}: got by connection {conn}, final since {moment(final_us)}"
        return Whereabouts("gone", told, queue, conn, final_us, sure=True)
    if take.role == TAKE and take.in_unit:
        told = f"held by connection {conn}, which got it from {name} at {moment(take.lo)}"
        told += " in a unit of work whose end the log does not show"
        if take.unit_end is not None:
            told = f"got from {name} by connection {conn} at {moment(take.lo)}"
            told += f"; whether {take.unit_end.call} committed that is not known"
        return Whereabouts("held", told, queue, conn, take.lo, sure=complete and take.unit_end is None)
    if _locks(take):
        told = f"on {name}, locked by connection {conn} since {moment(take.lo)}; the log shows no release"
        return Whereabouts("locked", told, queue, conn, take.lo)
    told = f"may have been got from {name} by connection {conn} at {moment(take.lo)}: {outcome(event)}"
    return Whereabouts("perhaps gone", told, queue, conn, take.lo)


def _there(queue: Queue, name: str, deeds: Sequence[Deed], ending: Ending) -> Whereabouts:
    released = [deed.end.lo for deed in deeds if deed.role in (TAKE, SIGHT, TOUCH) and deed.end is not None]
    visible = [deed.end.lo for deed in deeds if deed.role == PUT and deed.end is not None]
    backs = sum(deed.role == TAKE and _came_back(deed) for deed in deeds)
    since = max([*visible, *released] if backs else (visible or released), default=deeds[0].lo)
    told = f"on {name} since {moment(since)}"
    if backs:
        told = f"on {name} again since {moment(since)}, backed out {backs} {'time' if backs == 1 else 'times'}"
    expires = _expires_us(deeds)
    if expires is not None and expires <= ending.at_us:
        return _expired(queue, name, expires, complete=ending.complete)
    if expires is not None:
        told += f", expires at {moment(expires)}"
    perhaps = list(ending.unseen.reasons(queue, deeds, ending.at_us))
    if not ending.complete:
        perhaps.append("a call that the log lacks may have got it since")
    told = "; ".join([told, *perhaps])
    return Whereabouts("there", told, queue, since_us=since, sure=not perhaps)


def _expires_us(deeds: Sequence[Deed]) -> int | None:
    """Return the time until which a message surely lives, by its put or the last call that returned it."""
    return next((deed.lives_until for deed in reversed(deeds) if deed.lives_until is not None), None)


def _since(us: int, ended_us: int) -> str:
    return f"since {moment(us)}, {duration(max(0, ended_us - us))} before the log's end"
