"""Explanations of a get that returned another message than it must, or none.

The sentence says which message came back although something hides it, or which one did not although nothing hides it,
and which earlier call caused that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from oracle.judging import own_messages
from oracle.judging.case import Case
from oracle.judging.compare import key_of
from oracle.judging.finding import Finding
from oracle.judging.lacking_parts import of_lacking_parts
from oracle.judging.message_names import MessageNames
from oracle.judging.needless import NOTHING_FOUND
from oracle.judging.timeline import TrailStep, last_change, rules_of_change, rules_of_step, verb_at
from oracle.model.browsing.marks import is_marked, mark_may_lapse
from oracle.model.expiry import expires_at_ms
from oracle.model.get.notes import rules_of_order
from oracle.model.messages.logical_messages import is_in_group, is_segment
from oracle.model.messages.messages import Message, MessageKey
from oracle.model.requests.get import GetRequest, request_of
from oracle.model.search.search_rules import selection_rules
from oracle.model.search.selection import explain_absence
from oracle.model.state import State
from oracle.model.step import Outcome, Step
from oracle.mqi.calls import Back, Call, Commit, Disconnect, Fail, Get, Put, Put1
from oracle.mqi.constants import MQCC, MQGMO, MQMT
from oracle.protocol.replies import ObservedReply

_ENDS_OF_UNITS: Final = (Commit, Back, Disconnect, Fail)

_OF_OTHER_THINGS: Final = ("VIS-07", "DEP-04", "UOW-02", "UOW-04", "UOW-05", "UOW-08", "PTB-24", "CON-08")
"""The rules by which a unit of work ends for other things than a message that was put or got in it."""

_WHOLE: Final = ((MQGMO.COMPLETE_MSG, is_segment, "CMP-01"), (MQGMO.ALL_MSGS_AVAILABLE, is_in_group, "AMA-01"))
"""The rules that say what is whole, for the options that ask for it and what of it is due."""

_WITHHOLDING: Final = (
    *(f"AMA-0{number}" for number in (1, 2, 4, 5, 8)),
    *(f"ASA-0{number}" for number in (1, 2, 4, 5, 6)),
    "CMP-05",
)
"""The rules that withhold what is not whole, and those that say of which calls they do."""

_MARKED_ALREADY: Final = "MRK-09"
"""The rule by which a browse that marks for a cooperating set fails on a message that bears its mark."""

_MARKS_OF_OTHERS: Final = "MRK-15"
"""The rule by which the marks of a cooperating set hide messages from its handles only."""

_MARKS_FOR_ITS_HANDLE: Final = "MRK-01"
"""The rule by which a mark of a handle is for that handle."""

_CAPPED: Final = "CAP"
"""The area of the rules that lower the Expiry of a put."""

_NOTHING_MISSED: Final = "DLV-05"
"""The rule by which a get finds nothing only if nothing suits it."""

_OUTSIDE_GROUPS: Final = "LOG-04"
"""The rule by which a call in logical order finds messages that are in no group."""

_FIRST_NEXT: Final = "BRW-06"
"""The rule by which a first BROWSE_NEXT begins at the front, as BROWSE_FIRST does."""

_PLACE_OF_PUT: Final = "VIS-03"
"""The rule by which a commit leaves a message at the place of its put, among those of its priority."""

_SKIPS_UNCOMMITTED: Final = "VIS-05"
"""The rule by which a browse skips uncommitted messages."""

_HIDES_PUTS: Final = "VIS-01"
"""The rule by which a put that is uncommitted is hidden."""

_OF_REPORTS: Final = "RPM-03"
"""The rule by which a report about a put or get is in its unit of work."""

_NO_OTHER: Final = "LOG-20"
"""The rule by which a get in logical order does not pass over the next message of its group."""

_LIVES: Final = "EXP-02"
"""The rule by which a message lives for the time that its Expiry says."""

_CAPPED_AT_PUT: Final = "CAP-04"
"""The rule by which a cap counts for the puts that come after it."""

_BACK_AGAIN: Final = "SYN-03"
"""The rule by which a backout makes what was got under syncpoint available again."""

_TO_ITS_PLACE: Final = "VIS-04"
"""The rule by which a backed-out get returns its message to its old position."""

_NOT_COMPLETED: Final = "TRN-04"
"""The rule by which a get of a message that does not fit leaves everything unchanged."""


def of_message(case: Case) -> Finding | None:
    """Explain a get that returned a message it must not, or missed one that it must."""
    call, observed, nearest, state = case.call, case.observed, case.nearest, case.state
    if not isinstance(call, Get) or observed.pending:
        return None
    handle = state.handles.get((call.conn, call.hobj))
    if handle is None or handle.queue_deleted:
        return None
    key = key_of(observed) if observed.comp_code != MQCC.FAILED else None
    expected = nearest.reply.descriptor
    wanted = None if expected is None else MessageKey.of(expected)
    if key is None:
        if observed.reason in NOTHING_FOUND and wanted is not None:
            return _missed(call, wanted, case.timeline, case.names)
        return None
    if key != wanted:
        return _wrong_message(case, call)
    request = request_of(state, call)
    other = _with_same_key(request, nearest, observed)
    return None if other is None else _out_of_order(case, request, other)


def _with_same_key(request: GetRequest, nearest: Outcome, observed: ObservedReply) -> Message | None:
    """Return the message that was returned in the place of another which has the same key, as far as is known.

    An expected message that nobody has seen before gets the MsgId of the reply, which may be that of another one. And
    an application may put several messages with one MsgId, which their data tell apart.
    """
    if own_messages.differs(nearest.reply, observed):
        own = own_messages.alike(request.queue, observed)
        if own is not None:
            return own
    data = observed.members.get("data")
    if not data or data == nearest.reply.data:
        return None
    alike = [each for each in request.queue.messages if each.key == key_of(observed)]
    return next((each for each in alike if each.data == data), None) if len(alike) > 1 else None


def _wrong_message(case: Case, call: Get) -> Finding:
    """Explain a get that returned another message than the one that it must; `call` is that get."""
    observed, nearest, state, key = case.observed, case.nearest, case.state, key_of(case.observed)
    request = request_of(state, call)
    message = (None if key is None else _find(request, key)) or own_messages.alike(request.queue, observed)
    if message is None:
        return _of_no_message(call, observed, case.timeline, case.names)
    name, kept = _named(message, case.names), _kept_in_order(request, message)
    ended = Finding(f"MQGET returned {name}, but must have ended {nearest.reply}", nearest.rules, kept=kept)
    if nearest.reply.failed and nearest.reply.reason not in NOTHING_FOUND:
        return ended
    hidden = tuple(explain_absence(Step(state.copy()), request, message))
    if hidden:
        made = rules_of_change(case.timeline, lambda earlier: _hidden(earlier, call, message.key))
        sentence = f"MQGET returned {name}, which this call must not return"
        sure = _of_uncommitted_report(message, hidden)
        kept = (*kept, _HIDES_PUTS) if sure else kept
        capped = (entry for entry in message.notes.behind.get("MQMD.Expiry", ()) if entry.startswith(_CAPPED))
        return Finding(sentence, (*hidden, *capped), (*restored(call, case.timeline), *made), sure=sure, kept=kept)
    lacking = of_lacking_parts(state, request, message) if nearest.reply.failed else ()
    if lacking:
        sentence = f"MQGET returned {name}, of whose whole a part is not available"
        return Finding(sentence, (*lacking, *nearest.rules), sure=lacking, kept=(*kept, *_WITHHOLDING))
    marked = message.co_op_marked_ms is not None and not mark_may_lapse(state, message)
    if marked and request.asks(MQGMO.MARK_BROWSE_CO_OP) and not request.asks(MQGMO.UNMARK_BROWSE_CO_OP):
        return Finding(f"MQGET returned {name}, which its cooperating set has marked", sure=(_MARKED_ALREADY,))
    return _out_of_order(case, request, message) or ended


def _of_uncommitted_report(message: Message, hidden: Sequence[str]) -> tuple[str, ...]:
    """Return the rule by which a report is in a unit of work, if it is hidden as a part of one."""
    report = own_messages.is_own(message) and message.descriptor.msg_type == MQMT.REPORT
    return (_OF_REPORTS,) if report and _HIDES_PUTS in hidden else ()


def _kept_in_order(request: GetRequest, message: Message) -> tuple[str, ...]:
    """Return the rule by which a get waits for the next message of its group, if just that was returned."""
    info, md = request.information, message.descriptor
    if not request.logical_order or not info.unfinished or md.group_id != info.group_id:
        return ()
    due = (info.msg_seq_number, info.next_offset) if info.in_logical_message else (info.msg_seq_number + 1, 0)
    return (_NO_OTHER,) if (md.msg_seq_number, md.offset) == due else ()


def _out_of_order(case: Case, request: GetRequest, message: Message) -> Finding | None:
    """Explain a returned message before which another comes; None if there is no other."""
    state, names, expected = case.state, case.names, case.nearest.reply.descriptor
    if expected is None:
        return None
    first, *others = *selection_rules(state, request), *rules_of_order(state, request.queue, message)
    due = _find(request, MessageKey.of(expected))
    by_place = request.asks(MQGMO.BROWSE_NEXT) and due is not None and due.rank == message.rank
    sure: tuple[str, ...] = () if by_place else (first,)
    kept = () if by_place else (_FIRST_NEXT,)
    if due is not None and due.rank != message.rank:
        kept = (*kept, _PLACE_OF_PUT)
    if due is not None and due.put_by is not None:
        kept = (*kept, _SKIPS_UNCOMMITTED)
    if due is not None and _outlives_cap(request, due, state.now_ms):
        sure = (_CAPPED_AT_PUT,)
    elif of_others := _marked_by_others(request, due, state):
        sure = of_others
    elif due is not None and due.rank == message.rank:
        sure = _of_backout(case, request, due, message) or sure
    before = own_messages.in_words(expected, names) if due is None else _named(due, names)
    sentence = f"MQGET returned {_named(message, names)}, but {before} comes before it"
    if due is not None and due.key == message.key:
        sentence = f"MQGET returned the wrong one of the messages with one MsgId, {names.of(message.key)}"
    return Finding(sentence, tuple(dict.fromkeys((*sure, *others))), sure=sure, kept=kept)


def _of_backout(case: Case, request: GetRequest, due: Message, message: Message) -> tuple[str, ...]:
    """Return the rule by which a backout made a message available that a get passed over, if none has read it since.

    Of messages of one priority it is likelier that the one is not there than that it has another place, unless the
    same backout has made the returned one available.
    """
    number, other = (_last_hidden(case, request, each) for each in (due, message))
    if number is None or not isinstance(case.timeline[number][0], Back) or not isinstance(case.call, Get):
        return ()
    if _read_since(case.timeline, number, case.call) or _BACK_AGAIN not in rules_of_step(case.timeline, number):
        return ()
    return (_TO_ITS_PLACE,) if number == other else (_BACK_AGAIN,)


def _last_hidden(case: Case, request: GetRequest, message: Message) -> int | None:
    """Return the number of the step that last changed which units of work hold a message."""
    return last_change(case.timeline, lambda earlier: _hidden_at(earlier, request.queue.name, message))


def _hidden_at(state: State, queue: str, message: Message) -> object:
    """Return the units of work that hold the message at a place; nothing if it is not there."""
    there = None if queue not in state.queues else state.queues[queue].messages.at(message.position)
    return None if there is None else (there.put_by, there.got_by)


def _named(message: Message, names: MessageNames) -> str:
    own = own_messages.is_own(message)
    return own_messages.in_words(message.descriptor, names) if own else f"message {names.of(message.key)}"


def _of_no_message(call: Get, observed: ObservedReply, timeline: Sequence[TrailStep], names: MessageNames) -> Finding:
    """Explain a returned message that is not on the queue: it is no longer there, or never was."""
    key = key_of(observed)
    gone = last_change(timeline, lambda earlier: _is_there(earlier, call, key))
    removed = rules_of_change(timeline, lambda earlier: _is_there(earlier, call, key))
    name = "a message" if key is None else f"message {names.of(key)}"
    if removed:
        sentence = f"MQGET returned {name}, which was no longer on the queue"
        return Finding(sentence, ("DLV-02",), removed, cause=verb_at(timeline, gone))
    undue = own_messages.undue(observed, timeline, names)
    return undue or Finding(f"MQGET returned {name}, which was never on the queue", ("DLV-01",), sure=("DLV-01",))


def _missed(call: Get, key: MessageKey, timeline: Sequence[TrailStep], names: MessageNames) -> Finding:
    state = timeline[-1][1]
    request = request_of(state, call)
    number = last_change(timeline, lambda earlier: _hidden(earlier, call, key))
    own = _of_its_own(request, key)
    if own is not None and (own.msg_id_is_open or not _read_since(timeline, number, call)):
        return own_messages.not_made(own, timeline, names)
    of_others = _marked_by_others(request, _find(request, key), state)
    if of_others:
        sentence = f"MQGET found nothing although message {names.of(key)}, which others have marked, is available to it"
        return Finding(sentence, sure=of_others)
    untouched = number is None or isinstance(timeline[number][0], (Put, Put1))
    plain = untouched and not _got_since(timeline, number)
    sure = _left_there(timeline, number) or ((_not_hidden(request, key, state.now_ms),) if plain else ())
    ended = number == len(timeline) - 2 and isinstance(timeline[number][0], _ENDS_OF_UNITS)
    said = tuple(entry for entry in rules_of_step(timeline, number) if entry not in _OF_OTHER_THINGS) if ended else sure
    sentence = f"MQGET found nothing although message {names.of(key)} is available to it"
    made = rules_of_change(timeline, lambda earlier: _hidden(earlier, call, key))
    effects = (*restored(call, timeline), *made, _NOTHING_MISSED, "DLV-03")
    return Finding(sentence, said, effects, sure, verb_at(timeline, number))


def _not_hidden(request: GetRequest, key: MessageKey, now_ms: int) -> str:
    """Return the rule by which a message that no call has touched since its put must be found.

    The call may ask for what is whole, and this may be so. The message may be one that expires, and have time left.
    """
    message = _find(request, key)
    if message is None:
        return _NOTHING_MISSED
    for option, applies, entry in _WHOLE:
        if request.asks(option) and applies(message):
            return entry
    if _outlives_cap(request, message, now_ms):
        return _CAPPED_AT_PUT
    if request.logical_order and not (is_in_group(message) or is_segment(message)):
        return _OUTSIDE_GROUPS
    ages = expires_at_ms(message) is not None and now_ms > message.put_ms
    return _LIVES if ages else _NOTHING_MISSED


def _outlives_cap(request: GetRequest, message: Message, now_ms: int) -> bool:
    """Return whether a message would have expired if the present CAPEXPRY of its queue counted for it."""
    cap, end = request.queue.definition.cap_expiry, expires_at_ms(message)
    return bool(cap) and message.put_ms + cap * 100 <= now_ms and (end is None or end > now_ms)


def _left_there(timeline: Sequence[TrailStep], number: int | None) -> tuple[str, ...]:
    """Return the rule by which a get after a step, or one that waited, left a message there that did not fit."""
    since = timeline[0 if number is None else number : -1]
    return (_NOT_COMPLETED,) if any(_NOT_COMPLETED in rules for _, _, rules in since) else ()


def _got_since(timeline: Sequence[TrailStep], number: int | None) -> bool:
    """Return whether another get came after a step, or ever: a message that is missed now may have been lost by it."""
    return any(isinstance(call, Get) for call, _, _ in timeline[0 if number is None else number : -1])


def _read_since(timeline: Sequence[TrailStep], number: int | None, call: Get) -> bool:
    """Return whether another get read the queue of this one after a step, or ever."""
    since = timeline[0 if number is None else number + 1 : -1]
    return any(
        isinstance(other, Get) and _queue_of(state, other) == _queue_of(state, call) for other, state, _ in since
    )


def _queue_of(state: State, call: Get) -> str | None:
    handle = state.handles.get((call.conn, call.hobj))
    return None if handle is None else handle.queue


def restored(call: Call, timeline: Sequence[TrailStep]) -> tuple[str, ...]:
    """Return the rule by which backout restored the group information that a call uses, if it did."""
    if isinstance(call, Get) and call.options.options & MQGMO.LOGICAL_ORDER:
        number = last_change(timeline, lambda state: state.handles[call.conn, call.hobj].removing)
        rule_of_kind = "UOW-05"
    elif isinstance(call, Put):
        number = last_change(timeline, lambda state: state.handles[call.conn, call.hobj].putting)
        rule_of_kind = "PTB-24"
    else:
        return ()
    return (rule_of_kind,) if number is not None and isinstance(timeline[number][0], Back) else ()


def _hidden(state: State, call: Get, key: MessageKey) -> object:
    """Return what may hide a message from the call, also before its handle was open."""
    for queue in state.queues.values():
        for message in queue.messages:
            if message.key == key and not message.msg_id_is_open:
                lockers = (handle for handle in state.handles_of(queue.name) if handle.key != (call.conn, call.hobj))
                locked = any(message.position in handle.locked for handle in lockers)
                marked = call.options.options & MQGMO.UNMARKED_BROWSE_MSG and is_marked(state, queue, message)
                return message.put_by, message.got_by, locked, bool(marked)
    return "absent"


def _find(request: GetRequest, key: MessageKey) -> Message | None:
    return next((each for each in request.queue.messages if each.key == key and not each.msg_id_is_open), None)


def _is_there(state: State, call: Get, key: MessageKey | None) -> bool:
    return key is not None and _find(request_of(state, call), key) is not None


def _marked_by_others(request: GetRequest, message: Message | None, state: State) -> tuple[str, ...]:
    """Return the rule by which a browse of unmarked messages must find one with a mark that counts for others only."""
    if message is None or not request.asks(MQGMO.UNMARKED_BROWSE_MSG):
        return ()
    if message.co_op_marked_ms is not None and not request.handle.in_cooperating_set:
        return (_MARKS_OF_OTHERS,)
    elsewhere = any(message.position in other.marked for other in state.others_of(request.handle))
    return (_MARKS_FOR_ITS_HANDLE,) if elsewhere else ()


def _of_its_own(request: GetRequest, key: MessageKey) -> Message | None:
    """Return the report or other message with this key that the queue manager made itself, if there is one."""
    return next((each for each in request.queue.messages if each.key == key and own_messages.is_own(each)), None)
