"""Violations gathered into defects: what breaks the same rules is taken for one, and reported once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from conformance.results import CheckSeen, CounterexampleSeen


@dataclass(frozen=True, slots=True)
class Defect:
    """A defect: its shortest counterexample, the check that it is from, and the others that came upon it."""

    found: CounterexampleSeen
    check: str
    also: tuple[str, ...]

    @property
    def rule(self) -> str:
        """The rule that it breaks first of all."""
        return self.found.rules[0]


def defects_of(checks: Iterable[CheckSeen]) -> tuple[Defect, ...]:
    """Gather the violations of which each breaks a rule that another one of them breaks."""
    groups: list[tuple[set[str], list[CheckSeen]]] = []
    for check in checks:
        if check.counterexample is None or not check.counterexample.rules:
            continue
        rules, members = set(check.counterexample.rules), [check]
        apart = []
        for other_rules, others in groups:
            if rules & other_rules:
                rules, members = rules | other_rules, others + members
            else:
                apart.append((other_rules, others))
        groups = [*apart, (rules, members)]
    return tuple(_defect(members) for _, members in groups)


def _defect(checks: list[CheckSeen]) -> Defect:
    found, shown = min(
        ((check.counterexample, check.id) for check in checks if check.counterexample is not None),
        key=lambda pair: len(pair[0].requests),
    )
    return Defect(found, shown, tuple(check.id for check in checks if check.id != shown))
