"""Units of work: their contents, and the effects of commit and backout."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from oracle.model.checks import Refusal, fail, find_connection
from oracle.model.connections import Connection, SavedInformation, UnitOfWork
from oracle.model.expiry import may_have_expired
from oracle.model.handles import GroupInformation, Handle
from oracle.model.messages.logical_messages import is_segment
from oracle.model.messages.messages import Message, Position
from oracle.model.reply import Reply
from oracle.model.state import Queue, State
from oracle.model.step import Arrival, Step
from oracle.model.units.skip_backout import begin_with, find, taken_over
from oracle.mqi.calls import Back, Commit
from oracle.mqi.constants import MQRO
from oracle.values import replace

_BEGINNING: Final = "where had a handle been when a backout began the unit of work"


def unit_of_work(step: Step, conn: str) -> UnitOfWork:
    """Return the connection's open unit of work; one begins if there is none (UOW-06)."""
    connection = step.state.connections[conn]
    if connection.unit_of_work is None:
        connection.unit_of_work = UnitOfWork()
    return connection.unit_of_work


def take_in_unit_of_work(step: Step, handle: Handle, queue: Queue, message: Message) -> None:
    """Get a message within the unit of work: it stays on the queue, invisible, until commit (SYN-01, SYN-02)."""
    work = save_information(step, handle)
    if work.saved[handle.hobj].at_get is None:
        work.saved[handle.hobj] = replace(work.saved[handle.hobj], at_get=handle.removing)
    queue.messages = queue.messages.having(replace(message, got_by=handle.conn))
    work.touched[queue.name, message.position] = None
    step.because("SYN-01")


def save_information(step: Step, handle: Handle) -> UnitOfWork:
    """Note the handle's group information before its first use in the unit of work (UOW-05, PTB-24)."""
    work = unit_of_work(step, handle.conn)
    work.saved.setdefault(handle.hobj, SavedInformation(handle.removing, handle.putting))
    return work


def put_in_unit_of_work(step: Step, handle: Handle) -> None:
    """Note the handle's group information before its first put in the unit of work."""
    work = save_information(step, handle)
    if work.saved[handle.hobj].at_put is None:
        work.saved[handle.hobj] = replace(work.saved[handle.hobj], at_put=handle.putting)


def mark_used_outside(step: Step, conn: str, queue: str) -> None:
    """Note that a connection has put to or got from a queue outside its unit of work since that began."""
    work = step.state.connections[conn].unit_of_work
    if work is not None:
        work.used_outside |= {queue}


def perform_commit(step: Step, call: Commit) -> Reply:
    """Carry out an MQCMIT."""
    connection = find_connection(step, call.conn)
    if isinstance(connection, Refusal):
        return fail(step, [connection])
    step.because("UOW-01", *_rules_of_end(step, connection))
    _outlast(step, call.conn)
    commit(step, connection)
    return Reply()


def perform_back(step: Step, call: Back) -> Reply:
    """Carry out an MQBACK."""
    connection = find_connection(step, call.conn)
    if isinstance(connection, Refusal):
        return fail(step, [connection])
    step.because("UOW-02", *_rules_of_end(step, connection))
    _outlast(step, call.conn)
    back_out(step, connection)
    return Reply()


def _rules_of_end(step: Step, connection: Connection) -> Iterator[str]:
    """Yield the rules about what the end of a unit of work leaves unchanged."""
    state = step.state
    if connection.unit_of_work is None:
        yield "UOW-03"
    if any(other.unit_of_work is not None for other in state.connections.values() if other is not connection):
        yield "UOW-06"
    handles = (handle for handle in state.handles.values() if handle.conn == connection.name)
    if any(handle.cursor is not None or handle.locked or handle.browsing.unfinished for handle in handles):
        yield "UOW-08"


def commit(step: Step, connection: Connection) -> None:
    """Make the unit of work final: its puts become visible, its gets are gone (UOW-01, SYN-02)."""
    work, connection.unit_of_work = connection.unit_of_work, None
    if work is None:
        return
    step.due += (*work.triggered, *work.triggered_by_each)
    step.unconfirmed += work.unconfirmed
    for name, position in work.touched:
        queue, message = find(step.state, (name, position))
        if queue is None or message is None:
            continue
        if message.got_by == connection.name:
            queue.messages = queue.messages.without(message)
            step.because("SYN-02")
            if message.descriptor.report & MQRO.EXPIRATION and may_have_expired(step.state, message):
                step.because("RPT-03")
        elif message.put_by == connection.name:
            _let_go(step, queue, message)
            step.because("UOW-01", "VIS-03")
    step.because("UOW-04")


def _let_go(step: Step, queue: Queue, message: Message) -> None:
    """Make a message that a unit of work has put available in its place (VIS-06)."""
    message = replace(message, put_by=None, got_by=None)
    if may_have_expired(step.state, message):
        notes = message.notes.having("MQMD.Expiry", "EXP-18")
        message = replace(message, notes=notes, freed_ms=step.state.now_ms)
        step.because("EXP-18")
    queue.messages = queue.messages.having(message)
    step.arrived.append(Arrival(queue.name, message, by_commit=True))
    note_behind_cursors(step.state, queue.name, message, "VIS-06")


def note_behind_cursors(state: State, queue: str, message: Message, rule: str) -> None:
    """Note the rule by which a sweep that has passed a place does not return the message that appears there."""
    for handle in state.handles.values():
        passed = handle.cursor is not None and message.position < handle.cursor
        if passed and handle.queue == queue and not handle.queue_deleted:
            handle.grounds = handle.grounds.adding(cursor=(rule,))


def _outlast(step: Step, conn: str) -> None:
    """Keep the locks of a connection when its unit of work ends (LCK-22)."""
    for handle in step.state.handles.values():
        if handle.conn == conn and handle.locked:
            handle.grounds = handle.grounds.adding(lock=("LCK-22",))
            step.because("LCK-22")


def back_out(step: Step, connection: Connection, *, by_application: bool = True) -> None:
    """Undo the unit of work: puts are gone, gets are back in their places (UOW-02, SYN-03, VIS-04, VIS-07).

    A message got with MARK_SKIP_BACKOUT goes into a new unit of work instead, if the application backs out (MSB-12).
    """
    work, connection.unit_of_work = connection.unit_of_work, None
    if work is None:
        return
    step.due += work.triggered
    marked = work.skips_backout
    kept = None if marked is None or not by_application else taken_over(step, marked)
    if marked is not None and not by_application:
        step.because("MSB-12")
    for place in work.touched:
        if place in work.announced:
            queue, message = find(step.state, place)
            if queue is not None and message is not None:
                _let_go(step, queue, message)
                step.because("TRI-11")
        elif kept is None or place not in (*kept.places, *kept.reports):
            _undo(step, connection.name, *place)
    touched = [step.state.queues[name] for name in {name for name, _ in work.touched} if name in step.state.queues]
    if any(step.state.depth(queue) > queue.definition.max_q_depth for queue in touched):
        step.because("DEP-08")
    for hobj, saved in work.saved.items():
        handle = step.state.handles.get((connection.name, hobj))
        if handle is not None:
            _restore_information(step, handle, saved, work)
    if kept is not None:
        begin_with(step, connection, work, kept)


def _undo(step: Step, conn: str, name: str, position: Position) -> None:
    """Undo the effect of a unit of work on the message at a place."""
    queue, message = find(step.state, (name, position))
    if queue is None or message is None:
        return
    if message.put_by == conn:
        queue.messages = queue.messages.without(message)
        step.because("VIS-07", "DEP-04")
    elif message.got_by == conn:
        expired = may_have_expired(step.state, message)
        if expired:  # others may have been discarded before it was let go (EXP-31)
            message = replace(message, freed_ms=step.state.now_ms)
        restored = replace(message.descriptor, backout_count=message.descriptor.backout_count + 1)
        queue.messages = queue.messages.having(replace(message, descriptor=restored, got_by=None))
        step.stir(name)
        step.because("SYN-03", "VIS-04", "BOC-01", "DEP-03")
        if expired:
            step.because("EXP-27")
        if is_segment(message):
            step.because("CMP-07")


def _restore_information(step: Step, handle: Handle, saved: SavedInformation, work: UnitOfWork) -> None:
    """Give the handle the group information from before the unit of work.

    This is not guaranteed if the application has used the queue outside the unit of work since that began, with this
    handle or another, before or after it used this handle inside. The information for puts and for gets is separate,
    and so is what may become of it.
    """
    outside = handle.queue in work.used_outside
    before = (saved.removing, *saved.otherwise)
    removing = _restored(step, handle.removing, before, saved.at_get, outside=outside)
    putting = _restored(step, handle.putting, (saved.putting,), saved.at_put, outside=outside)
    if (handle.removing, handle.putting) == (removing, putting):
        return
    handle.removing, handle.putting = removing, putting
    step.because("UOW-05", "PTB-24")


def _restored(
    step: Step,
    now: GroupInformation,
    before: tuple[GroupInformation, ...],
    inside: GroupInformation | None,
    *,
    outside: bool,
) -> GroupInformation:
    """Return the information of one kind after a backout: that from before the unit of work if that is guaranteed.

    `before` is what it may have been then. `inside` is what it was before the first such call in the unit of work,
    calls outside it that came earlier included.
    """
    if not outside:
        return before[0] if len(before) == 1 else step.choose(_BEGINNING, before, "UOW-05", "MSB-05")
    answers = tuple(dict.fromkeys((now, *before, *(() if inside is None else (inside,)))))
    return now if len(answers) == 1 else step.choose("does backout restore the group information", answers, "UOW-05")
