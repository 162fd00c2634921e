"""One client channel: flows of a client come in, its conversations' calls are carried out, and replies go out.

Everything happens in the thread of the server's event loop; no call blocks it. A call that waits is answered when its
wait ends, and later flows of its conversation are handled after that.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from oracle.errors import BadInputError
from oracle.mqi.constants import MQRC
from oracle.network import calls
from oracle.network.cancelling import SPI_NOTIFY, cancel
from oracle.network.consumers import consumer_on, read_request
from oracle.network.conversation import Conversation
from oracle.network.credentials import read_credentials, read_user
from oracle.network.heartbeats import Pulse
from oracle.network.negotiation import Agreement, agreed, answer
from oracle.network.outbound import SHORT_HEADER, Outbound
from oracle.network.stream import Inbound
from oracle.wire import replies
from oracle.wire.flows import Flow
from oracle.wire.headers import (
    ACCEPTED,
    CLOSE_CHANNEL,
    CONFIRM_REQUEST,
    ERROR,
    LONGEST_HEADER,
    REPLY,
    Header,
    Kind,
    Notice,
    segment,
)
from oracle.wire.initial import initial_bytes, read_initial
from oracle.wire.replies import OWN, Form, form_of

if TYPE_CHECKING:
    from oracle.network.server import Server

LOG: Final = logging.getLogger("oracle.network")

_STATUS_WITH_CODE: Final = 8
_CALLS: Final = range(0x81, 0xB0)
_START, _END = 1, 2
_STARTED: Final = 2
"""The state of consumers in which messages are sent to them."""

_MOST_BEHIND: Final = 16
"""The number of flows that a conversation may send behind a call that waits."""


class Channel(asyncio.Protocol):
    """One connection of a client."""

    def __init__(self, server: Server) -> None:
        self.server: Final = server
        self.name = ""
        self.agreement: Agreement | None = None
        self.conversations: dict[int, Conversation] = {}
        self.stalled_since: float | None = server.time()
        self.closed_since: float | None = None
        self.outbound: Final = Outbound(server.time, lambda data: self._keep(data, inbound=False))
        self._inbound: Final = Inbound()
        self._transport: asyncio.Transport | None = None
        self._paused = False
        self._over = False
        self._user = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Accept a connection, or refuse it if there are too many."""
        assert isinstance(transport, asyncio.Transport)  # a stream server makes no others
        self._transport = self.outbound.transport = transport
        peer, own = transport.get_extra_info("peername"), transport.get_extra_info("sockname")
        self.name = f"{peer[0]}:{peer[1]}" if peer else "a client"
        if not self.server.admit(self):
            self.close("there are too many connections")
        elif self.server.capture is not None and peer and own:
            self.server.capture.opened(self, peer[:2], own[:2])

    def data_received(self, data: bytes) -> None:
        """Take the bytes that the client has sent."""
        if self._over:
            return
        self._keep(data, inbound=True)
        self.outbound.heartbeat.heard(self.server.time())
        self.outbound.release()
        self._inbound.add(data)
        self._go_on()

    def _go_on(self) -> None:
        """Handle received flows as long as the client accepts what is sent to it."""
        try:
            while not self._over and not self._paused and (received := self._inbound.take()) is not None:
                self._take(*received)
        except BadInputError as error:
            self.close(str(error), error=True)
        waits_for_rest = self.agreement is None or self._inbound.incomplete
        if not waits_for_rest:
            self.stalled_since = None
        elif self.stalled_since is None:
            self.stalled_since = self.server.time()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - by the class above
        """End the applications that have not disconnected: their units of work are backed out."""
        self._over = True
        self.server.forget(self)
        if self.server.capture is not None:
            self.server.capture.closed(self)
        if self._end_conversations() and not self.server.stopping:
            LOG.warning("%s: the client has gone without MQDISC; its units of work are backed out", self.name)

    def _end_conversations(self) -> bool:
        """End the applications that have not disconnected, and return whether there were any."""
        died = [each.number for each in self.conversations.values() if each.fail()]
        self.conversations.clear()
        return bool(died)

    def pause_writing(self) -> None:
        """Stop reading from a client that does not accept its replies."""
        self._paused = True
        if self._transport is not None:
            self._transport.pause_reading()

    def resume_writing(self) -> None:
        """Resume reading."""
        self._paused = False
        self._go_on()
        if not self._paused and self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()
            self.server.stir()

    @property
    def full(self) -> bool:
        """Whether the client does not accept the data already sent to it."""
        return self._paused

    def close(self, why: str, *, error: bool = False) -> None:
        """Close the channel, and log the reason."""
        if self._over:
            return
        backed_out = "; its units of work are backed out" if self._end_conversations() else ""
        LOG.warning("%s: closed: %s%s", self.name, why, backed_out)
        if error and self.agreement is not None:
            header = self.outbound.header(Kind.STATUS, OWN, 1, 0, ERROR | CLOSE_CHANNEL)
            self.outbound.write(segment(header, b""))
        self._finish()

    def _finish(self) -> None:
        """Stop reading, and close the connection when the client has accepted the remaining data."""
        self._over = True
        self.outbound.release()
        self.closed_since = self.server.time()
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Close the channel at once, and drop the remaining data."""
        self._over = True
        if self._transport is not None:
            self._transport.abort()

    def look_after(self, patience_s: float) -> None:
        """Close the channel if something has been unfinished for too many seconds, or if the client is dead.

        An idle client is sent a heartbeat.
        """
        now = self.server.time()
        if self.closed_since is not None:
            if now - self.closed_since > patience_s:  # it does not even accept the remaining data
                self.abort()
            return
        if self.stalled_since is not None and now - self.stalled_since > patience_s:
            self.close(f"nothing complete has arrived for {patience_s:g} seconds")
            return
        heartbeat = self.outbound.heartbeat
        pulse = heartbeat.look(now, waits=any(each.wait is not None for each in self.conversations.values()))
        if pulse is Pulse.DEAD:
            self.close(f"no answer to a heartbeat for {heartbeat.patience_s:g} seconds")
            self.abort()
        elif pulse is Pulse.ASK:
            self.outbound.ask(now)

    def _keep(self, data: bytes, *, inbound: bool) -> None:
        if self.server.capture is not None:
            self.server.capture.passed(self, data, inbound=inbound)

    def _take(self, header: Header, flow: Flow) -> None:
        """Handle one flow."""
        if flow.kind == Kind.INITIAL:
            self._initial(header, flow)
        elif self.agreement is None:
            raise BadInputError(f"a flow of type 0x{flow.kind:02x} before the ends have agreed on anything")
        elif flow.kind == Kind.HEARTBEAT:
            if flow.control & CONFIRM_REQUEST:
                self.outbound.beat(self._form(header), 0)
        elif flow.kind == Kind.SOCKET_ACTION:
            self._socket_action(flow)
        elif flow.kind == Kind.STATUS and flow.control & (CLOSE_CHANNEL | ERROR):
            self._ended_by_client(flow)
        else:
            self._for_conversation(header, flow)

    def _form(self, header: Header) -> Form:
        return form_of(header.encoding, header.ccsid, header.order, header.charset)

    def _initial(self, header: Header, flow: Flow) -> None:
        asked = read_initial(flow)
        reply, again = answer(asked, self.server.offer)
        if self.agreement is None:
            form = Form("little", header.charset, header.encoding, header.ccsid)
        else:
            form = Form("little", header.charset, OWN.encoding, OWN.ccsid)
        size = LONGEST_HEADER if header.multiplexed else SHORT_HEADER
        what = (Kind.INITIAL, flow.conversation, flow.request, ERROR if again else 0)
        sent = Header(*what, form.order, form.encoding, form.ccsid, form.charset, size)
        self.outbound.write(segment(sent, initial_bytes(reply, form.order, form.charset)))
        self.agreement = agreed(reply)
        self._inbound.longest_segment = self.agreement.segment
        self._inbound.longest_message = self.agreement.message
        self.outbound.agree(self.agreement, self.agreement.heartbeat if self.server.offer.heartbeat else 0)
        self._conversation(flow.conversation or 1)

    def _conversation(self, number: int) -> Conversation:
        found = self.conversations.get(number)
        if found is None:
            assert self.agreement is not None  # callers have looked
            if number <= 0:
                raise BadInputError(f"{number} is not the number of a conversation")
            if len(self.conversations) >= max(1, self.agreement.conversations):
                raise BadInputError(f"more than {self.agreement.conversations} conversations, which are agreed")
            found = Conversation(number, self.server.manager, self.agreement.channel, user=self._user)
            self.conversations[number] = found
        return found

    def _socket_action(self, flow: Flow) -> None:
        """Begin or end a conversation."""
        number, action = flow.long(0), flow.long(8)
        if action == _START:
            self._conversation(number)
            body = replies.accepted_conversation(OWN, number, flow.long(4), self.server.next_trace())
            self.outbound.send(Kind.SOCKET_ACTION, body, replace(flow, conversation=number), OWN)
        elif action == _END:
            ended = self.conversations.pop(number, None)
            if ended is not None and ended.fail():
                LOG.warning("%s: an application ends without MQDISC; its unit of work is backed out", self.name)
            if flow.control & CLOSE_CHANNEL:
                self._finish()
        else:
            LOG.warning("%s: socket action %d is not known, and not answered", self.name, action)

    def _ended_by_client(self, flow: Flow) -> None:
        """Close the channel at the client's request, the usual end if conversations do not share it."""
        if flow.control & ERROR:
            code = f" (code {flow.long(4)})" if len(flow.body) >= _STATUS_WITH_CODE else ""
            LOG.warning("%s: the client ends the channel with an error%s", self.name, code)
        self._finish()

    def _for_conversation(self, header: Header, flow: Flow) -> None:
        number = flow.conversation or (1 if not header.multiplexed else 0)
        conversation = self.conversations.get(number)
        if conversation is None:
            raise BadInputError(f"a flow for conversation {number}, which was not begun")
        conversation.form = self._form(header)
        if conversation.wait is not None and flow.kind in _CALLS:
            conversation.behind.append(flow)
            if len(conversation.behind) > _MOST_BEHIND:
                raise BadInputError("too many flows behind a call that waits")
            return
        self._perform(conversation, flow)

    def _perform(self, conversation: Conversation, flow: Flow) -> None:
        if flow.kind == Kind.USERID:
            self._user = conversation.user = read_user(flow) or conversation.user
        elif flow.kind == Kind.CONAUTH:
            self._authenticate(conversation, flow)
        elif flow.kind == Kind.REQUEST_MSGS:
            self._request_messages(conversation, flow)
        elif flow.kind == Kind.NOTIFICATION:
            self._notified(conversation, flow)
        elif flow.kind == Kind.MQGET:
            self._get(conversation, flow)
        elif flow.kind == Kind.SPI and flow.long(replies.API_HEADER) == SPI_NOTIFY:
            done = cancel(self.server.conversations(), conversation, flow)
            self.outbound.send(flow.kind + REPLY, done, flow, conversation.form)
        elif flow.kind in _CALLS:
            body = calls.carry_out(conversation, flow)
            if body is not None:
                self.outbound.send(flow.kind + REPLY, body, flow, conversation.form)
        else:
            raise BadInputError(f"a flow of type 0x{flow.kind:02x}, which clients do not send")

    def _notified(self, conversation: Conversation, flow: Flow) -> None:
        """Take the state of a client's consumers: until it has started them, nothing is sent to them.

        A client that has stopped them asks again when it starts them. Other notifications need no action.
        """
        hobj, code, value = flow.long(4), flow.long(8), flow.long(12)
        if code == Notice.CONNECTION_STATE and value != _STARTED:
            for consumer in conversation.consumers.values():
                consumer.satisfied()
        if flow.control & CONFIRM_REQUEST:
            self.outbound.notify(conversation, hobj, code + 1, 0, flow.request)

    def _authenticate(self, conversation: Conversation, flow: Flow) -> None:
        conversation.user, conversation.password = read_credentials(flow, conversation.user)
        self.outbound.send(Kind.STATUS, replies.status(OWN), flow, OWN, ACCEPTED)

    def _get(self, conversation: Conversation, flow: Flow) -> None:
        """Carry out an MQGET; a call that waits is answered when its wait ends."""
        loop = self.server.loop

        def ended(body: bytes) -> None:
            # It is called before this function returns, or from another thread meanwhile: so it only leaves a note.
            loop.call_soon_threadsafe(self._waited, conversation, flow, body)

        got = calls.begin_get(conversation, flow, ended)
        if isinstance(got, bytes):
            self.outbound.send(flow.kind + REPLY, got, flow, conversation.form)
            return
        conversation.wait = got
        self.server.when_due(got.due_ms, lambda: conversation.wait is got)

    def _waited(self, conversation: Conversation, flow: Flow, body: bytes) -> None:
        """Answer a call whose wait has ended, and handle the flows behind it."""
        if conversation.wait is None or conversation.wait.flow is not flow or self._over:
            return
        conversation.wait = None
        self.outbound.send(flow.kind + REPLY, body, flow, conversation.form)
        try:
            while conversation.behind and conversation.wait is None and not self._over:
                self._perform(conversation, conversation.behind.pop(0))
        except BadInputError as error:
            self.close(str(error), error=True)

    def _request_messages(self, conversation: Conversation, flow: Flow) -> None:
        asked = read_request(flow)
        consumer = conversation.consumers.get(asked.hobj)
        if consumer is None:
            hobj, server = conversation.handle(asked.hobj), self.server
            consumer = consumer_on(server.manager, conversation.connection, asked.hobj, hobj, server.consumed)
        if consumer is None:
            self.outbound.notify(conversation, asked.hobj, Notice.STREAMING_FAILURE, MQRC.HOBJ_ERROR, flow.request)
            return
        conversation.consumers[asked.hobj] = consumer
        consumer.ask(asked)
        self.server.consuming(self, conversation, consumer)
