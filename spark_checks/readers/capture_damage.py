"""Recovery in a damaged capture file: the place at which the next packet or block plausibly begins.

A packet's length gives the place of the next one, so one wrong length would lose all that follows. A place counts as
the next packet if its time is near the last one, its lengths agree, and the bytes after it begin like a packet too or
the file ends there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, Final

from oracle.mqi.layouts import ByteOrder

LONGEST_WAY: Final = 1 << 26
"""The number of bytes that are searched for the next packet before the rest of a file is given up."""

_BLOCK: Final = 1 << 20
_NEAR_SECONDS: Final = 24 * 3600
_PCAP_FIELDS: Final = 16
_HAS_BYTES: Final = rb"(?!.{8}\0{4})"
_LINK_HEADER: Final = 64
"""The bytes by which a packet may exceed its stated length: captures of all interfaces do not count link headers."""


class Resumable:
    """A stream of bytes with lookahead."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._buffer = b""
        self._at = 0

    def ahead(self, count: int) -> bytes:
        """Return the next bytes, `count` or all that are left, without taking them."""
        left = len(self._buffer) - self._at
        if left < count:
            parts = [self._buffer[self._at :]]
            while left < count and (block := self._stream.read(max(_BLOCK, count - left))):
                parts.append(block)
                left += len(block)
            self._buffer, self._at = b"".join(parts), 0
        return self._buffer[self._at : self._at + count]

    def read(self, count: int) -> bytes:
        """Take the next bytes, `count` or all that are left."""
        data = self.ahead(count)
        self._at += len(data)
        return data

    def resume(self, begins: Callable[[bytes], int | None], needed: int) -> int | None:
        """Go to the next place at which something begins, and return the number of skipped bytes.

        `begins` finds a place in bytes; it looks at up to `needed` bytes from each. Returns None, with nothing left to
        read, if there is no such place within LONGEST_WAY.
        """
        passed = 0
        while passed < LONGEST_WAY:
            data = self.ahead(_BLOCK + needed)
            found = begins(data)
            if found is not None and (found <= _BLOCK or len(data) < _BLOCK + needed):
                self._at += found
                return passed + found
            if len(data) < _BLOCK + needed:
                break
            self._at += _BLOCK
            passed += _BLOCK
        self._buffer, self._at, self._stream = b"", 0, _Nothing()  # type: ignore[assignment]  # reads like a stream
        return None


class _Nothing:
    def read(self, _: int) -> bytes:
        return b""


@dataclass(frozen=True, slots=True)
class PcapPackets:
    """The layout of packets in a pcap file."""

    order: ByteOrder
    """The byte order of the headers."""
    header_size: int
    """The number of bytes of a packet's header."""
    fractions: int
    """The number of units in a second: a million, or a thousand million."""
    longest: int
    """The greatest number of bytes of a packet that the file holds."""

    def size_at(self, data: bytes, at: int, seconds: int) -> int | None:
        """Return the size in bytes of a packet that begins in data, near a time; None if none does."""
        if at + self.header_size > len(data):
            return None
        fields = (int.from_bytes(data[at + i : at + i + 4], self.order) for i in range(0, _PCAP_FIELDS, 4))
        when, part, size, whole = fields
        near = abs(when - seconds) <= _NEAR_SECONDS and part < self.fractions
        return self.header_size + size if near and 0 < size <= min(whole + _LINK_HEADER, self.longest) else None

    def begins(self, seconds: int) -> Callable[[bytes], int | None]:
        """Return a function that finds a packet of about a time in bytes, for Resumable.resume."""
        high = {(seconds + change) >> 16 & 0xFFFF for change in (-_NEAR_SECONDS, 0, _NEAR_SECONDS)}
        pairs = b"|".join(re.escape(each.to_bytes(2, self.order)) for each in sorted(high))
        time = b"(?=..(?:%b))" if self.order == "little" else b"(?=(?:%b))"
        near = re.compile(time % pairs + _HAS_BYTES, re.DOTALL)

        def find(data: bytes) -> int | None:
            for found in near.finditer(data):
                size = self.size_at(data, found.start(), seconds)
                end = found.start() + (size or 0)
                if size and (end == len(data) or self.size_at(data, end, seconds)):
                    return found.start()
            return None

        return find

    @property
    def needed(self) -> int:
        """The number of bytes that `begins` looks at from the place where a packet begins."""
        return self.longest + 2 * self.header_size


def next_block(order: ByteOrder, kinds: tuple[int, ...], longest: int) -> Callable[[bytes], int | None]:
    """Return a function that finds a block of certain kinds in a pcapng file: its length is at both of its ends."""
    marks = b"|".join(re.escape(kind.to_bytes(4, order)) for kind in kinds)
    pattern = re.compile(b"(?=%b)" % marks)

    def find(data: bytes) -> int | None:
        for found in pattern.finditer(data):
            at = found.start()
            size = int.from_bytes(data[at + 4 : at + 8], order)
            if 12 <= size <= longest and size % 4 == 0 and data[at + size - 4 : at + size] == data[at + 4 : at + 8]:
                return at
        return None

    return find


def gone(passed: int | None) -> str:
    """Say what was not read in a damaged capture."""
    return "the rest is not read" if passed is None else f"{passed:,} bytes are skipped"
