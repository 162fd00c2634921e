"""The packets of a capture file: pcap in all its forms, and pcapng.

Times are kept as whole nanoseconds: a capture's order of calls must not be lost to rounding. A file that
breaks off yields what stands before, and one error.
"""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from oracle.errors import BadInputError, Place
from oracle.layouts import ByteOrder

MAX_PACKET = 1 << 20
"""A longer packet is taken for a damaged length: the largest that a capture program takes is below."""

MAX_BLOCK = 1 << 24
"""The same for a block of a pcapng file, which may hold other things than a packet."""

_PCAP_MAGIC = {0xA1B2C3D4: (1000, 16), 0xA1B23C4D: (1, 16), 0xA1B2CD34: (1000, 24)}
"""By magic number: nanoseconds in the time's fraction, and the length of a packet's header."""

_PCAP_HEADER = 24
_SECTION, _INTERFACE, _OLD_PACKET, _SIMPLE_PACKET, _PACKET = 0x0A0D0D0A, 1, 2, 3, 6
_BYTE_ORDER_MAGIC = 0x1A2B3C4D
_END_OF_OPTIONS, _TIME_RESOLUTION, _TIME_OFFSET = 0, 9, 14


@dataclass(frozen=True, slots=True)
class Packet:
    """A captured packet: its number in the file (from 1), its time in nanoseconds since 1970, its link type.

    `cut` is how many bytes of its end the capture program left out.
    """

    number: int
    time_ns: int
    link: int
    data: bytes
    cut: int = 0


def looks_like_pcap(head: bytes) -> bool:
    """Tell whether a file that begins with these bytes is a capture, pcap or pcapng."""
    return _pcap_order(head) is not None or head[:4] == _SECTION.to_bytes(4, "big")


def read_packets(path: Path) -> Iterator[Packet | BadInputError]:
    """Yield the packets of a capture file, which may be compressed with gzip, and an error for what is damaged.

    Raises BadInputError if the file cannot be opened, is empty, is no capture or ends in its header.
    """
    source = str(path)
    number = 0
    try:
        with path.open("rb") as plain, _decompressed(plain) as stream:
            for packet in _opened(stream, source):
                number += isinstance(packet, Packet)
                yield packet
    except (OSError, EOFError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        message = reason or "the capture's compression is damaged or breaks off"
        place = Place(source, number + 1 if number else None)
        if not number:
            raise BadInputError(message, place) from error
        yield BadInputError(message, place)


def _decompressed(stream: BinaryIO) -> BinaryIO:
    magic = stream.read(2)
    stream.seek(0)
    return cast("BinaryIO", gzip.GzipFile(fileobj=stream)) if magic == b"\x1f\x8b" else stream


def _opened(stream: BinaryIO, source: str) -> Iterator[Packet | BadInputError]:
    head = stream.read(_PCAP_HEADER)
    if not head:
        raise BadInputError("the file is empty", Place(source))
    if not looks_like_pcap(head):
        raise BadInputError("this is no packet capture (pcap or pcapng)", Place(source))
    if len(head) < _PCAP_HEADER:
        raise BadInputError("the capture ends within its header", Place(source))
    if _pcap_order(head) is not None:
        return _pcap(stream, head, source)
    stream.seek(0)
    return iter(_Pcapng(stream, source))


def _pcap_order(head: bytes) -> ByteOrder | None:
    orders: tuple[ByteOrder, ...] = ("little", "big")
    found = (order for order in orders if int.from_bytes(head[:4], order) in _PCAP_MAGIC)
    return next(found, None) if len(head) >= 4 else None


def _pcap(stream: BinaryIO, head: bytes, source: str) -> Iterator[Packet | BadInputError]:
    order = _pcap_order(head) or "little"
    tick, header_size = _PCAP_MAGIC[int.from_bytes(head[:4], order)]
    link = int.from_bytes(head[20:24], order) & 0xFFFF
    fields = struct.Struct("<IIII" if order == "little" else ">IIII")
    number = 0
    while header := stream.read(header_size):
        number += 1
        if len(header) < header_size:
            yield BadInputError("the capture ends within a packet", Place(source, number))
            return
        seconds, fraction, size, original = fields.unpack_from(header)
        if size > MAX_PACKET:
            yield BadInputError(f"a packet of {size} bytes: the capture is damaged here", Place(source, number))
            return
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

    def __init__(self, stream: BinaryIO, source: str) -> None:
        self._stream = stream
        self._source = source
        self._order: ByteOrder = "little"
        self._interfaces: list[_Interface] = []
        self._number = 0

    def __iter__(self) -> Iterator[Packet | BadInputError]:
        try:
            while block := self._block():
                kind, body = block
                if kind == _SECTION:
                    self._interfaces.clear()
                elif kind == _INTERFACE:
                    self._interfaces.append(self._interface(body))
                elif kind in (_PACKET, _OLD_PACKET, _SIMPLE_PACKET):
                    self._number += 1
                    yield self._packet(kind, body)
        except BadInputError as error:
            if not self._interfaces and not self._number:
                raise
            yield error

    def _error(self, message: str) -> BadInputError:
        return BadInputError(message, Place(self._source, self._number + 1))

    def _int(self, data: bytes) -> int:
        return int.from_bytes(data, self._order)

    def _block(self) -> tuple[int, bytes] | None:
        """Return the next block's type and body, None at the end of the file."""
        head = self._stream.read(8)
        if not head:
            return None
        if len(head) < 8:
            raise self._error("the capture ends within a block")
        start = b""
        if head[:4] == _SECTION.to_bytes(4, "big"):
            start = self._stream.read(4)
            orders: tuple[ByteOrder, ...] = ("little", "big")
            found = [order for order in orders if int.from_bytes(start, order) == _BYTE_ORDER_MAGIC]
            if not found:
                raise self._error("the byte order of a section is not known: the capture is damaged here")
            self._order = found[0]
        size = self._int(head[4:8]) - 8 - len(start)
        if not 4 <= size <= MAX_BLOCK:
            raise self._error(f"a block of {size + 8} bytes: the capture is damaged here")
        body = self._stream.read(size)
        if len(body) < size:
            raise self._error("the capture ends within a block")
        return self._int(head[:4]), start + body[:-4]

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
        return Packet(self._number, time_ns, interface.link, body[20 : 20 + size], cut)
