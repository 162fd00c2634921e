"""Invariants of every step for marks, reports, triggers, dead letters, waits and counts.

As in `invariants.py`, each is a function of a step that was taken, written independently of the model's code. Arrival
numbers show what a step adds: a message that was in no queue before is new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from oracle.model.connections import Connection
from oracle.model.handles import Handle
from oracle.model.messages.messages import Message, Position
from oracle.model.reports.reports import PUT_BY_COMMIT
from oracle.model.state import State
from oracle.mqi import calls
from oracle.mqi.constants import MQFB, MQGMO, MQMT, MQPER, MQPMO, MQPRI, MQRC, MQRO
from oracle.mqi.definitions import QueueDefinition
from oracle.mqi.structures import MessageDescriptor
from tests.oracle.invariants import Taken

_BROWSE = MQGMO.BROWSE_FIRST | MQGMO.BROWSE_NEXT | MQGMO.BROWSE_MSG_UNDER_CURSOR
_HEADER = 172
_OPTIONS = {MQFB.EXPIRATION: MQRO.EXPIRATION, MQFB.COA: MQRO.COA, MQFB.COD: MQRO.COD}


def arrivals(state: State) -> dict[int, tuple[str, Message]]:
    """Return every message of a state by its arrival number, with the name of its queue."""
    return {message.arrival: (queue.name, message) for queue in state.queues.values() for message in queue.messages}


def new_messages(taken: Taken) -> Iterator[tuple[str, Message]]:
    """Yield the messages that this step has put and that are still there."""
    before = arrivals(taken.before)
    return (found for arrival, found in arrivals(taken.after).items() if arrival not in before)


def marked_of(state: State) -> set[tuple[tuple[str, int], Position]]:
    """Return every mark of a handle: its owner, and the place of the message."""
    return {(handle.key, place) for handle in state.handles.values() for place in handle.marked}


def a_mark_is_made_by_its_owner(taken: Taken) -> None:
    """Only a browse with a marking option marks: one message, for its own handle, or for the cooperating set."""
    asked = [(call, call.options.options) for call, _ in taken.gets()]
    markers = {(call.conn, call.hobj) for call, options in asked if options & MQGMO.MARK_BROWSE_HANDLE}
    added = marked_of(taken.after) - marked_of(taken.before)
    assert {owner for owner, _ in added} <= markers
    assert len(added) <= len(markers)
    co_op = {
        arrival
        for arrival, (_, message) in arrivals(taken.after).items()
        if message.co_op_marked_ms is not None and not _co_op_marked(taken.before, arrival)
    }
    assert len(co_op) <= sum(1 for _, options in asked if options & MQGMO.MARK_BROWSE_CO_OP)


def a_mark_ends_only_for_a_reason(taken: Taken) -> None:
    """A handle's mark ends with a removal, an unmark on that handle, or the handle; nothing else ends it."""
    lost = marked_of(taken.before) - marked_of(taken.after)
    unmarking = {
        (call.conn, call.hobj) for call, _ in taken.gets() if call.options.options & MQGMO.UNMARK_BROWSE_HANDLE
    }
    removes = any(not call.options.options & _BROWSE for call, _ in taken.gets())
    for owner, _ in lost:
        assert owner not in taken.after.handles or owner in unmarking or removes


def a_removed_message_bears_no_mark(taken: Taken) -> None:
    """Messages got in a unit of work have no mark any more, of a handle or of the set, and a backout restores none."""
    for queue in taken.after.queues.values():
        marked = {place for each in taken.after.handles_of(queue.name) for place in each.marked}
        for message in queue.messages:
            if message.got_by is not None:
                assert message.position not in marked
                assert message.co_op_marked_ms is None


def a_co_op_mark_outlives_no_set(taken: Taken) -> None:
    """No message bears the mark of the cooperating set when no handle of the set is open."""
    for queue in taken.after.queues.values():
        if not any(handle.in_cooperating_set for handle in taken.after.handles_of(queue.name)):
            assert all(message.co_op_marked_ms is None for message in queue.messages)


def unmarked_browse_returns_no_marked_message(taken: Taken) -> None:
    """A browse with UNMARKED_BROWSE_MSG along the queue returns nothing that its handle, or surely its set, marked."""
    if not isinstance(taken.call, calls.Get) or taken.outcome.reply.options is None:
        return
    options = taken.call.options.options
    scans = options & (MQGMO.BROWSE_FIRST | MQGMO.BROWSE_NEXT)
    if not (scans and options & MQGMO.UNMARKED_BROWSE_MSG) or taken.outcome.reply.reason != MQRC.NONE:
        return
    key = (taken.call.conn, taken.call.hobj)
    place, handle = taken.after.handles[key].cursor, taken.before.handles[key]
    assert place not in handle.marked
    message = None if place is None else taken.before.queues[handle.queue].messages.at(place)
    if message is not None and message.co_op_marked_ms is not None and handle.in_cooperating_set:
        interval = taken.before.definition.mark_browse_interval
        assert 0 <= interval <= taken.before.now_ms - message.co_op_marked_ms


def reports_are_made_once_if_asked(taken: Taken) -> None:
    """A step makes one report of a kind about a message if that asks for it, and none if it does not.

    If commits put the reports of their units of work (AMB-109), one can make several, about messages with one MsgId.
    """
    asking = Counter[bytes]()
    for _, message in arrivals(taken.before).values():  # a report may bear the MsgId of the message that it is about
        asking[message.descriptor.msg_id] |= message.descriptor.report
    if isinstance(taken.call, (calls.Put, calls.Put1)) and taken.outcome.reply.descriptor is not None:
        asking[taken.outcome.reply.descriptor.msg_id] |= taken.outcome.reply.descriptor.report
    made = _reports(taken)
    for feedback, about in made:
        assert asking[about] & _OPTIONS[feedback]
    late = taken.after.decided.get(PUT_BY_COMMIT, False)
    assert late or all(count == 1 for count in made.values())
    if taken.outcome.completed or late:
        return
    for feedback, md in _deserving(taken):
        if md.report & _OPTIONS[feedback] and _has_room(taken, md.reply_to_q):
            assert made[feedback, md.msg_id] == 1


def _reports(taken: Taken) -> Counter[tuple[int, bytes]]:
    """Return how many reports of each kind this step has made about each message."""
    return Counter(
        (message.descriptor.feedback, message.descriptor.correl_id)
        for _, message in new_messages(taken)
        if message.made is not None and message.descriptor.msg_type == MQMT.REPORT
    )


def _deserving(taken: Taken) -> Iterator[tuple[int, MessageDescriptor]]:
    """Yield the messages that this step has put, or has got, and the kind of report that they would have."""
    if isinstance(taken.call, calls.Put):
        for _, message in new_messages(taken):
            if message.made is None:
                yield MQFB.COA, message.descriptor
    if isinstance(taken.call, calls.Get) and taken.outcome.reply.data is not None:
        after = arrivals(taken.after)
        for arrival, (_, message) in arrivals(taken.before).items():
            taken_now = arrival in after and after[arrival][1].got_by is not None and message.got_by is None
            if taken_now and message.made is None:
                yield MQFB.COD, message.descriptor


def _has_room(taken: Taken, name: str) -> bool:
    """Return whether a queue surely takes a report, beside the message itself, which may have been put there."""
    queue = taken.before.queues.get(name)
    if queue is None or queue.definition.inhibit_put:
        return False
    return len(queue.messages) + 1 < queue.definition.max_q_depth


def reports_of_arrival_and_delivery_join_the_unit_of_work(taken: Taken) -> None:
    """A COA or COD report belongs to the unit of work of its call if that has one, an expiration report to none.

    One that a commit puts belongs to none either (AMB-109).
    """
    if taken.outcome.completed:
        return
    for _, message in new_messages(taken):
        if message.made is None or message.descriptor.msg_type != MQMT.REPORT:
            continue
        late = taken.after.decided.get(PUT_BY_COMMIT, False) or message.descriptor.feedback == MQFB.EXPIRATION
        inside = not late and _in_unit_of_work(taken, message)
        assert message.put_by == (getattr(taken.call, "conn", None) if inside else None)


def _in_unit_of_work(taken: Taken, report: Message) -> bool:
    """Return whether the call that caused a report puts or gets within a unit of work."""
    zos = taken.before.profile.zos
    if isinstance(taken.call, calls.Get):
        options = taken.call.options.options
        if options & MQGMO.SYNCPOINT_IF_PERSISTENT:
            return report.descriptor.persistence == MQPER.PERSISTENT
        return bool(options & MQGMO.SYNCPOINT) or (zos and not options & MQGMO.NO_SYNCPOINT)
    assert isinstance(taken.call, (calls.Put, calls.Put1))
    options = taken.call.options.options
    return bool(options & MQPMO.SYNCPOINT) or (zos and not options & MQPMO.NO_SYNCPOINT)


def triggers_need_their_conditions(taken: Taken) -> None:
    """A trigger message is made only where a queue with triggering on names an initiation queue that is open.

    One for a put in a unit of work may come when that ends, whatever has been closed since.
    """
    for name, message in new_messages(taken):
        if message.descriptor.format != "MQTRIG" or message.made is None:
            continue
        assert message.put_by is None
        assert message.descriptor.expiry == -1
        triggered = message.data[8:56].decode("latin-1").strip()
        for state in (taken.before, taken.after):
            if triggered in state.queues:
                definition = state.queues[triggered].definition
                assert definition.initiation_q_name == name
                assert definition.trigger_type in (1, 2, 3)
        kept = {each.name for conn in taken.before.connections.values() for each in _triggered(conn)}
        served = (_serves(handle, name) for state in (taken.before, taken.after) for handle in state.handles.values())
        assert triggered in kept or any(served)


def _triggered(connection: Connection) -> tuple[QueueDefinition, ...]:
    return () if connection.unit_of_work is None else connection.unit_of_work.triggered


def _serves(handle: Handle, name: str) -> bool:
    return handle.queue == name and handle.open_for_input


def dead_letters_conserve_the_message(taken: Taken) -> None:
    """A dead letter is a header of 172 bytes, naming where the message was to go, and then the message's own data."""
    for name, message in new_messages(taken):
        if message.descriptor.format != "MQDEAD" or message.made is None:
            continue
        assert name == taken.before.definition.dead_letter_q_name
        assert message.data[:4] == b"DLH "
        assert len(message.data) >= _HEADER
        if isinstance(taken.call, (calls.Put, calls.Put1)) and message.descriptor.feedback == MQFB.COA:
            rest = message.data[_HEADER:]
            assert taken.call.data.startswith(rest)
            assert message.data[12:60].decode("latin-1").strip() == taken.call.descriptor.reply_to_q
            assert message.descriptor.priority in _priorities(taken.before, taken.call)


def _priorities(before: State, call: calls.Put | calls.Put1) -> set[int]:
    """Return the priorities that a put may give its message: its own, or the default of a definition on the way."""
    if call.descriptor.priority != MQPRI.PRIORITY_AS_Q_DEF:
        return {call.descriptor.priority}
    if isinstance(call, calls.Put1):
        path = before.resolve(call.object_name) or ()
    else:
        path = before.handles[call.conn, call.hobj].path
    return {before.definition_of(name).def_priority for name in path}


def waits_end_once_and_not_late(taken: Taken) -> None:
    """A waiting call ends at most once, and then waits no more; no wait is left whose time is over."""
    ended = Counter((done.conn, done.identity) for done in taken.outcome.completed)
    assert all(count == 1 for count in ended.values())
    for conn, identity in ended:
        waiting = taken.before.connections[conn].waiting
        assert waiting is not None
        assert waiting.call.identity == identity
        assert taken.after.connections[conn].waiting is None
    tolerance = taken.after.profile.wait_tolerance_ms
    for connection in taken.after.connections.values():
        if connection.waiting is not None and connection.waiting.deadline_ms is not None:
            assert taken.after.now_ms <= connection.waiting.deadline_ms + tolerance
    for name, connection in taken.before.connections.items():
        if connection.waiting is not None and name in taken.after.connections:
            still = taken.after.connections[name].waiting
            assert (still is None) == ((name, connection.waiting.call.identity) in ended)


def messages_are_accounted_for(taken: Taken) -> None:
    """The queues hold what was there and what was put, less what was got, expired, backed out or deleted."""
    before, after = arrivals(taken.before), arrivals(taken.after)
    gone = [message for arrival, (_, message) in before.items() if arrival not in after]
    assert len(after) == len(before) - len(gone) + sum(1 for arrival in after if arrival not in before)
    if isinstance(taken.call, (calls.Back, calls.Commit, calls.Close, calls.Disconnect, calls.Fail)):
        return
    removals = [call for call, reply in taken.gets() if reply.data is not None and not call.options.options & _BROWSE]
    unexplained = [message for message in gone if not _may_expire(taken, message)]
    assembled = any(call.options.options & MQGMO.COMPLETE_MSG for call in removals)
    assert assembled or len(unexplained) <= len(removals)


def _may_expire(taken: Taken, message: Message) -> bool:
    if message.made is not None and message.made.expiry_is_open:
        return True
    tolerance = taken.after.profile.expiry_tolerance_ms
    end = message.put_ms + message.descriptor.expiry * 100 - tolerance
    return message.descriptor.expiry != -1 and taken.after.now_ms >= end


def a_skipped_backout_keeps_the_message_got(taken: Taken) -> None:
    """The message got with MARK_SKIP_BACKOUT is got still after the application's backout, by itself in a new unit."""
    if not isinstance(taken.call, calls.Back) or taken.outcome.reply.failed:
        return
    work, conn = taken.before.connections[taken.call.conn].unit_of_work, taken.call.conn
    after = taken.after.connections[conn].unit_of_work
    if work is None or work.skips_backout is None or taken.outcome.completed:
        return
    for name, place in work.skips_backout.places:
        if name not in taken.after.queues:
            return
        own = taken.before.queues[name].messages.at(place)
        if own is not None and own.put_by is not None:  # the backout undoes its put, and may remove it (AMB-102)
            return
        message = taken.after.queues[name].messages.at(place)
        assert message is not None
        assert message.got_by == conn
    assert after is not None
    assert set(work.skips_backout.places) <= set(after.touched)
    assert set(after.touched) <= {*work.skips_backout.places, *work.skips_backout.reports}
    assert after.skips_backout is None


def _co_op_marked(state: State, arrival: int) -> bool:
    found = arrivals(state).get(arrival)
    return found is not None and found[1].co_op_marked_ms is not None


INVARIANTS_OF_FEATURES = (
    a_mark_is_made_by_its_owner,
    a_mark_ends_only_for_a_reason,
    a_removed_message_bears_no_mark,
    a_co_op_mark_outlives_no_set,
    unmarked_browse_returns_no_marked_message,
    reports_are_made_once_if_asked,
    reports_of_arrival_and_delivery_join_the_unit_of_work,
    triggers_need_their_conditions,
    dead_letters_conserve_the_message,
    waits_end_once_and_not_late,
    messages_are_accounted_for,
    a_skipped_backout_keeps_the_message_got,
)
