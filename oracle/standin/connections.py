"""Running queue managers by name, and connections by the handles that programs hold.

A connection handle belongs to the thread that made it, unless MQCONNX asked for a shared one. A thread that connects
again without sharing gets its existing handle, with the warning MQRC_ALREADY_CONNECTED.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, Protocol

from oracle.errors import UsageError
from oracle.mqi import calls
from oracle.mqi.constants import MQRC
from oracle.standin.answers import Failed
from oracle.standin.applications import program_of, user_of
from oracle.standin.manager import RunningQueueManager
from oracle.standin.options import RECONNECT
from oracle.standin.passing import Contexts
from oracle.standin.read_ahead import ReadAhead
from oracle.standin.warning import warn

SHARE_NONE: Final = 32
SHARE_BLOCK: Final = 64
SHARE_NO_BLOCK: Final = 128


class Consumption(Protocol):
    """The callbacks of a connection, as the connection uses them."""

    @property
    def runs_here(self) -> bool:
        """Whether the calling thread is that of the callbacks."""

    def stop(self) -> object:
        """Stop all callbacks, and wait for the one that runs."""

    def closed(self, hobj: int) -> None:
        """Note that a handle has been closed."""

    def deregister_all(self) -> None:
        """Forget all callbacks, as the connection ends."""

    def disconnect_later(self) -> None:
        """End the connection when the running callback has returned."""

    def finish(self) -> None:
        """Wait until no callback runs any more, because the queue manager has ended."""


@dataclass(eq=False)
class Connection:
    """A connection: its handle, and the client's state of it."""

    manager: RunningQueueManager
    """The queue manager."""
    hconn: int
    """The handle."""
    thread: int | None
    """The thread that it belongs to; None: it is shared."""
    blocks: bool = True
    """Whether a call waits for another thread's to end. If not, it fails with MQRC_CALL_IN_PROGRESS."""
    busy: bool = False
    """Whether a call is using it now."""
    channel: str = ""
    """The channel that MQCONNX named."""
    options: int = 0
    """The options of its MQCNO."""
    managers: dict[int, int] = field(default_factory=dict)
    """The handles for which the queue manager itself is open, with the options of MQOPEN."""
    read_ahead: dict[int, ReadAhead] = field(default_factory=dict)
    """The handles that read ahead."""
    contexts: Contexts = field(default_factory=Contexts)
    """The contexts that its handles have saved to pass on."""
    consumption: Consumption | None = None
    """Its callbacks; None if it never had any."""
    in_control: int | None = None
    """The one thread that may use the handle while callbacks run."""

    @property
    def conn(self) -> str:
        """The connection's name in the model."""
        return f"C{self.hconn}"

    @property
    def identifier(self) -> bytes:
        """The connection's ConnectionId."""
        return b"ORACLE".ljust(16) + self.hconn.to_bytes(8, "big")


@dataclass(frozen=True, slots=True)
class Remote:
    """An application that calls from another process."""

    manager: RunningQueueManager
    """The queue manager that it reaches."""
    user: str
    """The user that counts if it signs on without one."""
    kind: int
    """Its type, one of MQAT."""

    def named(self, name: str) -> RunningQueueManager:
        """Return the queue manager if the name is valid for it. Raises Failed otherwise."""
        if name and not name.startswith("*") and name != self.manager.name:
            raise Failed(MQRC.Q_MGR_NAME_ERROR)
        return self.manager


_RUNNING: Final[dict[str, RunningQueueManager]] = {}
_CONNECTIONS: Final[dict[int, Connection]] = {}
_BROKEN: Final[set[int]] = set()
_NUMBERS: Final = itertools.count(1)


def start(manager: RunningQueueManager) -> None:
    """Let programs connect to a queue manager; the first one started is the default.

    Raises UsageError if one with that name runs already.
    """
    if manager.name in _RUNNING:
        raise UsageError(f"a queue manager {manager.name} runs already; give one of them another name")
    _RUNNING[manager.name] = manager


def stop(manager: RunningQueueManager) -> None:
    """Let no program connect any more, and end the existing connections."""
    _RUNNING.pop(manager.name, None)
    manager.end()
    for connection in of(manager):
        if connection.consumption is not None:
            connection.consumption.finish()
        _CONNECTIONS.pop(connection.hconn, None)


def connect(
    name: str,
    share: int = SHARE_NONE,
    credentials: tuple[str, str] | None = None,
    *,
    channel: str = "",
    program: str = "",
    remote: Remote | None = None,
) -> tuple[Connection, int]:
    """Connect the calling thread, and return the connection and the reason code; `share` are the options of MQCNO.

    `program` is the name of the application if MQCNO gives one. `remote` is the application if it calls from another
    process.

    Raises Failed if there is no such queue manager, it does not let this user in, or it quiesces.
    """
    manager = _find(name) if remote is None else remote.named(name)
    user, password = credentials or ("", "")
    if manager.credentials is not None and manager.credentials.get(user) != password:
        raise Failed(MQRC.NOT_AUTHORIZED)
    thread = threading.get_ident() if not share & (SHARE_BLOCK | SHARE_NO_BLOCK) else None
    for connection in list(_CONNECTIONS.values()):
        if thread is not None and connection.thread == thread and connection.manager is manager:
            return connection, MQRC.ALREADY_CONNECTED
    connection = Connection(
        manager, next(_NUMBERS), thread, blocks=not share & SHARE_NO_BLOCK, channel=channel, options=share
    )
    who = (user_of(user), program_of(program)) if remote is None else (user or remote.user, program, remote.kind)
    reply = manager.perform(calls.Connect(connection.conn, *who))
    if reply.failed:
        raise Failed(reply.reason)
    _CONNECTIONS[connection.hconn] = connection
    return connection, MQRC.NONE


def _find(name: str) -> RunningQueueManager:
    if not _RUNNING:
        raise Failed(MQRC.Q_MGR_NOT_AVAILABLE)
    if not name or name.startswith("*"):
        return next(iter(_RUNNING.values()))
    if name not in _RUNNING:
        raise Failed(MQRC.Q_MGR_NAME_ERROR)
    return _RUNNING[name]


def of(manager: RunningQueueManager) -> list[Connection]:
    """Return the connections of programs to a queue manager."""
    return [connection for connection in _CONNECTIONS.values() if connection.manager is manager]


def fail(hconn: int) -> None:
    """End the program behind a handle: its unit of work is backed out, and its waiting call fails."""
    connection = _CONNECTIONS.pop(hconn, None)
    if connection is not None:
        _BROKEN.add(hconn)
        if connection.options & RECONNECT:
            warn("a connection that asked for MQCNO_RECONNECT is broken, and the stand-in does not make it again")
        connection.manager.perform(calls.Fail(connection.conn))


def forget(connection: Connection) -> None:
    """Forget a handle."""
    _CONNECTIONS.pop(connection.hconn, None)


def known_handles() -> int:
    """Return the number of known handles, including those of broken connections."""
    return len(_CONNECTIONS) + len(_BROKEN)


def find(hconn: int) -> Connection:
    """Return the connection of a handle.

    Raises Failed if there is none, it is broken, it belongs to another thread, or its callbacks use it.
    """
    connection = find_to_control(hconn)
    if connection.in_control not in (None, threading.get_ident()):
        raise Failed(MQRC.HCONN_ASYNC_ACTIVE)
    return connection


def find_to_control(hconn: int) -> Connection:
    """Return the connection of a handle for a call that may stop its callbacks.

    Raises Failed if there is none, it is broken, or it belongs to another thread.
    """
    connection = _CONNECTIONS.get(hconn)
    if hconn in _BROKEN:
        raise Failed(MQRC.CONNECTION_BROKEN)
    if connection is None or threading.get_ident() not in (
        connection.thread or threading.get_ident(),
        connection.in_control,
    ):
        raise Failed(MQRC.HCONN_ERROR)
    return connection


@contextmanager
def using(hconn: int) -> Iterator[Connection]:
    """Reserve a connection for one call: a shared one has one call at a time.

    Raises Failed for an invalid handle, and for a handle in use that does not block (MQRC_CALL_IN_PROGRESS).
    """
    connection = find(hconn)
    manager = connection.manager
    with manager.changed:
        while connection.busy:
            if not connection.blocks:
                raise Failed(MQRC.CALL_IN_PROGRESS)
            manager.changed.wait()
            find(hconn)
        connection.busy = True
        try:
            yield connection
        finally:
            connection.busy = False
            manager.changed.notify_all()
