"""A check: something the suite does with a target, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

from conformance.bench import Bench
from conformance.dialogue import Hello
from conformance.session import Session, Transcript
from conformance.tally import Tally
from oracle.deviations import Deviation
from oracle.explain import Departure
from oracle.profile import PLATFORMS, PlatformName
from oracle.verdicts import Verdict

AT_THE_MQI: Final = ("mqi", "mqi-multi", "clock")
"""The ways of observing a rule that calls have; what only a log shows is the audit's affair."""


@dataclass(frozen=True, slots=True)
class Check:
    """Something that can be done with a target and judged.

    `rules` are those that the check decides; a state machine has none and decides whatever it comes upon. `features`
    are those that a target must claim. `perform` does it and returns the session that departed from the documents,
    or None. `weight` says of a check that takes long about how long, beside others. `by_budget`: what a scenario does
    depends on the budget.
    """

    id: str
    title: str
    kind: Literal["scenario", "machine"]
    perform: Callable[[Bench], Session | None] = field(repr=False, compare=False)
    rules: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    platforms: tuple[PlatformName, ...] = PLATFORMS
    weight: int = 0
    by_budget: bool = False

    @property
    def area(self) -> str:
        """The first part of the id: `lock` of `lock/unlock-twice`."""
        return self.id.partition("/")[0]

    def inapplicable(self, hello: Hello) -> str:
        """Return why the check does not apply to a target, or nothing if it does."""
        if hello.platform not in self.platforms:
            return f"it is about {' and '.join(self.platforms)}, the target is {hello.platform}"
        missing = [feature for feature in self.features if feature not in hello.features]
        return f"the target does not claim {', '.join(missing)}" if missing else ""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A session that ended in a departure."""

    transcript: Transcript
    departure: Departure


def counterexample(session: Session | None) -> Counterexample | None:
    """Return the session as a counterexample, or None if it did not depart from the documents."""
    if session is None or session.departure is None:
        return None
    return Counterexample(session.transcript, session.departure)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What came of a check.

    `steps` counts the requests, `exercised` are the rules that the documents' outcomes rested on, `reached` is how far
    a state machine went. `missing` says what was not there to decide or apply the check; `error` how the target broke.
    `known` are the deviations that excuse the departures of the check, all of them: none if one is not excused.
    `choices` are the open questions that the target answered otherwise than the model would first; the check is
    undecided `by_choice` if that is why.
    """

    check: Check
    verdict: Verdict
    steps: int = 0
    seconds: float = 0.0
    exercised: frozenset[str] = frozenset()
    counterexample: Counterexample | None = None
    known: tuple[Deviation, ...] = ()
    missing: str = ""
    error: str = ""
    reached: Tally | None = None
    choices: tuple[str, ...] = ()
    by_choice: bool = False

    @property
    def blamed(self) -> tuple[str, ...]:
        """The rules that the counterexample shows to be broken."""
        return () if self.counterexample is None else blamed(self.check, self.counterexample.departure)

    @property
    def excused(self) -> bool:
        """Whether it violates, but only in ways that are known."""
        return self.verdict is Verdict.VIOLATES and bool(self.known)


def blamed(check: Check, departure: Departure) -> tuple[str, ...]:
    """Return the rules that a departure shows to be broken: its first, and those that the check is about.

    Among these are rules of the call before it, whose effect it may be that shows.
    """
    broken = (*departure.rules, *departure.before)
    return tuple(dict.fromkeys((departure.rules[0], *(rule for rule in broken if rule in check.rules))))
