"""The JSON report: a fixed face that other programs read.

`summary` counts the checks by verdict. A rule or check that is undecided has a member `missing`, a check that ended as
a target error a member `error`. A counterexample's `requests` begin with `setup` unless its queue manager has just the
default queue, `Q` with the values of a newly defined one.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from conformance.checks import CheckResult, Counterexample
from conformance.events import Event, RunFinished, RunStarted
from conformance.judgement import RuleResult
from conformance.reports import texts
from conformance.reports.files import write_report
from oracle.verdicts import Verdict


class JsonReport:
    """Writes the report when the run is over."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def notify(self, event: Event) -> None:
        """Write the report at the end.

        Raises UsageError if the file cannot be written.
        """
        if isinstance(event, RunFinished):
            write_report(self._path, json.dumps(document(event), indent=2) + "\n")


def document(finished: RunFinished) -> dict[str, Any]:
    """Return the report as an object."""
    counts = Counter(result.verdict for result in finished.results)
    return {
        "target": _target(finished.started),
        "seed": finished.started.seed,
        "summary": {verdict.value: counts[verdict] for verdict in Verdict},
        "rules": [_rule(result) for result in finished.rules],
        "checks": [_check(result) for result in finished.results],
    }


def _target(started: RunStarted) -> dict[str, Any]:
    hello = started.hello
    return {
        "command": started.target,
        **hello.implementation.model_dump(),
        "platform": hello.platform,
        "clock": hello.clock,
        "features": list(hello.features),
    }


def _rule(result: RuleResult) -> dict[str, Any]:
    members: dict[str, Any] = {
        "id": result.rule.id,
        "verdict": result.verdict.value,
        "checks": list(result.checks),
    }
    if result.verdict is Verdict.UNDECIDED:
        members["missing"] = result.missing
    return members


def _check(result: CheckResult) -> dict[str, Any]:
    members: dict[str, Any] = {
        "id": result.check.id,
        "rules": list(result.check.rules or sorted(result.exercised | set(result.blamed))),
        "verdict": result.verdict.value,
        "steps": result.steps,
        "seconds": round(result.seconds, 3),
        "counterexample": None if result.counterexample is None else _counterexample(result.counterexample),
    }
    if result.verdict is Verdict.UNDECIDED:
        members["missing"] = result.missing
    if result.verdict is Verdict.TARGET_ERROR:
        members["error"] = result.error
    return members


def _counterexample(found: Counterexample) -> dict[str, Any]:
    return {
        "requests": texts.requests(found),
        "expected": texts.allowed(found),
        "observed": texts.observed(found),
        "explanation": texts.explanation(found),
    }
