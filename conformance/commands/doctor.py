"""`mq-conform doctor`: look at a new adapter's manners."""

from __future__ import annotations

import sys
from contextlib import closing

import click
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from conformance.commands.common import FINDINGS, fail, target_option, time_limit_option
from conformance.commands.reaching import mqi_options
from conformance.doctor import Diagnosis, Health, examine
from conformance.mqi.options import MqiOptions
from conformance.targets import target_for
from oracle.errors import MqOracleError

_STYLES = {Health.WELL: "green", Health.ILL: "bold red", Health.DEPARTS: "bold red", Health.PASSED_OVER: "dim"}
_STEP_WIDTH = 42
_HEALTH_WIDTH = 12
_WIDTH_OF_A_FILE = 10_000
"""Off a terminal nothing is folded: requests are shown, and one that is cut into pieces cannot be searched for."""


@click.command(epilog="Example: mq-conform doctor --target 'node target.js'")
@target_option
@time_limit_option
@mqi_options
def doctor(target: str, time_limit: float, mqi: MqiOptions | None) -> None:
    """Look step by step at how a target speaks the protocol, then at what nearly every check will meet.

    The last steps are plain calls, judged by the documents: what departs there departs in nearly all checks. The exit
    status is 0 if all is well, 1 if something is not, 2 if the target cannot be started, 130 after Ctrl-C or
    SIGTERM, which end the target too.
    """
    console, ill = Console(), 0
    if not console.is_terminal:
        console.width = _WIDTH_OF_A_FILE
    try:
        with closing(examine(target_for(target, mqi), time_limit)) as diagnoses:
            for diagnosis in diagnoses:
                ill += diagnosis.health in (Health.ILL, Health.DEPARTS)
                console.print(_row(diagnosis))
    except MqOracleError as error:
        fail(error)
    sys.exit(FINDINGS if ill else 0)


def _row(diagnosis: Diagnosis) -> Table:
    """Return a line of the table, which is shown as it comes: a step may take as long as the time limit."""
    row = Table.grid(Column(width=_STEP_WIDTH), Column(width=_HEALTH_WIDTH), Column(overflow="fold"), padding=(0, 1))
    health = Text(diagnosis.health.value, _STYLES[diagnosis.health])
    row.add_row(Text(diagnosis.step), health, Text(diagnosis.advice))
    return row
