"""Several runs side by side: where targets, or versions of one, differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.results.document import Results
from oracle.judging.verdicts import Verdict
from oracle.rules import catalogue


@dataclass(frozen=True, slots=True)
class Row:
    """A rule and the verdict of each run on it; None where a run says nothing of the rule."""

    rule: str
    verdicts: tuple[Verdict | None, ...]

    @property
    def differs(self) -> bool:
        """Whether the runs do not all say the same."""
        return len(set(self.verdicts)) > 1


@dataclass(frozen=True, slots=True)
class Comparison:
    """The names of the runs, and a row for each rule that any of them says something of, in the catalogue's order."""

    names: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def differing(self) -> tuple[Row, ...]:
        """The rows in which the runs do not all say the same."""
        return tuple(row for row in self.rows if row.differs)


def compare(runs: Sequence[tuple[str, Results]]) -> Comparison:
    """Put runs side by side; each has the name of its file, which tells it from others of the same target."""
    names = [str(results.target) for _, results in runs]
    told = tuple(
        name if names.count(name) == 1 else f"{name} ({file})" for name, (file, _) in zip(names, runs, strict=True)
    )
    verdicts = [{rule.id: rule.verdict for rule in results.rules} for _, results in runs]
    rows = tuple(
        Row(rule.id, tuple(of_run.get(rule.id) for of_run in verdicts))
        for rule in catalogue.rules()
        if any(rule.id in of_run for of_run in verdicts)
    )
    return Comparison(told, rows)
