"""MQGET: find a message, return it, and change what the call changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from oracle.model.browsing.browse import (
    after_browse,
    after_empty_scan,
    after_failure,
    after_removal,
    after_truncation,
    release_lock,
)
from oracle.model.browsing.marks import clear_marks, is_co_op_marked, marks_when_nothing_found, marks_when_truncated
from oracle.model.checks import Refusal, fail, refuse
from oracle.model.connections import Waiting
from oracle.model.conversion.conversion import convert
from oracle.model.conversion.properties import Shown, shown
from oracle.model.get.checks import (
    get_refusals,
    inconsistent_unit_of_work,
    request_on_handle,
    search_refusals,
    second_mark,
)
from oracle.model.get.notes import rules_of_message
from oracle.model.get.reply import message_reply
from oracle.model.get.signals import set_signal
from oracle.model.get.unfit import is_passed_over_as_unfit, match_conflicts, unfit_though_withheld
from oracle.model.groups.get_groups import information_after, table_3_warnings
from oracle.model.groups.splitting import learn_place, refuse_unseen_place, with_known_place
from oracle.model.groups.unlike_segments import by_one_segment
from oracle.model.limits.uncommitted import limit_refusals, note_taken, uncommitted, with_get
from oracle.model.messages.logical_messages import Found
from oracle.model.messages.messages import Message
from oracle.model.reply import Reply, failure, warning
from oracle.model.reports.discards import settle_places, settle_reports, settle_reports_of
from oracle.model.reports.reports import asks_for, is_destination, report_if_asked
from oracle.model.requests.context import with_user
from oracle.model.requests.get import GetRequest, request_of
from oracle.model.requests.option_matrix import GROUPING
from oracle.model.search.first_sight import with_chosen_values, with_token, with_version_2_members
from oracle.model.search.get_rules import foreign_to_index, rules_of_options
from oracle.model.search.group_rules import rules_of_nothing_found, rules_of_return
from oracle.model.search.selection import find_message, places_passed_over
from oracle.model.step import Step
from oracle.model.triggers.events import fire_triggers
from oracle.model.units.skip_backout import mark_skip_backout
from oracle.model.units.units import mark_used_outside, take_in_unit_of_work
from oracle.mqi.calls import Get
from oracle.mqi.constants import MQFB, MQGMO, MQPER, MQRC
from oracle.values import replace

_SIGNAL_UNDER_CURSOR: Final = "does an under-cursor option make MQGET ignore SET_SIGNAL, as it does WAIT"


def perform_get(step: Step, call: Get) -> Reply:
    """Carry out an MQGET."""
    request = request_on_handle(step, call)
    refused = _refused(step, call, request)
    if refused is not None:
        return refused
    assert not isinstance(request, Refusal)  # a call without a handle has been refused
    if request.asks(MQGMO.UNLOCK):
        return _unlock(step, call)
    if request.zos and _refused_for_index(step, request):
        after_failure(step, request)
        return failure(MQRC.MATCH_OPTIONS_ERROR)
    if settle_reports(step, request.queue.name):
        fire_triggers(step)
    reply = attempt(step, request)
    if reply is not None:
        if request.waits and not reply.failed:
            step.because("WAI-02")
        step.because(*_as_without_signal(step, call, reply))
        return reply
    return _without_message(step, request)


def _refused(step: Step, call: Get, request: GetRequest | Refusal) -> Reply | None:
    """Return the failure of a call that does not reach the search, or None."""
    refusals = list(get_refusals(step, call, request))
    if not refusals:
        return None
    binding = {refusal.reason for refusal in refusals if not refusal.optional}
    if binding and not isinstance(request, Refusal):
        refusals += search_refusals(step, request, binding)
        refusals += _refusals_for_index(request)
    refused = refuse(step, refusals)
    if refused is not None:
        if not isinstance(request, Refusal):
            orders = request.handle.failed_orders
            after_failure(step, request)
            if refused.reason == MQRC.INCONSISTENT_BROWSE:
                request.handle.failed_orders = orders
            _perhaps_end_lock(step, request, refused)
        step.because(*_as_without_signal(step, call, refused))
    return refused


def _perhaps_end_lock(step: Step, request: GetRequest, refused: Reply) -> None:
    """Decide whether a refused browse that reports that it found nothing has ended its lock (LCK-12)."""
    if refused.reason != MQRC.NO_MSG_AVAILABLE or not request.scans or not request.handle.locked:
        return
    if step.choose("does a refused browse that finds nothing end the lock", (False, True), "LCK-12"):
        release_lock(step, request.handle, "LCK-12")


def _without_message(step: Step, request: GetRequest) -> Reply:
    """Return the reply of a get that found nothing at once: it waits, sets a signal, or ends."""
    if request.sets_signal and not (request.under_cursor and step.choose(_SIGNAL_UNDER_CURSOR, (True, False))):
        return set_signal(step, request)
    return _begin_to_wait(step, request) if request.waits else empty_handed(step, request)


def _note_waiters(step: Step, request: GetRequest, message: Message) -> None:
    """Note that a call which does not wait is ahead of calls that wait for such a message (ACT-10)."""
    for connection in step.state.connections.values():
        if connection.waiting is not None:
            other = request_of(step.state, connection.waiting.call)
            if other.queue.name == request.queue.name and other.matching().admits(message):
                step.because("ACT-10")


def _refused_for_index(step: Step, request: GetRequest) -> bool:
    """Return whether z/OS refuses match options that the queue's index is not made for; it is open which ones (MTC-17).

    Which it refuses is open (MTC-17).
    """
    if request.under_cursor or not foreign_to_index(request):
        return False
    return step.choose("does the index forbid the match options", (False, True), "MTC-17")


def _refusals_for_index(request: GetRequest) -> Iterator[Refusal]:
    """Yield that the index may also forbid the match options of a call that fails for another reason (AMB-63)."""
    if request.zos and not request.under_cursor and foreign_to_index(request):
        yield Refusal(MQRC.MATCH_OPTIONS_ERROR, ("MTC-17",), optional=True, unlikely=True)


def _as_without_signal(step: Step, call: Get, reply: Reply) -> tuple[str, ...]:
    """Return the rule by which a call ends as without SET_SIGNAL: a message (SIG-01) or an error (SIG-02)."""
    if not step.state.profile.zos or not call.options.options & MQGMO.SET_SIGNAL:
        return ()
    return ("SIG-02",) if reply.failed else ("SIG-01",)


def attempt(step: Step, request: GetRequest) -> Reply | None:
    """Return the reply of a get that finds a message, or None if it finds none."""
    if request.under_cursor and request.asks(MQGMO.WAIT):
        step.because("WAI-09")
    if not request.asks(MQGMO.COMPLETE_MSG):
        learn_place(step, request.queue, request.call.descriptor, converted=request.asks(MQGMO.CONVERT))
    inconsistent = inconsistent_unit_of_work(step, request)
    found = find_message(step, request)
    step.because(*rules_of_options(request.call.options.options))
    if request.asks(MQGMO.LOCK) and not request.handle.open_for_input:
        step.because("OPT-34")
    if found is not None and is_passed_over_as_unfit(step, request, found.first):
        found = None
    if found is None:
        if inconsistent is not None and step.choose(
            "is the unit of work judged before the search", (False, True), "CHK-02"
        ):
            return fail(step, [inconsistent])
        refused = refuse(step, unfit_though_withheld(step, request))
    else:
        refused = refuse(step, _found_refusals(step, request, found))
    if refused is not None:
        after_failure(step, request)
        return refused
    return None if found is None else _return_message(step, request, found)


def empty_handed(step: Step, request: GetRequest) -> Reply:
    """Return the reply of a get that found nothing and does not wait (any longer)."""
    if request.under_cursor:
        unclear = request.asks(MQGMO.UNMARKED_BROWSE_MSG | GROUPING & ~MQGMO.LOGICAL_ORDER)
        reasons = (MQRC.NO_MSG_UNDER_CURSOR, MQRC.NO_MSG_AVAILABLE)[: 1 + unclear]
        after_failure(step, request)
        return failure(step.choose("how does an unsuitable message under the cursor fail the call", reasons))
    if request.asks(MQGMO.WAIT):
        step.because("WAI-01", "DLV-05")
    else:
        step.because("WAI-10", "WAI-11", "DLV-05")
    _note_unsuitable(step, request)
    step.because(*rules_of_nothing_found(step.state, request))
    marks_when_nothing_found(step, request)
    after_empty_scan(step, request)
    return failure(MQRC.NO_MSG_AVAILABLE)


def _begin_to_wait(step: Step, request: GetRequest) -> Reply:
    """Register a waiting call; the lock is released before the wait begins (LCK-13)."""
    interval = request.call.options.wait_interval
    deadline = None if interval < 0 else step.state.now_ms + interval
    if request.scans:
        release_lock(step, request.handle, "LCK-13")
        step.because("WAI-08")
    step.because("WAI-01", "WAI-12", *rules_of_nothing_found(step.state, request))
    _note_unsuitable(step, request)
    step.state.connections[request.call.conn].waiting = Waiting(
        request.call, deadline, places_passed_over(step, request)
    )
    return Reply(pending=True)


def _note_unsuitable(step: Step, request: GetRequest) -> None:
    """Note that messages which do not match do not end a wait (WAI-04)."""
    criteria = request.matching()
    if request.waits and any(not criteria.admits(message) for message in request.queue.messages):
        step.because("WAI-04")


def _unlock(step: Step, call: Get) -> Reply:
    """Release the handle's lock (LCK-15, LCK-17)."""
    handle = step.state.handles[call.conn, call.hobj]
    held = bool(handle.locked)
    queue = step.state.queues[handle.queue]
    settle_places(step, queue, handle.locked)
    if held and all(queue.messages.at(position) is None for position in handle.locked):
        held = step.choose("does the lock of a message that has gone still count", (False, True), "EXP-28")
    if held:
        release_lock(step, handle, "LCK-15")
        step.because("LCK-15", "LCK-18", "OPT-28")
        if not handle.open_for_input:
            step.because("OPT-34")
        return Reply()
    release_lock(step, handle, "EXP-28")
    step.because("LCK-17", *handle.grounds.release)
    if any(other.locked for other in step.state.others_of(handle)):
        step.because("LCK-20")
    step.because("OPT-28")
    return warning(MQRC.NO_MSG_LOCKED)


def _under_cursor_conflicts(request: GetRequest, message: Message) -> Iterator[Refusal]:
    """Yield why a LOGICAL_ORDER removal under the cursor may fail if it does not continue the group.

    The message is returned whatever the group is (CUR-02); Table 3 has a failure for such a call (AMB-48).
    """
    info = request.information
    if request.browses or not request.under_cursor or not info.unfinished:
        return
    inside = request.in_unit_of_work(message)
    conflicts = table_3_warnings(replace(info, logical_order=True), message, in_unit_of_work=inside)
    if conflicts[0][0] != MQRC.NONE:
        for reason, rule in conflicts:
            yield Refusal(reason, ("CUR-02", rule), optional=True, unlikely=True)


def _found_refusals(step: Step, request: GetRequest, found: Found) -> Iterator[Refusal]:
    """Yield the conditions that fail a get because of the message that it found."""
    inconsistent = inconsistent_unit_of_work(step, request, found.first)
    if inconsistent is not None:
        yield inconsistent
    if request.logical_order:
        yield from match_conflicts(request, found.first)
        yield from _under_cursor_conflicts(request, found.first)
    marks = request.asks(MQGMO.MARK_BROWSE_CO_OP) and not request.asks(MQGMO.UNMARKED_BROWSE_MSG)
    if marks and is_co_op_marked(step, found.first):
        yield Refusal(MQRC.MSG_MARKED_BROWSE_CO_OP, ("MRK-09",))
    for each in _removal_refusals(step, request, found):
        # what a removal needs may be looked at before or after the length (AMB-114)
        yield replace(each, optional=True) if _leaves_the_message(request, found) else each


def _removal_refusals(step: Step, request: GetRequest, found: Found) -> Iterator[Refusal]:
    """Yield the conditions under which a unit of work cannot have the message that a get would remove."""
    second = second_mark(step, request)
    if second is not None:
        yield second
    inside = request.in_unit_of_work(found.first)
    work = step.state.connections[request.call.conn].unit_of_work
    if inside:
        conn = request.call.conn
        count = with_get(step.state, uncommitted(step.state, conn), request.queue.name, conn, found.segments)
        yield from limit_refusals(step, count, *(("CMP-08",) if found.reassembled else ()))
    persistent = found.descriptor.persistence == MQPER.PERSISTENT
    if request.browses or not found.reassembled or not persistent or inside:
        return
    if work is not None:
        yield Refusal(MQRC.UOW_NOT_AVAILABLE, ("CMP-10",), optional=step.state.profile.zos)
    else:
        step.because("CMP-09")


def _leaves_the_message(request: GetRequest, found: Found) -> bool:
    """Return whether the message is too long for the buffer, so that the call leaves it where it is (TRN-05)."""
    if request.asks(MQGMO.ACCEPT_TRUNCATED_MSG):
        return False
    whole = Shown(found.descriptor, found.data).payload(request.call.descriptor.version)
    return len(whole.data) > request.call.buffer_length


def _return_message(step: Step, request: GetRequest, found: Found) -> Reply:
    """Return the message, whole or truncated, and change the state if the call is completed."""
    if step.identity is None and request.competes:
        _note_waiters(step, request, found.first)
    step.because(*rules_of_message(step.state, request, found))
    found = with_user(step, found) if found.first.made is None else _as_made(step, request, found)
    seen = shown(step, request, found)
    whole = seen.payload(request.call.descriptor.version)
    conversion = convert(step, request, found, whole)
    fits = conversion.fits
    accepted = request.asks(MQGMO.ACCEPT_TRUNCATED_MSG)
    inside = request.in_unit_of_work(found.first)
    warnings = _warnings(step, request, found, conversion.warnings, fits=fits, in_unit_of_work=inside)
    if whole.data and request.call.buffer_length == len(whole.data):
        step.because("TRN-07")
    reason, rule = step.choose("which of the warnings that apply is returned", warnings or [(MQRC.NONE, "TRN-08")])
    step.because(rule, *request.syncpoint_rules(found.first))
    step.because(*rules_of_return(step.state, request, found, in_unit_of_work=inside))
    completes = fits or accepted
    if request.call.options.version > 2:
        found = with_token(step, request.queue, found, stays=request.browses or not completes)
    reply = conversion.onto(seen.onto(message_reply(step, request, found, whole, reason)))
    if completes:
        _complete(step, request, found, in_unit_of_work=inside, fits=fits)
    else:
        after_truncation(step, request, found)
        if found.reassembled:
            step.because("CMP-04")
        marks_when_truncated(step, request, found.first)
    return reply


def _as_made(step: Step, request: GetRequest, found: Found) -> Found:
    """Return a message that the queue manager made, or cut, with everything that is known once it is returned."""
    refuse_unseen_place(found, request.call.descriptor.version)
    found = with_user(step, with_chosen_values(step, request.queue, found))
    if request.call.descriptor.version == 1:
        found = with_version_2_members(step, request.queue, found)
    return with_known_place(request.queue, found)


def _warnings(
    step: Step,
    request: GetRequest,
    found: Found,
    unconverted: Sequence[tuple[int, str]],
    *,
    fits: bool,
    in_unit_of_work: bool,
) -> list[tuple[int, str]]:
    """Return the warnings that apply; MQRC_NONE if none need be given.

    Those of conversion and truncation come first.
    """
    warnings: list[tuple[int, str]] = []
    if not request.browses and not request.logical_order:
        warnings = table_3_warnings(request.handle.removing, found.first, in_unit_of_work=in_unit_of_work)
    elif not request.browses and request.under_cursor and request.information.unfinished:
        # AMB-48: LOGICAL_ORDER seeks nothing here, so that the call may warn as one without it
        as_ordered = replace(request.handle.removing, logical_order=True)
        warnings = table_3_warnings(as_ordered, found.first, in_unit_of_work=in_unit_of_work)
        warnings = [(MQRC.NONE, "CUR-02"), *(each for each in warnings if each[0] != MQRC.NONE)]
    warnings += found.unlike
    if found.unlike or unconverted or not fits:
        warnings = [(reason, rule) for reason, rule in warnings if reason != MQRC.NONE]
    if not fits:
        accepted = request.asks(MQGMO.ACCEPT_TRUNCATED_MSG)
        truncated = (MQRC.TRUNCATED_MSG_ACCEPTED, "TRN-01") if accepted else (MQRC.TRUNCATED_MSG_FAILED, "TRN-04")
        warnings.insert(0, truncated)
        step.because("TRN-06")
    return [*unconverted, *warnings]


def _complete(step: Step, request: GetRequest, found: Found, *, in_unit_of_work: bool, fits: bool) -> None:
    """Carry out a completed MQGET: move the cursor or remove the message, and retain group information."""
    handle = request.handle
    told, ordered = by_one_segment(step, found), request.logical_order
    info = information_after(request.information, told, logical_order=ordered, in_unit_of_work=in_unit_of_work)
    if request.browses:
        after_browse(step, request, found, info, fits=fits)
        return
    if not fits:
        step.because("TRN-03")
    for segment in found.segments:
        message = clear_marks(step, request.queue, segment)
        if in_unit_of_work:
            take_in_unit_of_work(step, handle, request.queue, message)
        else:
            mark_used_outside(step, handle.conn, request.queue.name)
            request.queue.messages = request.queue.messages.without(message)
    work = step.state.connections[handle.conn].unit_of_work
    if work is not None and in_unit_of_work:
        note_taken(work, handle.conn, found.segments)
    got = set() if work is None else set(work.touched)
    for segment in found.segments:
        if asks_for(segment.descriptor, MQFB.COD) and is_destination(step, request.queue, segment):
            settle_reports_of(step, segment.descriptor)
            report_if_asked(step, segment, MQFB.COD, handle.conn if in_unit_of_work else None)
    if work is not None and in_unit_of_work and request.zos and request.asks(MQGMO.MARK_SKIP_BACKOUT):
        reports = tuple(place for place in work.touched if place not in got)
        unconfirmed = tuple(each for each in work.unconfirmed if each[0] in found.segments)
        mark_skip_backout(step, handle, found.segments, (reports, unconfirmed), info)
    if found.reassembled and in_unit_of_work:
        step.because("CMP-07")
    handle.removing = info
    handle.got_in_order = request.logical_order
    after_removal(step, request, found)
