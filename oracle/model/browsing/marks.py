"""Browsing with marks: a handle's own marks, those of the cooperating set, and every way in which they end."""

from __future__ import annotations

from oracle.model.handles import Handle
from oracle.model.messages.messages import Message
from oracle.model.requests.get import GetRequest
from oracle.model.state import Queue, State
from oracle.model.step import Step
from oracle.mqi.constants import MQGMO
from oracle.values import replace

_CHANGES = MQGMO.MARK_BROWSE_HANDLE | MQGMO.MARK_BROWSE_CO_OP | MQGMO.UNMARK_BROWSE_HANDLE | MQGMO.UNMARK_BROWSE_CO_OP


def changes_co_op_marks(request: GetRequest) -> bool:
    """Return whether a call sets or clears the mark of the cooperating set."""
    return request.asks(MQGMO.MARK_BROWSE_CO_OP | MQGMO.UNMARK_BROWSE_CO_OP)


def passed_over_as_marked(step: Step, request: GetRequest, message: Message) -> bool:
    """Return whether UNMARKED_BROWSE_MSG passes over this message.

    A handle's own marks always count (MRK-14), those of the cooperating set only on its handles (MRK-15). The documents
    do not say what the option does on a call that does not browse (AMB-16).
    """
    if not request.asks(MQGMO.UNMARKED_BROWSE_MSG):
        if message.position in request.handle.marked or message.co_op_marked_ms is not None:
            step.because("MRK-21")
        return False
    if not request.browses and not step.choose("does UNMARKED_BROWSE_MSG act on a removal", (False, True)):
        return False
    if message.position in request.handle.marked:
        step.because("MRK-14")
        return True
    if request.handle.in_cooperating_set and is_co_op_marked(step, message):
        step.because("MRK-15")
        return True
    if message.co_op_marked_ms is not None and not request.handle.in_cooperating_set:
        step.because("MRK-15")
    return False


def certainly_marked(request: GetRequest, message: Message) -> bool:
    """Return whether UNMARKED_BROWSE_MSG skips this message, if a mark that may have lapsed counts as standing."""
    if not request.asks(MQGMO.UNMARKED_BROWSE_MSG) or not request.browses:
        return False
    co_op = request.handle.in_cooperating_set and message.co_op_marked_ms is not None
    return co_op or message.position in request.handle.marked


def is_co_op_marked(step: Step, message: Message) -> bool:
    """Return whether a message is marked for the cooperating set: the queue manager may drop an old mark (MRK-12)."""
    if message.co_op_marked_ms is None:
        return False
    if not mark_may_lapse(step.state, message):
        if step.state.now_ms > message.co_op_marked_ms:
            step.because("MRK-12")
        return True
    return step.choose("does the cooperative mark still stand", (True, False), "MRK-12")


def mark_may_lapse(state: State, message: Message) -> bool:
    """Return whether the mark is old enough for the queue manager to drop it."""
    moment = may_lapse_ms(state, message)
    return moment is not None and state.now_ms >= moment


def may_lapse_ms(state: State, message: Message) -> int | None:
    """Return the time from which the queue manager may drop a message's mark: MarkBrowseInterval after it was set."""
    interval, since = state.definition.mark_browse_interval, message.co_op_marked_ms
    return None if since is None or interval < 0 else since + interval


def set_marks(step: Step, request: GetRequest, message: Message) -> Message:
    """Set and clear the marks that a browse asks for, and return the message as it is then."""
    handle, queue = request.handle, request.queue
    if request.asks(MQGMO.UNMARK_BROWSE_HANDLE):
        step.because("MRK-04" if message.position in handle.marked else "MRK-19", "MRK-18", "MRK-08")
        handle.marked -= {message.position}
    if request.asks(MQGMO.MARK_BROWSE_HANDLE) and _stays_marked(step, request):
        step.because("MRK-01", "MRK-02")
        handle.marked |= {message.position}
    if request.asks(MQGMO.UNMARK_BROWSE_CO_OP):
        step.because("MRK-17" if message.co_op_marked_ms is None else "MRK-11", "MRK-16", "MRK-08")
        message = _with_co_op_mark(queue, message, None)
    if request.asks(MQGMO.MARK_BROWSE_CO_OP):
        step.because("MRK-07", "MRK-08", "MRK-02")
        message = _with_co_op_mark(queue, message, step.state.now_ms)
    return message


def _stays_marked(step: Step, request: GetRequest) -> bool:
    """Return whether the mark stands after a call that sets it; that is open if the call clears it as well (AMB-15)."""
    if not request.asks(MQGMO.UNMARK_BROWSE_HANDLE):
        return True
    return step.choose("does the mark stand after a call that sets and clears it", (True, False), "OPT-04")


def clear_marks(step: Step, queue: Queue, message: Message) -> Message:
    """End every mark of a message that is got destructively, even if the get is backed out (MRK-05, MRK-13)."""
    for handle in step.state.handles.values():
        there = handle.marked and handle.queue == queue.name and not handle.queue_deleted
        if there and message.position in handle.marked:
            handle.marked -= {message.position}
            step.because("MRK-05")
    if message.co_op_marked_ms is None:
        return message
    step.because("MRK-13")
    return _with_co_op_mark(queue, message, None)


def marks_when_nothing_found(step: Step, request: GetRequest) -> None:
    """Leave all marks as they are after a call that found no message (MRK-20)."""
    if request.asks(_CHANGES):
        step.because("MRK-20")


def marks_when_truncated(step: Step, request: GetRequest, message: Message) -> None:
    """Decide what a get that ended with MQRC_TRUNCATED_MSG_FAILED does to marks, which no document says (AMB-35)."""
    if request.browses:
        if request.asks(_CHANGES) and step.choose("are marks changed after 2080", (False, True), "MRK-20"):
            set_marks(step, request, message)
        return
    if is_marked(step.state, request.queue, message) and step.choose(
        "are marks changed after 2080", (False, True), "MRK-05", "MRK-13"
    ):
        clear_marks(step, request.queue, message)


def is_marked(state: State, queue: Queue, message: Message) -> bool:
    """Return whether a message bears any mark, of a handle or of the cooperating set."""
    by_handle = any(message.position in handle.marked for handle in state.handles_of(queue.name))
    return by_handle or message.co_op_marked_ms is not None


def rules_of_expired_marks(step: Step, queue: Queue, message: Message) -> tuple[str, ...]:
    """Return the rule by which the marks of an expired message end with it (MRK-06)."""
    return ("MRK-06",) if is_marked(step.state, queue, message) else ()


def end_marks_of(step: Step, handle: Handle) -> None:
    """End the cooperative marks of a queue when the last handle of its cooperating set closes (MRK-03, MRK-10)."""
    if handle.marked:
        step.because("MRK-03")
    queue = step.state.queues[handle.queue]
    marked = [message for message in queue.messages if message.co_op_marked_ms is not None]
    if not handle.in_cooperating_set or not marked:
        return
    step.because("MRK-10")
    if not any(step.state.cooperating(handle.queue)):
        for message in marked:
            _with_co_op_mark(queue, message, None)


def _with_co_op_mark(queue: Queue, message: Message, since_ms: int | None) -> Message:
    message = replace(message, co_op_marked_ms=since_ms)
    queue.messages = queue.messages.having(message)
    return message
