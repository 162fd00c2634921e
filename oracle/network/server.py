"""The server: it listens, and sends messages to consumers.

It runs in one event loop, in a thread of its own. Other threads may use the queue manager at the same time.
"""

from __future__ import annotations

import asyncio
import itertools
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from oracle.errors import UsageError
from oracle.model.reply import Reply
from oracle.mqi import calls
from oracle.mqi.connection_layouts import NATIVE_ORDER, NATIVE_POINTERS
from oracle.mqi.constants import MQCC, MQRC
from oracle.mqi.layouts import MQMD
from oracle.network.capture import CaptureFile
from oracle.network.channel import LOG, Channel
from oracle.network.consumers import Consumer
from oracle.network.conversation import Conversation
from oracle.network.descriptors import most_connections
from oracle.network.forms import to_wire
from oracle.network.handshake import Handshake
from oracle.network.negotiation import HEARTBEAT, Offer
from oracle.standin.manager import RunningQueueManager
from oracle.standin.memory import every, written
from oracle.wire.headers import Notice
from oracle.wire.replies import Delivered

LOOPBACK: Final = "127.0.0.1"

_BLANK: Final = {
    version: MQMD.encode({"Version": version}, NATIVE_ORDER, pointer_size=NATIVE_POINTERS) for version in (1, 2)
}


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a server."""

    connections: int = 2000
    """The greatest number of connections at once."""
    patience_s: float = 30.0
    """The seconds of real time for which a handshake, flow or segment may be unfinished."""
    heartbeat_s: int = HEARTBEAT
    """The heartbeat interval in seconds; 0 if the server begins no heartbeats."""


class Server:
    """A queue manager on the network. `port` is the one that it listens on, once it has started.

    `tls` has the certificate and the key for channels with TLS, and `capture` records what passes on them. `clock`
    returns the real time in seconds, by which silent and dead clients are found.
    """

    def __init__(
        self,
        manager: RunningQueueManager,
        *,
        host: str = LOOPBACK,
        port: int = 0,
        tls: ssl.SSLContext | None = None,
        limits: Limits = Limits(),
        capture: CaptureFile | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.time: Final = clock
        self.manager: Final = manager
        self.host: Final = host
        self.port = port
        self.stopping = False
        self.identifier: Final = f"{manager.name}_{manager.state.epoch_ms}"
        self.loop: Final = asyncio.new_event_loop()
        self.loop.set_exception_handler(self._tell)
        self._told: tuple[str, float] = ("", 0.0)
        self._tls: Final = tls
        self._limits: Final = limits
        self.capture: Final = capture
        self._channels: set[Channel | Handshake] = set()
        self._most: Final = most_connections(limits.connections)
        self._consuming: dict[Consumer, tuple[Channel, Conversation]] = {}
        self._stirred = False
        self._traces: Final = itertools.count(2)
        self._thread: Final = threading.Thread(target=self._run, name=f"listener of {manager.name}", daemon=True)
        self._listener: asyncio.Server | None = None

    @property
    def offer(self) -> Offer:
        """The offer to clients."""
        return Offer(
            self.manager.name,
            self.identifier,
            self.manager.state.definition.max_msg_length,
            reads_passwords=self.manager.credentials is not None,
            protected=self._tls is not None,
            heartbeat=self._limits.heartbeat_s,
        )

    def start(self) -> None:
        """Begin to listen.

        Raises UsageError if that is impossible.
        """
        try:
            self._listener = self.loop.run_until_complete(
                self.loop.create_server(self._connection, self.host, self.port, backlog=256)
            )
        except (OSError, OverflowError) as error:
            self.loop.close()
            raise UsageError(f"cannot listen on {self.host}:{self.port}: {error}") from error
        self.port = self._listener.sockets[0].getsockname()[1]
        self.manager.services.append(self._changed)
        self.loop.call_soon(self._sweep)
        self._thread.start()

    def _connection(self) -> Channel | Handshake:
        """Return the protocol object for the next connection."""
        return Channel(self) if self._tls is None else Handshake(self, self._tls, self._limits.patience_s)

    def stop(self) -> None:
        """Close all channels and end; open units of work of applications are backed out."""
        self.stopping = True
        self.manager.services.remove(self._changed)
        self.loop.call_soon_threadsafe(self._stop)
        self._thread.join()

    def _run(self) -> None:
        try:
            self.loop.run_forever()
        finally:
            self.loop.close()

    def _stop(self) -> None:
        assert self._listener is not None  # it has started
        self._listener.close()
        for channel in list(self._channels):
            channel.abort()
        self.loop.call_soon(self.loop.call_soon, self.loop.stop)

    def _tell(self, loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:  # noqa: ARG002 - by the loop
        """Log an error outside the channels in one line; a repeated one only after a while."""
        error = context.get("exception", "no reason is known")
        why = f"{context.get('message', 'the server')}: {error if isinstance(error, (str, OSError)) else repr(error)}"
        now = self.time()
        if why != self._told[0] or now - self._told[1] > self._limits.patience_s:
            self._told = (why, now)
            LOG.warning("%s", why)

    def admit(self, channel: Channel | Handshake) -> bool:
        """Count a channel, or a connection that is to become one. Return false if there are too many."""
        if len(self._channels) >= self._most:
            return False
        self._channels.add(channel)
        return True

    def forget(self, channel: Channel | Handshake) -> None:
        """Remove a channel from the count."""
        self._channels.discard(channel)

    def conversations(self) -> Iterator[Conversation]:
        """Yield the conversations of all channels."""
        for channel in self._channels:
            if isinstance(channel, Channel):
                yield from channel.conversations.values()

    def next_trace(self) -> int:
        """Return a number that distinguishes a conversation from others."""
        return next(self._traces)

    def when_due(self, due_ms: int | None, still: Callable[[], bool]) -> None:
        """End a wait when its interval has passed in real time, if it still lasts then.

        A clock that only `advance` moves ends no wait.
        """
        if due_ms is None or self.manager.clock == "manual":
            return
        left = (due_ms - self.manager.state.now_ms) / 1000
        self.loop.call_later(max(0.0, left), self._due, due_ms, still)

    def _due(self, due_ms: int, still: Callable[[], bool]) -> None:
        if not still():
            return
        behind = 0 if self.manager.clock == "real" else due_ms - self.manager.state.now_ms
        self.manager.perform(calls.Advance(max(0, behind)))
        if self.manager.clock == "real" and still() and self.manager.state.now_ms < due_ms:
            self.loop.call_later(0.001, self._due, due_ms, still)

    def _sweep(self) -> None:
        """Check the channels: close those whose clients are dead, or silent in the middle of something."""
        for channel in list(self._channels):
            channel.look_after(self._limits.patience_s)
        often = min(self._limits.patience_s, self._limits.heartbeat_s or self._limits.patience_s)
        self.loop.call_later(max(0.02, often / 4), self._sweep)

    def consuming(self, channel: Channel, conversation: Conversation, consumer: Consumer) -> None:
        """Serve a consumer that has asked for messages."""
        with self.manager.changed:
            self._consuming[consumer] = (channel, conversation)
        due = consumer.due_ms
        self.when_due(due, lambda: consumer.outstanding and consumer.due_ms == due)
        self.stir()

    def consumed(self, consumer: Consumer) -> None:
        """Stop serving a consumer."""
        with self.manager.changed:
            self._consuming.pop(consumer, None)

    def _changed(self) -> None:
        """Handle a change in the thread that made it, with the manager's lock held.

        A request whose time is over at this moment gets nothing that comes after it.
        """
        now = self.manager.state.now_ms
        for consumer in self._consuming:
            if consumer.due_ms is not None and consumer.due_ms <= now and not consumer.confirm:
                consumer.satisfied()
        self.stir()

    def stir(self) -> None:
        """Look soon whether there is anything for consumers."""
        if self._consuming and not self._stirred:
            self._stirred = True
            if threading.get_ident() == self._thread.ident:
                self.loop.call_soon(self._serve_consumers)
            else:
                self.loop.call_soon_threadsafe(self._serve_consumers)

    def _serve_consumers(self) -> None:
        self._stirred = False
        with self.manager.changed:
            locks: dict[str, tuple[object, ...]] = {}
            for handle in self.manager.state.handles.values():
                if handle.locked:
                    locks[handle.queue] = (*locks.get(handle.queue, ()), handle.key, handle.locked)
            for consumer, (channel, conversation) in list(self._consuming.items()):
                if consumer in self._consuming and consumer.outstanding and not channel.full:
                    self._serve(consumer, channel, conversation, locks)

    def _serve(
        self, consumer: Consumer, channel: Channel, conversation: Conversation, locks: dict[str, tuple[object, ...]]
    ) -> None:
        """Send a consumer the messages that it has asked for."""
        while consumer.outstanding and not channel.full:
            sight = consumer.sight(self.manager.state, locks)
            if sight != consumer.seen:
                reply = consumer.attempt()
                if reply.reason != MQRC.NO_MSG_AVAILABLE:
                    self._give(consumer, channel, conversation, reply)
                    continue
                consumer.seen = consumer.sight(self.manager.state, locks)
            if consumer.confirm:
                self._end(consumer, channel, conversation)
            return

    def _end(self, consumer: Consumer, channel: Channel, conversation: Conversation) -> None:
        """End a request; a client that waits for an answer gets one besides the messages."""
        consumer.satisfied()
        if consumer.confirm:
            channel.outbound.notify(conversation, consumer.number, Notice.CHECK_MESSAGE, 0, consumer.request)

    def _give(self, consumer: Consumer, channel: Channel, conversation: Conversation, reply: Reply) -> None:
        """Send the outcome of a get to a consumer."""
        if reply.comp_code == MQCC.FAILED or reply.descriptor is None:
            consumer.satisfied()
            channel.outbound.notify(
                conversation, consumer.number, Notice.STREAMING_FAILURE, reply.reason, consumer.request
            )
            return
        version = consumer.selection.md_version
        descriptor = to_wire(MQMD, written(MQMD, _BLANK[version], every(reply.descriptor)), conversation.form)
        data = reply.data or b""
        index = conversation.next_index()
        sent = channel.outbound.deliver(
            conversation,
            Delivered(
                hobj=consumer.number,
                index=index,
                global_index=index,
                selection=consumer.selection.index,
                reason=reply.reason,
                total=len(data) if reply.data_length is None else reply.data_length,
                token=b"" if reply.options is None else reply.options.msg_token,
                queue="" if consumer.named else consumer.queue,
                descriptor=descriptor,
                data=data,
            ),
        )
        consumer.named = True
        consumer.credit -= sent
        if consumer.credit <= 0 or consumer.confirm:
            self._end(consumer, channel, conversation)


def tls_context(certificate: Path, key: Path) -> ssl.SSLContext:
    """Return the TLS context of channels with TLS.

    Raises UsageError for files that are not a certificate and its key.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ValueError) as error:  # ssl.SSLError among them
        raise UsageError(f"{certificate} and {key} are not a certificate and its key: {error}") from error
    return context
