"""The results of an audit as plain data, from which every report and `summary.json` are made.

Times are microseconds since 1970-01-01 UTC.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from oracle.errors import Place
from oracle.judging.deviations import LogDeviation, Standing
from oracle.judging.verdicts import AuditVerdict, FindingKind
from spark_checks.replay.replayed import Replayed
from spark_checks.results.rule_results import RuleResult

SLICES = 400
"""The number of slices of a log's time, in which the course of its queues is shown."""


@dataclass(frozen=True)
class CallRef:
    """A call that a finding names, with its place in the input."""

    conn: str
    """The connection that made it."""
    seq: int
    """Its number in the order of the connection's calls."""
    call: str
    """The name of the call."""
    start_us: int
    """The time at which it began."""
    end_us: int
    """The time at which it ended."""
    source: str | None
    """The file that has its record. None if the log does not name it."""
    line: int | None
    """The line or packet of that file. None if the log does not give it."""


@dataclass(frozen=True)
class Finding:
    """A finding."""

    number: int
    """Its number, from 1, in the order of `findings.jsonl`."""
    rule: str
    """The rule that is broken."""
    verdict: FindingKind
    """Whether it is a violation or a suspicion."""
    qmgr: str | None
    """The queue manager. None if the log does not name it."""
    queue: str | None
    """The queue. None if the log does not name it."""
    msg_id: str | None
    """The MsgId of the message that it is about. None if it is about none, or the log lacks it."""
    conn: str | None
    """The connection that made the wrong call. None if the log does not name it."""
    calls: tuple[CallRef, ...]
    """The calls that prove it."""
    explanation: str
    """What is wrong, in sentences."""
    known: bool = False
    """Whether a known deviation excuses it."""

    def document(self) -> dict[str, Any]:
        """Return the members of a line of `findings.jsonl`."""
        return {"finding": self.number, **{name: value for name, value in asdict(self).items() if name != "number"}}


def finding_of(members: Mapping[str, Any], number: int, *, known: bool = False) -> Finding:
    """Return a finding from the columns that the audit gives it, or from a line of `findings.jsonl`."""
    return Finding(
        number=number,
        rule=members["rule"],
        verdict=FindingKind(members["verdict"]),
        qmgr=members["qmgr"],
        queue=members["queue"],
        msg_id=members["msg_id"],
        conn=members["conn"],
        calls=tuple(
            CallRef(**{name: call[name] for name in CallRef.__dataclass_fields__}) for call in members["calls"]
        ),
        explanation=members["explanation"],
        known=known,
    )


@dataclass(frozen=True)
class Cause:
    """The common part of findings with one cause. `*` stands for what differs in names and sentences."""

    rule: str
    """The rule that is broken."""
    verdict: FindingKind
    """Whether they are violations or suspicions."""
    qmgr: str
    """The queue manager. Empty if none is known."""
    queue: str
    """The queue. Empty if none is known."""
    connection: str
    """The connection. Empty if none is known."""
    way: str
    """The way in which the rule is broken: the explanation."""


@dataclass
class Group:
    """The findings of one cause."""

    cause: Cause
    """The cause."""
    excused_by: LogDeviation | None
    """The known deviation that excuses them. None if they are new."""
    queue: str
    """The queue as it is if all findings share it, or else that of the cause."""
    connection: str
    """The connection as it is if all findings share it, or else that of the cause."""
    way: str
    """The explanation as it is if all findings share it, or else that of the cause."""
    count: int = 0
    """The number of findings."""
    first_us: int = 0
    """The time at which the earliest call of any of them began."""
    last_us: int = 0
    """The time at which the latest call of any of them ended."""
    first_number: int = 0
    """The number of the first of them."""
    examples: list[Finding] = field(default_factory=list)
    """A few of them whole."""


@dataclass(frozen=True)
class RuleSeen:
    """The judgement on one rule, and the number of its known findings."""

    result: RuleResult
    """The judgement, in which known findings count too."""
    known_violations: int
    """The number of known violations."""
    known_suspicions: int
    """The number of known suspicions."""

    @property
    def id(self) -> str:
        """The rule."""
        return self.result.rule

    @property
    def known(self) -> int:
        """The number of known findings."""
        return self.known_violations + self.known_suspicions

    @property
    def exercised(self) -> bool:
        """Whether any call of the log is subject to the rule."""
        return bool(self.result.checked or self.result.not_checkable or self.result.violations + self.result.suspicions)

    @property
    def new_violations(self) -> int:
        """The number of violations that are not known."""
        return self.result.violations - self.known_violations

    @property
    def new_suspicions(self) -> int:
        """The number of suspicions that are not known."""
        return self.result.suspicions - self.known_suspicions


@dataclass(frozen=True)
class KnownSeen:
    """A known deviation, and what the log shows of it."""

    deviation: LogDeviation
    """The entry of the file of known deviations."""
    standing: Standing
    """Whether it still occurs, as far as the log shows it."""
    findings: int
    """The number of findings that it excuses."""


@dataclass(frozen=True)
class Slice:
    """The events on a queue in one slice of the log's time. Values are None if they are not known."""

    number: int
    """The number of the slice, from 0."""
    change: int
    """The number of messages that were committed, less those that were removed for good."""
    youngest_us: int | None
    """The least age of a message when it was got or browsed, in microseconds."""
    oldest_us: int | None
    """The greatest age of a message when it was got or browsed, in microseconds."""
    least_left: int | None
    """The least Expiry of a message when it was got or browsed, in tenths of a second."""
    most_left: int | None
    """The greatest Expiry of a message when it was got or browsed, in tenths of a second."""


@dataclass(frozen=True)
class QueueCourse:
    """The course of a queue over time."""

    qmgr: str
    """The queue manager."""
    queue: str
    """The name of the queue."""
    calls: int
    """The number of puts and gets on it in the log."""
    slices: tuple[Slice, ...]
    """The slices in which something happened, in their order."""
    depth_known: tuple[int, int] | None = None
    """A time and the depth at that time. None if the log gives none."""


@dataclass(frozen=True)
class Courses:
    """The queues whose course is shown. A slice `n` begins at `first_us + n * width_us`."""

    first_us: int
    """The time at which the first slice begins."""
    width_us: int
    """The length of a slice in microseconds."""
    queues: tuple[QueueCourse, ...]
    """The queues: those with the most findings first, and then those with the most calls."""
    all_queues: tuple[tuple[str | None, str | None], ...] = ()
    """The queue manager and name of every queue that a put or get is on. None for what the log does not name."""


@dataclass(frozen=True)
class Fault:
    """A record that could not be read."""

    source: str | None
    """The file that has it. None if that is not known."""
    line: int | None
    """The line or packet. None if it is not known, or the whole file is meant."""
    reason: str
    """The reason why it could not be read."""

    @property
    def place(self) -> str:
        """Its place, as far as it is known."""
        return str(Place(self.source or "not captured", self.line))


@dataclass(frozen=True)
class Results:
    """The results of an audit."""

    records: int
    """The number of call records that were read."""
    unreadable: int
    """The number of records that could not be read."""
    seconds: float
    """The time that preparing and checking took, in seconds."""
    first_us: int
    """The time at which the first call began."""
    last_us: int
    """The time at which the last call ended."""
    connections: int
    """The number of connections that made the calls."""
    complete: bool
    """Whether the log has every call of its time."""
    rules: tuple[RuleSeen, ...]
    """The judgement on each rule."""
    groups: tuple[Group, ...]
    """The findings by their causes, the worst first."""
    known: tuple[KnownSeen, ...]
    """The known deviations."""
    faults: tuple[Fault, ...]
    """The first few records that could not be read."""
    advice: tuple[str, ...]
    """Advice on what to capture so that more can be checked: sentences."""
    courses: Courses
    """The courses of a few queues over time."""
    around: Mapping[int, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)
    """By number of a finding, its calls and those around them, as members of the event log."""
    replayed: Replayed = Replayed()
    """The extent of the oracle's replay."""
    copies: int = 0
    """The number of records that show a call which another record shows too."""
    inputs: str = ""
    """The names of the audited inputs."""

    def count(self, kind: FindingKind) -> int:
        """Return the number of new findings of a kind."""
        of_kind = (rule.new_violations if kind is FindingKind.VIOLATION else rule.new_suspicions for rule in self.rules)
        return sum(of_kind)

    @property
    def excused(self) -> int:
        """The number of known findings."""
        return sum(rule.known for rule in self.rules)

    @property
    def stale(self) -> tuple[KnownSeen, ...]:
        """The known deviations that no longer occur."""
        return tuple(entry for entry in self.known if entry.standing is Standing.STALE)

    @property
    def not_checkable(self) -> tuple[RuleSeen, ...]:
        """The rules that calls are subject to, and that could be checked with no call."""
        return tuple(rule for rule in self.with_verdict(AuditVerdict.NOT_CHECKABLE) if rule.exercised)

    @property
    def not_exercised(self) -> tuple[RuleSeen, ...]:
        """The rules that no call is subject to."""
        return tuple(rule for rule in self.rules if not rule.exercised)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was tested: no rule was checked on any call, no call was followed, nothing was found."""
        tested = any(rule.result.checked or rule.known or rule.result.violations for rule in self.rules)
        return not (tested or self.replayed.followed or self.groups)

    def with_verdict(self, *verdicts: AuditVerdict) -> tuple[RuleSeen, ...]:
        """Return the rules with one of the verdicts."""
        return tuple(rule for rule in self.rules if rule.result.verdict in verdicts)


def summary(results: Results) -> dict[str, Any]:
    """Return the contents of `summary.json`."""
    return {
        "records": results.records,
        "unreadable": results.unreadable,
        "copies": results.copies,
        "seconds": round(results.seconds, 3),
        "first_us": results.first_us,
        "last_us": results.last_us,
        "connections": results.connections,
        "complete": results.complete,
        "violations": results.count(FindingKind.VIOLATION),
        "suspicions": results.count(FindingKind.SUSPICION),
        "known": results.excused,
        "rules": [_rule_summary(rule) for rule in results.rules],
        "causes": [_cause_summary(group) for group in results.groups],
        "deviations": [_known_summary(entry) for entry in results.known],
        "advice": list(results.advice),
        "replay": results.replayed.document(),
    }


def _rule_summary(rule: RuleSeen) -> dict[str, Any]:
    result = rule.result
    return {
        "id": result.rule,
        "verdict": result.verdict.value,
        "findings": result.violations + result.suspicions,
        "known": rule.known,
        "records_checked": result.checked,
        "records_not_checkable": result.not_checkable,
        "missing": list(result.missing),
    }


def _cause_summary(group: Group) -> dict[str, Any]:
    examples = [finding.number for finding in group.examples]
    return {
        **asdict(group.cause),
        "findings": group.count,
        "known": group.excused_by is not None,
        "first_us": group.first_us,
        "last_us": group.last_us,
        "examples": examples or [group.first_number],
    }


def _known_summary(entry: KnownSeen) -> dict[str, Any]:
    members = entry.deviation.model_dump(mode="json")
    return {**members, "standing": entry.standing.value, "findings": entry.findings}


def worst_first(groups: Iterable[Group]) -> tuple[Group, ...]:
    """Return groups in the order of the report: new before known, violations before suspicions, frequent ones first."""

    def place(group: Group) -> tuple[bool, bool, int, int]:
        suspicion = group.cause.verdict is FindingKind.SUSPICION
        return group.excused_by is not None, suspicion, -group.count, group.first_number

    return tuple(sorted(groups, key=place))
