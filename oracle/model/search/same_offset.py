"""Segments that share their Offset: which of them count when it is asked whether all segments are there (AMB-91)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from oracle.model.messages.logical_messages import (
    Available,
    Chain,
    Pick,
    any_segments_of,
    is_report,
    is_segment,
    related,
    segments_of,
)
from oracle.model.messages.messages import Message, Messages
from oracle.model.step import Step

WHICH: Final = "which of several segments with one Offset counts"


def first_of_each(message: Message, queue: Messages, available: Available) -> tuple[Message, ...] | None:
    """Return the segments if of several with one Offset the first on the queue counts."""
    return segments_of(message, queue, available, one_type=False)


def itself(message: Message, queue: Messages, available: Available) -> tuple[Message, ...] | None:
    """Return the segments if at the message's own Offset the message itself counts."""
    return segments_of(message, queue, available, one_type=False, begins=True)


def _picking(pick: Pick, *, begins: bool) -> Chain:
    """Return a reading: of several with one Offset this one counts, or with `begins`, at its own Offset the message."""

    def chain(message: Message, queue: Messages, available: Available) -> tuple[Message, ...] | None:
        return segments_of(message, queue, available, one_type=False, begins=begins, pick=pick)

    return chain


_OTHERS: Final = tuple(_picking(pick, begins=begins) for pick in list(Pick)[1:] for begins in (False, True))


def by_each(message: Message, queue: Messages, available: Available) -> tuple[Message, ...] | None:
    """Return the segments if none is missing, whichever of several with one Offset counts by a rule of its own."""
    found = itself(message, queue, available)
    return None if any(chain(message, queue, available) is None for chain in _OTHERS) else found


def share_offset(message: Message, queue: Messages, *, of_group: bool) -> bool:
    """Return whether two segments of a message's logical message, or `of_group` of one in its group, share an Offset.

    They are of one kind: both are reports about segments of one Feedback, or neither is a report.
    """
    seen: set[tuple[int, int, int | None]] = set()
    for each in filter(is_segment, related(message, queue, of_group=of_group)):
        md = each.descriptor
        place = (md.msg_seq_number, md.offset, md.feedback if is_report(each) else None)
        if place in seen:
            return True
        seen.add(place)
    return False


def readings(message: Message, queue: Messages, *, of_group: bool) -> tuple[Chain, ...]:
    """Return every reading, the plainest first."""
    if not share_offset(message, queue, of_group=of_group):
        return (first_of_each,)
    return (first_of_each, itself, *_OTHERS, any_segments_of)


def loosest(message: Message, queue: Messages, *, of_group: bool = False) -> Chain:
    """Return the reading by which segments are missing only if they are missing by every reading."""
    return readings(message, queue, of_group=of_group)[-1]


def strictest(message: Message, queue: Messages, *, of_group: bool = False) -> Chain:
    """Return the reading by which each message has to be among the segments that count."""
    return by_each if share_offset(message, queue, of_group=of_group) else first_of_each


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


def one_of_each_offset(
    step: Step, message: Message, queue: Messages, available: Available
) -> tuple[Message, ...] | None:
    """Return the segments that MQGMO_COMPLETE_MSG returns with a message, or None if one is missing (CMP-01).

    Of several with one Offset any may count, by a rule of the queue manager's own (AMB-91).
    """
    if not share_offset(message, queue, of_group=False):
        return segments_of(message, queue, available, one_type=True)
    return _one_of(step, [segments_of(message, queue, available, one_type=True, pick=pick) for pick in Pick])


def beginning_with(step: Step, message: Message, queue: Messages, available: Available) -> tuple[Message, ...] | None:
    """Return the segments that MQGMO_COMPLETE_MSG returns if each of several at the beginning begins a whole.

    None if a message begins none, or only the first of several does (AMB-91).
    """
    found = [segments_of(message, queue, available, one_type=True, begins=True, pick=pick) for pick in Pick]
    wholes = [whole for whole in found if whole is not None]
    if not wholes or not step.choose(
        "does each of several segments at the beginning begin a whole", (False, True), "CMP-01"
    ):
        return None
    return _one_of(step, wholes)


def _one_of(step: Step, found: Sequence[tuple[Message, ...] | None]) -> tuple[Message, ...] | None:
    """Return one of the sets of segments, the first on the queue most plainly."""
    distinct = [each for number, each in enumerate(found) if each not in found[:number]]
    return distinct[0] if len(distinct) == 1 else step.choose(WHICH, distinct, "CMP-01")
