"""The features of the target protocol that a history needs, found from its calls.

The tables have them by option and member, for checks that are not tagged by hand. A target must claim these features
for its replies to be judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from conformance.sessions.details import DETAILS, of_options
from conformance.sessions.session import History
from oracle.histories.notation import Line, Value, structure_of
from oracle.model.requests.option_matrix import BROWSE, MARKING, PROPERTIES
from oracle.mqi.constants import MQGMO, MQMF, MQMO, MQOO, MQPMO
from oracle.protocol import FEATURES

OF_VERBS: Final[Mapping[str, tuple[str, ...]]] = {
    "put1": ("put1",),
    "inq": ("inquire",),
    "cmit": ("syncpoint",),
    "back": ("syncpoint",),
    "quiesce": ("quiesce",),
    "scan": ("expiry-scan",),
}
"""The features that a call needs with any arguments; calls that are not listed need none."""

_OWN_CONTEXT: Final = MQOO.SET_IDENTITY_CONTEXT | MQOO.SET_ALL_CONTEXT | MQOO.ALTERNATE_USER_AUTHORITY

_OPEN_OPTIONS: Final = (
    (MQOO.BROWSE, "browse"),
    (MQOO.INQUIRE, "inquire"),
    (MQOO.CO_OP, "mark-browse"),
    (MQOO.FAIL_IF_QUIESCING, "quiesce"),
    (_OWN_CONTEXT, "identity"),
)
_PUT_OPTIONS: Final = (
    (MQPMO.SYNCPOINT, "syncpoint"),
    (MQPMO.LOGICAL_ORDER, "logical-order"),
    (MQPMO.FAIL_IF_QUIESCING, "quiesce"),
    (_OWN_CONTEXT | MQPMO.NO_CONTEXT, "identity"),
)
_GET_OPTIONS: Final = (
    (BROWSE | MQGMO.MSG_UNDER_CURSOR, "browse"),
    (MQGMO.LOCK | MQGMO.UNLOCK, "lock"),
    (MQGMO.WAIT, "wait"),
    (MQGMO.SET_SIGNAL, "signal"),
    (MQGMO.SYNCPOINT | MQGMO.SYNCPOINT_IF_PERSISTENT | MQGMO.MARK_SKIP_BACKOUT, "syncpoint"),
    (MQGMO.MARK_SKIP_BACKOUT, "skip-backout"),
    (MQGMO.LOGICAL_ORDER, "logical-order"),
    (MQGMO.COMPLETE_MSG, "complete-msg"),
    (MQGMO.ALL_MSGS_AVAILABLE, "groups"),
    (MQGMO.ALL_SEGMENTS_AVAILABLE, "segments"),
    (MQGMO.ACCEPT_TRUNCATED_MSG, "truncation"),
    (MQGMO.CONVERT, "convert"),
    (PROPERTIES, "properties"),
    (MARKING, "mark-browse"),
    (MQGMO.FAIL_IF_QUIESCING, "quiesce"),
)
OF_OPTIONS: Final[Mapping[str, tuple[tuple[int, str], ...]]] = {
    "open": _OPEN_OPTIONS,
    "put": _PUT_OPTIONS,
    "put1": _PUT_OPTIONS,
    "get": _GET_OPTIONS,
}
"""For a call, its options (any bit of a mask) and the feature that they need."""

OF_FLAGS: Final = (
    (MQMF.MSG_IN_GROUP | MQMF.LAST_MSG_IN_GROUP, "groups"),
    (MQMF.SEGMENT | MQMF.LAST_SEGMENT | MQMF.SEGMENTATION_ALLOWED, "segments"),
)
"""MsgFlags and the feature that they need."""

OF_MATCHES: Final = (
    (MQMO.MATCH_GROUP_ID | MQMO.MATCH_MSG_SEQ_NUMBER, "groups"),
    (MQMO.MATCH_OFFSET, "segments"),
)
"""Match options and the feature that they need besides `match`."""

_OF_PUT: Final[Mapping[str, str]] = {
    "Priority": "priority",
    "Persistence": "persistence",
    "Expiry": "expiry",
    "Report": "reports",
    "MsgSeqNumber": "groups",
    "Offset": "segments",
    "AlternateUserId": "identity",
    "UserIdentifier": "identity",
    "PutApplName": "identity",
    "MQXQH": "transmission",
    "MQDLH": "dead-letter",
}
_OF_GET: Final[Mapping[str, str]] = {
    "MsgId": "match",
    "CorrelId": "match",
    "GroupId": "match",
    "MsgToken": "match",
    "MatchOptions": "match",
    "BufferLength": "truncation",
}
OF_MEMBERS: Final[Mapping[str, Mapping[str, str]]] = {
    "open": {"AlternateUserId": "identity", "DynamicQName": "dynamic-queues"},
    "put": _OF_PUT,
    "put1": _OF_PUT,
    "get": _OF_GET,
}
"""For a call, the members that it may be given, or the structure in its data, and the feature that they need."""

OF_ATTRIBUTES: Final[Mapping[str, str]] = {
    "DefPriority": "priority",
    "DefPersistence": "persistence",
    "MaxQDepth": "limits",
    "MaxMsgLength": "limits",
    "MaxUncommittedMsgs": "limits",
    "InhibitGet": "inhibit",
    "InhibitPut": "inhibit",
    "Usage": "transmission",
    "xmitq": "transmission",
    "TriggerControl": "trigger",
    "CAPEXPRY": "expiry",
    "EnforceMaxExpiryError": "expiry",
    "PropertyControl": "properties",
    "DefinitionType": "dynamic-queues",
    "DeadLetterQName": "dead-letter",
    "ExpiryInterval": "expiry-scan",
    "MarkBrowseInterval": "mark-browse",
    "MaxPriority": "priority",
}
"""Attributes of queues and of the queue manager, and the feature that they need."""

OF_OUTPUTS: Final[Mapping[str, str]] = {
    "UserIdentifier": "identity",
    "PutApplName": "identity",
    "PutApplType": "identity",
    "MQXQH": "transmission",
    "MQDLH": "dead-letter",
    "MQTM": "trigger",
}
"""Outputs that a line states, and the feature without which a target need not have them."""


OF_AREAS: Final[Mapping[str, str]] = {
    "CAP": "expiry",
    "CHN": "transmission",
    "CNV": "convert",
    "CTX": "identity",
    "CVP": "convert",
    "DLH": "dead-letter",
    "DLQ": "dead-letter",
    "DYN": "dynamic-queues",
    "EXP": "expiry",
    "GST": "groups",
    "MDE": "groups",
    "MRK": "mark-browse",
    "PER": "persistence",
    "PRI": "priority",
    "PRP": "properties",
    "RPM": "reports",
    "RPT": "reports",
    "TRI": "trigger",
    "USR": "identity",
    "XMQ": "transmission",
}
"""Areas of the catalogue whose rules are about a feature even if the calls do not show it."""


def features_of(history: History, rules: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the features that a target must claim so that a history judges it by rules, in the protocol's order."""
    needed = {*_of_setup(history), *(OF_AREAS[rule[:3]] for rule in rules if rule[:3] in OF_AREAS)}
    for line in history.lines:
        needed |= _of_line(line)
    return tuple(feature for feature in FEATURES if feature in needed)


def details_of(histories: Iterable[History], rules: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the finer features that a target must claim so that histories judge it by rules."""
    about, needed = set(rules), set[str]()
    for history in histories:
        attributes = {name for each in (*history.setup.queues, history.setup.qmgr) for name in each}
        for line in history.lines:
            attributes.update(name for name, _ in line.attributes)
            needed |= _details_of_get(line) if line.verb == "get" else frozenset()
        needed.update(name for name, detail in DETAILS.items() if attributes.intersection(detail.attributes))
    needed.update(name for name, detail in DETAILS.items() if about and about & detail.about)
    return tuple(name for name in DETAILS if name in needed)


@lru_cache(maxsize=16384)
def _details_of_get(line: Line) -> frozenset[str]:
    members, needed = dict(line.members), set(of_options(line.options))
    matches = members.get("MatchOptions")
    if isinstance(matches, int):
        needed.update(name for name, detail in DETAILS.items() if matches & detail.matches)
    if "BufferLength" in members and not line.options & MQGMO.ACCEPT_TRUNCATED_MSG:
        needed.add("refused-length")
    return frozenset(needed)


def _of_setup(history: History) -> Iterator[str]:
    for queue in history.setup.queues:
        yield from _of_attributes(queue)
        if queue.get("type") == "model":
            yield "dynamic-queues"
    yield from _of_attributes(history.setup.qmgr)


@lru_cache(maxsize=16384)
def _of_line(line: Line) -> frozenset[str]:
    """Return what a line needs. Cached: many histories have the same line."""
    return frozenset(_features_of_line(line))


def _features_of_line(line: Line) -> Iterator[str]:
    yield from OF_VERBS.get(line.verb, ())
    yield from (feature for mask, feature in OF_OPTIONS.get(line.verb, ()) if line.options & mask)
    yield from _of_members(line)
    yield from _of_attributes(dict(line.attributes))
    if line.expected is not None:
        yield from _named(OF_OUTPUTS, line.expected.outputs)


def _of_members(line: Line) -> Iterator[str]:
    yield from _named(OF_MEMBERS.get(line.verb, {}), line.members)
    members = dict(line.members)
    if line.verb in ("put", "put1"):
        yield from _of_bits(OF_FLAGS, members.get("MsgFlags"))
    elif line.verb == "get":
        yield from _of_bits(OF_MATCHES, members.get("MatchOptions"))


def _named(table: Mapping[str, str], members: Iterable[tuple[str, Value]]) -> Iterator[str]:
    for name, _ in members:
        feature = table.get(structure_of(name)) or table.get(name.rpartition(".")[2])
        if feature is not None:
            yield feature


def _of_bits(table: Iterable[tuple[int, str]], value: Value | None) -> Iterator[str]:
    if isinstance(value, int):
        yield from (feature for mask, feature in table if value & mask)


def _of_attributes(attributes: Mapping[str, Any]) -> Iterator[str]:
    if attributes.get("MsgDeliverySequence") == "FIFO":
        yield "fifo"
    yield from (OF_ATTRIBUTES[name] for name in attributes if name in OF_ATTRIBUTES)
