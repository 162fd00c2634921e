"""The verdict for each rule, from the results of checks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conformance.checks.check import CheckResult
from conformance.results.telling import tells_of
from oracle.judging.verdicts import Verdict
from oracle.rules import catalogue


@dataclass(frozen=True, slots=True)
class RuleResult:
    """The judgement on one rule."""

    rule: catalogue.Rule
    """The rule."""
    verdict: Verdict
    """The verdict."""
    checks: tuple[str, ...]
    """The checks that decide it."""
    missing: str = ""
    """What was missing to decide it, if it is undecided."""
    by_choice: bool = False
    """Whether it is undecided only because the target chose otherwise."""


_NOT_TOLD = "the checks that ran would pass even if the rule were broken"


def by_choice(choices: Iterable[str]) -> str:
    """Return the text that something is undecided because of choices of the target."""
    return f"the target made another choice that the documents allow: {', '.join(choices)}"


def judge(results: Sequence[CheckResult]) -> tuple[RuleResult, ...]:
    """Return the verdict on every rule that a check is about or names as broken, in the catalogue's order."""
    about: dict[str, list[CheckResult]] = {}
    for result in results:
        for rule in dict.fromkeys((*result.check.rules, *result.blamed)):
            about.setdefault(rule, []).append(result)
    return tuple(_judge(rule, about[rule.id]) for rule in catalogue.rules() if rule.id in about)


def _judge(rule: catalogue.Rule, results: Sequence[CheckResult]) -> RuleResult:
    verdict, missing = _verdict(rule.id, results)
    chosen = verdict is Verdict.UNDECIDED and _is_chosen(rule.id, results)
    return RuleResult(rule, verdict, tuple(result.check.id for result in results), missing, chosen)


def _is_chosen(rule: str, results: Sequence[CheckResult]) -> bool:
    """Return whether a rule is undecided by choices of the target: each check passed, or was skipped by a choice.

    A check that would not have come to the rule in any case is no reason.
    """
    applied = [result for result in results if result.verdict is not Verdict.NOT_APPLICABLE]
    through = all(result.by_choice or result.verdict is Verdict.CONFORMS for result in applied)
    return through and any(result.choices for result in applied if rule in result.check.rules)


def _verdict(rule: str, results: Sequence[CheckResult]) -> tuple[Verdict, str]:
    """Return the verdict on a rule: it conforms only by a check that fails if the rule is broken."""
    if any(rule in result.blamed for result in results):
        return Verdict.VIOLATES, ""
    telling = [result for result in results if tells_of(result.check.id, rule)]
    if any(result.went_through and rule in result.exercised for result in telling):
        return Verdict.CONFORMS, ""
    applied = [result for result in telling or results if result.verdict is not Verdict.NOT_APPLICABLE]
    if not applied:
        return Verdict.NOT_APPLICABLE, (telling or results)[0].missing
    reasons: dict[str, list[str]] = {}
    for result in applied:
        reason = _why_undecided(result) if telling else _NOT_TOLD
        reasons.setdefault(reason, []).append(result.check.id)
    return Verdict.UNDECIDED, "; ".join(f"{reason} ({', '.join(checks)})" for reason, checks in reasons.items())


def _why_undecided(result: CheckResult) -> str:
    if result.verdict is Verdict.VIOLATES:
        rest = f", and the steps after it cannot be judged: {result.lost}" if result.lost else ""
        return f"not tested: another rule failed first, {result.blamed[0]}{rest}"
    if result.verdict is Verdict.TARGET_ERROR:
        return "not tested: the target failed"
    chosen = f"; {by_choice(result.choices)}" if result.choices else ""
    return result.missing or f"not exercised: no call reached the rule{chosen}"
