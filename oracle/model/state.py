"""The state of a queue manager, as far as it can be seen through the MQI.

The state of the model is plain data. A step works on a copy, so that a state once reached is never
changed; messages and group information are immutable and shared between copies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Final

from oracle.errors import BadInputError
from oracle.model.connections import Connection, copied
from oracle.model.handles import Handle, HandleKey
from oracle.model.messages.messages import Message, Messages, Position
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition
from oracle.mqi.profile import Profile
from oracle.values import copier

EPOCH_MS = int(datetime(2024, 1, 1, tzinfo=timezone.utc).timestamp() * 1000)
"""The time that virtual time 0 stands for, in milliseconds since 1970 (target protocol)."""

_NO_POSITIONS: frozenset[Position] = frozenset()


@dataclass(slots=True)
class Queue:
    """A local queue."""

    definition: QueueDefinition
    """Its definition."""
    messages: Messages = Messages()
    """Its messages, in order of position."""
    has_pieces: bool = False
    """Whether the queue manager has split some of them (SEG-01)."""
    triggered_ms: int | None = None
    """The time of the last trigger message for it, in milliseconds of the virtual clock (TRI-12)."""

    @property
    def name(self) -> str:
        """The queue's name."""
        return self.definition.name

    @property
    def is_transmission_queue(self) -> bool:
        """Whether the queue holds messages for other queue managers."""
        return self.definition.usage == "TRANSMISSION"


DELETED: Final = Queue(QueueDefinition(name="DELETED"))
"""What a handle leads to whose queue has been deleted (CLO-08)."""


@dataclass(slots=True)
class State:
    """Everything that a queue manager remembers."""

    definition: QueueManagerDefinition
    """The definition of the queue manager."""
    profile: Profile = Profile()
    """The profile that narrows the documents."""
    queues: dict[str, Queue] = field(default_factory=dict)
    """The local queues, by name."""
    definitions: dict[str, QueueDefinition] = field(default_factory=dict)
    """The definitions of all objects that are not local queues, by name."""
    connections: dict[str, Connection] = field(default_factory=dict)
    """The connections, by name."""
    handles: dict[HandleKey, Handle] = field(default_factory=dict)
    """The open handles."""
    now_ms: int = 0
    """The virtual clock, in milliseconds."""
    epoch_ms: int = EPOCH_MS
    """The time that the clock's 0 stands for, in milliseconds since 1970."""
    quiescing: bool = False
    """Whether the queue manager is quiescing."""
    next_arrival: int = 1
    """The number of the next put."""
    next_number: int = 1
    """The number of the next value that the model generates."""
    scanned_ms: int = 0
    """The time at which z/OS last scanned for expired messages, or at which its expiry interval was set."""
    altered_interval_ms: int | None = None
    """When ExpiryInterval was set while the queue manager ran: from then on a scan may be at any time (AMB-133)."""
    expiration_reports: tuple[tuple[str, Position], ...] = ()
    """The places of messages for which expiration reports may become due."""
    next_connection: int = 1
    """The number of the next connection."""
    users: dict[int, str] = field(default_factory=dict)
    """The users of connections, by number, as far as a sign-on or a message has shown them (USR-01)."""
    decided: Mapping[str, bool] = field(default_factory=dict)
    """The answers to questions about what a queue manager does always or never, by question, once they are decided."""
    defaults_from: Mapping[tuple[str, tuple[str, ...]], tuple[int, ...]] = field(default_factory=dict)
    """For each way to a queue, the places of the definitions whose defaults may count (PUT-27).

    A way has an entry once the default priority or persistence of its definitions has differed.
    """

    def copy(self) -> State:
        """Return a state that can be changed without changing this one."""
        twin = _copy_state(self)
        twin.queues = {name: _copy_queue(queue) for name, queue in self.queues.items()}
        twin.definitions = dict(self.definitions)
        twin.connections = {name: copied(connection) for name, connection in self.connections.items()}
        twin.handles = {key: _copy_handle(handle) for key, handle in self.handles.items()}
        return twin

    def define(self, definition: QueueDefinition) -> None:
        """Add a queue.

        An alias may name what does not exist: opening it fails then (OPN-10).

        Raises BadInputError if the name is taken.
        """
        if self.is_defined(definition.name):
            raise BadInputError(f"queue {definition.name} is defined twice")
        if definition.type == "local":
            self.queues[definition.name] = Queue(definition)
        else:
            self.definitions[definition.name] = definition

    def is_defined(self, name: str) -> bool:
        """Return whether there is a queue or any other definition of that name."""
        return name in self.queues or name in self.definitions

    def definition_of(self, name: str) -> QueueDefinition:
        """Return the definition of a queue or of another object that exists."""
        return self.definitions[name] if name in self.definitions else self.queues[name].definition

    def definitions_on(self, path: tuple[str, ...]) -> Sequence[QueueDefinition]:
        """Return the definitions on a way to a queue, which mostly is the queue alone."""
        if len(path) == 1:
            return (self.queues[path[0]].definition,)
        return [self.definition_of(name) for name in path]

    def resolve(self, name: str) -> tuple[str, ...] | None:
        """Return the names from an object name to its base queue, or None if there is none (OPN-18).

        The base queue of a remote queue is its transmission queue (CHN-01).
        """
        if name in self.queues:
            return (name,)
        definition = self.definitions.get(name)
        if definition is None:
            return None
        if definition.type == "remote":
            if not definition.rname or definition.rqmname in ("", self.definition.name):
                return None
            carrier = self.queues.get(definition.xmitq or definition.rqmname)
            return (name, carrier.name) if carrier is not None and carrier.is_transmission_queue else None
        target = definition.target if definition.type == "alias" else None
        if target is None or (target in self.definitions and self.definitions[target].type != "remote"):
            return None
        path = self.resolve(target)
        return None if path is None else (name, *path)

    def remote_on(self, path: tuple[str, ...]) -> QueueDefinition | None:
        """Return the definition of a remote queue on a way to a queue, if there is one."""
        if len(path) == 1:
            return None
        found = [self.definitions[name] for name in path if name in self.definitions]
        return next((definition for definition in found if definition.type == "remote"), None)

    def handles_of(self, queue: str) -> list[Handle]:
        """Return the open handles of a queue."""
        return [each for each in self.handles.values() if each.path[-1] == queue and not each.queue_deleted]

    def depth(self, queue: Queue) -> int:
        """Return the number of messages that count: all but those got in open units of work (DEP-01, DEP-02)."""
        return len(queue.messages) - len(self.uncommitted_gets(queue.name))

    def order_is_open(self, queue: Queue) -> bool:
        """Return whether the physical order of a queue is undefined: on z/OS, if it is indexed by GroupId (VIS-12)."""
        return self.profile.zos and queue.definition.index_type == "GROUP_ID"

    def uncommitted_gets(self, queue: str) -> list[Message]:
        """Return the messages of a queue that open units of work have got."""
        found = []
        for connection in self.connections.values():
            for name, position in connection.unit_of_work.touched if connection.unit_of_work else ():
                message = self.queues[name].messages.at(position) if name == queue and name in self.queues else None
                if message is not None and message.got_by == connection.name:
                    found.append(message)
        return found

    def uncommitted_puts(self, queue: Queue, conn: str) -> Iterator[Message]:
        """Yield the messages of a queue that the open unit of work of a connection has put, and has not got again."""
        work = self.connections[conn].unit_of_work
        for name, position in () if work is None else work.touched:
            message = queue.messages.at(position) if name == queue.name else None
            if message is not None and message.put_by == conn and message.got_by is None:
                yield message

    def locked_elsewhere(self, handle: Handle) -> frozenset[Position]:
        """Return the positions that other handles of the same queue have locked (LCK-01, LCK-20)."""
        # Mostly nothing is locked, and every waiting call asks: so that is tested first.
        for each in self.handles.values():
            if each.locked:
                break
        else:
            return _NO_POSITIONS
        return frozenset([position for other in self.others_of(handle) for position in other.locked])

    def others_of(self, handle: Handle) -> list[Handle]:
        """Return the other open handles of a handle's queue."""
        return [other for other in self.handles_of(handle.path[-1]) if other.key != handle.key]

    def cooperating(self, queue: str) -> Iterator[Handle]:
        """Yield the handles of a queue's cooperating set: those opened with MQOO_CO_OP (MRK-07)."""
        return (handle for handle in self.handles_of(queue) if handle.in_cooperating_set)


def at_time(state: State, now_ms: int) -> State:
    """Return a state that is the same at another time; the two share their parts, for neither is changed."""
    twin = _copy_state(state)
    twin.now_ms = now_ms
    return twin


_copy_state = copier(State)
_copy_queue = copier(Queue)
_copy_handle = copier(Handle)
