"""The refusals of MQPUT and MQPUT1."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from oracle.errors import NotModelledError
from oracle.model.checks import Refusal, any_inhibited
from oracle.model.groups.put_groups import SEGMENT_FLAGS, inconsistencies, numbers_used
from oracle.model.groups.splitting import depth_may_differ
from oracle.model.limits.depth import is_full
from oracle.model.limits.uncommitted import limit_refusals, uncommitted, with_report
from oracle.model.put.group_rules import rules_of_put
from oracle.model.put.split_checks import split_refusals
from oracle.model.reports.transmission import direct_put_refusals, header_length
from oracle.model.requests.put import PutRequest
from oracle.model.step import Step
from oracle.mqi.calls import Put, Put1
from oracle.mqi.constants import (
    MAX_EXPIRY,
    MAX_MSG_SEQ_NUMBER,
    MAX_OFFSET,
    MQEI,
    MQFB,
    MQMF,
    MQMT,
    MQOL,
    MQPER,
    MQPMO,
    MQPRI,
    MQRC,
    MQRO,
)
from oracle.mqi.structures import PutMessageOptions

_CONTEXT = (
    MQPMO.DEFAULT_CONTEXT
    | MQPMO.NO_CONTEXT
    | MQPMO.PASS_IDENTITY_CONTEXT
    | MQPMO.PASS_ALL_CONTEXT
    | MQPMO.SET_IDENTITY_CONTEXT
    | MQPMO.SET_ALL_CONTEXT
)
_AT_MOST_ONE = (
    (MQPMO.SYNCPOINT | MQPMO.NO_SYNCPOINT, "PUT-01"),
    (_CONTEXT, "PUT-02"),
    (MQPMO.ASYNC_RESPONSE | MQPMO.SYNC_RESPONSE, "PUT-03"),
)
_MQLONG_BITS = 0xFFFFFFFF
"""An MQLONG's bits. With the highest one on, Report is a negative number in C, and may be a positive one elsewhere."""
_KNOWN = MQPMO.bits()

REPORT_WANTED = (
    MQRO.EXCEPTION_WITH_FULL_DATA | MQRO.EXPIRATION_WITH_FULL_DATA | MQRO.COA_WITH_FULL_DATA | MQRO.COD_WITH_FULL_DATA
)
"""Every bit of Report that asks for a report message by the queue manager or a channel."""

KNOWN_REPORT = (
    REPORT_WANTED
    | MQRO.PAN
    | MQRO.NAN
    | MQRO.ACTIVITY
    | MQRO.PASS_MSG_ID
    | MQRO.PASS_CORREL_ID
    | MQRO.PASS_DISCARD_AND_EXPIRY
    | MQRO.DISCARD_MSG
)
"""Every bit of Report that is a report option."""

KNOWN_FLAGS = MQMF.SEGMENTATION_ALLOWED | MQMF.MSG_IN_GROUP | MQMF.LAST_MSG_IN_GROUP | MQMF.SEGMENT | MQMF.LAST_SEGMENT
"""Every bit of MsgFlags that is a flag."""

_GROUPED = KNOWN_FLAGS & ~MQMF.SEGMENTATION_ALLOWED

_TYPES = (MQMT.REQUEST, MQMT.REPLY, MQMT.REPORT, MQMT.DATAGRAM)


def option_refusals(step: Step, call: Put | Put1) -> tuple[Refusal, ...]:
    """Return the conditions that fail a put by its options and structures alone."""
    return _option_refusals(call.options, call.descriptor.version, isinstance(call, Put1), step.state.quiescing)


@lru_cache(maxsize=1024)
def _option_refusals(pmo: PutMessageOptions, md_version: int, by_put1: bool, quiescing: bool) -> tuple[Refusal, ...]:
    """Return what fails a put by these values alone. Cached, so that each distinct combination is judged once."""
    return tuple(_refusals_of_options(pmo, md_version, by_put1=by_put1, quiescing=quiescing))


def _refusals_of_options(
    pmo: PutMessageOptions, md_version: int, *, by_put1: bool, quiescing: bool
) -> Iterator[Refusal]:
    if pmo.version not in (1, 2, 3):
        yield Refusal(MQRC.PMO_ERROR, ("CHK-04",))
    if md_version not in (1, 2):
        yield Refusal(MQRC.MD_ERROR, ("CHK-04",))
    options = pmo.options
    broken = [rule for members, rule in _AT_MOST_ONE if (options & members).bit_count() > 1]
    if not by_put1 and options & MQPMO.ALTERNATE_USER_AUTHORITY:
        broken.append("PUT-04")
    if by_put1 and options & MQPMO.LOGICAL_ORDER:
        broken.append("PUT-05")
    if options & ~_KNOWN:
        broken.append("PUT-06")
    if broken:
        yield Refusal(MQRC.OPTIONS_ERROR, tuple(broken))
    if options & MQPMO.LOGICAL_ORDER and md_version == 1:
        # its page names MQPUT, but not the options that need version 2
        yield Refusal(MQRC.WRONG_MD_VERSION, ("CHK-08",), optional=True)
    if options & MQPMO.FAIL_IF_QUIESCING and quiescing:
        yield Refusal(MQRC.Q_MGR_QUIESCING, ("PUT-08",))


def message_refusals(step: Step, request: PutRequest) -> Iterator[Refusal]:
    """Yield the conditions that fail a put by its message, the queue or the handle's group."""
    yield from descriptor_refusals(step, request)
    yield from _queue_refusals(step, request)
    yield from group_refusals(step, request)


def descriptor_refusals(step: Step, request: PutRequest) -> Iterator[Refusal]:
    """Yield the conditions that fail a put by its descriptor."""
    md = request.call.descriptor
    if md.msg_type not in _TYPES and not MQMT.APPL_FIRST <= md.msg_type <= MQMT.APPL_LAST:
        yield Refusal(MQRC.MSG_TYPE_ERROR, ("PUT-10",))
    if not md.reply_to_q:
        if md.msg_type == MQMT.REQUEST or md.report & REPORT_WANTED:
            yield Refusal(MQRC.MISSING_REPLY_TO_Q, ("PUT-11",))
        elif md.report & (MQRO.PAN | MQRO.NAN | MQRO.ACTIVITY):
            yield Refusal(MQRC.MISSING_REPLY_TO_Q, ("PUT-11",), optional=True)
    if md.persistence not in (MQPER.NOT_PERSISTENT, MQPER.PERSISTENT, MQPER.PERSISTENCE_AS_Q_DEF):
        yield Refusal(MQRC.PERSISTENCE_ERROR, ("PUT-12",))
    if md.priority < MQPRI.PRIORITY_AS_Q_DEF:
        yield Refusal(MQRC.PRIORITY_ERROR, ("PUT-13", "PRI-01"))
    unknown = md.report & _MQLONG_BITS & ~KNOWN_REPORT
    if unknown and unknown & ~_accepted_unknown(request):
        yield Refusal(MQRC.REPORT_OPTIONS_ERROR, ("PUT-16",))
    if md.expiry != MQEI.UNLIMITED:
        yield from _expiry_refusals(step, md.expiry)


def _accepted_unknown(request: PutRequest) -> int:
    """Return the bits of Report that need not be known: more of them on the way to another queue manager (PUT-16)."""
    on_its_way = MQRO.ACCEPT_UNSUP_IF_XMIT_MASK if request.queue.is_transmission_queue else 0
    return MQRO.ACCEPT_UNSUP_MASK | on_its_way


def _expiry_refusals(step: Step, expiry: int) -> Iterator[Refusal]:
    """Yield the reason for an Expiry that is not a period: zero always, too long a one only if enforced (AMB-01)."""
    if expiry == 0:
        yield Refusal(MQRC.EXPIRY_ERROR, ("EXP-19",))
    elif expiry < MQEI.UNLIMITED:
        yield Refusal(MQRC.EXPIRY_ERROR, ("EXP-23",))
    elif expiry > MAX_EXPIRY:
        if step.state.definition.enforce_max_expiry_error:
            multiplatforms = step.state.profile.platform == "distributed"
            yield Refusal(MQRC.EXPIRY_ERROR, ("EXP-20",), optional=not multiplatforms)
        else:
            step.because("EXP-21")


def _queue_refusals(step: Step, request: PutRequest) -> Iterator[Refusal]:
    queue, definition = request.queue, request.queue.definition
    in_transit = queue.is_transmission_queue
    if any_inhibited(step, request.path, "inhibit_put"):
        yield Refusal(MQRC.PUT_INHIBITED, ("PUT-09", "INQ-08"))
    yield from _length_refusals(step, request, in_transit=in_transit)
    if request.is_split:
        yield from split_refusals(step, request)
    if in_transit and request.remote is None:
        yield from direct_put_refusals(step, request.descriptor, request.call.descriptor.expiry, request.call.data)
    temporary = definition.definition_type == "TEMPORARY_DYNAMIC"
    if temporary and request.descriptor.persistence == MQPER.PERSISTENT:
        yield Refusal(MQRC.PERSISTENT_NOT_ALLOWED, ("PER-05", "DYN-03"))
    if is_full(step, queue):
        overfull = ("DEP-08",) if step.state.depth(queue) > definition.max_q_depth else ()
        fewer, _ = depth_may_differ(queue)
        uncertain = step.state.depth(queue) - fewer < definition.max_q_depth
        yield Refusal(MQRC.Q_FULL, ("DEP-06", "DEP-07", *overfull), optional=uncertain)
    if request.in_unit_of_work:
        may_trigger = bool(definition.trigger_control)
        count = uncommitted(step.state, request.call.conn).plus(1, 1 + may_trigger, plain=1)
        if request.remote is None:  # what goes on to another queue manager arrives there
            count = with_report(step.state, count, request.descriptor, MQFB.COA, surely=not in_transit)
        yield from limit_refusals(step, count)


def _length_refusals(step: Step, request: PutRequest, *, in_transit: bool) -> Iterator[Refusal]:
    """Yield the reasons for a message that is too long; on a transmission queue the header counts (CHN-03)."""
    length = len(request.call.data)
    of_queue, of_manager = request.queue.definition.max_msg_length, step.state.definition.max_msg_length
    if request.remote is not None:
        if length + header_length(request.descriptor) > min(of_queue, of_manager):
            if request.descriptor.msg_flags & MQMF.SEGMENTATION_ALLOWED and not step.state.profile.zos:
                raise NotModelledError("splitting a message for a transmission queue is not modelled")
            for reason in (MQRC.MSG_TOO_BIG_FOR_Q, MQRC.MSG_TOO_BIG_FOR_Q_MGR):
                yield Refusal(reason, ("CHN-03", "SIZ-07"))
        return
    if request.is_split or length <= min(of_queue, of_manager):
        return
    header = ("SIZ-07",) if in_transit else ()
    ignored = step.state.profile.zos and request.descriptor.msg_flags & MQMF.SEGMENTATION_ALLOWED
    segmentation = "SEG-05" if ignored else "SEG-01"
    if length > of_queue:
        if of_queue == 0:
            step.because("SIZ-06")
        rules = ("SIZ-04", "SIZ-03", segmentation, *header)
        yield Refusal(MQRC.MSG_TOO_BIG_FOR_Q, rules, optional=of_queue == 0)
    if length > of_manager:
        yield Refusal(MQRC.MSG_TOO_BIG_FOR_Q_MGR, ("SIZ-04", "SIZ-01", segmentation, *header))


def group_refusals(step: Step, request: PutRequest) -> Iterator[Refusal]:
    """Yield the conditions that fail a put by its group and segment fields, or by the handle's current group."""
    md, info, zos = request.descriptor, request.information, step.state.profile.zos
    if request.logical_order or info.unfinished:
        step.because(*rules_of_put(step.state, request))
    if md.msg_flags & MQMF.REJECT_UNSUP_MASK & ~KNOWN_FLAGS:
        yield Refusal(MQRC.MSG_FLAGS_ERROR, ("PUT-15",))
    elif zos and md.msg_flags & _GROUPED and request.queue.definition.index_type != "GROUP_ID":
        yield Refusal(MQRC.MSG_FLAGS_ERROR, ("PUT-15",), optional=True, unlikely=True)
    row = request.row
    if request.logical_order:
        found = inconsistencies(md, info, in_unit_of_work=request.in_unit_of_work, persistence=md.persistence)
        for reason, rule in found:
            yield Refusal(reason, ("PTB-13", rule))
    if row is not None:
        yield from _number_refusals(request, row.msg_seq_number, row.offset, *numbers_used(row, md, info))
    segment, last = md.msg_flags & SEGMENT_FLAGS, md.msg_flags & MQMF.LAST_SEGMENT
    if segment and not last and not request.call.data:
        yield Refusal(MQRC.SEGMENT_LENGTH_ZERO, ("PUT-19",), optional=zos)
    if segment and md.msg_type == MQMT.REPORT:
        least = max(len(request.call.data), 0 if last else 1)
        if md.original_length < least:
            undefined = md.original_length == MQOL.UNDEFINED
            yield Refusal(MQRC.ORIGINAL_LENGTH_ERROR, ("PUT-20",), optional=undefined, unlikely=undefined)


def _number_refusals(
    request: PutRequest, number_from: str, offset_from: str, number: int, offset: int
) -> Iterator[Refusal]:
    """Yield the reasons for numbers out of range; it is open whether an unused field is examined (Q-j)."""
    md = request.descriptor
    if not 1 <= number <= MAX_MSG_SEQ_NUMBER:
        yield Refusal(MQRC.MSG_SEQ_NUMBER_ERROR, ("PUT-17",))
    elif number_from != "field" and not 1 <= md.msg_seq_number <= MAX_MSG_SEQ_NUMBER:
        yield Refusal(MQRC.MSG_SEQ_NUMBER_ERROR, ("PUT-17",), optional=True)
    if not 0 <= offset <= MAX_OFFSET:
        yield Refusal(MQRC.OFFSET_ERROR, ("PUT-18",))
    elif offset_from != "field" and not 0 <= md.offset <= MAX_OFFSET:
        yield Refusal(MQRC.OFFSET_ERROR, ("PUT-18",), optional=True)
