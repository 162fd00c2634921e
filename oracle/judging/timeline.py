"""The calls before one that is explained: which of them changed something, and by which rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from oracle.model.state import State
from oracle.mqi.calls import Back, Call, Commit, name_of

TrailStep = tuple[Call, State, tuple[str, ...]]
"""A call, a state before it, and the rules of its outcome."""

MOST_REMEMBERED: Final = 500_000
"""The number of connections and handles, each counted in every state, above which a trail forgets its beginning.

They take some 200 bytes each.
"""


@dataclass(slots=True)
class Trail:
    """The calls that have been followed so far.

    Where states are large the earliest calls are forgotten: a departure is then explained without them.
    """

    steps: list[TrailStep] = field(default_factory=list)
    """Each call, with a state before it and the rules of its outcome."""
    _size: int = 0
    """The number of connections and handles in the states."""

    def add(self, call: Call, state: State, rules: tuple[str, ...]) -> None:
        """Add a call to the end; forget the earlier half if the states are too large together."""
        self.steps.append((call, state, rules))
        self._size += _size(state)
        if self._size > MOST_REMEMBERED:
            del self.steps[: len(self.steps) // 2]
            self._size = sum(_size(each) for _, each, _ in self.steps)


def last_change(timeline: Sequence[TrailStep], look: Callable[[State], object]) -> int | None:
    """Return the number of the latest step that changed what `look` returns for the state.

    States in which `look` finds nothing, because the handle was not open, do not count.
    """
    for number in range(len(timeline) - 2, -1, -1):
        before, after = (_look(look, timeline[place][1]) for place in (number, number + 1))
        if None not in (before, after) and before != after:
            return number
    return None


def verb_at(timeline: Sequence[TrailStep], number: int | None) -> str:
    """Return the call of a step; nothing if there is none."""
    return "" if number is None else name_of(timeline[number][0])


def rules_of_step(timeline: Sequence[TrailStep], number: int | None) -> tuple[str, ...]:
    """Return the rules of a step."""
    return () if number is None else timeline[number][2]


def rules_of_change(timeline: Sequence[TrailStep], look: Callable[[State], object]) -> tuple[str, ...]:
    """Return the rules of the latest change of what `look` returns.

    If that was the end of a unit of work, the rules of the change that it made final or undid follow.
    """
    number = last_change(timeline, look)
    rules = rules_of_step(timeline, number)
    if number is not None and isinstance(timeline[number][0], (Commit, Back)):
        rules += rules_of_step(timeline, last_change(timeline[: number + 1], look))
    return rules


def _size(state: State) -> int:
    return len(state.connections) + len(state.handles)


def _look(look: Callable[[State], object], state: State) -> object:
    try:
        return look(state)
    except KeyError:
        return None
