"""The HTML report of an audit: one self-contained file that does not grow with the number of findings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from oracle.judging.verdicts import AuditVerdict, FindingKind
from oracle.reporting.html import render, today
from oracle.rules import catalogue
from spark_checks.reports.charts import QueueCharts, charts_of
from spark_checks.reports.gate import DEFAULT_GATE
from spark_checks.reports.results import Finding, Group, Results, RuleSeen
from spark_checks.reports.texts import counted, covered, sentence
from spark_checks.reports.timeline import NARROW, Picture, picture
from spark_checks.results.rule_results import Covered, RuleResult
from spark_checks.times import duration, moment

GROUPS_SHOWN = 150
EXAMPLES_SHOWN = 250
_AT_ONCE = 20
"""The number of causes that are shown unfolded."""
_OPEN_GROUPS = 3
"""The number of these whose first example is unfolded too."""

_FOLLOWED, _NOT_EXERCISED = "followed", "not exercised"
_CLASSES = {
    AuditVerdict.VIOLATES.value: "violates",
    AuditVerdict.SUSPICION.value: "undecided",
    AuditVerdict.CONFORMS.value: "conforms",
    _FOLLOWED: "conforms",
    AuditVerdict.NOT_CHECKABLE.value: "not_applicable",
    _NOT_EXERCISED: "not_applicable",
}
"""The colour of each verdict on a rule."""
_KINDS = {FindingKind.VIOLATION: "violates", FindingKind.SUSPICION: "undecided"}


@dataclass(frozen=True)
class _Example:
    finding: Finding
    picture: Picture
    narrow: Picture


@dataclass(frozen=True)
class _Cause:
    """The findings of one cause for the page."""

    id: str
    group: Group
    rule: catalogue.Rule
    kind: str
    examples: tuple[_Example, ...]


@dataclass(frozen=True)
class _Rule:
    """A rule, the judgement of the checks, and the number of calls that it bore on in the replay."""

    rule: catalogue.Rule
    seen: RuleSeen
    followed: int

    @property
    def word(self) -> str:
        """The verdict on the rule in a word."""
        verdict = self.seen.result.verdict
        if self.followed and verdict is AuditVerdict.NOT_CHECKABLE:
            return _FOLLOWED
        return verdict.value if self.seen.exercised else _NOT_EXERCISED


@dataclass(frozen=True)
class _Area:
    id: str
    title: str
    counts: dict[str, int]
    exercised: int
    rules: tuple[_Rule, ...]


def page_of(results: Results) -> str:
    """Return the report of an audit."""
    causes = list(_causes(results))
    new = [cause for cause in causes if cause.group.excused_by is None]
    queues, areas = list(_queues(results)), list(_areas(results))
    return render(
        "spark_checks.reports",
        "audit.html.j2",
        results=results,
        made=today(),
        inputs=results.inputs,
        places=list(_places(new, results, queues, areas)),
        overall=_overall(results),
        sentence=_capitalised(sentence(results)),
        covered=covered(results),
        sentence_of_replay=_capitalised(str(results.replayed)),
        tiles=list(_tiles(results)),
        new=new,
        excused=[cause for cause in causes if cause.group.excused_by is not None],
        not_shown=results.groups[GROUPS_SHOWN:],
        not_checkable=[(catalogue.rule(rule.id), rule) for rule in results.not_checkable],
        queues=queues,
        areas=areas,
        not_exercised=_NOT_EXERCISED,
        classes=_CLASSES,
        moment=moment,
        duration=duration,
        counted=counted,
        at_once=_AT_ONCE,
        open_groups=_OPEN_GROUPS,
    )


def _overall(results: Results) -> str:
    """Return the colour of the overall verdict."""
    if results.count(FindingKind.VIOLATION) or results.stale or DEFAULT_GATE.too_much_unreadable(results):
        return "violates"
    checked = any(rule.result.checked for rule in results.rules)
    return "undecided" if results.count(FindingKind.SUSPICION) or not checked else "conforms"


def _tiles(results: Results) -> Iterator[tuple[str, int, str]]:
    """Yield the numbers at the head of the page: class, number, and what is counted."""
    yield "violates", results.count(FindingKind.VIOLATION), "violations"
    yield "undecided", results.count(FindingKind.SUSPICION), "suspicions"
    if results.excused:
        yield "not_applicable", results.excused, "known findings"
    yield "conforms", len(results.with_verdict(AuditVerdict.CONFORMS)), "rules conform"
    yield "not_applicable", len(results.not_checkable), "rules not checkable"
    yield "not_applicable", len(results.not_exercised), "rules not exercised"
    if results.unreadable:
        yield "violates", results.unreadable, "unreadable records"


def _causes(results: Results) -> Iterator[_Cause]:
    room = EXAMPLES_SHOWN
    for number, group in enumerate(results.groups[:GROUPS_SHOWN], start=1):
        shown = group.examples[: max(0, room)]
        room -= len(shown)
        yield _Cause(
            f"cause-{number}",
            group,
            catalogue.rule(group.cause.rule),
            _KINDS[group.cause.verdict],
            tuple(_example(each, results) for each in shown),
        )


def _example(finding: Finding, results: Results) -> _Example:
    around = results.around.get(finding.number, ())
    return _Example(finding, picture(finding, around), picture(finding, around, NARROW))


def _places(
    new: Sequence[_Cause], results: Results, queues: Sequence[object], areas: Sequence[_Area]
) -> Iterator[tuple[str, str]]:
    """Yield the table of contents: the id of a place, and its name."""
    sections = {"findings": ("Findings by cause", new), "known": ("Known deviations", results.known)}
    for name, (title, shown) in sections.items():
        if shown:
            yield name, title
    yield "covered", "What was covered"
    if queues:
        yield "queues", "Queues over time"
    yield "rules", "Rules that this traffic exercised"
    for area in areas:
        yield f"area-{area.id}", f"{area.id}: {area.title}"


def _queues(results: Results) -> Iterator[tuple[QueueCharts, QueueCharts]]:
    """Yield the charts of each queue, wide and narrow."""
    times: defaultdict[tuple[str | None, str | None], list[int]] = defaultdict(list)
    for group in results.groups:
        for example in group.examples:
            times[example.qmgr, example.queue] += [call.end_us for call in example.calls[-1:]]
    for course in results.courses.queues:
        found = times[course.qmgr, course.queue]
        yield charts_of(results.courses, course, found), charts_of(results.courses, course, found, NARROW)


def _areas(results: Results) -> Iterator[_Area]:
    seen = {rule.id: rule for rule in results.rules}
    followed = results.replayed.rules
    for area in catalogue.areas().values():
        rules = tuple(
            _Rule(
                rule, seen.get(rule.id) or RuleSeen(RuleResult.of(rule.id, Covered()), 0, 0), followed.get(rule.id, 0)
            )
            for rule in area.rules
            if rule.id in seen or rule.id in followed
        )
        if rules:
            counts = Counter(rule.word for rule in rules)
            exercised = len(rules) - counts[_NOT_EXERCISED]
            yield _Area(area.area, area.title, {word: counts[word] for word in _CLASSES}, exercised, rules)


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
