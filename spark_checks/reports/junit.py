"""The JUnit report for continuous integration: one test case for each rule, and one for the unreadable records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from oracle.judging.verdicts import AuditVerdict
from oracle.reporting import junit
from oracle.rules import catalogue
from spark_checks.reports.gate import DEFAULT_GATE, Gate
from spark_checks.reports.results import Group, KnownSeen, Results, RuleSeen
from spark_checks.reports.texts import unread

_CAUSES = 20
"""The number of causes that a test case lists."""


def document(results: Results, gate: Gate = DEFAULT_GATE) -> str:
    """Return the report as text: a case fails if it makes the exit status 1."""
    by_rule: defaultdict[str, list[Group]] = defaultdict(list)
    for group in results.groups:
        by_rule[group.cause.rule].append(group)
    read = _read(results, gate.too_much_unreadable(results))
    cases = [_case(rule, by_rule[rule.id], gate) for rule in results.rules]
    properties = {"calls": str(results.records), "unreadable records": str(results.unreadable)}
    return junit.document("mq-audit", [read, *cases, *map(_stale, results.stale)], properties)


def _case(rule: RuleSeen, groups: Sequence[Group], gate: Gate) -> junit.Case:
    entry = catalogue.rule(rule.id)
    name, story = f"{rule.id} {entry.title}", "\n".join(_story(groups))
    if gate.fails(rule):
        return junit.Case(entry.area, name, "failure", _why(rule), story)
    if rule.result.verdict is AuditVerdict.NOT_CHECKABLE:
        return junit.Case(entry.area, name, "skipped", _not_checkable(rule))
    return junit.Case(entry.area, name, text=story)


def _read(results: Results, fails: bool) -> junit.Case:
    """Return the test case about unreadable records: findings mean little in a log that lacks much."""
    if not results.unreadable:
        return junit.Case("log", "records read")
    story = "\n".join(f"{fault.place}: {fault.reason}" for fault in results.faults)
    sentence = unread(results)
    return junit.Case("log", "records read", "failure" if fails else None, sentence, f"{sentence}\n{story}")


def _why(rule: RuleSeen) -> str:
    counts = ((rule.new_violations, "violation"), (rule.new_suspicions, "suspicion"))
    found = [f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts if count]
    return ", ".join(found) or _not_checkable(rule)


def _not_checkable(rule: RuleSeen) -> str:
    if not rule.result.not_checkable:
        return "not exercised: no call in the log uses this rule"
    return f"not checkable: {rule.result.not_checkable} calls lack {', '.join(rule.result.missing)}"


def _story(groups: Sequence[Group]) -> Iterator[str]:
    for group in groups[:_CAUSES]:
        excused = " (known)" if group.excused_by else ""
        example = group.examples[0].explanation if group.examples else group.way
        yield (
            f"{group.count} x {group.cause.verdict.value}{excused}, "
            f"queue {group.queue or 'not captured'} of {group.cause.qmgr}, "
            f"connection {group.connection}, finding {group.first_number}: {example}"
        )
    if len(groups) > _CAUSES:
        yield f"and {len(groups) - _CAUSES} more causes"


def _stale(entry: KnownSeen) -> junit.Case:
    why = f"no longer occurs, remove the entry: {entry.deviation}"
    return junit.Case("known", f"known deviation, {entry.deviation.about}", "failure", why)
