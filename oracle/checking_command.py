"""The subcommand `mq-oracle check`: many histories at once, with a line for each that does not conform."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import click

from oracle.errors import MqOracleError
from oracle.mqi.profile import PLATFORMS, PlatformName
from oracle.replay import replay
from oracle.text.text_files import read_text

_FILE: Final = click.Path(dir_okay=False, path_type=Path)
_CONFORMS, _VIOLATES, _UNDECIDED = 0, 1, 2


@click.command("check", epilog="Example: mq-oracle check histories/*.mqhistory")
@click.argument("files", nargs=-1, required=True, type=_FILE, metavar="FILE...")
@click.option(
    "--platform",
    type=click.Choice(PLATFORMS),
    default="distributed",
    show_default=True,
    help="The platform whose rules apply.",
)
@click.option("--quiet", is_flag=True, help="Print nothing about files that conform.")
def check_command(files: tuple[Path, ...], platform: PlatformName, *, quiet: bool) -> None:
    """Check that each FILE is a history whose calls all conform.

    It reads what `mq-oracle replay` reads, and prints a line for each file: the file conforms, or one of its lines
    violates a rule. The exit status is 0 if all files conform, 1 after a violation, and 2 if a file is not a history or
    lacks what is needed to decide. It can be a pre-commit hook.
    """
    statuses = [_checked(path, platform, quiet=quiet) for path in files]
    sys.exit(max(statuses))


def _checked(path: Path, platform: PlatformName, *, quiet: bool) -> int:
    try:
        steps = list(replay(read_text(path), str(path), None, platform))
    except MqOracleError as error:
        text = str(error)
        click.echo(f"mq-oracle: {text if str(path) in text else f'{path}: {text}'}", err=True)
        return _UNDECIDED
    last = steps[-1] if steps else None
    if last is not None and last.followed.departure is not None:
        departure = last.followed.departure
        click.echo(f"{last.place}: {departure.sentence} [{departure.rules[0]}]")
        return _VIOLATES
    if not quiet:
        click.echo(f"{path}: conforms, {len(steps)} {'call' if len(steps) == 1 else 'calls'}")
    return _CONFORMS
