"""The life of a message, step by step, as the calls of a log show it.

A message has its MsgId on every queue on which it has been; a queue manager keeps it when a message moves on. The
effect of a call and the end of its unit of work are those that the checks of the audit use (spark_checks.preparation).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from oracle.histories.event_log import Event
from oracle.mqi.constants import MQGMO, MQMT, MQPER, MQRC, NULL_ID
from spark_checks.preparation.absence import EXPIRY_TOLERANCE_US
from spark_checks.preparation.moves import GLANCE, MAYBE_PUT, PUT, PUTS, RETURNS, SIGHT, TAKE, TOUCH
from spark_checks.questions.deeds import Deed, End
from spark_checks.questions.outcomes import outcome
from spark_checks.questions.unseen import Queue
from spark_checks.questions.whereabouts import UNLESS_ZOS, Ending, Whereabouts, surely_later, whereabouts
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


def life_of(msg_id: str, relation: str, deeds: Iterable[Deed], ending: Ending, margin: int) -> Life:
    """Return the life of a message. `margin` is the uncertainty of the log's clock."""
    own = _behind_put([deed for deed in deeds if shows(deed.event, msg_id) or asked_for(deed.event, msg_id)])
    life = Life(msg_id, relation)
    before: Deed | None = None
    for deed in own:
        unsure = None if before is None or _surely_after(deed, before, margin) else EITHER
        life.steps.append(Step(deed, *_in_words(deed, own, ending), unsure))
        before = deed
    life.now = list(whereabouts([deed for deed in own if deed.role in _SHOWS], ending))
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


def _seen_before(put: Deed, own: Sequence[Deed], margin: int) -> bool:
    """Return whether another connection surely got the message of a put before the unit of work of that seems to end.

    Several messages may have the identifier.
    """
    queue = (put.event.qmgr, put.event.queue)
    others = [deed for deed in own if deed is not put and (deed.event.qmgr, deed.event.queue) == queue]
    got = [deed for deed in others if deed.role in RETURNS and deed.event.conn != put.event.conn]
    early = any(put.end is None or deed.hi + margin < put.end.lo for deed in got)
    return bool(put.in_unit) and early and all(deed.role not in PUTS for deed in others)


def _in_words(deed: Deed, own: Sequence[Deed], ending: Ending) -> tuple[str, str, str]:
    """Return a call's kind in a picture, what it did, and the consequence. `own` are all calls about the message."""
    event = deed.event
    if deed.role == PUT and not ending.complete and _seen_before(deed, own, ending.margin):
        return "put", f"put{_properties(event)}", "in a unit of work; the log lacks the call that ended it"
    if deed.role == PUT:
        return "put", f"put{_properties(event)}", _after_put(deed, own, complete=ending.complete)
    if deed.role == MAYBE_PUT:
        return "maybe", "perhaps put", f"whether the put took effect is not known: {outcome(event)}"
    if deed.role == TAKE:
        return "get", f"got{_returned(event)}", _after_take(deed, complete=ending.complete)
    return _told_of_others(deed, own, ending)


def _told_of_others(deed: Deed, own: Sequence[Deed], ending: Ending) -> tuple[str, str, str]:
    event = deed.event
    if deed.role == SIGHT:
        return ("browse", *_after_sight(event))
    if deed.role == TOUCH:
        return _after_touch(deed, own, ending)
    if deed.role == GLANCE:
        return "browse", "perhaps browsed", outcome(event)
    if event.call in ("MQPUT", "MQPUT1"):
        return "failed", "was to be put, and was not", outcome(event)
    return "failed", "asked for by its MsgId, not returned", outcome(event)


def _after_touch(deed: Deed, own: Sequence[Deed], ending: Ending) -> tuple[str, str, str]:
    if deed.asks & MQGMO.LOCK:
        return "lock", "browsed and locked", _after_lock(deed, own, ending)
    return "maybe", "perhaps got", f"the log does not show what the call did: {outcome(deed.event)}"


def _properties(event: Event) -> str:
    properties = []
    if event.persistence in (MQPER.NOT_PERSISTENT, MQPER.PERSISTENT):
        properties.append("persistent" if event.persistence == MQPER.PERSISTENT else "not persistent")
    if event.priority is not None and event.priority >= 0:
        properties.append(f"priority {event.priority}")
    if event.expiry is not None and event.expiry > 0:
        properties.append(f"expires after {duration(event.expiry * 100_000)}")
    if event.length is not None:
        properties.append(f"{event.length:,} bytes")
    if event.msg_type == MQMT.REPORT:
        properties.append(f"a report, feedback {event.feedback}")
    return f" ({', '.join(properties)})" if properties else ""


def _returned(event: Event) -> str:
    return f" (BackoutCount {event.backout_count})" if event.backout_count else ""


def _after_put(deed: Deed, own: Sequence[Deed], *, complete: bool) -> str:
    if deed.in_unit is None:
        return "whether in a unit of work was not captured"
    if not deed.in_unit:
        return "visible to all at once"
    if deed.end is None:
        return _open_unit(deed, "so nobody else sees it")
    if deed.end.how == "undone":
        return f"backed out by {_at(deed.end)}: never visible{_perhaps(deed.end, complete=complete)}"
    return _after_commit(deed, deed.end, own) + _perhaps(deed.end, complete=complete)


def _after_commit(deed: Deed, end: End, own: Sequence[Deed]) -> str:
    """Return what became of a put when its unit of work was committed: by then the message may have been gone."""
    taken = next((each for each in own if _takes_own(each, deed)), None)
    if taken is not None:
        return f"in a unit of work; call {taken.event.seq} of the connection got it before {_at(end)}, ended that"
    if deed.lives_until is not None and deed.lives_until + EXPIRY_TOLERANCE_US < end.lo:
        return f"in a unit of work; it had expired when {_at(end)}, ended that"
    return f"in a unit of work, visible since {_at(end)}"


def _takes_own(take: Deed, put: Deed) -> bool:
    """Return whether the connection that put a message got it for good within the unit of work of the put."""
    same = (take.event.qmgr, take.event.conn, take.event.queue) == (put.event.qmgr, put.event.conn, put.event.queue)
    assert put.end is not None  # asked before
    return take.role == TAKE and same and put.event.seq < take.event.seq < put.end.seq


def _after_take(deed: Deed, *, complete: bool) -> str:
    if deed.in_unit is None:
        return "whether in a unit of work was not captured"
    if not deed.in_unit:
        return "removed for good at once"
    skipped = "" if deed.skipped is None else f"it skipped the backout by {_at(deed.skipped)}; "
    if deed.end is None:
        return skipped + _open_unit(deed, "which holds it")
    doubt = _perhaps(deed.end, complete=complete)
    if deed.end.how == "released":
        sentence = f"{skipped}backed out by {_at(deed.end)}: on the queue again"
        return f"{sentence}, {UNLESS_ZOS}" if deed.may_skip else sentence
    return f"{skipped}removed for good by {_at(deed.end)}{doubt}"


def _at(end: End) -> str:
    return f"{end.call}, call {end.seq}, at {moment(end.lo, day=False)}"


def _perhaps(end: End, *, complete: bool) -> str:
    """Return the doubt that an incomplete log leaves about a unit of work that MQDISC seems to end."""
    return "" if complete or end.call != "MQDISC" else "; the log may lack an MQCMIT or MQBACK before it"


def _open_unit(deed: Deed, what: str) -> str:
    if deed.unit_end is not None:
        end = deed.unit_end
        return f"in a unit of work; how {end.call}, call {end.seq}, ended it is not known"
    return f"in a unit of work whose end the log does not show, {what}"


def _after_sight(event: Event) -> tuple[str, str]:
    if event.reason == MQRC.TRUNCATED_MSG_FAILED:
        return "shown and left", f"{outcome(event)}: the buffer was too small, the message stayed"
    return "browsed", "it stayed on the queue"


def _after_lock(deed: Deed, own: Sequence[Deed], ending: Ending) -> str:
    gets = [each for each in own if each.role == TAKE and each.event.queue == deed.event.queue]
    several = sum(each.role in PUTS and each.event.queue == deed.event.queue for each in own) > 1
    later = [] if several else [each for each in gets if surely_later(each, deed, ending.margin)]
    end = deed.lock_end
    if later and (end is None or _came_first(later[0], end)):
        return f"the lock ended when connection {later[0].event.conn}, call {later[0].event.seq}, got the message"
    if end is not None:
        return f"unlocked by {_at(end)}"
    if deed.locked_until is not None:
        return f"locked at least until {moment(deed.locked_until, day=False)}; the log shows no release"
    return "how long it was locked is not known"


def _came_first(deed: Deed, end: End) -> bool:
    return deed.event.seq < end.seq if deed.event.conn == end.conn else deed.lo < end.lo
