"""The flows that are sent to one client: their headers and segments, and the heartbeats between them.

Flows that are sent after an unanswered heartbeat are held back until something comes from the client.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from oracle.network.conversation import Conversation
from oracle.network.heartbeats import Heartbeat
from oracle.network.negotiation import Agreement
from oracle.network.stream import LONGEST_FIRST
from oracle.wire import replies
from oracle.wire.flows import Flow, segments
from oracle.wire.headers import CONFIRM_REQUEST, FIRST, LAST, LONGEST_HEADER, Header, Kind, segment
from oracle.wire.replies import OWN, Form

SHORT_HEADER: Final = 28
"""The length in bytes of a header that names no conversation."""


class Outbound:
    """The sender to one client."""

    def __init__(self, time: Callable[[], float], keep: Callable[[bytes], None]) -> None:
        self.transport: asyncio.Transport | None = None
        """The transport of the connection."""
        self.heartbeat = Heartbeat(0, shares=False, last=0.0)
        """The state of heartbeats."""
        self._time: Final = time
        self._keep: Final = keep
        self._longest_segment = LONGEST_FIRST
        self._shares = False
        self._withheld: list[bytes] = []

    def agree(self, agreement: Agreement, interval: int) -> None:
        """Take the agreement; `interval` is the greatest silence of the client in seconds, 0 for no limit."""
        self._longest_segment, self._shares = agreement.segment, agreement.shares
        self.heartbeat = Heartbeat(interval, shares=agreement.shares, last=self._time())

    def write(self, data: bytes) -> None:
        """Send bytes, unless the client has to answer a heartbeat first."""
        if self.transport is None or self.transport.is_closing():
            return
        if self.heartbeat.withholds:
            self._withheld.append(data)
            return
        self._keep(data)
        self.heartbeat.sent(self._time())
        self.transport.write(data)

    def release(self) -> None:
        """Send the flows that were held back for a heartbeat."""
        self.heartbeat.asked = None
        while self._withheld:
            self.write(self._withheld.pop(0))

    def header(self, kind: int, form: Form, conversation: int, request: int, control: int) -> Header:
        """Return the header of a segment, of the agreed length."""
        what = (kind, conversation, request, control)
        size = LONGEST_HEADER if self._shares else SHORT_HEADER
        return Header(*what, form.order, form.encoding, form.ccsid, form.charset, size)

    def send(self, kind: int, body: bytes, flow: Flow, form: Form, control: int = 0) -> None:
        """Answer a flow, in one segment, or in several if the answer is longer than a segment may be."""
        header = self.header(kind, form, flow.conversation, flow.request, control)
        if not header.splits:
            self.write(segment(header, body))
        elif len(body) + header.size <= self._longest_segment:
            whole = self.header(kind, form, flow.conversation, flow.request, control | FIRST | LAST)
            self.write(segment(whole, body))
        else:
            self.write(b"".join(segments(header, body, self._longest_segment)))

    def ask(self, now: float) -> None:
        """Send a heartbeat as a question."""
        self.beat(OWN, CONFIRM_REQUEST)
        self.heartbeat.ask(now)

    def beat(self, form: Form, control: int) -> None:
        """Send a heartbeat, which belongs to no conversation."""
        header = self.header(Kind.HEARTBEAT, form, 0, 0, control | FIRST | LAST)
        self.write(segment(replace(header, size=SHORT_HEADER, of_channel=header.multiplexed), b""))

    def notify(self, conversation: Conversation, hobj: int, code: int, value: int, request: int = 1) -> None:
        """Send a notification to a consumer."""
        header = self.header(Kind.NOTIFICATION, conversation.form, conversation.number, request, FIRST | LAST)
        self.write(segment(header, replies.notification(conversation.form, hobj, code, value)))

    def deliver(self, conversation: Conversation, message: replies.Delivered) -> int:
        """Send a message to a consumer, and return its length in bytes."""
        bodies = replies.delivered(conversation.form, message, self._longest_segment - LONGEST_HEADER)
        for number, body in enumerate(bodies):
            control = FIRST * (number == 0) | LAST * (number == len(bodies) - 1)
            header = self.header(Kind.ASYNC_MESSAGE, conversation.form, conversation.number, 1, control)
            self.write(segment(header, body))
        return len(message.descriptor) + len(message.data)
