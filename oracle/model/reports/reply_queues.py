"""The queue of replies and reports, from ReplyToQ and ReplyToQMgr of a message (RPY-01, RPM-06)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from oracle.model.state import State
from oracle.model.step import Step
from oracle.mqi.definitions import QueueDefinition, define
from oracle.mqi.structures import MessageDescriptor

BY_DEFINITION: Final = "does a report go by the definition of its remote queue, although a queue has its manager's name"
ONLY_BY_MANAGER: Final = "is there no way for a report but by a queue that has its manager's name"


@dataclass(frozen=True, slots=True)
class Route:
    """A way to a queue."""

    path: tuple[str, ...]
    """The names of the definitions on the way, the base queue last."""
    remote: QueueDefinition | None = None
    """The definition of a remote queue that the way leads through. None if there is none."""


def route_of_reply(state: State, md: MessageDescriptor) -> Route | None:
    """Return the way to the reply queue of a message, or None if there is none.

    A queue of another queue manager is reached through the transmission queue of that manager's name, or by the
    definition of the remote queue (AMB-121).
    """
    manager = md.reply_to_q_mgr
    if manager in ("", state.definition.name):
        path = state.resolve(md.reply_to_q)
        return None if path is None else Route(path, state.remote_on(path))
    carrier = _route_by_manager(state, md)
    if carrier is None:
        return None if state.decided.get(ONLY_BY_MANAGER, False) else _route_by_definition(state, md)
    by_definition = _route_by_definition(state, md) if state.decided.get(BY_DEFINITION, False) else None
    return by_definition or carrier


def settle_route(step: Step, md: MessageDescriptor) -> None:
    """Decide by which way the reports about a message go that has just been put, if there are several (AMB-121)."""
    state = step.state
    if md.reply_to_q_mgr in ("", state.definition.name):
        return
    by_definition = _route_by_definition(state, md)
    if by_definition is None:
        return
    carrier = _route_by_manager(state, md)
    if carrier is None:
        step.choose_for_good(ONLY_BY_MANAGER, (False, True), "RPM-06")
    elif carrier.path[-1] != by_definition.path[-1]:
        step.choose_for_good(BY_DEFINITION, (False, True), "RPM-06")


def _route_by_manager(state: State, md: MessageDescriptor) -> Route | None:
    """Return the way through the transmission queue that has the name of the other queue manager, if there is one."""
    manager = md.reply_to_q_mgr
    carrier = state.queues.get(manager)
    if carrier is None or not carrier.is_transmission_queue:
        return None
    attributes = {"name": manager, "type": "remote", "rname": md.reply_to_q, "rqmname": manager, "xmitq": manager}
    remote = define(QueueDefinition, attributes, any_name=True)
    return Route((manager,), remote)


def _route_by_definition(state: State, md: MessageDescriptor) -> Route | None:
    """Return the way by the definition of a remote queue that stands for the reply queue, if there is one."""
    for definition in state.definitions.values():
        if definition.type == "remote" and (definition.rname, definition.rqmname) == (md.reply_to_q, md.reply_to_q_mgr):
            path = state.resolve(definition.name)
            return None if path is None else Route(path, definition)
    return None


@dataclass(frozen=True, slots=True)
class ReplyQueue:
    """The reply queue that a message is stored with."""

    queue: str
    """Its ReplyToQ."""
    manager: str
    """Its ReplyToQMgr."""
    rules: tuple[tuple[str, str], ...] = ()
    """The rules behind single members."""
    open: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """By member, the values that are as good as the one that is stored."""


def reply_queue_of(state: State, md: MessageDescriptor) -> ReplyQueue:
    """Return the reply queue as it is stored, resolved if no queue manager was named (RPY-05, RPY-06).

    The values that the put gave are as good, because the documents do not say that other programs must not see them.
    """
    if md.reply_to_q_mgr:
        return ReplyQueue(md.reply_to_q, md.reply_to_q_mgr)
    named = state.definitions.get(md.reply_to_q)
    if named is None or named.type != "remote":
        return _reply_queue_here(md.reply_to_q, state.definition.name)
    return _remote_reply_queue(md.reply_to_q, state.definition.name, named)


@lru_cache(maxsize=1024)
def _reply_queue_here(queue: str, here: str) -> ReplyQueue:
    """Return a reply queue of this queue manager, by its name and that of the queue manager alone."""
    return ReplyQueue(queue, here, (("ReplyToQMgr", "RPY-05"),), (("ReplyToQMgr", (here, "")),))


def _remote_reply_queue(given: str, here: str, remote: QueueDefinition) -> ReplyQueue:
    """Return the reply queue that a definition names; whether one without names leaves the fields is open (AMB-136)."""
    queue, manager = remote.rname or given, remote.rqmname or here
    managers = tuple(dict.fromkeys((manager, here, "")))
    rules = (("ReplyToQ", "RPY-06"), ("ReplyToQMgr", "RPY-06"))
    return ReplyQueue(queue, manager, rules, (("ReplyToQ", (queue, given, remote.rname)), ("ReplyToQMgr", managers)))
