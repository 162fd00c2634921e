"""Where replies and reports go: from ReplyToQ and ReplyToQMgr of a message to a queue (RPY-01, RPM-06)."""

from __future__ import annotations

from dataclasses import dataclass

from oracle.definitions import QueueDefinition
from oracle.model.state import State
from oracle.structures import MessageDescriptor


@dataclass(frozen=True, slots=True)
class Route:
    """A way to a queue: the definitions up to the base queue, and the remote one of them if there is one."""

    path: tuple[str, ...]
    remote: QueueDefinition | None = None


def route_of_reply(state: State, md: MessageDescriptor) -> Route | None:
    """Return the way to the reply queue of a message, or None if there is none.

    A queue of another queue manager is reached through the transmission queue of that manager's name.
    """
    manager = md.reply_to_q_mgr
    if manager in ("", state.definition.name):
        path = state.resolve(md.reply_to_q)
        return None if path is None else Route(path, state.remote_on(path))
    carrier = state.queues.get(manager)
    if carrier is None or not carrier.is_transmission_queue:
        return None
    remote = QueueDefinition(name=manager, type="remote", rname=md.reply_to_q, rqmname=manager, xmitq=manager)
    return Route((manager,), remote)
