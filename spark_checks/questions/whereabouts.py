"""The place of a message at the end of a log: on a queue, with a connection that may have it, or gone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from oracle.mqi.constants import MQGMO
from spark_checks.preparation.absence import EXPIRY_TOLERANCE_US
from spark_checks.preparation.moves import MAYBE_PUT, PUT, PUTS, SIGHT, TAKE, TOUCH
from spark_checks.questions.deeds import Deed, End
from spark_checks.questions.deletions import Deletion, Deletions
from spark_checks.questions.outcomes import outcome
from spark_checks.questions.unseen import Queue, Unseen
from spark_checks.times import duration, moment

UNLESS_ZOS: Final = "unless the queue manager is one of z/OS, where MQGMO_MARK_SKIP_BACKOUT keeps the message got"


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
    deletions: Deletions = Deletions()
    """What may have deleted queues with their messages."""
    margin: int = 0
    """The difference, in microseconds, that two times must have for their order to be sure."""


def whereabouts(deeds: Sequence[Deed], ending: Ending) -> Iterator[Whereabouts]:
    """Yield where a message is at the end of the log, for each queue on which it was last seen."""
    queues: dict[Queue, list[Deed]] = {}
    for deed in deeds:
        queues.setdefault((deed.event.qmgr, deed.event.queue), []).append(deed)
    found = [_of_all_puts(queue, own, ending) for queue, own in queues.items()]
    ended = [each for each in found if each.state not in ("gone", "never there")]
    yield from ended or found[-1:]


def _of_all_puts(queue: Queue, deeds: Sequence[Deed], ending: Ending) -> Whereabouts:
    kept = _without_ended_locks(_without_undone_puts(deeds), ending.margin)
    since = _of_last_put(kept)
    left = _left_of_several(since)
    if left is not None:
        found = _several(queue, since, left, ending)
    else:
        found = _all_removed(queue, since, ending) or _on_queue(queue, since, ending)
    if found.sure and _others_put_time(since):
        sentence = f"{found.sentence}; that may have been another message with this MsgId, as the time of its put shows"
        found = replace(found, sentence=sentence, sure=False)
    if found.sure and found.state == "there" and ending.deletions.may_end_unseen(queue, since):
        found = replace(found, sentence=f"{found.sentence}; {_ENDS_UNSEEN}", sure=False)
    deletion = ending.deletions.of_message(queue, since)
    return found if deletion is None or found.state in _ENDED else _deleted(queue, found, deletion, ending)


def _others_put_time(deeds: Sequence[Deed]) -> bool:
    """Return whether a call returned a message that was put at another time than the only one put in the log."""
    puts = [deed.event.put_us for deed in deeds if deed.role == PUT]
    got = {deed.event.put_us for deed in deeds if deed.role in (TAKE, SIGHT, TOUCH)} - {None}
    return len(puts) == 1 and puts[0] is not None and bool(got - {puts[0]})


_ENDS_UNSEEN: Final = (
    "if this is a temporary dynamic queue that was made before the log, it ended with the application that made it"
)

_ENDED: Final = ("gone", "never there", "expired")
"""The states in which the deletion of a queue changes nothing."""


def _deleted(queue: Queue, found: Whereabouts, deletion: Deletion, ending: Ending) -> Whereabouts:
    """Return that a message is gone with its queue, or may be."""
    call = deletion.call
    if deletion.made_as is None:
        sentence = f"gone from {_name(queue)}: {deletion.sentence}"
        return Whereabouts("gone", sentence, queue, call.conn, call.start_us, sure=ending.complete)
    return replace(found, state="perhaps gone", sentence=f"{found.sentence}; {deletion.sentence}", sure=False)


def _without_undone_puts(deeds: Sequence[Deed]) -> list[Deed]:
    """Return the deeds without the puts that were backed out, if there are others: each put another message."""
    undone = [deed for deed in deeds if deed.role == PUT and _undone(deed)]
    others = any(deed.role in PUTS and deed not in undone for deed in deeds)
    return [deed for deed in deeds if not others or deed not in undone]


def _without_ended_locks(deeds: Sequence[Deed], margin: int) -> list[Deed]:
    """Return the deeds without the locks of a message that a later get took: it ended them, even if it was undone.

    Nor does a message have a lock that another connection saw later. If several messages had the MsgId, that may have
    been another one.
    """
    only = len(_visible(deeds)) < 2

    def ended(lock: Deed) -> bool:
        later = [deed for deed in deeds if surely_later(deed, lock, margin)]
        return only and any(deed.role == TAKE or _shows_to_another(deed, lock) for deed in later)

    return [deed for deed in deeds if not _locks(deed) or not ended(deed)]


def _shows_to_another(deed: Deed, lock: Deed) -> bool:
    seen = deed.role == SIGHT or _locks(deed)
    return seen and (deed.event.qmgr, deed.event.conn) != (lock.event.qmgr, lock.event.conn)


def surely_later(deed: Deed, before: Deed, margin: int) -> bool:
    """Return whether a call surely took effect after another one."""
    if (deed.event.qmgr, deed.event.conn) == (before.event.qmgr, before.event.conn):
        return deed.event.seq > before.event.seq
    return before.hi + margin < deed.lo


def _all_removed(queue: Queue, deeds: Sequence[Deed], ending: Ending) -> Whereabouts | None:
    """Return that all of several messages with one MsgId are gone, None if that is not so.

    Their puts and gets overlap, so that the last get may seem to come before the last put.
    """
    puts, removed = _visible(deeds), _removed(deeds)
    if len(puts) < 2 or len(removed) < len(puts):
        return None
    found = _taken(queue, _name(queue), max(removed, key=lambda deed: deed.hi), complete=ending.complete)
    return replace(found, sure=found.sure and all(deed.hi >= puts[-1].lo for deed in removed[-1:]))


def _name(queue: Queue) -> str:
    return queue[1] or "a queue that was not captured"


def _on_queue(queue: Queue, deeds: Sequence[Deed], ending: Ending) -> Whereabouts:
    name = _name(queue)
    last_take = next((deed for deed in reversed(deeds) if deed.role in (TAKE, TOUCH) and not _came_back(deed)), None)
    last_put = next((deed for deed in reversed(deeds) if deed.role in PUTS), None)
    if last_put is not None and _undone(last_put) and any(_may_outlast(deed, last_put) for deed in deeds):
        return _kept_by_skip(queue, name, last_put)
    if last_put is not None and _undone(last_put) and all(_by_its_connection(deed, last_put) for deed in deeds):
        return Whereabouts("never there", f"was never on {name}: its put was backed out", queue, sure=ending.complete)
    if last_put is not None and _seen_by_putter_only(deeds, last_put):
        return _uncommitted(queue, name, last_put, ending)
    if last_take is not None and (last_put is None or last_take.lo >= last_put.lo):
        return _since_take(queue, deeds, last_take, ending)
    if last_put is not None and last_put.role == MAYBE_PUT and not _returned_later(deeds, last_put):
        sentence = f"may be on {name}: whether the put at {moment(last_put.lo)} took effect is not known"
        return Whereabouts("perhaps there", sentence, queue, last_put.event.conn, last_put.lo)
    return _there(queue, name, deeds, ending)


def _since_take(queue: Queue, deeds: Sequence[Deed], take: Deed, ending: Ending) -> Whereabouts:
    """Return where a message is that a call got or locked, as far as the log does not show that it came back."""
    name, expires = _name(queue), _expires_us(deeds)
    expired = expires is not None and expires <= ending.at_us
    if expires is not None and expired and _locks(take):
        return _expired(queue, name, expires, ending)
    seen = _seen_again(deeds, take, ending.margin)
    if seen is not None and not expired:
        return _back_unseen(queue, name, take, seen, ending.at_us)
    return _taken(queue, name, take, complete=ending.complete)


def _uncommitted(queue: Queue, name: str, put: Deed, ending: Ending) -> Whereabouts:
    conn = put.event.conn
    sentence = f"put to {name} in a unit of work of connection {conn} whose end the log does not show"
    if put.unit_end is not None:
        sentence = f"put to {name} by connection {conn}; how {_call(put.unit_end)} ended its unit of work is not known"
    sentence += f", {_since(put.lo, ending.at_us)}"
    expires = put.lives_until
    if expires is not None and expires <= ending.at_us:
        sentence += f"; it expired at {moment(expires)}"
    return Whereabouts("uncommitted", sentence, queue, conn, put.lo)


def _seen_again(deeds: Sequence[Deed], take: Deed, margin: int) -> Deed | None:
    """Return the last call that saw a message on the queue after a get whose end is not known; None without one."""
    if take.role != TAKE or take.end is not None or len(_visible(deeds)) > 1:
        return None
    return next((deed for deed in reversed(deeds) if deed.role == SIGHT and surely_later(deed, take, margin)), None)


def _back_unseen(queue: Queue, name: str, take: Deed, seen: Deed, ended_us: int) -> Whereabouts:
    """Return that a message came back to the queue, as a backout of the unit of work of a dead application does."""
    got = f"connection {take.event.conn} had got it at {moment(take.lo)}, and the log does not show how that was undone"
    sentence = f"on {name} again, seen there at {moment(seen.lo)}: {got}, {_since(seen.lo, ended_us)}"
    return Whereabouts("there", sentence, queue, since_us=seen.lo)


def _visible(deeds: Iterable[Deed]) -> list[Deed]:
    return [deed for deed in deeds if deed.role == PUT and not _undone(deed)]


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
    held = [deed for deed in deeds if deed.role == TAKE and deed.end is None]
    left -= len(held)
    if left <= 0:
        return _taken(queue, _name(queue), held[-1], complete=False)
    number, name = len(_visible(deeds)), _name(queue)
    sentence = (
        f"{left} of {number} messages that were put to {name} with this MsgId {'was' if left == 1 else 'were'} not got"
    )
    expired = [deed for deed in deeds if deed.lives_until is not None and deed.lives_until <= ending.at_us]
    perhaps = ["what had an Expiry may have expired"] if expired else []
    unit = "in a unit of work whose end the log does not show"
    perhaps += [f"connection {deed.event.conn} got another one {unit}" for deed in held]
    perhaps += ending.unseen.reasons(queue, deeds, ending.at_us)
    if not ending.complete:
        perhaps.append("a call that the log lacks may have got it since")
    return Whereabouts("several", "; ".join([sentence, *perhaps]), queue)


def _locks(deed: Deed) -> bool:
    """Return whether a call locked its message."""
    return deed.role == TOUCH and bool(deed.asks & MQGMO.LOCK)


def _expired(queue: Queue, name: str, expires: int, ending: Ending) -> Whereabouts:
    """Return the whereabouts of an expired message; a locked message expires too (EXP-28).

    That is sure only some time later, because a queue manager keeps to such times approximately (EXP-08).
    """
    sentence = f"expired on {name} at {moment(expires)}: it is never returned again (EXP-09)"
    surely = expires + EXPIRY_TOLERANCE_US + ending.margin <= ending.at_us
    return Whereabouts("expired", sentence, queue, since_us=expires, sure=ending.complete and surely)


def _came_back(deed: Deed) -> bool:
    return (deed.end is not None and deed.end.how == "released") or deed.lock_end is not None


def _seen_by_putter_only(deeds: Sequence[Deed], put: Deed) -> bool:
    """Return whether a message was put in a unit of work whose end is not known, and no other connection saw it since.

    Its own connection sees, locks and gets it before the commit, too.
    """
    later = [deed for deed in deeds if deed.role in (TAKE, SIGHT, TOUCH) and deed.lo >= put.lo]
    there = put.role == PUT or any(deed.role != TOUCH or _locks(deed) for deed in later)
    mine = all(_by_its_connection(deed, put) and deed.role != TAKE for deed in later)
    return bool(put.in_unit) and put.end is None and there and mine


def _may_outlast(deed: Deed, put: Deed) -> bool:
    """Return whether a get in the unit of work of a put that was undone may have kept the message (AMB-102)."""
    together = deed.skipped is not None and put.end is not None and deed.skipped.seq == put.end.seq
    return together and deed.end is None and deed.event.conn == put.event.conn


def _kept_by_skip(queue: Queue, name: str, put: Deed) -> Whereabouts:
    conn = put.event.conn
    sentence = (
        f"put to {name} and got by connection {conn} in a unit of work that was backed out; whether that took the "
    )
    sentence += "message into the next unit of work, by MQGMO_MARK_SKIP_BACKOUT, is open"
    return Whereabouts("perhaps gone", sentence, queue, conn, put.lo)


def _by_its_connection(deed: Deed, put: Deed) -> bool:
    """Return whether a call was made by the connection that put the message, or before that."""
    return deed.event.conn == put.event.conn or deed.lo < put.lo


def _undone(put: Deed) -> bool:
    return put.end is not None and put.end.how == "undone"


def _returned_later(deeds: Sequence[Deed], put: Deed) -> bool:
    return any(deed.role in (TAKE, SIGHT, TOUCH) and deed.lo >= put.lo for deed in deeds)


def _taken(queue: Queue, name: str, take: Deed, *, complete: bool) -> Whereabouts:
    event, conn = take.event, take.event.conn
    if take.role == TAKE and take.end is not None:
        itself = (take.end.conn, take.end.seq) == (conn, event.seq)
        final_us = take.end.lo if not itself or not take.asks & MQGMO.WAIT else take.hi
        sentence = f"gone from {name}: got by connection {conn}, final since {moment(final_us)}"
        return Whereabouts("gone", sentence, queue, conn, final_us, sure=complete or itself)
    if take.role == TAKE and take.in_unit:
        sentence = f"held by connection {conn}, which got it from {name} at {moment(take.lo)}"
        sentence += " in a unit of work whose end the log does not show"
        if take.unit_end is not None:
            sentence = f"got from {name} by connection {conn} at {moment(take.lo)}"
            sentence += f"; how {_call(take.unit_end)} ended its unit of work is not known"
        return Whereabouts("held", sentence, queue, conn, take.lo)
    if _locks(take):
        sentence = f"on {name}, locked by connection {conn} since {moment(take.lo)}; the log shows no release"
        return Whereabouts("locked", sentence, queue, conn, take.lo)
    sentence = f"may have been got from {name} by connection {conn} at {moment(take.lo)}: {outcome(event)}"
    return Whereabouts("perhaps gone", sentence, queue, conn, take.lo)


def _call(end: End) -> str:
    return f"{end.call}, call {end.seq},"


def _there(queue: Queue, name: str, deeds: Sequence[Deed], ending: Ending) -> Whereabouts:
    released = [deed.end.lo for deed in deeds if deed.role == TAKE and deed.end is not None and _came_back(deed)]
    visible = [deed.end.lo for deed in deeds if deed.role == PUT and deed.end is not None]
    backs = sum(deed.role == TAKE and _came_back(deed) for deed in deeds)
    since = max([*visible, *released] if backs else visible, default=deeds[0].lo)
    sentence = f"on {name} since {moment(since)}"
    put = any(deed.role in PUTS for deed in deeds)
    if backs:
        sentence = f"on {name} again since {moment(since)}, backed out {backs} {'time' if backs == 1 else 'times'}"
    elif not put:
        sentence = f"on {name}, first seen there at {moment(since)}; the log does not show its put"
    expires = _expires_us(deeds)
    if expires is not None and expires <= ending.at_us:
        return _expired(queue, name, expires, ending)
    perhaps = list(ending.unseen.reasons(queue, deeds, ending.at_us))
    state = "there"
    if expires is not None:
        sentence += f", expires at {moment(expires)}"
        if expires - EXPIRY_TOLERANCE_US <= ending.at_us:
            state = "perhaps gone"
            perhaps.append("such times are approximate (EXP-08), so it may have expired already")
    if any(deed.may_skip for deed in deeds):
        perhaps.append(UNLESS_ZOS)
    if not ending.complete:
        perhaps.append("a call that the log lacks may have got it since")
    sentence = "; ".join([sentence, *perhaps])
    return Whereabouts(state, sentence, queue, since_us=since, sure=put and not perhaps)


def _expires_us(deeds: Sequence[Deed]) -> int | None:
    """Return the time until which a message surely lives, by its put or the last call that returned it."""
    return next((deed.lives_until for deed in reversed(deeds) if deed.lives_until is not None), None)


def _since(us: int, ended_us: int) -> str:
    return f"since {moment(us)}, {duration(max(0, ended_us - us))} before the log's end"
