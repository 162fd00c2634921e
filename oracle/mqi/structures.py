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
from typing import Any, Final

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
    """The base of the structures: the C names of their members."""

    __slots__ = ()

    @classmethod
    @cache
    def c_names(cls) -> dict[str, str]:
        """Return the C name of each member by its Python name, in the structure's order."""
        return {member.name: member.metadata["c"] for member in fields(cls)}  # type: ignore[arg-type]  # subclasses are dataclasses


@quickly_made
@dataclass(frozen=True, slots=True)
class MessageDescriptor(Structure):
    """MQMD: the descriptor of a message."""

    version: int = _member("Version", 2)
    """The version of the structure. Version 1 has no MD_VERSION_2_MEMBERS."""
    report: int = _member("Report", 0)
    """The reports that are asked for, and the identifiers that they get: a sum of MQRO."""
    msg_type: int = _member("MsgType", MQMT.DATAGRAM)
    """The purpose of the message: one of MQMT, or an application-defined number."""
    expiry: int = _member("Expiry", MQEI.UNLIMITED)
    """The lifetime in tenths of a second."""
    feedback: int = _member("Feedback", 0)
    """For a report, the event: one of MQFB, or an application-defined number."""
    encoding: int = _member("Encoding", MQENC.NATIVE)
    """The representation of numbers in the data: a sum of MQENC."""
    coded_char_set_id: int = _member("CodedCharSetId", 0)
    """The character set of text in the data, by number. 0 is the queue manager's."""
    format: str = _member("Format", "")
    """The name of the data's format. Empty if unknown."""
    priority: int = _member("Priority", MQPRI.PRIORITY_AS_Q_DEF)
    """The priority from 0, the lowest. -1 on a put: the queue's default."""
    persistence: int = _member("Persistence", MQPER.PERSISTENCE_AS_Q_DEF)
    """1 if the message survives a restart of the queue manager, 0 if not. 2 on a put: the queue's default."""
    msg_id: bytes = _member("MsgId", NULL_ID)
    """The identifier of the message. Null on a put: the queue manager makes one."""
    correl_id: bytes = _member("CorrelId", NULL_ID)
    """The identifier of a related message, such as the MsgId of a request."""
    backout_count: int = _member("BackoutCount", 0)
    """The number of gets of the message that were backed out."""
    reply_to_q: str = _member("ReplyToQ", "")
    """The queue for replies and reports."""
    reply_to_q_mgr: str = _member("ReplyToQMgr", "")
    """The queue manager of that queue. Empty on a put: the queue manager resolves it."""
    user_identifier: str = _member("UserIdentifier", "")
    """The user who put the message."""
    accounting_token: bytes = _member("AccountingToken", bytes(32))
    """The account to which the work for the message is charged."""
    appl_identity_data: str = _member("ApplIdentityData", "")
    """Application data about the identity of the originator."""
    put_appl_type: int = _member("PutApplType", 0)
    """The type of the application that put it, one of MQAT."""
    put_appl_name: str = _member("PutApplName", "")
    """The name of the application that put it."""
    put_date: str = _member("PutDate", "")
    """The date of the put: YYYYMMDD in UTC."""
    put_time: str = _member("PutTime", "")
    """The time of the put: HHMMSSTH in UTC, to a hundredth of a second."""
    appl_origin_data: str = _member("ApplOriginData", "")
    """Application data about the origin of the message."""
    group_id: bytes = _member("GroupId", NULL_ID)
    """The identifier of the group, or of the logical message with segments. Null if it is in none."""
    msg_seq_number: int = _member("MsgSeqNumber", 1)
    """The number of the logical message in its group, from 1."""
    offset: int = _member("Offset", 0)
    """The beginning of a segment in the data of its logical message, in bytes."""
    msg_flags: int = _member("MsgFlags", MQMF.NONE)
    """Flags for membership in a group or segment, for the last one, and for permitted splitting: a sum of MQMF."""
    original_length: int = _member("OriginalLength", MQOL.UNDEFINED)
    """For a report about a segment, the segment's length in bytes. -1: undefined."""


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
    """MQGMO: the options of MQGET."""

    version: int = _member("Version", 4)
    """The version of the structure, which decides what it returns (GMO_SINCE_VERSION)."""
    options: int = _member("Options", MQGMO.NONE)
    """The options: a sum of MQGMO."""
    wait_interval: int = _member("WaitInterval", 0)
    """The greatest wait in milliseconds."""
    resolved_q_name: str = _member("ResolvedQName", "")
    """Returned: the name of the queue that the message was got from."""
    match_options: int = _member("MatchOptions", MQMO.MATCH_MSG_ID | MQMO.MATCH_CORREL_ID)
    """The members of MQMD and MQGMO that a message must match: a sum of MQMO."""
    group_status: str = _member("GroupStatus", " ")
    """Returned: `G` for a message in a group, `L` for the last one, blank for others."""
    segment_status: str = _member("SegmentStatus", " ")
    """Returned: `S` for a segment, `L` for the last one, blank for others."""
    segmentation: str = _member("Segmentation", " ")
    """Returned: `A` for a message that may be split, blank for others."""
    msg_token: bytes = _member("MsgToken", NULL_TOKEN)
    """The MsgToken to match, if that is requested; returned: that of the message."""
    returned_length: int = _member("ReturnedLength", -1)
    """Returned: the number of bytes in the buffer. -1 if it is not stated."""


@quickly_made
@dataclass(frozen=True, slots=True)
class PutMessageOptions(Structure):
    """MQPMO: the options of MQPUT and MQPUT1."""

    version: int = _member("Version", 3)
    """The version of the structure."""
    options: int = _member("Options", 0)
    """The options: a sum of MQPMO."""
    resolved_q_name: str = _member("ResolvedQName", "")
    """Returned: the name of the queue that the message is for."""
    resolved_q_mgr_name: str = _member("ResolvedQMgrName", "")
    """Returned: the name of the queue manager that has this queue."""


INITIAL_DYNAMIC_Q_NAME: Final = "AMQ.*"
"""The initial value of MQOD.DynamicQName, except on z/OS."""
INITIAL_DYNAMIC_Q_NAME_ON_ZOS: Final = "CSQ.*"
"""The initial value of MQOD.DynamicQName on z/OS."""


@quickly_made
@dataclass(frozen=True, slots=True)
class ObjectDescriptor(Structure):
    """MQOD: the object that MQOPEN or MQPUT1 names."""

    version: int = _member("Version", 4)
    """The version of the structure."""
    object_type: int = _member("ObjectType", 1)
    """The type of the object: one of MQOT, 1 for a queue."""
    object_q_mgr_name: str = _member("ObjectQMgrName", "")
    """The queue manager that has the object. Empty: the one that is connected."""
    dynamic_q_name: str = _member("DynamicQName", INITIAL_DYNAMIC_Q_NAME)
    """The name of the queue that opening a model queue makes. An asterisk at its end is replaced."""
    alternate_user_id: str = _member("AlternateUserId", "")
    """The user whose authority counts, if the options request that."""


OPEN_CONTEXT = tuple(
    c_name
    for name, c_name in MessageDescriptor.c_names().items()
    if name in (*IDENTITY_CONTEXT, *ORIGIN_CONTEXT) and name not in ("put_date", "put_time")
)
"""The C names of the context members whose values no document determines."""
