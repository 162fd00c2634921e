"""The rules that bear on a message that MQGET returns because of how it was put and where it stands."""

from __future__ import annotations

from collections.abc import Iterator

from oracle.model.messages.logical_messages import Found
from oracle.model.messages.messages import Message
from oracle.model.requests.get import GetRequest
from oracle.model.state import Queue, State
from oracle.mqi.constants import MQEI, MQFMT, MQMF


def rules_of_message(state: State, request: GetRequest, found: Found) -> list[str]:
    """Return the rules behind the returned message besides those of its selection."""
    first, given, longest = found.first, request.call.descriptor, request.queue.definition.max_msg_length
    rules = [*first.notes.rules, *rules_of_order(state, request.queue, first)]
    if first.descriptor.msg_flags & MQMF.SEGMENT and not found.reassembled:
        rules.append("TRM-01")
    if len(first.data) > longest or (found.reassembled and max(map(_length, found.segments)) > longest):
        rules.append("SIZ-08")
    if given.expiry != MQEI.UNLIMITED:
        rules.append("EXP-30")
    if first.descriptor.expiry != MQEI.UNLIMITED:
        rules += ("EXP-02", "NAM-04") if state.profile.platform == "ibmi" else ("EXP-02",)
    if first.descriptor.format == MQFMT.XMIT_Q_HEADER:
        rules.append("XMQ-01")
    return rules


def _length(message: Message) -> int:
    return len(message.data)


def rules_of_order(state: State, queue: Queue, message: Message) -> Iterator[str]:
    """Yield the rules for a place on the queue that its present sequence alone does not explain.

    The message and the one behind it show this: each has the rank with which it arrived.
    """
    definition, most = queue.definition, state.definition.max_priority
    behind = queue.messages.next_after(message.position)
    for each in (message,) if behind is None else (message, behind):
        fifo = "PRI-05" in each.notes.behind.get("MQMD.Priority", ())
        if definition.msg_delivery_sequence == "FIFO":
            if not fifo and each.made is None:
                yield "PRI-06"
        elif fifo:
            yield "PRI-07"
        elif each.descriptor.priority > most:
            yield "VIS-10"
