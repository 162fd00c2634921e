"""Names of objects that cannot be opened, because they lead to no queue."""

from __future__ import annotations

from collections.abc import Iterator

from oracle.model.checks import Refusal
from oracle.model.step import Step
from oracle.mqi.constants import MQRC
from oracle.mqi.definitions import QueueDefinition


def name_refusals(step: Step, name: str) -> Iterator[Refusal]:
    """Yield the reasons for a name that leads to no queue (OPN-10, OPN-21)."""
    state = step.state
    if state.resolve(name) is not None:
        return
    definition = state.definitions.get(name)
    if definition is not None and definition.type == "alias":
        definition = state.definitions.get(definition.target or "")
        if definition is None:
            yield Refusal(MQRC.UNKNOWN_ALIAS_BASE_Q, ("OPN-10",))
            return
        if definition.type != "remote":
            yield Refusal(MQRC.ALIAS_BASE_Q_TYPE_ERROR, ("OPN-21",))
            return
    if definition is None or definition.type != "remote":
        yield Refusal(MQRC.UNKNOWN_OBJECT_NAME, ("OPN-10",))
        return
    for reason in _reasons_of_remote(step, definition):
        yield Refusal(reason, ("OPN-10",))


def _reasons_of_remote(step: Step, definition: QueueDefinition) -> tuple[int, ...]:
    """Return the reasons why the definition of a remote queue leads to no transmission queue.

    Where two faults meet either reason is right. DefXmitQName is no attribute of the model, so its faults are open.
    """
    local = definition.rqmname in ("", step.state.definition.name)
    faults = [MQRC.UNKNOWN_REMOTE_Q_MGR] if local else []
    if not definition.rname:
        faults.append(MQRC.REMOTE_Q_NAME_ERROR)
    if faults:
        return tuple(faults)
    carrier = definition.xmitq or definition.rqmname
    if carrier in step.state.queues:
        return (MQRC.XMIT_Q_USAGE_ERROR,)
    if step.state.is_defined(carrier):
        return (MQRC.XMIT_Q_TYPE_ERROR,)
    if definition.xmitq:
        return (MQRC.UNKNOWN_XMIT_Q,)
    of_default = (MQRC.UNKNOWN_DEF_XMIT_Q, MQRC.DEF_XMIT_Q_TYPE_ERROR, MQRC.DEF_XMIT_Q_USAGE_ERROR)
    return (MQRC.UNKNOWN_REMOTE_Q_MGR, *of_default)
