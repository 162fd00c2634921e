"""The facts of a log's headers, in the form that the checks need."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from oracle.errors import BadInputError
from oracle.histories.event_log import DepthHeader, Header, LogHeader, QueueHeader
from oracle.mqi.profile import PlatformName
from spark_checks.times import NEVER

ALTERED: Final = "the queue was altered while the log ran"
"""The reason why a definition in a log need not hold for each call on the queue."""

PERMANENT, TEMPORARY = "PERMANENT_DYNAMIC", "TEMPORARY_DYNAMIC"
"""DefinitionType: the kinds of dynamic queues."""

SYNCHRONOUS, ASYNCHRONOUS = "SYNC", "ASYNC"
"""DefPutResponse: whether a put that does not say so awaits its outcome."""


@dataclass(frozen=True)
class QueueFacts:
    """The known facts of a queue. None means unknown, or that definitions disagree."""

    qmgr: str
    """The queue manager."""
    queue: str
    """The name of the queue."""
    sequence: str | None = None
    """MsgDeliverySequence: PRIORITY or FIFO."""
    cap_expiry: int | None = None
    """CAPEXPRY in tenths of a second; 0 for no cap."""
    index_type: str | None = None
    """IndexType: NONE, MSG_ID, CORREL_ID, GROUP_ID or MSG_TOKEN. It has an effect on z/OS only."""
    usage: str | None = None
    """Usage: NORMAL or TRANSMISSION."""
    definition_type: str | None = None
    """DefinitionType: PREDEFINED, PERMANENT_DYNAMIC or TEMPORARY_DYNAMIC."""
    max_msg_length: int | None = None
    """MaxMsgLength in bytes."""
    inhibit_get: int | None = None
    """InhibitGet: 1 if gets are inhibited, 0 if not."""
    inhibit_put: int | None = None
    """InhibitPut: 1 if puts are inhibited, 0 if not."""
    max_depth: int | None = None
    """MaxQDepth: the number of messages that it can hold."""
    def_priority: int | None = None
    """DefPriority, from 0 to 9: the priority of a message put with the queue's default."""
    def_persistence: int | None = None
    """DefPersistence: the persistence of a message put with the queue's default, 1 for persistent, 0 for not."""
    def_put_response: str | None = None
    """DefPutResponse: SYNC, or ASYNC if a put without an option for it does not await its outcome."""
    shareability: int | None = None
    """Shareability: 1 if several handles can have it open for input at once, 0 if only one can."""
    trigger_control: int | None = None
    """TriggerControl: 1 if triggering is on, 0 if not."""
    trigger_type: int | None = None
    """TriggerType as MQTT has it: 0 for none, 1 for FIRST, 2 for EVERY, 3 for DEPTH."""
    trigger_depth: int | None = None
    """TriggerDepth: the number of messages that make a trigger message due, with type DEPTH."""
    trigger_priority: int | None = None
    """TriggerMsgPriority: the lowest priority of a message that counts for triggering."""
    initiation_queue: str | None = None
    """InitiationQName: the queue to which its trigger messages are put; blank if none."""
    process: str | None = None
    """ProcessName: the process that a trigger message names; blank if none."""
    depths: tuple[tuple[int, int], ...] = ()
    """The times at which its depth is known, each with the depth, in order.

    Times are microseconds since 1970-01-01 UTC.
    """

    @property
    def empty_at_us(self) -> int | None:
        """The earliest time at which the queue is known to have been empty."""
        return next((at_us for at_us, depth in self.depths if depth == 0), None)


@dataclass(frozen=True)
class Stretch:
    """The part of a continued log whose findings are to be reported now.

    Times are microseconds since 1970-01-01 UTC.
    """

    kept_us: int = -NEVER
    """The time from which on all calls are there, by their ends. Earlier ones are there if they may still matter."""
    told_us: int = -NEVER
    """The time up to which findings were reported before."""
    until_us: int = NEVER
    """The time up to which findings are reported now."""

    @property
    def goes_on(self) -> bool:
        """Whether a later day may follow."""
        return self.until_us < NEVER

    @property
    def forgets(self) -> bool:
        """Whether there were earlier calls and only some of them are kept."""
        return self.kept_us > -NEVER


@dataclass(frozen=True)
class LogFacts:
    """The facts of the whole log from its headers; see docs/event-log.md."""

    clock_us: int = 0
    """The greatest difference between a time in the log and the true time, in microseconds."""
    complete: bool = False
    """Whether the log has every call of its time."""
    platform: PlatformName = "distributed"
    """The platform of the queue managers."""
    queues: tuple[QueueFacts, ...] = ()
    """The known facts of each queue, by name."""
    models: Mapping[tuple[str, str], QueueFacts] = field(default_factory=dict)
    """The facts of each model queue, by queue manager and name.

    What is opened by such a name is a dynamic queue, which has its attributes.
    """
    alias_caps: Mapping[tuple[str, str, str], int] = field(default_factory=dict)
    """CAPEXPRY by queue manager, alias and its target, in tenths of a second; 0 for no cap.

    Unknown ones are left out.
    """
    mark_intervals: Mapping[str, int] = field(default_factory=dict)
    """MarkBrowseInterval by queue manager, in milliseconds, -1 for unlimited.

    Queue managers with an unknown interval are left out.
    """
    stretch: Stretch = Stretch()
    """The part of the log to be reported."""

    def model_of(self, qmgr: str, opened_as: Iterable[str]) -> QueueFacts | None:
        """Return the model queue of a queue that was opened by other names than its own.

        None if it is not known, or if several models have made a queue of that name.
        """
        models = [self.models[qmgr, name] for name in opened_as if (qmgr, name) in self.models]
        return models[0] if len(models) == 1 else None

    @property
    def asynchronous(self) -> tuple[tuple[str, str], ...]:
        """The queues whose DEFPRESP is ASYNC, each by queue manager and name."""
        return tuple((one.qmgr, one.queue) for one in self.queues if one.def_put_response == ASYNCHRONOUS)


_ATTRIBUTES: Final = {
    "sequence": "MsgDeliverySequence",
    "cap_expiry": "CAPEXPRY",
    "index_type": "IndexType",
    "usage": "Usage",
    "definition_type": "DefinitionType",
    "max_msg_length": "MaxMsgLength",
    "inhibit_get": "InhibitGet",
    "inhibit_put": "InhibitPut",
    "max_depth": "MaxQDepth",
    "def_priority": "DefPriority",
    "def_persistence": "DefPersistence",
    "def_put_response": "DefPutResponse",
    "shareability": "Shareability",
    "trigger_control": "TriggerControl",
    "trigger_type": "TriggerType",
    "trigger_depth": "TriggerDepth",
    "trigger_priority": "TriggerMsgPriority",
    "initiation_queue": "InitiationQName",
    "process": "ProcessName",
}


_NO_LIMIT: Final = -1
"""MQCEX_NOLIMIT: IBM MQ's value of CAPEXPRY for no limit, for which the event log has 0."""


def attributes_of(header: QueueHeader) -> dict[str, Any]:
    """Return the attributes that a header gives, with the event log's values."""
    attributes = header.attributes
    return attributes | ({"CAPEXPRY": 0} if attributes.get("CAPEXPRY") == _NO_LIMIT else {})


def _agreed(definitions: list[dict[str, Any]], attribute: str) -> Any:
    """Return an attribute if all definitions that have it agree on its value; unknown otherwise."""
    values = {definition[attribute] for definition in definitions if attribute in definition}
    return values.pop() if len(values) == 1 else None


def _definitions(headers: Iterable[Header], kind: str) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Return the attributes that the headers of each queue of a kind give: `local`, `model` or `alias`."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for header in headers:
        if isinstance(header, QueueHeader) and not header.of_queue_manager and header.kind == kind:
            found[header.qmgr, header.queue].append(attributes_of(header))
    return dict(found)


def _queue_facts(headers: Iterable[Header]) -> tuple[QueueFacts, ...]:
    known = tuple(headers)
    definitions = _definitions(known, "local")
    depths: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for header in known:
        if isinstance(header, DepthHeader):
            depths[header.qmgr, header.queue].append((header.at_us, header.depth))
    return tuple(
        _facts_of(name, definitions.get(name, []), tuple(sorted(depths[name])))
        for name in sorted(definitions.keys() | depths.keys())
    )


def _models(headers: Iterable[Header]) -> dict[tuple[str, str], QueueFacts]:
    return {name: _making(_facts_of(name, of_model)) for name, of_model in _definitions(headers, "model").items()}


def _alias_caps(headers: Iterable[Header]) -> dict[tuple[str, str, str], int]:
    found = {}
    for (qmgr, alias), definitions in _definitions(headers, "alias").items():
        target, cap = (_agreed(definitions, attribute) for attribute in ("target", "CAPEXPRY"))
        if target is not None and cap is not None:
            found[qmgr, alias, str(target)] = int(cap)
    return found


def _making(model: QueueFacts) -> QueueFacts:
    """Return a model with the kind of queue that it makes: PREDEFINED is the target protocol's word for the default."""
    return replace(model, definition_type=TEMPORARY) if model.definition_type == "PREDEFINED" else model


def _facts_of(
    name: tuple[str, str], definitions: list[dict[str, Any]], depths: tuple[tuple[int, int], ...] = ()
) -> QueueFacts:
    attributes = {field: _agreed(definitions, attribute) for field, attribute in _ATTRIBUTES.items()}
    return QueueFacts(*name, depths=depths, **attributes)


def _mark_intervals(headers: Iterable[Header]) -> dict[str, int]:
    """Return the MarkBrowseInterval by queue manager, without those whose headers contradict each other."""
    said: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for header in headers:
        if isinstance(header, QueueHeader) and header.of_queue_manager:
            said[header.qmgr].append(header.attributes)
    agreed = {qmgr: _agreed(attributes, "MarkBrowseInterval") for qmgr, attributes in said.items()}
    return {qmgr: int(interval) for qmgr, interval in agreed.items() if interval is not None}


def log_facts(headers: Iterable[Header], unreadable: int = 0) -> LogFacts:
    """Combine the headers of a log.

    The weakest promise of several log headers holds. A log with records that could not be read is not complete,
    whatever its header says. A header that names no platform, such as that of a capture, says nothing of it. Raises
    BadInputError if the headers name different platforms.
    """
    known = tuple(headers)
    of_log = [header for header in known if isinstance(header, LogHeader)] or [LogHeader()]
    platforms = {header.platform for header in of_log if header.platform is not None}
    if len(platforms) > 1:
        raise BadInputError(
            f"the log's headers name different platforms: {', '.join(sorted(platforms))}; audit each by itself"
        )
    return LogFacts(
        clock_us=max(header.clock_us for header in of_log),
        complete=all(header.complete for header in of_log) and not unreadable,
        platform=next(iter(platforms), LogHeader().known_platform),
        queues=_queue_facts(known),
        models=_models(known),
        alias_caps=_alias_caps(known),
        mark_intervals=_mark_intervals(known),
    )
