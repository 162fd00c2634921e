"""A conversation: one application's connection. Several may share a channel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from oracle.mqi import calls
from oracle.mqi.constants import MQRC
from oracle.network.asynchronous import PutStatus
from oracle.network.consumers import Consumer
from oracle.standin import connections
from oracle.standin.answers import Failed
from oracle.standin.connections import Connection
from oracle.standin.manager import RunningQueueManager
from oracle.wire.flows import Flow
from oracle.wire.replies import OWN, Form

_FIRST_HANDLE: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class Wait:
    """An MQGET that waits."""

    flow: Flow
    """Its flow, which is answered when it ends."""
    identity: int
    """Its number in the queue manager."""
    due_ms: int | None
    """The time at which it ends without a message, in milliseconds of the virtual clock. None for never."""


@dataclass(eq=False)
class Conversation:
    """One conversation of a channel."""

    number: int
    """Its number on the channel, which the client gives it."""
    manager: RunningQueueManager
    """The queue manager."""
    channel: str = ""
    """The name of the channel."""
    form: Form = OWN
    """The form of the client's latest flow, in which it is answered."""
    user: str = ""
    """The user that the client named."""
    password: str | None = None
    """The password that the client named; None if there is none."""
    connection: Connection | None = None
    """The connection. None before MQCONN and after MQDISC."""
    identifier: bytes = b""
    """The identifier of its connection."""
    handles: dict[int, int] = field(default_factory=dict)
    """The object handles, by the numbers that the client has for them."""
    consumers: dict[int, Consumer] = field(default_factory=dict)
    """The handles on which the client has asked for messages."""
    wait: Wait | None = None
    """The call that waits."""
    behind: list[Flow] = field(default_factory=list)
    """The flows that came after the call that waits."""
    index: int = 0
    """The number of the message sent last to a consumer."""
    puts: PutStatus = field(default_factory=PutStatus)
    """The outcomes of asynchronous puts."""

    @property
    def hconn(self) -> int:
        """The connection handle.

        Raises Failed before MQCONN.
        """
        if self.connection is None:
            raise Failed(MQRC.HCONN_ERROR)
        return self.connection.hconn

    def opened(self, hobj: int) -> int:
        """Return the number that the client gets for a handle: the lowest even one that is free."""
        number = _FIRST_HANDLE
        while number in self.handles:
            number += 2
        self.handles[number] = hobj
        return number

    def closed(self, number: int) -> None:
        """Forget a handle and its consumer."""
        self.handles.pop(number, None)
        self.end_consumer(number)

    def end_consumer(self, number: int) -> None:
        """End the consumer on a handle."""
        consumer = self.consumers.pop(number, None)
        if consumer is not None:
            consumer.end()

    def handle(self, number: int) -> int:
        """Return the handle behind the client's number; an invalid one for an unknown number."""
        return self.handles.get(number, -1)

    def number_of(self, hobj: int) -> int:
        """Return the client's number of a handle; 0 for an invalid one."""
        return next((number for number, each in self.handles.items() if each == hobj), 0)

    def next_index(self) -> int:
        """Return the number of the next message that is sent to a consumer."""
        self.index += 1
        return self.index

    def disconnected(self) -> None:
        """Note that the connection has ended."""
        for number in list(self.consumers):
            self.end_consumer(number)
        self.handles.clear()
        self.puts = PutStatus()
        self.connection = None

    def fail(self) -> bool:
        """End the application if it has not disconnected; return whether it was connected."""
        connection = self.connection
        self.disconnected()
        if self.wait is not None:
            self.manager.forget_waiting(self.wait.identity)
            self.wait = None
        self.behind.clear()
        if connection is not None and not self.manager.ended:
            # No call with its handle is possible any more, so nothing is kept about it.
            connections.forget(connection)
            self.manager.perform(calls.Fail(connection.conn))
        return connection is not None
