"""Client-channel segments: from the bytes of one direction of a channel to the flows that they carry.

An MQ channel sends segments, each with a transmission segment header whose eyecatcher is `TSH `, `TSHM`
(with a conversation and a request number) or `TSHC`. A flow is what one side says at once: an MQI
request or its reply, a delivered message, a status. Short flows are one segment, long ones several.

The layout is not documented by IBM; it is read here as public protocol analysers read it, and was checked
against real traffic. Nothing here knows packets: bytes may as well come from a client's trace.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from operator import attrgetter

from oracle.errors import BadInputError, Place
from oracle.layouts import EBCDIC, ByteOrder, codec

MAX_SEGMENT = 1 << 24
"""A length above this is taken for a wrong one: channels negotiate segments of some 32 kilobytes."""


class Kind(IntEnum):
    """The segment types by which this project knows what a flow is; an MQI reply is its request + 16."""

    INITIAL = 0x01
    MESSAGE = 0x04
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


REPLY = 0x10
"""What a reply's type is above its request's."""

CONFIRM_REQUEST = 0x01
"""Control flag of initial data sent by the side that starts the channel."""

_FIRST, _LAST, _COMPRESSED = 0x10, 0x20, 0x03
_KINDS = frozenset(
    kind
    for first, last in ((0x01, 0x0F), (0x81, 0x8F), (0x91, 0x9F), (0xA1, 0xAA), (0xB1, 0xBA))
    for kind in range(first, last + 1)
)
_EYECATCHERS: dict[bytes, tuple[int, bool]] = {
    text.encode(code): (size, code == EBCDIC)
    for code in ("ascii", EBCDIC)
    for text, size in (("TSH ", 28), ("TSHC", 28), ("TSHM", 36))
}
_since, _until = attrgetter("since_ns"), attrgetter("time_ns")
_EYECATCHER = re.compile(b"TSH[ CM]|\xe3\xe2\xc8[\x40\xc3\xd4]")
_LONGEST_HEADER = 36
_CONTINUATION_HEADER = 24  # of a delivered message's second and later segments


@dataclass(frozen=True, slots=True, order=True)
class Sighting:
    """Where and when bytes were seen: a packet number or line, and nanoseconds since 1970-01-01 UTC.

    A capture may show bytes after the answer to them: they passed up to `late_ns` before. Where several files are
    read as one, `line` counts through all of them, and `place` is the file and the number in it.
    """

    line: int
    time_ns: int
    late_ns: int = 0
    place: Place | None = field(default=None, compare=False)

    @property
    def since_ns(self) -> int:
        """The earliest time at which the bytes can have passed."""
        return self.time_ns - self.late_ns

    def where(self, source: str) -> Place:
        """Return the place to tell the user; `source` is the file if there is only one."""
        return self.place or Place(source, self.line)


@dataclass(frozen=True, slots=True)
class Flow:
    """One flow: its type, to whom it belongs, how its fields are written, and its bytes after the header.

    `whole` is false where the end of the body is missing. `first` and `last` are where its bytes were seen.
    """

    kind: int
    conversation: int
    request: int
    control: int
    order: ByteOrder
    charset: str
    body: bytes
    whole: bool
    first: Sighting
    last: Sighting

    def long(self, offset: int) -> int:
        """Return the signed 32-bit integer at an offset; raises BadInputError if the body is too short."""
        if len(self.body) < offset + 4:
            raise BadInputError(f"a flow of type 0x{self.kind:02x} ends after {len(self.body)} bytes")
        return int.from_bytes(self.body[offset : offset + 4], self.order, signed=True)


@dataclass(frozen=True, slots=True)
class _Header:
    size: int
    length: int
    kind: int
    conversation: int
    request: int
    control: int
    compressed: bool
    order: ByteOrder
    charset: str

    @property
    def key(self) -> tuple[int, int, int]:
        return self.conversation, self.request, self.kind

    @property
    def splits(self) -> bool:
        """Whether flows of this type may have several segments."""
        return self.kind > 0x80 or self.kind == Kind.ASYNC_MESSAGE


@dataclass(slots=True)
class _Begun:
    """A flow of which at least the first segment has come."""

    header: _Header
    parts: list[bytes]
    first: Sighting
    last: Sighting

    def flow(self, *, whole: bool) -> Flow:
        head = self.header
        return Flow(
            kind=head.kind,
            conversation=head.conversation,
            request=head.request,
            control=head.control,
            order=head.order,
            charset=head.charset,
            body=b"".join(self.parts),
            whole=whole,
            first=self.first,
            last=self.last,
        )


def _read_header(data: bytes) -> _Header | None:
    """Return the header at the beginning of `data`, or None if there is none or not yet all of it."""
    size, ebcdic = _EYECATCHERS.get(data[:4], (0, False))
    if not size or len(data) < size:
        return None
    length = int.from_bytes(data[4:8], "big")
    numbers = (data[8:12], data[12:16]) if size == _LONGEST_HEADER else (b"", b"")
    conversation, request = (int.from_bytes(number, "big") for number in numbers)
    order_code, kind, control, control2 = data[size - 20 : size - 16]
    if not size <= length <= MAX_SEGMENT or order_code not in (1, 2) or kind not in _KINDS:
        return None
    order: ByteOrder = "big" if order_code == 1 else "little"
    charset = EBCDIC if ebcdic else codec(int.from_bytes(data[size - 4 : size - 2], order))
    return _Header(size, length, kind, conversation, request, control, bool(control2 & _COMPRESSED), order, charset)


def _may_become_header(data: bytes) -> bool:
    """Tell whether `data` are too short to say that they are no header."""
    if len(data) < 4:
        return any(eyecatcher.startswith(data) for eyecatcher in _EYECATCHERS)
    return len(data) < _EYECATCHERS.get(data[:4], (0, False))[0]


class FlowStream:
    """Reads the flows of one direction of a channel out of its bytes, in order.

    Bytes before the first header are passed over: a capture may begin anywhere.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._buffer = bytearray()
        self._end = 0
        self._marks: deque[tuple[int, Sighting]] = deque()
        self.aligned = False
        """Whether the bytes are known to be segments, that is since a header was found and until bytes are missing."""
        self._begun: dict[tuple[int, int, int], _Begun] = {}

    def feed(self, data: bytes, seen: Sighting) -> Iterator[Flow | BadInputError]:
        """Take the next bytes, seen at one place, and yield the flows that they complete.

        Yields an error where no header stands when one is due; reading goes on at the next header.
        """
        self._buffer += data
        self._end += len(data)
        self._marks.append((self._end, seen))
        while self._buffer and (self.aligned or self._align()):
            head = bytes(self._buffer[:_LONGEST_HEADER])
            header = _read_header(head)
            if header is not None and len(self._buffer) >= header.length:
                yield from self._take(header)
            elif header is not None or _may_become_header(head):
                return
            else:
                self.aligned = False
                yield BadInputError("no segment header where one is due", self._place(seen))

    def lose(self) -> Iterator[Flow]:
        """Note that bytes are missing here: yield what was begun, and look for the next header."""
        self._drop(len(self._buffer))
        self.aligned = False
        begun, self._begun = self._begun, {}
        yield from (flow.flow(whole=False) for flow in begun.values())

    def finish(self) -> Iterator[Flow | BadInputError]:
        """Yield what was begun when the bytes end, and an error if they end within a segment."""
        if self.aligned and self._buffer:
            yield BadInputError("a channel's bytes end within a segment", self._place(self._marks[-1][1]))
        yield from self.lose()

    def _place(self, seen: Sighting) -> Place:
        return seen.where(self._source)

    def _align(self) -> bool:
        """Drop bytes up to what is or may become a header; false as long as it is not sure to be one."""
        data = bytes(self._buffer)
        for match in _EYECATCHER.finditer(data):
            head = data[match.start() : match.start() + _LONGEST_HEADER]
            if _may_become_header(head):
                self._drop(match.start())
                return False
            if _read_header(head) is not None:
                self._drop(match.start())
                self.aligned = True
                return True
        self._drop(max(0, len(data) - 3))
        return False

    def _drop(self, count: int) -> None:
        del self._buffer[:count]
        start = self._end - len(self._buffer)
        while self._marks and self._marks[0][0] <= start:
            self._marks.popleft()

    def _take(self, header: _Header) -> Iterator[Flow | BadInputError]:
        """Take one segment out of the buffer and yield the flow that it completes."""
        end = self._end - len(self._buffer) + header.length
        first = last = self._marks[0][1]
        for upto, seen in self._marks:
            first, last = min(first, seen, key=_since), max(last, seen, key=_until)
            if upto >= end:
                break
        body = bytes(self._buffer[header.size : header.length])
        self._drop(header.length)
        if header.compressed:
            yield BadInputError("compressed channel data are not read", self._place(first))
        elif header.splits:
            yield from self._join(header, body, first, last)
        else:
            yield _Begun(header, [body], first, last).flow(whole=True)

    def _join(self, header: _Header, body: bytes, first: Sighting, last: Sighting) -> Iterator[Flow]:
        """Add a segment to the flow that it continues; one whose beginning was not seen is passed over."""
        begun = self._begun.pop(header.key, None)
        if header.control & _FIRST:
            if begun:
                yield begun.flow(whole=False)
            begun = _Begun(header, [body], first, last)
        elif begun:
            begun.parts.append(body[_CONTINUATION_HEADER:] if header.kind == Kind.ASYNC_MESSAGE else body)
            begun.first, begun.last = min(begun.first, first, key=_since), max(begun.last, last, key=_until)
        else:
            return
        if header.control & _LAST:
            yield begun.flow(whole=True)
        else:
            self._begun[header.key] = begun
