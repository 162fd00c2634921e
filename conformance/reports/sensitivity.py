"""The table of the suite's sensitivity, for people and for programs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from conformance.checks.rig import Budget
from conformance.sensitivity.miniatures import WrongOne
from conformance.sensitivity.sharpness import Caught, caught_at, up_to
from oracle.errors import BadInputError, Place
from oracle.text.yaml_files import read_text

_HEAD = """# How sharp the suite is

Written by `mq-conform sensitivity --budget {budget} --seed {seed}`. Each row is a queue manager that is wrong on
purpose, in one way: most are the model with one change, the others programs that share no code with it.

It counts as caught only by a check that names a rule which it breaks, as its entry lists them. The checks run in the
order of `mq-conform run`, up to that one: scenarios, tables and examples of rules first, then the state machines.
*Steps* and *seconds* are the requests and the time until then, on the machine that measured and whatever else it did. A
check that a wrong one answers to the letter as the model does is carried out once for all of them; its steps and
seconds count for each. *Budget* is the least by which it is caught.

Whatever was not caught has been given a check. So the table tells what the suite surely finds, and which check does; it
does not tell what share of defects that nobody has thought of it would find.
"""

_HEADINGS = ("wrong queue manager", "what is wrong", "caught by", "rule named", "steps", "seconds", "budget")


def summary(rows: Sequence[Caught], budget: Budget) -> str:
    """Return the number of caught miniatures in a sentence."""
    caught = " and ".join(f"{caught_at(rows, each)} at {each.value}" for each in up_to(budget))
    return f"Of {len(rows)} wrong queue managers {caught} are caught, by a rule that they break."


def as_json(rows: Sequence[Caught], budget: Budget, seed: int) -> str:
    """Return the table as JSON, a line for each miniature, so that tables of different days can be compared.

    A missing value is null, such as the check of a miniature that was not caught.
    """
    caught = {each.value: caught_at(rows, each) for each in up_to(budget)}
    head = json.dumps({"budget": budget.value, "seed": seed, "caught": caught, "miniatures": []})
    lines = ",\n".join(json.dumps(_members(row)) for row in rows)
    return f"{head.removesuffix(']}')}\n{lines}\n]}}\n"


def _members(row: Caught) -> dict[str, Any]:
    return {
        "name": row.miniature.name,
        "wrong": row.miniature.wrong,
        "rules": list(row.miniature.rules),
        "platform": row.miniature.platform,
        "check": row.check or None,
        "rule": row.rule or None,
        "steps": row.steps,
        "seconds": round(row.seconds, 3),
        "budget": row.budget and row.budget.value,
        "misnamed": row.misnamed or None,
        "trouble": row.trouble or None,
    }


def rows_of(path: Path, chosen: Sequence[WrongOne], budget: Budget, seed: int) -> list[Caught]:
    """Return the rows of a table that was written as JSON, for the chosen miniatures that are unchanged.

    From a table of a lesser budget, only the caught ones are returned: the others are to be judged with the greater
    one. Raises BadInputError if it is not such a table, or was measured with a greater budget or another seed.
    """
    try:
        table = json.loads(read_text(path))
        if Budget(table["budget"]) not in up_to(budget) or table["seed"] != seed:
            raise BadInputError(
                f"it was measured with --budget {table['budget']} --seed {table['seed']}", Place(str(path))
            )
        known = {each["name"]: each for each in table["miniatures"]}
        rows = [_row(each, known[each.name]) for each in chosen if _is_of(each, known.get(each.name))]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadInputError("it is not a table that this command has written", Place(str(path))) from error
    return rows if table["budget"] == budget.value else [row for row in rows if row.check]


def _is_of(wrong: WrongOne, row: dict[str, Any] | None) -> bool:
    return row is not None and (row["wrong"], tuple(row["rules"]), row["platform"]) == (
        wrong.wrong,
        wrong.rules,
        wrong.platform,
    )


def _row(wrong: WrongOne, row: dict[str, Any]) -> Caught:
    check, rule, misnamed, trouble = (row[name] or "" for name in ("check", "rule", "misnamed", "trouble"))
    budget = Budget(row["budget"]) if row["budget"] else None
    return Caught(wrong, check, rule, int(row["steps"]), float(row["seconds"]), budget, misnamed, trouble)


def as_markdown(rows: Sequence[Caught], budget: Budget, seed: int) -> str:
    """Return the table as a page."""
    lines = [
        _HEAD.format(budget=budget.value, seed=seed),
        *(summary(rows, budget), *_digest(rows), ""),
        f"| {' | '.join(_HEADINGS)} |",
        "| --- | --- | --- | --- | ---: | ---: | --- |",
        *(f"| {' | '.join(_cells(row))} |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


def _digest(rows: Sequence[Caught]) -> list[str]:
    """Return the kinds of checks that caught them, and after how many calls."""
    caught = [row for row in rows if row.check]
    if not caught:
        return []
    kinds = Counter(_KINDS.get(row.check.partition("/")[0], "scenarios") for row in caught)
    by = ", ".join(f"{count} by {kind}" for kind, count in kinds.most_common())
    steps, seconds = median(row.steps for row in caught), median(row.seconds for row in caught)
    earlier = sum(bool(row.misnamed) for row in caught)
    return [
        f"Caught {by}; half of them within {steps:.0f} steps and {seconds:.1f} seconds.",
        f"{earlier} of them an earlier check had found wrong already, but by rules that their entries do not list.",
    ]


_KINDS = {"example": "examples of rules", "tables": "rows of tables", "machine": "state machines"}


def _cells(row: Caught) -> tuple[str, ...]:
    wrong = row.miniature.wrong.replace("|", r"\|")
    by, rule = (f"`{row.check}`", row.rule) if row.check else ("**not caught**", ", ".join(row.miniature.rules))
    budget = row.budget.value if row.budget else ""
    return f"`{row.miniature.name}`", wrong, by, rule, str(row.steps), f"{row.seconds:.1f}", budget
