"""Constants of the MQI by their C header names: `MQGMO.LOGICAL_ORDER` is the header's `MQGMO_LOGICAL_ORDER`.

The file is a table with a class for each prefix; it is long because the MQI is. Options are plain integers, combined
by bitwise OR as in C; `MQGMO.describe(value)` turns a value back into names. Reason codes are in `oracle.mqi.reasons`
and available from here as `MQRC`.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import ClassVar

from oracle.mqi.reasons import MQRC

__all__ = [
    "INPUT_OPTIONS",
    "MAX_EXPIRY",
    "MAX_MSG_SEQ_NUMBER",
    "MAX_OFFSET",
    "MQAT",
    "MQCC",
    "MQCCSI",
    "MQCO",
    "MQEC",
    "MQEI",
    "MQENC",
    "MQFB",
    "MQFMT",
    "MQGMO",
    "MQGS",
    "MQMF",
    "MQMO",
    "MQMT",
    "MQOL",
    "MQOO",
    "MQOT",
    "MQPER",
    "MQPMO",
    "MQPRI",
    "MQRC",
    "MQRL",
    "MQRO",
    "MQSEG",
    "MQSS",
    "MQWI",
    "NULL_ID",
    "NULL_TOKEN",
    "TRUNCATED",
]

NULL_ID = bytes(24)
"""MQMI_NONE, MQCI_NONE and MQGI_NONE: an identifier of binary zeros."""

NULL_TOKEN = bytes(16)
"""MQMTOK_NONE: a message token of binary zeros."""

MAX_EXPIRY = 999_999_999
"""The longest Expiry in tenths of a second: queue managers differ on whether they refuse a longer one (EXP-20)."""

MAX_MSG_SEQ_NUMBER = 999_999_999
"""The highest MsgSeqNumber; the lowest is 1 (PUT-17, MTC-16)."""

MAX_OFFSET = 999_999_999
"""The highest Offset; the lowest is 0 (PUT-18)."""

TRUNCATED = (MQRC.TRUNCATED_MSG_ACCEPTED, MQRC.TRUNCATED_MSG_FAILED)
"""The reasons with which a get returns part of a message's data."""


class _Group:
    """A family of header constants that share a prefix."""

    _names: ClassVar[dict[str, int | str]]

    def __init_subclass__(cls) -> None:
        cls._names = {name: value for name, value in vars(cls).items() if name.isupper()}

    @classmethod
    def members(cls) -> dict[str, int | str]:
        """Return every constant of the family by name, in the header's order."""
        return dict(cls._names)

    @classmethod
    def bits(cls) -> int:
        """Return every bit that a constant of the family has: of a family of options, those that are defined."""
        return reduce(or_, (value for value in cls._names.values() if isinstance(value, int)), 0)

    @classmethod
    def describe(cls, value: int) -> str:
        """Return a bit set as names joined by `+`; bits that no constant has stay hexadecimal."""
        if value == 0:
            return "NONE"
        found: list[str] = []
        rest = value
        for name, bit in cls._names.items():
            if isinstance(bit, int) and bit > 0 and bit & (bit - 1) == 0 and rest & bit:
                found.append(name)
                rest &= ~bit
        if rest:
            found.append(hex(rest))
        return "+".join(found)

    @classmethod
    def name_of(cls, value: int | str) -> str:
        """Return the name of one value, or the value itself as text if no constant has it."""
        return next((name for name, known in cls._names.items() if known == value), str(value))


class MQCC(_Group):
    """Completion codes."""

    OK = 0
    WARNING = 1
    FAILED = 2


class MQGMO(_Group):
    """Get-message options (MQGMO.Options)."""

    WAIT = 1
    NO_WAIT = 0
    SET_SIGNAL = 8
    FAIL_IF_QUIESCING = 8192
    SYNCPOINT = 2
    SYNCPOINT_IF_PERSISTENT = 4096
    NO_SYNCPOINT = 4
    MARK_SKIP_BACKOUT = 128
    BROWSE_FIRST = 16
    BROWSE_NEXT = 32
    BROWSE_MSG_UNDER_CURSOR = 2048
    MSG_UNDER_CURSOR = 256
    LOCK = 512
    UNLOCK = 1024
    ACCEPT_TRUNCATED_MSG = 64
    CONVERT = 16384
    LOGICAL_ORDER = 32768
    COMPLETE_MSG = 65536
    ALL_MSGS_AVAILABLE = 131072
    ALL_SEGMENTS_AVAILABLE = 262144
    MARK_BROWSE_HANDLE = 1048576
    MARK_BROWSE_CO_OP = 2097152
    UNMARK_BROWSE_CO_OP = 4194304
    UNMARK_BROWSE_HANDLE = 8388608
    UNMARKED_BROWSE_MSG = 16777216
    PROPERTIES_FORCE_MQRFH2 = 33554432
    NO_PROPERTIES = 67108864
    PROPERTIES_IN_HANDLE = 134217728
    PROPERTIES_COMPATIBILITY = 268435456
    PROPERTIES_AS_Q_DEF = 0
    NONE = 0
    BROWSE_HANDLE = 17825808
    BROWSE_CO_OP = 18874384


class MQMO(_Group):
    """Match options (MQGMO.MatchOptions)."""

    MATCH_MSG_ID = 1
    MATCH_CORREL_ID = 2
    MATCH_GROUP_ID = 4
    MATCH_MSG_SEQ_NUMBER = 8
    MATCH_OFFSET = 16
    MATCH_MSG_TOKEN = 32
    NONE = 0


class MQPMO(_Group):
    """Put-message options (MQPMO.Options)."""

    SYNCPOINT = 2
    NO_SYNCPOINT = 4
    DEFAULT_CONTEXT = 32
    NEW_MSG_ID = 64
    NEW_CORREL_ID = 128
    PASS_IDENTITY_CONTEXT = 256
    PASS_ALL_CONTEXT = 512
    SET_IDENTITY_CONTEXT = 1024
    SET_ALL_CONTEXT = 2048
    ALTERNATE_USER_AUTHORITY = 4096
    FAIL_IF_QUIESCING = 8192
    NO_CONTEXT = 16384
    LOGICAL_ORDER = 32768
    ASYNC_RESPONSE = 65536
    SYNC_RESPONSE = 131072
    RESOLVE_LOCAL_Q = 262144
    WARN_IF_NO_SUBS_MATCHED = 524288
    RETAIN = 2097152
    MD_FOR_OUTPUT_ONLY = 8388608
    SCOPE_QMGR = 67108864
    SUPPRESS_REPLYTO = 134217728
    NOT_OWN_SUBS = 268435456
    RESPONSE_AS_Q_DEF = 0
    RESPONSE_AS_TOPIC_DEF = 0
    NONE = 0


class MQOO(_Group):
    """Open options (MQOPEN)."""

    BIND_AS_Q_DEF = 0
    READ_AHEAD_AS_Q_DEF = 0
    INPUT_AS_Q_DEF = 1
    INPUT_SHARED = 2
    INPUT_EXCLUSIVE = 4
    BROWSE = 8
    OUTPUT = 16
    INQUIRE = 32
    SET = 64
    SAVE_ALL_CONTEXT = 128
    PASS_IDENTITY_CONTEXT = 256
    PASS_ALL_CONTEXT = 512
    SET_IDENTITY_CONTEXT = 1024
    SET_ALL_CONTEXT = 2048
    ALTERNATE_USER_AUTHORITY = 4096
    FAIL_IF_QUIESCING = 8192
    BIND_ON_OPEN = 16384
    BIND_ON_GROUP = 4194304
    BIND_NOT_FIXED = 32768
    CO_OP = 131072
    NO_READ_AHEAD = 524288
    READ_AHEAD = 1048576
    NO_MULTICAST = 2097152
    RESOLVE_LOCAL_Q = 262144
    RESOLVE_LOCAL_TOPIC = 262144
    RESOLVE_NAMES = 65536


INPUT_OPTIONS = MQOO.INPUT_AS_Q_DEF | MQOO.INPUT_SHARED | MQOO.INPUT_EXCLUSIVE
"""The options of MQOPEN that let a handle remove messages. One of them at most may be given (OPN-02)."""


class MQCO(_Group):
    """Close options (MQCLOSE)."""

    IMMEDIATE = 0
    NONE = 0
    DELETE = 1
    DELETE_PURGE = 2
    KEEP_SUB = 4
    REMOVE_SUB = 8
    QUIESCE = 32


class MQMF(_Group):
    """Message flags (MQMD.MsgFlags)."""

    SEGMENTATION_INHIBITED = 0
    SEGMENTATION_ALLOWED = 1
    MSG_IN_GROUP = 8
    LAST_MSG_IN_GROUP = 16
    SEGMENT = 2
    LAST_SEGMENT = 4
    NONE = 0
    REJECT_UNSUP_MASK = 4095
    ACCEPT_UNSUP_MASK = 4293918720
    ACCEPT_UNSUP_IF_XMIT_MASK = 1044480


class MQRO(_Group):
    """Report options (MQMD.Report)."""

    EXCEPTION = 16777216
    EXCEPTION_WITH_DATA = 50331648
    EXCEPTION_WITH_FULL_DATA = 117440512
    EXPIRATION = 2097152
    EXPIRATION_WITH_DATA = 6291456
    EXPIRATION_WITH_FULL_DATA = 14680064
    COA = 256
    COA_WITH_DATA = 768
    COA_WITH_FULL_DATA = 1792
    COD = 2048
    COD_WITH_DATA = 6144
    COD_WITH_FULL_DATA = 14336
    PAN = 1
    NAN = 2
    ACTIVITY = 4
    NEW_MSG_ID = 0
    PASS_MSG_ID = 128
    COPY_MSG_ID_TO_CORREL_ID = 0
    PASS_CORREL_ID = 64
    DEAD_LETTER_Q = 0
    DISCARD_MSG = 134217728
    PASS_DISCARD_AND_EXPIRY = 16384
    NONE = 0
    REJECT_UNSUP_MASK = 270270464
    ACCEPT_UNSUP_MASK = 4024434943
    ACCEPT_UNSUP_IF_XMIT_MASK = 261888


class MQMT(_Group):
    """Message types (MQMD.MsgType)."""

    SYSTEM_FIRST = 1
    REQUEST = 1
    REPLY = 2
    DATAGRAM = 8
    REPORT = 4
    MQE_FIELDS_FROM_MQE = 112
    MQE_FIELDS = 113
    SYSTEM_LAST = 65535
    APPL_FIRST = 65536
    APPL_LAST = 999999999


class MQFB(_Group):
    """Feedback codes (MQMD.Feedback)."""

    NONE = 0
    SYSTEM_FIRST = 1
    QUIT = 256
    EXPIRATION = 258
    COA = 259
    COD = 260
    PAN = 275
    NAN = 276
    SYSTEM_LAST = 65535
    APPL_FIRST = 65536
    APPL_LAST = 999999999


class MQPER(_Group):
    """Persistence (MQMD.Persistence)."""

    PERSISTENCE_AS_PARENT = -1
    NOT_PERSISTENT = 0
    PERSISTENT = 1
    PERSISTENCE_AS_Q_DEF = 2
    PERSISTENCE_AS_TOPIC_DEF = 2


class MQPRI(_Group):
    """Priority (MQMD.Priority)."""

    PRIORITY_AS_Q_DEF = -1
    PRIORITY_AS_PARENT = -2
    PRIORITY_AS_PUBLISHED = -3
    PRIORITY_AS_TOPIC_DEF = -1


class MQFMT(_Group):
    """Built-in formats (MQMD.Format), without the padding blanks."""

    NONE = ""
    ADMIN = "MQADMIN"
    AMQP = "MQAMQP"
    CHANNEL_COMPLETED = "MQCHCOM"
    CICS = "MQCICS"
    COMMAND_1 = "MQCMD1"
    COMMAND_2 = "MQCMD2"
    DEAD_LETTER_HEADER = "MQDEAD"
    DIST_HEADER = "MQHDIST"
    EMBEDDED_PCF = "MQHEPCF"
    EVENT = "MQEVENT"
    IMS = "MQIMS"
    IMS_VAR_STRING = "MQIMSVS"
    MD_EXTENSION = "MQHMDE"
    PCF = "MQPCF"
    REF_MSG_HEADER = "MQHREF"
    RF_HEADER = "MQHRF"
    RF_HEADER_1 = "MQHRF"
    RF_HEADER_2 = "MQHRF2"
    STRING = "MQSTR"
    TRIGGER = "MQTRIG"
    WORK_INFO_HEADER = "MQHWIH"
    XMIT_Q_HEADER = "MQXMIT"


class MQENC(_Group):
    """Numeric encodings (MQMD.Encoding)."""

    NATIVE = 546
    INTEGER_MASK = 15
    DECIMAL_MASK = 240
    FLOAT_MASK = 3840
    RESERVED_MASK = 4294963200
    INTEGER_UNDEFINED = 0
    INTEGER_NORMAL = 1
    INTEGER_REVERSED = 2
    DECIMAL_UNDEFINED = 0
    DECIMAL_NORMAL = 16
    DECIMAL_REVERSED = 32
    FLOAT_UNDEFINED = 0
    FLOAT_IEEE_NORMAL = 256
    FLOAT_IEEE_REVERSED = 512
    FLOAT_S390 = 768
    FLOAT_TNS = 1024
    NORMAL = 273
    REVERSED = 546
    S390 = 785
    TNS = 1041
    AS_PUBLISHED = -1


class MQCCSI(_Group):
    """Coded character set identifiers with a special meaning (MQMD.CodedCharSetId)."""

    UNDEFINED = 0
    DEFAULT = 0
    Q_MGR = 0
    INHERIT = -2
    EMBEDDED = -1
    APPL = -3
    AS_PUBLISHED = -4


class MQEI(_Group):
    """Expiry (MQMD.Expiry)."""

    UNLIMITED = -1


class MQWI(_Group):
    """Wait interval (MQGMO.WaitInterval)."""

    UNLIMITED = -1


class MQOL(_Group):
    """Original length (MQMD.OriginalLength)."""

    UNDEFINED = -1


class MQRL(_Group):
    """Returned length (MQGMO.ReturnedLength)."""

    UNDEFINED = -1


class MQGS(_Group):
    """Group status (MQGMO.GroupStatus)."""

    NOT_IN_GROUP = " "
    MSG_IN_GROUP = "G"
    LAST_MSG_IN_GROUP = "L"


class MQSS(_Group):
    """Segment status (MQGMO.SegmentStatus)."""

    NOT_A_SEGMENT = " "
    SEGMENT = "S"
    LAST_SEGMENT = "L"


class MQSEG(_Group):
    """Segmentation (MQGMO.Segmentation)."""

    INHIBITED = " "
    ALLOWED = "A"


class MQEC(_Group):
    """Event codes posted for a signal (MQGMO_SET_SIGNAL)."""

    MSG_ARRIVED = 2
    WAIT_INTERVAL_EXPIRED = 3
    WAIT_CANCELED = 4
    Q_MGR_QUIESCING = 5
    CONNECTION_QUIESCING = 6


class MQAT(_Group):
    """Application types (MQMD.PutApplType)."""

    UNKNOWN = -1
    NO_CONTEXT = 0
    CICS = 1
    ZOS = 2
    IMS = 3
    UNIX = 6
    QMGR = 7
    OS400 = 8
    WINDOWS_NT = 11
    USER = 25
    BROKER = 26
    JAVA = 28
    CHANNEL_INITIATOR = 30


class MQOT(_Group):
    """Object types (MQOD.ObjectType)."""

    Q = 1
    NAMELIST = 2
    PROCESS = 3
    Q_MGR = 5
    TOPIC = 8
