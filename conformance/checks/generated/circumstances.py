"""Histories of other checks under other circumstances: through an alias, in a unit of work, beside a locked message.

Every scenario, every example of a rule and the first meeting of every way is a history that can be played under each of
`conformance.checks.circumstances`, or under two of them at once. The model says what is allowed then. At the end a
separate connection looks at all queues, commits for the others, and looks again. There are more than a hundred thousand
such histories. The quick budget plays those of `chosen.yaml`: each of them detects a mutant of the model that no other
check detects (`python -m bench.circumstances` writes it). Those of `siblings`, `others-alike` and `both-queues` were
chosen by hand, so that a few for each area meet most of its rules. The standard budget plays each history under a few
circumstances besides, and the deep one under each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from itertools import islice
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from conformance.checks.check import Check
from conformance.checks.circumstances import CIRCUMSTANCES
from conformance.checks.circumstances.change import connection_of, local_queues, opens
from conformance.checks.examples import example_histories
from conformance.checks.features import details_of, features_of
from conformance.checks.generated import meetings
from conformance.checks.rig import Budget, Rig
from conformance.checks.scenarios import scenarios
from conformance.sessions.session import History, Session
from oracle.errors import InapplicableError, NotModelledError, UsageError
from oracle.histories.history import with_connections
from oracle.histories.notation import Line
from oracle.judging.follow import TooManyStatesError
from oracle.mqi.constants import MQCC, MQGMO, MQOO
from oracle.mqi.profile import PlatformName
from oracle.text.yaml_files import parse_yaml

AREA: Final = "circumstances"
"""The first part of the ids of these checks."""

EACH: Final = 3
"""The number of circumstances under which the standard budget plays each history, besides those chosen."""

_LONGEST_WAIT_MS: Final = 2000
"""The time that a call that waits is given if its connection is needed."""
_LONGEST_LOOK: Final = 30
_LOOKER: Final = "Z"
_LOOKS: Final = frozenset({"browse", "inquire", "syncpoint"})
"""The features that looking at the queues needs."""
_QUIET: Final = frozenset({"advance", "alter", "quiesce", "scan", "fail"})
"""The lines that a waiting call of their connection does not block."""


class ChosenFile(BaseModel):
    """The histories of the quick budget."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    chosen: Mapping[str, Annotated[tuple[str, ...], Field(min_length=1)]]
    """For a circumstance, or two joined by a plus, the ids of the histories."""


@cache
def chosen() -> Mapping[tuple[str, ...], tuple[str, ...]]:
    """Return, for each circumstance or two of them, the ids of the histories that the quick budget plays under it.

    Raises BadInputError if the file is not of the schema.
    """
    file = files("conformance.checks") / "circumstances" / "chosen.yaml"
    found = parse_yaml(file.read_text(encoding="utf-8"), "circumstances/chosen.yaml", ChosenFile).chosen
    return {tuple(key.split("+")): ids for key, ids in found.items()}


@dataclass(frozen=True, slots=True)
class Given:
    """A history as another check plays it, or under circumstances."""

    history: History
    """The history."""
    features: frozenset[str]
    """The features, and the finer ones, that a target must claim for it."""

    def under(self, names: Iterable[str]) -> Given | None:
        """Return the history under circumstances, one after the other; None if one of them changes nothing."""
        changed: History | None = self.history
        for name in names:
            changed = None if changed is None else CIRCUMSTANCES[name].of(changed)
        if changed is None:
            return None
        return Given(changed, self.features.union(features_of(changed), details_of([changed]), _LOOKS))


@cache
def histories(platform: PlatformName) -> Mapping[str, Given]:
    """Return the histories that are played under circumstances on a platform, by the ids of their checks."""
    found: dict[str, Given] = {}
    for scenario in scenarios():
        if platform in scenario.platforms:
            found[scenario.id] = Given(scenario.history(), frozenset(scenario.features))
    for check, ways in example_histories(platform):
        for number, way in enumerate(ways):
            found[f"{check.id}{'-departing' * number}"] = Given(way, frozenset(check.features))
    for table in meetings.tables():
        if platform in table.platforms:
            for first in next(iter(table.ways.values())):
                meeting, *_ = meetings.meetings_of(table, first, Budget.QUICK)
                found[f"{meetings.AREA}/{table.name}-{first}"] = Given(meeting.history, meeting.features)
    return found


def checks() -> Iterator[Check]:
    """Yield a check for each circumstance that the quick budget plays histories of."""
    for name in dict.fromkeys(names[0] for names in chosen()):
        yield Check(
            f"{AREA}/{name}",
            f"The rules hold where {CIRCUMSTANCES[name].what}",
            "scenario",
            partial(_perform, name),
            features=tuple(sorted(_LOOKS)),
            by_budget=True,
        )


def played(name: str, budget: Budget, platform: PlatformName) -> Iterator[tuple[History, Given]]:
    """Yield the histories that a budget plays under a circumstance, each in its original and its changed form."""
    every = histories(platform)
    wanted = [(names, source) for names, ids in chosen().items() if names[0] == name for source in ids]
    further = [((name,), source) for source in _further(name, budget, every)]
    for names, source in dict.fromkeys((*wanted, *further)):
        if source in every and (changed := every[source].under(names)) is not None:
            yield every[source].history, changed


def _further(name: str, budget: Budget, every: Mapping[str, Given]) -> Iterator[str]:
    if budget is Budget.DEEP:
        yield from every
    elif budget is Budget.STANDARD:
        apart = len(CIRCUMSTANCES) // EACH
        place = list(CIRCUMSTANCES).index(name)
        yield from islice(every, place % apart, None, apart)


def _perform(name: str, rig: Rig) -> Session | None:
    """Play the histories that the target's claims allow, and return the session of the first that departs.

    Raises InapplicableError if there are none.
    """
    hello, session, departed = rig.dialogue.hello, None, None
    for history, changed in played(name, rig.budget, hello.platform):
        if changed.features <= hello.claimed:
            session = rig.session(changed.history.setup)
            with suppress(NotModelledError, TooManyStatesError):
                play(session, history, changed.history)
            departed = departed or (session if session.departures else None)
    if session is None:
        raise InapplicableError("each of its histories needs something that the target does not claim")
    return departed


def play(session: Session, history: History, changed: History) -> None:
    """Carry out a history as it is changed, as far as the model has what it needs, and look at all queues.

    A call with a handle that was not opened is left out: under the circumstance its open was refused. So is a second
    MQCONN, which no target is asked for. If the connection of a call waits, time passes first. Raises what
    `Session.play` raises, except for calls without meaning: NotModelledError or TooManyStatesError if the oracle cannot
    follow.
    """
    opened = opens(changed)
    for line in with_connections(line.without_outcome() for line in changed.lines):
        conn = connection_of(line, opened)
        if line.verb == "conn" and conn in session.state.connections:
            continue
        if line.verb not in _QUIET and conn in session.waiting:
            session.play(Line("advance", milliseconds=_LONGEST_WAIT_MS))
        if (line.verb in _QUIET or conn not in session.waiting) and not _may_go_on(session, line):
            return
    _look(session, tuple(dict.fromkeys((*local_queues(history), *local_queues(changed)))))


def _may_go_on(session: Session, line: Line) -> bool:
    """Carry out a line, unless it has no meaning; return whether later lines can be judged."""
    with suppress(UsageError):
        if not session.foresees(line):
            return False
        session.play(line)
    return not session.lost


def _look(session: Session, queues: tuple[str, ...]) -> None:
    """Let a separate connection look at the queues, commit for all others, and look again."""
    session.play(Line("conn", _LOOKER))
    for queue in queues:
        options = int(MQOO.BROWSE | MQOO.INQUIRE)
        session.play(Line("open", _LOOKER, _handle(queue), queue=queue, options=options))
    _see(session, queues)
    for conn in session.state.connections:
        if conn != _LOOKER and conn not in session.waiting and not session.lost:
            session.play(Line("cmit", conn))
    _see(session, queues)


def _see(session: Session, queues: tuple[str, ...]) -> None:
    for handle in map(_handle, queues):
        for number in range(_LONGEST_LOOK):
            if handle not in session.bindings.handles or session.lost:
                break
            browse = MQGMO.BROWSE_NEXT if number else MQGMO.BROWSE_FIRST
            line = Line("get", handle=handle, options=int(browse), members=(("MatchOptions", 0),))
            if not _may_go_on(session, line) or session.exchanges[-1].reply.get("CompCode") == MQCC.FAILED:
                break
        if handle in session.bindings.handles and not session.lost:
            session.play(Line("inq", handle=handle, inquired=("CurrentQDepth", "OpenInputCount")))


def _handle(queue: str) -> str:
    return f"look_{queue}".replace(".", "_")
