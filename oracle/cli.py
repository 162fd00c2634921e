"""The command `mq-oracle`."""

from __future__ import annotations

import json
import sys
from typing import Any, NoReturn

import click
from rich.console import Console
from rich.table import Table

from oracle import __version__, catalogue
from oracle.errors import MqOracleError, UsageError
from oracle.profile import PlatformName
from oracle.serve import Server, serve


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: mq-oracle rules LCK-12",
)
@click.version_option(__version__, prog_name="mq-oracle")
def main() -> None:
    """Explain the rules of MQGET and MQPUT, and play a queue manager that keeps them."""


@main.command("rules", epilog="Example: mq-oracle rules --area LCK, or: mq-oracle rules LCK-12 --json")
@click.argument("ids", nargs=-1, metavar="[RULE]...")
@click.option("--area", help="Only the rules of one area, such as LCK.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
def rules_command(ids: tuple[str, ...], area: str | None, *, as_json: bool) -> None:
    """List the rules of the catalogue, or explain some of them."""
    try:
        chosen = [catalogue.rule(each) for each in ids] or _of_area(area)
    except MqOracleError as error:
        fail(error)
    if as_json:
        click.echo(json.dumps([_members(rule) for rule in chosen], indent=2))
    elif ids:
        for rule in chosen:
            click.echo(explain(rule))
    else:
        _list(chosen)


@main.command("serve", epilog="Example: mq-conform run --target 'mq-oracle serve'")
@click.option(
    "--platform",
    type=click.Choice(["distributed", "zos", "ibmi"]),
    default="distributed",
    show_default=True,
    help="The platform whose rules the queue manager keeps.",
)
def serve_command(platform: PlatformName) -> None:
    """Be a target: read protocol requests on standard input, write replies on standard output."""
    for reply in serve(sys.stdin, Server(platform)):
        click.echo(reply)


def fail(error: MqOracleError) -> NoReturn:
    """Print what went wrong and exit with status 2."""
    click.echo(f"mq-oracle: {error}", err=True)
    sys.exit(2)


def explain(rule: catalogue.Rule) -> str:
    """Return everything that the catalogue says about a rule, as text to read."""
    lines = [f"{rule.id}  {rule.title}", "", rule.statement.strip(), ""]
    lines += [f"Source: {source}" for source in rule.source]
    lines += [f"Platforms: {', '.join(rule.platforms)}", f"Strength: {rule.strength}"]
    for label, text in (("Outcome", rule.outcome), ("Free choice", rule.freedom), ("In a log", rule.log_check)):
        if text:
            lines.append(f"{label}: {text.strip()}")
    if rule.unobservable is None:
        lines.append(f"Observed by: {', '.join(rule.observed_by)}")
    else:
        lines.append(f"Not observable: {rule.unobservable.strip()}")
    lines += [f"Reading {reading.id}: {reading.reading.strip()}" for reading in rule.readings]
    return "\n".join(lines) + "\n"


def _of_area(area: str | None) -> list[catalogue.Rule]:
    if area is None:
        return list(catalogue.rules())
    known = catalogue.areas()
    if area.upper() not in known:
        raise UsageError(f"no area {area!r}; the areas are {', '.join(sorted(known))}")
    return list(known[area.upper()].rules)


def _members(rule: catalogue.Rule) -> dict[str, Any]:
    return {**rule.model_dump(mode="json"), "area": rule.area}


def _list(chosen: list[catalogue.Rule]) -> None:
    table = Table(box=None, header_style="bold")
    for heading in ("Rule", "Strength", "Title"):
        table.add_column(heading, no_wrap=heading != "Title")
    for rule in chosen:
        table.add_row(rule.id, rule.strength, rule.title)
    Console().print(table)
    click.echo(f"{len(chosen)} rules")
