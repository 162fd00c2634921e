"""The verbs of the MQI on handles and on structures as bytes, carried out by the model.

Each verb returns an `Answer`: completion code, reason, and the outputs; None if the call leaves the caller's value
unchanged. A call that the model does not contain ends with MQRC_FUNCTION_NOT_SUPPORTED (2298) and a warning that names
it. MQINQ and MQSET are in `attribute_verbs`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from oracle.errors import BadInputError, NotModelledError
from oracle.model.reply import Reply, failure
from oracle.model.requests.option_matrix import PROPERTIES
from oracle.mqi import calls
from oracle.mqi.constants import MQCC, MQGMO, MQOO, MQOT, MQPMO, MQRC
from oracle.mqi.layouts import MQGMO as GMO
from oracle.mqi.layouts import MQMD as MD
from oracle.mqi.layouts import MQOD as OD
from oracle.mqi.layouts import MQPMO as PMO
from oracle.mqi.layouts import Layout
from oracle.mqi.structures import GetMessageOptions, MessageDescriptor, ObjectDescriptor, PutMessageOptions, Structure
from oracle.standin import connections, message_handles
from oracle.standin.answers import Answer, Failed, codes_of, verb
from oracle.standin.connecting import credentials_of, name_of_channel, program_of_cno, share_of
from oracle.standin.connections import Connection, using
from oracle.standin.manager import RunningQueueManager
from oracle.standin.memory import descriptor_changes, every, member, structure, text, written
from oracle.standin.options import VERBS_REFUSED, known, look_at, look_at_action
from oracle.standin.passing import in_model
from oracle.standin.queue_defaults import input_option, looks_ahead, puts_asynchronously, take_over, tidy
from oracle.standin.read_ahead import ReadAhead

_FIRST_MANAGER_HANDLE: Final = 1 << 20
_WHOLE: Final = 1 << 30


@verb
def connect(name: str, cno: bytes | None = None, csp: bytes | None = None, cd: bytes | None = None) -> Answer:
    """Carry out MQCONN or MQCONNX, which has an MQCNO and may have an MQCSP and an MQCD; TLS is ignored.

    `data` of the answer is the ConnectionId.
    """
    share, program = (connections.SHARE_NONE, "") if cno is None else (share_of(cno), program_of_cno(cno))
    look_at("MQCNO", share)
    connection, reason = connections.connect(
        name, share, credentials_of(csp), channel=name_of_channel(cd), program=program
    )
    code = MQCC.OK if reason == MQRC.NONE else MQCC.WARNING
    return Answer(code, reason, hconn=connection.hconn, data=connection.identifier)


@verb
def disconnect(hconn: int) -> Answer:
    """Carry out an MQDISC.

    Callbacks are stopped first; if one of them has called, the connection ends when it returns.
    """
    connection = connections.find_to_control(hconn)
    if connection.consumption is not None:
        with connection.manager.changed:
            if connection.consumption.runs_here:
                connection.consumption.disconnect_later()
                return Answer()
            connection.consumption.stop()
            connection.consumption.deregister_all()
    with using(hconn):
        return codes_of(end(connection))


def end(connection: Connection) -> Reply:
    """End a connection, and forget everything that belongs to it."""
    reply = connection.manager.perform(calls.Disconnect(connection.conn))
    message_handles.forget(connection.hconn)
    connections.forget(connection)
    tidy(connection.manager)
    return reply


@verb
def open_object(hconn: int, od: bytes, options: int) -> Answer:
    """Carry out an MQOPEN of a queue or of the queue manager."""
    with using(hconn) as connection:
        manager = connection.manager
        descriptor, name = _object(manager, od)
        look_at("MQOO", options)
        if member(OD, od, "ObjectType") == MQOT.Q_MGR:
            return _open_manager(connection, od, options)
        reads_ahead = looks_ahead(manager, name, options)
        meant = input_option(manager, name, options)
        reply = manager.perform(calls.Open(connection.conn, name, in_model(meant), descriptor))
        if reply.hobj is None:
            return codes_of(reply)
        connection.contexts.opened(reply.hobj, options)
        opened = reply.object_name or name
        if opened != name:
            take_over(manager, name, opened)
        if reads_ahead:
            connection.read_ahead[reply.hobj] = ReadAhead()
        resolved = _resolved(manager, opened, local=bool(options & MQOO.RESOLVE_LOCAL_Q))
        outputs = {"ObjectName": opened, **resolved, "ResolvedType": MQOT.Q}
        return Answer(reply.comp_code, reply.reason, hobj=reply.hobj, od=written(OD, od, outputs))


@verb
def close(hconn: int, hobj: int, options: int) -> Answer:
    """Carry out an MQCLOSE."""
    with using(hconn) as connection:
        look_at("MQCO", options)
        if options & ~known("MQCO"):
            raise Failed(MQRC.OPTIONS_ERROR)
        if connection.managers.pop(hobj, None) is not None:
            return Answer()
        reply = connection.manager.perform(calls.Close(connection.conn, hobj, options))
        if not reply.failed:
            connection.read_ahead.pop(hobj, None)
            connection.contexts.closed(hobj)
            if connection.consumption is not None:
                connection.consumption.closed(hobj)
            tidy(connection.manager)
        return codes_of(reply)


@verb
def put(hconn: int, hobj: int, md: bytes, pmo: bytes, data: bytes) -> Answer:
    """Carry out an MQPUT."""
    with using(hconn) as connection:
        given, options = descriptor_of(md), _put_options(pmo)
        wrapped, whole = message_handles.with_properties(hconn, pmo, given, data)
        handle = connection.manager.state.handles.get((connection.conn, hobj))
        queue = "" if handle is None else handle.path[0]
        _look_at_put(connection.manager, queue, options, pmo)
        sent, sets = connection.contexts.with_context(hobj, wrapped, options, pmo)
        reply = connection.manager.perform(calls.Put(connection.conn, hobj, sent, sets, whole))
        resolved = _resolved(connection.manager, queue, local=bool(options.options & MQPMO.RESOLVE_LOCAL_Q))
        return _put_answer(reply, wrapped, md, pmo, resolved)


@verb
def put1(hconn: int, od: bytes, md: bytes, pmo: bytes, data: bytes) -> Answer:
    """Carry out an MQPUT1."""
    with using(hconn) as connection:
        descriptor, name = _object(connection.manager, od)
        given, options = descriptor_of(md), _put_options(pmo)
        wrapped, whole = message_handles.with_properties(hconn, pmo, given, data)
        _look_at_put(connection.manager, name, options, pmo)
        sent, sets = connection.contexts.with_context(None, wrapped, options, pmo)
        call = calls.Put1(connection.conn, name, sent, sets, whole, descriptor)
        reply = connection.manager.perform(call)
        local = bool(options.options & MQPMO.RESOLVE_LOCAL_Q)
        resolved = {} if reply.descriptor is None else _resolved(connection.manager, name, local=local)
        return replace(_put_answer(reply, wrapped, md, pmo, resolved), od=written(OD, od, resolved))


@verb
def get(hconn: int, hobj: int, md: bytes, gmo: bytes, buffer_length: int) -> Answer:
    """Carry out an MQGET, which waits if necessary."""
    with using(hconn) as connection:
        call = get_call(connection, hobj, md, gmo, buffer_length)
        if call.options.options & MQGMO.PROPERTIES_IN_HANDLE or member(GMO, gmo, "MsgHandle"):
            reply = _get_into_handle(connection, call, member(GMO, gmo, "MsgHandle"))
        else:
            reply = connection.manager.get(call)
            connection.contexts.got(call, reply)
        return get_answer(reply, md, gmo)


def get_call(connection: Connection, hobj: int, md: bytes, gmo: bytes, buffer_length: int) -> calls.Get:
    """Return an MQGET as a call of the model, before it is carried out.

    Raises Failed or NotModelledError if it ends at once.
    """
    options = _get_options(gmo)
    # A call that only unlocks does not use the descriptor, whatever it is (LCK-18).
    given = MessageDescriptor() if options.options & MQGMO.UNLOCK else descriptor_of(md)
    look_at("MQGMO", options.options)
    if hobj in connection.read_ahead:
        ccsid = connection.manager.state.definition.coded_char_set_id
        connection.read_ahead[hobj].look_at(options, given, ccsid)
    return calls.Get(connection.conn, hobj, given, options, buffer_length)


def get_answer(reply: Reply, md: bytes, gmo: bytes) -> Answer:
    """Return the answer of an MQGET with these structures."""
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
    """Carry out an MQCMIT."""
    with using(hconn) as connection:
        return codes_of(connection.manager.perform(calls.Commit(connection.conn)))


@verb
def back(hconn: int) -> Answer:
    """Carry out an MQBACK."""
    with using(hconn) as connection:
        return codes_of(connection.manager.perform(calls.Back(connection.conn)))


def _read(layout: Layout, data: bytes, kind: type[Structure], reason: int) -> dict[str, object]:
    try:
        return structure(layout, data, kind)
    except BadInputError:
        raise Failed(reason) from None


def descriptor_of(md: bytes) -> MessageDescriptor:
    """Read an MQMD.

    Raises Failed for an invalid structure.
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
        if descriptor.object_type == MQOT.TOPIC:
            raise NotModelledError(f"topics are not modelled: {VERBS_REFUSED['MQSUB']}")
        if descriptor.object_type not in MQOT.members().values():
            raise Failed(MQRC.OBJECT_TYPE_ERROR)
        raise NotModelledError(f"objects of type {MQOT.name_of(descriptor.object_type)}")
    if descriptor.object_q_mgr_name not in ("", manager.name):
        raise NotModelledError("queues of another queue manager by their own name")
    if member(OD, od, "SelectionString.VSPtr"):
        raise NotModelledError("selection strings")
    if member(OD, od, "RecsPresent"):
        raise NotModelledError("distribution lists")
    return descriptor, text(OD, od, "ObjectName")


def _resolved(manager: RunningQueueManager, name: str, *, local: bool) -> dict[str, object]:
    """Return the names that a queue name resolves to; `local`: those of the local queue on the way."""
    state = manager.state
    path = state.resolve(name)
    if path is None:
        return {}
    remote = None if local else state.remote_on(path)
    names = (path[-1], manager.name) if remote is None else (remote.rname, remote.rqmname)
    return dict(zip(("ResolvedQName", "ResolvedQMgrName"), names, strict=True))


def _look_at_put(manager: RunningQueueManager, queue: str, options: PutMessageOptions, pmo: bytes) -> None:
    """Check the requests of a put that the model lacks. Raises NotModelledError for a refused one."""
    look_at("MQPMO", options.options)
    if puts_asynchronously(manager, queue, options.options):
        look_at("MQPMO", MQPMO.ASYNC_RESPONSE)
    if member(PMO, pmo, "RecsPresent"):
        raise NotModelledError("distribution lists")
    if member(PMO, pmo, "NewMsgHandle"):
        raise NotModelledError("MQPMO.NewMsgHandle: a message has the properties of OriginalMsgHandle")
    look_at_action(member(PMO, pmo, "Action"))


def _put_answer(reply: Reply, given: MessageDescriptor, md: bytes, pmo: bytes, resolved: dict[str, object]) -> Answer:
    if reply.descriptor is None:
        return codes_of(reply)
    return Answer(
        reply.comp_code,
        reply.reason,
        md=written(MD, md, descriptor_changes(given, reply.descriptor)),
        pmo=written(PMO, pmo, resolved),
    )


def _open_manager(connection: Connection, od: bytes, options: int) -> Answer:
    if options & ~(MQOO.INQUIRE | MQOO.FAIL_IF_QUIESCING | MQOO.SET | MQOO.ALTERNATE_USER_AUTHORITY):
        raise Failed(MQRC.OPTION_NOT_VALID_FOR_TYPE)
    if options & MQOO.FAIL_IF_QUIESCING and connection.manager.state.quiescing:
        raise Failed(MQRC.Q_MGR_QUIESCING)
    hobj = _FIRST_MANAGER_HANDLE + len(connection.managers)
    while hobj in connection.managers:
        hobj += 1
    connection.managers[hobj] = options
    outputs = {"ResolvedQMgrName": connection.manager.name, "ResolvedType": MQOT.Q_MGR}
    return Answer(hobj=hobj, od=written(OD, od, outputs))


def take(connection: Connection, call: calls.Get, hmsg: int) -> Reply:
    """Carry out an MQGET without waiting; with properties in a handle, if the call asks for that.

    The model has no message handles: it shows the message with an MQRFH2, and then returns it without.
    """
    manager, asked = connection.manager, call.options.options
    if not (asked & MQGMO.PROPERTIES_IN_HANDLE or hmsg):
        reply = manager.get(_with_options(call, asked & ~MQGMO.WAIT))
        connection.contexts.got(call, reply)
        return reply
    properties = message_handles.find(connection.hconn, hmsg)
    plain = asked & ~(PROPERTIES | MQGMO.WAIT)
    look = _with_options(call, plain | MQGMO.PROPERTIES_FORCE_MQRFH2)
    seen = manager.look(replace(look, buffer_length=_WHOLE))
    reply = manager.get(_with_options(call, plain | MQGMO.NO_PROPERTIES))
    if reply.descriptor is not None and seen.descriptor is not None:
        properties.fill(seen.descriptor, seen.data or b"")
    connection.contexts.got(call, reply)
    return reply


def look(connection: Connection, call: calls.Get, *, waits: bool = False) -> Reply:
    """Return what an MQGET would return, without carrying it out or, if it `waits`, at once.

    Properties do not count.
    """
    left_out = PROPERTIES if waits else PROPERTIES | MQGMO.WAIT
    return connection.manager.look(_with_options(call, call.options.options & ~left_out))


def _with_options(call: calls.Get, options: int) -> calls.Get:
    return replace(call, options=replace(call.options, options=options))


def _get_into_handle(connection: Connection, call: calls.Get, hmsg: int) -> Reply:
    """Get a message and put its properties into a message handle.

    A call that waits tries again instead of waiting in the model, so that the message that is shown is the one that is
    got.
    """
    manager = connection.manager
    message_handles.find(connection.hconn, hmsg)

    def attempt() -> Reply | None:
        if connection.conn not in manager.state.connections:
            return failure(MQRC.CONNECTION_BROKEN)
        if (due is None or manager.state.now_ms < due) and look(connection, call).reason == MQRC.NO_MSG_AVAILABLE:
            return None
        return take(connection, call, hmsg)

    interval = call.options.wait_interval
    waits = call.options.options & MQGMO.WAIT
    due = None if waits and interval < 0 else manager.state.now_ms + (interval if waits else 0)
    return manager.poll(due, attempt)
