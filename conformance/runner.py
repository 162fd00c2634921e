"""Running checks against a target, one after the other, whatever the target does."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from conformance.bench import Bench, Budget
from conformance.checks import Check, CheckResult, Counterexample
from conformance.dialogue import DEFAULT_TIME_LIMIT_S, Dialogue
from conformance.events import INTERRUPTED, CheckFinished, CheckStarted, Event, Listener, RunFinished, RunStarted
from conformance.judgement import judge
from conformance.session import History, Session
from conformance.shrink import Shrinker
from conformance.targets import Target
from oracle.errors import MqOracleError, TargetError, UsageError
from oracle.verdicts import Verdict

_SHRINKING_RUNS = {"virtual": 500, "real": 20}
"""How many histories are tried to make a counterexample shorter, by the target's clock."""

_BROKEN_MOST = 10
"""How many checks one after the other may end as target errors before the run is given up."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to run. `time_limit` is for one reply, in seconds."""

    budget: Budget = Budget.QUICK
    seed: int = 0
    fail_fast: bool = False
    time_limit: float = DEFAULT_TIME_LIMIT_S


class Runner:
    """Runs checks and tells its listeners.

    Raises TargetError if the target cannot be started or does not say hello.
    """

    def __init__(self, target: Target, options: Options, listeners: Sequence[Listener] = ()) -> None:
        self._target, self._options, self._listeners = target, options, listeners
        self._dialogue: Dialogue | None = Dialogue(target, options.time_limit)
        self._hello = self._dialogue.hello
        self._interrupted = False

    def run(self, checks: Sequence[Check]) -> RunFinished:
        """Run the checks and return what came of them.

        Whatever ends the run early, the listeners are told of the results until then, and the target is ended. Ctrl-C
        ends it; any other exception is passed on after that.
        """
        started = RunStarted(self._target.name, self._hello, tuple(checks), self._options.seed)
        results: list[CheckResult] = []
        ended_early = "the run broke off"
        try:
            self._tell(started)
            ended_early = self._run_all(checks, results)
        except KeyboardInterrupt:
            ended_early = INTERRUPTED
        finally:
            self._stop()
            missing = f"not run: {ended_early}"
            rest = (CheckResult(check, Verdict.UNDECIDED, missing=missing) for check in checks[len(results) :])
            every = (*results, *rest)
            finished = RunFinished(started, every, judge(every), ended_early)
            self._tell(finished)
        return finished

    def _run_all(self, checks: Iterable[Check], results: list[CheckResult]) -> str:
        """Run the checks; return why it ended early, or nothing."""
        broken = 0
        for check in checks:
            self._tell(CheckStarted(check))
            result = self._run(check)
            results.append(result)
            self._tell(CheckFinished(result))
            if self._interrupted:
                return INTERRUPTED
            if self._options.fail_fast and result.verdict is Verdict.VIOLATES:
                return "it stops at the first violation"
            broken = broken + 1 if result.verdict is Verdict.TARGET_ERROR else 0
            if broken == _BROKEN_MOST:
                return f"the target broke in {broken} checks one after the other"
        return ""

    def _run(self, check: Check) -> CheckResult:
        inapplicable = check.inapplicable(self._hello)
        if inapplicable:
            return CheckResult(check, Verdict.NOT_APPLICABLE, missing=inapplicable)
        began = time.monotonic()
        try:
            bench = Bench(self._started(), self._options.budget, self._options.seed)
        except TargetError as error:
            return CheckResult(check, Verdict.TARGET_ERROR, error=f"the target could not be started again: {error}")
        found: Session | None = None
        missing = error_text = ""
        try:
            found = check.perform(bench)
        except TargetError as error:
            error_text = str(error)
            self._stop()
        except MqOracleError as error:
            missing = str(error)
        if found is not None:
            found = self._shrunk(found)
        elif not error_text and not missing and check.rules and not bench.tally.rules.intersection(check.rules):
            missing = "vacuous: no step rested on a rule that the check is about"
        return CheckResult(
            check,
            _verdict(found, missing, error_text),
            steps=bench.tally.steps,
            seconds=time.monotonic() - began,
            exercised=frozenset(bench.tally.rules),
            counterexample=None if found is None or found.departure is None else Counterexample(found, found.departure),
            missing=missing,
            error=error_text,
        )

    def _shrunk(self, found: Session) -> Session:
        """Return a counterexample as short as it gets; Ctrl-C ends the run, but does not lose what was found."""
        shrinker = Shrinker(self._replay, found, _SHRINKING_RUNS[self._hello.clock])
        try:
            return shrinker.shrink()
        except KeyboardInterrupt:
            self._interrupted = True
            return shrinker.best

    def _replay(self, history: History) -> Session | None:
        """Play a history for the shrinker; None if the target breaks over it, or the oracle cannot follow."""
        try:
            return Bench(self._started()).play(history)
        except TargetError:
            self._stop()
        except MqOracleError:
            pass
        return None

    def _started(self) -> Dialogue:
        """Return a dialogue with the target, which is started anew if it broke."""
        if self._dialogue is None:
            self._dialogue = Dialogue(self._target, self._options.time_limit)
        return self._dialogue

    def _stop(self) -> None:
        dialogue, self._dialogue = self._dialogue, None
        if dialogue is not None:
            with suppress(TargetError):
                dialogue.close()

    def _tell(self, event: Event) -> None:
        """Tell every listener; one that cannot write its report does not keep the others from it."""
        troubles: list[UsageError] = []
        for listener in self._listeners:
            try:
                listener.notify(event)
            except UsageError as error:  # noqa: PERF203 - there are three listeners at most
                troubles.append(error)
        if troubles:
            raise troubles[0]


def _verdict(found: Session | None, missing: str, error: str) -> Verdict:
    if found is not None:
        return Verdict.VIOLATES
    if error:
        return Verdict.TARGET_ERROR
    return Verdict.UNDECIDED if missing else Verdict.CONFORMS
