"""Connections that make no more calls: their applications may have died without a record.

Each of them doubles the states that fit a log, so many would soon be too many. But most hold nothing that others can
notice, and then it makes no difference whether they are still there.
"""

from __future__ import annotations

from typing import Final

from oracle.model.handles import Handle
from oracle.model.state import State
from oracle.mqi.constants import MQOO

_MAY_EXCLUDE: Final = MQOO.INPUT_EXCLUSIVE | MQOO.INPUT_AS_Q_DEF
_CHANGING: Final = frozenset({"MQINQ", "MQSET"})


def asks_for_others(call: str, options: int | None) -> bool:
    """Return whether a call depends on handles of other connections that hold nothing.

    MQINQ counts them, MQOPEN for exclusive input is refused while another has the queue open for input, and MQSET may
    switch triggering on, for which it counts whether somebody has the queue open.
    """
    excludes = call == "MQOPEN" and (options is None or options & _MAY_EXCLUDE)
    return bool(excludes) or call in _CHANGING


def holds_nothing(state: State, conn: str) -> bool:
    """Return whether the end of a connection would change nothing, until a call `asks_for_others`.

    So it has no open unit of work and does not wait, and its handles hold no message, exclude nobody, and are of queues
    that neither trigger nor end with them.
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
