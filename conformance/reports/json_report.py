"""The JSON report: the document of `conformance.results`, which other programs read."""

from __future__ import annotations

from pathlib import Path

from conformance.events import Event, RunFinished
from conformance.reports.files import write_report
from conformance.results import results_of


class JsonReport:
    """Writes the report when the run is over."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def notify(self, event: Event) -> None:
        """Write the report at the end.

        Raises UsageError if the file cannot be written.
        """
        if isinstance(event, RunFinished):
            write_report(self._path, results_of(event).text())
