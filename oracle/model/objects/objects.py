"""Connections and handles: MQCONN, MQDISC, MQOPEN, MQCLOSE, and the death of an application."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from oracle.model.browsing.browse import release_lock
from oracle.model.browsing.marks import end_marks_of
from oracle.model.checks import Refusal, fail, find_any_handle, find_connection, handle_refusals, refuse
from oracle.model.connections import Connection
from oracle.model.groups.get_groups import close_warnings
from oracle.model.handles import Handle
from oracle.model.objects.dynamic_queues import (
    create,
    creation_refusals,
    delete_if_due,
    deletion_refusals,
    rules_of_name,
)
from oracle.model.reply import Anything, Reply, failure, warning
from oracle.model.requests.names import name_refusals
from oracle.model.requests.users import alternate_user, authority_refusals
from oracle.model.step import Step
from oracle.model.triggers.events import (
    CLOSED,
    announces_for,
    catch_up,
    fire_before_backout,
    fire_closes_first,
    fire_triggers,
    stir_by_open,
)
from oracle.model.units.skip_backout import forget_handle
from oracle.model.units.units import back_out, commit
from oracle.mqi.calls import Close, Connect, Disconnect, Fail, Open
from oracle.mqi.constants import INPUT_OPTIONS, MQCO, MQOO, MQRC

_INITIATION_QUEUES_LAST: Final = "are initiation queues closed after the queues that they announce"
_BIND = MQOO.BIND_ON_OPEN | MQOO.BIND_NOT_FIXED | MQOO.BIND_ON_GROUP
_CONTEXT = MQOO.PASS_IDENTITY_CONTEXT | MQOO.PASS_ALL_CONTEXT | MQOO.SET_IDENTITY_CONTEXT | MQOO.SET_ALL_CONTEXT
_READ_AHEAD = MQOO.NO_READ_AHEAD | MQOO.READ_AHEAD
_ACCESS = INPUT_OPTIONS | MQOO.BROWSE | MQOO.OUTPUT | MQOO.INQUIRE | MQOO.SET | _BIND
_KNOWN = (
    _ACCESS
    | _CONTEXT
    | _READ_AHEAD
    | MQOO.SAVE_ALL_CONTEXT
    | MQOO.ALTERNATE_USER_AUTHORITY
    | MQOO.FAIL_IF_QUIESCING
    | MQOO.CO_OP
    | MQOO.NO_MULTICAST
    | MQOO.RESOLVE_LOCAL_Q
    | MQOO.RESOLVE_NAMES
)

_OF_SUBSCRIPTIONS: Final = MQCO.KEEP_SUB | MQCO.REMOVE_SUB
_KNOWN_BY_CLOSE: Final = MQCO.bits()

_AT_MOST_ONE = ((INPUT_OPTIONS, "OPN-02"), (_BIND, "OPN-03"), (_READ_AHEAD, "OPN-04"))
_NEEDS = (
    (MQOO.SAVE_ALL_CONTEXT, INPUT_OPTIONS, "OPN-05"),
    (_CONTEXT, MQOO.OUTPUT, "OPN-06"),
    (MQOO.CO_OP, MQOO.BROWSE, "OPN-07"),
    (MQOO.NO_MULTICAST, MQOO.OUTPUT, "OPN-08"),
)


def perform_connect(step: Step, call: Connect) -> Reply:
    """Carry out an MQCONN."""
    if call.conn in step.state.connections:
        step.because("CON-06")
        return warning(MQRC.ALREADY_CONNECTED)
    if step.state.quiescing:
        step.because("CON-07")
        return failure(MQRC.Q_MGR_QUIESCING)
    step.because("CON-09")
    number = step.state.next_connection
    step.state.connections[call.conn] = Connection(call.conn, number, program=call.program, kind=call.kind)
    step.state.next_connection += 1
    if call.user:
        step.state.users = {**step.state.users, number: call.user}
    return Reply()


def perform_disconnect(step: Step, call: Disconnect) -> Reply:
    """Carry out an MQDISC: handles close without a warning, an open unit of work is committed (CON-04)."""
    connection = find_connection(step, call.conn)
    if isinstance(connection, Refusal):
        return fail(step, [connection])
    step.because("CON-04")
    _drop_handles(step, call.conn)
    fire_closes_first(step, connection)
    commit(step, connection)
    del step.state.connections[call.conn]
    return Reply()


def perform_fail(step: Step, call: Fail) -> Reply:
    """Let the application of a connection die (CON-05); its waiting call is never completed."""
    connection = step.state.connections.get(call.conn)
    if connection is not None:
        step.because("CON-05")
        _drop_handles(step, call.conn)
        fire_before_backout(step, call.conn)
        back_out(step, connection, by_application=False)
        del step.state.connections[call.conn]
    return Reply()


def perform_open(step: Step, call: Open) -> Reply:
    """Carry out an MQOPEN of a queue."""
    refused = refuse(step, open_refusals(step, call))
    if refused is not None:
        return refused
    definition = step.state.definitions.get(call.object_name)
    creates = definition is not None and definition.type == "model"
    queue = create(step, call, definition) if creates and definition is not None else None
    path = step.state.resolve(call.object_name) if queue is None else (queue.name,)
    assert path is not None  # a name that does not resolve has been refused
    taken = [hobj for conn, hobj in step.state.handles if conn == call.conn]
    hobj = step.generate("Hobj", lambda number: number, int)
    if hobj in taken:
        hobj = max(taken) + 1
    if call.options & INPUT_OPTIONS:
        catch_up(step, path[-1], only_triggers=True)
    handle = Handle(call.conn, hobj, path, call.options, created_queue=creates, alternate_user=alternate_user(call))
    step.state.handles[handle.key] = handle
    if handle.open_for_input:
        stir_by_open(step, handle.queue, alone=not any(other.open_for_input for other in step.state.others_of(handle)))
    step.because("OPN-18" if len(path) > 1 else "OPN-13", "LOG-06", "BRW-01")
    if call.options & MQOO.INPUT_AS_Q_DEF:
        step.because("OPN-14")
    if queue is None:
        return Reply(hobj=hobj, latitude={"Hobj": Anything()})
    behind = {"ObjectName": rules_of_name(call)}
    return Reply(hobj=hobj, object_name=queue.name, latitude={"Hobj": Anything()}, behind=behind)


def perform_close(step: Step, call: Close) -> Reply:
    """Carry out an MQCLOSE; a warning for an unfinished group closes the handle all the same (LOG-39, PTB-16)."""
    handle = find_any_handle(step, call.conn, call.hobj)
    if isinstance(handle, Refusal):
        return fail(step, [handle])
    refused = refuse(step, (*_option_refusals(call.options), *deletion_refusals(step, call, handle)))
    if refused is not None:
        return refused
    warnings = _close_warnings(handle)
    drop_handle(step, handle, call.options)
    step.because("CLO-03", "CLO-04")
    if not warnings:
        step.because("LOG-40", "PTB-17")
        if handle.browsing.unfinished:
            step.because("LOG-43")
        return Reply()
    reason, rules = step.choose("which of the warnings that apply is returned", warnings)
    step.because(*rules)
    return Reply() if reason == MQRC.NONE else warning(reason)


def _option_refusals(options: int) -> Iterator[Refusal]:
    """Yield what fails an MQCLOSE of a queue by options that are not for queues (CLO-10)."""
    if options & ~_KNOWN_BY_CLOSE:
        yield Refusal(MQRC.OPTIONS_ERROR, ("CLO-10",))
    if options & _OF_SUBSCRIPTIONS:  # AMB-120
        for reason in (MQRC.OPTION_NOT_VALID_FOR_TYPE, MQRC.OPTIONS_ERROR):
            yield Refusal(reason, ("CLO-10",), optional=True)


def _close_warnings(handle: Handle) -> list[tuple[int, tuple[str, ...]]]:
    """Return the warnings that apply to a close, MQRC_NONE if none need be given, each with its rules.

    For a group unfinished by gets any reason that applies may be given, for one unfinished by puts the first (PTB-20).
    """
    warnings: list[tuple[int, tuple[str, ...]]] = []
    of_puts = close_warnings(handle.putting)
    if of_puts:
        kind = "PTB-19" if of_puts[0] == MQRC.INCOMPLETE_MSG else "PTB-18"
        warnings.append((of_puts[0], ("PTB-16", kind, *(("PTB-20",) if len(of_puts) > 1 else ()))))
    if handle.open_for_input:
        warnings += [(reason, ("LOG-39", "LOG-41")) for reason in close_warnings(handle.removing)]
        browsed = close_warnings(handle.browsing)
        if browsed and not warnings:  # AMB-67
            return [(MQRC.NONE, ("LOG-43",)), *((reason, ("LOG-39", "LOG-41")) for reason in browsed)]
    return warnings


def drop_handle(step: Step, handle: Handle, options: int = 0) -> None:
    """Close a handle: its cursor, lock and group information are gone (LCK-16), its unit of work continues (CLO-04).

    A dynamic queue may be deleted with it.
    """
    if handle.open_for_input:
        catch_up(step, handle.queue, only_triggers=True)
    del step.state.handles[handle.key]
    if not handle.queue_deleted:
        end_marks_of(step, handle)
    delete_if_due(step, handle, options)
    if handle.open_for_input:
        step.stir(handle.queue, CLOSED)
    release_lock(step, handle, "LCK-16")
    work = step.state.connections[handle.conn].unit_of_work
    if work is not None:
        work.saved.pop(handle.hobj, None)
        forget_handle(work, handle)


def _drop_handles(step: Step, conn: str) -> None:
    """Close all handles of a connection that ends. The order is open; it matters for what triggers (AMB-106)."""
    handles = [handle for handle in step.state.handles.values() if handle.conn == conn]
    monitors = [handle for handle in handles if announces_for(step.state, handle, handles)]
    apart = bool(monitors) and step.choose(_INITIATION_QUEUES_LAST, (False, True), CLOSED)
    if apart:
        handles = [*(handle for handle in handles if handle not in monitors), *monitors]
    for handle in handles:
        if apart and handle is monitors[0]:
            fire_triggers(step)
        drop_handle(step, handle)


def open_refusals(step: Step, call: Open) -> Iterator[Refusal]:
    """Yield every condition that fails an MQOPEN."""
    connection = find_connection(step, call.conn)
    if isinstance(connection, Refusal):
        yield connection
    broken = tuple(_broken_open_rules(call.options))
    if broken:
        yield Refusal(MQRC.OPTIONS_ERROR, broken)
    if step.state.quiescing and call.options & MQOO.FAIL_IF_QUIESCING:
        yield Refusal(MQRC.Q_MGR_QUIESCING, ("OPN-15",))
    yield from authority_refusals(call)
    yield from handle_refusals(step, call.conn)
    path = step.state.resolve(call.object_name)
    definition = step.state.definitions.get(call.object_name)
    if definition is not None and definition.type == "model":
        yield from creation_refusals(step, call)
    elif path is None:
        yield from name_refusals(step, call.object_name)
    elif step.state.remote_on(path) is not None:
        if call.options & (INPUT_OPTIONS | MQOO.BROWSE):
            yield Refusal(MQRC.OPTION_NOT_VALID_FOR_TYPE, ("OPN-20",))
    elif call.options & INPUT_OPTIONS:
        yield from _sharing_refusals(step, call, path[-1])


def _broken_open_rules(options: int) -> Iterator[str]:
    if not options & _ACCESS:
        yield "OPN-01"
    for members, rule in _AT_MOST_ONE:
        if (options & members).bit_count() > 1:
            yield rule
    for members, needed, rule in _NEEDS:
        if options & members and not options & needed:
            yield rule
    if options & ~_KNOWN:
        yield "OPN-09"


def _sharing_refusals(step: Step, call: Open, queue: str) -> Iterator[Refusal]:
    others = [handle for handle in step.state.handles_of(queue) if handle.open_for_input]
    if not others:
        return
    if call.options & MQOO.INPUT_EXCLUSIVE or any(other.options & MQOO.INPUT_EXCLUSIVE for other in others):
        yield Refusal(MQRC.OBJECT_IN_USE, ("OPN-11",))
    if not step.state.queues[queue].definition.shareability:
        yield Refusal(MQRC.OBJECT_IN_USE, ("OPN-12",))
