"""The results of an audit as plain data: what every report is made of, and what `summary.json` holds.

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
"""Into so many slices the time of a log is cut, to show how its queues fared."""


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
    """When it began."""
    end_us: int
    """When it ended."""
    source: str | None
    """The file that has its record. None if the log does not say."""
    line: int | None
    """The line or packet of that file. None if the log does not say."""


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
    """The queue manager. None if the log does not say."""
    queue: str | None
    """The queue. None if the log does not say."""
    msg_id: str | None
    """The MsgId of the message that it is about. None if it is about none, or the log does not say."""
    conn: str | None
    """The connection that made the wrong call. None if the log does not say."""
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
    """Return a finding of the columns that the audit gives it, or of a line of `findings.jsonl`."""
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
    """What the findings of one cause share. Parts in which they differ are `*` in their names and sentences."""

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
    """In which way the rule is broken: the explanation."""


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
    """How many findings there are."""
    first_us: int = 0
    """When the earliest call of any of them began."""
    last_us: int = 0
    """When the latest call of any of them ended."""
    first_number: int = 0
    """The number of the first of them."""
    examples: list[Finding] = field(default_factory=list)
    """A few of them whole."""


@dataclass(frozen=True)
class RuleSeen:
    """The judgement on one rule, and how many of its findings are known."""

    result: RuleResult
    """The judgement. It counts known findings too."""
    known_violations: int
    """How many of the violations are known."""
    known_suspicions: int
    """How many of the suspicions are known."""

    @property
    def id(self) -> str:
        """The rule."""
        return self.result.rule

    @property
    def known(self) -> int:
        """How many findings are known."""
        return self.known_violations + self.known_suspicions

    @property
    def exercised(self) -> bool:
        """Whether any call of the log is about the rule."""
        return bool(self.result.checked or self.result.not_checkable or self.result.violations + self.result.suspicions)

    @property
    def new_violations(self) -> int:
        """How many violations are not known."""
        return self.result.violations - self.known_violations

    @property
    def new_suspicions(self) -> int:
        """How many suspicions are not known."""
        return self.result.suspicions - self.known_suspicions


@dataclass(frozen=True)
class KnownSeen:
    """A known deviation and what the log has shown of it."""

    deviation: LogDeviation
    """The entry of the file of known deviations."""
    standing: Standing
    """Whether it still occurs, as far as the log lets that be seen."""
    findings: int
    """How many findings it excuses."""


@dataclass(frozen=True)
class Slice:
    """What happened on a queue in one slice of the log's time. Values are None if nothing tells them."""

    number: int
    """Which slice it is, from 0."""
    change: int
    """How many messages more were committed than removed for good."""
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
    """How a queue fared over time."""

    qmgr: str
    """The queue manager."""
    queue: str
    """The name of the queue."""
    calls: int
    """How many puts and gets the log has on it."""
    slices: tuple[Slice, ...]
    """The slices in which something happened, in their order."""
    depth_known: tuple[int, int] | None = None
    """A moment and the depth at that moment. None if the log tells none."""


@dataclass(frozen=True)
class Courses:
    """The queues whose course is shown. A slice `n` begins at `first_us + n * width_us`."""

    first_us: int
    """When the first slice begins."""
    width_us: int
    """How long a slice is, in microseconds."""
    queues: tuple[QueueCourse, ...]
    """The queues: those with the most findings first, and then those with the most calls."""
    all_queues: tuple[tuple[str | None, str | None], ...] = ()
    """The queue manager and name of every queue that a put or get is on. None where the log does not say."""


@dataclass(frozen=True)
class Fault:
    """A record that could not be read."""

    source: str | None
    """The file that has it. None if that is not known."""
    line: int | None
    """The line or packet. None if that is not known, or the whole file is meant."""
    reason: str
    """Why it could not be read."""

    @property
    def place(self) -> str:
        """Where it stands, as far as that is known."""
        return str(Place(self.source or "not captured", self.line))


@dataclass(frozen=True)
class Results:
    """An audit."""

    records: int
    """How many records of calls were read."""
    unreadable: int
    """How many records could not be read."""
    seconds: float
    """How long preparing and checking took, in seconds."""
    first_us: int
    """When the first call began."""
    last_us: int
    """When the last call ended."""
    connections: int
    """How many connections made the calls."""
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
    """What to capture, so that more can be checked: sentences."""
    courses: Courses
    """How a few queues fared over time."""
    around: Mapping[int, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)
    """By number of a finding: its calls and those around them, as members of the event log."""
    replayed: Replayed = Replayed()
    """How much of the log the oracle followed."""
    copies: int = 0
    """How many of the records show a call that another record shows too."""
    inputs: str = ""
    """The names of what was audited."""

    def count(self, kind: FindingKind) -> int:
        """Return how many findings of a kind there are that are not known."""
        of_kind = (rule.new_violations if kind is FindingKind.VIOLATION else rule.new_suspicions for rule in self.rules)
        return sum(of_kind)

    @property
    def excused(self) -> int:
        """How many findings are known."""
        return sum(rule.known for rule in self.rules)

    @property
    def stale(self) -> tuple[KnownSeen, ...]:
        """The known deviations that no longer occur."""
        return tuple(entry for entry in self.known if entry.standing is Standing.STALE)

    @property
    def not_checkable(self) -> tuple[RuleSeen, ...]:
        """The rules that calls are about, but that no call lets one check."""
        return tuple(rule for rule in self.with_verdict(AuditVerdict.NOT_CHECKABLE) if rule.exercised)

    @property
    def not_exercised(self) -> tuple[RuleSeen, ...]:
        """The rules that no call is about."""
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
    """Return what `summary.json` holds."""
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
    """Return groups as they are shown: new before known, violations before suspicions, the most frequent first."""

    def place(group: Group) -> tuple[bool, bool, int, int]:
        suspicion = group.cause.verdict is FindingKind.SUSPICION
        return group.excused_by is not None, suspicion, -group.count, group.first_number

    return tuple(sorted(groups, key=place))
