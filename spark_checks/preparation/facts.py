"""What the headers of a log say, brought into the form in which the checks ask for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from oracle.errors import BadInputError
from oracle.histories.event_log import DepthHeader, Header, LogHeader, QueueHeader
from oracle.mqi.profile import PlatformName
from spark_checks.times import NEVER

ALTERED: Final = "the queue was altered while the log ran"
"""Why what a log says of a queue's definition need not hold for each of its calls."""


@dataclass(frozen=True)
class QueueFacts:
    """What is known of a queue; None is unknown.

    `depths` are the times at which its depth is known, each with the depth, in their order.
    """

    qmgr: str
    queue: str
    sequence: str | None = None
    cap_expiry: int | None = None
    index_type: str | None = None
    usage: str | None = None
    definition_type: str | None = None
    max_msg_length: int | None = None
    inhibit_get: int | None = None
    inhibit_put: int | None = None
    max_depth: int | None = None
    def_priority: int | None = None
    def_persistence: int | None = None
    shareability: int | None = None
    trigger_control: int | None = None
    trigger_type: int | None = None
    trigger_depth: int | None = None
    trigger_priority: int | None = None
    initiation_queue: str | None = None
    process: str | None = None
    depths: tuple[tuple[int, int], ...] = ()

    @property
    def empty_at_us(self) -> int | None:
        """The earliest time at which the queue is known to have been empty."""
        return next((at_us for at_us, depth in self.depths if depth == 0), None)


@dataclass(frozen=True)
class Stretch:
    """The part of a log that goes on which is to be told now, in microseconds.

    All calls that end at `kept_us` or later are there; what ended by `told_us` was told before; what ends after
    `until_us` is not told yet.
    """

    kept_us: int = -NEVER
    told_us: int = -NEVER
    until_us: int = NEVER

    @property
    def goes_on(self) -> bool:
        """Whether a later day may follow."""
        return self.until_us < NEVER

    @property
    def forgets(self) -> bool:
        """Whether there are earlier calls, of which only some are there."""
        return self.kept_us > -NEVER


@dataclass(frozen=True)
class LogFacts:
    """What holds for the whole log; see docs/event-log.md. `stretch` is what of it is to be told.

    `mark_intervals` has by queue manager its MarkBrowseInterval in milliseconds, -1 for unlimited, where that is known.
    """

    clock_us: int = 0
    complete: bool = False
    platform: PlatformName = "distributed"
    queues: tuple[QueueFacts, ...] = ()
    mark_intervals: Mapping[str, int] = field(default_factory=dict)
    stretch: Stretch = Stretch()


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
    "shareability": "Shareability",
    "trigger_control": "TriggerControl",
    "trigger_type": "TriggerType",
    "trigger_depth": "TriggerDepth",
    "trigger_priority": "TriggerMsgPriority",
    "initiation_queue": "InitiationQName",
    "process": "ProcessName",
}


_NO_LIMIT: Final = -1
"""MQCEX_NOLIMIT: the CAPEXPRY by which IBM MQ says what the event log says with 0."""


def attributes_of(header: QueueHeader) -> dict[str, Any]:
    """Return the attributes that a header gives, in the event log's values."""
    attributes = header.attributes
    return attributes | ({"CAPEXPRY": 0} if attributes.get("CAPEXPRY") == _NO_LIMIT else {})


def _agreed(definitions: list[dict[str, Any]], attribute: str) -> Any:
    """Return an attribute on whose value all definitions that have it agree; else it is unknown."""
    values = {definition[attribute] for definition in definitions if attribute in definition}
    return values.pop() if len(values) == 1 else None


def _queue_facts(headers: Iterable[Header]) -> tuple[QueueFacts, ...]:
    definitions: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    depths: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for header in headers:
        if isinstance(header, QueueHeader):
            if not header.of_queue_manager:
                definitions[header.qmgr, header.queue].append(attributes_of(header))
        elif isinstance(header, DepthHeader):
            depths[header.qmgr, header.queue].append((header.at_us, header.depth))
    return tuple(
        QueueFacts(
            qmgr=qmgr,
            queue=queue,
            depths=tuple(sorted(depths[qmgr, queue])),
            **{name: _agreed(definitions.get((qmgr, queue), []), attribute) for name, attribute in _ATTRIBUTES.items()},
        )
        for qmgr, queue in sorted(definitions.keys() | depths.keys())
    )


def _mark_intervals(headers: Iterable[Header]) -> dict[str, int]:
    """Return by queue manager its MarkBrowseInterval; where headers contradict each other, none."""
    said: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for header in headers:
        if isinstance(header, QueueHeader) and header.of_queue_manager:
            said[header.qmgr].append(header.attributes)
    agreed = {qmgr: _agreed(attributes, "MarkBrowseInterval") for qmgr, attributes in said.items()}
    return {qmgr: int(interval) for qmgr, interval in agreed.items() if interval is not None}


def log_facts(headers: Iterable[Header], unreadable: int = 0) -> LogFacts:
    """Put the headers of a log together.

    Of several log headers the weakest promise holds. A log with records that could not be read is not
    complete, whatever its header says. Raises BadInputError if the headers name different platforms.
    """
    known = tuple(headers)
    of_log = [header for header in known if isinstance(header, LogHeader)] or [LogHeader()]
    platforms = {header.platform for header in of_log}
    if len(platforms) > 1:
        raise BadInputError(f"the log's headers name different platforms: {', '.join(sorted(platforms))}")
    return LogFacts(
        clock_us=max(header.clock_us for header in of_log),
        complete=all(header.complete for header in of_log) and not unreadable,
        platform=of_log[0].platform,
        queues=_queue_facts(known),
        mark_intervals=_mark_intervals(known),
    )
