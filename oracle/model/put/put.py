"""MQPUT and MQPUT1: resolve the message, refuse it or store it, and retain group information."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from operator import attrgetter

from oracle.errors import NotModelledError
from oracle.model.checks import (
    Refusal,
    any_inhibited,
    fail,
    find_any_handle,
    find_connection,
    find_handle,
    handle_refusals,
    refuse,
)
from oracle.model.groups.put_groups import (
    SEGMENT_FLAGS,
    PutRow,
    fields_used,
    information_after_put,
    unordered_warnings,
)
from oracle.model.groups.splitting import place_pieces
from oracle.model.handles import Handle
from oracle.model.messages.made import PutNotes
from oracle.model.put.checks import (
    KNOWN_FLAGS,
    KNOWN_REPORT,
    REPORT_WANTED,
    descriptor_refusals,
    group_refusals,
    message_refusals,
    option_refusals,
)
from oracle.model.put.notes import Noted, notes_of
from oracle.model.put.split_checks import refused_for_pieces
from oracle.model.reply import Anything, Latitude, OneOf, Reply
from oracle.model.reports.discards import settle_reports, settle_reports_of
from oracle.model.reports.reply_queues import reply_queue_of, route_of_reply, settle_route
from oracle.model.reports.reports import asks_for, is_destination, report_if_asked
from oracle.model.reports.transmission import wrap
from oracle.model.requests.context import SETS_CONTEXT, Context, context_of, context_refusals
from oracle.model.requests.names import name_refusals
from oracle.model.requests.put import PutRequest, in_unit_of_work, put_request, with_own_version
from oracle.model.requests.users import authority_refusals
from oracle.model.state import DELETED
from oracle.model.step import Step
from oracle.model.units.arrival import make_identifier, place
from oracle.model.units.units import mark_used_outside, put_in_unit_of_work
from oracle.mqi.calls import Put, Put1
from oracle.mqi.constants import MQCC, MQFB, MQFMT, MQMT, MQOL, MQOO, MQPER, MQPMO, MQRC, MQRO, NULL_ID
from oracle.mqi.structures import MessageDescriptor
from oracle.values import replace

_REPORTS = MQRO.EXPIRATION | MQRO.COA | MQRO.COD
_PASS_CONTEXT = MQPMO.PASS_IDENTITY_CONTEXT | MQPMO.PASS_ALL_CONTEXT

GIVEN_OR_USED = ("expiry", "priority", "persistence", "coded_char_set_id")
"""Members of MQMD that are input of a put, and that a queue manager may also return as it used them (PUT-23).

IBM's description of MQMD calls Expiry, Priority and Persistence input of MQPUT and MQPUT1 and output of MQGET alone. A
queue manager of version 9.4 was seen to return Priority as it was passed, -1 too. The target protocol also lets a put
return what it used, or leave them out, which is as they were passed.
"""

_GIVEN_OR_USED = tuple(f"MQMD.{MessageDescriptor.c_names()[name]}" for name in GIVEN_OR_USED)
_values_of = attrgetter(*GIVEN_OR_USED)


def perform_put(step: Step, call: Put) -> Reply:
    """Carry out an MQPUT."""
    handle = find_handle(step, call.conn, call.hobj)
    if isinstance(handle, Refusal):
        opened = find_any_handle(step, call.conn, call.hobj)
        beside = () if isinstance(opened, Refusal) else _beside_a_deleted_queue(step, call, opened)
        return fail(step, [handle, *option_refusals(step, call), *beside])
    request = put_request(step, call, handle.path, handle)
    return _put(step, request, list(put_refusals(step, request, handle)))


def _beside_a_deleted_queue(step: Step, call: Put, opened: Handle) -> Iterator[Refusal]:
    """Yield what else fails a put whose queue is deleted: its handle, its message, or an alias on the way (AMB-63)."""
    yield from _access_refusals(opened)
    last = opened.last_definition
    if any_inhibited(step, opened.path[:-1], "inhibit_put") or (last is not None and last.inhibit_put):
        yield Refusal(MQRC.PUT_INHIBITED, ("PUT-09",))
    if last is not None and len(call.data) > last.max_msg_length:
        yield Refusal(MQRC.MSG_TOO_BIG_FOR_Q, ("SIZ-04",))
    if opened.was_full:
        yield Refusal(MQRC.Q_FULL, ("DEP-06",))
    if call.descriptor.persistence != MQPER.NOT_PERSISTENT:
        yield Refusal(MQRC.PERSISTENT_NOT_ALLOWED, ("PER-05", "DYN-03"))  # the queue may have been temporary
    yield from _refusals_without_a_queue(step, call, opened.path, opened)


def _refusals_without_a_queue(
    step: Step, call: Put | Put1, path: tuple[str, ...], opened: Handle | None
) -> Iterator[Refusal]:
    """Yield what fails a put by its message and its handle where there is no queue (AMB-63)."""
    md, inside = with_own_version(step, call.descriptor), in_unit_of_work(step, call)
    request = PutRequest(call, path, DELETED, opened, md, inside)
    if call.options.options & SETS_CONTEXT:
        yield from context_refusals(request)
    yield from descriptor_refusals(step, request)
    yield from group_refusals(step, request)
    if len(call.data) > step.state.definition.max_msg_length:
        yield Refusal(MQRC.MSG_TOO_BIG_FOR_Q_MGR, ("SIZ-04", "SIZ-01"))


def _access_refusals(handle: Handle) -> Iterator[Refusal]:
    """Yield that a handle is not open for output."""
    if not handle.options & MQOO.OUTPUT:
        yield Refusal(MQRC.NOT_OPEN_FOR_OUTPUT, ("OPN-17",))


def put_refusals(step: Step, request: PutRequest, handle: Handle) -> Iterator[Refusal]:
    """Yield every condition that fails an MQPUT to a handle that exists."""
    yield from option_refusals(step, request.call)
    yield from _access_refusals(handle)
    yield from _refusals_of_message(step, request)


def _refusals_of_message(step: Step, request: PutRequest) -> Iterator[Refusal]:
    if request.call.options.options & SETS_CONTEXT:
        yield from context_refusals(request)
    yield from message_refusals(step, request)


def perform_put1(step: Step, call: Put1) -> Reply:
    """Carry out an MQPUT1."""
    path = step.state.resolve(call.object_name)
    if path is None or isinstance(find_connection(step, call.conn), Refusal):
        return fail(step, put1_refusals(step, call))
    return _put(step, put_request(step, call, path, None), list(put1_refusals(step, call)))


def put1_refusals(step: Step, call: Put1) -> Iterator[Refusal]:
    """Yield every condition that fails an MQPUT1."""
    connection = find_connection(step, call.conn)
    path = step.state.resolve(call.object_name)
    definition = step.state.definitions.get(call.object_name)
    if isinstance(connection, Refusal):
        yield connection
        yield from option_refusals(step, call)
    elif path is not None:
        yield from option_refusals(step, call)
        yield from authority_refusals(call)
        yield from handle_refusals(step, call.conn)
        yield from _refusals_of_message(step, put_request(step, call, path, None))
    elif definition is not None and definition.type == "model":
        raise NotModelledError("MQPUT1 to a model queue is not modelled")
    else:
        yield from name_refusals(step, call.object_name)
        yield from option_refusals(step, call)
        yield from _refusals_without_a_queue(step, call, (call.object_name,), None)


def _put(step: Step, request: PutRequest, refusals: list[Refusal]) -> Reply:
    refused = refuse(step, refusals)
    if refused is None:
        refused = refused_for_pieces(step, request)
    if refused is not None:
        step.because("PUT-25")
        if refused.reason == MQRC.EXPIRY_ERROR and request.descriptor.report & REPORT_WANTED:
            step.because("RPT-05")
        return refused
    _refuse_unmodelled(step, request)
    warnings = list(_warnings(step, request))
    reason, rule = step.choose("which of the warnings that apply is returned", warnings or [(MQRC.NONE, "PUT-23")])
    step.because(rule)
    row = request.row
    assert row is not None  # a put that fits no row has been refused as inconsistent
    context = context_of(step, request)
    stored, noted = _stored(step, request, row, context)
    _store(step, request, stored, noted.notes)
    if request.handle is not None:
        request.handle.putting = information_after_put(
            stored,
            len(request.call.data),
            logical_order=request.logical_order,
            in_unit_of_work=request.in_unit_of_work,
        )
    return _reply(request, stored, context, reason, noted.behind_reply)


def _refuse_unmodelled(step: Step, request: PutRequest) -> None:
    """Refuse, with a clear error, what this version of the model does not contain."""
    md = request.descriptor
    if md.report & _REPORTS and md.reply_to_q_mgr in step.state.definitions:
        raise NotModelledError("reports to a queue manager whose name is that of a definition are not modelled")
    route = route_of_reply(step.state, md) if md.report & _REPORTS else None
    if route is not None and route.remote is not None and md.report & MQRO.PASS_DISCARD_AND_EXPIRY:
        raise NotModelledError("reports to other queue managers that pass on an expiry are not modelled")
    if request.call.options.options & _PASS_CONTEXT:
        raise NotModelledError("passing context is not modelled")
    if md.format == MQFMT.MD_EXTENSION:
        raise NotModelledError(f"a message of format {md.format} is not modelled")
    if md.report & MQRO.EXPIRATION and (request.remote is not None or request.queue.is_transmission_queue):
        raise NotModelledError("expiration reports about messages on transmission queues are not modelled")
    if request.is_split and md.report & _REPORTS:
        raise NotModelledError("reports about a message that the queue manager splits are not modelled")
    if request.is_split and request.queue.is_transmission_queue:
        raise NotModelledError("splitting a message on a transmission queue is not modelled")
    if request.logical_order and request.call.descriptor.version == 1:
        raise NotModelledError("MQPMO_LOGICAL_ORDER with a version 1 MQMD is not modelled")


def _warnings(step: Step, request: PutRequest) -> Iterator[tuple[int, str]]:
    """Yield the warnings that apply to a put that succeeds; MQRC_NONE if none need be given."""
    md = request.descriptor
    if not request.logical_order and request.information.unfinished:
        yield from unordered_warnings(
            md, request.information, in_unit_of_work=request.in_unit_of_work, persistence=md.persistence
        )
    if md.priority > step.state.definition.max_priority:
        yield MQRC.PRIORITY_EXCEEDS_MAXIMUM, "PUT-14"
    if md.msg_flags & ~KNOWN_FLAGS:
        step.because("PUT-15")
    if md.report & ~KNOWN_REPORT:
        yield MQRC.UNKNOWN_REPORT_OPTION, "PUT-16"


def _stored(step: Step, request: PutRequest, row: PutRow, context: Context) -> tuple[MessageDescriptor, Noted]:
    """Return the descriptor as stored, with identifiers, group fields and time of the put, and the notes about it."""
    md, options = request.descriptor, request.call.options.options
    step.because(row.rule)

    def generate(member: str) -> bytes:
        return step.generate(f"MQMD.{member}", partial(make_identifier, step), bytes)

    new_msg_id = bool(options & MQPMO.NEW_MSG_ID) or md.msg_id == NULL_ID
    new_correl_id = bool(options & MQPMO.NEW_CORREL_ID)
    if new_msg_id:
        step.because("IDS-03", "IDS-04")
    else:
        step.because("IDS-02", "IDS-05")
    step.because("IDS-09" if new_correl_id else "IDS-08")
    reply_queue = reply_queue_of(step.state, md)
    stored = replace(
        md,
        version=2,
        original_length=_stored_original_length(step, md),
        msg_id=generate("MsgId") if new_msg_id else md.msg_id,
        correl_id=generate("CorrelId") if new_correl_id else md.correl_id,
        reply_to_q=reply_queue.queue,
        reply_to_q_mgr=reply_queue.manager,
        **fields_used(row, md, request.information, lambda: generate("GroupId")),
        **context.members,
    )
    noted = notes_of(request, stored, context, reply_queue, max_priority=step.state.definition.max_priority)
    step.because("PUT-24", *noted.rules)
    if request.call.descriptor.msg_id != NULL_ID and not new_msg_id and _is_known(request, md.msg_id):
        step.because("TRM-02")
    if stored.correl_id != NULL_ID and not new_correl_id and _shares_correl_id(request, stored.correl_id):
        step.because("IDS-07")
    return stored, noted


def _stored_original_length(step: Step, md: MessageDescriptor) -> int:
    """Return the OriginalLength to store; it is open whether a meaningless one is kept (PUT-20)."""
    means_something = md.msg_type == MQMT.REPORT and md.msg_flags & SEGMENT_FLAGS
    if md.original_length == MQOL.UNDEFINED or means_something:
        return md.original_length
    kept = step.choose("is an OriginalLength kept that is of no segment of a report", (True, False), "PUT-20")
    return md.original_length if kept else MQOL.UNDEFINED


def _is_known(request: PutRequest, msg_id: bytes) -> bool:
    """Return whether a message with this MsgId is on the queue already, which is no error (TRM-02)."""
    return any(message.descriptor.msg_id == msg_id for message in request.queue.messages.perhaps_with(msg_id))


def _shares_correl_id(request: PutRequest, correl_id: bytes) -> bool:
    """Return whether a message with this CorrelId is on the queue already, as any number may be (IDS-07)."""
    return any(each.descriptor.correl_id == correl_id for each in request.queue.messages.perhaps_with(correl_id))


def _store(step: Step, request: PutRequest, md: MessageDescriptor, notes: PutNotes) -> None:
    put_by = request.call.conn if request.in_unit_of_work else None
    settle_reports(step, request.queue.name)
    if md.report & _REPORTS:
        settle_route(step, md)
    if asks_for(md, MQFB.COA):
        settle_reports_of(step, md)
    if request.is_split:
        place_pieces(step, request.queue, md, request.call.data, put_by=put_by, notes=notes)
    elif request.remote is None:
        message = place(step, request.queue, md, request.call.data, put_by=put_by, notes=notes)
        if not asks_for(md, MQFB.COA) or is_destination(step, request.queue, message):
            report_if_asked(step, message, MQFB.COA, put_by)
    else:
        wrapped = wrap(step, request.remote, md, request.call.data, replaced=_replaced_members(request, md))
        message = place(step, request.queue, wrapped.descriptor, wrapped.data, put_by=put_by, made=wrapped.made)
    if not request.in_unit_of_work:
        mark_used_outside(step, request.call.conn, request.queue.name)
    elif request.handle is not None:
        put_in_unit_of_work(step, request.handle)


def _replaced_members(request: PutRequest, md: MessageDescriptor) -> tuple[str, ...]:
    """Return the stored members that come from a definition, where the given values are as good (RPY-06)."""
    return ("ReplyToQ",) if md.reply_to_q != request.descriptor.reply_to_q else ()


@lru_cache(maxsize=1024)
def _given_or_used(given: tuple[int, ...], used: tuple[int, ...]) -> Mapping[str, Latitude]:
    """Return the latitude of the members that may come back as given or as used. Cached by these few values."""
    return {
        member: OneOf((one,) if one == other else (one, other))
        for member, one, other in zip(_GIVEN_OR_USED, given, used, strict=True)
    }


def _reply(
    request: PutRequest, stored: MessageDescriptor, context: Context, reason: int, behind: Mapping[str, tuple[str, ...]]
) -> Reply:
    """Return the reply of a put, in the caller's descriptor: identifiers, group fields and context (PUT-23).

    Input members stay as they were given, which a queue manager need not do, except for the flags (PUT-21).
    """
    given = request.call.descriptor
    latitude = dict(_given_or_used(_values_of(given), _values_of(stored)))
    returned = replace(
        given,
        msg_id=stored.msg_id,
        correl_id=stored.correl_id,
        group_id=stored.group_id,
        msg_seq_number=stored.msg_seq_number,
        offset=stored.offset,
        **context.members,
    )
    if not stored.put_date:
        latitude |= {"MQMD.PutDate": Anything(), "MQMD.PutTime": Anything()}
    code = MQCC.OK if reason == MQRC.NONE else MQCC.WARNING
    return Reply(code, reason, descriptor=returned, latitude=latitude, behind=behind)
