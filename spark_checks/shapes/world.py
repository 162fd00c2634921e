"""The smallest queue manager that a shape fits: one queue, one handle with its history, at most one message.

The oracle's answer for the call in this world holds for the call in the log. A call that it refuses is refused whatever
else is on the queue, and a returned message must be one that the call could return.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from oracle.model.connections import Connection
from oracle.model.handles import NOTHING_CURRENT, GroupInformation, Handle, ends_group
from oracle.model.messages.messages import Message, Messages
from oracle.model.queue_manager import new_state
from oracle.model.requests.option_matrix import BROWSE, UNDER_CURSOR
from oracle.model.state import State
from oracle.mqi.calls import Call, Close, Get, Inquire, Open, Put, Put1, Set
from oracle.mqi.constants import MQCC, MQEI, MQFMT, MQGMO, MQMF, MQMO, MQMT, MQOO, MQPER, MQPMO, MQPRI, NULL_ID
from oracle.mqi.definitions import QueueDefinition
from oracle.mqi.profile import PlatformName, Profile
from oracle.mqi.structures import GetMessageOptions, MessageDescriptor, PutMessageOptions
from spark_checks.shapes.shape import Expiry, Identity, OffsetPlace, Shape

CONN, HOBJ, QUEUE = "A", 1, "Q"
MSG_ID, OTHER_ID, CORREL_ID = b"\x01" * 24, b"\x02" * 24, b"\x05" * 24
GROUP, OTHER_GROUP = b"\x03" * 24, b"\x04" * 24
_SEQ, _OFFSET, _LENGTH = 5, 100, 8
_ELSEWHERE = 7

_ANYTHING: Final = MQOO.INPUT_SHARED | MQOO.BROWSE | MQOO.OUTPUT | MQOO.INQUIRE | MQOO.SET | MQOO.CO_OP
"""The assumed options of a handle whose MQOPEN is not known: open for everything that it does."""

_EXPIRY: Final = {
    Expiry.BELOW: -5,
    Expiry.UNLIMITED: MQEI.UNLIMITED,
    Expiry.ZERO: 0,
    Expiry.LIMITED: 6000,
    Expiry.ABOVE: 1_000_000_000,
}


@dataclass(frozen=True)
class World:
    """The smallest queue manager that a shape fits."""

    state: State
    """The state just before the call."""
    call: Call
    """The call."""
    message: Message | None = None
    """The message on the queue that the call returns. None if there is none."""


@cache
def _empty(platform: PlatformName, index_type: str, definition_type: str, max_msg_length: int) -> State:
    queue = QueueDefinition.model_validate(
        {
            "name": QUEUE,
            "IndexType": index_type if platform == "zos" else "NONE",
            "DefinitionType": definition_type,
            "MaxMsgLength": max_msg_length,
        }
    )
    state = new_state([queue], profile=Profile(platform=platform))
    state.connections[CONN] = Connection(CONN)
    return state


def _number_before(shape: Shape) -> int:
    """Return the MsgSeqNumber of the message before in the world, such that a first message has 1."""
    return 1 - shape.seq_step if shape.first_in_group and shape.seq_step is not None else _SEQ


def _information(
    flags: int | None, number: int, *, logical: bool | None, unit: bool | None, persistence: int = 0
) -> GroupInformation:
    """Return the group state of the handle after a message with these flags; nothing if there was none."""
    if flags is None or flags < 0:
        return NOTHING_CURRENT
    flags = with_implied(flags)
    in_group = bool(flags & MQMF.MSG_IN_GROUP) and not ends_group(flags)
    in_message = bool(flags & MQMF.SEGMENT) and not flags & MQMF.LAST_SEGMENT
    return GroupInformation(
        group_id=GROUP,
        msg_seq_number=number if flags & MQMF.MSG_IN_GROUP else 1,
        next_offset=_OFFSET,
        in_group=in_group,
        in_logical_message=in_message,
        in_unit_of_work=bool(unit),
        logical_order=bool(logical),
        persistence=persistence,
        last_in_group=bool(flags & MQMF.LAST_MSG_IN_GROUP),
        of_segment=bool(flags & MQMF.SEGMENT),
    )


def with_implied(flags: int) -> int:
    """Return MsgFlags with the bits that others imply, which the log of a put does not show."""
    group = MQMF.MSG_IN_GROUP if flags & MQMF.LAST_MSG_IN_GROUP else 0
    return flags | group | (MQMF.SEGMENT if flags & MQMF.LAST_SEGMENT else 0)


_TOLD: Final = (MQPER.NOT_PERSISTENT, MQPER.PERSISTENT)


def persistence_untold(shape: Shape) -> tuple[str, ...]:
    """Return what a log lacks to show whether a put has the persistence of the put before in its group, if anything.

    A put that leaves it to the queue may show just that (MQPER_PERSISTENCE_AS_Q_DEF). Two of them have the same.
    """
    both = (shape.persistence, shape.put_persistence)
    if shape.put is None or shape.put <= 0 or set(both) <= set(_TOLD) or both == (MQPER.PERSISTENCE_AS_Q_DEF,) * 2:
        return ()
    return ("persistence",) if None in both else ("DefPersistence",)


def _persistence_before(shape: Shape) -> int:
    """Return the persistence of the put before a put in its group: that of the put itself, unless the log has both."""
    if shape.put_persistence in _TOLD and shape.persistence in _TOLD:
        return int(shape.put_persistence)
    return int(shape.persistence == MQPER.PERSISTENT)


def _previous(shape: Shape) -> int:
    """Return the flags of the last message that affects a call; none affects BROWSE_FIRST (BRW-16)."""
    if shape.call in ("MQPUT", "MQPUT1"):
        return -1 if shape.put is None else shape.put
    if shape.asks(MQGMO.BROWSE_FIRST):
        return -1
    flags = shape.browsed if shape.asks(BROWSE) else shape.got
    return -1 if flags is None else flags


def _state(shape: Shape, platform: PlatformName, *, with_history: bool) -> State:
    index = shape.index_type or ("GROUP_ID" if platform == "zos" else "NONE")
    limit = _LENGTH // 4 if shape.too_long else 1 << 20
    state = _empty(platform, index, shape.definition_type or "PREDEFINED", limit).copy()
    handle = Handle(CONN, HOBJ, (QUEUE,), _ANYTHING if shape.opened is None else shape.opened)
    if with_history:
        number, persistence = _number_before(shape), _persistence_before(shape)
        handle.removing = _information(shape.got, number, logical=shape.got_logical, unit=shape.got_unit)
        handle.browsing = _information(shape.browsed, number, logical=shape.browsed_logical, unit=False)
        handle.putting = _information(
            shape.put, number, logical=shape.put_logical, unit=shape.put_unit, persistence=persistence
        )
        if shape.last_order is not None:
            handle.browse_orders = frozenset({shape.first_order, shape.last_order})
    state.handles[handle.key] = handle
    return state


def world(shape: Shape, platform: PlatformName) -> World:
    """Return the world of a call for which the queue's contents do not matter: an empty queue."""
    state = _state(shape, platform, with_history=bool(shape.known))
    return World(state, _call(shape))


def world_with_message(shape: Shape, platform: PlatformName) -> World:
    """Return the world of an MQGET that returned a message: there was that message and no other.

    Options that make the call depend on other messages, on properties or on code pages are left out of it.
    """
    state = _state(shape, platform, with_history=bool(shape.known))
    message = _message(shape)
    queue, handle = state.queues[QUEUE], state.handles[CONN, HOBJ]
    queue.messages = Messages().having(message)
    before = Message(MessageDescriptor(msg_id=OTHER_ID), b"", message.rank + 1, 0, 0)
    if not shape.asks(UNDER_CURSOR):
        handle.cursor = before.position
    elif shape.cursor == Identity.SAME:
        handle.cursor = message.position
    elif shape.cursor == Identity.OTHER:
        queue.messages = queue.messages.having(before)
        handle.cursor = before.position
    return World(state, _get(shape, message), message)


LEFT_OUT: Final = (
    MQGMO.COMPLETE_MSG
    | MQGMO.ALL_MSGS_AVAILABLE
    | MQGMO.ALL_SEGMENTS_AVAILABLE
    | MQGMO.CONVERT
    | MQGMO.PROPERTIES_FORCE_MQRFH2
    | MQGMO.NO_PROPERTIES
    | MQGMO.PROPERTIES_IN_HANDLE
    | MQGMO.PROPERTIES_COMPATIBILITY
    | MQGMO.WAIT
    | MQGMO.SET_SIGNAL
)
"""The options that a world with one message leaves out: a shape does not have what they depend on."""


def _message(shape: Shape) -> Message:
    """Return the message that a get returned, with defaults for what is not known of it."""
    fits = shape.fits is not False
    length = 0 if shape.empty else (_LENGTH // 2 if fits else 2 * _LENGTH)
    in_valid_range = shape.priority is not None and 0 <= shape.priority <= 9
    persistent = shape.persistence == MQPER.PERSISTENT
    descriptor = MessageDescriptor(
        msg_id=MSG_ID,
        correl_id=CORREL_ID,
        group_id=_group_of(shape),
        msg_seq_number=_number_of(shape),
        offset=_offset_of(shape),
        msg_flags=shape.msg_flags or 0,
        priority=(shape.priority or 0) if in_valid_range else 0,
        persistence=int(persistent),
        expiry=_EXPIRY[Expiry.LIMITED] if shape.expiry == Expiry.LIMITED else MQEI.UNLIMITED,
    )
    return Message(descriptor, b"\0" * length, descriptor.priority, 1, 0)


def _group_of(shape: Shape) -> bytes:
    if shape.group_id == Identity.NULL:
        return NULL_ID
    return OTHER_GROUP if shape.same_group is False else GROUP


def _number_of(shape: Shape) -> int:
    before = _information(_previous(shape), _number_before(shape), logical=True, unit=False)
    if shape.seq_step is not None and before.unfinished:
        return before.msg_seq_number + shape.seq_step
    return 2 if shape.first_in_group is False else 1


def _offset_of(shape: Shape) -> int:
    if shape.place is not None:
        return {OffsetPlace.NEXT.value: _OFFSET, OffsetPlace.ZERO.value: 0}.get(shape.place, _ELSEWHERE)
    return _ELSEWHERE if shape.offset_sign == 1 else 0


def _call(shape: Shape) -> Call:
    return _CALLS.get(shape.call, _refused_get)(shape, shape.options or 0)


_CALLS: Final[Mapping[str, Callable[[Shape, int], Call]]] = {
    "MQOPEN": lambda _, options: Open(CONN, QUEUE, options),
    "MQCLOSE": lambda _, options: Close(CONN, HOBJ, options),
    "MQINQ": lambda _, __: Inquire(CONN, HOBJ, ()),
    "MQSET": lambda _, __: Set(CONN, HOBJ, {}),
    "MQPUT": lambda shape, options: Put(
        CONN, HOBJ, put_descriptor(shape), PutMessageOptions(options=options), _put_data(shape)
    ),
    "MQPUT1": lambda shape, options: Put1(
        CONN, QUEUE, put_descriptor(shape), PutMessageOptions(options=options), _put_data(shape)
    ),
}


def _put_data(shape: Shape) -> bytes:
    return b"" if shape.empty else b"\0" * (_LENGTH // 2)


PERHAPS_VALID_PRIORITIES: Final = (MQPRI.PRIORITY_AS_PARENT, MQPRI.PRIORITY_AS_PUBLISHED)
PERHAPS_VALID_MSG_TYPES: Final = (MQMT.MQE_FIELDS_FROM_MQE, MQMT.MQE_FIELDS)
"""Values that the header defines; the documents leave open whether a put is refused for them (PUT-13, PUT-10)."""


def put_descriptor(shape: Shape) -> MessageDescriptor:
    """Return the descriptor of a put, with values for uncaptured members that no put is refused for.

    Nor is anything for values where the documents leave that open.
    """
    expiry = MQEI.UNLIMITED if shape.expiry is None else _EXPIRY[Expiry(shape.expiry)]
    return MessageDescriptor(
        expiry=expiry,
        priority=0 if shape.priority in (None, *PERHAPS_VALID_PRIORITIES) else shape.priority,
        persistence=0 if shape.persistence is None else shape.persistence,
        msg_type=MQMT.DATAGRAM if shape.msg_type in (None, *PERHAPS_VALID_MSG_TYPES) else shape.msg_type,
        msg_flags=shape.msg_flags or 0,
        report=shape.report or 0,
        reply_to_q="" if shape.reply_to_q is False else "R",
        group_id=_group_of(shape),
        msg_seq_number=_number_of(shape) if shape.seq_valid is not False else 0,
        offset=-1 if shape.offset_sign == -1 else _offset_of(shape),
        original_length={"undefined": -1, "short": 0}.get(shape.original_length or "", _LENGTH),
        format=MQFMT.NONE,
    )


def _refused_get(shape: Shape, options: int) -> Get:
    """Return the MQGET of a shape as far as a refusal depends on it."""
    gmo = GetMessageOptions(
        options=options, match_options=shape.match_options or 0, wait_interval=0 if shape.wait is None else shape.wait
    )
    md = MessageDescriptor(msg_seq_number=0 if shape.sel_seq_valid is False else 1)
    return Get(CONN, HOBJ, md, gmo, -1 if shape.short_buffer else _LENGTH)


def _get(shape: Shape, message: Message) -> Get:
    """Return the MQGET of a shape. It selects by values that are known to equal, or not to equal, those returned."""
    md, wanted = message.descriptor, dict[str, Any]()
    match = 0
    for bit, name, compared in (
        (MQMO.MATCH_MSG_ID, "msg_id", shape.by_msg_id),
        (MQMO.MATCH_CORREL_ID, "correl_id", shape.by_correl_id),
        (MQMO.MATCH_GROUP_ID, "group_id", shape.by_group_id),
    ):
        if compared is not None and (shape.match_options or 0) & bit:
            match |= bit
            other = b"\x09" * 24
            same = getattr(md, name) if getattr(md, name) != NULL_ID else other
            wanted[name] = {Identity.NULL.value: NULL_ID, Identity.SAME.value: same}.get(compared, other)
            if compared == Identity.SAME and getattr(md, name) == NULL_ID:
                match &= ~bit
    for bit, name, same_value in (
        (MQMO.MATCH_MSG_SEQ_NUMBER, "msg_seq_number", shape.by_seq_number),
        (MQMO.MATCH_OFFSET, "offset", shape.by_offset),
    ):
        if same_value is not None and (shape.match_options or 0) & bit:
            match |= bit
            wanted[name] = getattr(md, name) if same_value else getattr(md, name) + 1
    gmo = GetMessageOptions(options=(shape.options or 0) & ~LEFT_OUT, match_options=match)
    return Get(CONN, HOBJ, MessageDescriptor(**wanted), gmo, _LENGTH)


def deferred(shape: Shape) -> bool:
    """Return whether the response to a put is deferred, so that its completion does not show whether it succeeded."""
    is_put = shape.call in ("MQPUT", "MQPUT1") and shape.comp_code != MQCC.FAILED
    asked = shape.asks(MQPMO.ASYNC_RESPONSE) or bool(shape.by_default_asynchronous)
    return is_put and asked and not shape.asks(MQPMO.SYNC_RESPONSE)


def uncertain_in_put(shape: Shape) -> bool:
    """Return whether a put depends on what a shape lacks: context of other messages, or headers in the data."""
    passes = shape.asks(MQPMO.PASS_IDENTITY_CONTEXT | MQPMO.PASS_ALL_CONTEXT)
    return passes or bool(shape.transmission)
