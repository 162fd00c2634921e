"""What is said of a shape: which rules it was checked with, which could not be checked, and which it breaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Breach:
    """A rule that every call of a shape breaks.

    `sentence` is the explanation without its full stop, with `{call}`, `{conn}` and `{msg_id}` where those of a call
    go; `proof` names the calls before it that prove it (see spark_checks.preparation.handles); `unless` is the doubt
    if the log is not complete, `always` one that remains in any log.
    """

    rule: str
    sentence: str
    proof: tuple[str, ...] = ()
    unless: str | None = None
    always: str | None = None


@dataclass
class Judgement:
    """Everything that is said of a shape. `lacking` maps a rule to what it needs and the calls lack."""

    checked: set[str] = field(default_factory=set)
    lacking: dict[str, tuple[str, ...]] = field(default_factory=dict)
    breaches: list[Breach] = field(default_factory=list)

    def checks(self, rules: Sequence[str]) -> None:
        """Note that the shape could have broken these rules."""
        self.checked.update(rules)

    def lacks(self, rule: str, *columns: str) -> None:
        """Note that a rule speaks of the shape but could not be checked, for want of some columns."""
        self.lacking[rule] = tuple(sorted({*self.lacking.get(rule, ()), *columns}))

    def breaks(self, breach: Breach) -> None:
        """Note a breach; of several of one rule the first is kept."""
        self.checked.add(breach.rule)
        if all(breach.rule != other.rule for other in self.breaches):
            self.breaches.append(breach)
