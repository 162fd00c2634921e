"""The subcommand `mq-oracle listen`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import click

from oracle.errors import MqOracleError
from oracle.mqi.profile import PLATFORMS
from oracle.network.negotiation import HEARTBEAT, LONGEST_HEARTBEAT

_FILE: Final = click.Path(dir_okay=False, path_type=Path)


@click.command("listen", epilog="Example: mq-oracle listen --port 1414 --queue ORDERS --queue REPLIES")
@click.option("--port", type=click.IntRange(0, 65535), default=1414, show_default=True, help="0 takes a free port.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on; other machines cannot reach a loopback address.",
)
@click.option("--name", default="QM1", show_default=True, help="The queue manager's name.")
@click.option("--queue", "queues", multiple=True, metavar="NAME", help="A local queue; may be given several times.")
@click.option("--definitions", type=_FILE, help="A JSON object with queues and qmgr: attributes by name.")
@click.option("--platform", type=click.Choice(PLATFORMS), default="distributed", show_default=True)
@click.option(
    "--clock",
    type=click.Choice(("virtual", "real", "manual")),
    default="virtual",
    show_default=True,
    help="What moves the clock besides `advance`: waits that end (virtual), real time, or nothing (manual).",
)
@click.option(
    "--user",
    "users",
    multiple=True,
    metavar="NAME=SECRET",
    help="A user who may connect, and nobody else; may be given several times.",
)
@click.option("--certificate", type=_FILE, help="Channels have TLS: the certificate, in PEM form.")
@click.option("--key", type=_FILE, help="The certificate's key, in PEM form.")
@click.option(
    "--heartbeat",
    type=click.IntRange(0, LONGEST_HEARTBEAT),
    default=HEARTBEAT,
    show_default=True,
    metavar="SECONDS",
    help="How long a client may be idle before it is asked for a sign of life; 0 asks none.",
)
@click.option("--capture", type=_FILE, metavar="FILE.pcap", help="Write the traffic to a packet capture.")
@click.option(
    "--end-with-input", is_flag=True, help="End when standard input ends, as with the process that started this."
)
def listen_command(host: str, port: int, **options: Any) -> None:
    """Run a queue manager on the network, for clients of IBM MQ.

    The first line on standard output names the port. After it come answers to lines on standard input: `advance
    SECONDS` moves the clock, `depth QUEUE` and `waiting` (how many calls wait) ask, `quiesce` and `stop` end it.
    """
    from oracle.network.listening import listen  # noqa: PLC0415 - the other commands need none of it

    try:
        listen(host, port, options)
    except MqOracleError as error:
        click.echo(f"mq-oracle: {error}", err=True)
        sys.exit(2)
