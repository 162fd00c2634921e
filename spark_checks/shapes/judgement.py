"""The judgement on a shape: the rules that were checked, those that could not be checked, and those that it breaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Violation:
    """A rule that every call of a shape breaks."""

    rule: str
    """The rule."""
    sentence: str
    """The explanation without its full stop. `{call}`, `{conn}` and `{msg_id}` stand for those of a call."""
    proof: tuple[str, ...] = ()
    """The earlier calls that prove it, by their names in spark_checks.preparation.handles."""
    unless: str | None = None
    """The doubt if the log is not complete. None if there is none."""
    always: str | None = None
    """A doubt that remains in any log and replaces the other. None if there is none."""


@dataclass
class Judgement:
    """The judgement on a shape."""

    checked: set[str] = field(default_factory=set)
    """The rules that could judge it."""
    lacking: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By rule that could not judge it, what the rule needs and the calls lack."""
    violations: list[Violation] = field(default_factory=list)
    """The rules that it breaks, each once."""

    def checks(self, rules: Sequence[str]) -> None:
        """Note that the shape could have broken these rules."""
        self.checked.update(rules)

    def lacks(self, rule: str, *columns: str) -> None:
        """Note that a rule applies to the shape but could not be checked, because some columns are missing."""
        self.lacking[rule] = tuple(sorted({*self.lacking.get(rule, ()), *columns}))

    def breaks(self, violation: Violation) -> None:
        """Note a violation. The first of several violations of one rule is kept."""
        self.checked.add(violation.rule)
        if all(violation.rule != other.rule for other in self.violations):
            self.violations.append(violation)
