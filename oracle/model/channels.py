"""A message channel, one message a step: it takes one from a transmission queue, and at the other end it puts one.

A state is that of one queue manager. `Transmit` is a step of the sender, and `Outcome.sent` has the message; `Deliver`
is a step of the receiver. Each message is a batch of its own: a message that is sent has arrived for good. The target
protocol has no request for either. Conversion, reports to other queue managers and messages that go on from one
transmission queue to another are not modelled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from oracle.errors import BadInputError, NotModelledError
from oracle.model.expiry import has_expired, remaining
from oracle.model.messages.made import Made
from oracle.model.messages.messages import Message
from oracle.model.reply import Anything, Reply, failure
from oracle.model.reports.dead_letters import put_dead_letter, why_not
from oracle.model.reports.discards import discard
from oracle.model.reports.transmission import aged
from oracle.model.state import Queue
from oracle.model.step import Step
from oracle.model.units.arrival import place
from oracle.mqi.calls import Deliver, Sent, Transmit
from oracle.mqi.constants import MQEI, MQFMT, MQPER, MQRC, MQRO
from oracle.mqi.layouts import MQMDE, MQXQH, byte_order
from oracle.mqi.structures import MD_VERSION_2_MEMBERS, MessageDescriptor
from oracle.values import replace

_HEADER: Final = MQXQH.length(1)
_EXTENSION: Final = MQMDE.length(2)
_REPORTS: Final = MQRO.EXPIRATION | MQRO.COA | MQRO.COD


def perform_transmit(step: Step, call: Transmit) -> Reply:
    """Let a channel send the next message of a transmission queue, if there is one.

    It does not see what open units of work have put (AMB-57). Raises BadInputError if there is no such queue.
    """
    queue = step.state.queues.get(call.queue)
    if queue is None or not queue.is_transmission_queue:
        raise BadInputError(f"there is no transmission queue {call.queue}")
    message = _next(step, queue, fast=call.fast)
    if message is None:
        return Reply()
    if call.convert and message.descriptor.format == MQFMT.XMIT_Q_HEADER and len(message.data) > _HEADER:
        raise NotModelledError("conversion by a channel is not modelled")
    if call.max_msg_length and len(message.data) > call.max_msg_length:
        if not call.segments:
            return _too_long(step, queue, message)
        step.because("SIZ-12")
    if call.fails and not _left_although_failed(step, message, fast=call.fast):
        return Reply()
    _take(step, queue, message)
    if not call.fails or step.choose("has a fast message arrived although the channel failed", (False, True), "PER-07"):
        step.sent.append(_as_sent(step, message))
    return Reply()


def perform_deliver(step: Step, call: Deliver) -> Reply:
    """Let a channel put a message from another queue manager on the queue that its header names.

    The header is removed, and the message is as it was put, with its Expiry less the time in transit (XMQ-13). If it
    cannot be put, it becomes a dead letter; failing that, the reply has the reason, and the sender keeps the message.
    Raises BadInputError for a message without an MQXQH.
    """
    name, manager, md, data = _opened(call.sent)
    if manager not in ("", step.state.definition.name):
        raise NotModelledError("a message that goes on to another queue manager is not modelled")
    if md.report & _REPORTS:
        raise NotModelledError("reports to other queue managers are not modelled")
    step.because("XMQ-13")
    expiry = _after_transit(step, md.expiry, call.transit_ms)
    if expiry == 0:
        step.because("EXP-09", "EXP-16")
        return Reply()
    md = replace(md, expiry=expiry)
    made = Made({} if md.reply_to_q_mgr else {"MQMD.ReplyToQMgr": Anything()})
    path = step.state.resolve(name)
    reason = why_not(step, path, md, len(data))
    if reason == MQRC.NONE and path is not None:
        place(step, step.state.queues[path[-1]], md, data, put_by=None, made=made)
    elif not put_dead_letter(step, md, data, made, put_by=None, reason=reason, meant_for=(name, "")):
        lost = call.fast and md.persistence != MQPER.PERSISTENT
        if not lost or step.choose("does a fast message that cannot be put stop the channel", (True, False), "PER-07"):
            return failure(reason)
    return Reply()


def _next(step: Step, queue: Queue, *, fast: bool) -> Message | None:
    """Return the message that the channel takes; expired ones go (EXP-16), a fast one may overtake (CHN-05)."""
    found: list[Message] = []
    locked = {place for handle in step.state.handles_of(queue.name) for place in handle.locked}
    for message in queue.messages:
        if message.put_by is not None or message.got_by is not None or message.position in locked:
            continue
        fast_message = fast and message.descriptor.persistence != MQPER.PERSISTENT
        if found and not fast_message:
            continue
        if has_expired(step, message):
            discard(step, queue, message)
            step.because("EXP-16")
            continue
        found.append(message)
        if fast_message or not fast:
            break
    answers: Sequence[Message | None] = found or [None]
    return step.choose("which message does the channel send", answers, *(("CHN-05",) if len(found) > 1 else ()))


def _too_long(step: Step, queue: Queue, message: Message) -> Reply:
    """Fail on a message above the channel's limit, or make it a dead letter of the sender (SIZ-13)."""
    reason = MQRC.MSG_TOO_BIG_FOR_CHANNEL
    if step.choose("does a message too long for the channel become a dead letter", (False, True), "SIZ-13"):
        made = message.made or Made()
        md = message.descriptor
        if put_dead_letter(step, md, message.data, made, put_by=None, reason=reason, meant_for=(queue.name, "")):
            _take(step, queue, message)
            return Reply()
    return failure(reason)


def _left_although_failed(step: Step, message: Message, *, fast: bool) -> bool:
    """Return whether a message has left the queue although the channel failed: a fast one may have (PER-07, PER-08)."""
    if not fast or message.descriptor.persistence == MQPER.PERSISTENT:
        step.because("PER-08")
        return False
    return step.choose("has a fast message left although the channel failed", (False, True), "PER-07")


def _take(step: Step, queue: Queue, message: Message) -> None:
    queue.messages = queue.messages.without(message)
    step.stir(queue.name)


def _as_sent(step: Step, message: Message) -> Sent:
    """Return a message as it leaves: both Expiry fields are reduced by the time on the queue (XMQ-09)."""
    data, _ = aged(step, message, message.data)
    return Sent(replace(message.descriptor, expiry=remaining(step.state, message)[0]), data)


def _after_transit(step: Step, expiry: int, transit_ms: int) -> int:
    """Return the Expiry at the destination; it is open whether the channel subtracts its own time (EXP-05)."""
    if expiry == MQEI.UNLIMITED or transit_ms < 100:
        return expiry
    return step.choose("does the channel subtract its time", (expiry, max(0, expiry - transit_ms // 100)), "EXP-05")


def _opened(sent: Sent) -> tuple[str, str, MessageDescriptor, bytes]:
    """Return the queue and the queue manager that the MQXQH names, and the message behind it (CHN-02)."""
    if sent.descriptor.format != MQFMT.XMIT_Q_HEADER or len(sent.data) < _HEADER or not MQXQH.starts(sent.data):
        raise BadInputError("what a channel brings begins with an MQXQH")
    values = MQXQH.decode(sent.data, byte_order(sent.descriptor.encoding))
    md, data = MessageDescriptor(version=2), sent.data[_HEADER:]
    members = {
        name: values[f"MsgDesc.{c_name}"]
        for name, c_name in md.c_names().items()
        if name not in (*MD_VERSION_2_MEMBERS, "version") and f"MsgDesc.{c_name}" in values
    }
    md = _with(md, members)
    if md.format == MQFMT.MD_EXTENSION and MQMDE.starts(data):
        extension = MQMDE.decode(data, byte_order(md.encoding))
        names = (*MD_VERSION_2_MEMBERS, "format", "encoding", "coded_char_set_id")
        md = _with(md, {name: extension[md.c_names()[name]] for name in names})
        data = data[_EXTENSION:]
    return str(values["RemoteQName"]), str(values["RemoteQMgrName"]), md, data


def _with(md: MessageDescriptor, members: dict[str, int | str]) -> MessageDescriptor:
    """Return a descriptor with members as a layout decodes them: identifiers are hexadecimal text there."""
    values: dict[str, Any] = {
        name: bytes.fromhex(str(value)) if isinstance(getattr(md, name), bytes) else value
        for name, value in members.items()
    }
    return replace(md, **values)
