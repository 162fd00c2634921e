"""Writer of `docs/choices.md`: what the documents leave open, the model's first answer, and the reason for it.

    python -m bench.choices_page           # writes the page
    python -m bench.choices_page --check   # exits with 1 if the page is out of date

The entries are those of `oracle/data/choices.yaml`. Beside each stands the lawful queue manager of `fixtures/variants/`
that gives other answers.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

from bench.pages import page_command, table
from fixtures.variants import VARIANTS
from oracle.rules.choices import OpenQuestion, choices

PAGE: Final = Path(__file__).parents[1] / "docs" / "choices.md"

EVERY_QUESTION: Final = "."
"""The pattern of the variants that answer every question in their own way."""

_HEAD: Final = """# What the documents leave open

`python -m bench.choices_page` writes this page; a test fails when it is out of date.

Where the documents leave a choice, a queue manager that takes any of the answers conforms. `oracle.testing`,
`oracle.QueueManager` and `mq-oracle serve` take the *first answer*, which is what a document or a real system shows
most plainly; the *source* says which. Sources go by their ids in `oracle/rules/documents.yaml`, which has their
addresses; `facts` is [mqi-facts.md](mqi-facts.md), with the section. The *rules* leave the question open. The
*variants* (`fixtures/variants/`) are queue managers that give other answers, and that the suite must not accuse:
besides those named here, `contrary` gives the last answer to every question, and `by-turns` gives all of them, one
after the other.
"""

_COLUMNS: Final = ("question", "first answer", "other answers", "source of the first", "rules", "variants")


def page() -> str:
    """Return the text of the page."""
    asked = choices().values()
    lines = [_HEAD, f"There are {len(asked)} questions.", "", *table(_COLUMNS, map(_cells, asked))]
    return "\n".join(lines) + "\n"


def variants_of(question: str) -> list[str]:
    """Return the variants for a question."""
    return [
        name
        for name, variant in VARIANTS.items()
        if variant.questions != EVERY_QUESTION and re.search(variant.questions, question)
    ]


def _cells(each: OpenQuestion) -> tuple[str, ...]:
    first, *others = each.answers
    variants = ", ".join(f"`{name}`" for name in variants_of(each.question))
    return each.question, first, "<br>".join(others), each.first, ", ".join(each.rules), variants


if __name__ == "__main__":
    sys.exit(page_command(PAGE, page))
