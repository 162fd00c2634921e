"""The HTML reports: a run, and several runs side by side. Each is one self-contained file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.reports.files import write_report
from conformance.reports.verdict import in_a_sentence
from conformance.results.comparison import NOT_TESTED, Change, Comparison
from conformance.results.defects import defects_of
from conformance.results.document import Results, RuleSeen, results_of
from conformance.results.events import Event, RunFinished
from oracle.judging.verdicts import Verdict
from oracle.reporting.html import render, today
from oracle.rules import catalogue

_OF_MANY = {
    Verdict.CONFORMS: "conform",
    Verdict.VIOLATES: "are violated",
    Verdict.UNDECIDED: "are undecided",
    Verdict.NOT_APPLICABLE: "do not apply",
    Verdict.TARGET_ERROR: "could not be tested: the target failed",
}
_COLOURS = {
    Change.WORSE: "violates",
    Change.BETTER: "conforms",
    Change.OTHERWISE: "undecided",
    Change.UNTESTED: "not_applicable",
}
_WORDS = {
    Verdict.CONFORMS: "conforms",
    Verdict.VIOLATES: "violates",
    Verdict.UNDECIDED: "undecided",
    Verdict.NOT_APPLICABLE: "not applicable",
    Verdict.TARGET_ERROR: "target error",
}


class HtmlReport:
    """The report of a run, written at its end."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def notify(self, event: Event) -> None:
        """Write the report at the end.

        Raises UsageError if the file cannot be written.
        """
        if isinstance(event, RunFinished):
            write_report(self._path, page_of(results_of(event)))


@dataclass(frozen=True, slots=True)
class _Area:
    """An area of the catalogue: its rules that the run judged, and those that do not apply to the target."""

    id: str
    title: str
    counts: Counter[Verdict]
    judged: tuple[tuple[catalogue.Rule, RuleSeen], ...]
    not_applicable: tuple[tuple[catalogue.Rule, RuleSeen], ...]


def page_of(results: Results) -> str:
    """Return the report of a run."""
    totals = Counter(seen.verdict for seen in results.rules)
    defects = defects_of(results.checks)
    overall, sentence = in_a_sentence(results, defects)
    errors = [check for check in results.checks if check.error]
    areas = list(_areas(results))
    sections: dict[str, tuple[str, Sequence[object]]] = {
        "defects": ("Defects", defects),
        "known": ("Known deviations", results.known),
        "failed": ("The target failed", errors),
        "rules": ("Rules by area", areas),
    }
    return _render(
        "run.html.j2",
        results=results,
        made=today(),
        places=[
            *((name, title) for name, (title, shown) in sections.items() if shown),
            *((f"area-{area.id}", f"{area.id}: {area.title}") for area in areas),
        ],
        rule=catalogue.rule,
        overall=overall.value,
        sentence=sentence,
        totals={verdict: totals[verdict] for verdict in Verdict},
        steps=sum(check.steps for check in results.checks),
        seconds=sum(check.seconds for check in results.checks),
        defects=defects,
        known=results.known,
        excused=defects_of(results.checks, excused=True),
        errors=errors,
        areas=areas,
    )


def comparison_page(comparison: Comparison) -> str:
    """Return the report of several runs side by side."""
    changes = [
        (change, [row for row in comparison.differing if row.change is change])
        for change in Change
        if any(row.change is change for row in comparison.differing)
    ]
    places = [(change.value, f"Rules that {change.words}") for change, _ in changes]
    return _render(
        "compare.html.j2",
        comparison=comparison,
        not_tested=NOT_TESTED,
        made=today(),
        changes=changes,
        alike=comparison.alike,
        places=[*places, *([("alike", "Rules that do not differ")] if comparison.alike else [])],
        colours=_COLOURS,
        rule=catalogue.rule,
    )


def _render(template: str, **values: Any) -> str:
    return render("conformance.reports", template, words=_WORDS, of_many=_OF_MANY, violates=Verdict.VIOLATES, **values)


def _areas(results: Results) -> Iterable[_Area]:
    seen = {rule.id: rule for rule in results.rules}
    for area in catalogue.areas().values():
        rules = tuple((rule, seen[rule.id]) for rule in area.rules if rule.id in seen)
        if rules:
            judged = tuple(each for each in rules if each[1].verdict is not Verdict.NOT_APPLICABLE)
            others = tuple(each for each in rules if each[1].verdict is Verdict.NOT_APPLICABLE)
            yield _Area(area.area, area.title, Counter(found.verdict for _, found in rules), judged, others)
