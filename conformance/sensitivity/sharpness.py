"""The measurement of sensitivity: which wrong queue managers the suite catches, by which check, and how soon.

Each miniature is judged by the checks in the order of a user's run, up to the first one that names a rule which the
miniature breaks. A check that a miniature answers exactly as the model does has the same result with both. So it is
carried out with the model alone, once for all miniatures, and its requests and its time count for each of them as if it
had been repeated.

Miniatures that the quick budget does not catch are judged again with the next budget, up to the one that is measured.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from random import Random
from types import CodeType
from typing import Any

from conformance.checks.check import Check, blamed
from conformance.checks.rig import Budget, Rig
from conformance.checks.selection import all_checks
from conformance.sensitivity.called import calls_noted
from conformance.sensitivity.miniatures import Talk, WrongOne, read_wrong_ones
from conformance.sensitivity.patches import forget_all
from conformance.sessions.dialogue import Dialogue
from conformance.targets import InProcessTarget, Target
from oracle.errors import MqOracleError, ProcessEndedError, TargetError
from oracle.mqi.profile import PlatformName
from oracle.serve import Server

WANTED = {Budget.QUICK: 95, Budget.STANDARD: 100, Budget.DEEP: 100}
"""The percentage of miniatures that must be caught, by budget, from the least to the greatest."""


@dataclass(frozen=True, slots=True)
class Caught:
    """The result of a miniature."""

    miniature: WrongOne
    """The wrong queue manager."""
    check: str = ""
    """The check that caught it; empty if none did."""
    rule: str = ""
    """The rule that the check named; empty if none caught it."""
    steps: int = 0
    """The requests of that budget until then, or of the whole run."""
    seconds: float = 0.0
    """The seconds of that budget until then, or of the whole run, to the millisecond as reports have them."""
    budget: Budget | None = None
    """The least budget with which it is caught; None if none does."""
    misnamed: str = ""
    """The check that first found it wrong by other rules only, and the first of those."""
    trouble: str = ""
    """The way in which it broke."""


@dataclass(frozen=True, slots=True)
class Trace:
    """A check's dialogue with the unchanged model."""

    steps: int
    """The number of requests."""
    seconds: float
    """The duration in seconds."""
    talk: Talk
    """The dialogue."""


def sample(miniatures: Sequence[WrongOne], count: int | None, seed: int) -> tuple[WrongOne, ...]:
    """Return some of the miniatures, the same for the same seed, in order; all of them without a count."""
    if count is None or count >= len(miniatures):
        return tuple(miniatures)
    chosen = set(Random(seed).sample(range(len(miniatures)), count))
    return tuple(miniature for number, miniature in enumerate(miniatures) if number in chosen)


def up_to(budget: Budget) -> tuple[Budget, ...]:
    """Return the budgets up to one, from the least."""
    every = tuple(WANTED)
    return every[: every.index(budget) + 1]


def caught_at(rows: Sequence[Caught], budget: Budget) -> int:
    """Return the number that a budget or a lesser one catches."""
    return sum(row.budget in up_to(budget) for row in rows)


def is_sharp_enough(rows: Sequence[Caught], budget: Budget) -> bool:
    """Return whether the budget and each lesser one catch as many miniatures as promised."""
    return all(caught_at(rows, each) * 100 >= WANTED[each] * len(rows) for each in up_to(budget))


def measure(folder: Path, chosen: Sequence[WrongOne], budget: Budget, seed: int = 0, jobs: int = 1) -> Iterator[Caught]:
    """Yield the result of each of some miniatures of a folder, in order, with the least budget that catches it.

    Raises BadInputError if a change cannot be made, and ProcessEndedError if a process ends unexpectedly.
    """
    names = [each.name for each in chosen]
    jobs = min(jobs, len(names))
    if jobs <= 1:
        yield from map(_Measure(folder, budget, seed), names)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (folder, budget, seed)) as pool:
        try:
            yield from pool.map(_measured, names)
        except BrokenProcessPool:
            raise ProcessEndedError(
                "a process that judged wrong queue managers ended; if it was killed for lack of memory, fewer --jobs"
                " help; --resume goes on from the results in --json"
            ) from None


class _Measure:
    """A judge of wrong queue managers by name; each check runs on the model once for each platform."""

    def __init__(self, folder: Path, budget: Budget, seed: int) -> None:
        self._wrong_ones = {each.name: each for each in read_wrong_ones(folder)}
        self._checks, self._budgets, self._seed = all_checks(), up_to(budget), seed
        self._known: dict[PlatformName, Traces] = {}

    def __call__(self, name: str) -> Caught:
        wrong = self._wrong_ones[name]
        if wrong.platform not in self._known:
            self._known[wrong.platform] = Traces(wrong.platform)
        for budget in self._budgets:
            row = judge(wrong, self._checks, self._known[wrong.platform], budget, self._seed)
            if row.check:
                break
        return row


_of_this_process: list[_Measure] = []


def _begin(folder: Path, budget: Budget, seed: int) -> None:
    _of_this_process.append(_Measure(folder, budget, seed))


def _measured(name: str) -> Caught:
    return _of_this_process[-1](name)


def judge(miniature: WrongOne, checks: Sequence[Check], known: Traces | None, budget: Budget, seed: int = 0) -> Caught:
    """Judge a miniature by the checks in order, up to the first that names a rule which it breaks.

    A check that is not `known` by its trace is carried out in any case.
    """
    with closing(miniature.target()) as target:
        trial = _Trial(target, budget, seed)
        for check in checks:
            if check.inapplicable(trial.dialogue.hello):
                continue
            trace = known.of(check, budget) if known else None
            if trace is not None and miniature.goes_as(trace.talk):
                trial.count(trace.steps, trace.seconds)
                continue
            blamed = trial.blamed(check)
            named = next((rule for rule in blamed if rule in miniature.rules), "")
            if named:
                return trial.row(miniature, check.id, named, budget)
            if blamed:
                trial.misnamed = trial.misnamed or f"{check.id} names {blamed[0]}"
        return trial.row(miniature)


class _Trial:
    """A wrong queue manager under the checks, with its row so far."""

    def __init__(self, target: Target, budget: Budget, seed: int) -> None:
        self.dialogue = Dialogue(target)
        self.steps, self.seconds, self.misnamed, self.trouble = 0, 0.0, "", ""
        self._target, self._budget, self._seed = target, budget, seed

    def count(self, steps: int, seconds: float) -> None:
        """Count the requests and the time of a check."""
        self.steps, self.seconds = self.steps + steps, self.seconds + seconds

    def row(self, miniature: WrongOne, check: str = "", rule: str = "", budget: Budget | None = None) -> Caught:
        """Return the row: the check that caught it and the rule that this named, if any."""
        return Caught(miniature, check, rule, self.steps, round(self.seconds, 3), budget, self.misnamed, self.trouble)

    def blamed(self, check: Check) -> tuple[str, ...]:
        """Carry out a check and return the rules that it shows to be broken."""
        rig, began = Rig(self.dialogue, self._budget, self._seed, rules=check.rules), time.perf_counter()
        try:
            check.perform(rig)
        except TargetError as error:
            self.trouble = self.trouble or f"{check.id}: {str(error).splitlines()[0]}"
            self.dialogue = Dialogue(self._target)
        except MqOracleError:
            pass  # the check is undecided
        rig.finish()
        met = (blamed(check, sighting.departure) for sighting in rig.met.values())
        rules = tuple(dict.fromkeys(chain.from_iterable(met)))
        self.count(rig.tally.steps, time.perf_counter() - began)
        return rules


class Traces:
    """The traces of scenarios on the unchanged model, each made when it is first needed.

    A machine is not traced, because it makes most of all calls and covers what scenarios leave out.
    """

    def __init__(self, platform: PlatformName) -> None:
        self._server = _TracedServer(platform)
        self._dialogue = Dialogue(InProcessTarget("model", lambda: self._server))
        self._found: dict[tuple[str, Budget | None], Trace] = {}

    def of(self, check: Check, budget: Budget = Budget.QUICK) -> Trace | None:
        """Return the trace of a check that applies to the platform; None for a machine."""
        if check.kind != "scenario":
            return None
        key = (check.id, budget if check.by_budget else None)
        if key not in self._found:
            self._found[key] = self._traced(check, budget)
        return self._found[key]

    def _traced(self, check: Check, budget: Budget) -> Trace:
        server, rig, began = self._server, Rig(self._dialogue, budget), time.perf_counter()
        _ignoring_the_undecided(check, rig)
        seconds = time.perf_counter() - began
        forget_all()
        server.codes, server.exchanges = set(), []
        _ignoring_the_undecided(check, Rig(self._dialogue, budget))
        talk = Talk(tuple(server.exchanges), frozenset(server.codes))
        server.codes = None
        return Trace(rig.tally.steps, seconds, talk)


def _ignoring_the_undecided(check: Check, rig: Rig) -> None:
    try:
        check.perform(rig)
    except TargetError:
        raise
    except MqOracleError:
        pass


class _TracedServer(Server):
    """The reference server, which records in `codes`, if that is a set, the code that it runs, and the dialogue."""

    def __init__(self, platform: PlatformName) -> None:
        super().__init__(platform)
        self.codes: set[CodeType] | None = None
        self.exchanges: list[tuple[str, dict[str, Any]]] = []

    def answer(self, line: str) -> dict[str, Any]:
        """Return the reply to one request."""
        if self.codes is None:
            return super().answer(line)
        with calls_noted(self.codes.add):
            reply = super().answer(line)
        self.exchanges.append((line, reply))
        return reply
