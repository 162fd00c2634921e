"""The TLS handshake at the beginning of a channel, which fails for a client without TLS or with another version.

The event loop's own TLS servers end such connections silently; here they are logged.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from typing import TYPE_CHECKING, Final

from oracle.network.channel import Channel

if TYPE_CHECKING:
    from oracle.network.server import Server

LOG: Final = logging.getLogger("oracle.network")


class Handshake(asyncio.Protocol):
    """A connection during the TLS handshake; afterwards a channel takes it over.

    `patience_s` is the greatest duration in seconds.
    """

    def __init__(self, server: Server, context: ssl.SSLContext, patience_s: float) -> None:
        self._server: Final = server
        self._context: Final = context
        self._patience_s: Final = patience_s
        self._early = b""
        self._transport: asyncio.Transport | None = None
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin the handshake, unless there are too many connections."""
        assert isinstance(transport, asyncio.Transport)  # a stream server makes no others
        self._transport = transport
        if self._server.admit(self):
            self._task = self._server.loop.create_task(self._agree(transport))
        else:
            self._close("there are too many connections")

    def data_received(self, data: bytes) -> None:
        """Keep bytes that come with the end of the handshake, before the channel exists."""
        self._early += data

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - by the class above
        """Remove the connection from the count."""
        self._server.forget(self)

    def look_after(self, patience_s: float) -> None:
        """Do nothing: the handshake has a time limit of its own."""

    def abort(self) -> None:
        """Close the connection at once."""
        if self._task is not None:
            self._task.cancel()
        if self._transport is not None:
            self._transport.abort()

    async def _agree(self, transport: asyncio.Transport) -> None:
        loop, patience_s = self._server.loop, self._patience_s
        try:
            secured = await loop.start_tls(
                transport, self, self._context, server_side=True, ssl_handshake_timeout=patience_s
            )
        except OSError as error:  # ssl.SSLError and the time-out among them
            why = str(error) or "the client has closed the connection"
            self._close(f"no TLS could be agreed on; does the client name a CipherSuite? ({why})")
            return
        finally:
            self._server.forget(self)
        if secured is not None and not secured.is_closing():
            channel = Channel(self._server)
            secured.set_protocol(channel)
            channel.connection_made(secured)
            if self._early:
                channel.data_received(self._early)

    def _close(self, why: str) -> None:
        transport = self._transport
        assert transport is not None  # there is a connection
        peer = transport.get_extra_info("peername")
        if not self._server.stopping:
            LOG.warning("%s: closed: %s", f"{peer[0]}:{peer[1]}" if peer else "a client", why)
        transport.abort()
