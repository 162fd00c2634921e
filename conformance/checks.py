"""A check: something the suite does with a target, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from conformance.bench import Bench
from conformance.dialogue import Hello
from conformance.session import Session
from oracle.explain import Departure
from oracle.profile import PlatformName
from oracle.verdicts import Verdict

PLATFORMS: tuple[PlatformName, ...] = ("distributed", "zos", "ibmi")


@dataclass(frozen=True, slots=True)
class Check:
    """Something that can be done with a target and judged.

    `rules` are those that the check decides; a state machine has none and decides whatever it comes upon. `features`
    are those that a target must claim. `perform` does it and returns the session that departed from the documents,
    or None.
    """

    id: str
    title: str
    kind: Literal["scenario", "machine"]
    perform: Callable[[Bench], Session | None] = field(repr=False, compare=False)
    rules: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    platforms: tuple[PlatformName, ...] = PLATFORMS

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
    """A session that ended in a departure, made as short as it could be."""

    session: Session
    departure: Departure


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What came of a check.

    `steps` counts the requests, `exercised` are the rules that the documents' outcomes rested on. `missing` says what
    was not there to decide or apply the check; `error` how the target broke.
    """

    check: Check
    verdict: Verdict
    steps: int = 0
    seconds: float = 0.0
    exercised: frozenset[str] = frozenset()
    counterexample: Counterexample | None = None
    missing: str = ""
    error: str = ""

    @property
    def blamed(self) -> tuple[str, ...]:
        """The rules that the counterexample shows to be broken: its first, and those that the check is about."""
        if self.counterexample is None:
            return ()
        broken = self.counterexample.departure.rules
        return tuple(dict.fromkeys((broken[0], *(rule for rule in broken if rule in self.check.rules))))
