"""`mq-conform run`: run the checks against a target and judge it."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import click
from rich.console import Console

from conformance.bench import Budget
from conformance.bounds import LONGEST_SEARCH_MINUTES, MOST_JOBS
from conformance.commands.common import (
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
from conformance.events import INTERRUPTED, Listener, RunFinished
from conformance.jobs import JOBS
from conformance.mqi.options import MqiOptions
from conformance.reports.console import ConsoleReport
from conformance.reports.found import FoundReport
from conformance.reports.html import HtmlReport
from conformance.reports.json_report import JsonReport
from conformance.reports.junit import JunitReport
from conformance.runner import Runner
from conformance.selection import all_checks, select
from conformance.targets import target_for
from conformance.worker import DEFAULT_MINUTES, Options
from oracle.deviations import Standing, read_deviations
from oracle.errors import MqOracleError
from oracle.program import FiniteRange
from oracle.verdicts import Verdict

_LARGEST_SEED = 2**32


@click.command(epilog="Example: mq-conform run --target 'mq-oracle serve' --budget quick --json results.json")
@target_option
@select_option
@click.option("--seed", type=click.IntRange(0), help="Repeats a run exactly; by default a new one, which is shown.")
@click.option(
    "--budget",
    type=click.Choice([budget.value for budget in Budget]),
    default=Budget.STANDARD.value,
    show_default=True,
    help="How long to search: under a minute, under five, or longer, against a fast target.",
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
    help="Exit with 1 too if something is undecided for another reason than lawful choices of the target.",
)
@known_option
@click.option(
    "--jobs",
    type=click.IntRange(1, MOST_JOBS),
    help=f"How many targets to run side by side; by default {JOBS['virtual']}, on real clocks {JOBS['real']}.",
)
@click.option("--junit", type=new_file, metavar="FILE", help="Write a JUnit report.")
@click.option("--json", "json_file", type=new_file, metavar="FILE", help="Write a JSON report.")
@click.option("--html", "html_file", type=new_file, metavar="FILE", help="Write a page for people.")
@click.option(
    "--found", "found_file", type=new_file, metavar="FILE", help="Write what was found, for mq-conform replay."
)
@click.option(
    "--history",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write what was done as event logs, one for each session, for mq-oracle replay and mq-audit.",
)
@time_limit_option
@mqi_options
def run(
    target: str,
    patterns: tuple[str, ...],
    seed: int | None,
    budget: str,
    minutes: float | None,
    *,
    fail_fast: bool,
    strict: bool,
    known_file: Path | None,
    jobs: int | None,
    junit: Path | None,
    json_file: Path | None,
    html_file: Path | None,
    found_file: Path | None,
    history: Path | None,
    time_limit: float,
    mqi: MqiOptions | None,
) -> None:
    """Run the checks against a target and judge it.

    The exit status is 0 if there is nothing to report, 1 after a violation that is not known, a known deviation that
    no longer occurs or a target error, 2 if the target cannot be run, something asked for does not exist or a report
    cannot be written, 130 after Ctrl-C or SIGTERM. These end the run after the present call, or five seconds later; a
    second one ends it at once. Reports are written with 0, 1 and 130, with what is known by then; with 2 only where a
    report or a history could not be written, and then those that fit are whole.
    """
    if minutes is not None and Budget(budget) is not Budget.DEEP:
        raise click.UsageError(
            "--minutes needs --budget deep: the other budgets count sessions, so that a seed repeats them"
        )
    try:
        checks = all_checks()
        options = Options(
            Budget(budget),
            secrets.randbelow(_LARGEST_SEED) if seed is None else seed,
            fail_fast,
            () if known_file is None else read_deviations(known_file, (check.id for check in checks)),
            time_limit,
            jobs or 0,
            history,
            DEFAULT_MINUTES if minutes is None else minutes,
            mqi=mqi,
        )
        listeners = _listeners(
            {JsonReport: json_file, JunitReport: junit, HtmlReport: html_file, FoundReport: found_file}
        )
        finished = Runner(target_for(target, mqi), options, listeners).run(select(checks, patterns))
    except MqOracleError as error:
        fail(error)
    sys.exit(exit_status(finished, strict=strict))


def exit_status(finished: RunFinished, *, strict: bool) -> int:
    """Return the exit status that a run deserves."""
    if finished.ended_early == INTERRUPTED:
        return INTERRUPTED_STATUS
    found = {result.verdict for result in finished.results if not result.excused and not result.by_choice}
    reported = {Verdict.VIOLATES, Verdict.TARGET_ERROR} | ({Verdict.UNDECIDED} if strict else set())
    undecided_rules = strict and any(
        rule.verdict is Verdict.UNDECIDED and not rule.by_choice for rule in finished.rules
    )
    stale = any(entry.standing is Standing.STALE for entry in finished.known)
    return FINDINGS if found & reported or undecided_rules or stale else 0


def _listeners(files: Mapping[Callable[[Path], Listener], Path | None]) -> list[Listener]:
    reports = [report(writable(path)) for report, path in files.items() if path is not None]
    return [ConsoleReport(Console()), *reports]
