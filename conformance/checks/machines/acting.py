"""Acts of state machines, and sessions of acts that are drawn at random.

An act is a method of a machine: a call of some application, or a few calls that belong together. In each session only
some of the acts are used, chosen anew, so that the rare ones are not always lost among the common ones.

Sessions share nothing but the seed. Hypothesis' engine was used before. It makes five of six sessions by changing parts
of an earlier one, so that they begin alike, and cuts others short. With the same words and as many sessions, 13 of 35
queue managers that others had made wrong answered otherwise in some session, and 24 with sessions that are independent.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final, Protocol, TypeVar

Method = TypeVar("Method", bound=Callable[..., None])

_POSSIBLE: Final = "_possible"
"""The attribute of an act that holds its condition."""

_WEIGHT: Final = "_weight"
"""The attribute of an act that holds its weight."""


class SessionOverError(Exception):
    """A session cannot go on; others may."""


class Machine(Protocol):
    """What a session of acts needs of a machine."""

    def begin(self, draws: Random) -> None:
        """Define the queue manager and make the initial calls."""

    def teardown(self) -> None:
        """Make the last calls."""


def act(possible: Callable[[Any], object], weight: int = 1) -> Callable[[Method], Method]:
    """Make a method an act, which is possible while this holds of the machine; by its weight it is drawn more often."""

    def made(method: Method) -> Method:
        setattr(method, _POSSIBLE, possible)
        setattr(method, _WEIGHT, weight)
        return method

    return made


def play_session(machine: Machine, draws: Random, acts_most: int) -> None:
    """Play a session of a machine with this number of acts, unless it is over earlier."""
    acts = acts_of(type(machine))
    disabled = draws.random()
    used = [each for each in acts if draws.random() >= disabled] or acts
    try:
        machine.begin(draws)
        for _ in range(acts_most):
            chosen = _any_possible(machine, draws, used) or _any_possible(machine, draws, acts)
            if chosen is None:
                break
            chosen(machine, draws)
        machine.teardown()
    except SessionOverError:
        return


def acts_of(machine: type) -> list[Callable[..., None]]:
    """Return the acts of a machine."""
    return [each for name in dir(machine) if hasattr(each := getattr(machine, name), _POSSIBLE)]


def _any_possible(machine: Machine, draws: Random, acts: list[Callable[..., None]]) -> Callable[..., None] | None:
    """Draw one of the acts that are possible now; None if there is none."""
    weighted = [each for each in acts for _ in range(getattr(each, _WEIGHT))]
    for each in draws.sample(weighted, len(weighted)):
        if getattr(each, _POSSIBLE)(machine):
            return each
    return None
