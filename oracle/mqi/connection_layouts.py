"""Binary layouts of the structures of connecting, units of work, message handles and callbacks.

The structures of messages themselves are in `oracle.mqi.layouts`.

>>> MQCNO.length(5, NATIVE_64), MQCSP.length(1, NATIVE_64)
(200, 56)
"""

from __future__ import annotations

import sys
from typing import Final

from oracle.mqi.binary import NATIVE_64, WIRE, ByteOrder, Field, Layout, PointerSize, byte, char, long, variable_string
from oracle.mqi.constants import MQCCSI, MQENC

NATIVE_ORDER: Final[ByteOrder] = "little" if sys.byteorder == "little" else "big"
"""The byte order of this process."""

NATIVE_POINTERS: Final[PointerSize] = NATIVE_64 if sys.maxsize > 2**32 else WIRE
"""The size of this process's pointers."""

# Version 4 ends in padding that version 5 uses, so it is not a prefix of it. Nothing needs version 4.
MQCNO = Layout(
    "MQCNO",
    "CNO ",
    (
        long("Options"),
        long("ClientConnOffset", since=2),
        Field("ClientConnPtr", "pointer", since=2),
        byte("ConnTag", 128, since=3),
        Field("SSLConfigPtr", "pointer", since=5),
        long("SSLConfigOffset", since=5),
        byte("ConnectionId", 24, since=5),
        long("SecurityParmsOffset", since=5),
        Field("SecurityParmsPtr", "pointer", since=5),
        Field("CCDTUrlPtr", "pointer", since=6),
        long("CCDTUrlOffset", since=6),
        long("CCDTUrlLength", since=6),
        byte("Reserved", 8, since=6),
        char("ApplName", 28, since=7),
        byte("Reserved2", 4, since=7),
        Field("BalanceParmsPtr", "pointer", since=8),
        long("BalanceParmsOffset", since=8),
        byte("Reserved3", 4, since=8),
    ),
    versions=(1, 2, 3, 5, 6, 7, 8),
)

MQCSP = Layout(
    "MQCSP",
    "CSP ",
    (
        long("AuthenticationType"),
        byte("Reserved1", 4),
        Field("CSPUserIdPtr", "pointer"),
        long("CSPUserIdOffset"),
        long("CSPUserIdLength"),
        byte("Reserved2", 8),
        Field("CSPPasswordPtr", "pointer"),
        long("CSPPasswordOffset"),
        long("CSPPasswordLength"),
        byte("Reserved3", 8, since=2),
        Field("InitialKeyPtr", "pointer", since=2),
        long("InitialKeyOffset", since=2),
        long("InitialKeyLength", since=2),
        byte("Reserved4", 8, since=3),
        Field("TokenPtr", "pointer", since=3),
        long("TokenOffset", since=3),
        long("TokenLength", since=3),
    ),
    versions=(1, 2, 3),
)

MQBO = Layout("MQBO", "BO  ", (long("Options"),), versions=(1,))

MQCMHO = Layout("MQCMHO", "CMHO", (long("Options"),), versions=(1,))

MQDMHO = Layout("MQDMHO", "DMHO", (long("Options"),), versions=(1,))

MQDMPO = Layout("MQDMPO", "DMPO", (long("Options"),), versions=(1,))

MQBMHO = Layout("MQBMHO", "BMHO", (long("Options", 1),), versions=(1,))

MQMHBO = Layout("MQMHBO", "MHBO", (long("Options", 1),), versions=(1,))

MQSMPO = Layout(
    "MQSMPO",
    "SMPO",
    (long("Options"), long("ValueEncoding", MQENC.NATIVE), long("ValueCCSID", MQCCSI.APPL)),
    versions=(1,),
)

MQIMPO = Layout(
    "MQIMPO",
    "IMPO",
    (
        long("Options"),
        long("RequestedEncoding", MQENC.NATIVE),
        long("RequestedCCSID", MQCCSI.APPL),
        long("ReturnedEncoding", MQENC.NATIVE),
        long("ReturnedCCSID"),
        long("Reserved1"),
        *variable_string("ReturnedName"),
        char("TypeString", 8),
    ),
    versions=(1,),
)

MQPD = Layout(
    "MQPD",
    "PD  ",
    (long("Options"), long("Support", 1), long("Context"), long("CopyOptions", 22)),
    versions=(1,),
)

MQCBD = Layout(
    "MQCBD",
    "CBD ",
    (
        long("CallbackType", 1),
        long("Options"),
        Field("CallbackArea", "pointer"),
        Field("CallbackFunction", "pointer"),
        char("CallbackName", 128),
        long("MaxMsgLength", -1),
        Field("", "alignment", 4),
    ),
    versions=(1,),
)

MQCTLO = Layout(
    "MQCTLO", "CTLO", (long("Options"), long("Reserved"), Field("ConnectionArea", "pointer")), versions=(1,)
)

MQCBC = Layout(
    "MQCBC",
    "CBC ",
    (
        long("CallType"),
        long("Hobj"),
        Field("CallbackArea", "pointer"),
        Field("ConnectionArea", "pointer"),
        long("CompCode"),
        long("Reason"),
        long("State"),
        long("DataLength"),
        long("BufferLength"),
        long("Flags"),
        long("ReconnectDelay", since=2),
        Field("", "alignment", 4, since=2),
    ),
    versions=(1, 2),
)

MQSTS = Layout(
    "MQSTS",
    "STAT",
    (
        long("CompCode"),
        long("Reason"),
        long("PutSuccessCount"),
        long("PutWarningCount"),
        long("PutFailureCount"),
        long("ObjectType", 1),
        char("ObjectName", 48),
        char("ObjectQMgrName", 48),
        char("ResolvedObjectName", 48),
        char("ResolvedQMgrName", 48),
        *variable_string("ObjectString", since=2),
        *variable_string("SubName", since=2),
        long("OpenOptions", since=2),
        long("SubOptions", since=2),
    ),
    versions=(1, 2),
)

LAYOUTS: tuple[Layout, ...] = (
    MQCNO, MQCSP, MQBO, MQCMHO, MQDMHO, MQDMPO, MQBMHO, MQMHBO, MQSMPO, MQIMPO, MQPD, MQCBD, MQCTLO, MQCBC, MQSTS,
)  # fmt: skip  # names
"""Every structure that has a layout here."""
