"""The selection of checks: by their ids, their areas, or the rules that they decide, with wildcards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache

from conformance.checks.check import Check
from conformance.checks.examples import example_checks
from conformance.checks.generated import generated_checks
from conformance.checks.machines import CHECKS
from conformance.checks.scenarios import scenarios
from oracle.errors import UsageError
from oracle.rules import catalogue
from oracle.text.similar_names import question, similar


@cache
def all_checks() -> tuple[Check, ...]:
    """Return every check of the suite: scenarios, checks from tables and examples, and the state machines.

    Raises BadInputError if a file of scenarios is not of the schema.
    """
    return (*(scenario.check() for scenario in scenarios()), *generated_checks(), *example_checks(), *CHECKS)


def select(checks: Sequence[Check], patterns: Sequence[str]) -> tuple[Check, ...]:
    """Return the checks that match any of the patterns; all of them if there is no pattern.

    Raises UsageError, with a hint, if a pattern matches none.
    """
    if not patterns:
        return tuple(checks)
    for pattern in patterns:
        if not any(_means(pattern, check) for check in checks):
            raise UsageError(f"--select {pattern!r} matches no check{_hint(checks, pattern)}")
    return tuple(check for check in checks if any(_means(pattern, check) for pattern in patterns))


def _means(pattern: str, check: Check) -> bool:
    return any(fnmatchcase(name.lower(), pattern.lower()) for name in _names(check))


def _names(check: Check) -> Iterator[str]:
    yield check.id
    yield check.area
    for rule in check.rules:
        yield rule
        yield rule[:3]


def _hint(checks: Sequence[Check], pattern: str) -> str:
    if pattern.upper() in (rule.id for rule in catalogue.rules()):
        return ": no check decides that rule"
    names = {name.lower(): name for check in checks for name in _names(check)}
    near = [names[name] for name in similar(pattern.lower(), names)]
    return f"; {question(near) or 'mq-conform list shows the checks and their rules'}"
