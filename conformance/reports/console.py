"""The console report: a live line while the run goes on, then a summary by rule area and each defect in detail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from conformance.checks import CheckResult, Counterexample
from conformance.events import CheckFinished, CheckStarted, Event, RunFinished, RunStarted
from conformance.judgement import RuleResult
from conformance.known import Account, Standing
from conformance.reports import texts
from conformance.session import Setup
from oracle import catalogue
from oracle.verdicts import Verdict

_COLUMNS = {
    Verdict.CONFORMS: "conforms",
    Verdict.VIOLATES: "violates",
    Verdict.UNDECIDED: "undecided",
    Verdict.NOT_APPLICABLE: "n/a",
}
_STYLES = {Verdict.CONFORMS: "green", Verdict.VIOLATES: "bold red", Verdict.UNDECIDED: "yellow"}
_UNDECIDED_SHOWN = 10
_ERRORS_SHOWN = 3
_ALSO_SHOWN = 8
_LONGEST_TITLE = 36


class ConsoleReport:
    """Prints to a console; the live line only where somebody watches it."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task: TaskID | None = None

    def notify(self, event: Event) -> None:
        """Show what happens."""
        if isinstance(event, RunStarted):
            self._begin(event)
        elif isinstance(event, CheckStarted) and self._task is not None:
            self._progress.update(self._task, description=escape(event.check.id))
        elif isinstance(event, CheckFinished) and self._task is not None:
            self._progress.advance(self._task)
        elif isinstance(event, RunFinished):
            self._progress.stop()
            self._end(event)

    def _begin(self, started: RunStarted) -> None:
        who, hello = started.hello.implementation, started.hello
        self._print(f"{who.name} {who.version}".strip() + f" ({hello.platform}, {hello.clock} clock)")
        self._progress.start()
        self._task = self._progress.add_task("", total=len(started.checks))

    def _end(self, finished: RunFinished) -> None:
        self._console.print(_summary(finished.rules))
        violations = [each for each in finished.results if each.counterexample is not None and not each.excused]
        for group in _by_defect(violations):
            self._show_violation(group)
        self._show_known(finished.known)
        self._show_errors([result for result in finished.results if result.verdict is Verdict.TARGET_ERROR])
        if not finished.ended_early:
            self._show_undecided([rule for rule in finished.rules if rule.verdict is Verdict.UNDECIDED])
        counts = Counter(result.verdict for result in finished.results)
        told = ", ".join(
            f"{counts[verdict]} {verdict.value.replace('_', ' ')}" for verdict in Verdict if counts[verdict]
        )
        steps = sum(result.steps for result in finished.results)
        seconds = sum(result.seconds for result in finished.results)
        self._print(f"{len(finished.results)} checks: {told}")
        self._print(f"{steps} requests in {seconds:.1f} s, seed {finished.started.seed}")
        if finished.ended_early:
            self._print(f"The run ended early: {finished.ended_early}.", style="yellow")

    def _show_violation(self, group: Sequence[CheckResult]) -> None:
        """Show the shortest counterexample of a defect, and name the other checks that came upon it."""
        result = min(group, key=_length)
        found = result.counterexample
        if found is None:
            return
        rule = catalogue.rule(result.blamed[0])
        self._print(f"\n{rule.id} {rule.title}", style="bold red")
        self._print(f"{' '.join(rule.statement.split())} ({'; '.join(map(str, rule.source))})")
        if found.transcript.setup != Setup():
            self._print(f"queue manager: {found.transcript.setup.request()}")
        self._console.print(_call_table(found))
        self._print(texts.explanation(found))
        others = [other.check.id for other in group if other is not result]
        also = f", also by {', '.join(others[:_ALSO_SHOWN])}" if others else ""
        more = f" and {len(others) - _ALSO_SHOWN} more" if len(others) > _ALSO_SHOWN else ""
        self._print(f"Found by {result.check.id}{also}{more}.")

    def _show_known(self, accounts: Sequence[Account]) -> None:
        """Show the known deviations: those that do not occur any more must go."""
        for entry in accounts:
            stale = entry.standing is Standing.STALE
            due = ", due for review" if entry.deviation.is_due(date.today()) else ""
            self._print(
                f"known deviation, {entry.standing.value}{due}: {entry.deviation}", style="bold red" if stale else None
            )

    def _show_errors(self, results: Sequence[CheckResult]) -> None:
        for result in results[:_ERRORS_SHOWN]:
            self._print(f"\ntarget error in {result.check.id}", style="bold red")
            self._print(result.error)
        if len(results) > _ERRORS_SHOWN:
            self._print(f"\n... and target errors in {len(results) - _ERRORS_SHOWN} more checks", style="bold red")

    def _show_undecided(self, rules: Sequence[RuleResult]) -> None:
        for result in rules[:_UNDECIDED_SHOWN]:
            self._print(f"undecided {result.rule.id}: {result.missing}", style="yellow")
        if len(rules) > _UNDECIDED_SHOWN:
            self._print(f"... and {len(rules) - _UNDECIDED_SHOWN} more rules undecided", style="yellow")

    def _print(self, text: str, style: str | None = None) -> None:
        self._console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)


def _summary(rules: Sequence[RuleResult]) -> Table:
    table = Table(title="Rules by area", box=None, header_style="bold", title_justify="left")
    table.add_column("area", no_wrap=True)
    table.add_column("", no_wrap=True, overflow="ellipsis", max_width=_LONGEST_TITLE)
    for heading in _COLUMNS.values():
        table.add_column(heading, justify="right", no_wrap=True)
    counts: dict[str, Counter[Verdict]] = {}
    for result in rules:
        counts.setdefault(result.rule.area, Counter())[result.verdict] += 1
    for area, of_area in counts.items():
        cells = (_cell(of_area[verdict], verdict) for verdict in _COLUMNS)
        table.add_row(area, catalogue.areas()[area].title, *cells)
    total: Counter[Verdict] = sum(counts.values(), Counter())
    table.add_section()
    table.add_row("", "all", *(_cell(total[verdict], verdict) for verdict in _COLUMNS))
    return table


def _cell(count: int, verdict: Verdict) -> str:
    style = _STYLES.get(verdict)
    return "" if not count else f"[{style}]{count}[/]" if style else str(count)


def _call_table(found: Counterexample) -> Table:
    table = Table(header_style="bold", show_lines=False)
    for heading in ("call", "allowed", "observed"):
        table.add_column(heading)
    calls = texts.calls(found)
    for text in calls[:-1]:
        table.add_row(escape(text), "", "")
    table.add_row(escape(calls[-1]), escape(texts.allowed(found)), escape(texts.observed(found)), style="bold")
    return table


def _by_defect(results: Sequence[CheckResult]) -> list[list[CheckResult]]:
    """Gather the violations that name the same rule first: they are taken for one defect."""
    groups: dict[str, list[CheckResult]] = {}
    for result in results:
        groups.setdefault(result.blamed[0], []).append(result)
    return list(groups.values())


def _length(result: CheckResult) -> int:
    return 0 if result.counterexample is None else len(result.counterexample.transcript.exchanges)
