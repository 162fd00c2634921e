"""Names of objects that cannot be opened, because they lead to no queue."""

from __future__ import annotations

from collections.abc import Iterator

from oracle.model.checks import Refusal
from oracle.model.step import Step
from oracle.mqi.constants import MQRC


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
    carrier = state.queues.get(definition.xmitq or definition.rqmname)
    if definition.rqmname in ("", state.definition.name):
        reasons: tuple[int, ...] = (MQRC.UNKNOWN_REMOTE_Q_MGR,)
    elif carrier is not None:
        reasons = (MQRC.XMIT_Q_USAGE_ERROR, MQRC.DEF_XMIT_Q_USAGE_ERROR)
    elif state.is_defined(definition.xmitq):
        reasons = (MQRC.XMIT_Q_TYPE_ERROR,)
    else:
        reasons = (MQRC.UNKNOWN_XMIT_Q, MQRC.UNKNOWN_DEF_XMIT_Q, MQRC.UNKNOWN_REMOTE_Q_MGR)
    for reason in reasons:
        yield Refusal(reason, ("OPN-10",))
