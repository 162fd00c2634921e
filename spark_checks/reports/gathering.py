"""The gathering of findings as they are written: they are numbered, excused if known, grouped by cause, and counted.

Memory does not grow with their number: a few examples of each cause are kept, and a limited number of causes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from oracle.judging.deviations import LogDeviation, Standing
from oracle.judging.verdicts import FindingKind
from spark_checks.reports.causes import alike, way
from spark_checks.reports.results import Cause, Finding, Group, KnownSeen, RuleSeen, finding_of
from spark_checks.results.rule_results import Covered, RuleResult

EXAMPLES_OF_A_CAUSE = 3
EXAMPLES = 300
FIRST_FINDINGS = 200
"""The number of findings, besides the examples, that are kept with the calls around them."""
CAUSES = 2_000
"""The number of causes that are listed; the findings of further ones are counted by rule."""
OTHER_WAYS = "in further ways, not listed"


class Gathering:
    """The findings of an audit, taken in order."""

    def __init__(self, known: Sequence[LogDeviation] = ()) -> None:
        self._known = known
        self._groups: dict[tuple[Cause, LogDeviation | None], Group] = {}
        self._excused = Counter[int]()
        self._by_rule = Counter[tuple[str, FindingKind, bool]]()
        self._taken = 0
        self._examples = 0
        self.kept: list[Finding] = []
        """The findings that keep the calls around them."""

    def take(self, members: Mapping[str, Any]) -> Finding:
        """Take the columns of the next finding, and return the finding with its number."""
        self._taken += 1
        finding = finding_of(members, self._taken)
        entry = self._entry_for(finding)
        if entry is not None:
            finding = finding_of(members, self._taken, known=True)
        self._by_rule[finding.rule, finding.verdict, finding.known] += 1
        self._keep(self._group_of(finding, entry), finding)
        return finding

    def groups(self) -> Iterable[Group]:
        """Return the findings by cause."""
        return self._groups.values()

    def rules(self, covered: Iterable[RuleResult]) -> tuple[RuleSeen, ...]:
        """Return the judgement on each rule, with the findings taken. `covered` is the coverage."""
        results = {result.rule: result for result in covered}
        for rule, _, _ in self._by_rule:
            results.setdefault(rule, RuleResult.of(rule, Covered()))
        return tuple(self._rule(result) for result in results.values())

    def known(
        self, rules: Iterable[RuleSeen], queues: Collection[tuple[str | None, str | None]]
    ) -> tuple[KnownSeen, ...]:
        """Return what the log shows of each known deviation.

        `queues` are the log's queues. An entry that excuses nothing is stale if its rule was checked and the log has
        its queue; otherwise it was not tried.
        """
        checked = {rule.id for rule in rules if rule.result.checked}
        return tuple(self._standing(number, checked, queues) for number in range(len(self._known)))

    def _entry_for(self, finding: Finding) -> LogDeviation | None:
        for number, entry in enumerate(self._known):
            about = entry.covers(finding.rule) and entry.is_about(finding.qmgr, finding.queue)
            if about and entry.is_seen_in(finding.explanation):
                self._excused[number] += 1
                return entry
        return None

    def _group_of(self, finding: Finding, entry: LogDeviation | None) -> Group:
        connections = [call.conn for call in finding.calls]
        cause = Cause(
            finding.rule,
            finding.verdict,
            finding.qmgr or "",
            alike(finding.queue or ""),
            alike(finding.conn or ""),
            way(finding.explanation, connections),
        )
        if (cause, entry) not in self._groups and len(self._groups) >= CAUSES:
            cause = Cause(finding.rule, finding.verdict, "*", "*", "*", OTHER_WAYS)
        group = self._groups.get((cause, entry))
        if group is None:
            shown = (cause.queue, cause.connection, cause.way)
            if cause.way != OTHER_WAYS:
                shown = (finding.queue or "", finding.conn or "", finding.explanation)
            group = self._groups[cause, entry] = Group(cause, entry, *shown, first_number=finding.number)
        if group.queue != finding.queue:
            group.queue = cause.queue
        if group.connection != finding.conn:
            group.connection = cause.connection
        if group.way != finding.explanation:
            group.way = cause.way
        return group

    def _keep(self, group: Group, finding: Finding) -> None:
        times = [(call.start_us, call.end_us) for call in finding.calls] or [(0, 0)]
        first, last = min(start for start, _ in times), max(end for _, end in times)
        group.first_us = min(first, group.first_us) if group.count else first
        group.last_us = max(last, group.last_us) if group.count else last
        group.count += 1
        example = len(group.examples) < EXAMPLES_OF_A_CAUSE and self._examples < EXAMPLES
        if example:
            group.examples.append(finding)
            self._examples += 1
        if example or finding.number <= FIRST_FINDINGS:
            self.kept.append(finding)

    def _rule(self, covered: RuleResult) -> RuleSeen:
        known = {kind: self._by_rule[covered.rule, kind, True] for kind in FindingKind}
        new = {kind: self._by_rule[covered.rule, kind, False] for kind in FindingKind}
        violation, suspicion = FindingKind.VIOLATION, FindingKind.SUSPICION
        counted = replace(
            covered, violations=new[violation] + known[violation], suspicions=new[suspicion] + known[suspicion]
        )
        return RuleSeen(counted, known[violation], known[suspicion])

    def _standing(
        self, number: int, checked: Collection[str], queues: Collection[tuple[str | None, str | None]]
    ) -> KnownSeen:
        entry = self._known[number]
        if self._excused[number]:
            return KnownSeen(entry, Standing.OCCURS, self._excused[number])
        tried = any(entry.covers(rule) for rule in checked) and any(entry.is_about(*queue) for queue in queues)
        return KnownSeen(entry, Standing.STALE if tried else Standing.NOT_TRIED, 0)
