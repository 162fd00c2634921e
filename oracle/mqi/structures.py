"""The structures that applications pass to the MQI, as immutable values.

Members keep their C names on the wire and are written in snake case here: `MsgSeqNumber` is
`msg_seq_number`. Initial values are those of the C header, except for the versions, which start at the
newest that the target protocol uses. Identifiers are `bytes`; character members hold no padding blanks.

>>> MessageDescriptor(msg_type=MQMT.REQUEST, reply_to_q="REPLIES").priority == MQPRI.PRIORITY_AS_Q_DEF
True
>>> MessageDescriptor.c_names()["msg_seq_number"]
'MsgSeqNumber'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from oracle.errors import UsageError
from oracle.mqi.constants import (
    MQEI,
    MQENC,
    MQGMO,
    MQMF,
    MQMO,
    MQMT,
    MQOL,
    MQPER,
    MQPRI,
    NULL_ID,
    NULL_TOKEN,
)
from oracle.values import quickly_made

MD_VERSION_2_MEMBERS = ("group_id", "msg_seq_number", "offset", "msg_flags", "original_length")
"""The members that a version 2 descriptor adds: a version 1 descriptor has none of them."""

IDENTITY_CONTEXT = ("user_identifier", "accounting_token", "appl_identity_data")
"""The members of a descriptor that say for whom a message was put (CTX-01)."""

ORIGIN_CONTEXT = ("put_appl_type", "put_appl_name", "put_date", "put_time", "appl_origin_data")
"""The members of a descriptor that say which application put a message, and when (CTX-01)."""

GMO_SINCE_VERSION = {"GroupStatus": 2, "SegmentStatus": 2, "Segmentation": 2, "MsgToken": 3, "ReturnedLength": 3}
"""The version of MQGMO from which on it has an output; ResolvedQName is in every version (GST-08)."""


def _member(c_name: str, default: Any) -> Any:
    return field(default=default, metadata={"c": c_name})


class Structure:
    """What the structures share: their members' C names."""

    __slots__ = ()

    @classmethod
    @cache
    def c_names(cls) -> dict[str, str]:
        """Return the C name of each member by its Python name, in the structure's order."""
        return {member.name: member.metadata["c"] for member in fields(cls)}  # type: ignore[arg-type]  # subclasses are dataclasses


@quickly_made
@dataclass(frozen=True, slots=True)
class MessageDescriptor(Structure):
    """MQMD: what the message is, beside its data. IBM's name of each member stands beside it."""

    version: int = _member("Version", 2)
    report: int = _member("Report", 0)
    msg_type: int = _member("MsgType", MQMT.DATAGRAM)
    expiry: int = _member("Expiry", MQEI.UNLIMITED)
    """In tenths of a second."""
    feedback: int = _member("Feedback", 0)
    encoding: int = _member("Encoding", MQENC.NATIVE)
    coded_char_set_id: int = _member("CodedCharSetId", 0)
    format: str = _member("Format", "")
    priority: int = _member("Priority", MQPRI.PRIORITY_AS_Q_DEF)
    persistence: int = _member("Persistence", MQPER.PERSISTENCE_AS_Q_DEF)
    msg_id: bytes = _member("MsgId", NULL_ID)
    correl_id: bytes = _member("CorrelId", NULL_ID)
    backout_count: int = _member("BackoutCount", 0)
    reply_to_q: str = _member("ReplyToQ", "")
    reply_to_q_mgr: str = _member("ReplyToQMgr", "")
    user_identifier: str = _member("UserIdentifier", "")
    accounting_token: bytes = _member("AccountingToken", bytes(32))
    appl_identity_data: str = _member("ApplIdentityData", "")
    put_appl_type: int = _member("PutApplType", 0)
    put_appl_name: str = _member("PutApplName", "")
    put_date: str = _member("PutDate", "")
    put_time: str = _member("PutTime", "")
    appl_origin_data: str = _member("ApplOriginData", "")
    group_id: bytes = _member("GroupId", NULL_ID)
    msg_seq_number: int = _member("MsgSeqNumber", 1)
    offset: int = _member("Offset", 0)
    msg_flags: int = _member("MsgFlags", MQMF.NONE)
    original_length: int = _member("OriginalLength", MQOL.UNDEFINED)


def descriptor_of(members: Mapping[str, Any]) -> MessageDescriptor:
    """Return a descriptor with these members, in snake case; the others have their initial values.

    Raises UsageError if MQMD has no such member.
    """
    known = MessageDescriptor.c_names()
    unknown = sorted(set(members) - set(known))
    if unknown:
        raise UsageError(f"MQMD has no member {unknown[0]!r}; its members are {', '.join(known)}")
    return MessageDescriptor(**members)


@quickly_made
@dataclass(frozen=True, slots=True)
class GetMessageOptions(Structure):
    """MQGMO: how MQGET is to work. IBM's name of each member stands beside it."""

    version: int = _member("Version", 4)
    options: int = _member("Options", MQGMO.NONE)
    wait_interval: int = _member("WaitInterval", 0)
    """In milliseconds."""
    resolved_q_name: str = _member("ResolvedQName", "")
    match_options: int = _member("MatchOptions", MQMO.MATCH_MSG_ID | MQMO.MATCH_CORREL_ID)
    group_status: str = _member("GroupStatus", " ")
    segment_status: str = _member("SegmentStatus", " ")
    segmentation: str = _member("Segmentation", " ")
    msg_token: bytes = _member("MsgToken", NULL_TOKEN)
    returned_length: int = _member("ReturnedLength", -1)


@quickly_made
@dataclass(frozen=True, slots=True)
class PutMessageOptions(Structure):
    """MQPMO: how MQPUT or MQPUT1 is to work."""

    version: int = _member("Version", 3)
    options: int = _member("Options", 0)
    resolved_q_name: str = _member("ResolvedQName", "")
    resolved_q_mgr_name: str = _member("ResolvedQMgrName", "")


@quickly_made
@dataclass(frozen=True, slots=True)
class ObjectDescriptor(Structure):
    """MQOD: which object MQOPEN or MQPUT1 means, beside its name."""

    version: int = _member("Version", 4)
    object_type: int = _member("ObjectType", 1)
    object_q_mgr_name: str = _member("ObjectQMgrName", "")
    dynamic_q_name: str = _member("DynamicQName", "AMQ.*")
    alternate_user_id: str = _member("AlternateUserId", "")


OPEN_CONTEXT = tuple(
    c_name
    for name, c_name in MessageDescriptor.c_names().items()
    if name in (*IDENTITY_CONTEXT, *ORIGIN_CONTEXT) and name not in ("put_date", "put_time")
)
"""The C names of the context members whose values no document determines."""
