"""Replaying an event log: only one that holds every call, begins with empty queues and fixes one order of its calls.

What a log does not hold is unknown: data beside their digest, the values of MQINQ and MQSET, the queue manager's
attributes, times of day in messages. An application may die without a record, so a connection that makes no more calls
and did not disconnect may be gone from then on. That the queue manager ran throughout is taken for granted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from oracle.calls import Advance, Fail, MqiCall
from oracle.constants import MQCC, MQGMO, MQRC
from oracle.definitions import QueueDefinition, QueueManagerDefinition, define
from oracle.errors import BadInputError, Place
from oracle.event_log import DepthHeader, Event, LogHeader, QueueHeader, Record, read_lines
from oracle.follow import Follower
from oracle.model.queue_manager import new_state, outcomes
from oracle.profile import Profile
from oracle.protocol import ObservedReply
from oracle.replay.describe import describe
from oracle.replay.log_calls import LONGEST, Puts, call_of, need, observed_of
from oracle.replay.log_order import in_order, place_of
from oracle.replay.steps import Replayed, UndecidedError, at, follow

_NEEDED: Final = (
    "MsgDeliverySequence", "DefPriority", "DefPersistence", "MaxQDepth", "MaxMsgLength", "InhibitGet", "InhibitPut",
    "Usage", "Shareability", "CAPEXPRY",
)  # fmt: skip
"""The attributes without which a queue's behaviour cannot be told."""

_NO_LIMITS: Final = {"MaxMsgLength": LONGEST, "MaxUncommittedMsgs": 999_999_999}
"""Attributes of a queue manager that allow whatever its own may allow."""


@dataclass
class _Log:
    """An event log as read: `unusable` says of a queue why its calls cannot be judged."""

    header: LogHeader
    events: list[Event]
    definitions: dict[str, QueueDefinition] = field(default_factory=dict)
    unusable: dict[str, str] = field(default_factory=dict)


def replay_log(lines: Iterable[str], source: str) -> Iterator[Replayed]:
    """Yield what each call of an event log shows, up to the first departure.

    Raises BadInputError for what is not an event log of one queue manager, UndecidedError, before or at the call
    concerned, for what the log does not decide.
    """
    log = _read(lines, source)
    profile = Profile(platform=log.header.platform, expiry_tolerance_ms=1000 + _uncertainty_ms(log))
    manager = define(QueueManagerDefinition, _NO_LIMITS)
    follower = Follower(new_state(log.definitions.values(), manager, profile))
    last = {event.conn: number for number, event in enumerate(log.events)}
    silent: set[str] = set()
    connected: set[str] = set()
    puts: Puts = {}
    for number, event in enumerate(log.events):
        place = place_of(event)
        if event.call != "MQCONN" and event.conn not in connected:
            raise UndecidedError(f"connection {event.conn} began before the log", place)
        connected.add(event.conn)
        _refuse_unknown_queue(event, log, place)
        call, seen = call_of(event, place, number + 1), observed_of(event, place, puts)
        with at(place):
            _let_silent_ones_die(follower, silent)
            _pass_time(follower, (event.start_us - log.events[0].start_us) // 1000)
        for step in _follow(follower, event, call, seen, log.header.clock_us):
            yield step
            if step.departs:
                return
        if event.call in ("MQPUT", "MQPUT1") and event.comp_code != MQCC.FAILED:
            msg_id = str(event.msg_id)
            puts[msg_id] = puts.get(msg_id, True) and event.digest is not None
        if last[event.conn] == number and event.call != "MQDISC":
            silent.add(event.conn)


def _read(lines: Iterable[str], source: str) -> _Log:
    records: list[Record] = []
    for record in read_lines(lines, source):
        if isinstance(record, BadInputError):
            raise record
        records.append(record)
    events = [record for record in records if isinstance(record, Event)]
    header = next((record for record in records if isinstance(record, LogHeader)), LogHeader())
    managers = sorted({event.qmgr for event in events})
    if not events:
        raise BadInputError("the event log has no calls", Place(source))
    if len(managers) > 1:
        raise BadInputError(f"calls of {len(managers)} queue managers ({', '.join(managers)})", Place(source))
    if not header.complete:
        raise UndecidedError("the log does not say that it is complete, so other calls may lie between", Place(source))
    log = _Log(header, in_order(events, header.clock_us))
    with at(Place(source)):
        _define_queues(log, records)
    return log


_NOT_IN_A_LOG = (
    ("Usage", "NORMAL", "it is a transmission queue, and a log does not hold the headers of its messages"),
    ("DefinitionType", "PREDEFINED", "it is a dynamic queue, and a log does not show how it came to be"),
    ("TriggerControl", 0, "it triggers, and a log does not show whether its initiation queue is served"),
)
"""Attributes with whose other values a queue does what no log shows."""


def _define_queues(log: _Log, records: Sequence[Record]) -> None:
    """Define the queues whose headers say enough, and note of the others what is missing."""
    begin = min(event.start_us for event in log.events)
    depths = (record for record in records if isinstance(record, DepthHeader))
    empty = {header.queue for header in depths if header.depth == 0 and header.at_us <= begin}
    for record in records:
        if not isinstance(record, QueueHeader):
            continue
        why = _why_unusable(record.attributes, is_empty=record.queue in empty)
        if why is None:
            definition = define(QueueDefinition, {**record.attributes, "name": record.queue})
            if definition.type != "remote" or definition.rqmname:
                log.definitions[record.queue] = definition
                continue
            why = "it is a remote definition, and its header does not say of which queue manager"
        log.unusable[record.queue] = why


def _why_unusable(attributes: Mapping[str, object], *, is_empty: bool) -> str | None:
    missing = [name for name in _NEEDED if name not in attributes]
    if missing:
        return f"its header does not give {missing[0]}"
    for name, plain, why in _NOT_IN_A_LOG:
        if attributes.get(name, plain) != plain:
            return why
    return None if is_empty else "no header says that it was empty when the log began"


def _refuse_unknown_queue(event: Event, log: _Log, place: Place) -> None:
    if event.call not in ("MQOPEN", "MQPUT1"):
        return
    columns = need(event, place, "object_name", "queue")
    name = columns["queue"]
    if name != columns["object_name"]:
        raise UndecidedError(f"the log does not hold the definition of {columns['object_name']}", place)
    if name not in log.definitions:
        raise UndecidedError(f"queue {name}: {log.unusable.get(name, 'the log has no header for it')}", place)


def _uncertainty_ms(log: _Log) -> int:
    """Return how far two moments may be wrong together: each lies somewhere in its call's interval."""
    widest = max(event.end_us - event.start_us for event in log.events)
    return 2 * (widest + 2 * log.header.clock_us) // 1000 + 2


def _pass_time(follower: Follower, now_ms: int) -> None:
    """Bring the clock to a moment; it does not go back where a later call of a connection has an earlier time."""
    passed = now_ms - follower.states[0].now_ms
    if passed > 0:
        follower.follow(Advance(passed), ObservedReply())


def _let_silent_ones_die(follower: Follower, silent: set[str]) -> None:
    """Add the states in which applications that make no more calls have died by now."""
    for conn in sorted(silent):
        for state in list(follower.states):
            if conn in state.connections:
                dead = next(outcomes(state, Fail(conn))).state
                if dead not in follower.states:
                    follower.states.append(dead)


def _follow(follower: Follower, event: Event, call: MqiCall, seen: ObservedReply, clock_us: int) -> Iterator[Replayed]:
    """Follow a call; a get that found nothing after a wait is two steps: it waited, and its interval passed."""
    place, text = place_of(event), describe(call)
    if not _ended_a_wait(event) or not _must_wait(follower, call, place):
        yield follow(follower, call, seen, place, text)
        return
    yield follow(follower, call, ObservedReply(pending=True, partial=True), place, text)
    identity = next(iter(follower.waiting))
    passed = Advance(-(-(event.end_us - event.start_us + 2 * clock_us) // 1000))
    ended = ObservedReply(completed={identity: seen}, partial=True)
    yield follow(follower, passed, ended, place, describe(passed))


def _ended_a_wait(event: Event) -> bool:
    return bool((event.options or 0) & MQGMO.WAIT) and event.reason == MQRC.NO_MSG_AVAILABLE


def _must_wait(follower: Follower, call: MqiCall, place: Place) -> bool:
    with at(place):
        replies = [outcome.reply for outcome in follower.allowed(call)]
    waits = any(reply.pending for reply in replies)
    if waits and any(reply.reason == MQRC.NO_MSG_AVAILABLE for reply in replies if not reply.pending):
        raise UndecidedError("the log does not show whether this MQGET waited", place)
    return waits
