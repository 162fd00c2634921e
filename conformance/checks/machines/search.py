"""A search: a state machine is run repeatedly, until enough departures are found or the budget is spent.

Each session is drawn at random, independently of the others. To repeat with small changes those that had met many pairs
of rules was tried, with Hypothesis' `target`: they met fewer different pairs, and took three to four times as long.
Beginning with histories of other checks (`continued`) leads to rare states faster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from random import Random
from time import monotonic
from typing import Final

from conformance.checks.machines.acting import Machine, play_session
from conformance.checks.rig import Budget, Rig
from conformance.sessions.session import Session, Sighting
from oracle.errors import InapplicableError

SESSIONS: Final = {Budget.QUICK: 20, Budget.STANDARD: 125}
"""The number of sessions of a machine with a share of 1; with the deep budget, as many as fit its time."""

CALLS_A_SESSION: Final = {Budget.QUICK: 30, Budget.STANDARD: 40, Budget.DEEP: 60}
"""The approximate number of calls in each session."""


class DepartedError(Exception):
    """Sessions have shown all the departures that are wanted."""


class _SpentError(Exception):
    """The budget is spent."""


@dataclass
class Search:
    """The state of a search, and its end."""

    rig: Rig
    """The rig that makes its sessions."""
    sessions_left: int | None
    """The number of sessions that it may still have; None if only its time is limited."""
    deadline: float | None = None
    """The time at which it ends."""
    found: list[Sighting] = field(default_factory=list)
    """The departures that are not known."""
    looks: set[tuple[str, ...]] = field(default_factory=set)
    """The appearance of all departures that it has met: none is reported twice."""
    inapplicable: InapplicableError | None = None
    """The reason why a session could not begin on the target."""
    applied: bool = False
    """Whether any other session could begin."""

    def begin_session(self) -> None:
        """Count a session.

        Raises _SpentError if the budget does not allow another one.
        """
        if self.late or self.sessions_left == 0:
            raise _SpentError
        if self.sessions_left is not None:
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
            raise DepartedError

    @property
    def late(self) -> bool:
        """Whether its time has passed."""
        return self.deadline is not None and monotonic() >= self.deadline


def run_search(machine: Callable[[Search], Machine], share: int, rig: Rig) -> Session | None:
    """Run a machine until enough departures are found or the budget is spent.

    Return the session that shows the first of them, or None.

    Raises TargetError if the target breaks, InapplicableError if no session can begin on it.
    """
    deep = rig.budget is Budget.DEEP
    deadline = monotonic() + rig.seconds if deep else None
    work = Search(rig, None if deep else share * SESSIONS[rig.budget], deadline)
    with suppress(DepartedError, _SpentError):
        for number in count():
            # A text seeds alike in every process and version of Python.
            play_session(machine(work), Random(f"{rig.seed} {number}"), CALLS_A_SESSION[rig.budget])
    if work.inapplicable is not None and not work.applied:
        raise work.inapplicable
    return work.found[0].session if work.found else None
