"""The demonstration: a simulated day with planted defects, audited, and compared with what was planted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from oracle.judging.verdicts import FindingKind
from spark_checks.audit import Audit, Progress, audit
from spark_checks.demo.planting import plant_defects
from spark_checks.demo.simulation import Day, simulate_day
from spark_checks.frames import Engine
from spark_checks.reports.names import DEMO_LOG

Claim = tuple[str, str, str, str]
"""What distinguishes findings: rule, verdict, queue and message."""


@dataclass(frozen=True)
class Demonstration:
    """A day with planted defects, and its audit."""

    day: Day
    """The day, with its planted defects."""
    audit: Audit
    """The audit of its record."""
    found: frozenset[Claim]
    """The findings of the audit."""

    @property
    def planted(self) -> frozenset[Claim]:
        """The findings that the audit should make."""
        return frozenset((each.rule, FindingKind.VIOLATION.value, each.queue, each.msg_id) for each in self.day.planted)

    @property
    def exact(self) -> bool:
        """Whether exactly the planted defects were found."""
        return self.found == self.planted and not self.audit.read.unreadable


def demonstrate(engine: Engine, seed: int, directory: Path, progress: Progress) -> Demonstration:
    """Simulate a day, write its record as an event log into the directory, and audit that."""
    progress("simulating a day of traffic with the oracle")
    day = plant_defects(simulate_day(seed))
    log = directory / DEMO_LOG
    log.write_text(day.log(), encoding="utf-8")
    result = audit(engine, [log], progress)
    rows = result.findings.select("rule", "verdict", "queue", "msg_id").collect()
    return Demonstration(day, result, frozenset((row[0], row[1], row[2], row[3]) for row in rows))


def show_comparison(demonstration: Demonstration, console: Console) -> None:
    """Show each planted defect and whether it was found, other findings, and the sentences of the findings."""
    table = Table(title="Planted defects", title_justify="left", show_edge=False, pad_edge=False)
    for name in ("rule", "queue", "defect", "found as"):
        table.add_column(name, overflow="fold")
    for each in demonstration.day.planted:
        claim = (each.rule, FindingKind.VIOLATION.value, each.queue, each.msg_id)
        found = FindingKind.VIOLATION.value if claim in demonstration.found else "[bold red]not found[/]"
        table.add_row(each.rule, each.queue, each.what, found)
    console.print(table)
    console.print()
    for row in demonstration.audit.findings.order_by("rule").collect():
        console.print(f"{row['rule']}: {row['explanation']}", highlight=False, markup=False)
    console.print()
    beside = demonstration.found - demonstration.planted
    for rule, verdict, queue, msg_id in sorted(beside):
        console.print(f"[bold red]not planted:[/] {verdict} of {rule} on {queue}, message {msg_id}")
    count = len(demonstration.planted & demonstration.found)
    console.print(
        f"{count} of {len(demonstration.planted)} planted defects found, {len(beside)} other findings",
        highlight=False,
    )
