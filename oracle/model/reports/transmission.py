"""Transmission queues: messages for other queue managers, with an MQXQH before their data and two Expiry fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from oracle.model.checks import Refusal
from oracle.model.conversion.extension import extended, members_of_extension, needs_extension
from oracle.model.messages.made import Header, Made
from oracle.model.messages.messages import Message
from oracle.model.reply import Anything, Between, NumberAt
from oracle.model.step import Step
from oracle.model.units.arrival import name_as_program, own_identifier, put_date_and_time
from oracle.mqi.constants import MAX_EXPIRY, MQAT, MQEI, MQENC, MQFMT, MQMT, MQRC
from oracle.mqi.definitions import QueueDefinition
from oracle.mqi.layouts import MQMDE, MQXQH, byte_order
from oracle.mqi.structures import MD_VERSION_2_MEMBERS, OPEN_CONTEXT, MessageDescriptor
from oracle.values import replace

(_EXPIRY,) = MQXQH.places("MsgDesc.Expiry")
_LENGTH: Final = MQXQH.length(1)

_FREE: Final = tuple(f"MsgDesc.{name}" for name in (*OPEN_CONTEXT, "ReplyToQMgr"))

_OPEN: Final = (
    "MQMD.Report", "MQMD.MsgType", "MQMD.Feedback", "MQMD.CodedCharSetId", "MQMD.Priority", "MQMD.Persistence",
    "MQMD.ReplyToQ", "MQMD.ReplyToQMgr", "MQMD.GroupId", "MQMD.MsgSeqNumber", "MQMD.Offset", "MQMD.MsgFlags",
    "MQMD.OriginalLength", "MQGMO.GroupStatus", "MQGMO.SegmentStatus", "MQGMO.Segmentation",
)  # fmt: skip  # names
"""The members of the outer descriptor about which no document says anything (CHN-04)."""

_BEHIND: Final = {
    "MQMD.MsgId": ("CHN-04",),
    "MQMD.CorrelId": ("CHN-04",),
    "MQMD.Format": ("CHN-01", "CHN-04"),
    "MQMD.Expiry": ("XMQ-02", "EXP-07"),
    "data": ("CHN-02", "XMQ-02", "XMQ-09", "XMQ-12"),
    "DataLength": ("CHN-01", "CHN-02"),
}


@dataclass(frozen=True, slots=True)
class Wrapped:
    """A message as it is placed on a transmission queue."""

    descriptor: MessageDescriptor
    """The outer descriptor, that of the message on the transmission queue."""
    data: bytes
    """The MQXQH, and behind it the message's own data."""
    made: Made
    """How exactly the outer descriptor and the header are known."""


def header_length(md: MessageDescriptor) -> int:
    """Return the length of a message's header: 428 bytes, and 72 for an MQMDE if one is needed (CHN-02)."""
    return _LENGTH + (MQMDE.length(2) if needs_extension(md) else 0)


def wrap(
    step: Step,
    remote: QueueDefinition,
    md: MessageDescriptor,
    data: bytes,
    known: Made | None = None,
    *,
    replaced: tuple[str, ...] = (),
    open_members: tuple[str, ...] = (),
) -> Wrapped:
    """Return a message as the put to a remote queue places it on the transmission queue (CHN-01, CHN-02, CHN-04).

    Both descriptors begin with the same Expiry (XMQ-02). `known` says how exactly the message is known if the queue
    manager made it. `replaced` are members whose values may also be those that the put gave. `open_members` are those
    of the MQXQH itself that are not judged.
    """
    inner = extended(replace(md, version=1), data)
    values: dict[str, int | str] = {"RemoteQName": remote.rname, "RemoteQMgrName": remote.rqmname}
    for name, c_name in md.c_names().items():
        if name not in (*MD_VERSION_2_MEMBERS, "version"):
            value = getattr(inner.descriptor, name)
            values[f"MsgDesc.{c_name}"] = value.hex() if isinstance(value, bytes) else value
    unknown = (*_unknown_members(known), *replaced)
    free = (*_FREE, *open_members, *(f"MsgDesc.{name}" for name in unknown if f"MsgDesc.{name}" in values))
    extension = members_of_extension(md)
    open_there = ("OriginalLength", *(name for name in unknown if name in extension))
    behind_header = Header(MQMDE, extension, open_there) if inner.extension else None
    header = Header(MQXQH, values, free, inner=behind_header)
    outer = MessageDescriptor(
        msg_type=MQMT.DATAGRAM,
        format=MQFMT.XMIT_Q_HEADER,
        encoding=MQENC.NATIVE,
        coded_char_set_id=step.state.definition.coded_char_set_id,
        expiry=md.expiry,
        priority=md.priority,
        persistence=md.persistence,
        msg_id=own_identifier(step),
        correl_id=md.msg_id,
        reply_to_q=md.reply_to_q,
        reply_to_q_mgr=md.reply_to_q_mgr,
        user_identifier=md.user_identifier,
        accounting_token=md.accounting_token,
        appl_identity_data=md.appl_identity_data,
        put_appl_type=MQAT.QMGR,
        put_appl_name=name_as_program(step),
        put_date=md.put_date,
        put_time=md.put_time,
    )
    of_default_context = (md.put_date, md.put_time) == put_date_and_time(step)
    unclear = _OPEN if of_default_context else (*_OPEN, "MQMD.PutDate", "MQMD.PutTime")
    unclear = (*unclear, "MQMD.CorrelId") if "MsgId" in unknown else unclear
    unclear = (*unclear, "MQMD.PutDate", "MQMD.PutTime") if "PutTime" in unknown else unclear
    behind = _BEHIND if known is None else {**_BEHIND, "data": (*known.rules, *_BEHIND["data"])}
    made = Made({member: Anything() for member in unclear}, behind, new_msg_id=True, header=header)
    made = made if known is None else replace(made, since_ms=known.since_ms)
    step.because("CHN-01", "CHN-02", "CHN-04", "XMQ-01", "XMQ-02")
    return Wrapped(outer, header.encode(MQENC.NATIVE) + inner.data, made)


def _unknown_members(known: Made | None) -> tuple[str, ...]:
    """Return the members of a message that the queue manager made whose values are open."""
    if known is None:
        return ()
    members = tuple(member.removeprefix("MQMD.") for member in known.latitude if member.startswith("MQMD."))
    return (*members, "MsgId") if known.new_msg_id else members


def direct_put_refusals(step: Step, md: MessageDescriptor, given: int, data: bytes) -> Iterator[Refusal]:
    """Yield the conditions that fail a put directly to a transmission queue.

    The newer editions check the embedded Expiry (XMQ-05, XMQ-08), the one for IBM i does not (XMQ-06, XMQ-07). For
    mere differences (AMB-11) and for what is the caller's duty (XMQ-03, AMB-12) a refusal is allowed, not required.
    The Expiry to compare may be the one that the application gave, or that which CAPEXPRY has left of it.
    """
    if step.state.profile.platform == "ibmi":
        step.because("XMQ-06", "XMQ-07")
        return
    if md.format != MQFMT.XMIT_Q_HEADER:
        yield from _both(("XMQ-03",), optional=True)
        return
    if len(data) < _EXPIRY.stop:
        yield from _both(("XMQ-05",))
        return
    if len(data) < _LENGTH or not MQXQH.starts(data):
        yield from _both(("XMQ-03", "XMQ-05"), optional=True)
    embedded = _embedded_expiry(md, data)
    if embedded == 0 or embedded < MQEI.UNLIMITED:
        yield from _both(("XMQ-05", "XMQ-08"))
    elif {md.expiry, given} != {embedded} or embedded > MAX_EXPIRY:
        step.because("XMQ-04")
        yield Refusal(MQRC.EXPIRY_ERROR, ("XMQ-04", "XMQ-08"), optional=True)
    step.because("XMQ-01", "XMQ-05")


def _both(rules: tuple[str, ...], *, optional: bool = False) -> Iterator[Refusal]:
    for reason in (MQRC.EXPIRY_ERROR, MQRC.XQH_ERROR):
        yield Refusal(reason, rules, optional=optional)


def aged(step: Step, message: Message, data: bytes) -> tuple[bytes, tuple[NumberAt, ...]]:
    """Return data as MQGET returns them, with the embedded Expiry less the time on the queue, and the latitude.

    It stops at zero (XMQ-12) and plays no part in discarding (XMQ-11); data that are too short are left alone (XMQ-10).
    """
    md = message.descriptor
    if md.format != MQFMT.XMIT_Q_HEADER:
        return data, ()
    if len(data) < _EXPIRY.stop:
        step.because("XMQ-10")
        return data, ()
    order, put = byte_order(md.encoding), _embedded_expiry(md, data)
    if not MQXQH.starts(data):
        return data, (NumberAt(_EXPIRY, order, Anything()),)
    if put < 0:
        return data, ()
    waited = (step.state.now_ms - message.put_ms) // 100
    tolerance = -(-step.state.profile.expiry_tolerance_ms // 100)
    left = max(0, put - waited)
    step.because("XMQ-09", "XMQ-11")
    if left == 0:
        step.because("XMQ-12")
    allowed = Between(max(0, left - tolerance), min(put, max(0, put - waited + tolerance)))
    return _with_number(data, _EXPIRY, order, left), (NumberAt(_EXPIRY, order, allowed),)


def _with_number(data: bytes, place: range, order: str, value: int) -> bytes:
    number = value.to_bytes(len(place), "little" if order == "little" else "big", signed=True)
    return data[: place.start] + number + data[place.stop :]


def _embedded_expiry(md: MessageDescriptor, data: bytes) -> int:
    return int.from_bytes(data[_EXPIRY.start : _EXPIRY.stop], byte_order(md.encoding), signed=True)
