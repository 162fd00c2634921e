"""The JUnit report: one test case for each check, for continuous integration."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from conformance.checks import texts
from conformance.checks.check import CheckResult, Counterexample
from conformance.reports.files import write_report
from conformance.results.events import Event, RunFinished
from oracle.judging.verdicts import Verdict
from oracle.reporting import junit


class JunitReport:
    """The report, written at the end of the run."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def notify(self, event: Event) -> None:
        """Write the report at the end.

        Raises UsageError if the file cannot be written.
        """
        if isinstance(event, RunFinished):
            write_report(self._path, document(event))


def document(finished: RunFinished) -> str:
    """Return the report as text."""
    properties = {"target": finished.started.target, "seed": str(finished.started.seed)}
    return junit.document("mq-conform", map(_case, finished.results), properties)


def _case(result: CheckResult) -> junit.Case:
    case = junit.Case(result.check.area, result.check.id, seconds=result.seconds)
    if result.counterexample is not None:
        why, story = texts.explanation(result.counterexample), _story(result, result.counterexample)
        return replace(case, ended="failure", message=why, text=story)
    if result.verdict is Verdict.TARGET_ERROR:
        return replace(case, ended="error", message=result.error.partition("\n")[0], text=result.error)
    if result.verdict is not Verdict.CONFORMS:
        return replace(case, ended="skipped", message=f"{result.verdict.value}: {result.missing}")
    return case


def _story(result: CheckResult, found: Counterexample) -> str:
    return "\n".join(
        (
            *texts.calls(found),
            f"allowed: {texts.allowed(found)}",
            f"observed: {texts.observed(found)}",
            f"rules: {', '.join(result.blamed)}",
        )
    )
