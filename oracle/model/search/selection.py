"""The selection of the message of an MQGET: what is available, what is wanted, and the first that is both."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from functools import partial

from oracle.model.browsing.marks import certainly_marked, mark_may_lapse, passed_over_as_marked
from oracle.model.expiry import has_expired, may_have_expired, must_have_expired, note_scanned, pass_over
from oracle.model.groups.get_groups import Criteria, table_2
from oracle.model.groups.splitting import begins_there
from oracle.model.messages.logical_messages import (
    Found,
)
from oracle.model.messages.messages import FRONT, Message, Position
from oracle.model.messages.places import Key
from oracle.model.reports.discards import discard, orders_of_discard
from oracle.model.requests.get import GetRequest, without_availability
from oracle.model.search.first_sight import decide_outer_members
from oracle.model.search.get_rules import match_rules
from oracle.model.search.group_rules import rules_of_search
from oracle.model.search.mixed_segments import goes_on
from oracle.model.search.one_search import (
    Hidden,
    Search,
    decide_own_parts,
    decide_token,
    may_be_unseen,
    own_put_visible,
    unseen_from_outside,
)
from oracle.model.search.search_rules import (
    rules_of_discard,
    rules_of_logical_order,
    selection_rules,
    why_again,
    why_hidden,
    why_not_under_cursor,
    why_nothing_under_cursor,
    why_unlocked,
)
from oracle.model.search.wholeness import (
    as_wanted,
    certainly_whole,
    is_withheld,
    perhaps_whole,
    returned_together,
)
from oracle.model.state import State
from oracle.model.step import Step
from oracle.mqi.constants import MQGMO


def unavailable_because(request: GetRequest, locked: frozenset[Position], message: Message) -> str | None:
    """Return the rule that hides a message from this call, or None if it is available.

    `locked` are the positions that other handles have locked.

    A connection's own uncommitted put is not decided here: whether it is visible is open (VIS-02).
    """
    if message.put_by is not None and message.put_by != request.handle.conn:
        return "VIS-01"
    if message.got_by is not None:
        return "SYN-01"
    if locked and message.position in locked:
        return "LCK-01"
    return None


def _hiding(request: GetRequest, locked: frozenset[Position]) -> Hidden:
    return partial(unavailable_because, request, locked)


def nothing_available(state: State, request: GetRequest) -> bool:
    """Return whether no message on the queue could be returned to this handle, whatever the call selected."""
    locked = state.locked_elsewhere(request.handle)
    return all(
        unavailable_because(request, locked, message) is not None
        or message.put_by is not None
        or must_have_expired(state, message)
        for message in request.queue.messages
    )


def finds_nothing(state: State, request: GetRequest) -> bool:
    """Return whether a call's search may end in vain: by its selection, or if the physical order is open."""
    if request.asks(MQGMO.BROWSE_NEXT) and state.order_is_open(request.queue):
        return True
    return (
        nothing_available(state, request)
        or next(available_messages(state, request, whole=certainly_whole), None) is None
    )


def nothing_under_cursor(state: State, request: GetRequest) -> str | None:
    """Return the rule for which there may be no message under the cursor that could be retrieved.

    None if there is one.
    """
    cursor = request.handle.cursor
    message = None if cursor is None else request.queue.messages.at(cursor)
    if message is None:
        return "CUR-04" if cursor is None else "CUR-05"
    hidden = unavailable_because(request, state.locked_elsewhere(request.handle), message)
    if hidden is None and may_be_unseen(request, message):
        return "VIS-02"
    return "EXP-28" if hidden is None and may_have_expired(state, message) else hidden


def find_message(step: Step, request: GetRequest) -> Found | None:
    """Return the message that the call gets, or None; expired messages that it would have got are discarded."""
    if request.under_cursor:
        return _message_under_cursor(step, request)
    criteria, row = table_2(request.logical_order, request.information, request.matching())
    criteria = decide_token(step, request, criteria)
    decide_outer_members(step, request)
    step.because(row, *selection_rules(step.state, request), *rules_of_logical_order(request))
    step.because(*match_rules(request), *rules_of_search(step.state, request))
    locked = step.state.locked_elsewhere(request.handle)
    search = Search(_hiding(request, locked), locked)
    decide_own_parts(step, request, search)
    there = request.queue.messages
    for message in _in_order(step, request, criteria, search):
        if request.queue.messages is not there and request.queue.messages.at(message.position) is None:
            continue  # it was decided meanwhile, because of a report, that this one had been discarded
        if not criteria.admits(message):
            _scan(step, request, message, search)
            continue
        mortal = may_have_expired(step.state, message)
        visible = _is_visible(step, request, message, search, mortal=mortal)
        if not visible:
            _scan(step, request, message, search)
            continue
        if not goes_on(step, request, message, search):
            continue
        if criteria.offset is not None and not begins_there(step, request.queue, message):
            continue
        if request.withholds and is_withheld(step.state, request, message, search):
            as_wanted(step, request, message, search)
            pass_over(step, request.queue, message)
        elif _is_gone(step, request, message, search):
            continue
        elif not passed_over_as_marked(step, request, message):
            found = as_wanted(step, request, message, search)
            if found is not None and (mortal or own_put_visible(step, request, message, search)):
                step.because(*why_unlocked(step.state, request, message), *why_again(request, message))
                _note_the_rest(step, request, search, {segment.position for segment in found.segments})
                return found
    _note_the_rest(step, request, search)
    return None


def _scan(step: Step, request: GetRequest, message: Message, search: Search) -> None:
    """Note that a call has scanned a message that it does not get: one that it can see, or another handle's lock hides.

    An uncommitted message is none for it to discard (ZOS-01); of a locked one that has expired no document says it.
    """
    if search.hidden(message) in {None, "LCK-01"}:
        pass_over(step, request.queue, message)


def _note_the_rest(step: Step, request: GetRequest, search: Search, returned: Container[Position] = ()) -> None:
    """Note that on z/OS the call may have discarded any expired message that it sees, also behind its result (AMB-04).

    So it may before the cursor, and if it finds nothing. Elsewhere the queue manager may do so at any time.
    """
    if not request.zos:
        return
    for message in request.queue.messages.mortal():
        if message.position not in returned and search.hidden(message) in {None, "LCK-01"}:
            note_scanned(step, request.queue, message)


def _is_gone(step: Step, request: GetRequest, message: Message, search: Search) -> bool:
    """Return whether the message, or what the call would return together with it, has expired.

    It is discarded then (EXP-11). A logical message is looked for at the place of its first segment; it need not be
    discarded at another segment, nor need the others be discarded with the first (AMB-115).
    """
    parts = returned_together(step.state, request, message, search)
    expired = [message] if has_expired(step, message) else []
    if len(parts) > 1:
        others = [part for part in parts if part.position != message.position]
        expired += [part for part in others if must_have_expired(step.state, part)]
    if expired and (message.position != parts[0].position or _is_left(step, request, message)):
        pass_over(step, request.queue, message)
    elif expired and message not in expired:
        step.because("EXP-09", "EXP-25")
        for part in expired:
            pass_over(step, request.queue, part)
    elif expired:
        if len(expired) > 1 and step.choose("are later expired segments left", (False, True), "EXP-11"):
            for part in expired[1:]:
                pass_over(step, request.queue, part)
            expired = [message]
        for part in step.choose("in which order are expired messages discarded", orders_of_discard(expired)):
            if request.queue.messages.at(part.position) is None:
                continue  # it was decided, because of another's report, that this one had been discarded already
            discard(step, request.queue, part)
            step.because(*rules_of_discard(request, part))
    return bool(expired)


def _is_left(step: Step, request: GetRequest, message: Message) -> bool:
    """Return whether an expired message need not be discarded.

    Had it not expired, match options would not have fitted it (AMB-113), or its mark would have hidden it (AMB-95); or
    its put is not committed (AMB-96).
    """
    if request.logical_order and not request.under_cursor and not request.matching().admits(message):
        return step.choose("is an expired message left that match options do not fit", (False, True), "EXP-11")
    if certainly_marked(request, message):
        return step.choose("is an expired message left that was marked", (False, True), "MRK-06", "EXP-11")
    if message.put_by is not None:
        return step.choose("is one's own expired message left until its commit", (False, True), "EXP-11", "EXP-18")
    return False


def _in_order(step: Step, request: GetRequest, criteria: Criteria, search: Search) -> Iterable[Message]:
    """Return the messages in the order in which the search meets them."""
    ahead = _perhaps_wanted(request, criteria)
    if not _any_may_come_first(step.state, request):
        return ahead
    return _in_any_order(step, request, criteria, search, tuple(ahead))


def _any_may_come_first(state: State, request: GetRequest) -> bool:
    """Return whether the documents leave open which suitable message is the first (VIS-12).

    So they do for a browse in logical order that goes on where one in such a physical order was (Q-g).
    """
    changed = request.asks(MQGMO.BROWSE_NEXT) and request.handle.browse_orders - {True, None}
    return bool(not request.logical_order or changed) and state.order_is_open(request.queue)


def _perhaps_wanted(request: GetRequest, criteria: Criteria) -> Iterable[Message]:
    """Return the messages behind the beginning of the search, except some that it would skip without any effect."""
    key: Key | None = criteria.msg_id or criteria.correl_id or criteria.group_id
    if key is criteria.group_id is not None and criteria.msg_seq_number is not None:
        key = (criteria.group_id, criteria.msg_seq_number)
    return request.queue.messages.perhaps_with(key, search_start(request))


def _in_any_order(
    step: Step, request: GetRequest, criteria: Criteria, search: Search, ahead: tuple[Message, ...]
) -> Iterator[Message]:
    """Yield the messages where their order is not defined (VIS-12).

    Any suitable message may come first, and for a BROWSE_NEXT any may stand before the cursor, so that it may find
    none and wait. The search may have met any expired message before the one that it finds, and all if it finds none.
    """

    def suitable(messages: Iterable[Message]) -> list[Message]:
        return [message for message in messages if criteria.admits(message) and search.hidden(message) is None]

    def expired(message: Message) -> bool:
        return message.put_by is None and must_have_expired(step.state, message)

    everywhere = tuple(request.queue.messages)
    for message in filter(expired, everywhere):
        if search.hidden(message) is None:
            pass_over(step, request.queue, message)
    dead = suitable(filter(expired, everywhere))
    cursor = request.handle.cursor if request.asks(MQGMO.BROWSE_NEXT) else None
    plainly = [message for message in ahead if message not in dead]
    answers: list[Message | None] = [*suitable(plainly)]
    if cursor is not None:
        behind = [each for each in everywhere if each.position != cursor and each not in ahead and each not in dead]
        answers += [None, *suitable(behind)]
    first = None
    if len(answers) > 1:
        first = step.choose("which message comes first where the order is not defined", answers, "VIS-12")
    if first is not None or len(answers) < 2:
        yield from (*filter(None, (first,)), *(message for message in plainly if message != first))
    if cursor is None:
        yield from step.choose("in which order are expired messages discarded", orders_of_discard(dead))


def _is_visible(step: Step, request: GetRequest, message: Message, search: Search, *, mortal: bool) -> bool:
    """Return whether nothing hides the message from this call; what does is noted. `mortal`: it may have expired.

    It is decided here whether the putter sees the message only if it may be discarded, and otherwise when it would be
    returned, because each decision doubles the outcomes.
    """
    hidden = search.hidden(message)
    if hidden is not None:
        step.because(hidden, *why_hidden(step.state, request, message))
        return False
    return not mortal or own_put_visible(step, request, message, search)


def available_messages(
    state: State, request: GetRequest, *, whole: Callable[[State, GetRequest, Message, Hidden], bool]
) -> Iterator[Message]:
    """Yield the messages that the call could get, in its order, without changing anything.

    Messages that the connection has put and not committed are left out; those that may have expired are included. If
    the physical order is open, any message may stand behind the cursor (VIS-12). `whole` says which messages of
    groups and logical messages the call could get.
    """
    criteria, _ = table_2(request.logical_order, request.information, request.matching())
    locked = state.locked_elsewhere(request.handle)
    anywhere = _any_may_come_first(state, request)
    for message in request.queue.messages if anywhere else _perhaps_wanted(request, criteria):
        if (
            criteria.admits(message)
            and unavailable_because(request, locked, message) is None
            and message.put_by is None
            and not must_have_expired(state, message)
            and not certainly_marked(request, message)
            and whole(state, request, message, _hiding(request, locked))
        ):
            yield message


def places_passed_over(step: Step, request: GetRequest) -> frozenset[Position]:
    """Return the places of all messages that a call could get which found none of them.

    That may happen when their order is not defined (VIS-12). They are not arrivals, but a report is that the call's own
    discards have put there.
    """
    arrived = {each.message.position for each in step.arrived if each.queue == request.queue.name}
    there = available_messages(step.state, request, whole=perhaps_whole)
    return frozenset(message.position for message in there if message.position not in arrived)


def explain_absence(step: Step, request: GetRequest, message: Message) -> Iterator[str]:
    """Yield the rules for which a message on the queue is not returned by this call."""
    criteria, row = table_2(request.logical_order, request.information, request.matching())
    hidden = unavailable_because(request, step.state.locked_elsewhere(request.handle), message)
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
    elif certainly_marked(request, message) and not mark_may_lapse(step.state, message):
        yield "MRK-14" if message.position in request.handle.marked else "MRK-15"
    elif message.position <= search_start(request):
        yield from ("BRW-05", *request.handle.grounds.cursor)


def search_start(request: GetRequest) -> Position:
    """Return the position behind which the search begins.

    Inside a group the next message may be anywhere; the next group is looked for behind the first message of the one
    before (LOG-21, AMB-64).
    """
    handle = request.handle
    if not request.asks(MQGMO.BROWSE_NEXT) or handle.cursor is None:
        return FRONT
    if request.logical_order:
        return FRONT if handle.browsing.unfinished else handle.browsing.start
    return handle.passed or FRONT


def _message_under_cursor(step: Step, request: GetRequest) -> Found | None:
    handle, cursor = request.handle, request.handle.cursor
    step.because(*handle.grounds.cursor)
    if handle.locked:
        step.because("LCK-06")
    message = None if cursor is None else request.queue.messages.at(cursor)
    if message is None:
        step.because("CUR-04" if cursor is None else "CUR-05", *why_nothing_under_cursor(request))
        return None
    locked = step.state.locked_elsewhere(handle)
    hidden = unavailable_because(request, locked, message) or unseen_from_outside(step, request, message)
    if hidden is not None:
        further = why_hidden(step.state, request, message)
        step.because(hidden, *further, *why_nothing_under_cursor(request))
        return None
    search = Search(_hiding(request, locked), locked)
    decide_own_parts(step, request, search)
    if _is_gone(step, request, message, search):
        step.because("EXP-28", *why_nothing_under_cursor(request))
        return None
    marked = passed_over_as_marked(step, request, message)
    if marked and not step.choose("is a marked message under the cursor returned", (True, False), "MRK-14"):
        return None
    if request.browses:
        step.because("CUR-01", "CUR-03")
    else:
        step.because("CUR-02", "CUR-14", "CUR-03")
        if message.position in handle.locked:
            step.because("CUR-16")
    found = as_wanted(step, request, message, search)
    if found is None and request.asks(MQGMO.ALL_MSGS_AVAILABLE | MQGMO.ALL_SEGMENTS_AVAILABLE):
        regardless = as_wanted(step, without_availability(request), message, Search(search.hidden, locked))
        return step.choose("are groups and messages completed under the cursor", (regardless, None))
    return found or _message_of_later_segment(step, request, message, search)


def _message_of_later_segment(step: Step, request: GetRequest, message: Message, search: Search) -> Found | None:
    """Return the logical message of a segment under the cursor that is not its first, or None.

    z/OS need not refuse COMPLETE_MSG for it (CUR-12); what it returns then is open (AMB-110).
    """
    if not request.zos or message.descriptor.offset == 0 or not request.asks(MQGMO.COMPLETE_MSG):
        return None
    first = returned_together(step.state, request, message, search)[0]
    if first.position == message.position:
        return None
    whole = as_wanted(step, request, first, Search(search.hidden, search.locked))
    return step.choose("is a later segment under the cursor completed", (None, whole), "CUR-12")
