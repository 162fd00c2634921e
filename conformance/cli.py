"""The command `mq-conform`: its subcommands are in `conformance.commands`."""

from __future__ import annotations

import click

from conformance.commands.compare import compare_command
from conformance.commands.doctor import doctor
from conformance.commands.known import known
from conformance.commands.listing import list_command
from conformance.commands.mqsc import mqsc
from conformance.commands.replay import replay
from conformance.commands.run import run
from conformance.commands.schema import schema
from conformance.commands.sensitivity import sensitivity
from oracle import __version__
from oracle.program import TerminableProgram


@click.group(
    cls=TerminableProgram,
    tool="mq-conform",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: mq-conform run --target 'mq-oracle serve' --select 'LCK-*'",
)
@click.version_option(__version__, prog_name="mq-conform")
def main() -> None:
    """Judge an implementation of message queueing by the documents of IBM MQ, rule by rule."""


for command in (run, list_command, replay, compare_command, known, doctor, mqsc, schema, sensitivity):
    main.add_command(command)
