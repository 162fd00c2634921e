"""Writer of `docs/a-stranger.md`: the suite's report on a naive queue manager, whose defects are known.

python -m bench.stranger_page           # writes the page
python -m bench.stranger_page --check   # exits with 1 if the page is out of date
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from bench.pages import page_command, table
from conformance.results.defects import Defect
from fixtures.naive.report import headings, listed, results
from oracle.rules import catalogue

PAGE: Final = Path(__file__).parents[1] / "docs" / "a-stranger.md"

_HEAD: Final = """# The suite on a naive queue manager

`python -m bench.stranger_page` writes this page; a test fails when it is out of date.

`fixtures/naive/emulator.py` is a queue manager as emulators have them: a list of messages for each queue, and what
somebody in a hurry does with it. It shares no code with the model. Its defects are known: `fixtures/naive/defects.yaml`
lists them. This is what the suite says of it. The whole report, as a page:

    mq-conform run --target "python -m fixtures.naive" --budget quick --html page.html
"""


def page() -> str:
    """Return the text of the page."""
    found = headings()
    lines = [_HEAD, *_overview(found), *_listed(found)]
    for number, (name, defect) in enumerate(found, start=1):
        lines += _shown(number, name, defect)
    return "\n".join(lines) + "\n"


def _overview(found: Iterable[tuple[str, Defect]]) -> Iterator[str]:
    checks = [check for check in results().checks if check.steps]
    yield "## Defects\n"
    yield f"The report begins with this table. The run has the examples of rules; {len(checks)} of them apply:\n"
    yield from table(
        ("", "rule", "rule title and what went wrong", "checks"),
        (
            (f"{number}", defect.rule, f"**{defect.title}**: {defect.what}", f"{defect.checks}")
            for number, (_, defect) in enumerate(found, start=1)
        ),
    )


def _listed(found: Iterable[tuple[str, Defect]]) -> Iterator[str]:
    numbers = {name: number for number, (name, _) in enumerate(found, start=1)}
    yield "\n## What is wrong\n\nThe list of its defects, and where the report has them:\n"
    rows = []
    for each in listed():
        under = ", ".join(f"[{name}](#h{numbers[name]})" for name in each.headings)
        rows.append((f"`{each.name}`", each.wrong, f"`{each.where}`", under))
    yield from table(("defect", "what is wrong", "where", "headings"), rows)


def _shown(number: int, name: str, defect: Defect) -> Iterator[str]:
    """Yield a heading as in the report: what departs, by which rule, and the fewest calls that show it."""
    rule = catalogue.rule(defect.rule)
    yield f'\n<a id="h{number}"></a>\n\n### {number}. {defect.what}\n'
    yield f"{name.partition(' ')[0]}, {rule.id}, {rule.title}: {' '.join(rule.statement.split())}\n"
    yield "```text"
    yield from defect.found.calls
    yield "```\n"
    yield f"Allowed: {defect.found.expected}. Observed: {defect.found.observed}."
    others = [f"{other} {catalogue.rule(other).title} ({shown.check.id})" for other, shown in defect.others.items()]
    if others:
        yield f"\nAlso, by rules that other checks are about: {'; '.join(others)}."


if __name__ == "__main__":
    sys.exit(page_command(PAGE, page))
