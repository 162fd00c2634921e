"""Messages that cannot be put on their queue: the reason, and the dead-letter queue with its header."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from oracle.model.expiry import caps_of, may_have_expired
from oracle.model.messages.made import Header, Made
from oracle.model.reply import Anything
from oracle.model.requests.names import name_refusals
from oracle.model.state import Queue
from oracle.model.step import Step
from oracle.model.units.arrival import place, put_date_and_time
from oracle.mqi.constants import MQAT, MQEI, MQENC, MQFMT, MQPER, MQRC
from oracle.mqi.layouts import MQDLH
from oracle.mqi.structures import MessageDescriptor
from oracle.values import replace

_WHICH_REASON: Final = "which of the reasons that apply is in the dead letter"

_OPEN = ("PutApplType", "PutApplName", "PutDate", "PutTime")
_BEHIND = {
    "data": ("DLH-01", "DLH-02"),
    "DataLength": ("DLH-01",),
    "MQMD.Format": ("DLH-01",),
    "MQMD.Expiry": ("DLH-03",),
}


def why_not(step: Step, path: tuple[str, ...] | None, md: MessageDescriptor, length: int) -> int:
    """Return the reason why the queue manager cannot put a message on a queue; MQRC_NONE if it can.

    `path` leads to the queue; None if there is none. `length` is that of the data with all headers. Of several reasons
    it is open which one the queue manager finds first (AMB-104).
    """
    if path is None:
        return MQRC.UNKNOWN_OBJECT_NAME
    reasons = list(_reasons(step, path, md, length)) or [MQRC.NONE]
    return reasons[0] if len(reasons) == 1 else step.choose(_WHICH_REASON, reasons, "DLH-02")


def _reasons(step: Step, path: tuple[str, ...], md: MessageDescriptor, length: int) -> Iterator[int]:
    queue = step.state.queues[path[-1]]
    definition = queue.definition
    if any(step.state.definition_of(each).inhibit_put for each in path):
        yield MQRC.PUT_INHIBITED
    if length > step.state.definition.max_msg_length:
        yield MQRC.MSG_TOO_BIG_FOR_Q_MGR
    if length > definition.max_msg_length and (
        definition.max_msg_length or step.choose("does a limit of zero leave room for nothing", (True, False), "SIZ-06")
    ):
        yield MQRC.MSG_TOO_BIG_FOR_Q
    if definition.definition_type == "TEMPORARY_DYNAMIC" and md.persistence == MQPER.PERSISTENT:
        yield MQRC.PERSISTENT_NOT_ALLOWED
    if _is_full(step, queue):
        yield MQRC.Q_FULL


def why_no_queue(step: Step, name: str) -> int:
    """Return the reason why a name of this queue manager leads to no queue on which it could put a message.

    That the name is unknown, or what an MQOPEN or MQPUT1 of that name would return (AMB-104).
    """
    reasons = [MQRC.UNKNOWN_OBJECT_NAME, *(refusal.reason for refusal in name_refusals(step, name))]
    definition = step.state.definitions.get(name)
    if definition is not None and definition.type == "model":
        reasons.append(MQRC.Q_TYPE_ERROR)
    distinct = list(dict.fromkeys(reasons))
    return distinct[0] if len(distinct) == 1 else step.choose(_WHICH_REASON, distinct, "DLH-02")


def put_dead_letter(
    step: Step,
    md: MessageDescriptor,
    data: bytes,
    made: Made,
    *,
    put_by: str | None,
    reason: int,
    meant_for: tuple[str, str],
    inner: Header | None = None,
) -> bool:
    """Put a message on the dead-letter queue behind an MQDLH (DLH-01 to DLH-03); return whether that was possible.

    `inner` is the structure with which the data begin, if the queue manager made it. What is open in the descriptor of
    the message is open in the MQDLH.
    """
    header = dead_letter_header(step, md, reason, meant_for)
    unknown = tuple(name for name in ("Encoding", "CodedCharSetId", "Format") if f"MQMD.{name}" in made.latitude)
    header = replace(header, free=(*header.free, *unknown), inner=inner)
    data = header.encode(MQENC.NATIVE) + data
    dead = replace(md, format=MQFMT.DEAD_LETTER_HEADER, encoding=MQENC.NATIVE)
    path = _path_of_dead_letters(step)
    if path is not None:
        dead, made = with_capped_expiry(step, path, dead, made)
    if path is None or why_not(step, path, dead, len(data)) != MQRC.NONE:
        return False
    known = made.behind_header(header, _BEHIND)
    latitude = {member: value for member, value in made.latitude.items() if member != "MQMD.Format"}
    known = replace(known, latitude={**latitude, "MQMD.CodedCharSetId": Anything()})
    place(step, step.state.queues[path[-1]], dead, data, put_by=put_by, made=known)
    step.because("DLH-01", "DLH-02", "DLH-03")
    return True


def _path_of_dead_letters(step: Step) -> tuple[str, ...] | None:
    """Return the way to the dead-letter queue. IBM requires a local queue, so an alias may not work (AMB-88)."""
    path = step.state.resolve(step.state.definition.dead_letter_q_name)
    if path is None or len(path) == 1:
        return path
    return path if step.choose("does an alias serve as the dead-letter queue", (True, False), "RPM-06") else None


def with_capped_expiry(
    step: Step, path: tuple[str, ...], md: MessageDescriptor, made: Made
) -> tuple[MessageDescriptor, Made]:
    """Return the descriptor of a message of the queue manager as it is stored: perhaps capped (AMB-87)."""
    caps = caps_of(step.state.definitions_on(path))
    if not caps or (md.expiry != MQEI.UNLIMITED and md.expiry <= min(caps)):
        return md, made
    if step.choose(
        "does CAPEXPRY lower the expiry of a message that the queue manager makes", (False, True), "RPM-05", "CAP-01"
    ):
        if made.since_ms is not None:  # it is not known since when it runs
            made = replace(made, latitude={**made.latitude, "MQMD.Expiry": Anything()}, expiry_is_open=True)
        return replace(md, expiry=min(caps)), made
    return md, made


def dead_letter_header(step: Step, md: MessageDescriptor, reason: int, meant_for: tuple[str, str]) -> Header:
    """Return the MQDLH of a message meant for a queue of a queue manager.

    Who put it there, and when, is open (DLH-02), and so is why there is no way to another queue manager.
    """
    date, time = put_date_and_time(step)
    values: dict[str, int | str] = {
        "Reason": int(reason),
        "DestQName": meant_for[0],
        "DestQMgrName": meant_for[1] or step.state.definition.name,
        "Encoding": md.encoding,
        "CodedCharSetId": md.coded_char_set_id,
        "Format": md.format,
        "PutApplType": MQAT.QMGR,
        "PutDate": date,
        "PutTime": time,
    }
    free = (*_OPEN, "Reason") if reason == MQRC.UNKNOWN_REMOTE_Q_MGR else _OPEN
    if leads_nowhere(step, meant_for[0]):
        # the put may have replaced the names by what the definition has, or not (AMB-136)
        free = (*free, "DestQName", "DestQMgrName", "Reason")
    return Header(MQDLH, values, free)


def leads_nowhere(step: Step, name: str) -> bool:
    """Return whether a definition of a remote queue that lacks a name has made a queue the reply queue, or may have."""
    remote = ((each, one) for each, one in step.state.definitions.items() if one.type == "remote")
    return any(name in (each, one.rname) and not (one.rname and one.rqmname) for each, one in remote)


def _is_full(step: Step, queue: Queue) -> bool:
    """Return whether the queue has no room; expired messages may have been discarded (EXP-24)."""
    if step.state.depth(queue) < queue.definition.max_q_depth:
        return False
    if not any(may_have_expired(step.state, message) for message in queue.messages):
        return True
    return step.choose("is the queue full", (True, False), "EXP-24", "DEP-05")
