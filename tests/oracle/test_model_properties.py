"""Properties of every history, written independently of the model's code.

Each step takes one of the allowed outcomes at random: the properties hold whatever a queue manager chooses.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracle.errors import UsageError
from oracle.histories.history import Bindings, observed_of, with_connections
from oracle.histories.notation import parse
from oracle.judging.follow import Follower
from oracle.model.queue_manager import new_state, outcomes
from oracle.model.state import State
from oracle.model.step import Outcome
from oracle.mqi import calls
from oracle.mqi.definitions import QueueDefinition, define
from oracle.mqi.profile import PLATFORMS, PlatformName, Profile
from oracle.protocol import ObservedReply
from tests.oracle.invariants import INVARIANTS, Taken
from tests.oracle.strategies import histories


@dataclass
class Played:
    """A step of a random history."""

    call: calls.Call
    before: State
    outcome: Outcome
    observed: ObservedReply


platforms: st.SearchStrategy[PlatformName] = st.sampled_from(PLATFORMS)
EXAMPLES = 200 if "HUNT" in os.environ else 120
relaxed = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))


def walk(text: str, platform: PlatformName, data: st.DataObject) -> Iterator[Played]:
    """Play a history, taking any of the allowed outcomes at each step."""
    index = "GROUP_ID" if platform == "zos" else "NONE"
    queues = [define(QueueDefinition, {"name": name, "IndexType": index}) for name in ("Q", "R")]
    state = new_state(queues, profile=Profile(platform=platform))
    bindings = Bindings()
    for identity, line in enumerate(with_connections(parse(text)), start=1):
        try:
            call = bindings.call(line, identity)
        except UsageError:
            continue
        if busy(state, call):
            continue
        allowed = list(outcomes(state, call))
        outcome = data.draw(st.sampled_from(allowed)) if len(allowed) > 1 else allowed[0]
        observed = observed_of(outcome.reply, {done.identity: done.reply for done in outcome.completed})
        bindings.bind(line, call, observed)
        yield Played(call, state, outcome, observed)
        state = outcome.state


def busy(state: State, call: calls.Call) -> bool:
    """Return whether the call's connection waits: no other call is made on it then."""
    connection = state.connections.get(getattr(call, "conn", ""))
    return connection is not None and connection.waiting is not None and not isinstance(call, calls.Fail)


@relaxed
@given(histories, platforms, st.data())
def test_a_follower_accepts_every_allowed_outcome(text: str, platform: PlatformName, data: st.DataObject) -> None:
    follower: Follower | None = None
    for taken in walk(text, platform, data):
        follower = follower or Follower(taken.before)
        followed = follower.follow(taken.call, taken.observed)
        assert followed.departure is None, followed.departure


@relaxed
@given(histories, platforms, st.data())
def test_a_step_leaves_its_state_as_it_was(text: str, platform: PlatformName, data: st.DataObject) -> None:
    for taken in walk(text, platform, data):
        kept = copy.deepcopy(taken.before)
        again = list(outcomes(taken.before, taken.call))
        assert taken.before == kept
        assert [outcome.reply for outcome in again] == [outcome.reply for outcome in outcomes(kept, taken.call)]


@relaxed
@given(histories, platforms, st.data())
def test_every_invariant_holds(text: str, platform: PlatformName, data: st.DataObject) -> None:
    for taken in walk(text, platform, data):
        for invariant in INVARIANTS:
            invariant(Taken(taken.before, taken.call, taken.outcome))
