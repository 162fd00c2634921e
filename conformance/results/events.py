"""What the runner tells its listeners while it works."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from conformance.checks.check import Check, CheckResult
from conformance.results.judgement import RuleResult
from conformance.results.known import Account
from conformance.sessions.dialogue import Hello

INTERRUPTED = "the run was interrupted"
"""Why a run ended early that the user stopped."""


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The target has said hello; these checks are going to be run."""

    target: str
    """How the target was reached: the command or name that the user gave."""
    hello: Hello
    """How the target introduced itself."""
    checks: tuple[Check, ...]
    """The checks that are to be run."""
    seed: int
    """What random choices depend on."""


@dataclass(frozen=True, slots=True)
class CheckStarted:
    """A check begins."""

    check: Check
    """The check."""


@dataclass(frozen=True, slots=True)
class CheckFinished:
    """A check has ended, one way or another."""

    result: CheckResult
    """What came of it."""


@dataclass(frozen=True, slots=True, eq=False)
class RunFinished:
    """The run is over; every check has a result, also one that was not reached.

    Each run is another one, so that what is made of one can be kept by it.
    """

    started: RunStarted
    """How the run began."""
    results: tuple[CheckResult, ...]
    """What came of each check."""
    rules: tuple[RuleResult, ...]
    """The judgement on each rule."""
    known: tuple[Account, ...] = ()
    """What the run has shown of the known deviations."""
    ended_early: str = ""
    """Why it ended early; empty if it did not."""


Event = RunStarted | CheckStarted | CheckFinished | RunFinished


class Listener(Protocol):
    """Something that makes a report of events."""

    def notify(self, event: Event) -> None:
        """Take note of an event."""
