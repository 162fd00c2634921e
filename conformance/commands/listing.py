"""`mq-conform list`: the checks and the rules that they decide."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from conformance.checks import Check
from conformance.commands.common import fail, select_option
from conformance.selection import all_checks, select
from oracle import catalogue
from oracle.errors import MqOracleError


@click.command("list", epilog="Example: mq-conform list --select lock")
@select_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
def list_command(patterns: tuple[str, ...], *, as_json: bool) -> None:
    """List the checks and the rules that they decide."""
    try:
        checks = select(all_checks(), patterns)
    except MqOracleError as error:
        fail(error)
    if as_json:
        click.echo(json.dumps(listing(checks), indent=2))
        return
    table = Table(box=None, header_style="bold")
    for heading in ("check", "rules", "title"):
        table.add_column(heading, no_wrap=heading == "check")
    for check in checks:
        table.add_row(check.id, " ".join(check.rules) or "whatever it comes upon", check.title)
    Console().print(table)
    click.echo(f"{len(checks)} checks, {len({rule for check in checks for rule in check.rules})} rules")


def listing(checks: Sequence[Check]) -> dict[str, Any]:
    """Return the checks and the rules that they decide, as `list --json` prints them."""
    deciding: dict[str, list[str]] = {}
    for check in checks:
        for rule in check.rules:
            deciding.setdefault(rule, []).append(check.id)
    return {
        "checks": [
            {
                "id": check.id,
                "title": check.title,
                "kind": check.kind,
                "rules": list(check.rules),
                "features": list(check.features),
                "platforms": list(check.platforms),
            }
            for check in checks
        ],
        "rules": [
            {"id": rule.id, "title": rule.title, "checks": deciding[rule.id]}
            for rule in catalogue.rules()
            if rule.id in deciding
        ],
    }
