"""The command `mq-conform`."""

from __future__ import annotations

import json
import os
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click
from rich.console import Console
from rich.table import Table

from conformance.bench import Budget
from conformance.checks import Check
from conformance.dialogue import DEFAULT_TIME_LIMIT_S
from conformance.events import INTERRUPTED, Listener, RunFinished
from conformance.reports.console import ConsoleReport
from conformance.reports.json_report import JsonReport
from conformance.reports.junit import JunitReport
from conformance.runner import Options, Runner
from conformance.selection import all_checks, select
from conformance.targets import target_for
from oracle import __version__, catalogue
from oracle.errors import MqOracleError
from oracle.verdicts import Verdict

_FINDINGS = 1
_CANNOT_RUN = 2
_INTERRUPTED = 130
_LARGEST_SEED = 2**32

_select_option = click.option(
    "--select",
    "patterns",
    multiple=True,
    metavar="PATTERN",
    help="Only checks with this id, area or rule; wildcards as in a shell. May be given several times.",
)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: mq-conform run --target 'mq-oracle serve' --select 'LCK-*'",
)
@click.version_option(__version__, prog_name="mq-conform")
def main() -> None:
    """Judge an implementation of message queueing by the documents of IBM MQ, rule by rule."""


@main.command(epilog="Example: mq-conform run --target 'mq-oracle serve' --budget quick --json results.json")
@click.option(
    "--target",
    required=True,
    metavar="COMMAND",
    help="The implementation: a command line that speaks the target protocol, or python:package.module:callable.",
)
@_select_option
@click.option("--seed", type=click.IntRange(0), help="Repeats a run exactly; by default a new one, which is shown.")
@click.option(
    "--budget",
    type=click.Choice([budget.value for budget in Budget]),
    default=Budget.STANDARD.value,
    show_default=True,
    help="How long to search: under a minute, under five, or longer, against a fast target.",
)
@click.option("--fail-fast", is_flag=True, help="Stop at the first violation.")
@click.option("--strict", is_flag=True, help="Exit with 1 too if something is undecided.")
@click.option("--junit", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write a JUnit report.")
@click.option(
    "--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write a JSON report."
)
@click.option(
    "--time-limit",
    type=click.FloatRange(0.0, min_open=True),
    default=DEFAULT_TIME_LIMIT_S,
    show_default=True,
    metavar="SECONDS",
    help="How long the target has for a reply.",
)
def run(
    target: str,
    patterns: tuple[str, ...],
    seed: int | None,
    budget: str,
    *,
    fail_fast: bool,
    strict: bool,
    junit: Path | None,
    json_file: Path | None,
    time_limit: float,
) -> None:
    """Run the checks against a target and judge it.

    The exit status is 0 if there is nothing to report, 1 after a violation or a target error, 2 if the target cannot
    be run or something asked for does not exist, 130 after Ctrl-C; reports are written in every case but 2.
    """
    options = Options(Budget(budget), secrets.randbelow(_LARGEST_SEED) if seed is None else seed, fail_fast, time_limit)
    try:
        checks = select(all_checks(), patterns)
        listeners = _listeners(junit, json_file)
        finished = Runner(target_for(target), options, listeners).run(checks)
    except MqOracleError as error:
        _fail(error)
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    sys.exit(exit_status(finished, strict=strict))


@main.command("list", epilog="Example: mq-conform list --select lock")
@_select_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
def list_command(patterns: tuple[str, ...], *, as_json: bool) -> None:
    """List the checks and the rules that they decide."""
    try:
        checks = select(all_checks(), patterns)
    except MqOracleError as error:
        _fail(error)
    if as_json:
        click.echo(json.dumps(listing(checks), indent=2))
        return
    table = Table(box=None, header_style="bold")
    for heading in ("check", "rules", "title"):
        table.add_column(heading, no_wrap=heading == "check")
    for check in checks:
        table.add_row(check.id, " ".join(check.rules) or "whatever it comes upon", check.title)
    Console().print(table)
    click.echo(f"{len(checks)} checks, {len({rule for check in checks for rule in check.rules})} rules")


def listing(checks: Sequence[Check]) -> dict[str, Any]:
    """Return the checks and the rules that they decide, as `list --json` prints them."""
    deciding: dict[str, list[str]] = {}
    for check in checks:
        for rule in check.rules:
            deciding.setdefault(rule, []).append(check.id)
    return {
        "checks": [
            {
                "id": check.id,
                "title": check.title,
                "kind": check.kind,
                "rules": list(check.rules),
                "features": list(check.features),
                "platforms": list(check.platforms),
            }
            for check in checks
        ],
        "rules": [
            {"id": rule.id, "title": rule.title, "checks": deciding[rule.id]}
            for rule in catalogue.rules()
            if rule.id in deciding
        ],
    }


def exit_status(finished: RunFinished, *, strict: bool) -> int:
    """Return the exit status that a run deserves."""
    if finished.ended_early == INTERRUPTED:
        return _INTERRUPTED
    found = {result.verdict for result in finished.results}
    reported = {Verdict.VIOLATES, Verdict.TARGET_ERROR} | ({Verdict.UNDECIDED} if strict else set())
    undecided_rules = strict and any(rule.verdict is Verdict.UNDECIDED for rule in finished.rules)
    return _FINDINGS if found & reported or undecided_rules else 0


def _listeners(junit: Path | None, json_file: Path | None) -> list[Listener]:
    listeners: list[Listener] = [ConsoleReport(Console())]
    for path, report in ((json_file, JsonReport), (junit, JunitReport)):
        if path is not None:
            if not os.access(path.parent, os.W_OK):
                raise click.BadParameter(f"no file can be written in the folder {path.parent}")
            listeners.append(report(path))
    return listeners


def _fail(error: MqOracleError) -> NoReturn:
    """Print what went wrong and exit with status 2."""
    click.echo(f"mq-conform: {error}", err=True)
    sys.exit(_CANNOT_RUN)
