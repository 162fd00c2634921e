"""The JSON report: the document of `conformance.results.document`, which other programs read."""

from __future__ import annotations

from pathlib import Path

from conformance.reports.files import write_report
from conformance.results.document import results_of
from conformance.results.events import Event, RunFinished


class JsonReport:
    """The report, written at the end of the run."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def notify(self, event: Event) -> None:
        """Write the report at the end.

        Raises UsageError if the file cannot be written.
        """
        if isinstance(event, RunFinished):
            write_report(self._path, results_of(event).text())
