"""Complete groups and logical messages on MQGET: what is withheld while something is missing, and what is reassembled.

The options are MQGMO_ALL_MSGS_AVAILABLE, MQGMO_ALL_SEGMENTS_AVAILABLE and MQGMO_COMPLETE_MSG.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from oracle.model.expiry import expires_at_ms, may_have_expired, must_have_expired
from oracle.model.messages.logical_messages import (
    Available,
    Found,
    Pick,
    group_members,
    has_segments,
    is_in_group,
    is_report,
    is_segment,
    physical,
    reassemble,
    segments_of,
    share_a_number,
)
from oracle.model.messages.messages import Message, Messages, Position
from oracle.model.requests.get import GetRequest
from oracle.model.search.mixed_segments import decided, is_of_another_kind, ways
from oracle.model.search.one_search import Hidden, Search, Whole, Withheld
from oracle.model.search.same_offset import (
    beginning_with,
    decide_whole,
    decided_segments,
    first_of_each,
    loosest,
    one_of_each_offset,
    readings,
    share_offset,
    strictest,
)
from oracle.model.search.several_ends import by_one_end, several_ends
from oracle.model.state import State
from oracle.model.step import Step
from oracle.mqi.constants import MQGMO

_WHERE_IT_ARRIVED: Final = "does a logical message stand where its first segment arrived"
_WITH_ONE_NUMBER: Final = "is a group complete in which two logical messages have one number"


def is_withheld(state: State, request: GetRequest, message: Message, search: Search) -> bool:
    """Return whether something else of a message's group or logical message is surely missing that the call asks for.

    The call would not return such a message, so it need not find out whether it has expired.
    """
    if not request.withholds:
        return False
    if _asks_for_group(request) and _group_is_withheld(state, request, message, search):
        return True
    return is_segment(message) and _segment_is_withheld(state, request, message, search)


def _group_is_withheld(state: State, request: GetRequest, message: Message, search: Search) -> bool:
    """Return whether something of a message's group is surely missing."""
    queue = request.queue.messages
    if _is_lacking(_group(message), message, queue, search):
        return True
    chain = loosest(message, queue, of_group=True)
    return all(
        group_members(message, queue, way, strays=False, beyond=beyond, chain=chain) is None
        for way in _ways_if_alive(state, request, message, search)
        for beyond in (True, False)
    )


def _segment_is_withheld(state: State, request: GetRequest, segment: Message, search: Search) -> bool:
    """Return whether something of a segment's logical message is surely missing, if the call asks for that."""
    queue, complete = request.queue.messages, request.asks(MQGMO.COMPLETE_MSG)
    if not complete and not _asks_for_segments(request):
        return False
    if _is_lacking(_logical_message(segment), segment, queue, search):
        return True
    if complete:
        return _together(state, request, segment, search) is None
    chain = loosest(segment, queue, of_group=_asks_for_group(request))
    return all(chain(segment, queue, way) is None for way in _ways_if_alive(state, request, segment, search))


def returned_together(state: State, request: GetRequest, message: Message, search: Search) -> tuple[Message, ...]:
    """Return what the call would return as one message with this one if nothing of it had expired."""
    if not request.asks(MQGMO.COMPLETE_MSG):
        return (message,)
    return _together(state, request, message, search) or (message,)


def _together(state: State, request: GetRequest, message: Message, search: Search) -> tuple[Message, ...] | None:
    """Return the segments of a message's logical message if nothing of it had expired, or None if one is missing.

    They are asked for twice in a row, so the last ones are cached while the queue is unchanged.
    """
    queue = request.queue.messages
    if search.last is None or search.last[0] is not message or search.last[1] is not queue:
        possible = _ways_if_alive(state, request, message, search)
        picks = tuple(Pick) if share_offset(message, queue, of_group=False) else (Pick.FIRST,)
        found = (
            segments_of(message, queue, way, one_type=True, begins=begins, pick=pick)
            for pick in picks
            for begins in (False, True)
            for way in possible
        )
        search.last = message, queue, next((each for each in found if each is not None), None)
    return search.last[2]


def as_wanted(step: Step, request: GetRequest, message: Message, search: Search) -> Found | None:
    """Return the message as the call wants it, or None if it is withheld because something of it is missing."""
    if not request.withholds:
        return physical(message)
    queue = request.queue.messages
    available = decided(step, _availability(step.state, search.hidden, search.own), message, queue, search)
    if _asks_for_group(request):
        step.because("AMA-04" if request.logical_order else "AMA-05", "AMA-01")
        whole = _group(message)
        if _is_lacking(whole, message, queue, search):
            return None
        if has_segments(message, queue):
            step.because("AMA-08")
        members = by_one_end(step, _members(step, message, queue, available), message, queue, of_group=True)
        if members is None and _is_stray(message, queue, available):
            return None  # without this one the group may be whole (AMB-81)
        if not _are_alive(step, message, members, search, whole=whole, queue=queue):
            return None
    if request.asks(MQGMO.COMPLETE_MSG):
        return _complete_message(step, request, message, available, search)
    return physical(message) if _has_all_segments(step, request, message, available, search) else None


def _ways_if_alive(state: State, request: GetRequest, message: Message, search: Search) -> tuple[Available, ...]:
    """Return those ways if the message that the call would return had not expired."""
    return ways(_if_alive(state, request, message, search), message, request.queue.messages, search)


def _is_stray(message: Message, queue: Messages, available: Available) -> bool:
    """Return whether a segment lacks others, and has the number of a message that is in one piece (AMB-81)."""
    if not is_segment(message) or segments_of(message, queue, available, one_type=False) is not None:
        return False
    md = message.descriptor
    return any(
        not is_segment(other) and other.descriptor.msg_seq_number == md.msg_seq_number and available(other)
        for other in queue.perhaps_with(md.group_id)
    )


def _members(step: Step, message: Message, queue: Messages, available: Available) -> tuple[Message, ...] | None:
    """Return the members of a message's group; None if it is not complete.

    If a stray segment has the GroupId and the number of a whole message, it is open whether the group is complete
    (AMB-81). So it is if two logical messages have one number, and if segments share an Offset (AMB-91).
    """
    members = group_members(message, queue, available)
    if members is not None:
        if share_a_number(members) and not step.choose(_WITH_ONE_NUMBER, (True, False)):
            return None
        return decide_whole(
            step, members, group_members(message, queue, available, chain=strictest(message, queue, of_group=True))
        )
    without = group_members(message, queue, available, strays=False)
    if without is not None:
        spoils = step.choose("does a stray segment beside a whole message make its group incomplete", (True, False))
        return None if spoils else without
    chain = loosest(message, queue, of_group=True)
    by_others = group_members(message, queue, available, strays=False, chain=chain)
    if by_others is not None:
        return decide_whole(step, None, by_others)
    up_to_an_end = group_members(message, queue, available, strays=False, beyond=False, chain=chain)
    if up_to_an_end is None:
        return None
    counts = step.choose("does what is behind the end of a group count for it", (True, False))
    return None if counts else up_to_an_end


def certainly_whole(state: State, request: GetRequest, message: Message, hidden: Hidden) -> bool:
    """Return whether the options about complete groups and messages let this message be returned now.

    Messages that may have expired count as there.
    """
    return all(_readings(state, request, message, hidden))


def perhaps_whole(state: State, request: GetRequest, message: Message, hidden: Hidden) -> bool:
    """Return whether those options let this message be returned now by any reading of the documents."""
    return any(_readings(state, request, message, hidden))


def _readings(state: State, request: GetRequest, message: Message, hidden: Hidden) -> Iterator[bool]:
    """Yield whether a message may be returned by each reading of what is whole (AMB-91, AMB-101)."""
    if is_of_another_kind(request, message):
        yield False
    if not request.withholds:
        yield True
        return
    queue = request.queue.messages
    if several_ends(message, queue, of_group=_asks_for_group(request)):
        yield False
    chains = readings(message, queue, of_group=_asks_for_group(request))
    picks = tuple(Pick) if len(chains) > 1 else (Pick.FIRST,)
    for available in ways(_availability(state, hidden), message, queue, Search(hidden, frozenset())):
        for chain in chains:
            if _asks_for_group(request):
                for beyond in (True, False):
                    members = group_members(message, queue, available, strays=False, beyond=beyond, chain=chain)
                    yield members is not None and not share_a_number(members)
            elif request.asks(MQGMO.COMPLETE_MSG):
                begins = chain is not first_of_each and message.descriptor.offset == 0
                for pick in picks:
                    segments = segments_of(message, queue, available, one_type=True, begins=begins, pick=pick)
                    begun = segments is not None and message == segments[0]
                    yield begun and not _may_be_passed(request, segments or ())
            elif _asks_for_segments(request):
                yield chain(message, queue, available) is not None
            else:
                yield True


def _has_all_segments(step: Step, request: GetRequest, message: Message, available: Available, search: Search) -> bool:
    """Return whether the options about segments let a single segment or message be returned."""
    queue = request.queue.messages
    if not _asks_for_segments(request):
        return not _perhaps_withheld_inside_a_group(step, request, message, available)
    segments = by_one_end(step, decided_segments(step, message, queue, available), message, queue)
    step.because("ASA-04" if request.logical_order else "ASA-06", "ASA-01")
    if not _are_alive(step, message, segments, search, whole=_logical_message(message), queue=queue):
        return False
    if is_report(message):
        alike = segments_of(message, queue, available, one_type=True) is not None
        step.because("ASA-09")
        if not alike:
            step.because("ASA-10")
    return True


def _perhaps_withheld_inside_a_group(step: Step, request: GetRequest, message: Message, available: Available) -> bool:
    """Return whether ALL_MSGS_AVAILABLE withholds an incomplete logical message inside a group, where it is ignored.

    It is open whether the ALL_SEGMENTS_AVAILABLE that it implies is ignored with it (AMB-65). A call that waits is
    assumed to be served.
    """
    info = request.information
    inside = request.logical_order and info.in_group and not info.in_logical_message
    if not inside or not request.asks(MQGMO.ALL_MSGS_AVAILABLE):
        return False
    step.because("AMA-04")
    segments = strictest(message, request.queue.messages)(message, request.queue.messages, available)
    missing = segments is None or any(may_have_expired(step.state, other) for other in segments)
    if not missing or request.waits:
        return False
    rules = ("AMA-08", "ASA-05")
    return step.choose("does what an ignored option implies still count", (False, True), *rules)


def _availability(state: State, hidden: Hidden, own: str | None = None) -> Available:
    """Return what counts as available for completeness (AMB-46); what may have expired is not decided here.

    What a connection has put and not committed does not, unless it is `own`.
    """

    def available(other: Message) -> bool:
        return hidden(other) is None and other.put_by in (None, own) and not must_have_expired(state, other)

    return available


def _if_alive(state: State, request: GetRequest, message: Message, search: Search) -> Available:
    """Return what counts as available if the message that the call would return had not expired (EXP-11).

    With COMPLETE_MSG that is the logical message with all its segments.
    """
    whole = _logical_message(message) if request.asks(MQGMO.COMPLETE_MSG) and is_segment(message) else None
    hidden, own = search.hidden, search.own
    available = _availability(state, hidden, own)

    def counts(other: Message) -> bool:
        same = is_segment(other) and _logical_message(other) == whole
        committed = hidden(other) is None and other.put_by in (None, own)
        return available(other) or (committed and (same or other.position == message.position))

    return counts


def _asks_for_group(request: GetRequest) -> bool:
    """Return whether ALL_MSGS_AVAILABLE takes effect: in logical order only at a group's start (AMA-04, AMA-05)."""
    return request.asks(MQGMO.ALL_MSGS_AVAILABLE) and not (request.logical_order and request.information.unfinished)


def _asks_for_segments(request: GetRequest) -> bool:
    """Return whether ALL_SEGMENTS_AVAILABLE takes effect: in logical order only between messages (ASA-04, ASA-06)."""
    inside = request.logical_order and request.information.in_logical_message
    return request.asks(MQGMO.ALL_SEGMENTS_AVAILABLE) and not inside


def _group(message: Message) -> Whole:
    return (message.descriptor.group_id, None, 0) if is_in_group(message) else _logical_message(message)


def _logical_message(message: Message) -> Whole:
    md = message.descriptor
    return (md.group_id, md.msg_seq_number, md.feedback if is_report(message) else 0)


def _seen(whole: Whole, message: Message, queue: Messages) -> Withheld:
    """Return what is withheld with a message; one that is no segment lacks nothing, whatever segments are beside it."""
    of_group = whole[1] is None
    alone = not of_group and not is_segment(message)
    return whole, message.position if alone or share_offset(message, queue, of_group=of_group) else None


def _is_lacking(whole: Whole, message: Message, queue: Messages, search: Search) -> bool:
    """Return whether it was found before that a message's group or logical message is withheld."""
    return bool(search.lacking) and _seen(whole, message, queue) in search.lacking


def _are_alive(
    step: Step, message: Message, messages: Iterable[Message] | None, search: Search, *, whole: Whole, queue: Messages
) -> bool:
    """Return whether all the messages are there and none of them has expired; `message` itself is known not to have."""
    if messages is None:
        search.lacking.add(_seen(whole, message, queue))
    if messages is None or _is_lacking(whole, message, queue, search):
        return False
    doubtful = [other for other in messages if other is not message and may_have_expired(step.state, other)]
    if not doubtful:
        return True
    plainly = any((expires_at_ms(other) or 0) <= step.state.now_ms for other in doubtful)
    expired = step.choose("has one of these messages expired yet", (plainly, not plainly), "EXP-08")
    if expired:
        search.lacking.add(_seen(whole, message, queue))
    return not expired


def _complete_message(
    step: Step, request: GetRequest, message: Message, available: Available, search: Search
) -> Found | None:
    """Return the logical message that begins with this segment, if it is complete (CMP-01, CMP-05).

    A logical message stands where its first segment stands; it may also be looked for where the first segment to arrive
    stands (AMB-66).
    """
    queue = request.queue.messages
    if not is_segment(message):
        return physical(message)
    segments = one_of_each_offset(step, message, queue, available)
    if message.descriptor.offset == 0 and (segments is None or message != segments[0]):
        segments = beginning_with(step, message, queue, available) or segments
    segments = by_one_end(step, segments, message, queue)
    if segments is None:
        step.because("CMP-05")
        if is_report(message):
            step.because("CMP-21")
        if _would_be_whole(message, queue, available, search.locked):
            step.because("LCK-05")
        return None
    if not _stands_at(step, request, message, segments):
        return None
    if not _are_alive(step, message, segments, search, whole=_logical_message(message), queue=queue):
        step.because("CMP-05")
        return None
    step.because("CMP-01", "CMP-19")
    found = reassemble(segments)
    if (
        found.unlike
        and step.state.profile.zos
        and step.choose(
            "does COMPLETE_MSG return unlike segments together", (False, True), *(rule for _, rule in found.unlike)
        )
    ):
        return reassemble(segments, whole=True)
    return found


def _stands_at(step: Step, request: GetRequest, message: Message, segments: Sequence[Message]) -> bool:
    """Return whether a logical message is met at this segment: the first one, or the first on the queue (AMB-66)."""
    if message == segments[0]:
        passed = _may_be_passed(request, segments)
        return not (passed and step.choose(_WHERE_IT_ARRIVED, (False, True), "CMP-01"))
    return message == _first_on_queue(segments) and step.choose(_WHERE_IT_ARRIVED, (False, True), "CMP-01")


def _first_on_queue(segments: Sequence[Message]) -> Message:
    return min(segments, key=lambda segment: segment.position)


def _may_be_passed(request: GetRequest, segments: Sequence[Message]) -> bool:
    """Return whether a sweep in physical order has passed the first of these segments that stands on the queue.

    If their message stands there, BROWSE_NEXT does not come to it again (AMB-66).
    """
    passed = request.handle.passed
    if passed is None or request.logical_order or not request.asks(MQGMO.BROWSE_NEXT):
        return False
    return _first_on_queue(segments).position <= passed


def _would_be_whole(message: Message, queue: Messages, available: Available, locked: frozenset[Position]) -> bool:
    """Return whether nothing of a logical message is missing except segments that other handles have locked."""

    def there(other: Message) -> bool:
        return available(other) or other.position in locked

    return segments_of(message, queue, there, one_type=True) is not None
