"""The pages of the rules: one for each rule, one for each area, and the list of the areas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from bench.site.standing import Standing, caught_by
from conformance.checks.beyond_protocol import MISSING_REQUESTS
from oracle.examples.rule_examples import Example, examples_of, play
from oracle.mqi.profile import PLATFORMS
from oracle.rules import catalogue
from spark_checks.coverage.rules import without_check

FOLDER: Final = "rules"

_STRENGTHS: Final = {
    "must": "The queue manager must do this.",
    "must-not": "The queue manager must not do this.",
    "may": "The queue manager may do this.",
    "advice": "This is advice to programs.",
    "definition": "This defines a word.",
    "unpredictable": "The documents call the outcome unpredictable.",
}
_OBSERVED: Final = {
    "mqi": "calls of one connection",
    "mqi-multi": "calls of several connections",
    "clock": "calls and passing time",
    "log": "a log",
}
_NEAR: Final = 4
"""So many rules before and after a rule are its neighbours of the same area."""


def pages(standing: Mapping[str, Standing]) -> Iterator[tuple[str, str]]:
    """Yield the path of each page in the site and its Markdown."""
    yield f"{FOLDER}/index.md", _areas()
    caught = caught_by()
    for area in catalogue.areas().values():
        yield f"{FOLDER}/{area.area}.md", _area(area)
        for rule in area.rules:
            yield f"{FOLDER}/{rule.id}.md", _rule_page(area, rule, standing[rule.id], caught)


def _areas() -> str:
    lines = ["# Rules", "", f"The catalogue has {len(list(catalogue.rules()))} rules in these areas.", ""]
    lines += ["| area | subject | rules |", "| --- | --- | --- |"]
    lines += [
        f"| [{area.area}]({area.area}.md) | {_cell(area.title)} | {len(area.rules)} |"
        for area in catalogue.areas().values()
    ]
    return "\n".join(lines) + "\n"


def _area(area: catalogue.Area) -> str:
    lines = [f"# {area.area}: {area.title}", "", "| rule | title |", "| --- | --- |"]
    lines += [f"| {_link(rule.id)} | {_cell(rule.title)} |" for rule in area.rules]
    return "\n".join((*lines, "", "[All areas](index.md)")) + "\n"


def _rule_page(area: catalogue.Area, rule: catalogue.Rule, found: Standing, caught: Mapping[str, str]) -> str:
    parts = [
        [f"# {rule.id}: {rule.title}", "", rule.statement, "", *_facts(area, rule)],
        _section("Source", [f"- {_source(source)}" for source in rule.source]),
        _section("Reading", [f"- [{each.id}]({_defect(each.id)}): {each.reading}" for each in rule.readings]),
        _section("Examples", list(_examples(rule))),
        _section("Checks of the suite", list(_checks(rule, found))),
        _section("Check of the audit", list(_audit(rule, found))),
        _section("Miniatures", list(_miniatures(found, caught))),
        _section("Neighbours", list(_neighbours(area, rule, found))),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _section(heading: str, lines: list[str]) -> list[str]:
    return [f"## {heading}", "", *lines] if lines else []


def _facts(area: catalogue.Area, rule: catalogue.Rule) -> Iterator[str]:
    yield f"- Area: [{area.area}: {area.title}]({area.area}.md)"
    yield f"- Strength: {rule.strength}. {_STRENGTHS[rule.strength]}"
    if rule.platforms != PLATFORMS:
        yield f"- Platforms: {', '.join(rule.platforms)}"
    if rule.outcome:
        yield f"- Outcome: {rule.outcome}"
    if rule.freedom:
        yield f"- What stays open: {rule.freedom}"
    if rule.observed_by:
        yield f"- Shown by: {', '.join(_OBSERVED[each] for each in rule.observed_by)}"
    if rule.unobservable is not None:
        yield f"- Nothing shows this rule: {rule.unobservable}"


def _source(source: catalogue.Source) -> str:
    """Return a source as a link to its public page, or to the project's own page of facts."""
    address = "../mqi-facts.md" if source.document == "facts" else source.address
    return f"[{source}]({address})" if address else str(source)


def _defect(reading: str) -> str:
    return f"../document-defects.md#{reading.lower()}"


def _examples(rule: catalogue.Rule) -> Iterator[str]:
    found = examples_of(rule.id)
    for number, example in enumerate(found, 1):
        if len(found) > 1:
            yield from (f"### Example {number}", "")
        yield from _example(example)
    if not found:
        yield "There is no example: no call can show this rule."


def _example(example: Example) -> Iterator[str]:
    of = [] if example.platform == "distributed" else [f"platform {example.platform}"]
    of += [f"queue {dict(queue)}" for queue in example.queues if dict(queue) != {"name": "Q"}]
    of += [f"queue manager {dict(example.qmgr)}"] if example.qmgr else []
    if of:
        yield from ("Begins with:", "", *(f"- `{each}`" for each in of), "")
    given = "\n".join(line.strip() for part in example.given.splitlines() for line in part.split(";")).strip()
    if given:
        yield from ("Given these calls:", "", "```text", given, "```", "")
    yield from ("This conforms:", "", "```text", example.accepts.strip(), "```", "")
    yield from ("This is a violation:", "", "```text", example.rejects.strip(), "```", "")
    departure = play(example).wrong_steps[-1].followed.departure
    if departure is not None:
        yield from (f"`mq-oracle replay` says: {departure.sentence}.".replace("..", "."), "")


def _checks(rule: catalogue.Rule, found: Standing) -> Iterator[str]:
    missing = MISSING_REQUESTS.get(rule.id)
    if missing is not None:
        yield f"No check decides it: the target protocol lacks {missing}."
    elif not found.checks:
        yield "No check of the suite decides this rule."
    for check in found.checks:
        yield f"- `{check.id}`: {check.title}"
    if found.machines:
        calls = ", ".join(f"`{name}` ({number})" for name, number in found.machines.items())
        yield from ("", f"State machines with calls that rest on it, and how many in a quick run: {calls}.")
    if found.checks:
        yield from ("", "```sh", f'mq-conform run --target "..." --select {rule.id}', "```")


def _audit(rule: catalogue.Rule, found: Standing) -> Iterator[str]:
    if rule.log_check is None:
        yield "A log does not show this rule."
        return
    yield f"A log shows a violation so: {rule.log_check}"
    reason = without_check().get(rule.id)
    if reason is not None:
        yield from ("", f"No check of the audit names it. {reason.reason.strip()}")
        if reason.by.rules:
            yield f"See {_links(reason.by.rules)}."
    elif found.audit:
        yield from ("", *(f"- `{each.path}`: {each.about}" for each in found.audit))
    yield from ("", "[How the audit checks each rule](../audit-rules.md)")


def _miniatures(found: Standing, caught: Mapping[str, str]) -> Iterator[str]:
    if found.miniatures:
        yield from ("Queue managers that are wrong on purpose, and the check that catches each:", "")
    for miniature in found.miniatures:
        check = caught.get(miniature.name)
        yield f"- `{miniature.name}`: {miniature.wrong} {f'Caught by `{check}`.' if check else 'Not caught.'}"


def _neighbours(area: catalogue.Area, rule: catalogue.Rule, found: Standing) -> Iterator[str]:
    place = area.rules.index(rule)
    near = [each for each in area.rules[max(0, place - _NEAR) : place + _NEAR + 1] if each is not rule]
    yield from ("Near it in its area:", "", *(f"- {_link(each.id)}: {each.title}" for each in near))
    others = sorted(found.cited_with - {each.id for each in near})
    if others:
        yield from ("", "Rules that a decision of the model or a check names with it:", "")
        yield from (f"- {_link(each)}: {catalogue.rule(each).title}" for each in others)


def _links(rules: Iterable[str]) -> str:
    return ", ".join(_link(rule) for rule in rules)


def _link(rule: str) -> str:
    return f"[{rule}]({rule}.md)"


def _cell(text: str) -> str:
    return text.replace("|", r"\|")
