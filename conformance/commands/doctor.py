"""`mq-conform doctor`: look at a new adapter's manners."""

from __future__ import annotations

import sys

import click
from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from conformance.commands.common import FINDINGS, INTERRUPTED_STATUS, fail, target_option, time_limit_option
from conformance.commands.reaching import mqi_options
from conformance.doctor import Health, examine
from conformance.mqi.options import MqiOptions
from conformance.targets import target_for
from oracle.errors import MqOracleError

_STYLES = {Health.WELL: "green", Health.ILL: "bold red", Health.PASSED_OVER: "dim"}


@click.command(epilog="Example: mq-conform doctor --target 'node target.js'")
@target_option
@time_limit_option
@mqi_options
def doctor(target: str, time_limit: float, mqi: MqiOptions | None) -> None:
    """Look step by step at how a target speaks the protocol, before anything is judged by the documents.

    The exit status is 0 if all is well, 1 if something is not, 2 if the target cannot be started.
    """
    table = Table(box=None, header_style="bold", show_header=False)
    for heading in ("step", "", "what to do"):
        table.add_column(heading)
    ill = 0
    try:
        with Live(table, console=Console()):
            for diagnosis in examine(target_for(target, mqi), time_limit):
                ill += diagnosis.health is Health.ILL
                style = _STYLES[diagnosis.health]
                table.add_row(diagnosis.step, f"[{style}]{diagnosis.health.value}[/]", escape(diagnosis.advice))
                table.show_header = True
    except MqOracleError as error:
        fail(error)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED_STATUS)
    sys.exit(FINDINGS if ill else 0)
