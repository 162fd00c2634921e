"""What holds for every history, written without a look at how the model works.

Each step takes one of the allowed outcomes at random: the properties hold whatever a queue manager chooses.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from oracle import calls
from oracle.constants import MQCC, MQGMO, MQRC
from oracle.definitions import QueueDefinition, define
from oracle.errors import UsageError
from oracle.follow import Follower
from oracle.history import Bindings, observed_of, with_connections
from oracle.model.queue_manager import new_state, outcomes
from oracle.model.state import State
from oracle.model.step import Outcome
from oracle.notation import parse
from oracle.profile import PlatformName, Profile
from oracle.protocol import ObservedReply
from tests.oracle.strategies import histories

BROWSE = MQGMO.BROWSE_FIRST | MQGMO.BROWSE_NEXT | MQGMO.BROWSE_MSG_UNDER_CURSOR
PLATFORMS: st.SearchStrategy[PlatformName] = st.sampled_from(get_args(PlatformName))
relaxed = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))


@dataclass
class Taken:
    """A step of a random history."""

    call: calls.Call
    before: State
    outcome: Outcome
    observed: ObservedReply


def walk(text: str, platform: PlatformName, data: st.DataObject) -> Iterator[Taken]:
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
        yield Taken(call, state, outcome, observed)
        state = outcome.state


def busy(state: State, call: calls.Call) -> bool:
    """Whether the call's connection waits: no other call is made on it then."""
    connection = state.connections.get(getattr(call, "conn", ""))
    return connection is not None and connection.waiting is not None and not isinstance(call, calls.Fail)


def replies(taken: Taken) -> Iterator[tuple[calls.Get, ObservedReply]]:
    """Yield every MQGET that returned a message in this step, also those that had waited."""
    ended = [(taken.before.connections, done.conn, done.identity) for done in taken.outcome.completed]
    for connections, conn, identity in ended:
        waiting = connections[conn].waiting
        assert waiting is not None
        yield waiting.call, taken.observed.completed[identity]
    if isinstance(taken.call, calls.Get) and taken.observed.comp_code != MQCC.FAILED:
        yield taken.call, taken.observed


@relaxed
@given(histories, PLATFORMS, st.data())
def test_a_follower_accepts_every_allowed_outcome(text: str, platform: PlatformName, data: st.DataObject) -> None:
    follower: Follower | None = None
    for taken in walk(text, platform, data):
        follower = follower or Follower(taken.before)
        followed = follower.follow(taken.call, taken.observed)
        assert followed.departure is None, followed.departure


@relaxed
@given(histories, PLATFORMS, st.data())
def test_a_step_leaves_its_state_as_it_was(text: str, platform: PlatformName, data: st.DataObject) -> None:
    for taken in walk(text, platform, data):
        kept = copy.deepcopy(taken.before)
        again = list(outcomes(taken.before, taken.call))
        assert taken.before == kept
        assert [outcome.reply for outcome in again] == [outcome.reply for outcome in outcomes(kept, taken.call)]


@relaxed
@given(histories, PLATFORMS, st.data())
def test_a_failed_call_changes_no_message(text: str, platform: PlatformName, data: st.DataObject) -> None:
    for taken in walk(text, platform, data):
        if taken.outcome.reply.comp_code == MQCC.FAILED and not taken.outcome.completed:
            before = [m for m in taken.before.queues["Q"].messages if m.descriptor.expiry == -1]
            after = [m for m in taken.outcome.state.queues["Q"].messages if m.descriptor.expiry == -1]
            assert before == after


@relaxed
@given(histories, PLATFORMS, st.data())
def test_messages_keep_their_places_and_come_from_puts(text: str, platform: PlatformName, data: st.DataObject) -> None:
    put = 0
    for taken in walk(text, platform, data):
        if isinstance(taken.call, calls.Put) and taken.outcome.reply.comp_code != MQCC.FAILED:
            put += 1
        places = {m.arrival: m.position for m in taken.before.queues["Q"].messages}
        for message in taken.outcome.state.queues["Q"].messages:
            assert places.get(message.arrival, message.position) == message.position
        assert len(taken.outcome.state.queues["Q"].messages) <= put


@relaxed
@given(histories, PLATFORMS, st.data())
def test_depth_is_what_puts_and_gets_leave(text: str, platform: PlatformName, data: st.DataObject) -> None:
    for taken in walk(text, platform, data):
        if isinstance(taken.call, calls.Inquire) and taken.outcome.reply.values is not None:
            queue = taken.outcome.state.queues[taken.before.handles[taken.call.conn, taken.call.hobj].queue]
            counted = sum(1 for message in queue.messages if message.got_by is None)
            assert taken.outcome.reply.values["CurrentQDepth"] == counted
            event(f"depth {counted}")


@relaxed
@given(histories, PLATFORMS, st.data())
def test_no_message_comes_back_long_after_its_time(text: str, platform: PlatformName, data: st.DataObject) -> None:
    for taken in walk(text, platform, data):
        for _, observed in replies(taken):
            if observed.members.get("MQGMO.ResolvedQName") == "Q":
                expiry = observed.members["MQMD.Expiry"]
                assert expiry == -1 or expiry > 0
                arrived = [m for m in taken.before.queues["Q"].messages if m.data.startswith(observed.members["data"])]
                times = [m.put_ms + m.descriptor.expiry * 100 for m in arrived if m.descriptor.expiry >= 0]
                if arrived and len(times) == len(arrived):
                    assert taken.before.now_ms <= max(times) + taken.before.profile.expiry_tolerance_ms


@relaxed
@given(histories, PLATFORMS, st.data())
def test_a_lock_has_one_owner_and_hides_its_message(text: str, platform: PlatformName, data: st.DataObject) -> None:
    for taken in walk(text, platform, data):
        locked = [place for handle in taken.outcome.state.handles.values() for place in handle.locked]
        assert len(locked) == len(set(locked))
        if isinstance(taken.call, calls.Get) and taken.outcome.reply.data is not None:
            md = taken.outcome.reply.descriptor
            assert md is not None
            for handle in taken.before.handles.values():
                if handle.key == (taken.call.conn, taken.call.hobj) or taken.outcome.completed:
                    continue
                for message in filter(None, map(taken.before.queues["Q"].messages.at, handle.locked)):
                    assert message.descriptor.msg_id != md.msg_id


@relaxed
@given(histories, PLATFORMS, st.data())
def test_backout_puts_everything_back(text: str, platform: PlatformName, data: st.DataObject) -> None:
    for taken in walk(text, platform, data):
        if isinstance(taken.call, calls.Back) and taken.outcome.reply.comp_code == MQCC.OK:
            conn = taken.call.conn
            assert taken.outcome.state.connections[conn].unit_of_work is None
            for message in taken.before.queues["Q"].messages:
                after = taken.outcome.state.queues["Q"].messages.at(message.position)
                if message.put_by == conn:
                    assert after is None
                elif message.got_by == conn and not taken.outcome.completed:
                    assert after is not None
                    assert after.got_by is None
                    assert after.descriptor.backout_count == message.descriptor.backout_count + 1


@relaxed
@given(histories, PLATFORMS, st.data())
def test_only_the_waits_that_were_begun_are_ended(text: str, platform: PlatformName, data: st.DataObject) -> None:
    for taken in walk(text, platform, data):
        for done in taken.outcome.completed:
            waiting = taken.before.connections[done.conn].waiting
            assert waiting is not None
            assert waiting.call.identity == done.identity
            if done.reply.reason == MQRC.NO_MSG_AVAILABLE:
                assert isinstance(taken.call, calls.Advance)
                assert waiting.deadline_ms is not None
                assert waiting.deadline_ms <= taken.outcome.state.now_ms + 100
