"""`mq-conform run`: run the checks against a target and judge it."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from conformance.checks.check import Check
from conformance.checks.rig import Budget
from conformance.checks.selection import all_checks, select
from conformance.commands.common import (
    CANNOT_RUN,
    FINDINGS,
    INTERRUPTED_STATUS,
    fail,
    known_option,
    new_file,
    select_option,
    target_option,
    time_limit_option,
    writable,
)
from conformance.commands.reaching import mqi_options
from conformance.mqi.options import MqiOptions
from conformance.reports.console import ConsoleReport
from conformance.reports.found import FoundReport
from conformance.reports.html import HtmlReport
from conformance.reports.json_report import JsonReport
from conformance.reports.junit import JunitReport
from conformance.reports.verdict import PART, next_command
from conformance.results.defects import defects_of
from conformance.results.document import results_of
from conformance.results.events import INTERRUPTED, Listener, RunFinished
from conformance.running.bounds import LONGEST_SEARCH_MINUTES, MOST_JOBS
from conformance.running.jobs import JOBS
from conformance.running.runner import Runner
from conformance.running.worker import DEFAULT_MINUTES, Options
from conformance.targets import target_for
from oracle.errors import MqOracleError
from oracle.judging.deviations import Standing, read_deviations
from oracle.judging.verdicts import Verdict
from oracle.program import Console, FiniteRange

_LARGEST_SEED = 2**32


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The options of a run. The help of each option says more; `None` is an option that was not given."""

    seed: int | None
    """The seed that repeats a run."""
    budget: str
    """The effort of the search: a value of Budget."""
    minutes: float | None
    """The minutes that the state machines search together with the deep budget."""
    fail_fast: bool
    """Whether the first violation ends the run."""
    strict: bool
    """Whether an undecided rule makes the exit status 1."""
    allow_empty: bool
    """Whether a run that exercised no rule is a success."""
    known_file: Path | None
    """The file of known deviations."""
    jobs: int | None
    """The number of targets that run side by side."""
    junit: Path | None
    """The file of the JUnit report."""
    json_file: Path | None
    """The file of the JSON report."""
    html_file: Path | None
    """The file of the page."""
    found_file: Path | None
    """The file of the violations, for a replay."""
    history: Path | None
    """The directory of the event logs."""
    time_limit: float
    """The number of seconds that a request may take."""


@click.command(epilog="Example: mq-conform run --target 'mq-oracle serve' --budget quick --json results.json")
@target_option
@select_option
@click.option("--seed", type=click.IntRange(0), help="Repeats a run exactly; by default a new one, which is shown.")
@click.option(
    "--budget",
    type=click.Choice([budget.value for budget in Budget]),
    default=Budget.STANDARD.value,
    show_default=True,
    help="How long to search: under two minutes, some ten, or longer, against a fast target.",
)
@click.option(
    "--minutes",
    type=FiniteRange(0.0, LONGEST_SEARCH_MINUTES, min_open=True),
    help=f"How long the state machines search together by the deep budget.  [default: {DEFAULT_MINUTES:g}]",
)
@click.option("--fail-fast", is_flag=True, help="Stop at the first violation.")
@click.option(
    "--strict",
    is_flag=True,
    help="Exit with 1 also if a rule is undecided, unless the target made another choice that the documents allow.",
)
@click.option("--allow-empty", is_flag=True, help="Exit with 0, not with 2, if no rule was exercised.")
@known_option
@click.option(
    "--jobs",
    type=click.IntRange(1, MOST_JOBS),
    help=f"Number of targets to run side by side; by default {JOBS['virtual']}, on real clocks {JOBS['real']}.",
)
@click.option("--junit", type=new_file, metavar="FILE", help="Write a JUnit report.")
@click.option("--json", "json_file", type=new_file, metavar="FILE", help="Write a JSON report.")
@click.option("--html", "html_file", type=new_file, metavar="FILE", help="Write a page for people.")
@click.option(
    "--found",
    "found_file",
    type=new_file,
    metavar="FILE",
    help="Write the violations for mq-conform replay.",
)
@click.option(
    "--history",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write all calls as event logs, one for each session, for mq-oracle replay and mq-audit.",
)
@time_limit_option
@mqi_options
def run(target: str, patterns: tuple[str, ...], mqi: MqiOptions | None, **options: Any) -> None:
    """Run the checks against a target and judge every rule.

    The exit status is 0 if no violation was found; 1 after a violation that is not known, an entry of --known that no
    longer matches, or a target error; 2 if the run tested nothing, the target cannot be run, something asked for does
    not exist, or a report cannot be written; 130 after Ctrl-C or SIGTERM. Ctrl-C ends the run after the current call,
    or five seconds later; a second one ends it at once. Reports are written with 0, 1 and 130, and after a run
    that tested nothing. If a report or history cannot be written, the others are complete.
    """
    asked = RunOptions(**options)
    if asked.minutes is not None and Budget(asked.budget) is not Budget.DEEP:
        raise click.UsageError(
            "--minutes needs --budget deep: the other budgets count sessions, so that a seed repeats them"
        )
    try:
        checks = all_checks()
        runner = Runner(target_for(target, mqi), _options(asked, checks, mqi), _listeners(asked))
        finished = runner.run(select(checks, patterns))
    except MqOracleError as error:
        fail(error)
    _say_next(finished, PART if patterns else asked.budget, asked)
    sys.exit(exit_status(finished, strict=asked.strict, allow_empty=asked.allow_empty))


def _options(asked: RunOptions, checks: Sequence[Check], mqi: MqiOptions | None) -> Options:
    """Return the options of the checks. Raises BadInputError for an invalid file of known deviations."""
    known = () if asked.known_file is None else read_deviations(asked.known_file, (check.id for check in checks))
    return Options(
        Budget(asked.budget),
        secrets.randbelow(_LARGEST_SEED) if asked.seed is None else asked.seed,
        asked.fail_fast,
        known,
        asked.time_limit,
        asked.jobs or 0,
        asked.history,
        DEFAULT_MINUTES if asked.minutes is None else asked.minutes,
        mqi=mqi,
    )


def _say_next(finished: RunFinished, budget: str, asked: RunOptions) -> None:
    """Print the paths of the reports, and the next command to try."""
    results = results_of(finished)
    reports = {"HTML": asked.html_file, "JSON": asked.json_file, "JUnit": asked.junit}
    for name, path in reports.items():
        if path is not None:
            click.echo(f"{name} report: {path}")
    if not any(reports.values()):
        click.echo("No report file was asked for: --html report.html writes one.")
    found, known = ("" if path is None else str(path) for path in (asked.found_file, asked.known_file))
    click.echo(f"Next: {next_command(results, defects_of(results.checks), budget, found, known)}")


def exit_status(finished: RunFinished, *, strict: bool, allow_empty: bool = False) -> int:
    """Return the exit status of a run. A run that tested nothing is never a success unless that is allowed."""
    if finished.ended_early == INTERRUPTED:
        return INTERRUPTED_STATUS
    found = {result.verdict for result in finished.results if not result.excused and not result.by_choice}
    reported = {Verdict.VIOLATES, Verdict.TARGET_ERROR} | ({Verdict.UNDECIDED} if strict else set())
    undecided_rules = strict and any(
        rule.verdict is Verdict.UNDECIDED and not rule.by_choice for rule in finished.rules
    )
    stale = any(entry.standing is Standing.STALE for entry in finished.known)
    if found & reported or undecided_rules or stale:
        return FINDINGS
    return CANNOT_RUN if results_of(finished).is_empty and not allow_empty else 0


def _listeners(asked: RunOptions) -> list[Listener]:
    files: dict[Callable[[Path], Listener], Path | None] = {
        JsonReport: asked.json_file,
        JunitReport: asked.junit,
        HtmlReport: asked.html_file,
        FoundReport: asked.found_file,
    }
    reports = [report(writable(path)) for report, path in files.items() if path is not None]
    return [ConsoleReport(Console()), *reports]
