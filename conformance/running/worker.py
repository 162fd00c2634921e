"""A worker: one target, restarted as necessary, on which checks are performed one after the other."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from conformance.checks.check import Check, CheckResult, Departed, blamed, counterexample
from conformance.checks.rig import Budget, Rig
from conformance.mqi.options import MqiOptions
from conformance.reports.histories import histories_of
from conformance.results.events import INTERRUPTED
from conformance.results.judgement import by_choice
from conformance.results.known import about, excuse
from conformance.running.interrupts import Interrupts
from conformance.sessions.dialogue import DEFAULT_TIME_LIMIT_S, Dialogue, Hello
from conformance.sessions.session import History, Session, Sighting
from conformance.sessions.shrink import Shrinker, rule_of
from conformance.targets import Target
from oracle.errors import InapplicableError, MqOracleError, TargetError, TargetGoneError
from oracle.judging.deviations import Deviation
from oracle.judging.verdicts import Verdict

_SHRINKING_RUNS = {"virtual": 500, "real": 20}
"""The number of histories that are tried to shorten the counterexamples of a check, by the target's clock."""

_MOST_SEARCHED = 4
"""The number of different departures after which a search ends."""


DEFAULT_MINUTES = 10.0
"""The minutes that the state machines search together with the deep budget."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a run."""

    budget: Budget = Budget.QUICK
    """The budget."""
    seed: int = 0
    """The seed of random choices."""
    fail_fast: bool = False
    """Whether the run ends with the first new violation."""
    known: tuple[Deviation, ...] = ()
    """The deviations that are excused."""
    time_limit: float = DEFAULT_TIME_LIMIT_S
    """The seconds that one reply may take."""
    jobs: int = 1
    """The number of targets side by side; 0 for as many as suit their clock."""
    history: Path | None = None
    """The folder for event logs of the sessions, if any."""
    minutes: float = DEFAULT_MINUTES
    """The minutes that the state machines search together with the deep budget."""
    search_seconds: float = 60.0
    """The part of that for each of them."""
    mqi: MqiOptions | None = None
    """The connection to a queue manager that the user names as `mqi:QM1`."""

    def shared_by(self, machines: int, jobs: int) -> Options:
        """Return the options for a run of some state machines on some targets, with the time of each machine.

        The time fits the target with the most machines, so that all of them end in it.
        """
        return replace(self, search_seconds=60 * self.minutes / -(-machines // jobs)) if machines else self


class Worker:
    """A performer of checks on a target of its own, which the first of them starts, until it is interrupted."""

    def __init__(self, target: Target, options: Options, interrupts: Interrupts | None = None) -> None:
        self._target, self.options = target, options
        self._dialogue: Dialogue | None = None
        self._hello: Hello | None = None
        self.interrupts = interrupts or Interrupts()
        self.interrupted = False
        self._abandoned = False

    @property
    def hello(self) -> Hello:
        """The target's reply to hello at its first start.

        Raises TargetError if it cannot be started or does not say hello.
        """
        if self._hello is None:
            self._hello = self.started().hello
        return self._hello

    def perform(self, check: Check) -> CheckResult:
        """Perform a check, whatever the target does, and return its result.

        After an interrupt `interrupted` is set, and the result until then is returned. Raises UsageError if its history
        cannot be written, TargetGoneError if no other check can be performed either, and TargetError as `hello` does.
        """
        inapplicable = check.inapplicable(self.hello)
        if inapplicable:
            return CheckResult(check, Verdict.NOT_APPLICABLE, missing=inapplicable)
        began = time.monotonic()
        try:
            rig = self.rig()
        except TargetGoneError:
            raise
        except TargetError as error:
            return CheckResult(check, Verdict.TARGET_ERROR, error=f"the target could not be started again: {error}")
        histories = histories_of(self.options.history, check.id)
        if histories is not None:
            rig.keep = histories.keep
        result = self._judged(check, rig)
        rig.finish()
        self._target.rest()
        if histories is not None and histories.trouble is not None:
            raise histories.trouble
        return replace(
            result,
            steps=rig.tally.steps,
            seconds=time.monotonic() - began,
            exercised=frozenset(rig.tally.rules),
            reached=rig.tally if check.kind == "machine" else None,
            choices=tuple(rig.choices),
        )

    def stop(self) -> None:
        """End the target; the next check starts it again."""
        dialogue, self._dialogue = self._dialogue, None
        if dialogue is not None:
            with suppress(TargetError):
                dialogue.close()

    def abandon(self) -> None:
        """End the target at once, without `bye`, and for good."""
        self._abandoned = True
        self._target.close()

    def _judged(self, check: Check, rig: Rig) -> CheckResult:
        excuses = _Excuses(self, check, rig)
        rig.rules, rig.wanted, rig.excuses = check.rules, _MOST_SEARCHED, excuses
        undone: MqOracleError | None = None
        try:
            check.perform(rig)
        except TargetGoneError:
            raise
        except MqOracleError as error:
            undone = error
        except KeyboardInterrupt:
            self.interrupted = True
        rig.finish()
        if isinstance(undone, TargetError):
            self.stop()
        if rig.met:
            departures = excuses.departures()
            return _departed(check, departures, rig.lost or self._broken_off_by(undone), undone)
        if undone is not None:
            return _broken_off(check, rig, undone)
        if self.interrupted:
            return CheckResult(check, Verdict.UNDECIDED, missing=self._broken_off_by(None))
        if check.rules and not rig.tally.rules.keys() & set(check.rules):
            return _undecided(check, rig, "not exercised: no call reached a rule that the check is about")
        return CheckResult(check, Verdict.CONFORMS)

    def _broken_off_by(self, error: MqOracleError | None) -> str:
        """Return why a check was broken off; empty if it was not."""
        if error is not None:
            return str(error)
        return f"broken off: {INTERRUPTED}" if self.interrupted else ""

    def shrunk(self, found: Sighting, keeps: str, runs: int) -> Sighting:
        """Return the shortest departure found that shows a rule to be broken, with at most `runs` histories.

        An interrupt ends the run, but does not lose the result so far.
        """
        shrinker = Shrinker(self._replay, found, runs, keeps)
        try:
            return shrinker.shrink()
        except KeyboardInterrupt:
            self.interrupted = True
            return shrinker.best

    @property
    def shrinking_runs(self) -> int:
        """The number of histories that are tried to shorten the counterexamples of a check, together."""
        return _SHRINKING_RUNS[self.hello.clock]

    def _replay(self, history: History) -> Session | None:
        """Play a history for the shrinker; None if the target breaks in it, or the oracle cannot follow."""
        try:
            return self.rig().play(history)
        except TargetGoneError:
            raise
        except TargetError:
            self.stop()
        except MqOracleError:
            pass
        return None

    def rig(self) -> Rig:
        """Return the rig of a check: the target's dialogue, the budget, and the interrupt check."""
        options = self.options
        dialogue, look_up = self.started(), self.interrupts.look
        return Rig(dialogue, options.budget, options.seed, options.search_seconds, look_up=look_up)

    def started(self) -> Dialogue:
        """Return a dialogue with the target, which is started if it is not running.

        Raises TargetError if it cannot be started or does not say hello.
        """
        if self._abandoned:
            raise TargetError("the run was given up")
        if self._dialogue is None:
            self._dialogue = Dialogue(self._target, self.options.time_limit)
        return self._dialogue


def _departed(check: Check, departures: tuple[Departed, ...], lost: str, undone: MqOracleError | None) -> CheckResult:
    """Return the result of a check that met departures. Known ones do not excuse a broken target."""
    broken = isinstance(undone, TargetError)
    known = all(each.known is not None for each in departures)
    verdict = Verdict.TARGET_ERROR if broken and known else Verdict.VIOLATES
    return CheckResult(check, verdict, departures=departures, lost=lost, error=str(undone) if broken else "")


def _broken_off(check: Check, rig: Rig, error: MqOracleError) -> CheckResult:
    """Return the result of a check that could not be carried through."""
    if isinstance(error, TargetError):
        return CheckResult(check, Verdict.TARGET_ERROR, error=str(error))
    if isinstance(error, InapplicableError):
        return CheckResult(check, Verdict.NOT_APPLICABLE, missing=str(error))
    return _undecided(check, rig, str(error))


def _undecided(check: Check, rig: Rig, missing: str) -> CheckResult:
    """Return the result of an undecided check.

    It is undecided by choice if the target chose a way that the check does not follow. With the model's own choices
    every check goes through.
    """
    rig.finish()
    chosen = f"; {by_choice(rig.choices)}" if rig.choices else ""
    return CheckResult(check, Verdict.UNDECIDED, missing=missing + chosen, by_choice=bool(chosen))


@dataclass
class _Excuses:
    """The known departures of a check; each departure is shortened as far as possible.

    A departure may turn out to be known when its history is shortened. A departure that looks like an earlier one is
    not shortened again, because a search that finds it repeatedly would never end.
    """

    worker: Worker
    check: Check
    rig: Rig
    _shrunk: dict[tuple[str, ...], Sighting] = field(default_factory=dict)

    def __call__(self, sighting: Sighting) -> bool:
        """Return whether a departure is known."""
        return self._known(sighting) is not None

    def departures(self) -> tuple[Departed, ...]:
        """Return all departures of the check; of those that become alike when they are shortened, one."""
        first_of_each: dict[object, Departed] = {}
        for sighting in self.rig.met.values():
            known = self._known(sighting)
            shown = sighting if known is not None and self._stated(sighting) == known else self._shorter(sighting)
            departed = Departed(counterexample(shown), self._broken(sighting, shown), known)
            first_of_each.setdefault((shown.met.look, departed.rules, known), departed)
        return tuple(first_of_each.values())

    def _known(self, sighting: Sighting) -> Deviation | None:
        if not about(self.worker.options.known, self.worker.hello):
            return None
        return self._stated(sighting) or self._stated(self._shorter(sighting))

    def _shorter(self, sighting: Sighting) -> Sighting:
        """Return a departure in its shortest form, from the first one that looked like it."""
        look = (*sighting.met.look, *blamed(self.check, sighting.departure))
        if look not in self._shrunk:
            runs = self.worker.shrinking_runs // max(1, len(self.rig.met))
            shorter = self.worker.shrunk(sighting, self._keeps(sighting), runs)
            self.rig.dialogue = self.worker.started()
            if shorter is not sighting:
                self.rig.keep(shorter.session)
            self._shrunk[look] = shorter
        return self._shrunk[look]

    def _keeps(self, sighting: Sighting) -> str:
        """Return the rule that a shorter history must also show: one of the check's, if that is broken."""
        broken = blamed(self.check, sighting.departure)
        return next((rule for rule in broken if rule in self.check.rules), rule_of(sighting.departure))

    def _broken(self, met: Sighting, shown: Sighting) -> tuple[str, ...]:
        """Return the rules that a departure breaks, as far as a shorter history shows.

        Of a check about no rules in particular it is the one that the shorter history names, which its report shows.
        """
        still = blamed(self.check, shown.departure)
        if not self.check.rules:
            return still
        named = (rule for rule in still if rule in self.check.rules or rule == met.departure.rules[0])
        return tuple(dict.fromkeys((self._keeps(met), *named)))

    def _stated(self, sighting: Sighting) -> Deviation | None:
        known, hello = self.worker.options.known, self.worker.hello
        return excuse(known, hello, self.check, counterexample(sighting))
