"""The terminal's output at the end of an audit: the rules with findings, and the others in one line."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from oracle.judging.verdicts import AuditVerdict, FindingKind
from oracle.rules import catalogue
from spark_checks.reports.results import Results, RuleSeen
from spark_checks.reports.texts import copied, counted, nothing_tested, unread

_STYLES = {
    AuditVerdict.CONFORMS: "green",
    AuditVerdict.VIOLATES: "bold red",
    AuditVerdict.SUSPICION: "yellow",
    AuditVerdict.NOT_CHECKABLE: "dim",
}
_ORDER = (AuditVerdict.VIOLATES, AuditVerdict.SUSPICION, AuditVerdict.CONFORMS, AuditVerdict.NOT_CHECKABLE)
_FAULTS = 3


def show_results(results: Results, console: Console, *, all_rules: bool = False) -> None:
    """Show the results: violations first, and rules without findings only if all are asked for."""
    if results.is_empty:
        sentence = nothing_tested(results)
        _print(console, f"{sentence[:1].upper()}{sentence[1:]}", "bold red")
    shown = results.rules if all_rules else results.with_verdict(AuditVerdict.VIOLATES, AuditVerdict.SUSPICION)
    if shown:
        console.print(_table(sorted(shown, key=lambda rule: _ORDER.index(rule.result.verdict)), coverage=all_rules))
        console.print()
    if not all_rules:
        _show_rest(results, console)
    for entry in results.known:
        style = "bold red" if entry in results.stale else None
        found = f", {counted(entry.findings, 'finding')}" if entry.findings else ""
        _print(console, f"Known deviation, {entry.standing.words}{found}: {entry.deviation}", style)
    if results.replayed.followed:
        _print(console, str(results.replayed))
    violations, suspicions = (results.count(kind) for kind in (FindingKind.VIOLATION, FindingKind.SUSPICION))
    excused = f", {results.excused:,} known" if results.excused else ""
    _print(
        console,
        f"{counted(results.records, 'call')} in {results.seconds:.1f} s: {counted(violations, 'violation')}, "
        f"{counted(suspicions, 'suspicion')}{excused}",
    )
    if results.copies:
        _print(console, f"{copied(results.copies)}: each call counts once")
    if results.unreadable:
        _print(console, f"{unread(results)}, so the audit does not treat the log as complete:", "bold red")
        for fault in results.faults[:_FAULTS]:
            _print(console, f"  {fault.place}: {fault.reason}")
        if len(results.faults) > _FAULTS:
            _print(console, "  all of them are in unreadable.jsonl of the report")


def _show_rest(results: Results, console: Console) -> None:
    conforming, lacking = len(results.with_verdict(AuditVerdict.CONFORMS)), len(results.not_checkable)
    unused = len(results.not_exercised)
    rest = (
        (conforming, f"{counted(conforming, 'rule conforms', 'rules conform')}"),
        (lacking, f"{counted(lacking, 'rule is', 'rules are')} not checkable"),
        (unused, f"{counted(unused, 'rule was', 'rules were')} not exercised"),
    )
    texts = [text for count, text in rest if count]
    if texts:
        _print(console, f"{', '.join(texts)} (--all-rules shows them)")


def _table(rules: Sequence[RuleSeen], *, coverage: bool) -> Table:
    """Return a table of rules; coverage is included only if wanted."""
    known = any(rule.known for rule in rules)
    table = Table(title=None, show_edge=False, pad_edge=False)
    for name in ("rule", "rule title", "verdict"):
        table.add_column(name, overflow="fold")
    numbers = ("findings", *(["known"] if known else []), *(["checked", "not checkable"] if coverage else []))
    for name in numbers:
        table.add_column(name, justify="right")
    if coverage:
        table.add_column("missing", overflow="fold")
    for rule in rules:
        result = rule.result
        cells = [
            result.rule,
            catalogue.rule(result.rule).title,
            f"[{_STYLES[result.verdict]}]{result.verdict.value}[/]",
        ]
        cells.append(f"{result.violations + result.suspicions:,}")
        if known:
            cells.append(f"{rule.known:,}")
        if coverage:
            cells += [f"{result.checked:,}", f"{result.not_checkable:,}", ", ".join(result.missing)]
        table.add_row(*cells)
    return table


def _print(console: Console, text: str, style: str | None = None) -> None:
    console.print(text, style=style, highlight=False, markup=False, soft_wrap=True)
