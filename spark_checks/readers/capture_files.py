"""The packets of a capture file: pcap in all its forms, and pcapng.

Times are kept as whole nanoseconds, so that rounding does not change the order of calls. A truncated file yields its
packets and one error. After a damaged length, reading continues at the next packet.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from oracle.errors import BadInputError, Place
from oracle.mqi.layouts import ByteOrder
from oracle.text.text_files import shown
from spark_checks.readers.capture_damage import PcapPackets, Resumable, gone, next_block
from spark_checks.readers.packed import GZIP_MAGIC, opened

MAX_PACKET = 1 << 20
"""The length from which on a packet counts as damaged: the largest that a capture program takes is below it."""

MAX_BLOCK = 1 << 24
"""The same for a block of a pcapng file, which may hold other things than a packet."""

_PCAP_MAGIC = {0xA1B2C3D4: (1000, 16), 0xA1B23C4D: (1, 16), 0xA1B2CD34: (1000, 24)}
"""By magic number: nanoseconds in the time's fraction, and the length of a packet's header."""

_PCAP_HEADER = 24
_SECTION, _INTERFACE, _OLD_PACKET, _SIMPLE_PACKET, _PACKET = 0x0A0D0D0A, 1, 2, 3, 6
_KINDS = (_SECTION, _INTERFACE, _OLD_PACKET, _SIMPLE_PACKET, _PACKET)
_BYTE_ORDER_MAGIC = 0x1A2B3C4D
_PRECISE = 10**6
"""The ticks in a second from which on times are as precise as those of calls."""
_END_OF_OPTIONS, _TIME_RESOLUTION, _TIME_OFFSET = 0, 9, 14


@dataclass(frozen=True, slots=True)
class Packet:
    """A captured packet."""

    number: int
    """Its number in the file, from 1."""
    time_ns: int
    """The time at which it was captured, in nanoseconds since 1970-01-01 UTC."""
    link: int
    """Its link type: the number that says how its bytes begin."""
    data: bytes
    """Its bytes, as far as they were captured."""
    cut: int = 0
    """The number of bytes at its end that the capture program left out."""
    tick_ns: int = 0
    """The unit to which its time was truncated, if that is more than a microsecond: it passed within this time."""


def looks_like_pcap(head: bytes) -> bool:
    """Return whether a file that begins with these bytes is a capture, pcap or pcapng."""
    return _pcap_order(head) is not None or head[:4] == _SECTION.to_bytes(4, "big")


def read_packets(path: Path, most: int | None = None) -> Iterator[Packet | BadInputError]:
    """Yield the packets of a capture file, which may be compressed with gzip, and an error for each damage.

    At most `most` bytes of a compressed file are read. Raises BadInputError if the file cannot be opened, is empty, is
    no capture or ends in its header.
    """
    source = shown(path)
    number = 0
    try:
        with path.open("rb") as plain:
            packed = plain.read(len(GZIP_MAGIC)) == GZIP_MAGIC
            plain.seek(0)
            stream, raw = opened(path, most) if packed else (plain, None)
            for packet in _opened(Resumable(stream), source):
                number += isinstance(packet, Packet)
                yield packet
            if raw is not None and raw.damage is not None:
                yield BadInputError(f"the capture breaks off: {raw.damage}", Place(source, number + 1))
    except OSError as error:
        message, place = error.strerror or "cannot be read", Place(source, number + 1 if number else None)
        if not number:
            raise BadInputError(message, place) from error
        yield BadInputError(message, place)


def _opened(stream: Resumable, source: str) -> Iterator[Packet | BadInputError]:
    head = stream.ahead(_PCAP_HEADER)
    if not head:
        raise BadInputError("the file is empty", Place(source))
    if not looks_like_pcap(head):
        raise BadInputError("this is no packet capture (pcap or pcapng)", Place(source))
    if len(head) < _PCAP_HEADER:
        raise BadInputError("the capture ends within its header", Place(source))
    if _pcap_order(head) is not None:
        return _pcap(stream, stream.read(_PCAP_HEADER), source)
    return iter(_Pcapng(stream, source))


def _pcap_order(head: bytes) -> ByteOrder | None:
    orders: tuple[ByteOrder, ...] = ("little", "big")
    found = (order for order in orders if int.from_bytes(head[:4], order) in _PCAP_MAGIC)
    return next(found, None) if len(head) >= 4 else None


def _pcap(stream: Resumable, head: bytes, source: str) -> Iterator[Packet | BadInputError]:
    order = _pcap_order(head) or "little"
    tick, header_size = _PCAP_MAGIC[int.from_bytes(head[:4], order)]
    link = int.from_bytes(head[20:24], order) & 0xFFFF
    fields = struct.Struct("<IIII" if order == "little" else ">IIII")
    layout = PcapPackets(order, header_size, 10**9 // tick, MAX_PACKET)
    number, last = 0, None
    while header := stream.read(header_size):
        number += 1
        if len(header) < header_size:
            yield BadInputError("the capture ends within a packet", Place(source, number))
            return
        seconds, fraction, size, original = fields.unpack_from(header)
        near = seconds if last is None else last
        wrong = size > MAX_PACKET or not (size or original)
        if not wrong and original < size:  # a packet is hardly longer than it was on the wire: see what follows
            following = stream.ahead(size + header_size)
            wrong = len(following) != size and layout.size_at(following, size, near) is None
        if wrong:
            passed = stream.resume(layout.begins(near), layout.needed)
            message = f"a packet of {size} bytes: the capture is damaged here; {gone(passed)}"
            yield BadInputError(message, Place(source, number))
            continue
        last = seconds
        data = stream.read(size)
        if len(data) < size:
            yield BadInputError("the capture ends within a packet", Place(source, number))
            return
        yield Packet(number, seconds * 10**9 + fraction * tick, link, data, max(0, original - size))


@dataclass(frozen=True, slots=True)
class _Interface:
    link: int
    ticks_per_second: int
    offset_seconds: int


class _Pcapng:
    """Reads a pcapng file: sections, their interfaces, their packets."""

    def __init__(self, stream: Resumable, source: str) -> None:
        self._stream = stream
        self._source = source
        self._order: ByteOrder = "little"
        self._interfaces: list[_Interface] = []
        self._number = 0

    def __iter__(self) -> Iterator[Packet | BadInputError]:
        while True:
            try:
                for kind, body in iter(self._block, None):
                    if kind == _SECTION:
                        self._interfaces.clear()
                    elif kind == _INTERFACE:
                        self._interfaces.append(self._interface(body))
                    elif kind in (_PACKET, _OLD_PACKET, _SIMPLE_PACKET):
                        self._number += 1
                        yield self._packet(kind, body)
                return  # noqa: TRY300 - the file is over
            except BadInputError as error:
                if not self._interfaces and not self._number:
                    raise
                damage = error
            self._stream.read(1)
            passed = self._stream.resume(next_block(self._order, _KINDS, MAX_BLOCK), MAX_PACKET)
            yield BadInputError(f"{self._without_place(damage)}; {gone(passed)}", damage.place)
            if passed is None:
                return

    def _without_place(self, error: BadInputError) -> str:
        return str(error).removeprefix(f"{error.place}: ")

    def _error(self, message: str) -> BadInputError:
        return BadInputError(message, Place(self._source, self._number + 1))

    def _int(self, data: bytes) -> int:
        return int.from_bytes(data, self._order)

    def _block(self) -> tuple[int, bytes] | None:
        """Return the next block's type and body, None at the end of the file."""
        head = self._stream.ahead(12)
        if not head:
            return None
        if len(head) < 12:
            raise self._error("the capture ends within a block")
        if head[:4] == _SECTION.to_bytes(4, "big"):
            orders: tuple[ByteOrder, ...] = ("little", "big")
            found = [order for order in orders if int.from_bytes(head[8:], order) == _BYTE_ORDER_MAGIC]
            if not found:
                raise self._error("the byte order of a section is not known: the capture is damaged here")
            self._order = found[0]
        size = self._int(head[4:8])
        if not 12 <= size <= MAX_BLOCK:
            raise self._error(f"a block of {size} bytes: the capture is damaged here")
        block = self._stream.ahead(size)
        if len(block) < size:
            raise self._error("the capture ends within a block")
        if block[-4:] != head[4:8]:
            raise self._error(f"a block of {size} bytes that does not end so: the capture is damaged here")
        self._stream.read(size)
        return self._int(head[:4]), block[8:-4]

    def _interface(self, body: bytes) -> _Interface:
        if len(body) < 8:
            raise self._error("an interface without a description: the capture is damaged here")
        ticks, offset = 10**6, 0
        at = 8
        while at + 4 <= len(body):
            option, size = self._int(body[at : at + 2]), self._int(body[at + 2 : at + 4])
            value = body[at + 4 : at + 4 + size]
            if option == _END_OF_OPTIONS:
                break
            if option == _TIME_RESOLUTION and len(value) == 1:
                ticks = 2 ** (value[0] & 0x7F) if value[0] & 0x80 else 10 ** value[0]
            elif option == _TIME_OFFSET and len(value) == 8:
                offset = int.from_bytes(value, self._order, signed=True)
            at += 4 + (size + 3) // 4 * 4
        return _Interface(self._int(body[:2]), ticks, offset)

    def _packet(self, kind: int, body: bytes) -> Packet | BadInputError:
        place = Place(self._source, self._number)
        if kind == _SIMPLE_PACKET:
            return BadInputError("a packet without a time is not read", place)
        index = self._int(body[: 4 if kind == _PACKET else 2])
        size = self._int(body[12:16])
        if len(body) < 20 + size or index >= len(self._interfaces):
            return BadInputError("a damaged packet is not read", place)
        interface = self._interfaces[index]
        ticks = self._int(body[4:8]) << 32 | self._int(body[8:12])
        time_ns = interface.offset_seconds * 10**9 + ticks * 10**9 // interface.ticks_per_second
        if not 0 <= time_ns < 2**63:
            return BadInputError("a packet with an impossible time is not read", place)
        cut = max(0, self._int(body[16:20]) - size)
        tick_ns = 10**9 // interface.ticks_per_second if interface.ticks_per_second < _PRECISE else 0
        return Packet(self._number, time_ns, interface.link, body[20 : 20 + size], cut, tick_ns)
