"""Writer of `docs/conditions.md`: the conditions of each rule, and the case in which each alone is broken.

    python -m bench.conditions_page           # writes the page
    python -m bench.conditions_page --check   # exits with 1 if the page is out of date

The entries are those of `fixtures/conditions.yaml`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench.pages import page_command
from fixtures.conditions import conditions
from fixtures.miniatures import MINIATURES
from oracle.rules import catalogue

PAGE: Final = Path(__file__).parents[1] / "docs" / "conditions.md"

_HEAD: Final = """# The conditions of the rules

`python -m bench.conditions_page` writes this page; a test fails when it is out of date.

A rule's statement has conditions: each must hold, and a queue manager may break one of them and keep all others. So for
each there is a wrong queue manager that breaks it alone, and a case that shows that. A test plays every case against
its wrong one, which must depart by a rule that it breaks.

{taken} areas are taken apart: {areas}.
Of their {all} rules that calls can show, {broken} have {conditions} conditions,
{single} of them only one, which need not be all that their statement has; {not_broken} have none, and say why.{others}
"""


def page() -> str:
    """Return the text of the page."""
    found = conditions()
    others = [name for name in catalogue.areas() if name not in found.areas]
    head = _HEAD.format(
        taken=len(found.areas),
        areas=", ".join(found.areas),
        all=len(found.rules) + len(found.not_broken),
        broken=len(found.rules),
        conditions=sum(map(len, found.rules.values())),
        single=sum(len(each) == 1 for each in found.rules.values()),
        not_broken=len(found.not_broken),
        others=f" Not yet\ntaken apart are {', '.join(others)}."
        if others
        else " No area\nis left that is not taken apart.",
    )
    return "\n".join([head, *_tables()]).rstrip("\n") + "\n"


def _tables() -> Iterator[str]:
    found = conditions()
    for name in found.areas:
        area = catalogue.areas()[name]
        yield from (
            f"## {name}: {area.title}",
            "",
            "| rule | the condition, broken alone | case |",
            "| --- | --- | --- |",
        )
        for rule in area.rules:
            for each in found.rules.get(rule.id, ()):
                yield f"| {rule.id} | {MINIATURES[each.broken_by].wrong} | `{each.case}` |".replace("\\", "\\\\")
            if rule.id in found.not_broken:
                yield f"| {rule.id} | none: {found.not_broken[rule.id]} | |"
        yield ""


if __name__ == "__main__":
    sys.exit(page_command(PAGE, page))
