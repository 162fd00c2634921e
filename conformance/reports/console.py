"""The console report: a live line during the run, then a summary by rule area and each defect in detail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from conformance.reports.verdict import in_a_sentence
from conformance.results.defects import Defect, defects_of
from conformance.results.document import CheckSeen, CounterexampleSeen, KnownSeen, RuleSeen, results_of
from conformance.results.events import CheckFinished, CheckStarted, Event, RunFinished, RunStarted
from oracle.judging.deviations import Standing
from oracle.judging.verdicts import Verdict
from oracle.program import unwritten_output
from oracle.rules import catalogue

_COLUMNS = {
    Verdict.CONFORMS: "conforms",
    Verdict.VIOLATES: "violates",
    Verdict.UNDECIDED: "undecided",
    Verdict.NOT_APPLICABLE: "n/a",
}
STYLES = {Verdict.CONFORMS: "green", Verdict.VIOLATES: "bold red", Verdict.UNDECIDED: "yellow"}
_UNDECIDED_SHOWN = 10
_ERRORS_SHOWN = 3
_ALSO_SHOWN = 8
_OTHERS_SHOWN = 5
_LONGEST_TITLE = 36


class ConsoleReport:
    """A report on a console; the live line is shown only on a terminal."""

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
        """Show an event. Raises UsageError if it cannot be written."""
        try:
            self._show(event)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise unwritten_output(error) from error

    def _show(self, event: Event) -> None:
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
        results = results_of(finished)
        defects = defects_of(results.checks)
        verdict, sentence = in_a_sentence(results, defects)
        if results.is_empty:
            self._print(_capitalised(sentence), style="bold red")
        self._console.print(_summary(results.rules))
        for number, defect in enumerate(defects, start=1):
            self._show_defect(number, defect)
        self._show_known(results.known, results.target.version)
        self._show_errors([check for check in results.checks if check.error])
        if not finished.ended_early:
            self._show_undecided([rule for rule in results.rules if rule.verdict is Verdict.UNDECIDED])
        if defects:  # at the end, because the last lines are visible when the run is over
            self._console.print(_overview(defects))
        numbers = ", ".join(
            f"{count} {verdict.replace('_', ' ')}" for verdict, count in results.summary.items() if count
        )
        steps = sum(check.steps for check in results.checks)
        seconds = sum(check.seconds for check in results.checks)
        checks = len(results.checks)
        self._print(f"{checks} {'check' if checks == 1 else 'checks'}: {numbers}")
        # with --jobs the checks run side by side, so their seconds are not those of the run
        self._print(f"{steps} requests, {seconds:.1f} s in all checks together, seed {results.seed}")
        if results.ended_early:
            self._print(f"Ended early: {results.ended_early}.", style="yellow")
        self._print(f"Verdict: {sentence}", style=STYLES.get(verdict))

    def _show_defect(self, number: int, defect: Defect) -> None:
        """Show the counterexample of a defect, and name the other rules and checks that found it."""
        rule, found = catalogue.rule(defect.rule), defect.found
        self._print(f"\n{number}. {defect.what}", style="bold red")
        self._print(f"{rule.id} {rule.title}", style="bold")
        self._print(f"{' '.join(rule.statement.split())} ({'; '.join(map(str, rule.source))})")
        for queue in found.scenario.get("queues", ()):
            self._print(f"queue: {_attributes(queue)}")
        if found.scenario.get("qmgr"):
            self._print(f"queue manager: {_attributes(found.scenario['qmgr'])}")
        self._console.print(_call_table(found))
        self._print(found.explanation)
        for name, other in list(defect.others.items())[:_OTHERS_SHOWN]:
            self._print(
                f"Also breaks {name} {catalogue.rule(name).title}. Found by {other.check.id}: {other.found.calls[-1]}"
            )
        if len(defect.others) > _OTHERS_SHOWN:
            self._print(f"Also breaks {len(defect.others) - _OTHERS_SHOWN} more rules.")
        also = f", also by {', '.join(defect.also[:_ALSO_SHOWN])}" if defect.also else ""
        more = f" and {len(defect.also) - _ALSO_SHOWN} more checks" if len(defect.also) > _ALSO_SHOWN else ""
        self._print(f"Found by {defect.check}{also}{more}.")

    def _show_known(self, known: Sequence[KnownSeen], version: str) -> None:
        """Show the known deviations: an entry that no longer matches fails the run."""
        for entry in known:
            stale = entry.standing is Standing.STALE
            due = ", due for review" if entry.deviation.is_due(date.today()) else ""
            if entry.deviation.is_for_other_version(version):
                due += f", written for version {entry.deviation.version}, this is version {version}"
            self._print(
                f"Known deviation, {entry.standing.words}{due}: {entry.deviation}", style="bold red" if stale else None
            )

    def _show_errors(self, checks: Sequence[CheckSeen]) -> None:
        for check in checks[:_ERRORS_SHOWN]:
            self._print(f"\nTarget error in {check.id}", style="bold red")
            self._print(check.error)
        if len(checks) > _ERRORS_SHOWN:
            self._print(f"\n... and target errors in {len(checks) - _ERRORS_SHOWN} more checks", style="bold red")

    def _show_undecided(self, rules: Sequence[RuleSeen]) -> None:
        for rule in rules[:_UNDECIDED_SHOWN]:
            self._print(f"Undecided {rule.id}: {rule.missing}", style="yellow")
        if len(rules) > _UNDECIDED_SHOWN:
            self._print(f"... and {len(rules) - _UNDECIDED_SHOWN} more rules undecided", style="yellow")

    def _print(self, text: str, style: str | None = None) -> None:
        self._console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _summary(rules: Sequence[RuleSeen]) -> Table:
    table = Table(title="Rules by area", box=None, header_style="bold", title_justify="left")
    table.add_column("area", no_wrap=True)
    table.add_column("", overflow="fold", max_width=_LONGEST_TITLE)
    for heading in _COLUMNS.values():
        table.add_column(heading, justify="right", no_wrap=True)
    counts: dict[str, Counter[Verdict]] = {}
    for seen in rules:
        counts.setdefault(catalogue.rule(seen.id).area, Counter())[seen.verdict] += 1
    for area, of_area in counts.items():
        cells = (_cell(of_area[verdict], verdict) for verdict in _COLUMNS)
        table.add_row(area, catalogue.areas()[area].title, *cells)
    total: Counter[Verdict] = sum(counts.values(), Counter())
    table.add_section()
    table.add_row("", "all", *(_cell(total[verdict], verdict) for verdict in _COLUMNS))
    return table


def _overview(defects: Sequence[Defect]) -> Table:
    """Return all defects, one a line: the rule, the departure, and the number of checks that found it."""
    table = Table(title="Defects", box=None, header_style="bold", title_justify="left")
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("rule", no_wrap=True)
    table.add_column("rule title and what went wrong")
    table.add_column("checks", justify="right", no_wrap=True)
    for number, defect in enumerate(defects, start=1):
        table.add_row(
            str(number), defect.rule, f"[bold]{escape(defect.title)}[/]: {escape(defect.what)}", str(defect.checks)
        )
    return table


def _cell(count: int, verdict: Verdict) -> str:
    style = STYLES.get(verdict)
    return "" if not count else f"[{style}]{count}[/]" if style else str(count)


def _attributes(definition: Mapping[str, Any]) -> str:
    """Return a definition as histories have it, the name first."""
    name_first = sorted(definition.items(), key=lambda item: item[0] != "name")
    return f"{{{', '.join(f'{name}: {value}' for name, value in name_first)}}}"


def _call_table(found: CounterexampleSeen) -> Table:
    table = Table(header_style="bold", show_lines=False)
    for heading in ("call", "allowed", "observed"):
        table.add_column(heading, overflow="fold")
    for text in found.calls[:-1]:
        table.add_row(escape(text), "", "")
    table.add_row(escape(found.calls[-1]), escape(found.expected), escape(found.observed), style="bold")
    return table
