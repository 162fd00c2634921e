"""The last lines of an audit on the terminal: the verdict, the report's path, and the next command to try."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from spark_checks.reports.results import Results
from spark_checks.reports.texts import sentence

_INPUTS_SHOWN = 3


def show_ending(results: Results, directory: Path | None, inputs: Sequence[Path]) -> None:
    """Print the verdict on a log, the page in `directory`, and the next command.

    `inputs` names the audited inputs. Without a directory there is no page.
    """
    click.echo(f"Verdict: {sentence(results)}")
    if directory is None:
        return
    click.echo(f"Report: {directory / 'report.html'}")
    click.echo(f"Next: {next_command(results, directory, inputs)}")


def next_command(results: Results, directory: Path, inputs: Sequence[Path]) -> str:
    """Return the command that shows the first finding, or advice on what to capture to check more rules."""
    if results.groups:
        new = [group for group in results.groups if group.excused_by is None] or results.groups
        return f"mq-audit show {shlex.quote(str(directory))} --finding {new[0].first_number}"
    named = [shlex.quote(str(each)) for each in inputs[:_INPUTS_SHOWN]]
    more = ["..."] if len(inputs) > _INPUTS_SHOWN else []
    return " ".join(["mq-audit inspect", *named, *more])
