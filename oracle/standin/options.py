"""The treatment of every option of the MQI in the stand-in, as data.

An option has an effect, is refused by name, or causes a warning that it has no effect; or it needs no effect, and
docs/unit-tests.md says why. No option is ignored silently.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, NoReturn

from oracle.errors import NotModelledError
from oracle.mqi.constants import MQCCSI, MQENC
from oracle.standin.warning import warn


class Treatment(Enum):
    """The treatment of an option."""

    EFFECT = "it has the effect that the documents describe"
    REFUSED = "the call fails with MQRC_FUNCTION_NOT_SUPPORTED and a warning that names the option"
    WARNED = "a warning names the option, which has no effect"
    NOTED = "it has nothing to act on; docs/unit-tests.md says why"


@dataclass(frozen=True, slots=True)
class Option:
    """An option by the name in IBM's headers, and its treatment."""

    value: int
    """Its number."""
    treatment: Treatment = Treatment.EFFECT
    """Its treatment."""
    why: str = ""
    """The text of a warning."""


def _effect(**values: int) -> dict[str, Option]:
    return {name: Option(value) for name, value in values.items()}


def _noted(**values: int) -> dict[str, Option]:
    return {name: Option(value, Treatment.NOTED) for name, value in values.items()}


def _refused(why: str, **values: int) -> dict[str, Option]:
    return {name: Option(value, Treatment.REFUSED, why) for name, value in values.items()}


def _warned(why: str, **values: int) -> dict[str, Option]:
    return {name: Option(value, Treatment.WARNED, why) for name, value in values.items()}


_PUBLISH: Final = "publish/subscribe is not modelled"
_ORDER: Final = "a place among other properties, or a second property of the same name, is not modelled"
_TAGS: Final = "connection tags are not modelled"

OPEN: Final = {
    **_effect(
        READ_AHEAD_AS_Q_DEF=0, INPUT_AS_Q_DEF=1, INPUT_SHARED=2, INPUT_EXCLUSIVE=4, BROWSE=8, OUTPUT=16, INQUIRE=32,
        SET=64, SET_IDENTITY_CONTEXT=1024, SET_ALL_CONTEXT=2048, ALTERNATE_USER_AUTHORITY=4096,
        FAIL_IF_QUIESCING=8192, CO_OP=131072, RESOLVE_LOCAL_Q=262144, RESOLVE_LOCAL_TOPIC=262144, RESOLVE_NAMES=65536,
        NO_READ_AHEAD=524288, READ_AHEAD=1048576, SAVE_ALL_CONTEXT=128, PASS_IDENTITY_CONTEXT=256,
        PASS_ALL_CONTEXT=512,
    ),
    **_noted(
        BIND_AS_Q_DEF=0, BIND_ON_OPEN=16384, BIND_NOT_FIXED=32768, BIND_ON_GROUP=4194304, NO_MULTICAST=2097152,
    ),
}  # fmt: skip  # pairs

CLOSE: Final = {
    **_effect(NONE=0, IMMEDIATE=0, DELETE=1, DELETE_PURGE=2),
    **_refused(_PUBLISH, KEEP_SUB=4, REMOVE_SUB=8),
    **_noted(QUIESCE=32),
}

PUT: Final = {
    **_effect(
        NONE=0, SYNCPOINT=2, NO_SYNCPOINT=4, DEFAULT_CONTEXT=32, NEW_MSG_ID=64, NEW_CORREL_ID=128,
        SET_IDENTITY_CONTEXT=1024, SET_ALL_CONTEXT=2048, ALTERNATE_USER_AUTHORITY=4096, FAIL_IF_QUIESCING=8192,
        NO_CONTEXT=16384, LOGICAL_ORDER=32768, SYNC_RESPONSE=131072, RESOLVE_LOCAL_Q=262144, RESPONSE_AS_Q_DEF=0,
        RESPONSE_AS_TOPIC_DEF=0, PASS_IDENTITY_CONTEXT=256, PASS_ALL_CONTEXT=512,
    ),
    **_warned("the put is carried out at once, and its own reason code says how it ended", ASYNC_RESPONSE=65536),
    **_refused(
        _PUBLISH, WARN_IF_NO_SUBS_MATCHED=524288, RETAIN=2097152, PUB_OPTIONS_MASK=2097152, SCOPE_QMGR=67108864,
        SUPPRESS_REPLYTO=134217728, NOT_OWN_SUBS=268435456,
    ),
    **_refused("message handles have no message descriptor", MD_FOR_OUTPUT_ONLY=8388608),
}  # fmt: skip  # pairs

GET: Final = {
    **_effect(
        NONE=0, WAIT=1, NO_WAIT=0, SYNCPOINT=2, NO_SYNCPOINT=4, BROWSE_FIRST=16, BROWSE_NEXT=32,
        ACCEPT_TRUNCATED_MSG=64, MARK_SKIP_BACKOUT=128, MSG_UNDER_CURSOR=256, LOCK=512, UNLOCK=1024,
        BROWSE_MSG_UNDER_CURSOR=2048,
        SYNCPOINT_IF_PERSISTENT=4096, FAIL_IF_QUIESCING=8192, CONVERT=16384, LOGICAL_ORDER=32768, COMPLETE_MSG=65536,
        ALL_MSGS_AVAILABLE=131072, ALL_SEGMENTS_AVAILABLE=262144, MARK_BROWSE_HANDLE=1048576,
        MARK_BROWSE_CO_OP=2097152, UNMARK_BROWSE_CO_OP=4194304, UNMARK_BROWSE_HANDLE=8388608,
        UNMARKED_BROWSE_MSG=16777216, PROPERTIES_FORCE_MQRFH2=33554432, NO_PROPERTIES=67108864,
        PROPERTIES_IN_HANDLE=134217728, PROPERTIES_COMPATIBILITY=268435456, PROPERTIES_AS_Q_DEF=0,
        BROWSE_HANDLE=17825808, BROWSE_CO_OP=18874384,
    ),
    **_refused("there is nothing that could be signalled", SET_SIGNAL=8),
}  # fmt: skip  # pairs

MATCH: Final = _effect(
    NONE=0,
    MATCH_MSG_ID=1,
    MATCH_CORREL_ID=2,
    MATCH_GROUP_ID=4,
    MATCH_MSG_SEQ_NUMBER=8,
    MATCH_OFFSET=16,
    MATCH_MSG_TOKEN=32,
)

REPORT: Final = {
    **_effect(
        NONE=0, EXPIRATION=2097152, EXPIRATION_WITH_DATA=6291456, EXPIRATION_WITH_FULL_DATA=14680064, COA=256,
        COA_WITH_DATA=768, COA_WITH_FULL_DATA=1792, COD=2048, COD_WITH_DATA=6144, COD_WITH_FULL_DATA=14336,
        NEW_MSG_ID=0, PASS_MSG_ID=128, COPY_MSG_ID_TO_CORREL_ID=0, PASS_CORREL_ID=64, PASS_DISCARD_AND_EXPIRY=16384,
        REJECT_UNSUP_MASK=270270464, ACCEPT_UNSUP_MASK=4024434943, ACCEPT_UNSUP_IF_XMIT_MASK=261888,
    ),
    **_noted(
        EXCEPTION=16777216, EXCEPTION_WITH_DATA=50331648, EXCEPTION_WITH_FULL_DATA=117440512, PAN=1, NAN=2, ACTIVITY=4,
        DEAD_LETTER_Q=0, DISCARD_MSG=134217728,
    ),
}  # fmt: skip  # pairs

FLAGS: Final = _effect(
    NONE=0,
    SEGMENTATION_INHIBITED=0,
    SEGMENTATION_ALLOWED=1,
    SEGMENT=2,
    LAST_SEGMENT=4,
    MSG_IN_GROUP=8,
    LAST_MSG_IN_GROUP=16,
    REJECT_UNSUP_MASK=4095,
    ACCEPT_UNSUP_MASK=4293918720,
    ACCEPT_UNSUP_IF_XMIT_MASK=1044480,
)

CONNECT: Final = {
    **_effect(NONE=0, HANDLE_SHARE_NONE=32, HANDLE_SHARE_BLOCK=64, HANDLE_SHARE_NO_BLOCK=128),
    **_noted(
        STANDARD_BINDING=0, FASTPATH_BINDING=1, SHARED_BINDING=256, ISOLATED_BINDING=512, LOCAL_BINDING=1024,
        CLIENT_BINDING=2048, ACCOUNTING_MQI_ENABLED=4096, ACCOUNTING_MQI_DISABLED=8192, ACCOUNTING_Q_ENABLED=16384,
        ACCOUNTING_Q_DISABLED=32768, NO_CONV_SHARING=65536, ALL_CONVS_SHARE=262144, CD_FOR_OUTPUT_ONLY=524288,
        USE_CD_SELECTION=1048576, RECONNECT_AS_DEF=0, RECONNECT_DISABLED=33554432, ACTIVITY_TRACE_ENABLED=134217728,
        ACTIVITY_TRACE_DISABLED=268435456, RECONNECT=16777216, RECONNECT_Q_MGR=67108864,
    ),
    **_refused(
        _TAGS, SERIALIZE_CONN_TAG_Q_MGR=2, SERIALIZE_CONN_TAG_QSG=4, RESTRICT_CONN_TAG_Q_MGR=8,
        RESTRICT_CONN_TAG_QSG=16, GENERATE_CONN_TAG=2097152,
    ),
}  # fmt: skip  # pairs

RECONNECT: Final = CONNECT["RECONNECT"].value | CONNECT["RECONNECT_Q_MGR"].value
"""The options for automatic reconnection; `connections.fail` warns that there is none."""

CREATE_HANDLE: Final = {
    **_effect(NONE=0, DEFAULT_VALIDATION=0, VALIDATE=2),
    **_warned("names of properties are looked at all the same", NO_VALIDATION=1),
}
DELETE_HANDLE: Final = _effect(NONE=0)
SET_PROPERTY: Final = {
    **_effect(NONE=0, SET_FIRST=0, SET_PROP_UNDER_CURSOR=1),
    **_refused(_ORDER, SET_PROP_AFTER_CURSOR=2, APPEND_PROPERTY=4, SET_PROP_BEFORE_CURSOR=8),
}
INQUIRE_PROPERTY: Final = {
    **_effect(NONE=0, INQ_FIRST=0, INQ_NEXT=8, QUERY_LENGTH=4, INQ_PROP_UNDER_CURSOR=16),
    **_noted(CONVERT_VALUE=32),
    **_refused("properties keep the type with which they were set", CONVERT_TYPE=2),
}
DELETE_PROPERTY: Final = _effect(NONE=0, DEL_FIRST=0, DEL_PROP_UNDER_CURSOR=1)
BUFFER_TO_HANDLE: Final = _effect(NONE=0, DELETE_PROPERTIES=1)
HANDLE_TO_BUFFER: Final = _effect(NONE=0, PROPERTIES_IN_MQRFH2=1, DELETE_PROPERTIES=2)

ACTION: Final = {
    **_effect(NEW=0),
    **_refused("a message that is derived from another one's handle is not modelled", FORWARD=1, REPLY=2, REPORT=3),
}
"""The actions of a put (MQPMO.Action): these are values, not bits."""

CALLBACK: Final = {
    **_effect(
        NONE=0,
        START_CALL=1,
        STOP_CALL=4,
        REGISTER_CALL=256,
        DEREGISTER_CALL=512,
        FAIL_IF_QUIESCING=8192,
        EVENT_CALL=16384,
    ),
    **_noted(MC_EVENT_CALL=32768),
}
CONTROL: Final = _effect(NONE=0, THREAD_AFFINITY=1, FAIL_IF_QUIESCING=8192)

EVERY: Final[Mapping[str, Mapping[str, Option]]] = {
    "MQOO": OPEN, "MQCO": CLOSE, "MQPMO": PUT, "MQGMO": GET, "MQMO": MATCH, "MQRO": REPORT, "MQMF": FLAGS,
    "MQCNO": CONNECT, "MQCMHO": CREATE_HANDLE, "MQDMHO": DELETE_HANDLE, "MQSMPO": SET_PROPERTY,
    "MQIMPO": INQUIRE_PROPERTY, "MQDMPO": DELETE_PROPERTY, "MQBMHO": BUFFER_TO_HANDLE, "MQMHBO": HANDLE_TO_BUFFER,
    "MQACTP": ACTION, "MQCBDO": CALLBACK, "MQCTLO": CONTROL,
}  # fmt: skip  # pairs
"""The options by the prefix of their names."""

_NO_TOPICS: Final = (
    "there is no publish/subscribe. Let the test put what would be published, with QueueManager.put, to a queue, and "
    "the program open that queue"
)
VERBS_REFUSED: Final = {
    "MQBEGIN": "no other resource takes part in a unit of work. MQCMIT and MQBACK end the queue manager's own",
    "MQSUB": _NO_TOPICS,
    "MQSUBRQ": _NO_TOPICS,
    "MQSTAT": "no put is asynchronous and no connection is made again, so there is nothing to report. A put with "
    "MQPMO_ASYNC_RESPONSE is carried out at once, and the put's own reason code says how it ended",
}
"""The verbs that are refused with any options: the reason, and the stand-in's alternative."""


def refuse(verb: str) -> NoReturn:
    """Raise NotModelledError for a verb that is refused."""
    raise NotModelledError(f"{verb} is not modelled: {VERBS_REFUSED[verb]}")


def known(prefix: str) -> int:
    """Return every bit that is an option."""
    bits = 0
    for option in EVERY[prefix].values():
        bits |= option.value
    return bits


def look_at(prefix: str, options: int) -> None:
    """Warn of options that have no effect.

    Raises NotModelledError for one that is refused.
    """
    for name, option in EVERY[prefix].items():
        if not option.value or options & option.value != option.value:
            continue
        if option.treatment is Treatment.REFUSED:
            raise NotModelledError(f"{prefix}_{name}: {option.why}")
        if option.treatment is Treatment.WARNED:
            warn(f"{prefix}_{name} has no effect on the stand-in: {option.why}")


_UTF8: Final = 1208
_OPTIONS: Final = 8
"""The offset of Options in the structures of options of message handles."""

_OPTIONAL, _NO_CONTEXT, _DEFAULT_COPY = 1, 0, 22
"""MQPD_SUPPORT_OPTIONAL, MQPD_NO_CONTEXT and MQCOPY_DEFAULT, the initial values of an MQPD."""


def look_at_structure(prefix: str, structure: bytes | None) -> int:
    """Check the options in a structure such as MQSMPO, and return them; None is a structure with initial values.

    Raises NotModelledError for an option that is refused.
    """
    options = int.from_bytes((structure or b"")[_OPTIONS : _OPTIONS + 4], sys.byteorder)
    look_at(prefix, options)
    return options


_FORM: Final = _OPTIONS + 4
"""The offset of encoding and character set in MQSMPO and MQIMPO, which have them for values."""

_IN_MINE: Final = (0, MQCCSI.APPL, _UTF8)
"""The character sets of this machine's programs."""


def look_at_form(prefix: str, structure: bytes | None) -> None:
    """Check the form of values in an MQSMPO, or the form that an MQIMPO asks for.

    Raises NotModelledError unless it is this machine's encoding and UTF-8, in which properties are kept.
    """
    if structure:
        encoding, ccsid = struct.unpack_from("=2i", structure, _FORM)
        if encoding not in (0, MQENC.NATIVE) or ccsid not in _IN_MINE:
            raise NotModelledError(f"{prefix} with the encoding {encoding} and the character set {ccsid} of a value")


def look_at_property(pd: bytes | None) -> None:
    """Warn of an MQPD other than the initial one, because it is not kept."""
    if pd and struct.unpack_from("=3i", pd, _OPTIONS + 4) != (_OPTIONAL, _NO_CONTEXT, _DEFAULT_COPY):
        warn("Support, Context and CopyOptions of an MQPD have no effect on the stand-in, and are not kept")


def look_at_action(action: int) -> None:
    """Check MQPMO.Action.

    Raises NotModelledError for one that is refused.
    """
    for name, option in ACTION.items():
        if option.value == action and option.treatment is Treatment.REFUSED:
            raise NotModelledError(f"MQACTP_{name}: {option.why}")
