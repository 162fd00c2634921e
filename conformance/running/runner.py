"""Running checks against a target, on one worker or on several side by side, whatever the target does."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing

from conformance.checks.check import Check, CheckResult
from conformance.results.events import (
    INTERRUPTED,
    CheckFinished,
    CheckStarted,
    Event,
    Listener,
    RunFinished,
    RunStarted,
)
from conformance.results.judgement import judge
from conformance.results.known import account
from conformance.running.jobs import jobs_for, side_by_side
from conformance.running.worker import Options, Worker
from conformance.targets import Target
from oracle.errors import UsageError
from oracle.judging.verdicts import Verdict

_BROKEN_MOST = 10
"""The number of consecutive target errors after which the run is given up."""


class Runner:
    """A runner of checks, which notifies its listeners.

    Raises TargetError if the target cannot be started or does not say hello.
    """

    def __init__(self, target: Target, options: Options, listeners: Sequence[Listener] = ()) -> None:
        self._target, self._options, self._listeners = target, options, listeners
        self._worker = Worker(target, options)
        self._worker.started()

    def run(self, checks: Sequence[Check]) -> RunFinished:
        """Run the checks and return their results, in the order of the checks.

        If the run ends early for any reason, the listeners get the results until then, and the target is ended. Ctrl-C
        and SIGTERM end it; any exception is raised after that.
        """
        with self._worker.interrupts.noted():
            return self._run(checks)

    def _run(self, checks: Sequence[Check]) -> RunFinished:
        hello = self._worker.hello
        machines = sum(check.kind == "machine" and not check.inapplicable(hello) for check in checks)
        self._options = self._worker.options = self._options.shared_by(machines, jobs_for(self._options, hello, checks))
        started = RunStarted(self._target.name, hello, tuple(checks), self._options.seed)
        results: dict[int, CheckResult] = {}
        ended_early = "the run broke off"
        try:
            self._tell(started)
            ended_early = self._run_all(checks, results)
        except KeyboardInterrupt:
            ended_early = INTERRUPTED
        finally:
            self._worker.interrupts.hold()
            self._worker.stop()
            missing = f"not run: {ended_early}"
            every = tuple(
                results.get(number) or CheckResult(check, Verdict.UNDECIDED, missing=missing)
                for number, check in enumerate(checks)
            )
            known = account(self._options.known, hello, every)
            finished = RunFinished(started, every, judge(every), known, ended_early)
            self._tell(finished)
        return finished

    def _run_all(self, checks: Sequence[Check], results: dict[int, CheckResult]) -> str:
        """Run the checks. Return why the run ended early; empty if it did not."""
        broken = 0
        with closing(self._performed(checks)) as performed:
            for number, result in performed:
                results[number] = result
                self._tell(CheckFinished(result))
                if self._worker.interrupted:
                    return INTERRUPTED
                if self._options.fail_fast and result.verdict is Verdict.VIOLATES and not result.excused:
                    return "it stops at the first violation"
                broken = broken + 1 if result.verdict is Verdict.TARGET_ERROR else 0
                if broken == _BROKEN_MOST:
                    return f"the target failed in {broken} checks one after the other"
        return INTERRUPTED if self._worker.interrupts.asked else ""

    def _performed(self, checks: Sequence[Check]) -> Generator[tuple[int, CheckResult], None, None]:
        """Yield the result of each check, with its number."""
        hello = self._worker.hello
        if jobs_for(self._options, hello, checks) > 1:
            self._worker.stop()
            yield from side_by_side(self._target.name, self._options, checks, hello, self._worker.interrupts)
            return
        for number, check in enumerate(checks):
            self._tell(CheckStarted(check))
            yield number, self._worker.perform(check)

    def _tell(self, event: Event) -> None:
        """Notify every listener; one that cannot write its report does not affect the others."""
        troubles: list[UsageError] = []
        for listener in self._listeners:
            try:
                listener.notify(event)
            except UsageError as error:  # there are few listeners
                troubles.append(error)
        if troubles:
            raise troubles[0]
