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
    hello: Hello
    checks: tuple[Check, ...]
    seed: int


@dataclass(frozen=True, slots=True)
class CheckStarted:
    """A check begins."""

    check: Check


@dataclass(frozen=True, slots=True)
class CheckFinished:
    """A check has ended, one way or another."""

    result: CheckResult


@dataclass(frozen=True, slots=True, eq=False)
class RunFinished:
    """The run is over; every check has a result, also one that was not reached.

    Each run is another one, so that what is made of one can be kept by it.
    """

    started: RunStarted
    results: tuple[CheckResult, ...]
    rules: tuple[RuleResult, ...]
    known: tuple[Account, ...] = ()
    """What the run has shown of the known deviations."""
    ended_early: str = ""
    """Why it ended early; empty if it did not."""


Event = RunStarted | CheckStarted | CheckFinished | RunFinished


class Listener(Protocol):
    """Something that makes a report of events."""

    def notify(self, event: Event) -> None:
        """Take note of an event."""
