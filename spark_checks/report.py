"""What an audit says: `findings.jsonl`, `summary.json`, `unreadable.jsonl`, and a table on the terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn
from rich.console import Console
from rich.table import Table

from oracle import catalogue
from oracle.verdicts import AuditVerdict
from spark_checks.audit import Audit, RuleResult
from spark_checks.output import whole_directory

FINDINGS, SUMMARY, UNREADABLE = "findings.jsonl", "summary.json", "unreadable.jsonl"
FILES = (FINDINGS, SUMMARY, UNREADABLE)

_STYLES = {
    AuditVerdict.CONFORMS: "green",
    AuditVerdict.VIOLATES: "bold red",
    AuditVerdict.SUSPICION: "yellow",
    AuditVerdict.NOT_CHECKABLE: "dim",
}


def _rule_summary(result: RuleResult) -> dict[str, Any]:
    return {
        "id": result.rule,
        "verdict": result.verdict.value,
        "findings": result.violations + result.suspicions,
        "records_checked": result.checked,
        "records_not_checkable": result.not_checkable,
        "missing": list(result.missing),
    }


def summary(audit: Audit) -> dict[str, Any]:
    """Return what `summary.json` holds."""
    return {
        "records": audit.records,
        "unreadable": audit.unreadable,
        "seconds": round(audit.seconds, 3),
        "rules": [_rule_summary(result) for result in audit.rules],
    }


def _write_lines(frame: DataFrame, path: Path) -> None:
    """Write rows as JSON Lines, with every member of a finding even where it is unknown."""
    rows = frame.select(fn.to_json(fn.struct(*frame.columns), {"ignoreNullFields": "false"}).alias("line"))
    with path.open("w", encoding="utf-8") as file:
        for row in rows.toLocalIterator():
            file.write(row["line"] + "\n")


def write_report(audit: Audit, directory: Path) -> None:
    """Write the files of an audit, all together or none. Raises BadInputError if they cannot be written."""
    first = fn.col("calls")[0]
    order = ("qmgr", "queue", "rule", first["start_us"], first["conn"], first["seq"], "msg_id", "explanation")
    with whole_directory(directory) as new:
        _write_lines(audit.findings.orderBy(*order), new / FINDINGS)
        _write_lines(audit.faults.orderBy("source", "line"), new / UNREADABLE)
        (new / SUMMARY).write_text(json.dumps(summary(audit), indent=2) + "\n", encoding="utf-8")


def _table(audit: Audit) -> Table:
    table = Table(title=None, show_edge=False, pad_edge=False)
    for name in ("rule", "about", "verdict"):
        table.add_column(name, overflow="fold")
    for name in ("findings", "checked", "not checkable"):
        table.add_column(name, justify="right")
    table.add_column("missing", overflow="fold")
    for result in audit.rules:
        table.add_row(
            result.rule,
            catalogue.rule(result.rule).title,
            f"[{_STYLES[result.verdict]}]{result.verdict.value}[/]",
            f"{result.violations + result.suspicions:,}",
            f"{result.checked:,}",
            f"{result.not_checkable:,}",
            ", ".join(result.missing),
        )
    return table


def show(audit: Audit, console: Console) -> None:
    """Show the summary of an audit on the terminal."""
    violations = sum(result.violations for result in audit.rules)
    suspicions = sum(result.suspicions for result in audit.rules)
    console.print(_table(audit))
    console.print()
    console.print(
        f"{audit.records:,} calls in {audit.seconds:.1f} s: "
        f"{violations:,} {'violation' if violations == 1 else 'violations'}, "
        f"{suspicions:,} {'suspicion' if suspicions == 1 else 'suspicions'}",
        highlight=False,
    )
    if audit.unreadable:
        records = "record" if audit.unreadable == 1 else "records"
        console.print(f"{audit.unreadable:,} {records} could not be read, so the log is not taken as complete:")
        for row in audit.faults.orderBy("source", "line").limit(3).collect():
            console.print(f"  {row['source']}:{row['line']}: {row['reason']}", highlight=False, markup=False)
