"""Transmission segment headers, which precede everything that a client channel carries.

An MQ channel sends segments, each with a header whose eyecatcher is `TSH `, `TSHM` (with a conversation and a request
number) or `TSHC`. IBM does not document the layout; it is read here as public protocol analysers read it, and was
checked against real traffic.

>>> header = Header(kind=Kind.MQCMIT, conversation=1, control=FIRST | LAST)
>>> read_header(segment(header, b"body")).length
40
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from oracle.mqi.layouts import ASCII, EBCDIC, ByteOrder, codec

MAX_SEGMENT: Final = 1 << 24
"""A length above this counts as wrong: channels negotiate segments of some 32 kilobytes."""


class Kind(IntEnum):
    """The segment types that this project recognizes; the type of an MQI reply is that of its request + 16."""

    INITIAL = 0x01
    MESSAGE = 0x04
    STATUS = 0x05
    USERID = 0x08
    HEARTBEAT = 0x09
    CONAUTH = 0x0A
    SOCKET_ACTION = 0x0C
    ASYNC_MESSAGE = 0x0D
    REQUEST_MSGS = 0x0E
    NOTIFICATION = 0x0F
    MQCONN = 0x81
    MQDISC = 0x82
    MQOPEN = 0x83
    MQCLOSE = 0x84
    MQGET = 0x85
    MQPUT = 0x86
    MQPUT1 = 0x87
    MQSET = 0x88
    MQINQ = 0x89
    MQCMIT = 0x8A
    MQBACK = 0x8B
    SPI = 0x8C
    MQSTAT = 0x8D


class Notice(IntEnum):
    """The subject of a notification; the reply to one has its code + 1."""

    CONNECTION_STATE = 3
    QUEUE_STATE = 5
    TRANSACTION = 8
    CHECK_MESSAGE = 11
    STREAMING_FAILURE = 14


REPLY: Final = 0x10
"""The difference of a reply's type from its request's."""

CONFIRM_REQUEST: Final = 0x01
"""Control flag of initial data sent by the side that starts the channel, and of a heartbeat that wants an answer."""

ERROR: Final = 0x02
"""Control flag: the flow reports an error."""

CLOSE_CHANNEL: Final = 0x08
"""Control flag: nothing comes after this."""

FIRST: Final = 0x10
LAST: Final = 0x20
"""Control flags: the first and the last segment of a flow."""

ACCEPTED: Final = 0x40
"""Control flag: the request is granted."""

LONGEST_HEADER: Final = 36
CONTINUATION_HEADER: Final = 24
"""The header before the data of a delivered message's second and later segments, in bytes."""

_COMPRESSED: Final = 0x03
_SHORT_HEADER: Final = 28
_KINDS: Final = frozenset(
    kind
    for first, last in ((0x01, 0x0F), (0x81, 0x8F), (0x91, 0x9F), (0xA1, 0xAA), (0xB1, 0xBA))
    for kind in range(first, last + 1)
)
EYECATCHERS: Final[dict[bytes, tuple[int, bool]]] = {
    text.encode(code): (size, code == EBCDIC)
    for code in ("ascii", EBCDIC)
    for text, size in (("TSH ", _SHORT_HEADER), ("TSHC", _SHORT_HEADER), ("TSHM", LONGEST_HEADER))
}
"""By eyecatcher, the header's length in bytes, and whether its text is EBCDIC."""

_OF_CHANNEL: Final = tuple("TSHC".encode(code) for code in ("ascii", EBCDIC))

_SHORT: Final = struct.Struct(">4sIBBBB8s")
_LONG: Final = struct.Struct(">4sIIIBBBB8s")
_FORM: Final[dict[ByteOrder, struct.Struct]] = {"big": struct.Struct(">IHH"), "little": struct.Struct("<IHH")}


@dataclass(frozen=True, slots=True)
class Header:
    """A segment header."""

    kind: int
    """The segment type. Types other than those of Kind are possible."""
    conversation: int = 0
    """The number of the conversation; 0 if it names none."""
    request: int = 0
    """The number of the request, which the reply has too."""
    control: int = 0
    """The control flags, as a sum."""
    order: ByteOrder = "little"
    """The byte order of integers in the rest of the segment."""
    encoding: int = 546
    """The representation of integers."""
    ccsid: int = 819
    """The character set of text."""
    charset: str = ASCII
    """The Python codec for `ccsid`."""
    size: int = LONGEST_HEADER
    """The length of the header in bytes."""
    length: int = 0
    """The length of the whole segment in bytes."""
    compressed: bool = False
    """Whether the rest of the segment is compressed."""
    of_channel: bool = False
    """Whether the segment belongs to a channel with conversations but to none of them."""

    @property
    def key(self) -> tuple[int, int, int]:
        """The values that the segments of one flow have in common."""
        return self.conversation, self.request, self.kind

    @property
    def splits(self) -> bool:
        """Whether flows of this type may have several segments."""
        return self.kind > 0x80 or self.kind == Kind.ASYNC_MESSAGE

    @property
    def multiplexed(self) -> bool:
        """Whether the header names a conversation."""
        return self.size == LONGEST_HEADER


def read_header(data: bytes) -> Header | None:
    """Return the header at the beginning of `data`, or None if there is none or it is not complete."""
    size, ebcdic = EYECATCHERS.get(data[:4], (0, False))
    if not size or len(data) < size:
        return None
    conversation = request = 0
    if size == LONGEST_HEADER:
        _, length, conversation, request, order_code, kind, control, control2, _ = _LONG.unpack_from(data)
    else:
        _, length, order_code, kind, control, control2, _ = _SHORT.unpack_from(data)
    if not size <= length <= MAX_SEGMENT or order_code not in (1, 2) or kind not in _KINDS:
        return None
    order: ByteOrder = "big" if order_code == 1 else "little"
    encoding, ccsid, _ = _FORM[order].unpack_from(data, size - 8)
    return Header(
        kind=kind,
        conversation=conversation,
        request=request,
        control=control,
        order=order,
        encoding=encoding,
        ccsid=ccsid,
        charset=EBCDIC if ebcdic else codec(ccsid),
        size=size,
        length=length,
        compressed=bool(control2 & _COMPRESSED),
        of_channel=data[:4] in _OF_CHANNEL,
    )


def may_become_header(data: bytes) -> bool:
    """Return whether `data` are too short to say that they are no header."""
    if len(data) < 4:
        return any(eyecatcher.startswith(data) for eyecatcher in EYECATCHERS)
    return len(data) < EYECATCHERS.get(data[:4], (0, False))[0]


def segment(header: Header, body: bytes) -> bytes:
    """Return a segment: a header with the right length, and its body."""
    code = EBCDIC if header.charset == EBCDIC else "ascii"
    order_code = 1 if header.order == "big" else 2
    rest = (order_code, header.kind, header.control, 0, bytes(8))
    length = header.size + len(body)
    if header.multiplexed:
        first = _LONG.pack("TSHM".encode(code), length, header.conversation, header.request, *rest)
    else:
        first = _SHORT.pack(("TSHC" if header.of_channel else "TSH ").encode(code), length, *rest)
    return first + _FORM[header.order].pack(header.encoding, header.ccsid, 0) + body
