"""The queues that an administrator defines for a tester who may not: written as MQSC, and read from it."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from conformance.mqi.attributes import OF_TYPE
from oracle.errors import UsageError
from oracle.mqi.definitions import QueueDefinition, define, is_object_name

DEFAULT_COPIES: Final = 8
"""The number of queues without special attributes that are defined, so that checks can run side by side."""

_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "InhibitGet": ("GET(ENABLED)", "GET(DISABLED)"),
    "InhibitPut": ("PUT(ENABLED)", "PUT(DISABLED)"),
    "Shareability": ("NOSHARE", "SHARE DEFSOPT(SHARED)"),
    "TriggerControl": ("NOTRIGGER", "TRIGGER"),
    "DefPersistence": ("DEFPSIST(NO)", "DEFPSIST(YES)"),
    "TriggerType": ("TRIGTYPE(NONE)", "TRIGTYPE(FIRST)", "TRIGTYPE(EVERY)", "TRIGTYPE(DEPTH)"),
}
_NUMBERS: Final[Mapping[str, str]] = {
    "DefPriority": "DEFPRTY",
    "MaxQDepth": "MAXDEPTH",
    "MaxMsgLength": "MAXMSGL",
    "TriggerDepth": "TRIGDPTH",
    "TriggerMsgPriority": "TRIGMPRI",
    "MsgDeliverySequence": "MSGDLVSQ",
    "PropertyControl": "PROPCTL",
}
_USAGES: Final[Mapping[str, str]] = {"NORMAL": "USAGE(NORMAL)", "TRANSMISSION": "USAGE(XMITQ)"}
_CONTROLS: Final[Mapping[str, str]] = {"COMPATIBILITY": "COMPAT", "FORCE_MQRFH2": "FORCE"}
_INDEXES: Final[Mapping[str, str]] = {
    "NONE": "NONE",
    "MSG_ID": "MSGID",
    "CORREL_ID": "CORRELID",
    "GROUP_ID": "GROUPID",
    "MSG_TOKEN": "MSGTOKEN",
}
_TEXTS: Final[Mapping[str, str]] = {
    "TriggerData": "TRIGDATA",
    "ProcessName": "PROCESS",
    "InitiationQName": "INITQ",
}

_DEFINED: Final = re.compile(
    r"^[ \t]*DEF(?:INE)?[ \t]+(?:QLOCAL|QL)[ \t]*\([ \t]*('[^'\n]*'|[^')\n]*)[ \t]*\)", re.IGNORECASE | re.MULTILINE
)
_COMMENT: Final = re.compile(r"^\s*[*#]")
_LINE: Final = 60

Key = tuple[tuple[str, Any], ...]


def distinguishing(queue: Mapping[str, Any], platform: str) -> Key:
    """Return the attributes that a predefined queue must have to serve as this one; None if nothing can serve."""
    definition = define(QueueDefinition, queue)
    made = definition.type == "local" and definition.definition_type == "PREDEFINED"
    if not made or definition.cap_expiry or definition.initiation_q_name:
        return ()
    wanted = (*OF_TYPE["local"], "IndexType") if platform == "zos" else OF_TYPE["local"]
    values = definition.attributes()
    return tuple((name, values[name]) for name in wanted)


def needed(setups: Iterable[Iterable[Mapping[str, Any]]], platform: str) -> Counter[Key]:
    """Return the number of queues of each kind that any one of the setups needs."""
    most: Counter[Key] = Counter()
    for queues in setups:
        most |= Counter(key for queue in queues if (key := distinguishing(queue, platform)))
    default = distinguishing({"name": "Q"}, platform)
    most[default] = max(most[default], DEFAULT_COPIES)
    return most


def written(kinds: Counter[Key], prefix: str) -> Iterator[str]:
    """Yield the lines of MQSC that define the queues."""
    number = 0
    for kind, count in sorted(kinds.items(), key=lambda item: -item[1]):
        for _ in range(count):
            number += 1
            yield f"DEFINE QLOCAL('{prefix}.{number:03}') +"
            *lines, last = textwrap.wrap(" ".join(_words(dict(kind))), _LINE)
            yield from (f"    {line} +" for line in lines)
            yield f"    {last}"


def _words(values: Mapping[str, Any]) -> Iterator[str]:
    for name, value in values.items():
        if name in _WORDS:
            yield _WORDS[name][value]
        elif name == "Usage":
            yield _USAGES[value]
        elif name == "IndexType":
            yield f"INDXTYPE({_INDEXES[value]})"
        elif name in _NUMBERS:
            yield f"{_NUMBERS[name]}({_CONTROLS.get(value, value)})"
        else:
            yield f"{_TEXTS[name]}('{value}')"


def read_predefined(text: str, source: str) -> tuple[str, ...]:
    """Return the names of queues in a file: those that MQSC defines, or one a line.

    Raises UsageError if there is none, or an invalid one.
    """
    names = []
    for defined in _DEFINED.finditer(text):
        before = text.count("\n", 0, defined.start())
        names.append(_checked(_as_mqsc_reads(defined[1]), source, before + 1))
    if names:
        return tuple(names)
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not _COMMENT.match(line):
            names.append(_checked(line.strip(), source, number))
    if not names:
        raise UsageError(f"{source} names no queue; write one name a line, or give what mq-conform mqsc has printed")
    return tuple(names)


def _as_mqsc_reads(name: str) -> str:
    """Return a name as MQSC takes it: in upper case unless it is quoted."""
    return name[1:-1] if name.startswith("'") else name.strip().upper()


def _checked(name: str, source: str, line: int) -> str:
    if not is_object_name(name):
        raise UsageError(f"{source}:{line}: {name!r} is no queue name; write one name a line, or DEFINE QLOCAL")
    return name
