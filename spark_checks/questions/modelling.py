"""The model's state that corresponds to the log at one time: the queue, its messages, the handle.

An attribute of a queue that no header gives has its default.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from oracle.errors import BadInputError
from oracle.histories.event_log import Event, QueueHeader
from oracle.model.connections import Connection
from oracle.model.handles import GroupInformation, Handle, ends_group
from oracle.model.messages.messages import FRONT, Message, Position
from oracle.model.queue_manager import new_state
from oracle.model.requests.option_matrix import BROWSE
from oracle.model.state import State
from oracle.mqi.calls import Get
from oracle.mqi.constants import MQEI, MQGMO, MQMF, MQMO, MQOO, MQPER, MQWI, NULL_ID
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition, define
from oracle.mqi.profile import Profile
from oracle.mqi.structures import GetMessageOptions, MessageDescriptor
from spark_checks.preparation.facts import attributes_of
from spark_checks.questions.evidence import Evidence
from spark_checks.questions.handles import History, returned
from spark_checks.questions.stock import Held, Moment, Stock

_EXPIRY_TOLERANCE_MS: Final = 1000
_ANYTHING: Final = int(MQOO.INPUT_SHARED | MQOO.BROWSE | MQOO.OUTPUT)
_NO_HANDLE: Final = 0
_STEP: Final = 2
"""The distance between messages in the model, which leaves places for messages that are gone."""


@dataclass
class Modelled:
    """The oracle's model at a call of the log."""

    state: State
    """The state of the queue manager just before the call."""
    call: Get
    """The call."""
    places: dict[Position, Held] = field(default_factory=dict)
    """The message of the stock at each place of the queue."""
    assumed: list[str] = field(default_factory=list)
    """The assumptions of the state about what the log does not show: sentences."""


def definition_from(evidence: Evidence, event: Event) -> tuple[QueueDefinition, list[str]]:
    """Return the definition of a call's queue as far as headers give it, and the assumptions."""
    name = event.queue or "?"
    attributes: dict[str, Any] = {}
    for header in evidence.headers:
        if isinstance(header, QueueHeader) and (header.qmgr, header.queue) == (event.qmgr, event.queue):
            attributes |= attributes_of(header)
    assumed = []
    if "MsgDeliverySequence" not in attributes:
        assumed.append("MsgDeliverySequence of the queue is not known: taken as PRIORITY")
    try:
        return define(QueueDefinition, {**attributes, "name": name}, any_name=True), assumed
    except BadInputError:
        plain = define(QueueDefinition, {"name": name}, any_name=True)
        return plain, [*assumed, "the queue's definition is not one that a queue has"]


def modelled(evidence: Evidence, event: Event, stock: Stock, history: History, when: Moment) -> Modelled:
    """Return the model's state when an MQGET looked for a message."""
    definition, assumed = definition_from(evidence, event)
    profile = Profile(platform=evidence.facts.platform, expiry_tolerance_ms=_EXPIRY_TOLERANCE_MS)
    state = new_state([definition], define(QueueManagerDefinition, {}), profile).copy()
    first_us = min([event.start_us, *(one.deeds[0].lo for one in stock.held)])
    state.now_ms = max(0, (when.hi - first_us) // 1000)
    hobj = event.hobj if event.hobj is not None else _NO_HANDLE
    opened = history.opened
    options = _ANYTHING if opened is None or opened.event.options is None else opened.event.options
    handle = Handle(event.conn, hobj, (definition.name,), options)
    state.handles[handle.key] = handle
    state.connections[event.conn] = Connection(event.conn)
    found = Modelled(state, call_from(event), assumed=assumed)
    _fill(found, definition, stock, when, first_us)
    _set_handle(handle, found, history, evidence)
    return found


def call_from(event: Event) -> Get:
    """Return the MQGET of a record; without match options it is one with a version 1 MQGMO."""
    match, options = event.match_options, event.options or 0
    both = int(MQMO.MATCH_MSG_ID | MQMO.MATCH_CORREL_ID)
    wait = event.wait_ms if event.wait_ms is not None else (MQWI.UNLIMITED if options & MQGMO.WAIT else 0)
    gmo = GetMessageOptions(
        version=1 if match is None else 2,
        options=options,
        match_options=both if match is None else match & ~MQMO.MATCH_MSG_TOKEN,
        wait_interval=wait,
    )
    named = (("msg_id", event.sel_msg_id), ("correl_id", event.sel_correl_id), ("group_id", event.sel_group_id))
    values: dict[str, Any] = {name: bytes.fromhex(value) for name, value in named if value is not None}
    places = (("msg_seq_number", event.sel_seq_number), ("offset", event.sel_offset))
    values |= {name: value for name, value in places if value is not None}
    length = 4096 if event.buffer_length is None else event.buffer_length
    hobj = event.hobj if event.hobj is not None else _NO_HANDLE
    return Get(event.conn, hobj, MessageDescriptor(**values), gmo, length)


def _fill(found: Modelled, definition: QueueDefinition, stock: Stock, when: Moment, first_us: int) -> None:
    """Put the messages on the queue, each with its holder."""
    state = found.state
    queue = state.queues[definition.name]
    others = 1_000_000
    for arrival, held in enumerate(stock.held, start=1):
        message = _message(held, definition, arrival, when, first_us)
        for holder in filter(None, (held.put_by, held.got_by, held.locked_by)):
            state.connections.setdefault(holder.conn, Connection(holder.conn))
        queue.messages = queue.messages.having(message)
        found.places[message.position] = held
        if held.locked_by is not None:
            others += 1
            conn, hobj = held.locked_by.conn, held.locked_by.deed.event.hobj
            same = (conn, hobj) == (found.call.conn, found.call.hobj)
            number = found.call.hobj if same else others
            locker = state.handles.setdefault((conn, number), Handle(conn, number, (definition.name,), _ANYTHING))
            locker.locked = (message.position,)


def _message(held: Held, definition: QueueDefinition, arrival: int, when: Moment, first_us: int) -> Message:
    event = held.shown
    put = held.put
    priority = event.priority if event.priority is not None and event.priority >= 0 else definition.def_priority
    expiry = _expiry_at_put(held)
    descriptor = MessageDescriptor(
        msg_id=bytes.fromhex(held.msg_id),
        correl_id=bytes.fromhex(event.correl_id or NULL_ID.hex()),
        group_id=bytes.fromhex(event.group_id or NULL_ID.hex()),
        msg_seq_number=event.msg_seq_number or 1,
        offset=event.offset or 0,
        msg_flags=_with_implied(event.msg_flags or 0),
        priority=min(priority, 9),
        persistence=int(event.persistence == MQPER.PERSISTENT),
        expiry=expiry,
    )
    fifo = definition.msg_delivery_sequence == "FIFO"
    begun = held.deeds[0].lo if put is None else put.lo
    return Message(
        descriptor,
        bytes(min(event.length or 0, 1 << 16)),
        definition.def_priority if fifo else min(priority, 9),
        _STEP * arrival,
        max(0, (begun - first_us) // 1000),
        co_op_marked_ms=_marked_ms(held, when, first_us),
        put_by=None if held.put_by is None else held.put_by.conn,
        got_by=None if held.got_by is None else held.got_by.conn,
    )


def _marked_ms(held: Held, when: Moment, first_us: int) -> int | None:
    """Return the time at which a message was marked for the cooperating set; None if it is not marked."""
    marked: int | None = None
    for deed in held.deeds:
        if deed.event.call != "MQGET" or not when.surely_after(deed):
            continue
        if deed.asks & MQGMO.UNMARK_BROWSE_CO_OP:
            marked = None
        elif deed.asks & MQGMO.MARK_BROWSE_CO_OP and returned(deed.event):
            marked = max(0, (deed.lo - first_us) // 1000)
    return marked


def _with_implied(flags: int) -> int:
    group = MQMF.MSG_IN_GROUP if flags & MQMF.LAST_MSG_IN_GROUP else 0
    return flags | group | (MQMF.SEGMENT if flags & MQMF.LAST_SEGMENT else 0)


def _expiry_at_put(held: Held) -> int:
    """Return the Expiry with which a message was put; unlimited if the log does not show it."""
    if held.put is not None:
        expiry = held.put.event.expiry
        return expiry if expiry is not None and expiry > 0 else int(MQEI.UNLIMITED)
    return int(MQEI.UNLIMITED)


def _set_handle(handle: Handle, found: Modelled, history: History, evidence: Evidence) -> None:
    """Set the handle's cursor and group state as its earlier calls left them."""
    by_id = {held.msg_id: position for position, held in found.places.items()}
    cursor = history.cursor
    if cursor is not None and cursor.event.msg_id is not None:
        handle.cursor = by_id.get(cursor.event.msg_id) or _vanished(cursor.event, found, evidence)
    marks = [deed.event.msg_id for deed in history.of_handle if deed.asks & MQGMO.MARK_BROWSE_HANDLE]
    handle.marked = frozenset(by_id[msg_id] for msg_id in marks if msg_id in by_id)
    for name, deed in (("removing", history.got), ("browsing", cursor)):
        if deed is not None:
            setattr(handle, name, _information(deed.event, by_id))


def _vanished(event: Event, found: Modelled, evidence: Evidence) -> Position:
    """Return the former place of a message that is gone: before all messages that came after it; `event` browsed it."""
    calls = evidence.showing({"msg_id": [event.msg_id or ""]})
    puts = [one.start_us for one in calls if one.call in ("MQPUT", "MQPUT1") and one.start_us <= event.end_us]
    came_us = max(puts, default=event.start_us)
    queue = next(iter(found.state.queues.values()))
    fifo = queue.definition.msg_delivery_sequence == "FIFO"
    rank = queue.definition.def_priority if fifo else max(0, event.priority or 0)
    return -rank, _STEP * sum(held.deeds[0].lo < came_us for held in found.places.values()) + 1


def _information(event: Event, by_id: dict[str, Position]) -> GroupInformation:
    flags = _with_implied(event.msg_flags or 0)
    options = event.options or 0
    start = by_id.get(event.msg_id or "")
    return GroupInformation(
        group_id=bytes.fromhex(event.group_id) if event.group_id is not None else bytes(24),
        msg_seq_number=event.msg_seq_number or 1,
        next_offset=(event.offset or 0) + (event.length or 0),
        in_group=bool(flags & MQMF.MSG_IN_GROUP) and not ends_group(flags),
        in_logical_message=bool(flags & MQMF.SEGMENT) and not flags & MQMF.LAST_SEGMENT,
        in_unit_of_work=bool(options & MQGMO.SYNCPOINT) and not options & BROWSE,
        logical_order=bool(options & MQGMO.LOGICAL_ORDER),
        last_in_group=bool(flags & MQMF.LAST_MSG_IN_GROUP),
        of_segment=bool(flags & MQMF.SEGMENT),
        start=FRONT if start is None else start,
    )
