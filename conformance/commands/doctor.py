"""`mq-conform doctor`: test a new adapter step by step."""

from __future__ import annotations

import json
import shlex
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import click
from rich.table import Column, Table
from rich.text import Text

from conformance.commands.common import FINDINGS, fail, target_option, time_limit_option
from conformance.commands.reaching import mqi_options
from conformance.mqi.options import MqiOptions
from conformance.running.doctor import Diagnosis, Health, examine
from conformance.targets import target_for
from oracle.errors import MqOracleError
from oracle.program import Console

_STYLES = {Health.OK: "green", Health.FAIL: "bold red", Health.VIOLATES: "bold red", Health.SKIPPED: "dim"}
_STEP_WIDTH = 42
_HEALTH_WIDTH = 12


@click.command(epilog="Example: mq-conform doctor --target 'node target.js'")
@target_option
@time_limit_option
@mqi_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
def doctor(target: str, time_limit: float, mqi: MqiOptions | None, *, as_json: bool) -> None:
    """Test step by step whether a target keeps the protocol.

    A step ends with ok, FAIL (the protocol is not kept), violates (a rule of MQ is broken) or skipped (the target does
    not claim the feature). The last steps are plain calls that nearly every check makes: a rule that is broken there
    fails nearly every check. The exit status is 0 if no step failed, 1 if one did, 2 if the target cannot be started,
    130 after Ctrl-C or SIGTERM, which end the target too.
    """
    console, found = Console(), list[Diagnosis]()
    try:
        with closing(examine(target_for(target, mqi), time_limit)) as diagnoses:
            for diagnosis in diagnoses:
                found.append(diagnosis)
                if as_json:
                    continue
                if console.is_terminal:
                    console.print(_row(diagnosis))
                else:
                    click.echo(_line(diagnosis))
    except MqOracleError as error:
        if as_json:
            click.echo(json.dumps(_document(target, found, str(error)), indent=2))
        fail(error)
    if as_json:
        click.echo(json.dumps(_document(target, found), indent=2))
    else:
        _end(target, found)
    sys.exit(FINDINGS if _failed(found) else 0)


def _failed(found: Sequence[Diagnosis]) -> int:
    return sum(each.health in (Health.FAIL, Health.VIOLATES) for each in found)


def _document(target: str, found: Sequence[Diagnosis], error: str = "") -> dict[str, Any]:
    """Return the document of `--json`. `error` is the reason why no further steps were made, if any."""
    return {
        "target": target,
        "failed": _failed(found),
        "error": error or None,
        "steps": [{"step": each.step, "health": each.health.value, "advice": each.advice} for each in found],
    }


def _end(target: str, found: Sequence[Diagnosis]) -> None:
    """Print the verdict and the command to try next."""
    counts = Counter(each.health for each in found)
    numbers = ", ".join(f"{counts[health]} {health.value}" for health in Health if counts[health])
    failed = _failed(found)
    verdict = f"{failed} of {len(found)} steps failed" if failed else "no step failed"
    click.echo(f"Verdict: {verdict} ({numbers})")
    quoted = f"--target {shlex.quote(target)}"
    if counts[Health.FAIL]:
        click.echo(f"Next: mend the first step that says FAIL, then mq-conform doctor {quoted}")
    else:
        click.echo(f"Next: mq-conform run {quoted} --budget quick")


def _line(diagnosis: Diagnosis) -> str:
    """Return a step as a line for a file or pipe. It is not wrapped, so that a request in it can be searched for."""
    advice = diagnosis.advice.replace("\n", "\n" + " " * (_STEP_WIDTH + _HEALTH_WIDTH + 2))
    return f"{diagnosis.step:<{_STEP_WIDTH}} {diagnosis.health.value:<{_HEALTH_WIDTH}} {advice}".rstrip()


def _row(diagnosis: Diagnosis) -> Table:
    """Return a row of the table, which is shown as it is made: a step may take as long as the time limit."""
    row = Table.grid(Column(width=_STEP_WIDTH), Column(width=_HEALTH_WIDTH), Column(overflow="fold"), padding=(0, 1))
    health = Text(diagnosis.health.value, _STYLES[diagnosis.health])
    row.add_row(Text(diagnosis.step), health, Text(diagnosis.advice))
    return row
