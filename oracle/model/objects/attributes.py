"""MQINQ and MQSET, and an administrator's changes of attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from oracle.errors import BadInputError
from oracle.model.checks import Refusal, fail, find_any_handle, find_handle
from oracle.model.groups.splitting import learn_count
from oracle.model.handles import Handle
from oracle.model.limits.depth import current_depth
from oracle.model.messages.logical_messages import rules_of_incomplete
from oracle.model.reply import Including, Reply, failure
from oracle.model.reports.discards import settle_all_reports
from oracle.model.state import DELETED, Queue
from oracle.model.step import Step
from oracle.model.triggers.events import catch_up, stir_by_change
from oracle.mqi.calls import Alter, Inquire, Set
from oracle.mqi.constants import MQCC, MQOO, MQRC
from oracle.mqi.definitions import QueueDefinition, altered

SETTABLE: Final = (
    "InhibitGet",
    "InhibitPut",
    "TriggerControl",
    "TriggerType",
    "TriggerDepth",
    "TriggerMsgPriority",
    "TriggerData",
)
"""The attributes that MQSET can change (INQ-06)."""

_OF_REPORTS: Final = frozenset({"DeadLetterQName", "MaxMsgLength", "MaxPriority", "CodedCharSetId"})
"""The attributes of the queue manager on which it depends where a report goes, and what it is."""

_COUNTS: Final = ("CurrentQDepth", "OpenInputCount", "OpenOutputCount")

_OF_REMOTE: Final = ("QName", "InhibitPut", "DefPriority", "DefPersistence", "CAPEXPRY")
_OF_DEFINITION: Final[Mapping[str, tuple[str, ...]]] = {"remote": _OF_REMOTE, "alias": (*_OF_REMOTE, "InhibitGet")}
"""The attributes of definitions other than local queues, by their type."""

RULES_OF_ATTRIBUTES: Final[Mapping[str, tuple[str, ...]]] = {
    "OpenInputCount": ("INQ-07",),
    "OpenOutputCount": ("INQ-07",),
    "MaxMsgLength": ("SIZ-03", "SIZ-05"),
}
"""The rules about single attributes."""


def perform_inquire(step: Step, call: Inquire) -> Reply:
    """Carry out an MQINQ; of an alias or a remote definition it returns that definition's attributes (INQ-02)."""
    handle = find_handle(step, call.conn, call.hobj)
    refusals = list(inquire_refusals(step, call, handle))
    if isinstance(handle, Refusal) or refusals:
        return fail(step, refusals)
    step.because("INQ-02", *(rule for name in call.attributes for rule in RULES_OF_ATTRIBUTES.get(name, ())))
    if handle.path[0] not in step.state.queues:
        return _inquire_definition(step, call, step.state.definitions[handle.path[0]])
    queue = step.state.queues[handle.queue]
    if "CurrentQDepth" in call.attributes:
        step.because("DLV-06", *rules_of_incomplete(queue.messages))
    return Reply(values={name: _value(step, queue, name) for name in call.attributes})


def _inquire_definition(step: Step, call: Inquire, definition: QueueDefinition) -> Reply:
    """Return the attributes of a definition; asking for one that only queues have is a warning or fails (INQ-03)."""
    every = {"QName": definition.name, **definition.attributes()}
    values = {name: every[name] for name in call.attributes if name in _OF_DEFINITION[definition.type]}
    if len(values) == len(call.attributes):
        return Reply(values=values)
    warned = step.choose("is an attribute that this type of queue lacks a warning", (True, False), "INQ-03")
    if not warned:
        return failure(MQRC.SELECTOR_ERROR)
    latitude = {"values": Including(values)}
    return Reply(MQCC.WARNING, MQRC.SELECTOR_NOT_FOR_TYPE, values=values, latitude=latitude)


def perform_set(step: Step, call: Set) -> Reply:
    """Carry out an MQSET; it takes effect at once (INQ-05)."""
    handle = find_handle(step, call.conn, call.hobj)
    refusals = list(set_refusals(step, call, handle))
    if isinstance(handle, Refusal) or refusals:
        return fail(step, refusals)
    step.because("INQ-05", "INQ-06")
    name = handle.path[0]
    if name in step.state.definitions:
        settle_all_reports(step)
        step.state.definitions[name] = altered(step.state.definitions[name], call.values)
        return Reply()
    queue = step.state.queues[name]
    catch_up(step, name)
    before = queue.definition
    queue.definition = altered(queue.definition, call.values)
    stir_by_change(step, queue, before)
    return Reply()


def perform_alter(step: Step, call: Alter) -> Reply:
    """Let an administrator change attributes of a queue or of the queue manager.

    Raises BadInputError if there is no such queue.
    """
    state = step.state
    if call.queue is None:
        if call.attributes.keys() & _OF_REPORTS:
            settle_all_reports(step)
        interval = state.definition.expiry_interval
        state.definition = altered(state.definition, call.attributes)
        if state.definition.expiry_interval != interval:
            state.scanned_ms = state.altered_interval_ms = state.now_ms
    elif call.queue in state.queues:
        queue = state.queues[call.queue]
        catch_up(step, call.queue)
        before, queue.definition = queue.definition, altered(queue.definition, call.attributes)
        stir_by_change(step, queue, before)
    elif call.queue in state.definitions:
        settle_all_reports(step)
        state.definitions[call.queue] = altered(state.definitions[call.queue], call.attributes)
    else:
        raise BadInputError(f"there is no queue {call.queue}")
    return Reply()


def _value(step: Step, queue: Queue, name: str) -> object:
    if name == "CurrentQDepth":
        learn_count(step, queue, current_depth(step, queue))
        depth = step.state.depth(queue)
        if depth > queue.definition.max_q_depth:
            step.because("SEG-08")
        return depth
    if name == "OpenInputCount":
        return sum(1 for handle in step.state.handles_of(queue.name) if handle.open_for_input)
    if name == "OpenOutputCount":
        return _open_for_output(step, queue)
    if name == "QName":
        return queue.name
    return queue.definition.attributes()[name]


def _open_for_output(step: Step, queue: Queue) -> int:
    """Return how many handles are open for output, with or without those of definitions of remote queues (AMB-141)."""
    handles = [each for each in step.state.handles_of(queue.name) if each.options & MQOO.OUTPUT]
    here = [each for each in handles if step.state.remote_on(each.path) is None]
    if len(here) == len(handles):
        return len(handles)
    answers = (len(handles), len(here))
    return step.choose("is a handle of a remote queue one of its transmission queue", answers, "INQ-07")


def inquire_refusals(step: Step, call: Inquire, handle: Handle | Refusal) -> Iterator[Refusal]:
    """Yield every condition that fails an MQINQ."""
    if isinstance(handle, Refusal):
        yield handle
    opened = find_any_handle(step, call.conn, call.hobj)  # of a deleted queue too (AMB-63)
    if isinstance(opened, Refusal):
        return
    if not opened.options & MQOO.INQUIRE:
        yield Refusal(MQRC.NOT_OPEN_FOR_INQUIRE, ("INQ-01",))
    known = (DELETED.definition if opened.queue_deleted else step.state.definition_of(opened.path[0])).attributes()
    known_names = {*_COUNTS, "QName", *(name for name in known if not name[0].islower())}
    if not known_names.issuperset(call.attributes):
        yield Refusal(MQRC.SELECTOR_ERROR, ("INQ-03",))


def set_refusals(step: Step, call: Set, handle: Handle | Refusal) -> Iterator[Refusal]:
    """Yield every condition that fails an MQSET."""
    if isinstance(handle, Refusal):
        yield handle
    opened = find_any_handle(step, call.conn, call.hobj)  # of a deleted queue too (AMB-63)
    if isinstance(opened, Refusal):
        return
    if not opened.options & MQOO.SET:
        yield Refusal(MQRC.NOT_OPEN_FOR_SET, ("INQ-04",))
    if any(name not in SETTABLE for name in call.values):
        yield Refusal(MQRC.SELECTOR_ERROR, ("INQ-06",))
    elif opened.path[0] in step.state.definitions:
        of_definition = _OF_DEFINITION[step.state.definitions[opened.path[0]].type]
        if any(name not in of_definition for name in call.values):
            for reason in (MQRC.SELECTOR_ERROR, MQRC.SELECTOR_NOT_FOR_TYPE):
                yield Refusal(reason, ("INQ-06",))
