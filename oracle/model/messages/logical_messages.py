"""Logical messages and groups on a queue: which are complete, and how one is reassembled from its segments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial

from oracle.model.messages.messages import Message, Messages, Position
from oracle.mqi.constants import MQMF, MQMT, MQOL, MQRC
from oracle.mqi.structures import MessageDescriptor
from oracle.values import replace

Available = Callable[[Message], bool]

Chain = Callable[[Message, Messages, Available], tuple[Message, ...] | None]
"""A function that returns the segments of a message's logical message, or None if one is missing."""


@dataclass(slots=True)
class Found:
    """What an MQGET returns: one physical message, or the segments of a logical message in order of offset.

    It is not changed once it is made.
    """

    segments: tuple[Message, ...]
    """The physical messages."""
    descriptor: MessageDescriptor
    """The descriptor that counts."""
    unlike: tuple[tuple[int, str], ...] = ()
    """Why only leading segments are returned: the next differs in CodedCharSetId or Encoding (CMP-15, CMP-16)."""
    left_out: tuple[Position, ...] = ()
    """The places of the segments that follow."""
    first: Message = field(init=False)
    """The physical message whose place and descriptor count."""
    reassembled: bool = field(init=False)
    """Whether it was reassembled from more than one physical message."""

    def __post_init__(self) -> None:
        self.first = self.segments[0]
        self.reassembled = len(self.segments) > 1

    def with_first(self, first: Message, descriptor: MessageDescriptor | None = None) -> Found:
        """Return the same message with another first message, and perhaps another descriptor."""
        segments = (first, *self.segments[1:]) if self.reassembled else (first,)
        return Found(segments, descriptor or self.descriptor, self.unlike, self.left_out)

    @property
    def data(self) -> bytes:
        """The data of all segments, with nulls for what combined reports lack of them (CMP-23)."""
        if not self.reassembled:
            return self.first.data
        # The join is that of the data's own kind, which need not be plain bytes: a log holds no data.
        return self.first.data[:0].join(segment.data.ljust(span(segment), b"\0") for segment in self.segments)

    @property
    def span(self) -> int:
        """The part of the logical message that this is: the offset at which the next segment begins after it."""
        return sum(map(span, self.segments))


def physical(message: Message) -> Found:
    """Return a physical message as a result of a search."""
    return Found((message,), message.descriptor)


def span(message: Message) -> int:
    """Return the bytes of a logical message that a segment stands for: for a report its OriginalLength (RPM-07)."""
    md = message.descriptor
    is_report = md.msg_type == MQMT.REPORT and md.original_length != MQOL.UNDEFINED
    return md.original_length if is_report else len(message.data)


def is_segment(message: Message) -> bool:
    """Return whether a physical message is a segment of a logical message."""
    return bool(message.descriptor.msg_flags & MQMF.SEGMENT)


def is_in_group(message: Message) -> bool:
    """Return whether a message is in a group."""
    return bool(message.descriptor.msg_flags & MQMF.MSG_IN_GROUP)


def is_report(message: Message) -> bool:
    """Return whether a message is a report."""
    return message.descriptor.msg_type == MQMT.REPORT


def has_segments(message: Message, queue: Messages) -> bool:
    """Return whether a message, or any of its group, is a segment."""
    md = message.descriptor
    if is_segment(message) or not md.msg_flags & MQMF.MSG_IN_GROUP:
        return is_segment(message)
    return any(is_segment(other) and _same_group(other, message) for other in queue.perhaps_with(md.group_id))


def related(message: Message, queue: Messages, *, of_group: bool) -> list[Message]:
    """Return what has a message's GroupId and MsgSeqNumber if it is a segment, in the order of the queue.

    `of_group`, where it is in a group, all that has its GroupId. Nothing for other messages.
    """
    md = message.descriptor
    if of_group and md.msg_flags & MQMF.MSG_IN_GROUP:
        return [each for each in queue.perhaps_with(md.group_id) if each.descriptor.group_id == md.group_id]
    if not is_segment(message):
        return []
    return [
        each
        for each in queue.perhaps_with((md.group_id, md.msg_seq_number))
        if each.descriptor.group_id == md.group_id and each.descriptor.msg_seq_number == md.msg_seq_number
    ]


class Pick(Enum):
    """Which of several segments with one offset is used (AMB-91); at the beginning the first, in the same order."""

    FIRST = "the first on the queue"
    PUT_FIRST = "the one put first, which differs where their priorities do"
    LAST = "the last on the queue"
    PUT_LAST = "the one put last"


def segments_of(
    message: Message,
    queue: Messages,
    available: Available,
    *,
    one_type: bool,
    begins: bool = False,
    pick: Pick = Pick.FIRST,
) -> tuple[Message, ...] | None:
    """Return all segments of a message's logical message in order, or None if one is missing (ASA-01, AMB-47).

    `pick` says which of several segments with one offset is used; with `begins`, the message itself is, at its own.

    Reports about segments count as segments: with `one_type` those of the message's own type only (CMP-21), otherwise
    of any type (ASA-09).
    """
    if not is_segment(message):
        return (message,)
    others = _kin(message, queue, available, one_type=one_type)
    if pick in (Pick.PUT_FIRST, Pick.PUT_LAST):
        others = sorted(others, key=lambda other: other.arrival)
    if pick in (Pick.LAST, Pick.PUT_LAST):
        beginning = [other for other in others if other.descriptor.offset == 0]
        others = beginning + [other for other in others[::-1] if other.descriptor.offset != 0]
    at_offset: dict[int, list[Message]] = {}
    for other in reversed(others):
        at_offset.setdefault(other.descriptor.offset, []).append(other)
    offset = message.descriptor.offset
    if begins and message in at_offset.get(offset, ()):
        at_offset[offset].append(message)
    found: list[Message] = []
    offset = 0
    while True:
        if not at_offset.get(offset):
            return None
        following = at_offset[offset].pop()
        found.append(following)
        offset += span(following)
        if following.descriptor.msg_flags & MQMF.LAST_SEGMENT:
            return tuple(found)


def any_segments_of(message: Message, queue: Messages, available: Available) -> tuple[Message, ...] | None:
    """Return segments that make a message's logical message whole, whichever of several with one Offset they are.

    Reports count whatever their type (ASA-09). None if there are none.
    """
    if not is_segment(message):
        return (message,)
    kin = _kin(message, queue, available, one_type=False)
    before: dict[int, tuple[Message, ...]] = {0: ()}
    reached = [0]
    for offset in reached:
        for other in kin:
            if other.descriptor.offset != offset:
                continue
            found = (*before[offset], other)
            if other.descriptor.msg_flags & MQMF.LAST_SEGMENT:
                return found
            behind = offset + span(other)
            if behind not in before:
                before[behind] = found
                reached.append(behind)
    return None


def group_members(
    message: Message,
    queue: Messages,
    available: Available,
    *,
    strays: bool = True,
    beyond: bool = True,
    chain: Chain | None = None,
) -> tuple[Message, ...] | None:
    """Return every message of a message's group, each with all its segments, or None if one is missing.

    A message that is in no group is a group of its own (AMA-01, AMA-08, AMB-47). Without `strays` the segments of an
    incomplete logical message do not count where there is a whole message of its number (AMB-81). `chain` finds the
    segments of a message: of several with one Offset the first on the queue, if nothing else is given (AMB-91). Of
    several last messages the one with the lowest number counts. Without `beyond` any of them does, and what has a
    higher number does not count (AMB-107).
    """
    chain = chain or partial(segments_of, one_type=False)
    if not message.descriptor.msg_flags & MQMF.MSG_IN_GROUP:
        return chain(message, queue, available)
    kin = queue.perhaps_with(message.descriptor.group_id)
    members = [other for other in kin if _same_group(other, message) and available(other)]
    if not strays:
        whole = {other.descriptor.msg_seq_number for other in members if not is_segment(other)}
        members = [
            other
            for other in members
            if other.descriptor.msg_seq_number not in whole or chain(other, queue, available) is not None
        ]
        if message not in members:
            return None
    numbers = {other.descriptor.msg_seq_number for other in members}
    last = (other for other in members if other.descriptor.msg_flags & MQMF.LAST_MSG_IN_GROUP)
    ends = sorted({other.descriptor.msg_seq_number for other in last})
    for end in ends[:1] if beyond else ends:
        counted = members if beyond else [other for other in members if other.descriptor.msg_seq_number <= end]
        behind = not beyond and message.descriptor.msg_seq_number > end
        if sum(number <= end for number in numbers) < end or behind:
            continue
        if all(chain(other, queue, available) is not None for other in counted):
            return tuple(counted)
    return None


def share_a_number(members: Sequence[Message]) -> bool:
    """Return whether two logical messages of a group have one MsgSeqNumber, one of them in one piece (AMB-81)."""
    if len(members) < 2:
        return False
    plain = [each.descriptor.msg_seq_number for each in members if not is_segment(each)]
    segmented = {each.descriptor.msg_seq_number for each in members if is_segment(each)}
    return len(set(plain)) < len(plain) or not segmented.isdisjoint(plain)


def rules_of_incomplete(queue: Messages) -> tuple[str, ...]:
    """Return the rules by which messages count in the depth although a part of them is missing."""

    def committed(message: Message) -> bool:
        return message.put_by is None and message.got_by is None

    groups = {each.descriptor.group_id: each for each in queue if each.descriptor.msg_flags & MQMF.MSG_IN_GROUP}
    segmented = {(each.descriptor.group_id, each.descriptor.msg_seq_number): each for each in filter(is_segment, queue)}
    rules: tuple[str, ...] = ()
    if any(group_members(each, queue, committed) is None for each in groups.values()):
        rules += ("AMA-03",)
    if any(segments_of(each, queue, committed, one_type=True) is None for each in segmented.values()):
        rules += ("ASA-03", "CMP-06")
    return rules


def reassemble(segments: tuple[Message, ...], *, whole: bool = False) -> Found:
    """Reassemble a logical message, as far as its segments agree in character set and encoding (CMP-15 to CMP-19).

    With `whole` all of it: the reasons for less are not named for z/OS (AMB-90).
    """
    first = segments[0].descriptor
    alike: list[Message] = []
    unlike: list[tuple[int, str]] = []
    for segment in segments:
        md = segment.descriptor
        if whole:
            alike.append(segment)
            continue
        if md.coded_char_set_id != first.coded_char_set_id:
            unlike.append((MQRC.INCONSISTENT_CCSIDS, "CMP-15"))
        if md.encoding != first.encoding:
            unlike.append((MQRC.INCONSISTENT_ENCODINGS, "CMP-16"))
        if unlike:
            break
        alike.append(segment)
    flags = first.msg_flags | MQMF.SEGMENT
    flags = flags & ~MQMF.LAST_SEGMENT if unlike else flags | MQMF.LAST_SEGMENT
    left_out = tuple(segment.position for segment in segments[len(alike) :])
    return Found(tuple(alike), replace(first, msg_flags=flags), tuple(unlike), left_out)


def _kin(message: Message, queue: Messages, available: Available, *, one_type: bool) -> list[Message]:
    """Return the available segments of a segment's logical message, in the order of the queue."""
    md = message.descriptor
    return [
        other
        for other in queue.perhaps_with((md.group_id, md.msg_seq_number))
        if is_segment(other)
        and other.descriptor.group_id == md.group_id
        and other.descriptor.msg_seq_number == md.msg_seq_number
        and _same_kind(other, message, one_type=one_type)
        and available(other)
    ]


def _same_kind(one: Message, other: Message, *, one_type: bool) -> bool:
    """Return whether two segments are both reports, of one type if that counts (CMP-21, ASA-09), or neither is."""
    reports = [is_report(one), is_report(other)]
    if not all(reports):
        return not any(reports)
    return not one_type or one.descriptor.feedback == other.descriptor.feedback


def _same_group(one: Message, other: Message) -> bool:
    flags = one.descriptor.msg_flags & other.descriptor.msg_flags
    return bool(flags & MQMF.MSG_IN_GROUP) and one.descriptor.group_id == other.descriptor.group_id
