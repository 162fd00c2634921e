"""The replay of an event log that has every call, begins with empty queues and fixes one order of its calls.

What a log does not have is unknown: data besides their digest, the values of MQINQ and MQSET, the queue manager's
attributes, times of day in messages. The replay assumes that the queue manager ran throughout.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from oracle.errors import BadInputError, Place
from oracle.histories.event_log import DepthHeader, Event, LogHeader, QueueHeader, Record, read_lines
from oracle.mqi.definitions import QueueDefinition, define
from oracle.replay.log_follower import LogFollower
from oracle.replay.log_order import in_order
from oracle.replay.steps import Replayed, UndecidedError, at

_NEEDED: Final = (
    "MsgDeliverySequence",
    "DefPriority",
    "DefPersistence",
    "MaxQDepth",
    "MaxMsgLength",
    "InhibitGet",
    "InhibitPut",
    "Usage",
    "Shareability",
    "CAPEXPRY",
)
"""The attributes without which a queue's behaviour is not known."""


@dataclass
class _Log:
    """An event log as read. `unusable` has the reason why a queue's calls cannot be judged."""

    header: LogHeader
    events: list[Event]
    definitions: dict[str, QueueDefinition] = field(default_factory=dict)
    unusable: dict[str, str] = field(default_factory=dict)


def replay_log(lines: Iterable[str], source: str) -> Iterator[Replayed]:
    """Yield what each call of an event log shows, up to the first departure.

    Raises BadInputError if the input is not an event log of one queue manager, and UndecidedError, before or at the
    call concerned, for what the log does not decide.
    """
    log = _read(lines, source)
    last = {event.conn: event.start_us for event in log.events}
    follower = LogFollower(log.header, log.definitions, log.unusable, last)
    follower.begin(log.events[0].start_us, widest_us(log.events))
    for event in log.events:
        for step in follower.follow(event):
            yield step
            if step.departs:
                return


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


_MOVES: Final = ("MQPUT", "MQPUT1", "MQGET", "CALLBACK")
_NOT_IN_A_LOG = (
    ("Usage", "NORMAL", "it is a transmission queue, and a log does not hold the headers of its messages"),
    ("DefinitionType", "PREDEFINED", "it is a dynamic queue, and a log does not show how it came to be"),
    ("TriggerControl", 0, "it triggers, and a log does not show whether its initiation queue is served"),
)
"""Attributes with other values than these, with which a queue does what no log shows."""


def _define_queues(log: _Log, records: Sequence[Record]) -> None:
    """Define the queues with sufficient headers, and note what the others lack."""
    depths = (record for record in records if isinstance(record, DepthHeader))
    empty = {
        header.queue
        for header in depths
        if header.depth == 0 and header.at_us <= _first_move_us(log, header.queue) + 2 * log.header.clock_us
    }
    for record in records:
        if not isinstance(record, QueueHeader) or record.of_queue_manager:
            continue
        if record.kind == "alias":
            if (alias := alias_of(record)) is not None:
                log.definitions[alias.name] = alias
            continue
        known = (
            definition_of(record) if record.queue in empty else "no header says that it was empty when the log began"
        )
        if isinstance(known, QueueDefinition):
            log.definitions[record.queue] = known
        else:
            log.unusable[record.queue] = known


def _first_move_us(log: _Log, queue: str) -> float:
    """Return when the first call that may have moved messages of a queue began: until then it was unchanged."""
    moves = (event for event in log.events if event.call in _MOVES and event.queue in (queue, None))
    return min((event.start_us for event in moves), default=math.inf)


def definition_of(header: QueueHeader) -> QueueDefinition | str:
    """Return the queue that a header defines, or the reason why it is not enough to judge the queue's calls.

    Raises BadInputError for an attribute that no queue has.
    """
    why = _why_unusable(header.attributes)
    if why is not None:
        return why
    definition = define(QueueDefinition, {**header.attributes, "name": header.queue}, any_name=True)
    if definition.type == "remote" and not definition.rqmname:
        return "it is a remote definition, and its header does not name the queue manager"
    return definition


_NEEDED_OF_ALIASES: Final = ("target", "DefPriority", "DefPersistence", "InhibitGet", "InhibitPut", "CAPEXPRY")


def alias_of(header: QueueHeader) -> QueueDefinition | None:
    """Return the alias that a header defines; None if the header lacks an attribute that counts.

    Raises BadInputError for an attribute that no queue has.
    """
    if any(header.attributes.get(name) is None for name in _NEEDED_OF_ALIASES):
        return None
    return define(QueueDefinition, {**header.attributes, "name": header.queue}, any_name=True)


def _why_unusable(attributes: Mapping[str, object]) -> str | None:
    missing = [name for name in _NEEDED if name not in attributes]
    if missing:
        return f"its header does not give {missing[0]}"
    return next((why for name, plain, why in _NOT_IN_A_LOG if attributes.get(name, plain) != plain), None)


def widest_us(events: Iterable[Event]) -> int:
    """Return the length of the longest interval of any of the calls."""
    return max(event.end_us - event.start_us for event in events)
