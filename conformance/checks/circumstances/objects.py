"""Circumstances of the queue, and of the way to it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from conformance.checks.circumstances.change import (
    Circumstance,
    begun_by,
    handle_of,
    local_queues,
    with_lines,
    with_queues,
)
from conformance.sessions.session import History, Setup
from oracle.histories.notation import Line
from oracle.mqi.constants import MQOO
from oracle.values import replace

_MODEL: Final = "SOME.MODEL"


def _through_an_alias(history: History) -> History:
    alias = {name: f"{name}.ALIAS" for name in local_queues(history)}

    def through(line: Line) -> Line:
        if line.verb == "put1" and line.queue in alias:
            return replace(line, queue=alias[line.queue])
        if line.verb == "open" and line.queue in alias:
            return replace(line, queue=alias[line.queue], name=handle_of(line))
        return line

    changed = with_lines(history, map(through, history.lines))
    return with_queues(changed, *({"name": new, "type": "alias", "target": old} for old, new in alias.items()))


def _dynamic(history: History, **attributes: Any) -> History:
    """Let a separate connection make the first local queue from a model queue, before everything else."""
    local = local_queues(history)
    if not local:
        return history

    def as_model(queue: Mapping[str, Any]) -> Mapping[str, Any]:
        return {**queue, "name": _MODEL, "type": "model", **attributes} if queue["name"] == local[0] else queue

    maker = Line("open", "Y", "made", queue=_MODEL, options=int(MQOO.OUTPUT), members=(("DynamicQName", local[0]),))
    return History(Setup(tuple(map(as_model, history.setup.queues)), history.setup.qmgr), (maker, *history.lines))


def _triggering(history: History, **attributes: Any) -> History:
    if any(queue["name"] == "INIT" for queue in history.setup.queues):
        return history
    on = {"TriggerControl": 1, "InitiationQName": "INIT", "ProcessName": "PROC", **attributes}
    return begun_by(with_queues(history, {"name": "INIT"}, **on), "init = T.open INIT INPUT_SHARED+BROWSE")


OBJECTS: Final = (
    Circumstance("alias", "queues are reached through aliases", _through_an_alias),
    Circumstance("permanent", "the queue is permanent dynamic", partial(_dynamic, DefinitionType="PERMANENT_DYNAMIC")),
    Circumstance("temporary", "the queue is temporary dynamic", _dynamic),
    Circumstance("fifo", "queues are FIFO", partial(with_queues, MsgDeliverySequence="FIFO")),
    Circumstance(
        "persistent-default", "queues have persistence for their default", partial(with_queues, DefPersistence=1)
    ),
    Circumstance("priority-default", "queues have another default priority", partial(with_queues, DefPriority=5)),
    Circumstance("shallow", "queues hold two messages at most", partial(with_queues, MaxQDepth=2)),
    Circumstance("narrow", "queues hold messages of four bytes at most", partial(with_queues, MaxMsgLength=4)),
    Circumstance("capped", "queues cap the expiry of messages", partial(with_queues, CAPEXPRY=600)),
    Circumstance("trigger-first", "queues trigger for a first message", partial(_triggering, TriggerType=1)),
    Circumstance("trigger-every", "queues trigger for every message", partial(_triggering, TriggerType=2)),
    Circumstance(
        "trigger-depth", "queues trigger at two messages", partial(_triggering, TriggerType=3, TriggerDepth=2)
    ),
)
