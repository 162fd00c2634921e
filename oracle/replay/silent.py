"""Connections that make no more calls: their applications may have died without a record.

Each of them doubles the states that fit a log, so many would soon be too many. But most hold nothing that others can
notice, and then they are taken for gone.
"""

from __future__ import annotations

from typing import Final

from oracle.model.handles import Handle
from oracle.model.state import State
from oracle.mqi.constants import MQOO

_MAY_EXCLUDE: Final = MQOO.INPUT_EXCLUSIVE | MQOO.INPUT_AS_Q_DEF


def holds_nothing(state: State, conn: str) -> bool:
    """Return whether the end of a connection now would change nothing that a log shows.

    So it has no open unit of work and does not wait, and its handles hold no message, exclude nobody, and are of queues
    that neither trigger nor end with them. That it has a queue open may still be noticed by MQINQ, whose values no log
    has, and by MQOPEN for exclusive input, whose failure a log does not decide.
    """
    connection = state.connections[conn]
    if connection.unit_of_work is not None or connection.waiting is not None:
        return False
    if any(queue.definition.trigger_control for queue in state.queues.values()):
        return False
    return all(_is_private(state, handle) for handle in state.handles.values() if handle.conn == conn)


def _is_private(state: State, handle: Handle) -> bool:
    """Return whether nobody else can notice the end of a handle."""
    queue = state.queues.get(handle.queue)
    if queue is None or queue.definition.definition_type != "PREDEFINED" or not queue.definition.shareability:
        return False
    holds = handle.locked or handle.signal is not None or handle.created_queue or handle.queue_deleted
    return not holds and not handle.options & (_MAY_EXCLUDE | MQOO.CO_OP)
