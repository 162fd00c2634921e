"""Dynamic queues: made by opening a model queue, and deleted by closing."""

from __future__ import annotations

from collections.abc import Iterator

from oracle.model.checks import Refusal
from oracle.model.groups.splitting import depth_may_differ
from oracle.model.handles import Handle
from oracle.model.reports.discards import settle_all_reports, settle_depth, settle_reports
from oracle.model.state import Queue
from oracle.model.step import Step
from oracle.mqi.calls import Close, Open
from oracle.mqi.constants import MQCO, MQRC
from oracle.mqi.definitions import OBJECT_NAME, QueueDefinition, is_object_name
from oracle.mqi.structures import INITIAL_DYNAMIC_Q_NAME, INITIAL_DYNAMIC_Q_NAME_ON_ZOS

_LONGEST = 48
_LAST_PLACE_OF_ASTERISK = 33
_ZOS_PREFIX = INITIAL_DYNAMIC_Q_NAME_ON_ZOS
_KEPT_BECAUSE = {"PERMANENT_DYNAMIC": "DYN-04", "TEMPORARY_DYNAMIC": "CLO-09"}


def creation_refusals(step: Step, call: Open) -> Iterator[Refusal]:
    """Yield the conditions that fail the creation of a dynamic queue because of its name."""
    pattern = name_pattern(step, call)
    if not pattern or not OBJECT_NAME.fullmatch(pattern.removesuffix("*") or "A") or len(pattern) > _longest(pattern):
        yield Refusal(MQRC.DYNAMIC_Q_NAME_ERROR, ("DYN-05",))
    elif step.state.is_defined(pattern):
        yield Refusal(MQRC.OBJECT_ALREADY_EXISTS, ("DYN-01",))


def _longest(pattern: str) -> int:
    """Return the greatest length of DynamicQName: an asterisk at the end needs room for what replaces it (DYN-05)."""
    return _LAST_PLACE_OF_ASTERISK if pattern.endswith("*") else _LONGEST


def create(step: Step, call: Open, model: QueueDefinition) -> Queue:
    """Create the queue that opening a model queue makes: empty, with the model's attributes (OPN-19)."""
    permanent = model.definition_type == "PERMANENT_DYNAMIC"
    kind = "PERMANENT_DYNAMIC" if permanent else "TEMPORARY_DYNAMIC"
    settle_all_reports(step)  # reports to this name have had no queue so far
    name = _new_name(step, name_pattern(step, call))
    queue = Queue(model.model_copy(update={"name": name, "type": "local", "definition_type": kind}))
    step.state.queues[name] = queue
    step.because("OPN-19", "DYN-01")
    if not permanent:
        step.because("PER-06")
    return queue


def name_pattern(step: Step, call: Open) -> str:
    """Return the DynamicQName in force; its initial value depends on the platform (DYN-02)."""
    return _ZOS_PREFIX if step.state.profile.zos and _is_initial(call) else call.descriptor.dynamic_q_name


def rules_of_name(call: Open) -> tuple[str, ...]:
    """Return the rule behind the name that opening a model queue returns."""
    return ("DYN-02",) if _is_initial(call) else ("DYN-01",)


def _is_initial(call: Open) -> bool:
    return call.descriptor.dynamic_q_name == INITIAL_DYNAMIC_Q_NAME


def _new_name(step: Step, pattern: str) -> str:
    """Return the name of the new queue: an asterisk at the end is replaced by a unique string (DYN-01)."""
    if not pattern.endswith("*"):
        return pattern
    prefix = pattern[:-1]
    seen = step.generate("ObjectName", lambda number: f"{prefix}{number:08X}", str)
    fits = seen.startswith(prefix) and is_object_name(seen)
    step.because("DYN-02")
    if fits and not step.state.is_defined(seen):
        return seen
    return f"{prefix}{step.state.next_number:08X}"


def deletion_refusals(step: Step, call: Close, handle: Handle) -> Iterator[Refusal]:
    """Yield the conditions that fail an MQCLOSE that is to delete the queue."""
    delete = call.options & (MQCO.DELETE | MQCO.DELETE_PURGE)
    if delete.bit_count() > 1:
        yield Refusal(MQRC.OPTIONS_ERROR, ("CLO-01",))
    if not delete:
        return
    if handle.queue_deleted:
        # what is valid for a queue that is not there is not said (AMB-134)
        if not handle.created_queue:
            yield Refusal(MQRC.OPTION_NOT_VALID_FOR_TYPE, ("CLO-09",), optional=True, unlikely=True)
        return
    queue = step.state.queues[handle.queue]
    kind = queue.definition.definition_type
    if kind == "PREDEFINED":
        yield Refusal(MQRC.OPTION_NOT_VALID_FOR_TYPE, ("CLO-02",))
    elif kind == "TEMPORARY_DYNAMIC" and not handle.created_queue:
        yield Refusal(MQRC.OPTION_NOT_VALID_FOR_TYPE, ("CLO-09",))
    elif kind == "PERMANENT_DYNAMIC":
        if handle.path[0] != handle.queue:  # what was opened is an alias (AMB-135)
            yield Refusal(MQRC.OPTION_NOT_VALID_FOR_TYPE, ("CLO-02",), optional=True, unlikely=True)
        yield from _kept(step, queue, purge=bool(delete & MQCO.DELETE_PURGE))


def _kept(step: Step, queue: Queue, *, purge: bool) -> Iterator[Refusal]:
    """Yield the reasons for which a permanent dynamic queue is not deleted; the documents name two (CLO-05, CLO-06).

    If updates are pending, the messages may be purged although the queue is kept.
    """
    settle_depth(step, queue)
    pending = any(message.put_by is not None or message.got_by is not None for message in queue.messages)
    if not pending and (purge or not len(queue.messages)):
        return
    rule = "CLO-06" if purge else "CLO-05"
    for reason in (MQRC.Q_NOT_EMPTY, MQRC.OPTION_NOT_VALID_FOR_TYPE):
        yield Refusal(reason, (rule,))
    if purge and step.choose("are the messages purged although the queue stays", (False, True), rule):
        for message in queue.messages:
            if message.put_by is None and message.got_by is None:
                queue.messages = queue.messages.without(message)


def delete_if_due(step: Step, handle: Handle, options: int) -> None:
    """Delete the queue of a handle that has been closed, if the close deletes it (CLO-05 to CLO-09)."""
    if handle.queue_deleted:
        return
    kind = step.state.queues[handle.queue].definition.definition_type
    if kind == "PERMANENT_DYNAMIC" and options & (MQCO.DELETE | MQCO.DELETE_PURGE):
        step.because("CLO-06" if options & MQCO.DELETE_PURGE else "CLO-05")
    elif kind == "TEMPORARY_DYNAMIC" and handle.created_queue:
        step.because("CLO-07", "PER-06")
    else:
        if kind in _KEPT_BECAUSE:
            step.because(_KEPT_BECAUSE[kind])
        return
    settle_reports(step, handle.queue)
    settle_all_reports(step, step.state.queues[handle.queue])
    queue = step.state.queues[handle.queue]
    for conn, connection in step.state.connections.items():
        if connection.unit_of_work is not None:
            own = [each for each in queue.messages if each.put_by == conn and each.got_by == conn]
            connection.unit_of_work.put_and_deleted += len(own)
    full = step.state.depth(queue) + depth_may_differ(queue)[1] >= queue.definition.max_q_depth
    for other in step.state.handles_of(handle.queue):
        other.queue_deleted, other.locked, other.cursor = True, (), None
        other.last_definition, other.was_full = queue.definition, full
    del step.state.queues[handle.queue]
