"""`mq-conform mqsc`: definitions of queues, for an administrator to run if the tester may not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from conformance.checks.scenarios import scenarios
from conformance.commands.common import fail
from conformance.mqi.definitions import needed, written
from conformance.mqi.options import DEFAULT_PREFIX, MqiOptions
from oracle.errors import UsageError
from oracle.examples.rule_examples import examples
from oracle.mqi.profile import PLATFORMS

_HEAD = """\
* Queues for mq-conform. Run this with runmqsc, let the tester get, put, browse, inquire and set on all of them, and
* hand this file back: mq-conform run --target mqi:NAME --predefined FILE. The suite empties these queues and puts their
* inhibit and trigger attributes back; it touches no others. When the testing is over, delete them.
"""


@click.command(epilog="Example: mq-conform mqsc --queue-prefix TEST.MQ > queues.mqsc")
@click.option("--queue-prefix", default=DEFAULT_PREFIX, show_default=True, metavar="PREFIX", help="How names begin.")
@click.option(
    "--platform",
    type=click.Choice(PLATFORMS),
    default="distributed",
    show_default=True,
    help="For which platform; on z/OS queues have index types.",
)
def mqsc(queue_prefix: str, platform: str) -> None:
    """Print definitions of queues for an administrator. Give the same file to `run --predefined`."""
    try:
        MqiOptions(queue_prefix=queue_prefix)  # it knows the prefixes that the suite can work with
    except UsageError as error:
        fail(error)
    click.echo(_HEAD, nl=False)
    for line in written(needed(_setups(), platform), queue_prefix):
        click.echo(line)


def _setups() -> Iterator[tuple[Mapping[str, Any], ...]]:
    yield from (scenario.queues for scenario in scenarios())
    yield from (example.queues for example in examples())
