"""The verbs of the MQI on handles and on structures as bytes, carried out by the model.

Each verb returns an `Answer`: completion code, reason, and the outputs, None where the call leaves the caller's as they
are. What the model does not contain ends with MQRC_FUNCTION_NOT_SUPPORTED (2298) and a warning that says what it is.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, ParamSpec

from oracle import calls
from oracle.constants import MQCC, MQGMO, MQOO, MQOT, MQRC
from oracle.errors import BadInputError, NotModelledError
from oracle.layouts import MQGMO as GMO
from oracle.layouts import MQMD as MD
from oracle.layouts import MQOD as OD
from oracle.layouts import MQPMO as PMO
from oracle.layouts import Layout
from oracle.model.option_matrix import PROPERTIES
from oracle.model.reply import Reply
from oracle.standin import connections, message_handles
from oracle.standin.attributes import CHARACTERS, EVERY, OF_MANAGER, OF_TYPE, Values, definition_values, manager_values
from oracle.standin.connecting import credentials_of, name_of_channel, program_of_cno, share_of
from oracle.standin.connections import UNUSABLE, Connection, Failed, using
from oracle.standin.manager import RunningQueueManager, StandInWarning
from oracle.standin.memory import descriptor_changes, every, member, structure, text, written
from oracle.structures import GetMessageOptions, MessageDescriptor, ObjectDescriptor, PutMessageOptions, Structure

P = ParamSpec("P")

_FIRST_MANAGER_HANDLE: Final = 1 << 20
_WHOLE: Final = 1 << 30
_NOT_APPLICABLE: Final = -1


@dataclass(frozen=True, slots=True)
class Answer:
    """What a verb returns; structures are bytes."""

    comp_code: int = MQCC.OK
    reason: int = MQRC.NONE
    hconn: int = UNUSABLE
    hobj: int = UNUSABLE
    od: bytes | None = None
    md: bytes | None = None
    pmo: bytes | None = None
    gmo: bytes | None = None
    data: bytes = b""
    data_length: int | None = None
    numbers: tuple[int, ...] = ()
    characters: bytes = b""


def verb(function: Callable[P, Answer]) -> Callable[P, Answer]:
    """Make a function a verb: what it raises to end the call becomes the answer."""

    @functools.wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> Answer:
        try:
            return function(*args, **kwargs)
        except Failed as ended:
            return Answer(ended.comp_code, ended.reason)
        except NotModelledError as error:
            refuse(str(error))
            return Answer(MQCC.FAILED, MQRC.FUNCTION_NOT_SUPPORTED)

    return guarded


def refuse(what: str) -> None:
    """Warn of what the model does not contain; where warnings are errors, the call ends all the same."""
    try:
        warnings.warn(f"the oracle answers MQRC_FUNCTION_NOT_SUPPORTED (2298): {what}", StandInWarning, stacklevel=2)
    except StandInWarning as warning:
        print(warning)


@verb
def connect(name: str, cno: bytes | None = None, csp: bytes | None = None, cd: bytes | None = None) -> Answer:
    """MQCONN and MQCONNX, which has an MQCNO and may have an MQCSP and an MQCD; TLS is not looked at.

    `data` of the answer is the ConnectionId.
    """
    share, program = (connections.SHARE_NONE, "") if cno is None else (share_of(cno), program_of_cno(cno))
    connection, reason = connections.connect(name, share, credentials_of(csp), name_of_channel(cd), program)
    code = MQCC.OK if reason == MQRC.NONE else MQCC.WARNING
    return Answer(code, reason, hconn=connection.hconn, data=connection.identifier)


@verb
def disconnect(hconn: int) -> Answer:
    """MQDISC."""
    with using(hconn) as connection:
        reply = connection.manager.perform(calls.Disconnect(connection.conn))
        message_handles.forget(hconn)
        connections.forget(connection)
        return _codes(reply)


@verb
def open_object(hconn: int, od: bytes, options: int) -> Answer:
    """MQOPEN of a queue or of the queue manager."""
    with using(hconn) as connection:
        descriptor, name = _object(connection.manager, od)
        if member(OD, od, "ObjectType") == MQOT.Q_MGR:
            return _open_manager(connection, od, options)
        reply = connection.manager.perform(calls.Open(connection.conn, name, options, descriptor))
        if reply.hobj is None:
            return _codes(reply)
        opened = reply.object_name or name
        outputs = {"ObjectName": opened, **_resolved(connection.manager, opened), "ResolvedType": MQOT.Q}
        return Answer(reply.comp_code, reply.reason, hobj=reply.hobj, od=written(OD, od, outputs))


@verb
def close(hconn: int, hobj: int, options: int) -> Answer:
    """MQCLOSE."""
    with using(hconn) as connection:
        if connection.managers.pop(hobj, None) is not None:
            return Answer()
        return _codes(connection.manager.perform(calls.Close(connection.conn, hobj, options)))


@verb
def put(hconn: int, hobj: int, md: bytes, pmo: bytes, data: bytes) -> Answer:
    """MQPUT."""
    with using(hconn) as connection:
        given, options = descriptor_of(md), _put_options(pmo)
        wrapped, whole = message_handles.with_properties(hconn, pmo, given, data)
        handle = connection.manager.state.handles.get((connection.conn, hobj))
        reply = connection.manager.perform(calls.Put(connection.conn, hobj, wrapped, options, whole))
        resolved = {} if handle is None else _resolved(connection.manager, handle.path[0])
        return _put_answer(reply, wrapped, md, pmo, resolved)


@verb
def put1(hconn: int, od: bytes, md: bytes, pmo: bytes, data: bytes) -> Answer:
    """MQPUT1."""
    with using(hconn) as connection:
        descriptor, name = _object(connection.manager, od)
        given, options = descriptor_of(md), _put_options(pmo)
        wrapped, whole = message_handles.with_properties(hconn, pmo, given, data)
        call = calls.Put1(connection.conn, name, wrapped, options, whole, descriptor)
        reply = connection.manager.perform(call)
        resolved = {} if reply.descriptor is None else _resolved(connection.manager, name)
        return replace(_put_answer(reply, wrapped, md, pmo, resolved), od=written(OD, od, resolved))


@verb
def get(hconn: int, hobj: int, md: bytes, gmo: bytes, buffer_length: int) -> Answer:
    """MQGET, which waits if it has to."""
    with using(hconn) as connection:
        options = _get_options(gmo)
        # A call that only unlocks has no use for the descriptor, whatever it is (LCK-18).
        given = MessageDescriptor() if options.options & MQGMO.UNLOCK else descriptor_of(md)
        call = calls.Get(connection.conn, hobj, given, options, buffer_length)
        if options.options & MQGMO.PROPERTIES_IN_HANDLE or member(GMO, gmo, "MsgHandle"):
            reply = _get_into_handle(connection, call, member(GMO, gmo, "MsgHandle"))
        else:
            reply = connection.manager.get(call)
        outputs: dict[str, object] = {} if reply.options is None else reply.options.members()
        return Answer(
            reply.comp_code,
            reply.reason,
            md=None if reply.descriptor is None else written(MD, md, every(reply.descriptor)),
            gmo=None if reply.options is None else written(GMO, gmo, outputs),
            data=reply.data or b"",
            data_length=reply.data_length,
        )


@verb
def commit(hconn: int) -> Answer:
    """MQCMIT."""
    with using(hconn) as connection:
        return _codes(connection.manager.perform(calls.Commit(connection.conn)))


@verb
def back(hconn: int) -> Answer:
    """MQBACK."""
    with using(hconn) as connection:
        return _codes(connection.manager.perform(calls.Back(connection.conn)))


@verb
def inquire(hconn: int, hobj: int, selectors: Sequence[int], numbers: int, characters: int) -> Answer:
    """MQINQ; `numbers` and `characters` are the room for values, `characters` in bytes."""
    with using(hconn) as connection:
        if any(selector not in EVERY for selector in selectors):
            raise Failed(MQRC.SELECTOR_ERROR)
        reply, values = _inquire(connection, hobj, selectors)
        if reply.failed:
            return _codes(reply)
        of_numbers = [selector for selector in selectors if selector not in CHARACTERS]
        of_texts = [selector for selector in selectors if selector in CHARACTERS]
        texts = b"".join(
            EVERY[selector].as_text(values.get(selector, "*" * EVERY[selector].length)) for selector in of_texts
        )
        code, reason = reply.comp_code, reply.reason
        if len(of_numbers) > numbers:
            code, reason = MQCC.WARNING, MQRC.INT_ATTR_COUNT_TOO_SMALL
        elif len(texts) > characters:
            code, reason = MQCC.WARNING, MQRC.CHAR_ATTRS_TOO_SHORT
        found = tuple(int(values.get(selector, _NOT_APPLICABLE)) for selector in of_numbers)
        return Answer(code, reason, numbers=found[:numbers], characters=texts[:characters])


@verb
def set_attributes(
    hconn: int, hobj: int, selectors: Sequence[int], numbers: Sequence[int], characters: bytes
) -> Answer:
    """MQSET."""
    with using(hconn) as connection:
        of_numbers, rest = list(numbers), characters
        values: dict[str, object] = {}
        for selector in selectors:
            attribute = EVERY.get(selector)
            if attribute is None or attribute.name is None:
                raise Failed(MQRC.SELECTOR_ERROR)
            if selector in CHARACTERS:
                here, rest = rest[: attribute.length], rest[attribute.length :]
                values[attribute.name] = here.decode("latin-1").partition("\0")[0].rstrip(" ")
            elif not of_numbers:
                raise Failed(MQRC.INT_ATTR_COUNT_ERROR)
            else:
                values[attribute.name] = attribute.to_model(of_numbers.pop(0))
        if hobj in connection.managers:
            raise Failed(MQRC.NOT_OPEN_FOR_SET)
        try:
            return _codes(connection.manager.perform(calls.Set(connection.conn, hobj, values)))
        except BadInputError:
            raise Failed(MQRC.INHIBIT_VALUE_ERROR) from None


def _codes(reply: Reply) -> Answer:
    return Answer(reply.comp_code, reply.reason)


def _read(layout: Layout, data: bytes, kind: type[Structure], reason: int) -> dict[str, object]:
    try:
        return structure(layout, data, kind)
    except BadInputError:
        raise Failed(reason) from None


def descriptor_of(md: bytes) -> MessageDescriptor:
    """Read an MQMD.

    Raises Failed for what is none.
    """
    return MessageDescriptor(**_read(MD, md, MessageDescriptor, MQRC.MD_ERROR))  # type: ignore[arg-type] # by the layout


def _put_options(pmo: bytes) -> PutMessageOptions:
    return PutMessageOptions(**_read(PMO, pmo, PutMessageOptions, MQRC.PMO_ERROR))  # type: ignore[arg-type] # likewise


def _get_options(gmo: bytes) -> GetMessageOptions:
    return GetMessageOptions(**_read(GMO, gmo, GetMessageOptions, MQRC.GMO_ERROR))  # type: ignore[arg-type] # likewise


def _object(manager: RunningQueueManager, od: bytes) -> tuple[ObjectDescriptor, str]:
    """Return the descriptor and the name of an object; only queues of this queue manager, and itself, are modelled."""
    descriptor = ObjectDescriptor(**_read(OD, od, ObjectDescriptor, MQRC.OD_ERROR))  # type: ignore[arg-type] # likewise
    if descriptor.object_type not in (MQOT.Q, MQOT.Q_MGR):
        raise NotModelledError(f"objects of type {MQOT.describe(descriptor.object_type)}")
    if descriptor.object_q_mgr_name not in ("", manager.name):
        raise NotModelledError("queues of another queue manager by their own name")
    if member(OD, od, "SelectionString.VSPtr"):
        raise NotModelledError("selection strings")
    if member(OD, od, "RecsPresent"):
        raise NotModelledError("distribution lists")
    return descriptor, text(OD, od, "ObjectName")


def _resolved(manager: RunningQueueManager, name: str) -> dict[str, object]:
    """Return the names that a queue name resolves to."""
    state = manager.state
    path = state.resolve(name)
    if path is None:
        return {}
    remote = state.remote_on(path)
    names = (path[-1], manager.name) if remote is None else (remote.rname, remote.rqmname)
    return dict(zip(("ResolvedQName", "ResolvedQMgrName"), names, strict=True))


def _put_answer(reply: Reply, given: MessageDescriptor, md: bytes, pmo: bytes, resolved: dict[str, object]) -> Answer:
    if reply.descriptor is None:
        return _codes(reply)
    return Answer(
        reply.comp_code,
        reply.reason,
        md=written(MD, md, descriptor_changes(given, reply.descriptor)),
        pmo=written(PMO, pmo, resolved),
    )


def _open_manager(connection: Connection, od: bytes, options: int) -> Answer:
    if options & ~(MQOO.INQUIRE | MQOO.FAIL_IF_QUIESCING | MQOO.SET):
        raise Failed(MQRC.OPTION_NOT_VALID_FOR_TYPE)
    hobj = _FIRST_MANAGER_HANDLE + len(connection.managers)
    while hobj in connection.managers:
        hobj += 1
    connection.managers[hobj] = options
    outputs = {"ResolvedQMgrName": connection.manager.name, "ResolvedType": MQOT.Q_MGR}
    return Answer(hobj=hobj, od=written(OD, od, outputs))


def _inquire(connection: Connection, hobj: int, selectors: Sequence[int]) -> tuple[Reply, Values]:
    """Return how MQINQ ends, and the values by selector; those that the model has, it says itself."""
    manager = connection.manager
    if hobj in connection.managers:
        if not connection.managers[hobj] & MQOO.INQUIRE:
            raise Failed(MQRC.NOT_OPEN_FOR_INQUIRE)
        if not set(selectors) <= set(OF_MANAGER):
            raise Failed(MQRC.SELECTOR_ERROR)
        return Reply(), manager_values(manager.state, manager.beside.get(None, {}))
    handle = manager.state.handles.get((connection.conn, hobj))
    exists = handle is not None and not handle.queue_deleted
    kind = manager.state.definition_of(handle.path[0]).type if handle is not None and exists else "local"
    named = {OF_TYPE["local"][each].name: each for each in selectors if each in OF_TYPE["local"]}
    asked = tuple(name for name in named if name is not None and name[0].isupper())
    reply = manager.perform(calls.Inquire(connection.conn, hobj, asked))
    if reply.failed or handle is None:
        return reply, {}
    name = handle.path[0]
    values = definition_values(manager.state.definition_of(name), manager.beside.get(name, {}))
    for attribute, value in (reply.values or {}).items():
        selector = named[attribute]
        values[selector] = OF_TYPE["local"][selector].from_model(value)
    if reply.comp_code == MQCC.OK and not set(selectors) <= set(OF_TYPE[kind]):
        reply = replace(reply, comp_code=MQCC.WARNING, reason=MQRC.SELECTOR_NOT_FOR_TYPE)
    return reply, {selector: value for selector, value in values.items() if selector in OF_TYPE[kind]}


def _get_into_handle(connection: Connection, call: calls.Get, hmsg: int) -> Reply:
    """Get a message and put its properties into a message handle.

    The model has no handles: it shows the message with an MQRFH2, and then returns it without. So that both are the
    same message, a call that waits tries again instead of waiting in the model.
    """
    manager = connection.manager
    properties = message_handles.find(connection.hconn, hmsg)
    options = call.options
    plain = options.options & ~(PROPERTIES | MQGMO.WAIT)
    look = replace(call, options=replace(options, options=plain | MQGMO.PROPERTIES_FORCE_MQRFH2), buffer_length=_WHOLE)
    take = replace(call, options=replace(options, options=plain | MQGMO.NO_PROPERTIES))

    def attempt() -> Reply | None:
        seen = manager.look(look)
        if seen.reason == MQRC.NO_MSG_AVAILABLE and (due is None or manager.state.now_ms < due):
            return None
        reply = manager.get(take)
        if reply.descriptor is not None and seen.descriptor is not None:
            properties.fill(seen.descriptor, seen.data or b"")
        return reply

    interval = options.wait_interval
    waits = options.options & MQGMO.WAIT
    due = None if waits and interval < 0 else manager.state.now_ms + (interval if waits else 0)
    return manager.poll(due, attempt)
