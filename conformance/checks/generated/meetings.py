"""Meetings: histories in which features meet, made from tables of alternatives for each place.

A table in `conformance/checks/meetings/*.yaml` has steps in the notation with places in braces, and for each place the
ways in which it can be filled. `{see.before}` and `{see.after}` are two parts of one way. Every way of the first place
is a check, which plays ways of the other places with it. With the quick budget each way of another place meets it in
some history, and the checks of a table join them differently; with the standard budget any two of those meet it
together; with the deep budget all combinations are played, if a table has not too many. Histories that a target does
not claim features for are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from itertools import combinations, product
from random import Random
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from conformance.checks.check import Check
from conformance.checks.features import details_of, features_of
from conformance.checks.on_zos import with_index
from conformance.checks.rig import Budget, Rig
from conformance.sessions.session import DEFAULT_QUEUE, History, Session, Setup
from oracle.errors import BadInputError, MqOracleError, NotModelledError, Place, UsageError
from oracle.histories.notation import parse
from oracle.mqi.profile import PLATFORMS, PlatformName
from oracle.rules import catalogue
from oracle.text.yaml_files import parse_yaml

AREA: Final = "meetings"
"""The first part of the ids of these checks."""

MOST: Final = 600
"""The greatest number of combinations of ways for which the deep budget plays all."""

Name = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Chosen = tuple[str, ...]
"""The names of the chosen ways, one for each place in order."""


class Way(BaseModel):
    """A way to fill a place: a text, or one before and one after."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str = ""
    """The text that fills the place."""
    before: str = ""
    """The first part, if the way has two parts."""
    after: str = ""
    """The second part, if the way has two parts."""
    rules: tuple[catalogue.RuleId, ...] = ()
    """The rules that a check of this way decides in addition."""
    queues: tuple[Mapping[str, Any], ...] = ()
    """Attributes that the way needs, for the queue of the table with that name."""
    qmgr: Mapping[str, Any] = Field(default_factory=dict)
    """Attributes of the queue manager that the way needs."""


class Table(BaseModel):
    """One table."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Name
    """Its name, with which the ids of its checks begin after the area."""
    title: Annotated[str, Field(min_length=1)]
    """The title of its checks."""
    rules: tuple[catalogue.RuleId, ...] = ()
    """The rules that all its checks decide."""
    platforms: Annotated[tuple[PlatformName, ...], Field(min_length=1)] = PLATFORMS
    """The platforms on which its checks are played."""
    queues: tuple[Mapping[str, Any], ...] = ({"name": DEFAULT_QUEUE},)
    """Queues as in the protocol's `setup`."""
    qmgr: Mapping[str, Any] = Field(default_factory=dict)
    """Attributes of the queue manager, as in the protocol's `setup`."""
    steps: Annotated[str, Field(min_length=1)]
    """Text in the notation, with places."""
    ways: Annotated[Mapping[Name, Annotated[Mapping[Name, Way | str], Field(min_length=1)]], Field(min_length=1)]
    """By place and name, the ways to fill it. A string stands for a way with that text."""

    def chosen(self, budget: Budget) -> tuple[Chosen, ...]:
        """Return the combinations of ways that a budget plays, grouped by the way of the first place."""
        first, *others = self.ways.values()
        places = tuple(map(tuple, others))
        rounds = (_chosen(self.name, places, budget, turn) for turn in range(len(first)))
        return tuple((name, *each) for name, chosen in zip(first, rounds, strict=True) for each in chosen)

    def history(self, chosen: Chosen) -> History:
        """Return the history in which these ways meet.

        Raises BadInputError, naming the table and the ways, if it is not of the notation.
        """
        ways = {place: _way(every[name]) for (place, every), name in zip(self.ways.items(), chosen, strict=True)}
        steps, queues, qmgr = self.steps, [dict(queue) for queue in self.queues], dict(self.qmgr)
        for _ in range(2):  # the text of a way may itself contain places
            for place, way in ways.items():
                for part, text in ((place, way.text), (f"{place}.before", way.before), (f"{place}.after", way.after)):
                    steps = steps.replace("{" + part + "}", text)
            if "{" not in steps:
                break
        for way in ways.values():
            queues = _with_attributes(queues, way.queues)
            qmgr |= way.qmgr
        return History(Setup(tuple(queues), qmgr), parse(steps, f"{AREA}/{self.name}: {', '.join(chosen)}"))


class TableFile(BaseModel):
    """The tables of one file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tables: Annotated[tuple[Table, ...], Field(min_length=1)]
    """The tables."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """A history of a table."""

    chosen: Chosen
    """The ways that meet in it."""
    history: History
    """The history."""
    features: frozenset[str]
    """The features that a target must claim for it."""
    details: frozenset[str]
    """The finer features."""


def checks() -> Iterator[Check]:
    """Yield a check for each way of the first place of each table."""
    for table in tables():
        for first in next(iter(table.ways.values())):
            meetings = meetings_of(table, first, Budget.QUICK)
            way = _way(next(iter(table.ways.values()))[first])
            needed = frozenset.intersection(*(meeting.features for meeting in meetings))
            finer = frozenset.intersection(*(meeting.details for meeting in meetings))
            rules = (*table.rules, *way.rules)
            yield Check(
                f"{AREA}/{table.name}-{first}",
                table.title,
                "scenario",
                partial(_perform, table, first),
                rules=rules,
                features=tuple(sorted(needed)),
                details=tuple(sorted(finer.union(details_of((), rules)))),
                platforms=table.platforms,
                by_budget=True,
            )


@cache
def tables() -> tuple[Table, ...]:
    """Return every table.

    Raises BadInputError if a file is not of the schema or a name is given twice.
    """
    found: dict[str, Table] = {}
    folder = files("conformance.checks") / "meetings"
    for entry in sorted(folder.iterdir(), key=lambda item: item.name):
        if not entry.name.endswith(".yaml"):
            continue
        for table in parse_yaml(entry.read_text(encoding="utf-8"), f"meetings/{entry.name}", TableFile).tables:
            if table.name in found:
                raise BadInputError(f"{table.name} is defined twice", Place(f"meetings/{entry.name}"))
            found[table.name] = table
    return tuple(found.values())


@cache
def _by_name() -> dict[str, Table]:
    return {table.name: table for table in tables()}


def meetings_of(table: Table, first: str, budget: Budget) -> tuple[Meeting, ...]:
    """Return the meetings of one way of a table's first place that a budget plays."""
    others = tuple(map(tuple, list(table.ways.values())[1:]))
    turn = tuple(next(iter(table.ways.values()))).index(first)
    return tuple(_meeting(table.name, (first, *each)) for each in _chosen(table.name, others, budget, turn))


@cache
def _meeting(name: str, chosen: Chosen) -> Meeting:
    history = _by_name()[name].history(chosen)
    return Meeting(chosen, history, frozenset(features_of(history)), frozenset(details_of([history])))


def _perform(table: Table, first: str, rig: Rig) -> Session | None:
    """Play the meetings and return the session of the first that departs.

    A meeting that cannot be played to its end leaves the check undecided, after the others have been played. Raises
    UsageError or NotModelledError if there is such a meeting and none departs.
    """
    undecided: MqOracleError | None = None
    departed: Session | None = None
    for meeting in meetings_of(table, first, rig.budget):
        if not meeting.features | meeting.details <= rig.dialogue.hello.claimed:
            continue
        try:
            session = rig.play(_on(rig.dialogue.hello.platform, table, meeting))
        except (UsageError, NotModelledError) as error:
            undecided = undecided or error
            continue
        if session.departures and departed is None:
            departed = session
    if departed is None and undecided is not None:
        raise undecided
    return departed


def _on(platform: PlatformName, table: Table, meeting: Meeting) -> History:
    """Return the history as a platform plays it.

    On z/OS the queues have the index without which it refuses all that asks for groups. A table for z/OS alone says
    itself which queue has which.
    """
    if platform != "zos" or table.platforms == ("zos",):
        return meeting.history
    return with_index(meeting.history)


def _chosen(name: str, places: tuple[Chosen, ...], budget: Budget, turn: int) -> tuple[Chosen, ...]:
    """Return the combinations of the ways of all places except the first that a budget plays.

    `turn` is the number of the way of the first place that they are played with.
    """
    if not places:
        return ((),)
    return _in_turn(places, turn) if budget is Budget.QUICK else _combined(name, places, budget)


def _in_turn(places: tuple[Chosen, ...], turn: int) -> tuple[Chosen, ...]:
    """Return combinations in which each way is played once at least.

    In each turn the places begin elsewhere, each by another distance, so that other ways of them meet.
    """
    longest = max(map(len, places))
    return tuple(
        tuple(ways[(number + turn * place) % len(ways)] for place, ways in enumerate(places))
        for number in range(longest)
    )


@cache
def _combined(name: str, places: tuple[Chosen, ...], budget: Budget) -> tuple[Chosen, ...]:
    """Return combinations in which any two ways meet, or all of them if the budget is deep and they are not too many.

    They are the same in every turn.
    """
    every = list(product(*places))
    if budget is Budget.DEEP and len(every) <= MOST:
        return tuple(every)
    return _pairwise(name, every)


def _pairwise(name: str, every: list[Chosen]) -> tuple[Chosen, ...]:
    """Return combinations, always the same ones, in which any two ways of different places meet."""
    kept, met = [], set[tuple[tuple[int, str], ...]]()
    mixed = list(every)
    Random(name).shuffle(mixed)
    for chosen in mixed:
        pairs = set(combinations(enumerate(chosen), min(2, len(chosen))))
        if not pairs <= met:
            met |= pairs
            kept.append(chosen)
    return tuple(kept)


def _way(given: Way | str) -> Way:
    return Way(text=given) if isinstance(given, str) else given


def _with_attributes(queues: list[dict[str, Any]], further: tuple[Mapping[str, Any], ...]) -> list[dict[str, Any]]:
    """Return the queues with further attributes, and additional queues."""
    by_name = {queue["name"]: queue for queue in queues}
    for queue in further:
        by_name[queue["name"]] = {**by_name.get(queue["name"], {}), **queue}
    return list(by_name.values())
