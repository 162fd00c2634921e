"""Explanations of a get that returned another message than it must, or none.

The sentence says which message came back although something hides it, or which one did not although nothing hides it,
and which earlier call caused that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from oracle.judging.compare import key_of
from oracle.judging.message_names import MessageNames
from oracle.judging.needless import NOTHING_FOUND
from oracle.judging.timeline import TrailStep, last_change, rules_of_change, rules_of_step, verb_at
from oracle.model.browsing.marks import is_marked
from oracle.model.get.notes import rules_of_order
from oracle.model.messages.made import Made
from oracle.model.messages.messages import Message, MessageKey
from oracle.model.requests.get import GetRequest, request_of
from oracle.model.search.search_rules import selection_rules
from oracle.model.search.selection import explain_absence
from oracle.model.state import State
from oracle.model.step import Outcome, Step
from oracle.mqi.calls import Back, Call, Commit, Disconnect, Fail, Get, Put, Put1
from oracle.mqi.constants import MQCC, MQGMO
from oracle.protocol.replies import ObservedReply
from oracle.rules.catalogue import rule

_ENDS_OF_UNITS: Final = (Commit, Back, Disconnect, Fail)

_OF_OTHER_THINGS: Final = ("VIS-07", "DEP-04", "UOW-02", "UOW-05", "UOW-08", "PTB-24", "CON-08")
"""The rules by which a unit of work ends for other things than a message that was got in it."""

_NOT_COMPLETED: Final = "TRN-04"
"""The rule by which a get of a message that does not fit leaves everything unchanged."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with a reply, and the earlier call that caused it."""

    sentence: str
    """It in words, without a full stop."""
    said: tuple[str, ...] = ()
    """The rules that the sentence states."""
    effects: tuple[str, ...] = ()
    """The rules of the earlier call."""
    sure: tuple[str, ...] = ()
    """The stated rule that is broken in any case. Empty if there is none."""
    cause: str = ""
    """The verb of the earlier call. Empty if none is known."""


def of_message(
    call: Call, observed: ObservedReply, nearest: Outcome, timeline: Sequence[TrailStep], names: MessageNames
) -> Finding | None:
    """Explain a get that returned a message it must not, or missed one that it must."""
    state = timeline[-1][1]
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
            return _missed(call, wanted, timeline, names)
        return None
    return None if key == wanted else _wrong_message(call, key, nearest, timeline, names)


def _wrong_message(
    call: Get, key: MessageKey, nearest: Outcome, timeline: Sequence[TrailStep], names: MessageNames
) -> Finding:
    state = timeline[-1][1]
    request = request_of(state, call)
    name = f"message {names.of(key)}"
    message = _find(request, key)
    if message is None:
        gone = last_change(timeline, lambda earlier: _find(request_of(earlier, call), key) is not None)
        removed = rules_of_change(timeline, lambda earlier: _find(request_of(earlier, call), key) is not None)
        if removed:
            sentence = f"MQGET returned {name}, which was no longer on the queue"
            return Finding(sentence, ("DLV-02",), removed, cause=verb_at(timeline, gone))
        return Finding(f"MQGET returned {name}, which was never on the queue", ("DLV-01",), sure=("DLV-01",))
    ended = Finding(f"MQGET returned {name}, but must have ended {nearest.reply}", nearest.rules)
    if nearest.reply.failed and nearest.reply.reason not in NOTHING_FOUND:
        return ended
    hidden = tuple(explain_absence(Step(state.copy()), request, message))
    if hidden:
        made = rules_of_change(timeline, lambda earlier: _hidden(earlier, call, key))
        sentence = f"MQGET returned {name}, which this call must not return"
        return Finding(sentence, hidden, (*restored(call, timeline), *made))
    if nearest.reply.descriptor is None:
        return ended
    first, *others = *selection_rules(state, request), *rules_of_order(state, request.queue, message)
    due = _find(request, MessageKey.of(nearest.reply.descriptor))
    by_place = request.asks(MQGMO.BROWSE_NEXT) and due is not None and due.rank == message.rank
    sure = () if by_place else (first,)
    sentence = f"MQGET returned {name}, but message {names.of(MessageKey.of(nearest.reply.descriptor))} comes before it"
    return Finding(sentence, (*sure, *others), sure=sure)


def _missed(call: Get, key: MessageKey, timeline: Sequence[TrailStep], names: MessageNames) -> Finding:
    made_unseen = next(_unseen(request_of(timeline[-1][1], call), key), None)
    if made_unseen is not None and made_unseen.made is not None:
        return not_made(made_unseen, made_unseen.made, timeline)
    number = last_change(timeline, lambda earlier: _hidden(earlier, call, key))
    made, nothing_missed = rules_of_change(timeline, lambda earlier: _hidden(earlier, call, key)), "DLV-05"
    untouched = number is None or isinstance(timeline[number][0], (Put, Put1))
    sure = (nothing_missed,) if untouched and not _got_since(timeline, number) else _left_there(timeline, number)
    ended = number == len(timeline) - 2 and isinstance(timeline[number][0], _ENDS_OF_UNITS)
    said = tuple(entry for entry in rules_of_step(timeline, number) if entry not in _OF_OTHER_THINGS) if ended else sure
    sentence = f"MQGET found nothing although message {names.of(key)} is available to it"
    effects = (*restored(call, timeline), *made, nothing_missed, "DLV-03")
    return Finding(sentence, said, effects, sure, verb_at(timeline, number))


def not_made(message: Message, made: Made, timeline: Sequence[TrailStep]) -> Finding:
    """Explain that a get missed a message that nobody has seen: the queue manager probably did not make it."""
    number = last_change(timeline, lambda earlier: _has_come(earlier, message))
    verb = verb_at(timeline, number)
    areas = {rule(entry).area for entry in made.rules}
    demanding = tuple(
        entry for entry in rules_of_step(timeline, number) if rule(entry).area in areas and entry not in made.rules
    )
    after = f" by {verb}" if verb else ""
    sentence = f"MQGET found nothing although the queue manager must have put a message of its own there{after}"
    return Finding(sentence, demanding, (*rules_of_step(timeline, number), "DLV-05", "DLV-03"), demanding[:1], verb)


def _has_come(state: State, message: Message) -> bool:
    return any(each.position == message.position for queue in state.queues.values() for each in queue.messages)


def _left_there(timeline: Sequence[TrailStep], number: int | None) -> tuple[str, ...]:
    """Return the rule by which a get after a step left a message there that did not fit, if there was one."""
    since = timeline[0 if number is None else number : -1]
    return (
        (_NOT_COMPLETED,) if any(isinstance(call, Get) and _NOT_COMPLETED in rules for call, _, rules in since) else ()
    )


def _got_since(timeline: Sequence[TrailStep], number: int | None) -> bool:
    """Return whether another get came after a step, or ever: a message that is missed now may have been lost by it."""
    return any(isinstance(call, Get) for call, _, _ in timeline[0 if number is None else number : -1])


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
    return next(_matching(request, key), None)


def _unseen(request: GetRequest, key: MessageKey) -> Iterator[Message]:
    """Yield the reports and other messages of the queue manager's own whose MsgId nobody has seen."""
    for message in request.queue.messages:
        if message.key == key and message.msg_id_is_open and message.made is not None and message.made.piece is None:
            yield message


def _matching(request: GetRequest, key: MessageKey) -> Iterator[Message]:
    for message in request.queue.messages:
        if message.key == key and not message.msg_id_is_open:
            yield message
