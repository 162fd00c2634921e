"""The execution of histories in the notation on the model, for the tests of the oracle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from oracle.histories.history import Bindings, disagreement, observed_of, with_connections
from oracle.histories.notation import Line, parse
from oracle.judging.follow import Followed, Follower
from oracle.model.queue_manager import new_state, outcomes
from oracle.model.state import State
from oracle.model.step import Outcome
from oracle.mqi.calls import Call
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition, define
from oracle.mqi.profile import PlatformName, Profile
from oracle.protocol import ObservedReply


@dataclass
class Played:
    """A history that was carried out: its final state, every step, and the differences from its `->` parts."""

    state: State
    bindings: Bindings = field(default_factory=Bindings)
    steps: list[tuple[Line, Call, Outcome, ObservedReply]] = field(default_factory=list)
    disagreements: list[str] = field(default_factory=list)

    @property
    def rules(self) -> set[str]:
        """Every rule behind a step."""
        return {rule for _, _, outcome, _ in self.steps for rule in outcome.rules}

    @property
    def last(self) -> Outcome:
        """The outcome of the last step."""
        return self.steps[-1][2]


Play = Callable[..., Played]


def play_history(
    text: str,
    queues: Iterable[Mapping[str, Any]] = ({"name": "Q"},),
    qmgr: Mapping[str, Any] | None = None,
    platform: PlatformName = "distributed",
) -> Played:
    """Carry out a history on the model, which takes the first allowed outcome each time."""
    state = new_state(
        [define(QueueDefinition, queue) for queue in queues],
        define(QueueManagerDefinition, qmgr or {}),
        Profile(platform=platform),
    )
    played = Played(state)
    for identity, line in enumerate(with_connections(parse(text)), start=1):
        call = played.bindings.call(line, identity)
        outcome = next(outcomes(played.state, call))
        observed = observed_of(outcome.reply, {done.identity: done.reply for done in outcome.completed})
        played.bindings.bind(line, call, observed)
        played.state = outcome.state
        played.steps.append((line, call, outcome, observed))
        difference = disagreement(line, observed, played.bindings)
        if difference is not None:
            played.disagreements.append(f"{line}: {difference}")
    return played


def follow_played(start: State, played: Played) -> Followed:
    """Follow a history that was played, and return the result of its last step."""
    follower = Follower(start)
    followed: Followed | None = None
    for _, call, _, observed in played.steps:
        followed = follower.follow(call, observed)
        if followed.departure is not None:
            break
    assert followed is not None
    return followed


@pytest.fixture
def play() -> Play:
    """Carry out a history; its `->` parts are asserted."""

    def asserted(text: str, **kwargs: Any) -> Played:
        played = play_history(text, **kwargs)
        assert played.disagreements == []
        return played

    return asserted
