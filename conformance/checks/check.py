"""A check, and its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

from conformance.checks.rig import Rig
from conformance.sessions.departures import Met
from conformance.sessions.dialogue import Hello
from conformance.sessions.session import Session, Sighting, Transcript
from conformance.sessions.tally import Tally
from oracle.judging.departure import Departure
from oracle.judging.deviations import Deviation
from oracle.judging.verdicts import Verdict
from oracle.mqi.profile import PLATFORMS, PlatformName

AT_THE_MQI: Final = ("mqi", "mqi-multi", "clock")
"""The ways of observing a rule by calls; a rule that only a log shows is left to the audit."""


@dataclass(frozen=True, slots=True)
class Check:
    """An action on a target that can be judged."""

    id: str
    """Its name: `lock/unlock-twice`."""
    title: str
    """Its subject."""
    kind: Literal["scenario", "machine"]
    """A scenario, or a state machine that makes its own sequences."""
    perform: Callable[[Rig], Session | None] = field(repr=False, compare=False)
    """A function that performs the check, and returns the first session that departed from the documents, or None.

    The rig has all departures.
    """
    rules: tuple[str, ...] = ()
    """The rules that it decides; a state machine has none and may decide any."""
    features: tuple[str, ...] = ()
    """The features that a target must claim."""
    platforms: tuple[PlatformName, ...] = PLATFORMS
    """The platforms that it applies to."""
    weight: int = 0
    """Its approximate duration relative to others, if it is long."""
    details: tuple[str, ...] = ()
    """The finer features that a target must claim."""
    by_budget: bool = False
    """Whether the actions of a scenario depend on the budget."""

    @property
    def area(self) -> str:
        """The first part of the id: `lock` of `lock/unlock-twice`."""
        return self.id.partition("/")[0]

    def inapplicable(self, hello: Hello) -> str:
        """Return why the check does not apply to a target; empty if it does."""
        if hello.platform not in self.platforms:
            return f"it applies to {' and '.join(self.platforms)}, the target is {hello.platform}"
        missing = [feature for feature in self.features if feature not in hello.features]
        missing += [detail for detail in self.details if not hello.claims(detail)]
        return f"the target does not claim {', '.join(missing)}" if missing else ""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """The calls up to a departure, which is the last of them."""

    transcript: Transcript
    """The calls."""
    departure: Departure
    """The departure."""


def counterexample(sighting: Sighting) -> Counterexample:
    """Return the counterexample of a departure that a session met."""
    return Counterexample(sighting.transcript, sighting.departure)


@dataclass(frozen=True, slots=True)
class Departed:
    """A departure that a check met, and the shortest calls that show it."""

    counterexample: Counterexample
    """The calls that show it."""
    rules: tuple[str, ...]
    """The rules that it shows to be broken, the likeliest first."""
    known: Deviation | None = None
    """The deviation that excuses it, if one does."""

    @property
    def met(self) -> Met:
        """The departure, with its place."""
        return Met(len(self.counterexample.transcript.exchanges) - 1, self.counterexample.departure)

    @property
    def step(self) -> int:
        """The number of the departing call among those of the counterexample, from 0: it is the last."""
        return self.met.step

    @property
    def verb(self) -> str:
        """The verb of the departing call."""
        return self.met.verb

    @property
    def members(self) -> tuple[str, ...]:
        """The outputs that depart, as `MQMD.Priority`, or `CompCode and Reason`."""
        return self.met.departs

    @property
    def allowed(self) -> str:
        """The allowed values of those outputs."""
        return "; ".join(dict.fromkeys(item.allowed for item in self.counterexample.departure.differences))

    @property
    def observed(self) -> str:
        """The observed values of those outputs."""
        return self.met.observed


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a check."""

    check: Check
    """The check."""
    verdict: Verdict
    """The verdict."""
    steps: int = 0
    """The number of requests that were made."""
    seconds: float = 0.0
    """Its duration in seconds."""
    exercised: frozenset[str] = frozenset()
    """The rules behind the outcomes that the documents allow."""
    departures: tuple[Departed, ...] = ()
    """All departures that it met."""
    lost: str = ""
    """The reason why calls after one of them could not be judged; empty if all were judged."""
    missing: str = ""
    """What was missing to decide or apply the check."""
    error: str = ""
    """The way in which the target broke."""
    reached: Tally | None = None
    """The reach of a state machine."""
    choices: tuple[str, ...] = ()
    """The open questions that the target answered otherwise than the model's first answer."""
    by_choice: bool = False
    """Whether the check is undecided because of them."""

    @property
    def shown(self) -> Departed | None:
        """The departure to show first: a new one that breaks a rule of the check."""
        new = [each for each in self.departures if each.known is None]
        own = [each for each in new if set(each.rules).intersection(self.check.rules)]
        return next(iter((*own, *new, *self.departures)), None)

    @property
    def counterexample(self) -> Counterexample | None:
        """The counterexample of that departure."""
        return None if self.shown is None else self.shown.counterexample

    @property
    def blamed(self) -> tuple[str, ...]:
        """The rules that the departures show to be broken, those of the one to show first at the front."""
        first = () if self.shown is None else self.shown.rules
        return tuple(dict.fromkeys((*first, *(rule for each in self.departures for rule in each.rules))))

    @property
    def known(self) -> tuple[Deviation, ...]:
        """The deviations that excuse departures of the check."""
        return tuple(dict.fromkeys(each.known for each in self.departures if each.known is not None))

    @property
    def excused(self) -> bool:
        """Whether it violates, but only in ways that are known."""
        return self.verdict is Verdict.VIOLATES and all(each.known is not None for each in self.departures)

    @property
    def went_through(self) -> bool:
        """Whether all of it was carried out and judged."""
        return self.verdict is Verdict.CONFORMS or (self.verdict is Verdict.VIOLATES and not self.lost)


def blamed(check: Check, departure: Departure) -> tuple[str, ...]:
    """Return the rules that a departure shows to be broken: its first, and those that the check is about.

    Among these are rules of the call before it, whose effect may be what shows.
    """
    broken = (*departure.rules, *departure.before)
    return tuple(dict.fromkeys((departure.rules[0], *(rule for rule in broken if rule in check.rules))))
