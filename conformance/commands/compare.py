"""`mq-conform compare`: put the results of several runs side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import click
from rich.table import Table

from conformance.commands.common import fail, new_file, readable_file, writable
from conformance.reports.console import STYLES
from conformance.reports.files import write_report
from conformance.reports.html import comparison_page
from conformance.results.comparison import NOT_TESTED, Comparison, compare
from conformance.results.document import read_results
from oracle.errors import MqOracleError, UsageError
from oracle.program import Console
from oracle.rules import catalogue

_FEWEST: Final = 2
"""The number of files from which on there is something to compare."""


@click.command("compare", epilog="Example: mq-conform compare old.json new.json --html matrix.html")
@click.argument("files", type=readable_file, nargs=-1, required=True)
@click.option("--html", "html_file", type=new_file, metavar="FILE", help="Write the whole matrix as a page.")
@click.option("--all", "every", is_flag=True, help="Print every rule, not only those that differ.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
def compare_command(files: tuple[Path, ...], html_file: Path | None, *, every: bool, as_json: bool) -> None:
    """Compare FILES, two or more that `run --json` has written, rule by rule."""
    try:
        if len(files) < _FEWEST:
            raise UsageError("there is nothing to compare in one file: give two or more")
        comparison = compare([(file.name, read_results(file)) for file in files])
        if html_file is not None:
            write_report(writable(html_file), comparison_page(comparison))
    except MqOracleError as error:
        fail(error)
    if as_json:
        click.echo(json.dumps(_document(comparison, every=every), indent=2))
        return
    Console().print(_table(comparison, every=every))
    click.echo(f"{comparison}{'' if every or comparison.changed == comparison.differing else ' (--all shows them)'}")


def _document(comparison: Comparison, *, every: bool) -> dict[str, Any]:
    """Return what `--json` prints: the verdicts are in the order of the runs, null where a run has no such rule."""
    return {
        "runs": list(comparison.names),
        "compared": len(comparison.rows),
        "differing": len(comparison.differing),
        "rules": [
            {
                "id": row.rule,
                "title": catalogue.rule(row.rule).title,
                "differs": row.differs,
                "change": row.change.value if row.differs else None,
                "verdicts": [None if verdict is None else verdict.value for verdict in row.verdicts],
            }
            for row in (comparison.rows if every else comparison.differing)
        ],
    }


def _table(comparison: Comparison, *, every: bool) -> Table:
    table = Table(box=None, header_style="bold")
    for heading in ("rule", "rule title", *comparison.names):
        table.add_column(heading, overflow="fold")
    for row in comparison.rows if every else comparison.changed:
        cells = (NOT_TESTED if verdict is None else verdict.value.replace("_", " ") for verdict in row.verdicts)
        styles = ("dim" if verdict is None else STYLES.get(verdict, "") for verdict in row.verdicts)
        styled = (f"[{style}]{cell}[/]" if style else cell for cell, style in zip(cells, styles, strict=True))
        table.add_row(row.rule, catalogue.rule(row.rule).title, *styled)
    return table
