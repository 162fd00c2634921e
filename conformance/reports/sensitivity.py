"""The table of the suite's sharpness, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence

from conformance.sensitivity import Caught

_HEADINGS = ("miniature", "what is wrong", "caught by", "rule named", "steps", "seconds")


def summary(rows: Sequence[Caught], budget: str) -> str:
    """Return how many are caught, in a sentence."""
    caught = sum(bool(row.check) for row in rows)
    return f"{caught} of {len(rows)} wrong queue managers are caught at {budget}, by a rule that they break."


def as_json(rows: Sequence[Caught], budget: str, seed: int) -> str:
    """Return the table as JSON; `check` and `rule` are null for a miniature that was not caught."""
    return json.dumps(
        {
            "budget": budget,
            "seed": seed,
            "caught": sum(bool(row.check) for row in rows),
            "miniatures": [
                {
                    "name": row.miniature.name,
                    "wrong": row.miniature.wrong,
                    "rules": list(row.miniature.rules),
                    "platform": row.miniature.platform,
                    "check": row.check or None,
                    "rule": row.rule or None,
                    "steps": row.steps,
                    "seconds": round(row.seconds, 3),
                    "trouble": row.trouble or None,
                }
                for row in rows
            ],
        },
        indent=2,
    )


def as_markdown(rows: Sequence[Caught], budget: str) -> str:
    """Return the table as a page."""
    lines = [
        "# How sharp the suite is",
        "",
        "Made by `mq-conform sensitivity`. Each row is a queue manager that is wrong on purpose, in one way.",
        "The suite's checks run in their usual order, up to the first one that names a rule which is broken.",
        "A check that never comes to what was changed is carried out once for all of them; its steps and seconds",
        "count for each.",
        "",
        summary(rows, budget),
        "",
        f"| {' | '.join(_HEADINGS)} |",
        "| --- | --- | --- | --- | ---: | ---: |",
        *(f"| {' | '.join(_cells(row))} |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


def _cells(row: Caught) -> tuple[str, ...]:
    wrong = row.miniature.wrong.replace("|", r"\|")
    by, rule = (f"`{row.check}`", row.rule) if row.check else ("**not caught**", ", ".join(row.miniature.rules))
    return f"`{row.miniature.name}`", wrong, by, rule, str(row.steps), f"{row.seconds:.1f}"
