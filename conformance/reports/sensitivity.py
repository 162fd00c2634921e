"""The table of the suite's sharpness, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conformance.miniatures import WrongOne
from conformance.sensitivity import Caught
from oracle.errors import BadInputError, Place
from oracle.yaml_files import read_text

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


def rows_of(path: Path, chosen: Sequence[WrongOne], budget: str, seed: int) -> list[Caught]:
    """Return the rows of a table that was written as JSON, for those chosen that are what they were.

    Raises BadInputError if it is no such table, or was measured by another budget or seed.
    """
    try:
        table = json.loads(read_text(path))
        if (table["budget"], table["seed"]) != (budget, seed):
            raise BadInputError(
                f"it was measured with --budget {table['budget']} --seed {table['seed']}", Place(str(path))
            )
        known = {each["name"]: each for each in table["miniatures"]}
        return [_row(each, known[each.name]) for each in chosen if _is_of(each, known.get(each.name))]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInputError("it is not a table that this command has written", Place(str(path))) from error


def _is_of(wrong: WrongOne, row: dict[str, Any] | None) -> bool:
    return row is not None and (row["wrong"], tuple(row["rules"]), row["platform"]) == (
        wrong.wrong,
        wrong.rules,
        wrong.platform,
    )


def _row(wrong: WrongOne, row: dict[str, Any]) -> Caught:
    check, rule, trouble = (row[name] or "" for name in ("check", "rule", "trouble"))
    return Caught(wrong, check, rule, int(row["steps"]), float(row["seconds"]), trouble)


def as_markdown(rows: Sequence[Caught], budget: str) -> str:
    """Return the table as a page."""
    lines = [
        "# How sharp the suite is",
        "",
        "Made by `mq-conform sensitivity`. Each row is a queue manager that is wrong on purpose, in one way.",
        "The suite's checks run in their usual order, up to the first one that names a rule which is broken.",
        "A check that a wrong one answers to the letter as the model does is carried out once for all of them; its",
        "steps and seconds count for each.",
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
