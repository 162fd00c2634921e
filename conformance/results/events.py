"""The events that the runner sends to its listeners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from conformance.checks.check import Check, CheckResult
from conformance.results.judgement import RuleResult
from conformance.results.known import Account
from conformance.sessions.dialogue import Hello

INTERRUPTED = "the run was interrupted"
"""The reason for the early end of a run that the user stopped."""


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The target has said hello, and these checks are going to be run."""

    target: str
    """The command or name that the user gave to reach the target."""
    hello: Hello
    """The target's description of itself."""
    checks: tuple[Check, ...]
    """The checks that are to be run."""
    seed: int
    """The seed of random choices."""


@dataclass(frozen=True, slots=True)
class CheckStarted:
    """A check begins."""

    check: Check
    """The check."""


@dataclass(frozen=True, slots=True)
class CheckFinished:
    """A check has ended."""

    result: CheckResult
    """The result."""


@dataclass(frozen=True, slots=True, eq=False)
class RunFinished:
    """The run has ended.

    Every check has a result, including those that were not reached. Each run is a separate object, so data derived from
    it can be stored by it.
    """

    started: RunStarted
    """The beginning of the run."""
    results: tuple[CheckResult, ...]
    """The result of each check."""
    rules: tuple[RuleResult, ...]
    """The judgement on each rule."""
    known: tuple[Account, ...] = ()
    """The state of the known deviations after the run."""
    ended_early: str = ""
    """The reason why it ended early; empty if it did not."""


Event = RunStarted | CheckStarted | CheckFinished | RunFinished


class Listener(Protocol):
    """A listener, which makes a report from events."""

    def notify(self, event: Event) -> None:
        """Handle an event."""
