"""The results of a run as a document: the contents of the JSON report, from which other reports are made too.

`summary` counts the checks by verdict. A rule or check that is undecided or does not apply has a member `missing`, and
a check that ended as a target error a member `error`. A check that is undecided only because the target lawfully chose
otherwise has a member `by_choice`. A counterexample's `requests` begin with `setup` unless its queue manager has only
the default queue, `Q` with the values of a newly defined one; `scenario` reproduces it.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from conformance.checks import texts
from conformance.checks.check import CheckResult, Departed
from conformance.checks.scenarios import as_scenario
from conformance.results.events import RunFinished, RunStarted
from conformance.results.judgement import RuleResult
from conformance.results.known import Account
from conformance.sessions.subjects import subject_of
from conformance.sessions.tally import Tally
from oracle.errors import BadInputError, Place
from oracle.judging.departure import Departure
from oracle.judging.deviations import Deviation, Standing
from oracle.judging.verdicts import Verdict
from oracle.text.json_text import parse_json
from oracle.text.mistakes import first_mistake
from oracle.text.text_files import read_text

VERSION: Final = 1
"""The version of the document."""


class _Member(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class TargetSeen(_Member):
    """The implementation, as it introduced itself."""

    command: str
    """The command or name that the user gave to reach it."""
    name: str
    """Its name."""
    version: str
    """Its version; empty if it does not state one."""
    language: str
    """The language that it is written in; empty if it does not state one."""
    platform: str
    """Its platform."""
    clock: str
    """Whether its clock is virtual or real."""
    features: tuple[str, ...]
    """The features that it claims."""

    def __str__(self) -> str:
        return f"{self.name} {self.version}".strip()


class RuleSeen(_Member):
    """The judgement on a rule."""

    id: str
    """The id of the rule."""
    verdict: Verdict
    """The verdict."""
    checks: tuple[str, ...]
    """The ids of the checks that decide it."""
    missing: str = ""
    """What was missing to decide or apply the rule; empty if nothing was."""
    by_choice: bool = False
    """As in `RuleResult`."""


class SubjectSeen(_Member):
    """The subject of a departure, as in `conformance.sessions.subjects.Subject`."""

    verb: str
    """The call."""
    what: str
    """A member of the reply, or a word of `conformance.sessions.subjects`."""
    allowed: str
    """The allowed value."""
    observed: str
    """The observed value."""
    rule: str
    """The rule that explains it best, whatever the check is about; empty if there is none."""
    text: str
    """The departure, in a sentence."""
    said: tuple[str, ...] = ()
    """All rules about the subject."""
    cause: str = ""
    """The earlier call that caused it, if it is known."""


class CounterexampleSeen(_Member):
    """The shortest calls that show a departure."""

    requests: tuple[dict[str, Any], ...]
    """The requests of the target protocol. The reply to the last departs. The default `setup` is left out."""
    expected: str
    """The allowed outcomes."""
    observed: str
    """The observed outcome."""
    explanation: str
    """The departure, in a sentence."""
    calls: tuple[str, ...] = ()
    """The calls in the notation, each with its reply."""
    rules: tuple[str, ...] = ()
    """The rules, beginning with the broken one."""
    way: str = ""
    """The way in which it shows (`oracle.judging.deviations`)."""
    subject: SubjectSeen | None = None
    """The subject of the departure; older documents do not have it."""
    scenario: dict[str, Any] = Field(default_factory=dict)
    """The calls as a scenario, which reproduces the departure. Older documents do not have it."""


class DepartureSeen(_Member):
    """A departure that a check met."""

    rules: tuple[str, ...]
    """The rules that it breaks, the likeliest first."""
    verb: str
    """The call, the last one of the counterexample."""
    members: tuple[str, ...]
    """The outputs of the call that depart, or `CompCode and Reason`."""
    allowed: str
    """The allowed values of these outputs."""
    observed: str
    """The observed values of these outputs."""
    step: int
    """The number of the call in the counterexample."""
    counterexample: CounterexampleSeen
    """The calls that show it."""
    excused: bool = False
    """Whether the departure is known."""


class ReachedSeen(_Member):
    """The reach of a state machine: the numbers of `sessions.tally.Tally`. Those by name begin with the largest."""

    sessions: int
    """The number of fresh queue managers."""
    undecided: int
    """The number of sessions that the oracle could not follow to the end."""
    deepest: int
    """The largest number of messages on a queue."""
    longest_group: int
    """The largest number of messages of one group on a queue."""
    waits: int
    """The number of waits that were begun."""
    most_waiting: int
    """The largest number of calls that waited at one time."""
    units_of_work: int
    """The number of units of work that were begun."""
    most_units_of_work: int
    """The largest number of units of work at one time."""
    most_locks: int
    """The largest number of locks at one time."""
    most_marks: int
    """The largest number of marks at one time."""
    calls: dict[str, int]
    """The number of calls by name."""
    completions: dict[str, int]
    """The number of calls by name and reason code."""
    rules: dict[str, int]
    """The number of times that each rule was behind the allowed outcomes."""


class CheckSeen(_Member):
    """The result of a check."""

    id: str
    """The id of the check."""
    title: str = ""
    """Its subject."""
    kind: str = "scenario"
    """Its kind: scenario or machine."""
    rules: tuple[str, ...]
    """The rules that it is about; if it is about none, those that it exercised or saw broken."""
    verdict: Verdict
    """The verdict."""
    steps: int
    """The number of requests that were made."""
    seconds: float
    """Its duration in seconds."""
    counterexample: CounterexampleSeen | None
    """The departure to show first."""
    missing: str = ""
    """What was missing to decide or apply it; empty if nothing was."""
    by_choice: bool = False
    """Whether it is undecided because the target lawfully chose a way that the check does not follow."""
    error: str = ""
    """The way in which the target broke; empty if it did not."""
    excused: bool = False
    """Whether all of its departures are known."""
    departures: tuple[DepartureSeen, ...] = ()
    """All departures that it met."""
    lost: str = ""
    """The reason why later calls could not be judged, if so."""
    reached: ReachedSeen | None = None
    """The reach, for a state machine."""


class KnownSeen(_Member):
    """A known deviation in the run."""

    deviation: Deviation
    """The deviation."""
    standing: Standing
    """The state of the entry after the run."""
    checks: tuple[str, ...]
    """The ids of the checks that it excuses."""


class Results(_Member):
    """The results of a run."""

    target: TargetSeen
    """The implementation under test."""
    seed: int
    """The seed of random choices."""
    summary: dict[str, int]
    """The number of checks by verdict."""
    rules: tuple[RuleSeen, ...]
    """The judgement on each rule."""
    checks: tuple[CheckSeen, ...]
    """The result of each check."""
    version: Annotated[int, Field(ge=VERSION, le=VERSION)] = VERSION
    """The version of the document's form."""
    known: tuple[KnownSeen, ...] = ()
    """The known deviations."""
    ended_early: str = ""
    """The reason why it ended early; empty if it did not."""

    @property
    def is_empty(self) -> bool:
        """Whether the run has tested nothing: no check exercised its rule or failed, so none conforms or violates."""
        nothing = (Verdict.NOT_APPLICABLE, Verdict.UNDECIDED)
        return all(check.verdict in nothing for check in self.checks)

    def text(self) -> str:
        """Return the document as JSON."""
        return self.model_dump_json(indent=2, exclude_unset=True) + "\n"


@lru_cache(maxsize=1)
def results_of(finished: RunFinished) -> Results:
    """Return the document of a run."""
    counts = Counter(result.verdict for result in finished.results)
    return Results(
        target=_target(finished.started),
        seed=finished.started.seed,
        summary={verdict.value: counts[verdict] for verdict in Verdict},
        rules=tuple(_rule(result) for result in finished.rules),
        checks=tuple(_check(result) for result in finished.results),
        version=VERSION,
        known=tuple(_known(entry) for entry in finished.known),
        ended_early=finished.ended_early,
    )


def read_results(path: Path) -> Results:
    """Read the document of a run from a file.

    Raises BadInputError if the file cannot be read or is not such a document, of this version.
    """
    place = Place(str(path))
    document = parse_json(read_text(path), place, "not JSON; give a file that mq-conform run --json has written")
    version = document.get("version", VERSION) if isinstance(document, dict) else None
    if isinstance(version, int) and version != VERSION:
        raise BadInputError(f"results of version {version}; this program reads version {VERSION}", place)
    try:
        return Results.model_validate(document)
    except ValidationError as error:
        mistake = first_mistake(error)
        reason = mistake.about(mistake.member or "the file")
        raise BadInputError(f"not results of mq-conform run --json: {reason}", place) from error


def _target(started: RunStarted) -> TargetSeen:
    who, hello = started.hello.implementation, started.hello
    return TargetSeen(
        command=started.target,
        name=who.name,
        version=who.version,
        language=who.language,
        platform=hello.platform,
        clock=hello.clock,
        features=hello.features,
    )


def _rule(result: RuleResult) -> RuleSeen:
    members: dict[str, Any] = {}
    if result.missing:
        members["missing"] = result.missing
    if result.by_choice:
        members["by_choice"] = True
    return RuleSeen(id=result.rule.id, verdict=result.verdict, checks=result.checks, **members)


def _check(result: CheckResult) -> CheckSeen:
    members: dict[str, Any] = {}
    if result.missing:
        members["missing"] = result.missing
    if result.by_choice:
        members["by_choice"] = True
    if result.error:
        members["error"] = result.error
    if result.excused:
        members["excused"] = True
    if result.departures:
        members["departures"] = tuple(_departure(result, each) for each in result.departures)
    if result.lost:
        members["lost"] = result.lost
    if result.reached is not None:
        members["reached"] = _reached(result.reached)
    return CheckSeen(
        id=result.check.id,
        title=result.check.title,
        kind=result.check.kind,
        rules=result.check.rules or tuple(sorted(result.exercised | set(result.blamed))),
        verdict=result.verdict,
        steps=result.steps,
        seconds=round(result.seconds, 3),
        counterexample=None if result.shown is None else _counterexample(result, result.shown),
        **members,
    )


def _reached(tally: Tally) -> ReachedSeen:
    counters = ((name, value) for name, value in vars(tally).items() if isinstance(value, Counter))
    counted = {name: dict(sorted(value.items(), key=lambda each: (-each[1], each[0]))) for name, value in counters}
    return ReachedSeen.model_validate({**vars(tally), **counted})


def _departure(result: CheckResult, met: Departed) -> DepartureSeen:
    return DepartureSeen(
        rules=met.rules,
        verb=met.verb,
        members=met.members,
        allowed=texts.readable(met.allowed, met.counterexample.transcript),
        observed=texts.readable(met.observed, met.counterexample.transcript),
        step=met.step,
        counterexample=_counterexample(result, met),
        **({} if met.known is None else {"excused": True}),
    )


def _counterexample(result: CheckResult, met: Departed) -> CounterexampleSeen:
    found = met.counterexample
    return CounterexampleSeen(
        requests=tuple(dict(request) for request in texts.requests(found)),
        expected=texts.allowed(found),
        observed=texts.observed(found),
        explanation=texts.explanation(found),
        calls=tuple(texts.calls(found)),
        rules=met.rules,
        way=texts.way(found),
        subject=_subject(found.departure),
        scenario=as_scenario(found.transcript.history, result.check, met.rules),
    )


def _subject(departure: Departure) -> SubjectSeen:
    subject = subject_of(departure)
    return SubjectSeen(
        verb=subject.verb,
        what=subject.what,
        allowed=subject.allowed,
        observed=subject.observed,
        rule=departure.rules[0] if departure.rules else "",
        text=str(subject),
        said=departure.of_call,
        cause=departure.cause,
    )


def _known(entry: Account) -> KnownSeen:
    return KnownSeen(deviation=entry.deviation, standing=entry.standing, checks=entry.checks)
