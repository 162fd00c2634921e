"""Segments that share their Offset: which of them count when it is asked whether all segments are there (AMB-91)."""

from __future__ import annotations

from oracle.model.messages.logical_messages import (
    Available,
    Chain,
    any_segments_of,
    is_report,
    is_segment,
    segments_of,
)
from oracle.model.messages.messages import Message, Messages
from oracle.model.step import Step
from oracle.mqi.constants import MQMF


def first_of_each(message: Message, queue: Messages, available: Available) -> tuple[Message, ...] | None:
    """Return the segments if of several with one Offset the first on the queue counts."""
    return segments_of(message, queue, available, one_type=False)


def itself(message: Message, queue: Messages, available: Available) -> tuple[Message, ...] | None:
    """Return the segments if at the message's own Offset the message itself counts."""
    return segments_of(message, queue, available, one_type=False, begins=True)


def share_offset(message: Message, queue: Messages, *, of_group: bool) -> bool:
    """Return whether two segments of a message's logical message, or `of_group` of one in its group, share an Offset.

    They are of one kind: both are reports about segments of one Feedback, or neither is a report.
    """
    of_group = of_group and bool(message.descriptor.msg_flags & MQMF.MSG_IN_GROUP)
    if not (of_group or is_segment(message)):
        return False
    group_id, number = message.descriptor.group_id, message.descriptor.msg_seq_number
    seen: set[tuple[int, int, int | None]] = set()
    for each in queue.perhaps_with(group_id if of_group else (group_id, number)):
        md = each.descriptor
        if md.group_id != group_id or not is_segment(each) or not (of_group or md.msg_seq_number == number):
            continue
        place = (md.msg_seq_number, md.offset, md.feedback if is_report(each) else None)
        if place in seen:
            return True
        seen.add(place)
    return False


def readings(message: Message, queue: Messages, *, of_group: bool) -> tuple[Chain, ...]:
    """Return every reading, the plainest first."""
    shared = share_offset(message, queue, of_group=of_group)
    return (first_of_each, itself, any_segments_of) if shared else (first_of_each,)


def loosest(message: Message, queue: Messages, *, of_group: bool = False) -> Chain:
    """Return the reading by which segments are missing only if they are missing by every reading."""
    return readings(message, queue, of_group=of_group)[-1]


def strictest(message: Message, queue: Messages, *, of_group: bool = False) -> Chain:
    """Return the reading by which each message has to be among the segments that count."""
    return readings(message, queue, of_group=of_group)[-2:][0]


def decided_segments(step: Step, message: Message, queue: Messages, available: Available) -> tuple[Message, ...] | None:
    """Return the segments of a message's logical message; None if one is missing, which may be open (AMB-91)."""
    segments = first_of_each(message, queue, available)
    chain = (loosest if segments is None else strictest)(message, queue)
    return decide_whole(step, segments, chain(message, queue, available))


def decide_whole(
    step: Step, plainly: tuple[Message, ...] | None, otherwise: tuple[Message, ...] | None
) -> tuple[Message, ...] | None:
    """Decide whether something is whole if that depends on which of several segments with one Offset count."""
    if (plainly is None) == (otherwise is None):
        return plainly
    return step.choose("does only the first of several segments with one Offset count", (plainly, otherwise))
