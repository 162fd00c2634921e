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
    seq: int
    call: str
    start_us: int
    end_us: int
    source: str | None
    line: int | None


@dataclass(frozen=True)
class Finding:
    """A finding. `number` counts from 1 in the order of `findings.jsonl`; `known` says that a deviation excuses it."""

    number: int
    rule: str
    verdict: FindingKind
    qmgr: str | None
    queue: str | None
    msg_id: str | None
    conn: str | None
    calls: tuple[CallRef, ...]
    explanation: str
    known: bool = False

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
    """What the findings of one cause share; `connection`, `queue` and `way` have `*` where they differ."""

    rule: str
    verdict: FindingKind
    qmgr: str
    queue: str
    connection: str
    way: str


@dataclass
class Group:
    """The findings of one cause: how many, when, a few of them whole, and the entry that excuses them.

    `queue`, `connection` and `way` are those of the cause, or as they are if all findings share them.
    """

    cause: Cause
    excused_by: LogDeviation | None
    queue: str
    connection: str
    way: str
    count: int = 0
    first_us: int = 0
    last_us: int = 0
    first_number: int = 0
    examples: list[Finding] = field(default_factory=list)


@dataclass(frozen=True)
class RuleSeen:
    """The judgement on one rule, which counts known findings too, and how many of them are known."""

    result: RuleResult
    known_violations: int
    known_suspicions: int

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
    """A known deviation, what the log has shown of it, and how many findings it excuses."""

    deviation: LogDeviation
    standing: Standing
    findings: int


@dataclass(frozen=True)
class Slice:
    """What happened on a queue in one slice of the log's time; ages are in microseconds, expiry in tenths of a second.

    `change` is how many messages more were committed than removed for good.
    """

    number: int
    change: int
    youngest_us: int | None
    oldest_us: int | None
    least_left: int | None
    most_left: int | None


@dataclass(frozen=True)
class QueueCourse:
    """How a queue fared over time. `depth_known` is a moment and the depth at that moment, if the log tells."""

    qmgr: str
    queue: str
    calls: int
    slices: tuple[Slice, ...]
    depth_known: tuple[int, int] | None = None


@dataclass(frozen=True)
class Courses:
    """The queues whose course is shown; a slice `n` begins at `first_us + n * width_us`."""

    first_us: int
    width_us: int
    queues: tuple[QueueCourse, ...]
    all_queues: tuple[tuple[str | None, str | None], ...] = ()


@dataclass(frozen=True)
class Fault:
    """A record that could not be read."""

    source: str | None
    line: int | None
    reason: str

    @property
    def place(self) -> str:
        """Where it stands, as far as that is known."""
        return str(Place(self.source or "not captured", self.line))


@dataclass(frozen=True)
class Results:
    """An audit. `around` has, by a finding's number, the calls around it as members of the event log.

    `copies` is how many of the `records` show a call that another one shows too. `inputs` names what was audited.
    """

    records: int
    unreadable: int
    seconds: float
    first_us: int
    last_us: int
    connections: int
    complete: bool
    rules: tuple[RuleSeen, ...]
    groups: tuple[Group, ...]
    known: tuple[KnownSeen, ...]
    faults: tuple[Fault, ...]
    advice: tuple[str, ...]
    courses: Courses
    around: Mapping[int, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)
    replayed: Replayed = Replayed()
    copies: int = 0
    inputs: str = ""

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
