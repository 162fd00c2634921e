"""Invariants of every step, written independently of the model's code.

Each invariant is a function of a step that was taken: the state before, the call, one allowed outcome. It asserts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from oracle.model.messages.messages import Message
from oracle.model.reply import Reply
from oracle.model.state import Queue, State
from oracle.model.step import Outcome
from oracle.mqi import calls
from oracle.mqi.constants import MQCC, MQGMO, MQRC

_UNDER_CURSOR = MQGMO.MSG_UNDER_CURSOR | MQGMO.BROWSE_MSG_UNDER_CURSOR


@dataclass(frozen=True)
class Taken:
    """A step that was taken."""

    before: State
    call: calls.Call
    outcome: Outcome

    @property
    def after(self) -> State:
        """The state after the step."""
        return self.outcome.state

    def at_the_handle_of(self, call: calls.Get) -> Iterator[Message]:
        """Yield the messages that were on the queue of a get; a report elsewhere may have the MsgId of one of them."""
        return iter(self.before.queues[self.before.handles[call.conn, call.hobj].queue].messages)

    def messages(self, state: State) -> Iterator[Message]:
        """Yield the messages on all queues of a state."""
        for queue in state.queues.values():
            yield from queue.messages

    def gets(self) -> Iterator[tuple[calls.Get, Reply]]:
        """Yield every MQGET that ended in this step, also those that had waited."""
        for done in self.outcome.completed:
            waiting = self.before.connections[done.conn].waiting
            assert waiting is not None, "only a wait that was begun can end"
            yield waiting.call, done.reply
        if isinstance(self.call, calls.Get) and not self.outcome.reply.pending:
            yield self.call, self.outcome.reply


def every_message_is_in_one_place(taken: Taken) -> None:
    """No message appears without a put unless the queue manager made it; none moves or stands in two places."""
    places = {message.arrival: message.position for message in taken.messages(taken.before)}
    seen: set[int] = set()
    for message in taken.messages(taken.after):
        assert message.arrival not in seen
        seen.add(message.arrival)
        if not isinstance(taken.call, (calls.Put, calls.Put1)):
            assert message.arrival in places or message.made is not None
        assert places.get(message.arrival, message.position) == message.position


def depth_is_the_documented_count(taken: Taken) -> None:
    """CurrentQDepth counts every message but those got in open units of work."""
    if isinstance(taken.call, calls.Inquire) and taken.outcome.reply.values:
        handle = taken.after.handles[taken.call.conn, taken.call.hobj]
        counted = [message for message in taken.after.queues[handle.queue].messages if message.got_by is None]
        assert taken.outcome.reply.values["CurrentQDepth"] == len(counted)


def nothing_comes_back_after_its_time(taken: Taken) -> None:
    """No message is returned later than its expiry and the tolerance, and what remains is positive.

    How long a report about a message lives that had expired is open (RPM-05).
    """
    for call, reply in taken.gets():
        if reply.descriptor is None:
            continue
        assert reply.descriptor.expiry == -1 or reply.descriptor.expiry > 0
        of_that_id = [m for m in taken.at_the_handle_of(call) if m.descriptor.msg_id == reply.descriptor.msg_id]
        for message in of_that_id:
            if message.made is not None and message.made.expiry_is_open:
                continue
            end = message.put_ms + message.descriptor.expiry * 100 + taken.before.profile.expiry_tolerance_ms
            assert message.descriptor.expiry == -1 or taken.before.now_ms <= end


def a_lock_has_one_owner(taken: Taken) -> None:
    """No two handles lock one message, and no other handle is given a locked one."""
    locked = [(handle.queue, place) for handle in taken.after.handles.values() for place in handle.locked]
    assert len(locked) == len(set(locked))
    if taken.outcome.completed or not isinstance(taken.call, calls.Get) or taken.outcome.reply.descriptor is None:
        return
    returned = taken.outcome.reply.descriptor.msg_id
    queue = taken.before.handles[taken.call.conn, taken.call.hobj].queue
    for handle in taken.before.handles.values():
        if handle.key != (taken.call.conn, taken.call.hobj) and handle.queue == queue:
            for message in filter(None, map(taken.before.queues[handle.queue].messages.at, handle.locked)):
                assert message.descriptor.msg_id != returned


def uncommitted_messages_stay_hidden(taken: Taken) -> None:
    """No get returns what another unit of work has put or got and not ended."""
    if not isinstance(taken.call, calls.Get) or taken.outcome.reply.descriptor is None:
        return
    for message in taken.at_the_handle_of(taken.call):
        if message.descriptor.msg_id == taken.outcome.reply.descriptor.msg_id:
            assert message.got_by is None
            assert message.put_by in (None, taken.call.conn)


def backout_restores(taken: Taken) -> None:
    """After MQBACK puts are gone, gets are back in their places with a higher backout count, or have expired."""
    if not isinstance(taken.call, calls.Back) or taken.outcome.reply.failed:
        return
    work = taken.before.connections[taken.call.conn].unit_of_work
    marked = None if work is None else work.skips_backout
    kept = () if marked is None else (*marked.places, *marked.reports)
    for name, queue in taken.before.queues.items():
        for message in queue.messages:
            after = taken.after.queues[name].messages.at(message.position)
            if (name, message.position) in kept:
                continue
            if message.put_by == taken.call.conn:
                assert after is None
            elif message.got_by == taken.call.conn and not taken.outcome.completed:
                if after is None:
                    assert _may_have_expired(taken.before, message)
                    continue
                assert after.got_by is None
                assert after.descriptor.backout_count == message.descriptor.backout_count + 1


def _may_have_expired(state: State, message: Message) -> bool:
    if message.made is not None and message.made.expiry_is_open:
        return True
    end = message.put_ms + message.descriptor.expiry * 100 - state.profile.expiry_tolerance_ms
    return message.descriptor.expiry != -1 and state.now_ms >= end


def commit_is_final(taken: Taken) -> None:
    """After MQCMIT puts are visible and gets are gone."""
    if not isinstance(taken.call, calls.Commit) or taken.outcome.reply.failed:
        return
    assert taken.after.connections[taken.call.conn].unit_of_work is None
    for message in taken.messages(taken.after):
        assert taken.call.conn not in (message.put_by, message.got_by) or taken.outcome.completed


def a_failed_call_changes_nothing(taken: Taken) -> None:
    """MQCC_FAILED leaves every put message that cannot expire, every cursor, and every group as it was."""
    if not taken.outcome.reply.failed or taken.outcome.completed:
        return
    for name, queue in taken.before.queues.items():
        assert _lasting(queue) == _lasting(taken.after.queues[name])
    for key, handle in taken.before.handles.items():
        after = taken.after.handles[key]
        assert (after.cursor, after.removing, after.putting) == (handle.cursor, handle.removing, handle.putting)


def _lasting(queue: Queue) -> list[Message]:
    return [message for message in queue.messages if message.descriptor.expiry == -1 and message.made is None]


def group_information_is_kept_apart(taken: Taken) -> None:
    """Keep the information of puts, removals and browses apart, and each handle's from the others'."""
    if not isinstance(taken.call, calls.Get) or taken.outcome.completed:
        return
    browse = taken.call.options.options & (MQGMO.BROWSE_FIRST | MQGMO.BROWSE_NEXT | MQGMO.BROWSE_MSG_UNDER_CURSOR)
    for key, handle in taken.before.handles.items():
        after = taken.after.handles[key]
        own = key == (taken.call.conn, taken.call.hobj)
        assert after.putting == handle.putting
        if not own or browse:
            assert after.removing == handle.removing
        if not own or not browse:
            assert (after.browsing, after.cursor) == (handle.browsing, handle.cursor)


def logical_order_is_kept(taken: Taken) -> None:
    """Inside a group a LOGICAL_ORDER removal returns the next message of that group, or nothing."""
    if taken.outcome.completed or not isinstance(taken.call, calls.Get) or taken.outcome.reply.descriptor is None:
        return
    options = taken.call.options.options
    handle = taken.before.handles[taken.call.conn, taken.call.hobj]
    removes = not options & (MQGMO.BROWSE_FIRST | MQGMO.BROWSE_NEXT | _UNDER_CURSOR)
    if (
        removes
        and options & MQGMO.LOGICAL_ORDER
        and handle.removing.in_group
        and not handle.removing.in_logical_message
    ):
        md = taken.outcome.reply.descriptor
        assert md.group_id == handle.removing.group_id
        assert md.msg_seq_number == handle.removing.msg_seq_number + 1


def only_the_clock_ends_a_wait_empty_handed(taken: Taken) -> None:
    """MQRC_NO_MSG_AVAILABLE ends a wait only when its interval is over."""
    for done in taken.outcome.completed:
        if done.reply.reason == MQRC.NO_MSG_AVAILABLE:
            waiting = taken.before.connections[done.conn].waiting
            assert waiting is not None
            assert isinstance(taken.call, calls.Advance)
            assert waiting.deadline_ms is not None
            assert waiting.deadline_ms <= taken.after.now_ms + 100
        assert done.reply.comp_code in (MQCC.OK, MQCC.WARNING, MQCC.FAILED)


INVARIANTS = (
    every_message_is_in_one_place,
    depth_is_the_documented_count,
    nothing_comes_back_after_its_time,
    a_lock_has_one_owner,
    uncommitted_messages_stay_hidden,
    backout_restores,
    commit_is_final,
    a_failed_call_changes_nothing,
    group_information_is_kept_apart,
    logical_order_is_kept,
    only_the_clock_ends_a_wait_empty_handed,
)
