"""Known deviations in a run: the departures that they excuse, and the entries that no longer match."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conformance.checks import texts
from conformance.checks.check import Check, CheckResult, Counterexample, blamed
from conformance.sessions.dialogue import Hello
from conformance.sessions.shrink import rule_of
from oracle.judging.deviations import Deviation, Standing
from oracle.judging.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Account:
    """A known deviation in a run."""

    deviation: Deviation
    """The deviation."""
    standing: Standing
    """The state of the entry after the run."""
    checks: tuple[str, ...] = ()
    """The ids of the checks that it excuses."""


def excuse(deviations: Iterable[Deviation], hello: Hello, check: Check, found: Counterexample) -> Deviation | None:
    """Return the entry that excuses a departure, or None: rule, target and way must be those stated."""
    rules, way = (*blamed(check, found.departure), rule_of(found.departure)), texts.way(found)
    entries = about(deviations, hello)
    return next((entry for entry in entries if entry.covers(check.id, rules) and entry.is_seen_in(way)), None)


def about(deviations: Iterable[Deviation], hello: Hello) -> list[Deviation]:
    """Return the entries that apply to a target."""
    who = hello.implementation
    return [deviation for deviation in deviations if deviation.is_about(who.name, who.version)]


def account(deviations: Iterable[Deviation], hello: Hello, results: Sequence[CheckResult]) -> tuple[Account, ...]:
    """Return the state of each entry after the results: one that no longer matches is stale."""
    return tuple(_account(deviation, hello, results) for deviation in deviations)


def _account(deviation: Deviation, hello: Hello, results: Sequence[CheckResult]) -> Account:
    if not about((deviation,), hello):
        return Account(deviation, Standing.OTHER_TARGET)
    excused = tuple(result.check.id for result in results if deviation in result.known)
    if excused:
        return Account(deviation, Standing.OCCURS, excused)
    if deviation.is_for_other_version(hello.implementation.version):
        return Account(deviation, Standing.OTHER_TARGET)
    tried = any(_could_show(deviation, result) for result in results)
    return Account(deviation, Standing.STALE if tried else Standing.NOT_TRIED)


def _could_show(deviation: Deviation, result: CheckResult) -> bool:
    """Return whether a check that went through is about what the entry excuses."""
    tried = result.verdict in (Verdict.CONFORMS, Verdict.VIOLATES)
    return tried and deviation.covers(result.check.id, (*result.check.rules, *result.exercised, *result.blamed))
