"""`mq-conform replay`: play the scenarios of a file against a target."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from conformance.checks.scenarios import parse_scenarios
from conformance.commands.common import fail, readable_file, target_option, time_limit_option
from conformance.commands.reaching import mqi_options
from conformance.commands.run import exit_status
from conformance.mqi.options import MqiOptions
from conformance.reports.console import ConsoleReport
from conformance.running.runner import Runner
from conformance.running.worker import Options
from conformance.targets import target_for
from oracle.errors import MqOracleError
from oracle.program import Console
from oracle.text.yaml_files import read_text


@click.command(epilog="Example: mq-conform replay found.yaml --target 'mq-oracle serve'")
@click.argument("file", type=readable_file)
@target_option
@time_limit_option
@mqi_options
def replay(file: Path, target: str, time_limit: float, mqi: MqiOptions | None) -> None:
    """Play scenarios: those that `run --found` wrote, or your own.

    The exit status is that of `run`, and Ctrl-C and SIGTERM end it likewise.
    """
    try:
        checks = [scenario.check() for scenario in parse_scenarios(read_text(file), str(file))]
        options = Options(time_limit=time_limit, mqi=mqi)
        finished = Runner(target_for(target, mqi), options, [ConsoleReport(Console())]).run(checks)
    except MqOracleError as error:
        fail(error)
    sys.exit(exit_status(finished, strict=True))
