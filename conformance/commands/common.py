"""Common parts of the subcommands: options, exit statuses, and failures."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NoReturn

import click

from conformance.running.bounds import LONGEST_TIME_LIMIT_S
from conformance.sessions.dialogue import DEFAULT_TIME_LIMIT_S
from oracle.errors import MqOracleError, UsageError
from oracle.program import FiniteRange
from oracle.signals import INTERRUPTED
from oracle.text.whole_files import check_place

FINDINGS = 1
CANNOT_RUN = 2
INTERRUPTED_STATUS = INTERRUPTED


target_option = click.option(
    "--target",
    required=True,
    metavar="COMMAND",
    help="The implementation: a command line that speaks the target protocol, python:package.module:callable, or the "
    "queue manager mqi:QM1.",
)
select_option = click.option(
    "--select",
    "patterns",
    multiple=True,
    metavar="PATTERN",
    help="Only checks with this id, area or rule; wildcards as in a shell. May be given several times.",
)
known_option = click.option(
    "--known",
    "known_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A YAML file of known deviations: they are excused; an entry that no longer matches fails the run.",
)
time_limit_option = click.option(
    "--time-limit",
    type=FiniteRange(0.0, LONGEST_TIME_LIMIT_S, min_open=True),
    default=DEFAULT_TIME_LIMIT_S,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for a reply of the target.",
)
readable_file = click.Path(exists=True, dir_okay=False, path_type=Path)
new_file = click.Path(dir_okay=False, path_type=Path)


def writable(path: Path) -> Path:
    """Return the path of a report after a check that it can be written, so that a run does not fail at its end.

    Raises click.BadParameter if it cannot be written.
    """
    try:
        check_place(path)
    except UsageError as error:
        raise click.BadParameter(str(error)) from error
    return path


def fail(error: MqOracleError) -> NoReturn:
    """Print an error, and exit with status 2."""
    click.echo(f"mq-conform: {error}", err=True)
    sys.exit(CANNOT_RUN)
