"""The checks as pytest items.

Each is named by its id; `-k` also matches its rules. A departure fails with its calls; a check that does not apply, or
is undecided, is skipped with the reason. Known deviations need `mq-conform run --known`, which sees the whole run and
so can find stale entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.checks import texts
from conformance.checks.check import Check, CheckResult
from conformance.checks.rig import Budget
from conformance.checks.selection import all_checks
from conformance.pytest.emptiness import VERDICT
from conformance.results.events import INTERRUPTED
from conformance.running.worker import Options, Worker
from conformance.targets import target_for
from oracle.errors import MqOracleError
from oracle.judging.verdicts import Verdict
from oracle.rules import catalogue

_WORKER = pytest.StashKey[Worker]()


class DepartureError(Exception):
    """A check found a departure from the documents, or the target broke."""


class Suite(pytest.File):
    """Every check of the suite."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield an item for each check."""
        for check in all_checks():
            yield CheckItem.from_parent(self, name=check.id, check=check)


class CheckItem(pytest.Item):
    """One check."""

    def __init__(self, name: str, parent: pytest.Collector, check: Check) -> None:
        super().__init__(name, parent)
        self._check = check
        self.extra_keyword_matches.update(check.rules)

    def runtest(self) -> None:
        """Perform the check.

        Raises DepartureError, with the calls, if the target departs from the documents or breaks.
        """
        worker = _worker(self.config, self.session)
        result = worker.perform(self._check)
        self.user_properties.append((VERDICT, result.verdict.value))
        if worker.interrupted and result.verdict is Verdict.UNDECIDED:
            raise KeyboardInterrupt
        if worker.interrupted:
            self.session.shouldstop = INTERRUPTED
        if result.verdict in (Verdict.VIOLATES, Verdict.TARGET_ERROR):
            raise DepartureError(_story(result))
        if result.verdict is not Verdict.CONFORMS:
            pytest.skip(f"{result.verdict.value.replace('_', ' ')}: {result.missing}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: object, **kwargs: object) -> str:  # noqa: ARG002 - as pytest has it
        """Return the calls of a departure instead of a traceback."""
        if isinstance(excinfo.value, DepartureError):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return the name of the item in reports."""
        return self.path, None, self._check.id


def _worker(config: pytest.Config, session: pytest.Session) -> Worker:
    """Return the worker of this run; its target ends with the run.

    A target that cannot be started ends the run. In a process of xdist the item fails instead, and asks for the end:
    xdist takes pytest.exit there for a crash, and shows a traceback of its own.
    """
    if _WORKER not in config.stash:
        options = Options(
            budget=Budget(config.getoption("--mq-budget")),
            seed=config.getoption("--mq-seed"),
            time_limit=config.getoption("--mq-time-limit"),
        )
        try:
            worker = Worker(target_for(config.getoption("--mq-target")), options)
            worker.started()
        except MqOracleError as error:
            if hasattr(config, "workerinput"):
                session.shouldstop = f"mq-conform: {error}"
                raise DepartureError(f"mq-conform: {error}") from error
            pytest.exit(f"mq-conform: {error}", returncode=pytest.ExitCode.USAGE_ERROR)
        config.add_cleanup(worker.stop)
        config.stash[_WORKER] = worker
    return config.stash[_WORKER]


def _story(result: CheckResult) -> str:
    found = result.counterexample
    if found is None:
        return result.error
    rule = catalogue.rule(result.blamed[0])
    return "\n".join(
        (
            f"{rule.id} {rule.title}",
            f"{rule.statement} ({'; '.join(map(str, rule.source))})",
            *(f"    {line}" for line in texts.calls(found)),
            f"allowed:  {texts.allowed(found)}",
            f"observed: {texts.observed(found)}",
            texts.explanation(found),
        )
    )
