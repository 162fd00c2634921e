"""The attributes of queues: their names and values in MQSC and in configuration events, and in the event log.

Both print the same attributes with different names and values. Attributes outside the table are of no use to an audit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from pydantic import ValidationError

from oracle.errors import BadInputError, Place
from oracle.histories.event_log import QueueHeader
from oracle.text.json_text import is_unicode
from oracle.text.mistakes import first_mistake

Value = int | str
_Reading = Callable[[str], Value]


def _plain(value: str) -> str:
    return re.sub(r"[^A-Z0-9]", "", value.upper())


def _one_of(**values: Value) -> _Reading:
    return lambda text: values[_plain(text)]


def _named(text: str) -> Value:
    return text.strip()


def _number(text: str) -> Value:
    """Return a whole number of 32 bits: no attribute has more."""
    value = int(text)
    if not -(2**31) <= value < 2**31:
        raise ValueError("more than 32 bits")
    return value


_NUMBER: _Reading = _number
_ALLOWED = _one_of(ENABLED=0, DISABLED=1, GETALLOWED=0, GETINHIBITED=1, PUTALLOWED=0, PUTINHIBITED=1)
_DEFINITION = _one_of(
    PREDEFINED="PREDEFINED",
    PERMDYN="PERMANENT_DYNAMIC",
    PERMANENTDYNAMIC="PERMANENT_DYNAMIC",
    TEMPDYN="TEMPORARY_DYNAMIC",
    TEMPORARYDYNAMIC="TEMPORARY_DYNAMIC",
)
_INDEX = _one_of(NONE="NONE", MSGID="MSG_ID", CORRELID="CORREL_ID", GROUPID="GROUP_ID", MSGTOKEN="MSG_TOKEN")
_RESPONSE = _one_of(SYNC="SYNC", ASYNC="ASYNC", SYNCRESPONSE="SYNC", ASYNCRESPONSE="ASYNC")


def _interval(text: str) -> Value:
    """Return MARKINT in milliseconds, -1 for unlimited."""
    return -1 if _plain(text) == "NOLIMIT" else _number(text)


def _cap(text: str) -> Value:
    """Return CAPEXPRY in tenths of a second, 0 for no cap."""
    return 0 if _plain(text) == "NOLIMIT" else max(0, int(_number(text)))


_TABLE: tuple[tuple[str, tuple[str, ...], _Reading], ...] = (
    ("MsgDeliverySequence", ("MSGDLVSQ", "MSGDELIVERYSEQUENCE"), _one_of(PRIORITY="PRIORITY", FIFO="FIFO")),
    ("DefPriority", ("DEFPRTY", "DEFPRIORITY"), _NUMBER),
    ("DefPersistence", ("DEFPSIST", "DEFPERSISTENCE"), _one_of(NO=0, YES=1, NOTPERSISTENT=0, PERSISTENT=1)),
    ("DefPutResponse", ("DEFPRESP", "DEFPUTRESPONSE", "DEFPUTRESPONSETYPE"), _RESPONSE),
    ("MaxQDepth", ("MAXDEPTH", "MAXQUEUEDEPTH", "MAXQDEPTH"), _NUMBER),
    ("MaxMsgLength", ("MAXMSGL", "MAXMSGLENGTH"), _NUMBER),
    ("InhibitGet", ("GET", "INHIBITGET"), _ALLOWED),
    ("InhibitPut", ("PUT", "INHIBITPUT"), _ALLOWED),
    ("Usage", ("USAGE",), _one_of(NORMAL="NORMAL", XMITQ="TRANSMISSION", TRANSMISSION="TRANSMISSION")),
    ("IndexType", ("INDXTYPE", "INDEXTYPE"), _INDEX),
    ("Shareability", ("SHAREABILITY",), _one_of(SHAREABLE=1, NOTSHAREABLE=0)),
    ("DefinitionType", ("DEFTYPE", "DEFINITIONTYPE"), _DEFINITION),
    ("TriggerControl", ("TRIGGERCONTROL",), _one_of(OFF=0, ON=1)),
    ("TriggerType", ("TRIGTYPE", "TRIGGERTYPE"), _one_of(NONE=0, FIRST=1, EVERY=2, DEPTH=3)),
    ("TriggerDepth", ("TRIGDPTH", "TRIGGERDEPTH"), _NUMBER),
    ("TriggerMsgPriority", ("TRIGMPRI", "TRIGGERMSGPRIORITY"), _NUMBER),
    ("TriggerData", ("TRIGDATA", "TRIGGERDATA"), _named),
    ("ProcessName", ("PROCESS", "PROCESSNAME"), _named),
    ("InitiationQName", ("INITQ", "INITIATIONQUEUENAME"), _named),
    ("CAPEXPRY", ("CAPEXPRY", "CAPEXPIRY"), _cap),
    ("target", ("TARGET", "TARGQ", "BASEOBJECTNAME", "BASEQUEUENAME", "BASEQNAME"), _named),
)
"""By the event log's name: the names under which it is printed, and the function that reads its value."""

_OF_QUEUE_MANAGERS: tuple[tuple[str, tuple[str, ...], _Reading], ...] = (
    ("MarkBrowseInterval", ("MARKINT", "MSGMARKBROWSEINTERVAL", "MESSAGEMARKBROWSEINTERVAL"), _interval),
)
"""The same for queue managers."""

_BY_NAME = {name: (ours, reading) for ours, names, reading in _TABLE for name in names}
_BY_NAME_OF_QUEUE_MANAGERS = {name: (ours, reading) for ours, names, reading in _OF_QUEUE_MANAGERS for name in names}

_WORDS: Mapping[str, tuple[str, Value]] = {
    "SHARE": ("Shareability", 1),
    "NOSHARE": ("Shareability", 0),
    "TRIGGER": ("TriggerControl", 1),
    "NOTRIGGER": ("TriggerControl", 0),
}
"""Attributes that MQSC prints without a value."""

_CAP_IN_CUSTOM = re.compile(r"CAPEXPRY\((\w+)\)")
_PRINTED_WITH_ALL = frozenset({"CUSTOM", "ALTDATE"})


def read_attribute(name: str, value: str | None) -> dict[str, Value]:
    """Return an attribute by the event log's name; nothing for an attribute that is not used.

    Raises BadInputError for a value that the attribute cannot have.
    """
    plain = _plain(name)
    if value is None:
        return dict([_WORDS[plain]]) if plain in _WORDS else {}
    if plain == "CUSTOM":
        found = _CAP_IN_CUSTOM.search(value)
        return read_attribute("CAPEXPRY", found[1]) if found else {}
    return _read(name, value, _BY_NAME.get(plain))


def read_queue_manager(name: str, value: str | None) -> dict[str, Value]:
    """Return an attribute of a queue manager by the event log's name; see read_attribute."""
    return {} if value is None else _read(name, value, _BY_NAME_OF_QUEUE_MANAGERS.get(_plain(name)))


def _read(name: str, value: str, known: tuple[str, _Reading] | None) -> dict[str, Value]:
    if known is None:
        return {}
    ours, reading = known
    try:
        return {ours: reading(value)}
    except (KeyError, ValueError) as error:
        raise BadInputError(f"{name} cannot be {value!r:.60}") from error


OF_KIND: Final[Mapping[str, Mapping[str, Value]]] = {
    **{word: {} for word in ("QLOCAL", "QL", "LOCAL")},
    **{word: {"type": "model"} for word in ("QMODEL", "QM", "MODEL")},
    **{word: {"type": "alias"} for word in ("QALIAS", "QA", "ALIAS")},
}
"""By the words for each kind of queue whose definitions are read, what such a definition has besides."""


def definition(qmgr: str, queue: str, attributes: Mapping[str, Value], place: Place) -> QueueHeader | BadInputError:
    """Return the definition of a queue, or the error that it cannot be one."""
    if not all(is_unicode(str(value)) for value in (qmgr, queue, *attributes.values())):
        return BadInputError("this definition is not read: half of a character (a surrogate without the other)", place)
    try:
        return QueueHeader.model_validate({"qmgr": qmgr, "queue": queue, **attributes})
    except ValidationError as error:
        mistake = first_mistake(error)
        return BadInputError(f"this definition is not read: {mistake.about(mistake.member).removeprefix(': ')}", place)


def without_cap(printed: set[str], attributes: Mapping[str, Value]) -> bool:
    """Return whether a queue surely has no CAPEXPRY: MQSC printed all attributes, and that is not among them."""
    all_printed = printed >= _PRINTED_WITH_ALL and ("MAXDEPTH" in printed or attributes.get("type") == "alias")
    return "CAPEXPRY" not in attributes and all_printed
