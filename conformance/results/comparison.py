"""A comparison of several runs: the differences between targets, or between versions of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from conformance.results.document import Results
from oracle.judging.verdicts import Verdict
from oracle.rules import catalogue


class Change(str, Enum):
    """The difference of the last run from the first, for one rule, in the order in which reports show them."""

    WORSE = "worse"
    BETTER = "better"
    OTHERWISE = "otherwise"
    UNTESTED = "untested"

    @property
    def words(self) -> str:
        """The words for the rules with this change."""
        return _CHANGES[self]


_CHANGES = {
    Change.WORSE: "became worse",
    Change.BETTER: "became better",
    Change.OTHERWISE: "changed otherwise",
    Change.UNTESTED: "had no check in some run",
}
NOT_TESTED = "not tested"
"""The text for a rule without a verdict in a run: no check of that run is about it."""
_BAD = (Verdict.VIOLATES, Verdict.TARGET_ERROR)


@dataclass(frozen=True, slots=True)
class Row:
    """A rule in all runs."""

    rule: str
    """The id of the rule."""
    verdicts: tuple[Verdict | None, ...]
    """The verdict of each run. None if a run has none on the rule."""

    @property
    def differs(self) -> bool:
        """Whether the verdicts of the runs differ."""
        return len(set(self.verdicts)) > 1

    @property
    def change(self) -> Change:
        """The difference of the last run from the first: worse if only the last one is bad, better if it now conforms.

        A verdict is bad if the rule is violated or the check ended as a target error. A rule that was bad and that the
        last run could not decide is not better. A rule that a run did not test is not compared, unless the last run
        finds it violated.
        """
        was_bad, is_bad = self.verdicts[0] in _BAD, self.verdicts[-1] in _BAD
        if is_bad and not was_bad:
            return Change.WORSE
        if None in self.verdicts:
            return Change.UNTESTED
        return Change.BETTER if was_bad and self.verdicts[-1] is Verdict.CONFORMS else Change.OTHERWISE


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of runs."""

    names: tuple[str, ...]
    """The names of the runs."""
    rows: tuple[Row, ...]
    """A row for each rule on which any of them has a verdict, in the catalogue's order."""

    @property
    def differing(self) -> tuple[Row, ...]:
        """The rows in which the verdicts differ: what became worse first, then what became better."""
        order = list(Change)
        return tuple(sorted((row for row in self.rows if row.differs), key=lambda row: order.index(row.change)))

    @property
    def changed(self) -> tuple[Row, ...]:
        """The differing rows, without rules that some run did not test."""
        return tuple(row for row in self.differing if row.change is not Change.UNTESTED)

    def __str__(self) -> str:
        untested = len(self.differing) - len(self.changed)
        more = f"; {untested} had no check in some run" if untested else ""
        return f"{len(self.changed)} of {len(self.rows)} rules differ{more}"

    @property
    def alike(self) -> tuple[Row, ...]:
        """The rows in which all verdicts are the same."""
        return tuple(row for row in self.rows if not row.differs)


def compare(runs: Sequence[tuple[str, Results]]) -> Comparison:
    """Compare runs. Each has the name of its file, which distinguishes it from others of the same target."""
    names = [str(results.target) for _, results in runs]
    columns = tuple(
        name if names.count(name) == 1 else f"{name} ({file})" for name, (file, _) in zip(names, runs, strict=True)
    )
    verdicts = [{rule.id: rule.verdict for rule in results.rules} for _, results in runs]
    rows = tuple(
        Row(rule.id, tuple(of_run.get(rule.id) for of_run in verdicts))
        for rule in catalogue.rules()
        if any(rule.id in of_run for of_run in verdicts)
    )
    return Comparison(columns, rows)
