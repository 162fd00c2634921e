"""The replay of a history in the notation, whose `->` parts state the outcomes."""

from __future__ import annotations

from collections.abc import Iterator

from oracle.errors import Place
from oracle.histories.history import Bindings, with_connections
from oracle.histories.notation import Line, parse, write
from oracle.histories.seen import nearest, observed
from oracle.judging.follow import Follower
from oracle.model.state import State
from oracle.replay.steps import Replayed, at, follow, refuse_impossible


def queues_of(lines: tuple[Line, ...]) -> tuple[str, ...]:
    """Return the names of the queues that a history uses, in the order of first use."""
    named = (line.queue for line in lines if line.queue and not (line.verb == "alter" and line.queue == "qmgr"))
    return tuple(dict.fromkeys(named))


def replay_history(text: str, source: str, state: State) -> Iterator[Replayed]:
    """Yield what each line shows from a state, up to the first departure.

    Everything that a line does not state comes from the nearest allowed outcome. Raises BadInputError for a line that
    is not in the notation or uses an undefined name, UndecidedError for what the model lacks.
    """
    bindings = Bindings()
    follower = Follower(state, names=bindings.names)
    for identity, line in enumerate(with_connections(parse(text, source)), start=1):
        place = Place(source, line.number)
        with at(place):
            call = bindings.call(line, identity)
            refuse_impossible(follower, call)
            seen = observed(line, nearest(line, tuple(follower.allowed(call)), bindings), bindings)
        step = follow(follower, call, seen, place, write(line.without_outcome()))
        yield step
        if step.departs:
            return
        bindings.bind(line, call, seen)
