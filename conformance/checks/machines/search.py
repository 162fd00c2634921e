"""A search: Hypothesis runs a state machine repeatedly, until enough departures are found or the budget is spent.

Sessions are drawn at random, and Hypothesis' `target` is not used. It was tried, with the number of pairs of rules that
bear on one call of a session. Sessions with many such pairs were then repeated with small changes: 375 sessions of the
machine about everything met 5,072 and 4,010 different pairs with two seeds, where 5,784 and 4,584 are met without, and
took three to four times as long. Beginning with histories of other checks (`continued`) leads to rare states faster.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, Final

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.errors import Flaky, Unsatisfiable
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from conformance.checks.rig import Budget, Rig
from conformance.sessions.session import Session, Sighting
from oracle.errors import InapplicableError, MqOracleError

SESSIONS: Final = {Budget.QUICK: 25, Budget.STANDARD: 125}
"""The number of sessions of a machine with a share of 1; with the deep budget, as many as fit its time."""

CALLS_A_SESSION: Final = {Budget.QUICK: 30, Budget.STANDARD: 40, Budget.DEEP: 60}
"""The approximate number of calls in each session."""

_DEEP_ROUND: Final = 400
"""The number of sessions of a deep search with the same seed."""


class DepartedError(Exception):
    """Sessions have shown all the departures that are wanted: Hypothesis need not search further."""


class _SpentError(Exception):
    """The budget is spent."""


@dataclass
class Search:
    """The state of a search, and its end."""

    rig: Rig
    """The rig that makes its sessions."""
    sessions_left: int
    """The number of sessions that it may still have."""
    deadline: float | None = None
    """The time at which it ends."""
    found: list[Sighting] = field(default_factory=list)
    """The departures that are not known."""
    looks: set[tuple[str, ...]] = field(default_factory=set)
    """The appearance of all departures that it has met: none is reported twice."""
    ended: Exception | None = field(default=None)
    """The exception that has ended it. None while it continues."""
    inapplicable: InapplicableError | None = None
    """The reason why a session could not begin on the target."""
    applied: bool = False
    """Whether any other session could begin."""

    def begin_session(self) -> None:
        """Count a session.

        Raises the exception that has ended the search, if any.
        """
        if self.ended is None and (self.sessions_left <= 0 or self.late):
            self.ended = _SpentError()
        if self.ended is not None:
            raise self.ended
        self.sessions_left -= 1
        self.rig.tally.sessions += 1

    def note(self, sightings: Iterable[Sighting]) -> None:
        """Note departures that a session has met.

        Raises DepartedError if the search has found enough of them.
        """
        for sighting in sightings:
            if sighting.met.look not in self.looks:
                self.looks.add(sighting.met.look)
                if not self.rig.excuses(sighting):
                    self.found.append(sighting)
        if len(self.found) >= self.rig.wanted:
            self.ended = DepartedError()
            raise self.ended

    @property
    def late(self) -> bool:
        """Whether its time has passed."""
        return self.deadline is not None and monotonic() >= self.deadline


def run_search(machine: Callable[[Search], RuleBasedStateMachine], share: int, rig: Rig) -> Session | None:
    """Run a machine until enough departures are found or the budget is spent.

    Return the session that shows the first of them, or None.

    Raises TargetError if the target breaks, InapplicableError if no session can begin on it.
    """
    set_hypothesis_home_dir(Path(tempfile.gettempdir()) / "mqoracle-hypothesis")
    deep = rig.budget is Budget.DEEP
    deadline = monotonic() + rig.seconds if deep else None
    chosen_seed, found, looks = rig.seed, list[Sighting](), set[tuple[str, ...]]()
    while True:
        done = Search(rig, _DEEP_ROUND if deep else share * SESSIONS[rig.budget], deadline, found, looks)
        chosen_seed = _run_out(machine, done, chosen_seed)
        if isinstance(done.ended, MqOracleError):
            raise done.ended
        if done.inapplicable is not None and not done.applied:
            raise done.inapplicable
        if len(found) >= rig.wanted or not deep or done.late:
            return found[0].session if found else None


def _run_out(machine: Callable[[Search], RuleBasedStateMachine], work: Search, chosen_seed: int) -> int:
    """Run a machine until its search has ended, and return a new seed."""
    while work.ended is None:
        _run(machine, work, chosen_seed)
        chosen_seed += 1
    return chosen_seed


def _run(machine: Callable[[Search], RuleBasedStateMachine], work: Search, chosen_seed: int) -> None:
    """Let Hypothesis search; its findings are in the search.

    It repeats a failure, and the repetition ends at once. It also gives up if repeated calls are answered differently,
    as a target with choices may do; the rest of the budget is then left for another seed.
    """

    @seed(chosen_seed)
    def made() -> Any:
        return machine(work)

    with suppress(DepartedError, _SpentError, MqOracleError, Flaky, Unsatisfiable):
        run_state_machine_as_test(made, settings=_settings(work))  # type: ignore[arg-type]  # takes any factory


def _settings(work: Search) -> settings:
    """Return the settings of Hypothesis: it only generates, because shrinking works on the lines of the history."""
    return settings(
        max_examples=max(1, work.sessions_left),
        stateful_step_count=CALLS_A_SESSION[work.rig.budget],
        deadline=None,
        database=None,
        derandomize=False,
        phases=(Phase.generate,),
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        print_blob=False,
    )
