"""The bodies of a queue manager's flows on a client channel.

`Form` is the other side's representation of integers and text; replies to MQI calls use that of the request.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from oracle.mqi.layouts import ASCII, ByteOrder, codec
from oracle.wire.flows import Flow
from oracle.wire.headers import CONTINUATION_HEADER

API_HEADER: Final = 16
"""The length of the header before the parameters of an MQI call, in bytes: length, codes and object handle."""

_LENGTH_ABOVE_BODY: Final = 28
"""The length in an API header exceeds that of the body by 28: it is that of the segment without 8 bytes."""

_CCSID_OF_NAMES: Final = 819


@dataclass(frozen=True)
class Form:
    """The representation of integers and text."""

    order: ByteOrder = "little"
    """The byte order of integers."""
    charset: str = ASCII
    """The Python codec for text."""
    encoding: int = 546
    """The byte order as headers state it: as MQMD.Encoding."""
    ccsid: int = _CCSID_OF_NAMES
    """The character set as headers state it, by number."""

    @cached_property
    def _sign(self) -> str:
        return "<" if self.order == "little" else ">"

    def longs(self, *values: int) -> bytes:
        """Write integers of 32 bits; unsigned ones keep their bits."""
        return struct.pack(f"{self._sign}{len(values)}I", *(value & 0xFFFFFFFF for value in values))

    def shorts(self, *values: int) -> bytes:
        """Write integers of 16 bits."""
        return struct.pack(f"{self._sign}{len(values)}H", *values)

    def text(self, value: str, size: int) -> bytes:
        """Write text padded with blanks; characters that the character set lacks become question marks."""
        return value.ljust(size)[:size].encode(self.charset, errors="replace")


OWN: Final = Form()
"""The server's form for flows that answer no request."""


def form_of(encoding: int, ccsid: int, order: ByteOrder, charset: str = "") -> Form:
    """Return the form of a segment with such a header."""
    return Form(order, charset or codec(ccsid), encoding, ccsid)


def api(form: Form, comp_code: int, reason: int, hobj: int, rest: bytes = b"") -> bytes:
    """Return the body of a reply to an MQI call."""
    length = _LENGTH_ABOVE_BODY + API_HEADER + len(rest)
    return struct.pack(">I", length) + form.longs(comp_code, reason, hobj) + rest


def connected(flow: Flow, form: Form, capabilities: int, identifier: bytes, tag: bytes) -> bytes:
    """Return the body after the API header in the reply to MQCONN: the request, and the identity of the connection."""
    asked = flow.body[API_HEADER:]
    head = asked[: 136 - API_HEADER]
    rest = form.text("FCNO", 4) + form.longs(3, capabilities) + identifier.ljust(24, b"\0")
    return (head + rest + bytes(104) + tag.ljust(128, b"\0")[:128]).ljust(len(asked), b"\0")[: len(asked)]


def opened(od: bytes, form: Form, options: int, *, extended: bool) -> bytes:
    """Return the body after the API header in the reply to MQOPEN.

    `extended`: the client sent its own structure too.
    """
    rest = od + form.longs(options)
    if extended:
        rest += form.text("FOPA", 4) + form.longs(2, 84, -1, -1, -1, -1) + form.text("", 48) + form.longs(84, 0)
    return rest


def inquired(form: Form, selectors: Sequence[int], numbers: Sequence[int], characters: bytes) -> bytes:
    """Return the body after the API header in the reply to MQINQ."""
    counts = form.longs(len(selectors), len(numbers), len(characters))
    return counts + form.longs(*selectors) + form.longs(*numbers) + characters


def status(form: Form, *values: int) -> bytes:
    """Return a status: nothing if all is well, otherwise its length, a code and a value."""
    return form.longs(4 + 4 * len(values), *values) if values else b""


def accepted_conversation(form: Form, conversation: int, request: int, trace: int) -> bytes:
    """Return the answer to a client that begins a conversation."""
    return form.longs(conversation, request, 8, 4, trace)


SPI_VERBS: Final[Sequence[tuple[int, int, int, int, int]]] = (
    (1, 2, 2, 2, 1), (2, 1, 3, 1, 1), (3, 2, 2, 3, 1), (4, 1, 1, 1, 1), (5, 1, 1, 1, 1), (6, 1, 1, 1, 1),
    (7, 1, 1, 1, 1), (8, 1, 1, 1, 1), (0, 0, 0, 0, 0), (0, 0, 0, 0, 0), (11, 1, 1, 1, 1), (12, 1, 2, 2, 1),
)  # fmt: skip  # rows
"""The verbs of the service interface, with the versions and flags that queue managers state for them."""


def spi(form: Form, flow: Flow, name: str, version: int, rest: bytes) -> bytes:
    """Return the body after the API header in the reply to a verb of the service interface.

    `name` is the eyecatcher of its output structure, whose version and length come before `rest`.
    """
    asked = flow.body[API_HEADER : API_HEADER + 24]
    return asked + form.text(name, 4) + form.longs(version, 12 + len(rest)) + rest


def spi_query(form: Form, flow: Flow) -> bytes:
    """Return the reply that lists the verbs of the service interface."""
    verbs = b"".join(form.longs(*verb) for verb in SPI_VERBS)
    return spi(form, flow, "SPQO", 1, form.longs(len(SPI_VERBS)) + verbs)


def spi_reserved(form: Form, flow: Flow, count: int, first: bytes) -> bytes:
    """Return the reply that reserves identifiers: the first one, and the byte before which they are counted up."""
    return spi(form, flow, "SPRO", 1, form.longs(count, len(first)) + first)


def spi_opened(form: Form, flow: Flow, options: bytes, od: bytes, defaults: OpenDefaults) -> bytes:
    """Return the reply to an MQOPEN through the service interface.

    `options` is the client's structure of options. After the MQOD come parameters as in command messages; their
    integers are big endian in any form.
    """
    extra = _open_parameters(defaults, form)
    offset = 12 + len(options) + len(od)
    head = options[:16] + form.longs(defaults.persistence, 1, 0, defaults.property_control)
    name = form.text("SYSTEM.PROTECTION.ERROR.QUEUE", 48)
    return spi(form, flow, "SPOO", 2, head + name + form.longs(offset, len(extra)) + od + extra)


@dataclass(frozen=True, slots=True)
class OpenDefaults:
    """The attributes that a client receives of a queue that it has opened."""

    queue: str
    """The name of the queue behind the opened object."""
    persistence: int = 0
    """The DefPersistence of the opened object."""
    property_control: int = 0
    """The PropertyControl of the queue, as a number."""


def _open_parameters(defaults: OpenDefaults, form: Form) -> bytes:
    """Return the parameters after the MQOD: 8 of them, integers and one name."""

    def number(parameter: int, value: int) -> bytes:
        return struct.pack(">4i", 3, 16, parameter, value)

    name = struct.pack(">5i", 4, 68, 6, _CCSID_OF_NAMES, 48) + defaults.queue.ljust(48).encode(ASCII, errors="replace")
    header = struct.pack(">9i", 8, 36, 3, 0, 1, 1, 0, 0, 8)
    del form  # the parameters always have the same form
    return header + number(5, 1) + name + b"".join(number(each, 0) for each in (7, 8, 9, 14, 10, 12))


def notification(form: Form, hobj: int, code: int, value: int = 0) -> bytes:
    """Return a notification to a consumer of messages."""
    return form.longs(1, hobj, code, value)


@dataclass(frozen=True, slots=True)
class Delivered:
    """A message for a consumer."""

    hobj: int
    """The client's number for the handle."""
    index: int
    """Its number among the messages that were sent."""
    global_index: int
    """The global message index, in the terms of protocol analysers. This server repeats `index`."""
    selection: int
    """The client's number for the selection by which it was got."""
    reason: int
    """The reason code with which it was got."""
    total: int
    """The length of the message's data in bytes."""
    token: bytes
    """Its MsgToken; empty for a null one."""
    queue: str
    """The queue's name, sent once for each handle."""
    descriptor: bytes
    """Its MQMD in the client's form."""
    data: bytes
    """The data, which may be shorter than `total`."""


def delivered(form: Form, message: Delivered, longest: int) -> list[bytes]:
    """Return the bodies of the segments that carry a message to a consumer, none longer than `longest` bytes."""
    name = message.queue.encode(form.charset, errors="replace")
    name += b"" if len(name) % 2 == 0 else form.text("", 1)
    first = form.longs(message.reason, len(message.data), message.total) + message.token.ljust(16, b"\0")
    first += form.shorts(1) + bytes([len(name)]) + name
    head = first + bytes(-len(first) % 4) + message.descriptor
    parts: list[bytes] = []
    at = 0
    while at < len(message.data) or not parts:
        part = message.data[at : at + longest - CONTINUATION_HEADER - len(head)]
        numbers = form.longs(1, message.hobj, message.index, message.global_index, len(part))
        parts.append(numbers + form.shorts(len(parts), message.selection) + head + part)
        head = b""
        at += len(part)
    return parts
