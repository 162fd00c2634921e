"""MQGMO_MARK_SKIP_BACKOUT of z/OS: the message that an application's backout takes into a new unit of work.

The documents leave open which segments bear the mark when a message was reassembled from several, and what becomes of
the confirm-on-delivery report that the get made in the unit of work that is backed out.
"""

from __future__ import annotations

from collections.abc import Iterable

from oracle.model.connections import Connection, Place, SavedInformation, SkipsBackout, Unconfirmed, UnitOfWork
from oracle.model.handles import GroupInformation, Handle
from oracle.model.messages.logical_messages import is_segment
from oracle.model.messages.messages import Message
from oracle.model.state import Queue, State
from oracle.model.step import Step
from oracle.mqi.constants import MQMF
from oracle.values import replace


def find(state: State, place: Place) -> tuple[Queue | None, Message | None]:
    """Return the queue and the message at a place, if they exist."""
    queue = state.queues.get(place[0])
    return queue, None if queue is None else queue.messages.at(place[1])


def mark_skip_backout(
    step: Step,
    handle: Handle,
    messages: Iterable[Message],
    reports: tuple[tuple[Place, ...], tuple[Unconfirmed, ...]],
    removing: GroupInformation,
) -> None:
    """Note that the application's backout will not restore these; `reports` are those that the get makes."""
    work = step.state.connections[handle.conn].unit_of_work
    assert work is not None  # the messages were got in it
    places = tuple((handle.queue, message.position) for message in messages)
    work.skips_backout = SkipsBackout(places, handle.hobj, removing, *reports, before=handle.removing)
    step.because("MSB-07")


def forget_handle(work: UnitOfWork, handle: Handle) -> None:
    """Note that the handle is closed: where the message goes into a new unit of work, no handle goes with it."""
    if work.skips_backout is not None and work.skips_backout.hobj == handle.hobj:
        work.skips_backout = replace(work.skips_backout, hobj=None)


def taken_over(step: Step, kept: SkipsBackout) -> SkipsBackout | None:
    """Decide which parts of the message and its reports a backout takes into the new unit of work (MSB-07), if any."""
    places, reports, unconfirmed = kept.places, kept.reports, kept.unconfirmed
    if len(places) > 1:
        places = step.choose("which segments are marked to skip backout", (places, places[:1]), "MSB-08")
    places = _without_own_puts(step, places)
    if not places:
        return None
    if reports:
        reports = step.choose("does the report on delivery skip backout as well", ((), reports), "MSB-03")
    if unconfirmed:
        unconfirmed = step.choose("does the report on delivery skip backout as well", ((), unconfirmed), "MSB-03")
    return replace(kept, places=places, reports=reports, unconfirmed=unconfirmed)


def _without_own_puts(step: Step, places: tuple[Place, ...]) -> tuple[Place, ...]:
    """Decide what becomes of messages whose put is undone by the same backout (AMB-102), and return those that stay.

    They stay until the new unit of work ends, or are gone with their put.
    """
    others = tuple(place for place in places if not _is_put(step.state, place))
    if others == places:
        return places
    return step.choose("does a message skip the backout that undoes its put", (places, others), "MSB-03", "MSB-04")


def _is_put(state: State, place: Place) -> bool:
    _, message = find(state, place)
    return message is not None and message.put_by is not None


def begin_with(step: Step, connection: Connection, work: UnitOfWork, kept: SkipsBackout) -> None:
    """Begin a unit of work that holds a message got in the one that was backed out (MSB-04, MSB-05, MSB-11).

    In the new one it counts as got without the mark. Its handle continues behind it, and another backout moves the
    handle to where it was before (AMB-118). A handle that the backout need not restore may stay where it is.
    """
    begun = UnitOfWork(dict.fromkeys((*kept.places, *kept.reports)), carried=frozenset(kept.places))
    begun.used_outside = work.used_outside
    begun.taken_whole = min(work.taken_whole, len(kept.places) - 1)
    begun.unconfirmed = kept.unconfirmed
    handle = None if kept.hobj is None else step.state.handles[connection.name, kept.hobj]
    if handle is not None:
        whole = work.skips_backout is not None and kept.places == work.skips_backout.places
        answers = (kept.removing,) if whole else (kept.removing, handle.removing)
        if handle.queue in work.used_outside:
            answers = (answers[0], handle.removing)
        handle.removing = step.choose("where does the handle go on", answers)
        begun.saved[handle.hobj] = _saved_at_beginning(handle, work.saved[handle.hobj], kept)
    connection.unit_of_work = begun
    counts = step.choose("does that backout count", (False, True), "BOC-01")
    for place in kept.places:
        queue, message = find(step.state, place)
        if queue is None or message is None:
            continue
        if counts:
            counted = replace(message.descriptor, backout_count=message.descriptor.backout_count + 1)
            queue.messages = queue.messages.having(replace(message, descriptor=counted))
        if is_segment(message):
            step.because("MSB-08")
        if message.descriptor.msg_flags & MQMF.MSG_IN_GROUP:
            step.because("MSB-07")
    step.because("MSB-02", "MSB-03", "MSB-04", "MSB-05", "MSB-11")


def rules_of_carried(state: State, place: Place, *, logical_order: bool) -> tuple[str, ...]:
    """Return the rules by which a message is hidden that a backout has taken into a new unit of work."""
    units = (connection.unit_of_work for connection in state.connections.values())
    if not any(unit is not None and place in unit.carried for unit in units):
        return ()
    return ("MSB-02", "MSB-10") if logical_order else ("MSB-02",)


def _saved_at_beginning(handle: Handle, saved: SavedInformation, kept: SkipsBackout) -> SavedInformation:
    """Return what another backout restores of the handle that got the message, from what this one has restored.

    The unit of work begins with that get, as part of it or not: the information may be that before the unit of work
    that was backed out, that before the get, or that behind the message (AMB-118).
    """
    others = (kept.before, handle.removing, *saved.otherwise, *(() if saved.at_get is None else (saved.at_get,)))
    otherwise = tuple(info for info in dict.fromkeys(others) if info != saved.removing)
    return SavedInformation(saved.removing, handle.putting, otherwise=otherwise)
