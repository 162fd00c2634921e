"""IP packets that were sent in fragments, put together again.

Tunnels fragment packets: what they add makes a full packet too long for the network. A packet is there when its last
fragment is, whatever their order. Fragments of which others were not captured are dropped; the bytes that they carry
are then a gap in their connection.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

import dpkt

LONGEST_NS = 10**9
"""The time within which the fragments of a packet come. Identifiers of packets repeat after some seconds at best."""

MOST = 1024
"""The number of packets whose fragments are kept at once."""

_FRAGMENT_HEADER = 44
_UNIT = 8

Key = tuple[bytes, bytes, int, int]
"""Sender, receiver, protocol and identifier."""


@dataclass(slots=True)
class _Parts:
    """The fragments of a packet, by their offsets; the length is known from the last one."""

    since_ns: int
    parts: dict[int, bytes] = field(default_factory=dict)
    length: int | None = None
    whole: bool = False

    def payload(self) -> bytes | None:
        """Return the bytes of the packet; None while some are missing."""
        found = bytearray()
        for at, part in sorted(self.parts.items()):
            if at > len(found):
                return None
            found[at:] = part if at + len(part) > len(found) else found[at:]
        return bytes(found) if len(found) == self.length else None


class Fragments:
    """Fragments that wait for others."""

    def __init__(self) -> None:
        self._waiting: dict[Key, _Parts] = {}

    def whole(self, layer: dpkt.Packet, captured: bytes, at_ns: int) -> dpkt.Packet | None:
        """Return an IP packet if it is whole, or has become so; None if fragments of it are missing.

        `captured` are the bytes of the captured packet that it is in.
        """
        found = _fragment_4(layer, captured) if isinstance(layer, dpkt.ip.IP) else _fragment_6(layer, captured)
        if found is None:
            return layer
        key, offset, part, last = found
        waiting = self._waiting.get(key)
        if waiting is None or waiting.since_ns < at_ns - LONGEST_NS:
            self._waiting.pop(key, None)
            waiting = self._waiting[key] = _Parts(at_ns)
            if len(self._waiting) > MOST:
                del self._waiting[next(iter(self._waiting))]
        if waiting.whole:
            return None  # a copy of a fragment
        waiting.parts[offset] = part
        if last:
            waiting.length = offset + len(part)
        payload = waiting.payload()
        if payload is None:
            return None
        waiting.whole = True
        waiting.parts.clear()
        return _rebuilt(layer, key[2], payload)


def _fragment_4(layer: dpkt.ip.IP, captured: bytes) -> tuple[Key, int, bytes, bool] | None:
    if not layer.mf and not layer.offset:
        return None
    begin = captured.find(layer.pack_hdr())
    part = captured[begin + 4 * layer.hl : begin + layer.len] if begin >= 0 else b""
    return (layer.src, layer.dst, layer.p, layer.id), layer.offset * _UNIT, part, not layer.mf


def _fragment_6(layer: dpkt.ip6.IP6, captured: bytes) -> tuple[Key, int, bytes, bool] | None:
    header = layer.extension_hdrs.get(_FRAGMENT_HEADER)
    if header is None or not (header.m_flag or header.frag_off):
        return None
    begin, before = captured.find(layer.pack_hdr()), 0
    for each in layer.all_extension_headers:
        before += each.length
        if each is header:
            break
    head = layer.__hdr_len__
    part = captured[begin + head + before : begin + head + layer.plen] if begin >= 0 else b""
    return (layer.src, layer.dst, header.nxt, header.id), header.frag_off * _UNIT, part, not header.m_flag


def _rebuilt(layer: dpkt.Packet, protocol: int, payload: bytes) -> dpkt.Packet:
    """Return the packet with its whole payload and without options; its length is left out, as if it were too long."""
    if isinstance(layer, dpkt.ip.IP):
        return dpkt.ip.IP(struct.pack(">BBHHHBBH", 0x45, 0, 0, 0, 0, 64, protocol, 0) + layer.src + layer.dst + payload)
    return dpkt.ip6.IP6(struct.pack(">IHBB", 6 << 28, 0, protocol, 64) + layer.src + layer.dst + payload)
