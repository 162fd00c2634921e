"""`mq-conform sensitivity`: measure the suite by queue managers that are wrong on purpose."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click
from rich.table import Table

import conformance
from conformance.checks.rig import Budget
from conformance.commands.common import FINDINGS, fail, new_file, writable
from conformance.reports.files import write_report
from conformance.reports.sensitivity import as_json, as_markdown, rows_of, summary
from conformance.running.bounds import MOST_JOBS
from conformance.sensitivity.miniatures import WrongOne, read_wrong_ones
from conformance.sensitivity.sharpness import Caught, is_sharp_enough, measure, sample
from oracle.errors import MqOracleError, UsageError
from oracle.program import Console

_IN_A_CHECKOUT = Path("fixtures") / "miniatures"
_OF_THE_CHECKOUT = Path(conformance.__file__).parents[1] / _IN_A_CHECKOUT


@click.command(epilog="Example: mq-conform sensitivity --budget quick --sample 10 --markdown sharpness.md")
@click.option(
    "--miniatures",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The folder of the wrong queue managers; by default fixtures/miniatures here or in the checkout.",
)
@click.option(
    "--budget",
    "budget_name",
    type=click.Choice([budget.value for budget in Budget]),
    default=Budget.QUICK.value,
    show_default=True,
    help="How long to search for what the scenarios do not catch.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, MOST_JOBS),
    default=1,
    show_default=True,
    help="How many to judge side by side.",
)
@click.option("--sample", "count", type=click.IntRange(1), metavar="N", help="Only N of them, chosen by the seed.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="For the sample and the search.")
@click.option("--json", "json_file", type=new_file, metavar="FILE", help="Write the table as JSON.")
@click.option("--resume", is_flag=True, help="Resume from that JSON file: measure only what is missing from it.")
@click.option("--markdown", type=new_file, metavar="FILE", help="Write the table as a page.")
def sensitivity(
    *,
    folder: Path | None,
    budget_name: str,
    jobs: int,
    count: int | None,
    seed: int,
    json_file: Path | None,
    resume: bool,
    markdown: Path | None,
) -> None:
    """Measure which wrong queue managers the suite catches.

    Each is the model with one change. Those that one budget does not catch are judged again by the next one, up to
    --budget. The exit status is 0 if
    enough are caught (quick promises 95 in 100, the others all), 1 if not, and 2 if there are none or one cannot be
    made.
    """
    budget = Budget(budget_name)
    try:
        reports = [None if path is None else writable(path) for path in (json_file, markdown)]
        folder = folder or _found_folder()
        chosen = sample(read_wrong_ones(folder), count, seed)
        rows = _measured_before(json_file, chosen, budget, seed) if resume else []
        before = {row.miniature.name for row in rows}
        rest = [each for each in chosen if each.name not in before]
        for row in measure(folder, rest, budget, seed, jobs):
            rows.append(row)
            _tell(row)
            if json_file is not None:
                write_report(json_file, as_json(rows, budget, seed))
        order = {each.name: place for place, each in enumerate(chosen)}
        rows.sort(key=lambda row: order[row.miniature.name])
        for path, text in zip(reports, (as_json(rows, budget, seed), as_markdown(rows, budget, seed)), strict=True):
            if path is not None:
                write_report(path, text)
    except MqOracleError as error:
        fail(error)
    _print(rows)
    click.echo(summary(rows, budget))
    sys.exit(0 if is_sharp_enough(rows, budget) else FINDINGS)


def _found_folder() -> Path:
    """Return the default folder of the wrong queue managers."""
    found = next((folder for folder in (_IN_A_CHECKOUT, _OF_THE_CHECKOUT) if folder.is_dir()), None)
    if found is None:
        raise UsageError(
            "the wrong queue managers are not installed: give --miniatures DIR, "
            "the folder fixtures/miniatures of a checkout of mqoracle"
        )
    return found


def _measured_before(path: Path | None, chosen: Sequence[WrongOne], budget: Budget, seed: int) -> list[Caught]:
    if path is None:
        raise UsageError("--resume continues from the file that --json names")
    return rows_of(path, chosen, budget, seed) if path.exists() else []


def _tell(row: Caught) -> None:
    click.echo(f"{row.miniature.name}: {row.check or 'not caught'}", err=True)


def _print(rows: Sequence[Caught]) -> None:
    table = Table(box=None, header_style="bold")
    for heading in ("miniature", "caught by", "rule", "steps", "seconds"):
        table.add_column(heading, justify="right" if heading in ("steps", "seconds") else "left")
    for row in rows:
        rule = row.rule or ", ".join(row.miniature.rules)
        table.add_row(row.miniature.name, row.check or "not caught", rule, str(row.steps), f"{row.seconds:.1f}")
    Console().print(table)
