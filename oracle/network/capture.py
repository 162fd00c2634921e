"""A packet capture that the server writes itself: the bytes that pass, in the form of tcpdump.

On a channel with TLS it has the plain text. Sequence numbers and handshakes are invented. The times are those of the
queue manager's clock, which may stand still, and a microsecond more for each packet.
"""

from __future__ import annotations

import logging
import struct
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from zlib import crc32

from oracle.errors import UsageError

LOG: Final = logging.getLogger("oracle.network")

_RAW_IP: Final = 101
_SNAP_LENGTH: Final = 262144
_LONGEST_PACKET: Final = 32768
_SYN, _FIN, _PUSH, _ACK = 0x02, 0x01, 0x08, 0x10
_TCP: Final = 6


Address = tuple[str, int]


@dataclass(slots=True)
class _Link:
    """A connection: its ends, the client's first, and the next sequence number of each."""

    ends: tuple[Address, Address]
    seqs: list[int]


class CaptureFile:
    """A capture file that is open for writing.

    `problem` is the reason why nothing more is written to it, if there is one. `now_ms` returns the time, in
    milliseconds since 1970. Raises UsageError if it cannot be opened.
    """

    def __init__(self, path: Path, now_ms: Callable[[], int]) -> None:
        self._path: Final = path
        self._now_ms: Final = now_ms
        self._links: dict[Hashable, _Link] = {}
        self._opened = 0
        self._last_ns = 0
        self.problem = ""
        try:
            # Nothing is buffered: after this process is killed the file has everything that has passed.
            self._file = path.open("wb", buffering=0)
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}") from error
        self._write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, _SNAP_LENGTH, _RAW_IP))

    def opened(self, key: Hashable, client: Address, server: Address) -> None:
        """Note that a connection has begun."""
        self._opened += 1
        link = self._links[key] = _Link((client, server), self._first_numbers(client, server))
        self._packet(link, 0, _SYN)
        self._packet(link, 1, _SYN | _ACK)
        self._packet(link, 0, _ACK)

    def _first_numbers(self, client: Address, server: Address) -> list[int]:
        """Return the first sequence numbers.

        As in reality, each connection needs different ones: a reader of several captures considers connections with the
        same numbers and bytes the same connection, captured at another point of the network.
        """
        of_client = crc32(repr((str(self._path), self._opened, client, server, self._now_ms())).encode())
        return [of_client, crc32(of_client.to_bytes(4, "big"))]

    def passed(self, key: Hashable, data: bytes, *, inbound: bool) -> None:
        """Record bytes that have passed on a connection."""
        link = self._links.get(key)
        if link is not None:
            for at in range(0, len(data), _LONGEST_PACKET):
                self._packet(link, 0 if inbound else 1, _PUSH | _ACK, data[at : at + _LONGEST_PACKET])

    def closed(self, key: Hashable) -> None:
        """Note that a connection has ended."""
        link = self._links.pop(key, None)
        if link is not None:
            self._packet(link, 0, _FIN | _ACK)
            self._packet(link, 1, _FIN | _ACK)

    def close(self) -> None:
        """End the capture."""
        self._file.close()

    def _packet(self, link: _Link, side: int, flags: int, data: bytes = b"") -> None:
        source, target = link.ends[side], link.ends[1 - side]
        seq, ack = link.seqs[side], link.seqs[1 - side] if flags & _ACK else 0
        tcp = struct.pack(
            ">HHIIBBHHH", source[1], target[1], seq & 0xFFFFFFFF, ack & 0xFFFFFFFF, 5 << 4, flags, 65535, 0, 0
        )
        link.seqs[side] += len(data) + bool(flags & (_SYN | _FIN))
        packet = _network(source[0], target[0], len(tcp) + len(data)) + tcp + data
        self._last_ns = max(self._now_ms() * 1_000_000, self._last_ns + 1000)
        seconds, rest = divmod(self._last_ns, 10**9)
        self._write(struct.pack("<IIII", seconds, rest, len(packet), len(packet)) + packet)

    def _write(self, data: bytes) -> None:
        if self.problem:
            return
        try:
            self._file.write(data)
        except OSError as error:  # the programs that are tested go on
            self.problem = f"{self._path} cannot be written, and ends before this: {error.strerror}"
            LOG.warning("%s", self.problem)


def _network(source: str, target: str, size: int) -> bytes:
    """Return the header of a packet with this number of bytes of TCP."""
    ends = ip_address(source.partition("%")[0]).packed, ip_address(target.partition("%")[0]).packed
    if len(ends[0]) == 16:
        return struct.pack(">IHBB", 6 << 28, size, _TCP, 64) + ends[0] + ends[1]
    return struct.pack(">BBHHHBBH", 0x45, 0, 20 + size, 0, 0, 64, _TCP, 0) + ends[0] + ends[1]
