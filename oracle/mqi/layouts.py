"""Binary layouts: MQMD, MQMDE, MQGMO, MQPMO, MQOD, MQXQH, MQDLH, MQTM and the fixed part of MQRFH2.

Each structure is one table of fields; `oracle.mqi.binary` defines layouts.

>>> MQGMO.length(4), MQOD.length(4, NATIVE_64), MQOD.length(4, WIRE)
(112, 424, 400)
>>> data = MQMDE.encode({"MsgSeqNumber": 7}, "big")
>>> MQMDE.decode(data, "big")["MsgSeqNumber"]
7
"""

from __future__ import annotations

from oracle.mqi.binary import (
    ASCII,
    EBCDIC,
    NATIVE_64,
    WIRE,
    ByteOrder,
    Field,
    Layout,
    PointerSize,
    Values,
    byte,
    byte_order,
    char,
    codec,
    long,
    variable_string,
)
from oracle.mqi.constants import MQCCSI, MQEI, MQENC, MQMF, MQMO, MQMT, MQOL, MQOT, MQPER, MQPRI, MQRL

__all__ = [
    "ASCII",
    "EBCDIC",
    "LAYOUTS",
    "MQDLH",
    "MQGMO",
    "MQMD",
    "MQMDE",
    "MQOD",
    "MQPMO",
    "MQRFH2",
    "MQTM",
    "MQXQH",
    "NATIVE_64",
    "WIRE",
    "ByteOrder",
    "Layout",
    "PointerSize",
    "Values",
    "byte_order",
    "codec",
]

MQMD = Layout(
    "MQMD",
    "MD  ",
    (
        long("Report"),
        long("MsgType", MQMT.DATAGRAM),
        long("Expiry", MQEI.UNLIMITED),
        long("Feedback"),
        long("Encoding", MQENC.NATIVE),
        long("CodedCharSetId", MQCCSI.Q_MGR),
        char("Format", 8),
        long("Priority", MQPRI.PRIORITY_AS_Q_DEF),
        long("Persistence", MQPER.PERSISTENCE_AS_Q_DEF),
        byte("MsgId", 24),
        byte("CorrelId", 24),
        long("BackoutCount"),
        char("ReplyToQ", 48),
        char("ReplyToQMgr", 48),
        char("UserIdentifier", 12),
        byte("AccountingToken", 32),
        char("ApplIdentityData", 32),
        long("PutApplType"),
        char("PutApplName", 28),
        char("PutDate", 8),
        char("PutTime", 8),
        char("ApplOriginData", 4),
        byte("GroupId", 24, since=2),
        long("MsgSeqNumber", 1, since=2),
        long("Offset", since=2),
        long("MsgFlags", MQMF.NONE, since=2),
        long("OriginalLength", MQOL.UNDEFINED, since=2),
    ),
    versions=(1, 2),
)

MQMDE = Layout(
    "MQMDE",
    "MDE ",
    (
        long("StrucLength", 72),
        long("Encoding", MQENC.NATIVE),
        long("CodedCharSetId", MQCCSI.UNDEFINED),
        char("Format", 8),
        long("Flags"),
        byte("GroupId", 24),
        long("MsgSeqNumber", 1),
        long("Offset"),
        long("MsgFlags", MQMF.NONE),
        long("OriginalLength", MQOL.UNDEFINED),
    ),
    versions=(2,),
    initial_version=2,
)

MQGMO = Layout(
    "MQGMO",
    "GMO ",
    (
        long("Options"),
        long("WaitInterval"),
        long("Signal1"),
        long("Signal2"),
        char("ResolvedQName", 48),
        long("MatchOptions", MQMO.MATCH_MSG_ID | MQMO.MATCH_CORREL_ID, since=2),
        char("GroupStatus", 1, " ", since=2),
        char("SegmentStatus", 1, " ", since=2),
        char("Segmentation", 1, " ", since=2),
        char("Reserved1", 1, " ", since=2),
        byte("MsgToken", 16, since=3),
        long("ReturnedLength", MQRL.UNDEFINED, since=3),
        long("Reserved2", since=4),
        Field("MsgHandle", "int64", since=4),
    ),
    versions=(1, 2, 3, 4),
)

MQPMO = Layout(
    "MQPMO",
    "PMO ",
    (
        long("Options"),
        long("Timeout", -1),
        long("Context"),
        long("KnownDestCount"),
        long("UnknownDestCount"),
        long("InvalidDestCount"),
        char("ResolvedQName", 48),
        char("ResolvedQMgrName", 48),
        long("RecsPresent", since=2),
        long("PutMsgRecFields", since=2),
        long("PutMsgRecOffset", since=2),
        long("ResponseRecOffset", since=2),
        Field("PutMsgRecPtr", "pointer", since=2),
        Field("ResponseRecPtr", "pointer", since=2),
        Field("OriginalMsgHandle", "int64", since=3),
        Field("NewMsgHandle", "int64", since=3),
        long("Action", since=3),
        long("PubLevel", 9, since=3),
    ),
    versions=(1, 2, 3),
)

MQOD = Layout(
    "MQOD",
    "OD  ",
    (
        long("ObjectType", MQOT.Q),
        char("ObjectName", 48),
        char("ObjectQMgrName", 48),
        char("DynamicQName", 48, "AMQ.*"),
        char("AlternateUserId", 12),
        long("RecsPresent", since=2),
        long("KnownDestCount", since=2),
        long("UnknownDestCount", since=2),
        long("InvalidDestCount", since=2),
        long("ObjectRecOffset", since=2),
        long("ResponseRecOffset", since=2),
        Field("ObjectRecPtr", "pointer", since=2),
        Field("ResponseRecPtr", "pointer", since=2),
        byte("AlternateSecurityId", 40, since=3),
        char("ResolvedQName", 48, since=3),
        char("ResolvedQMgrName", 48, since=3),
        *variable_string("ObjectString", since=4),
        *variable_string("SelectionString", since=4),
        *variable_string("ResObjectString", since=4),
        long("ResolvedType", since=4),
        Field("", "alignment", 4, since=4),
    ),
    versions=(1, 2, 3, 4),
)

MQXQH = Layout(
    "MQXQH",
    "XQH ",
    (
        char("RemoteQName", 48),
        char("RemoteQMgrName", 48),
        char("MsgDesc.StrucId", 4, "MD"),
        long("MsgDesc.Version", 1),
        *(Field(f"MsgDesc.{field.name}", field.kind, field.size, 1, field.default) for field in MQMD.members(1)),
    ),
    versions=(1,),
)

MQDLH = Layout(
    "MQDLH",
    "DLH ",
    (
        long("Reason"),
        char("DestQName", 48),
        char("DestQMgrName", 48),
        long("Encoding"),
        long("CodedCharSetId", MQCCSI.UNDEFINED),
        char("Format", 8),
        long("PutApplType"),
        char("PutApplName", 28),
        char("PutDate", 8),
        char("PutTime", 8),
    ),
    versions=(1,),
)

MQTM = Layout(
    "MQTM",
    "TM  ",
    (
        char("QName", 48),
        char("ProcessName", 48),
        char("TriggerData", 64),
        long("ApplType"),
        char("ApplId", 256),
        char("EnvData", 128),
        char("UserData", 128),
    ),
    versions=(1,),
)

MQRFH2 = Layout(
    "MQRFH2",
    "RFH ",
    (
        long("StrucLength", 36),
        long("Encoding", MQENC.NATIVE),
        long("CodedCharSetId", MQCCSI.INHERIT),
        char("Format", 8),
        long("Flags"),
        long("NameValueCCSID", 1208),
    ),
    versions=(2,),
    initial_version=2,
)

LAYOUTS: tuple[Layout, ...] = (MQMD, MQMDE, MQGMO, MQPMO, MQOD, MQXQH, MQDLH, MQTM, MQRFH2)
"""Every structure that has a layout here."""
