"""Report messages that the queue manager makes: expiration, confirmation of arrival (COA) and of delivery (COD)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from oracle.model.expiry import discarded_since_ms, remaining
from oracle.model.messages.logical_messages import span
from oracle.model.messages.made import Made
from oracle.model.messages.messages import Message
from oracle.model.reply import Anything, Latitude, OneOf
from oracle.model.reports.dead_letters import leads_nowhere, put_dead_letter, why_no_queue, why_not, with_capped_expiry
from oracle.model.reports.lengths import decided_length
from oracle.model.reports.reply_queues import route_of_reply
from oracle.model.reports.transmission import header_length, wrap
from oracle.model.state import Queue
from oracle.model.step import Step
from oracle.model.units.arrival import latitude_of_time, name_as_program, own_identifier, place, put_date_and_time
from oracle.model.units.units import unit_of_work
from oracle.mqi.constants import MQAT, MQEI, MQENC, MQFB, MQMF, MQMT, MQOL, MQRC, MQRO, NULL_ID
from oracle.mqi.structures import MessageDescriptor
from oracle.values import replace

_FIRST_BYTES = 100

PUT_BY_COMMIT: Final = "does the commit put the reports of its unit of work"

_OPTIONS: Final = {
    MQFB.EXPIRATION: (MQRO.EXPIRATION, MQRO.EXPIRATION_WITH_DATA, MQRO.EXPIRATION_WITH_FULL_DATA),
    MQFB.COA: (MQRO.COA, MQRO.COA_WITH_DATA, MQRO.COA_WITH_FULL_DATA),
    MQFB.COD: (MQRO.COD, MQRO.COD_WITH_DATA, MQRO.COD_WITH_FULL_DATA),
}
"""The options that ask for each report: without data, with the first 100 bytes, with all data (RPM-02)."""

_BEHIND: Final[Mapping[str, tuple[str, ...]]] = {
    "MQMD.MsgType": ("RPM-01",),
    "MQMD.Feedback": ("RPM-01",),
    "MQMD.MsgId": ("RPM-01",),
    "MQMD.CorrelId": ("RPM-01",),
    "MQMD.Format": ("RPM-02",),
    "MQMD.CodedCharSetId": ("RPM-02",),
    "MQMD.Encoding": ("RPM-02",),
    "data": ("RPM-02",),
    "DataLength": ("RPM-02",),
    "MQMD.Priority": ("RPM-04",),
    "MQMD.Persistence": ("RPM-04",),
    "MQMD.Expiry": ("RPM-05",),
    "MQMD.GroupId": ("RPM-07",),
    "MQMD.MsgSeqNumber": ("RPM-07",),
    "MQMD.Offset": ("RPM-07",),
    "MQMD.MsgFlags": ("RPM-07",),
    "MQMD.OriginalLength": ("RPM-07",),
    "MQMD.PutApplType": ("RPM-08",),
    "MQMD.ReplyToQ": ("RPM-08",),
    "MQMD.ReplyToQMgr": ("RPM-08",),
    "MQMD.Report": ("RPM-10",),
}
"""The rules behind the members of a report."""


def asks_for(md: MessageDescriptor, feedback: int) -> bool:
    """Return whether a message asks for this report."""
    plain = _OPTIONS[feedback][0]
    return bool(md.report & plain)


def report_if_asked(step: Step, message: Message, feedback: int, put_by: str | None) -> None:
    """Make the report that a message asks for, if it does, and put it where it belongs (RPM-06).

    `put_by` is the connection whose unit of work the report belongs to (RPM-03), None for one outside (RPT-04). A
    message that has expired may have been discarded at any moment since that was possible.
    """
    if put_by is not None and asks_for(message.descriptor, feedback) and _is_put_by_commit(step):
        unit_of_work(step, put_by).unconfirmed += ((message, feedback),)
        step.because("RPM-03")
    else:
        _report_now(step, message, feedback, put_by)


def confirm_at_commit(step: Step) -> None:
    """Make the reports that are left to the commits of this step (AMB-109)."""
    unconfirmed, step.unconfirmed = step.unconfirmed, []
    for message, feedback in unconfirmed:
        _report_now(step, message, feedback, None)


def _is_put_by_commit(step: Step) -> bool:
    """Return whether the commit puts the reports of its unit of work; a queue manager does so always or never.

    Their places and times are those of the commit then (AMB-109).
    """
    return step.choose_for_good(PUT_BY_COMMIT, (False, True), "RPM-03")


def _report_now(step: Step, message: Message, feedback: int, put_by: str | None) -> None:
    original = message.descriptor
    if not asks_for(original, feedback):
        if feedback == MQFB.EXPIRATION:
            step.because("RPT-02")
        return
    since_ms = discarded_since_ms(step.state, message) if feedback == MQFB.EXPIRATION else None
    md, data, made = _report(step, message, feedback, since_ms)
    step.because("RPM-01", "RPM-06")
    if feedback == MQFB.EXPIRATION:
        step.because("RPT-01", "RPT-04", "RPM-09")
    else:
        step.because("RPM-03")
    reason = _put_on_reply_queue(step, original, md, data, made, put_by=put_by)
    if reason != MQRC.NONE and not _is_dropped(step, original):
        meant_for = original.reply_to_q, original.reply_to_q_mgr
        put_dead_letter(step, md, data, made, put_by=put_by, reason=reason, meant_for=meant_for)


def is_destination(step: Step, queue: Queue, message: Message) -> bool:
    """Return whether a message that asks for a COA or COD report has come to its destination with this queue.

    The documents do not say whether a transmission queue is the destination of a message put directly on it (AMB-82).
    """
    if not queue.is_transmission_queue or message.made is not None:
        return True
    return step.choose("is a transmission queue the destination of what is put straight on it", (True, False), "RPM-01")


def _put_on_reply_queue(
    step: Step, original: MessageDescriptor, md: MessageDescriptor, data: bytes, made: Made, *, put_by: str | None
) -> int:
    """Put a report on the reply queue, or on the transmission queue to it, and return the reason if that fails."""
    state = step.state
    route = route_of_reply(state, original)
    if route is None:
        here = original.reply_to_q_mgr in ("", state.definition.name)
        return why_no_queue(step, original.reply_to_q) if here else MQRC.UNKNOWN_REMOTE_Q_MGR
    if route.remote is not None:
        md, made = decided_length(step, md, made) or (md, made)
    length = len(data) + (0 if route.remote is None else header_length(md))
    reason = why_not(step, route.path, md, length)
    if reason != MQRC.NONE:
        return reason
    md, made = with_capped_expiry(step, route.path, md, made)
    if route.remote is not None:
        name_is_open = leads_nowhere(step, route.remote.rname)
        wrapped = wrap(step, route.remote, md, data, made, open_members=("RemoteQName",) if name_is_open else ())
        md, data, made = wrapped.descriptor, wrapped.data, wrapped.made
    place(step, state.queues[route.path[-1]], md, data, put_by=put_by, made=made)
    return MQRC.NONE


def _is_dropped(step: Step, original: MessageDescriptor) -> bool:
    """Return whether a report that cannot be put is discarded; it is not settled which options that takes (RPM-06)."""
    if not original.report & MQRO.DISCARD_MSG:
        return False
    if original.report & MQRO.PASS_DISCARD_AND_EXPIRY:
        return True
    return step.choose("is a report discarded by MQRO_DISCARD_MSG alone", (True, False), "RPM-06")


def _report(step: Step, message: Message, feedback: int, since_ms: int | None) -> tuple[MessageDescriptor, bytes, Made]:
    original, options = message.descriptor, message.descriptor.report
    passes_id = bool(options & MQRO.PASS_MSG_ID)
    data = _data(message, feedback)
    date, time = put_date_and_time(step)
    md = MessageDescriptor(
        msg_type=MQMT.REPORT,
        feedback=feedback,
        expiry=_expiry(step, message),
        priority=_priority(step, message),
        persistence=original.persistence,
        msg_id=original.msg_id if passes_id else own_identifier(step),
        correl_id=original.correl_id if options & MQRO.PASS_CORREL_ID else original.msg_id,
        reply_to_q_mgr=step.state.definition.name,
        put_appl_type=MQAT.QMGR,
        put_appl_name=name_as_program(step),
        put_date=date,
        put_time=time,
        encoding=MQENC.NATIVE,
        coded_char_set_id=step.state.definition.coded_char_set_id,
    )
    latitude: dict[str, Latitude] = {"MQMD.PutApplType": OneOf((int(MQAT.QMGR),)), **latitude_of_time(step, since_ms)}
    if data is None:
        latitude.update({f"MQMD.{name}": Anything() for name in ("Format", "CodedCharSetId", "Encoding")})
    else:
        md = replace(
            md,
            format=original.format,
            coded_char_set_id=original.coded_char_set_id,
            encoding=original.encoding,
        )
    unclear = bool(options & MQRO.PASS_DISCARD_AND_EXPIRY) and feedback == MQFB.EXPIRATION
    if unclear:
        latitude["MQMD.Expiry"] = Anything()
    md, latitude["MQMD.Report"] = _report_field(md, options)
    md = _with_group_fields(step, md, message)
    latitude["MQMD.OriginalLength"] = _latitude_of_length(md, data or b"", message)
    return md, data or b"", Made(latitude, _BEHIND, new_msg_id=not passes_id, expiry_is_open=unclear, since_ms=since_ms)


def _data(message: Message, feedback: int) -> bytes | None:
    """Return the data of the report; None if none was asked for (RPM-02)."""
    _, first_bytes, full = (int(option) for option in _OPTIONS[feedback])
    report = message.descriptor.report
    if report & full == full:
        return message.data
    return message.data[:_FIRST_BYTES] if report & first_bytes == first_bytes else None


def _priority(step: Step, message: Message) -> int:
    """Return the priority of a report: its message's, or that of its place on a FIFO queue (AMB-86)."""
    own = message.descriptor.priority
    if "PRI-05" not in message.notes.behind.get("MQMD.Priority", ()) or message.rank == own:
        return own
    return step.choose(
        "which priority has a report on a message that was placed by DefPriority",
        (own, message.rank),
        "RPM-04",
        "PRI-05",
    )


def _expiry(step: Step, message: Message) -> int:
    """Return the lifetime of a report: unlimited, or what is left of the original's (RPM-05)."""
    if not message.descriptor.report & MQRO.PASS_DISCARD_AND_EXPIRY:
        return MQEI.UNLIMITED
    return remaining(step.state, message)[0]


def _report_field(md: MessageDescriptor, options: int) -> tuple[MessageDescriptor, Latitude]:
    """Return the report's own Report field: one of the two options may be enough to pass on the first (RPM-10)."""
    given = [bool(options & MQRO.DISCARD_MSG), bool(options & MQRO.PASS_DISCARD_AND_EXPIRY)]
    discard = int(MQRO.DISCARD_MSG)
    if all(given):
        return replace(md, report=discard), OneOf((discard,))
    return md, OneOf((0, discard) if any(given) else (0,))


def _original_length(step: Step, message: Message) -> int:
    """Return the length of the segment that a report is about; a report may stand for more than its data (AMB-99)."""
    own, stands_for = len(message.data), span(message)
    if own == stands_for:
        return own
    return step.choose("which length has a report on a segment that is a report", (own, stands_for), "RPM-07")


def _latitude_of_length(md: MessageDescriptor, data: bytes, message: Message) -> Latitude:
    """Return the lengths that a report may have as OriginalLength: on a whole message that is no fact (AMB-119).

    A report that is a member of a group may have the length of its own data, as other members may (AMB-122).
    """
    if message.descriptor.msg_flags & MQMF.SEGMENT:
        return OneOf((md.original_length,))
    own = (len(data),) if md.msg_flags else ()
    return OneOf((md.original_length, len(message.data), message.descriptor.original_length, *own))


def _with_group_fields(step: Step, md: MessageDescriptor, message: Message) -> MessageDescriptor:
    """Give a report about a segment its group fields (RPM-07); nothing is said about whole messages (AMB-119)."""
    original = message.descriptor
    segment = bool(original.msg_flags & MQMF.SEGMENT)
    grouped = original.group_id != NULL_ID or original.msg_flags != 0
    if not segment and not (
        grouped and step.choose("does the report have the group fields of its message", (False, True), "RPM-07")
    ):
        return md
    return replace(
        md,
        group_id=original.group_id,
        msg_seq_number=original.msg_seq_number,
        offset=original.offset,
        msg_flags=original.msg_flags,
        original_length=_original_length(step, message) if segment else MQOL.UNDEFINED,
    )
