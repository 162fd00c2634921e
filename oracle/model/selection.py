"""Which message an MQGET returns: what is available, what is wanted, and the first that is both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from oracle.constants import MQGMO
from oracle.model.discards import discard
from oracle.model.expiry import has_expired, must_have_expired, pass_over
from oracle.model.get_request import GetRequest, without_availability
from oracle.model.get_rules import match_rules
from oracle.model.group_rules import rules_of_search
from oracle.model.groups import Criteria, table_2
from oracle.model.logical_messages import (
    Found,
    group_is_complete,
    has_segments,
    is_report,
    is_segment,
    physical,
    reassemble,
    segments_of,
)
from oracle.model.marks import certainly_marked, passed_over_as_marked
from oracle.model.messages import FRONT, Message, Messages, Position
from oracle.model.search_rules import (
    rules_of_discard,
    rules_of_logical_order,
    selection_rules,
    why_again,
    why_hidden,
    why_not_under_cursor,
    why_nothing_under_cursor,
    why_unlocked,
)
from oracle.model.splitting import begins_there
from oracle.model.state import State
from oracle.model.step import Step


def unavailable_because(request: GetRequest, message: Message, locked: frozenset[Position]) -> str | None:
    """Return the rule that hides a message from this call, or None if it is available.

    `locked` are the positions that other handles have locked.

    A connection's own uncommitted put is not decided here: whether it is visible is open (VIS-02).
    """
    if message.put_by is not None and message.put_by != request.handle.conn:
        return "VIS-01"
    if message.got_by is not None:
        return "SYN-01"
    if message.position in locked:
        return "LCK-01"
    return None


def nothing_available(state: State, request: GetRequest) -> bool:
    """Whether no message on the queue could be returned to this handle, whatever the call asked for."""
    locked = state.locked_elsewhere(request.handle)
    return all(
        unavailable_because(request, message, locked) is not None
        or message.put_by is not None
        or must_have_expired(state, message)
        for message in request.queue.messages
    )


def find_message(step: Step, request: GetRequest) -> Found | None:
    """Return the message that the call gets, or None; expired messages that it would have got are discarded."""
    if request.under_cursor:
        return _message_under_cursor(step, request)
    criteria, row = table_2(request.logical_order, request.information, request.matching())
    step.because(row, *selection_rules(step.state, request), *rules_of_logical_order(request), *match_rules(request))
    step.because(*rules_of_search(step.state, request))
    locked = step.state.locked_elsewhere(request.handle)
    for message in _in_order(step, request, criteria, locked):
        if request.queue.messages.at(message.position) is None:
            continue  # it was decided meanwhile, for the sake of a report, that this one had gone
        if not criteria.admits(message):
            pass_over(step, request.queue, message)
            continue
        if not _is_visible(step, request, message, locked):
            continue
        if criteria.offset is not None and not begins_there(step, request.queue, message):
            continue
        if has_expired(step, message):
            discard(step, request.queue, message)
            step.because(*rules_of_discard(request, message))
        elif not passed_over_as_marked(step, request, message):
            found = _as_wanted(step, request, message, locked)
            if found is not None:
                step.because(*why_unlocked(step.state, request, message), *why_again(request, message))
                return found
    return None


def _in_order(step: Step, request: GetRequest, criteria: Criteria, locked: frozenset[Position]) -> Iterable[Message]:
    """Return the messages in the order in which the search meets them.

    On z/OS the physical order of a queue that is indexed by GroupId is not defined (VIS-12): any suitable message may
    come first, and for a BROWSE_NEXT any may stand before the cursor. One with WAIT must find what is there, as nothing
    would tell which arrivals end its wait.
    """
    ahead = request.queue.messages.after(search_start(request))
    if not request.zos or request.queue.definition.index_type != "GROUP_ID" or request.logical_order:
        return ahead

    def suitable(messages: Iterable[Message]) -> list[Message]:
        return [
            message
            for message in messages
            if criteria.admits(message) and unavailable_because(request, message, locked) is None
        ]

    plainly = list(ahead)
    answers: list[Message | None] = [*suitable(plainly)]
    cursor = request.handle.cursor if request.asks(MQGMO.BROWSE_NEXT) else None
    if cursor is not None:
        nothing = [] if request.waits else [None]
        answers += [*nothing, *suitable(each for each in request.queue.messages if each.position < cursor)]
    if len(answers) < 2:
        return plainly
    first = step.choose("which message comes first where the order is not defined", answers, "VIS-12")
    return [] if first is None else [first, *(message for message in plainly if message != first)]


def _is_visible(step: Step, request: GetRequest, message: Message, locked: frozenset[Position]) -> bool:
    """Whether nothing hides the message from this call; what does is noted."""
    hidden = unavailable_because(request, message, locked)
    if hidden is not None:
        step.because(hidden, *why_hidden(step.state, request, message))
        return False
    return _own_put_visible(step, request, message)


def _as_wanted(step: Step, request: GetRequest, message: Message, locked: frozenset[Position]) -> Found | None:
    """Return the message as the call wants it, or None if it is withheld because something of it is missing."""

    def available(other: Message) -> bool:
        return unavailable_because(request, other, locked) is None and (
            other.put_by is None and not has_expired(step, other)
        )

    info, queue = request.information, request.queue.messages
    fresh = not (request.logical_order and info.unfinished)
    if request.asks(MQGMO.ALL_MSGS_AVAILABLE) and fresh:
        step.because("AMA-04" if request.logical_order else "AMA-05", "AMA-01")
        if has_segments(message, queue):
            step.because("AMA-08")
        if not group_is_complete(message, queue, available):
            return None
    if _perhaps_withheld_inside_a_group(step, request, message, available):
        return None
    if request.asks(MQGMO.COMPLETE_MSG):
        return _complete_message(step, message, queue, available, locked)
    segments_count = not (request.logical_order and info.in_logical_message)
    if request.asks(MQGMO.ALL_SEGMENTS_AVAILABLE) and segments_count:
        step.because("ASA-04" if request.logical_order else "ASA-06", "ASA-01")
        if segments_of(message, queue, available, one_type=False) is None:
            return None
        if is_report(message):
            alike = segments_of(message, queue, available, one_type=True) is not None
            step.because("ASA-09", *(() if alike else ("ASA-10",)))
    elif request.asks(MQGMO.ALL_MSGS_AVAILABLE) and not fresh and segments_count:
        step.because("AMA-04")
        withheld = segments_of(message, queue, available, one_type=False) is None
        if withheld and step.choose("does ALL_MSGS_AVAILABLE still ask for all segments", (False, True), "AMA-08"):
            return None
    return physical(message)


def _perhaps_withheld_inside_a_group(
    step: Step, request: GetRequest, message: Message, available: Callable[[Message], bool]
) -> bool:
    """Whether ALL_MSGS_AVAILABLE withholds an incomplete logical message inside a group, where it is itself ignored.

    Whether the ALL_SEGMENTS_AVAILABLE that it implies is ignored with it, is open (AMB-65). A call that waits is taken
    to be served.
    """
    info = request.information
    inside = request.logical_order and info.in_group and not info.in_logical_message
    if not inside or not request.asks(MQGMO.ALL_MSGS_AVAILABLE) or request.waits:
        return False
    if segments_of(message, request.queue.messages, available, one_type=False) is not None:
        return False
    return step.choose("does what an ignored option implies still count", (False, True), "AMA-04", "ASA-05")


def _complete_message(
    step: Step,
    message: Message,
    queue: Messages,
    available: Callable[[Message], bool],
    locked: frozenset[Position],
) -> Found | None:
    """Return the logical message that begins with this segment, if it is complete (CMP-01, CMP-05).

    A logical message stands where its first segment stands; it may as well be sought where the first to arrive stands
    (AMB-66).
    """
    if not is_segment(message):
        return physical(message)
    segments = segments_of(message, queue, available, one_type=True)
    if segments is None:
        step.because("CMP-05", *(("CMP-21",) if is_report(message) else ()))
        if _would_be_whole(message, queue, available, locked):
            step.because("LCK-05")
        return None
    if message != segments[0]:
        earliest = min(segments, key=lambda segment: segment.position)
        place = "does a logical message stand where its first segment arrived"
        if message != earliest or not step.choose(place, (False, True), "CMP-01"):
            return None
    step.because("CMP-01", "CMP-19")
    return reassemble(segments)


def _would_be_whole(
    message: Message, queue: Messages, available: Callable[[Message], bool], locked: frozenset[Position]
) -> bool:
    """Whether nothing is missing of a logical message but segments that other handles have locked."""

    def there(other: Message) -> bool:
        return available(other) or other.position in locked

    return segments_of(message, queue, there, one_type=True) is not None


def available_messages(state: State, request: GetRequest) -> Iterator[Message]:
    """Yield the messages that the call could get, in its order, without changing anything.

    Messages that the connection has put and not committed are left out, and those that may have expired are not.
    """
    criteria, _ = table_2(request.logical_order, request.information, request.matching())
    locked = state.locked_elsewhere(request.handle)
    for message in request.queue.messages.after(search_start(request)):
        if (
            criteria.admits(message)
            and unavailable_because(request, message, locked) is None
            and message.put_by is None
            and not must_have_expired(state, message)
            and not certainly_marked(request, message)
            and _certainly_whole(state, request, message, locked)
        ):
            yield message


def places_available(state: State, request: GetRequest) -> frozenset[Position]:
    """Return the places of all messages that the call could get.

    Where a call has found none all the same, as may be where their order is not defined (VIS-12), they are no arrivals.
    """
    return frozenset(message.position for message in available_messages(state, request))


def _certainly_whole(state: State, request: GetRequest, message: Message, locked: frozenset[Position]) -> bool:
    """Whether the options about complete groups and messages let this message be returned now."""

    def available(other: Message) -> bool:
        hidden = unavailable_because(request, other, locked) is not None or other.put_by is not None
        return not hidden and not must_have_expired(state, other)

    info, queue = request.information, request.queue.messages
    if request.asks(MQGMO.ALL_MSGS_AVAILABLE) and not (request.logical_order and info.unfinished):
        return group_is_complete(message, queue, available)
    if request.asks(MQGMO.COMPLETE_MSG):
        segments = segments_of(message, queue, available, one_type=True)
        return segments is not None and message == segments[0]
    if request.asks(MQGMO.ALL_SEGMENTS_AVAILABLE) and not (request.logical_order and info.in_logical_message):
        return segments_of(message, queue, available, one_type=False) is not None
    return True


def explain_absence(step: Step, request: GetRequest, message: Message) -> Iterator[str]:
    """Yield the rules for which a message on the queue is not returned by this call."""
    criteria, row = table_2(request.logical_order, request.information, request.matching())
    hidden = unavailable_because(request, message, step.state.locked_elsewhere(request.handle))
    if hidden is not None:
        yield hidden
        yield from why_hidden(step.state, request, message)
    if must_have_expired(step.state, message):
        yield "EXP-09"
    if request.under_cursor:
        yield from why_not_under_cursor(request)
    elif not criteria.admits(message):
        yield row
        yield from match_rules(request)
    elif message.position <= search_start(request):
        yield from ("BRW-05", *request.handle.grounds.cursor)


def search_start(request: GetRequest) -> Position:
    """Return the position behind which the search begins.

    Inside a group the next message may stand anywhere; the next group is sought behind the first message of the
    one before (LOG-21, AMB-64).
    """
    handle = request.handle
    if not request.asks(MQGMO.BROWSE_NEXT) or handle.cursor is None:
        return FRONT
    if request.logical_order:
        return FRONT if handle.browsing.unfinished else handle.browsing.start
    return handle.cursor


def _message_under_cursor(step: Step, request: GetRequest) -> Found | None:
    handle, cursor = request.handle, request.handle.cursor
    step.because(*handle.grounds.cursor, *(("LCK-06",) if handle.locked else ()))
    message = None if cursor is None else request.queue.messages.at(cursor)
    if message is None:
        step.because("CUR-04" if cursor is None else "CUR-05", *why_nothing_under_cursor(request))
        return None
    locked = step.state.locked_elsewhere(handle)
    hidden = unavailable_because(request, message, locked)
    if hidden is not None:
        further = why_hidden(step.state, request, message)
        step.because(hidden, *further, *why_nothing_under_cursor(request))
        return None
    if has_expired(step, message):
        discard(step, request.queue, message)
        step.because("EXP-28", *why_nothing_under_cursor(request), *rules_of_discard(request, message))
        return None
    marked = passed_over_as_marked(step, request, message)
    if marked and not step.choose("is a marked message under the cursor returned", (True, False), "MRK-14"):
        return None
    step.because(*(("CUR-01",) if request.browses else ("CUR-02", "CUR-14")), "CUR-03")
    if not request.browses and message.position in handle.locked:
        step.because("CUR-16")
    found = _as_wanted(step, request, message, locked)
    if found is None and request.asks(MQGMO.ALL_MSGS_AVAILABLE | MQGMO.ALL_SEGMENTS_AVAILABLE):
        regardless = _as_wanted(step, without_availability(request), message, locked)
        return step.choose("are groups and messages completed under the cursor", (regardless, None))
    return found


def _own_put_visible(step: Step, request: GetRequest, message: Message) -> bool:
    """Whether a message is visible although its own connection has not committed the put (VIS-02, VIS-05)."""
    if message.put_by is None:
        return True
    visible = request.in_unit_of_work(message)
    step.because(*(("VIS-05",) if request.browses else ()))
    return step.choose("does the putter see its uncommitted message", (visible, not visible), "VIS-02")
