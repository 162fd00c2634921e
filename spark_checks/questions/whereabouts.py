"""The place of a message at the end of a log: on a queue, with a connection that may have it, or gone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from oracle.mqi.constants import MQGMO
from spark_checks.preparation.moves import MAYBE_PUT, PUT, PUTS, SIGHT, TAKE, TOUCH
from spark_checks.questions.deeds import Deed
from spark_checks.questions.outcomes import outcome
from spark_checks.questions.unseen import Queue, Unseen
from spark_checks.times import duration, moment


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


@dataclass(frozen=True)
class Ending:
    """The known facts of the log's end."""

    at_us: int
    """The time at which the log ended."""
    complete: bool
    """Whether the log has every call of its time."""
    unseen: Unseen
    """What may have taken messages away unseen."""


def whereabouts(deeds: Sequence[Deed], ending: Ending) -> Iterator[Whereabouts]:
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
