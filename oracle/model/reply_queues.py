"""Where replies and reports go: from ReplyToQ and ReplyToQMgr of a message to a queue (RPY-01, RPM-06)."""

from __future__ import annotations

from dataclasses import dataclass

from oracle.model.made import PutNotes
from oracle.model.reply import Latitude, OneOf
from oracle.model.state import State
from oracle.mqi.definitions import QueueDefinition
from oracle.mqi.structures import MessageDescriptor
from oracle.values import replace


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
        return _route_by_definition(state, md)
    remote = QueueDefinition(name=manager, type="remote", rname=md.reply_to_q, rqmname=manager, xmitq=manager)
    return Route((manager,), remote)


def _route_by_definition(state: State, md: MessageDescriptor) -> Route | None:
    """Return the way by the definition of a remote queue that stands for the reply queue, if there is one."""
    for definition in state.definitions.values():
        if definition.type == "remote" and (definition.rname, definition.rqmname) == (md.reply_to_q, md.reply_to_q_mgr):
            path = state.resolve(definition.name)
            return None if path is None else Route(path, definition)
    return None


def with_reply_queue(state: State, md: MessageDescriptor, notes: PutNotes) -> tuple[MessageDescriptor, PutNotes]:
    """Return the descriptor as stored, its reply queue resolved if no queue manager was named (RPY-05, RPY-06).

    How the put was given is as good: the documents do not say that no other program may see it.
    """
    if md.reply_to_q_mgr:
        return md, notes
    here = state.definition.name
    named = state.definitions.get(md.reply_to_q)
    remote = named if named is not None and named.type == "remote" else None
    if remote is None:
        notes = notes.having("MQMD.ReplyToQMgr", "RPY-05")
        latitude: dict[str, Latitude] = {"MQMD.ReplyToQMgr": OneOf((here, ""))}
        return replace(md, reply_to_q_mgr=here), replace(notes, latitude={**notes.latitude, **latitude})
    queue, manager = remote.rname or md.reply_to_q, remote.rqmname or here
    for member in ("MQMD.ReplyToQ", "MQMD.ReplyToQMgr"):
        notes = notes.having(member, "RPY-06")
    latitude = {
        "MQMD.ReplyToQ": OneOf((queue, md.reply_to_q)),
        "MQMD.ReplyToQMgr": OneOf(tuple(dict.fromkeys((manager, here, "")))),
    }
    stored = replace(md, reply_to_q=queue, reply_to_q_mgr=manager)
    return stored, replace(notes, latitude={**notes.latitude, **latitude})
