"""A worker: one target, started and started again, on which checks are performed one after the other."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from conformance.bench import Bench, Budget
from conformance.checks import Check, CheckResult, Counterexample, counterexample
from conformance.dialogue import DEFAULT_TIME_LIMIT_S, Dialogue, Hello
from conformance.events import INTERRUPTED
from conformance.histories import histories_of
from conformance.interrupts import Interrupts
from conformance.judgement import by_choice
from conformance.known import about, excuse
from conformance.mqi.options import MqiOptions
from conformance.reports import texts
from conformance.session import History, Session
from conformance.shrink import Shrinker
from conformance.targets import Target
from oracle.deviations import Deviation
from oracle.errors import InapplicableError, MqOracleError, TargetError, TargetGoneError
from oracle.verdicts import Verdict

_SHRINKING_RUNS = {"virtual": 500, "real": 20}
"""How many histories are tried to make a counterexample shorter, by the target's clock."""


DEFAULT_MINUTES = 10.0
"""How long the state machines search by the deep budget, together."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to run. `known` deviations are excused; `time_limit` is for one reply, in seconds.

    `jobs` is how many targets are run side by side, 0 for as many as suit their clock. `history` is the folder for
    event logs of what was done, if any. By the deep budget the state machines share `minutes`; `search_seconds` is the
    part of each. `mqi` is how a queue manager is reached that the user names as `mqi:QM1`.
    """

    budget: Budget = Budget.QUICK
    seed: int = 0
    fail_fast: bool = False
    known: tuple[Deviation, ...] = ()
    time_limit: float = DEFAULT_TIME_LIMIT_S
    jobs: int = 1
    history: Path | None = None
    minutes: float = DEFAULT_MINUTES
    search_seconds: float = 60.0
    mqi: MqiOptions | None = None

    def shared_by(self, machines: int, jobs: int) -> Options:
        """Return the options for a run of that many state machines on so many targets: what time each machine has.

        The time is that of a target with as many machines as any, so that all of them end in it.
        """
        return replace(self, search_seconds=60 * self.minutes / -(-machines // jobs)) if machines else self


class Worker:
    """Performs checks on a target of its own, which the first of them starts, until `interrupts` ask for the end."""

    def __init__(self, target: Target, options: Options, interrupts: Interrupts | None = None) -> None:
        self._target, self.options = target, options
        self._dialogue: Dialogue | None = None
        self._hello: Hello | None = None
        self.interrupts = interrupts or Interrupts()
        self.interrupted = False
        self._abandoned = False

    @property
    def hello(self) -> Hello:
        """What the target said when it was started first. Raises TargetError if it cannot be, or does not say hello."""
        if self._hello is None:
            self._hello = self.started().hello
        return self._hello

    def perform(self, check: Check) -> CheckResult:
        """Perform a check, whatever the target does, and return what came of it.

        After an interrupt `interrupted` is set, and what had come of the check until then is returned.
        Raises UsageError if its history cannot be written, TargetGoneError if no other check can be performed either,
        and TargetError as `hello` does.
        """
        inapplicable = check.inapplicable(self.hello)
        if inapplicable:
            return CheckResult(check, Verdict.NOT_APPLICABLE, missing=inapplicable)
        began = time.monotonic()
        try:
            bench = self._bench()
        except TargetGoneError:
            raise
        except TargetError as error:
            return CheckResult(check, Verdict.TARGET_ERROR, error=f"the target could not be started again: {error}")
        histories = histories_of(self.options.history, check.id)
        if histories is not None:
            bench.keep = histories.keep
        result = self._judged(check, bench)
        bench.finish()
        self._target.rest()
        if histories is not None and histories.trouble is not None:
            raise histories.trouble
        return replace(
            result,
            steps=bench.tally.steps,
            seconds=time.monotonic() - began,
            exercised=frozenset(bench.tally.rules),
            reached=bench.tally if check.kind == "machine" else None,
            choices=tuple(bench.choices),
        )

    def stop(self) -> None:
        """End the target; the next check starts it anew."""
        dialogue, self._dialogue = self._dialogue, None
        if dialogue is not None:
            with suppress(TargetError):
                dialogue.close()

    def abandon(self) -> None:
        """End the target at once, without a word to it, and for good."""
        self._abandoned = True
        self._target.close()

    def _judged(self, check: Check, bench: Bench) -> CheckResult:
        excuses = _Excuses(self, check, bench)
        bench.excuses = excuses
        try:
            found = check.perform(bench)
            if found is not None and not excuses(found):
                bench.finish()
                shorter = excuses.shrunk(found)
                if shorter is not found:
                    bench.keep(shorter)
                return CheckResult(check, Verdict.VIOLATES, counterexample=counterexample(shorter))
        except TargetGoneError:
            raise
        except MqOracleError as error:
            return self._broken_off(check, bench, error)
        except KeyboardInterrupt:
            self.interrupted = True
        if excuses.found:
            shown = counterexample(next(iter(excuses.found.values())))
            return CheckResult(check, Verdict.VIOLATES, counterexample=shown, known=tuple(excuses.found))
        if self.interrupted:
            return CheckResult(check, Verdict.UNDECIDED, missing=f"broken off: {INTERRUPTED}")
        if check.rules and not bench.tally.rules.keys() & set(check.rules):
            return _undecided(check, bench, "vacuous: no step rested on a rule that the check is about")
        return CheckResult(check, Verdict.CONFORMS)

    def _broken_off(self, check: Check, bench: Bench, error: MqOracleError) -> CheckResult:
        """Return what came of a check that could not be carried through."""
        if isinstance(error, TargetError):
            self.stop()
            return CheckResult(check, Verdict.TARGET_ERROR, error=str(error))
        if isinstance(error, InapplicableError):
            return CheckResult(check, Verdict.NOT_APPLICABLE, missing=str(error))
        return _undecided(check, bench, str(error))

    def shrunk(self, found: Session) -> Session:
        """Return a counterexample as short as it gets; an interrupt ends the run, but does not lose what was found."""
        shrinker = Shrinker(self._replay, found, _SHRINKING_RUNS[self.hello.clock])
        try:
            return shrinker.shrink()
        except KeyboardInterrupt:
            self.interrupted = True
            return shrinker.best

    def _replay(self, history: History) -> Session | None:
        """Play a history for the shrinker; None if the target breaks over it, or the oracle cannot follow."""
        try:
            return self._bench().play(history)
        except TargetGoneError:
            raise
        except TargetError:
            self.stop()
        except MqOracleError:
            pass
        return None

    def _bench(self) -> Bench:
        options = self.options
        dialogue, look_up = self.started(), self.interrupts.look
        return Bench(dialogue, options.budget, options.seed, options.search_seconds, look_up=look_up)

    def started(self) -> Dialogue:
        """Return a dialogue with the target, which is started if it has not been, or broke.

        Raises TargetError if it cannot be started or does not say hello.
        """
        if self._abandoned:
            raise TargetError("the run was given up")
        if self._dialogue is None:
            self._dialogue = Dialogue(self._target, self.options.time_limit)
        return self._dialogue


def _undecided(check: Check, bench: Bench, missing: str) -> CheckResult:
    """Return that a check is undecided; where the target chose a way that the check does not follow, by its choice.

    With the model's own choices every check goes through.
    """
    bench.finish()
    chosen = f"; {by_choice(bench.choices)}" if bench.choices else ""
    return CheckResult(check, Verdict.UNDECIDED, missing=missing + chosen, by_choice=bool(chosen))


@dataclass
class _Excuses:
    """Says of the departures of a check which are known: `found` are those, each with a session that shows it.

    A departure may be known by what it becomes when it is made shorter. What looks like one that was, is not made
    shorter again: a search that comes upon it over and over would never end.
    """

    worker: Worker
    check: Check
    bench: Bench
    found: dict[Deviation, Session] = field(default_factory=dict)
    _became: dict[tuple[str, str], Deviation | None] = field(default_factory=dict)
    _latest: tuple[Session, Session] | None = None

    def __call__(self, session: Session) -> bool:
        """Whether the departure of a session is known."""
        found = counterexample(session)
        if found is None or not about(self.worker.options.known, self.worker.hello):
            return False
        look = (found.departure.rules[0], texts.way(found))
        deviation = self._stated(found) or self._became.get(look)
        if deviation is None and look not in self._became:
            shorter = self.shrunk(session)
            self.bench.dialogue = self.worker.started()
            shortest = counterexample(shorter)
            deviation = self._became[look] = None if shortest is None else self._stated(shortest)
            if deviation is not None:
                self.bench.keep(shorter)
                session = shorter
        if deviation is not None:
            self.found.setdefault(deviation, session)
        return deviation is not None

    def shrunk(self, session: Session) -> Session:
        """Return a session as short as it gets; the latest is kept, for the last of a search is asked for twice."""
        if self._latest is None or self._latest[0] is not session:
            self._latest = session, self.worker.shrunk(session)
        return self._latest[1]

    def _stated(self, found: Counterexample) -> Deviation | None:
        return excuse(self.worker.options.known, self.worker.hello, self.check, found)
