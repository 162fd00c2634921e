"""`mq-conform list`: the checks and the rules that they decide."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

import click

from conformance.checks.check import Check
from conformance.checks.selection import all_checks, select
from conformance.commands.common import fail, select_option
from oracle.errors import MqOracleError
from oracle.program import Console
from oracle.rules import catalogue

_WIDTH = 78


@click.command("list", epilog="Example: mq-conform list --select lock")
@select_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
def list_command(patterns: tuple[str, ...], *, as_json: bool) -> None:
    """List the checks with their rules and titles. In a pipe, each check is one line with tabs."""
    try:
        checks = select(all_checks(), patterns)
    except MqOracleError as error:
        fail(error)
    if as_json:
        click.echo(json.dumps(listing(checks), indent=2))
        return
    folded = Console().is_terminal
    for check in checks:
        click.echo("\n".join(lines_of(check, folded=folded)))
    if folded:  # in a pipe every line is one check
        rules = {rule for check in checks for rule in check.rules}
        click.echo(f"{_counted(len(checks), 'check')}, {_counted(len(rules), 'rule')}")


def _counted(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"


def lines_of(check: Check, *, folded: bool) -> Iterator[str]:
    """Yield a check as one line for other programs, with tabs between its columns, or as lines that fit a terminal."""
    rules = " ".join(check.rules) or "every rule that it exercises"
    if not folded:
        yield f"{check.id}\t{rules}\t{check.title}"
        return
    yield check.id
    for text in (check.title, rules):
        yield from wrap(text, _WIDTH, initial_indent="    ", subsequent_indent="    ")


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
