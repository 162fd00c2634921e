"""`mq-conform known`: write a first file of known deviations."""

from __future__ import annotations

from datetime import date
from glob import escape
from pathlib import Path
from typing import Any

import click

from conformance.commands.common import fail, new_file, readable_file, writable
from conformance.reports.files import write_report
from conformance.results.defects import departures_of, rule_of
from conformance.results.document import CounterexampleSeen, Results, read_results
from oracle.errors import MqOracleError
from oracle.judging.deviations import first_review, write_deviations


@click.command(epilog="Example: mq-conform known --from results.json --output known.yaml")
@click.option(
    "--from", "results_file", type=readable_file, required=True, metavar="FILE", help="What run --json wrote."
)
@click.option("--output", type=new_file, metavar="FILE", help="The file to write; by default it is printed.")
def known(results_file: Path, output: Path | None) -> None:
    """Write the violations of a run as a file of known deviations. Then edit the reasons and the days of review."""
    try:
        text = deviations_of(read_results(results_file), first_review())
        if output is None:
            click.echo(text, nl=False)
        else:
            write_report(writable(output), text)
    except MqOracleError as error:
        fail(error)


def deviations_of(results: Results, review: date) -> str:
    """Return the text of a file of known deviations: an entry for each rule and way in which it is broken."""
    entries: dict[tuple[str, str], dict[str, Any]] = {}
    for check in results.checks:
        for found in departures_of(check):
            entry = _entry(results, found, review)
            entries.setdefault((entry["rule"], entry["observed"]), entry)
    return write_deviations(entries.values())


def _entry(results: Results, found: CounterexampleSeen, review: date) -> dict[str, Any]:
    """Return an entry without a version, so that a new version of the target alone does not fail a run."""
    return {
        "rule": rule_of(found),
        "target": escape(results.target.name),
        "observed": found.way,
        "reason": f"not looked into yet: {found.explanation}",
        "review": review,
    }
