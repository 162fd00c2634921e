"""MQINQ and MQSET, and an administrator's changes of attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from oracle.calls import Alter, Inquire, Set
from oracle.constants import MQOO, MQRC
from oracle.definitions import QueueDefinition, altered
from oracle.errors import BadInputError, NotModelledError
from oracle.model.checks import Refusal, fail, find_handle
from oracle.model.discards import settle_depth
from oracle.model.logical_messages import rules_of_incomplete
from oracle.model.reply import Reply
from oracle.model.state import Handle, Queue
from oracle.model.step import Step

SETTABLE: Final = (
    "InhibitGet", "InhibitPut", "TriggerControl", "TriggerType", "TriggerDepth", "TriggerMsgPriority", "TriggerData",
)  # fmt: skip
"""The attributes that MQSET can change (INQ-06)."""

_COUNTS: Final = ("CurrentQDepth", "OpenInputCount", "OpenOutputCount", "QName")


def perform_inquire(step: Step, call: Inquire) -> Reply:
    """Carry out an MQINQ."""
    handle = find_handle(step, call.conn, call.hobj)
    refusals = list(_inquire_refusals(step, call, handle))
    if isinstance(handle, Refusal) or refusals:
        return fail(step, refusals)
    if len(handle.path) > 1:
        raise NotModelledError("MQINQ of an alias queue is not modelled")
    queue = step.state.queues[handle.queue]
    if "CurrentQDepth" in call.attributes:
        settle_depth(step, queue)
        step.because("DLV-06", *rules_of_incomplete(queue.messages))
    step.because("INQ-02", *(("INQ-07",) if "OpenInputCount" in call.attributes else ()))
    return Reply(values={name: _value(step, queue, name) for name in call.attributes})


def perform_set(step: Step, call: Set) -> Reply:
    """Carry out an MQSET; it takes effect at once (INQ-05)."""
    handle = find_handle(step, call.conn, call.hobj)
    refusals = list(_set_refusals(call, handle))
    if isinstance(handle, Refusal) or refusals:
        return fail(step, refusals)
    if len(handle.path) > 1:
        raise NotModelledError("MQSET of an alias queue is not modelled")
    queue = step.state.queues[handle.queue]
    queue.definition = altered(queue.definition, call.values)
    step.stir(queue.name)
    refuse_unmodelled_queue(queue.definition, step.state.definition.name)
    step.because("INQ-05")
    return Reply()


def perform_alter(step: Step, call: Alter) -> Reply:
    """Let an administrator change attributes of a queue or of the queue manager.

    Raises BadInputError if there is no such queue.
    """
    state = step.state
    if call.queue is None:
        interval = state.definition.expiry_interval
        state.definition = altered(state.definition, call.attributes)
        if state.definition.expiry_interval != interval:
            state.scanned_ms = state.now_ms
    elif call.queue in state.queues:
        queue = state.queues[call.queue]
        queue.definition = altered(queue.definition, call.attributes)
        step.stir(queue.name)
        refuse_unmodelled_queue(queue.definition, step.state.definition.name)
    elif call.queue in state.definitions:
        state.definitions[call.queue] = altered(state.definitions[call.queue], call.attributes)
    else:
        raise BadInputError(f"there is no queue {call.queue}")
    return Reply()


def refuse_unmodelled_queue(definition: QueueDefinition, manager: str) -> None:
    """Refuse a kind of queue that this version of the model does not contain; `manager` is the queue manager's name.

    Raises NotModelledError.
    """
    if definition.type == "remote" and definition.rqmname in ("", manager):
        raise NotModelledError(f"queue {definition.name}: a remote definition of this queue manager is not modelled")
    if definition.index_type == "MSG_TOKEN":
        raise NotModelledError(f"queue {definition.name}: IndexType MSG_TOKEN is not modelled")


def _value(step: Step, queue: Queue, name: str) -> object:
    if name == "CurrentQDepth":
        return step.state.depth(queue)
    if name == "OpenInputCount":
        return sum(1 for handle in step.state.handles_of(queue.name) if handle.open_for_input)
    if name == "OpenOutputCount":
        return sum(1 for handle in step.state.handles_of(queue.name) if handle.options & MQOO.OUTPUT)
    if name == "QName":
        return queue.name
    return queue.definition.attributes()[name]


def _inquire_refusals(step: Step, call: Inquire, handle: Handle | Refusal) -> Iterator[Refusal]:
    if isinstance(handle, Refusal):
        yield handle
        return
    if not handle.options & MQOO.INQUIRE:
        yield Refusal(MQRC.NOT_OPEN_FOR_INQUIRE, ("INQ-01",))
    known = step.state.definition_of(handle.queue).attributes()
    if any(name not in _COUNTS and (name not in known or name[0].islower()) for name in call.attributes):
        yield Refusal(MQRC.SELECTOR_ERROR, ("INQ-03",))


def _set_refusals(call: Set, handle: Handle | Refusal) -> Iterator[Refusal]:
    if isinstance(handle, Refusal):
        yield handle
        return
    if not handle.options & MQOO.SET:
        yield Refusal(MQRC.NOT_OPEN_FOR_SET, ("INQ-04",))
    if any(name not in SETTABLE for name in call.values):
        yield Refusal(MQRC.SELECTOR_ERROR, ("INQ-06",))
