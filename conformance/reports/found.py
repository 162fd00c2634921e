"""The findings of a run as a file of scenarios, which `mq-conform replay` plays again."""

from __future__ import annotations

from pathlib import Path

from conformance.checks.scenarios import write_scenarios
from conformance.reports.files import write_report
from conformance.results.document import results_of
from conformance.results.events import Event, RunFinished


class FoundReport:
    """A report that is written at the end of the run, unless nothing was found."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def notify(self, event: Event) -> None:
        """Write the counterexamples at the end.

        Raises UsageError if the file cannot be written.
        """
        if isinstance(event, RunFinished):
            found = [check.counterexample.scenario for check in results_of(event).checks if check.counterexample]
            if found:
                write_report(self._path, write_scenarios("found", found))
