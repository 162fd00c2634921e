"""Packets in tags and tunnels: the calls are those of the packets as they are."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from fixtures.captures import ETHERNET, LINUX_COOKED, LINUX_COOKED_2, RAW_IP, TcpPacket, pcap_bytes
from fixtures.channel_talks import columns, put_talk, read, written
from oracle.errors import BadInputError
from oracle.histories.event_log import Event
from spark_checks.readers.pcap import read_pcap

Wrapping = Callable[[bytes], bytes]


@dataclass(frozen=True)
class Carried(TcpPacket):
    """A packet that is captured within something."""

    wrapping: Wrapping = bytes

    def frame(self, link: int) -> bytes:
        """Return the packet as it is captured, whatever the link."""
        return self.wrapping(super().frame(RAW_IP))


def carried(packets: Iterable[TcpPacket], wrapping: Wrapping) -> list[TcpPacket]:
    return [
        Carried(each.time_ns, each.source, each.target, each.seq, each.ack, each.flags, each.data, wrapping)
        for each in packets
    ]


def ethernet(packet: bytes) -> bytes:
    return bytes(12) + b"\x08\x00" + packet


def within(protocol: int, body: bytes) -> bytes:
    """Return a packet between two other machines that carries something in Ethernet."""
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(body), 0, 0, 64, protocol, 0)
    return ethernet(head + bytes([10, 1, 1, 1, 10, 1, 1, 2]) + body)


def vxlan(packet: bytes) -> bytes:
    inner = ethernet(packet)
    return within(17, struct.pack(">HHHH", 50000, 4789, 16 + len(inner), 0) + b"\x08\0\0\0\0\0\1\0" + inner)


def geneve(kind: bytes, inner: bytes) -> bytes:
    """Return a packet in a tunnel of Geneve, with an option."""
    return within(17, struct.pack(">HHHH", 50000, 6081, 0, 0) + b"\x01\0" + kind + bytes(8) + inner)


def quoted(packet: bytes) -> bytes:
    """Return an ICMP message that quotes the packet, because it was too large."""
    return within(1, b"\x03\x04" + bytes(6) + packet[:68])


WRAPPINGS: dict[str, tuple[int, Wrapping]] = {
    "vlan": (ETHERNET, lambda packet: bytes(12) + b"\x81\0\0\x05\x08\0" + packet),
    "cooked-vlan": (LINUX_COOKED, lambda packet: bytes(14) + b"\x81\0\0\x05\x08\0" + packet),
    "cooked-two-tags": (LINUX_COOKED, lambda packet: bytes(14) + b"\x88\xa8\0\x05\x81\0\0\x06\x08\0" + packet),
    "cooked-2-vlan": (LINUX_COOKED_2, lambda packet: b"\x81\0" + bytes(18) + b"\0\x05\x08\0" + packet),
    "pppoe": (ETHERNET, lambda packet: bytes(12) + b"\x88\x64\x11\0\0\1" + struct.pack(">H", len(packet) + 2)
              + b"\0\x21" + packet),
    "ip-in-ip": (ETHERNET, lambda packet: within(4, packet)),
    "gre": (ETHERNET, lambda packet: within(47, b"\0\0\x08\0" + packet)),
    "gre-ethernet": (ETHERNET, lambda packet: within(47, b"\0\0\x65\x58" + ethernet(packet))),
    "erspan-2": (ETHERNET, lambda packet: within(47, b"\x10\0\x88\xbe" + bytes(12) + ethernet(packet))),
    "erspan-3": (ETHERNET, lambda packet: within(47, b"\x10\0\x22\xeb" + bytes(16) + ethernet(packet))),
    "vxlan": (ETHERNET, vxlan),
    "two-tags": (ETHERNET, lambda packet: bytes(12) + b"\x88\xa8\0\x05\x81\0\0\x06\x08\0" + packet),
    "gre-key": (ETHERNET, lambda packet: within(47, b"\x20\0\x08\0" + bytes(4) + packet)),
    "erspan-1": (ETHERNET, lambda packet: within(47, b"\0\0\x88\xbe" + ethernet(packet))),
    "geneve": (ETHERNET, lambda packet: geneve(b"\x65\x58", ethernet(packet))),
    "geneve-ip": (ETHERNET, lambda packet: geneve(b"\x08\0", packet)),
    "snap": (ETHERNET, lambda packet: bytes(12) + struct.pack(">H", len(packet) + 8) + b"\xaa\xaa\x03\0\0\0\x08\0"
             + packet),
    "ppp": (9, lambda packet: b"\0\x21" + packet),
    "ppp-address": (50, lambda packet: b"\xff\x03\0\x21" + packet),
    "authenticated": (ETHERNET, lambda packet: within(4, packet[:2] + struct.pack(">H", len(packet) + 24) + packet[4:9]
                      + b"\x33" + packet[10:20] + b"\x06\x04" + bytes(22) + packet[20:])),
}  # fmt: skip  # a line each


@pytest.mark.parametrize(("link", "wrapping"), WRAPPINGS.values(), ids=WRAPPINGS)
def test_what_carries_packets_is_taken_off(tmp_path: Path, link: int, wrapping: Wrapping) -> None:
    packets = put_talk(size=120).packets
    plain, errors = read(tmp_path, packets)
    assert plain
    assert not errors
    assert list(read_pcap(written(tmp_path, pcap_bytes(carried(packets, wrapping), link=link))))[1:] == plain


def test_a_packet_that_icmp_quotes_is_none_of_the_connection(tmp_path: Path) -> None:
    packets = put_talk().packets
    plain, _ = read(tmp_path, packets)
    lost = carried([replace(each, time_ns=each.time_ns - 1) for each in packets if each.data], quoted)
    both = sorted([*carried(packets, ethernet), *lost], key=lambda packet: packet.time_ns)
    records = list(read_pcap(written(tmp_path, pcap_bytes(both))))
    exclude = {"line"}
    found = [each.model_dump(exclude=exclude) for each in records if isinstance(each, Event)]
    assert found == [each.model_dump(exclude=exclude) for each in plain]
    assert len(records) == 1 + len(plain)


Cutting = Callable[[bytes, int, int, int, bool], bytes]
"""A function from a packet to a fragment of it, by identifier, first and last offset, and whether more follow."""


def fragment_4(packet: bytes, number: int, begin: int, end: int, more: bool) -> bytes:
    """Return a fragment of an IPv4 packet."""
    part = packet[20 + begin : 20 + end]
    flags = more << 13 | begin // 8
    return ethernet(struct.pack(">BBHHH", 0x45, 0, 20 + len(part), number, flags) + packet[8:20] + part)


def fragment_of_tunnel(packet: bytes, number: int, begin: int, end: int, more: bool) -> bytes:
    """Return a fragment of a packet that carries the packet in VXLAN."""
    return fragment_4(vxlan(packet)[14:], number, begin, end, more)


def fragment_6(packet: bytes, number: int, begin: int, end: int, more: bool) -> bytes:
    """Return a fragment of an IPv6 packet, after options for each hop."""
    part = packet[40 + begin : 40 + end]
    options = b"\x2c\0\x01\x04" + bytes(4)
    fragment = struct.pack(">BBHI", packet[6], 0, begin | more, number)
    head = packet[:4] + struct.pack(">HB", len(options) + len(fragment) + len(part), 0) + packet[7:40]
    return bytes(12) + b"\x86\xdd" + head + options + fragment + part


def fragmented(packets: Iterable[TcpPacket], cutting: Cutting, step: int = 64) -> list[TcpPacket]:
    """Return packets in fragments of `step` bytes."""
    found: list[TcpPacket] = []
    for number, packet in enumerate(packets):
        whole, nothing = (len(cutting(packet.frame(RAW_IP), number, 0, end, False)) for end in (1 << 16, 0))
        size = whole - nothing
        for begin in range(0, size, step):
            more = begin + step < size
            wrapping = partial(_cut, cutting, (number, begin, begin + step, more))
            (part,) = carried([replace(packet, time_ns=packet.time_ns + begin)], wrapping)
            found.append(part)
    return found


def _cut(cutting: Cutting, where: tuple[int, int, int, bool], packet: bytes) -> bytes:
    return cutting(packet, *where)


CUTTINGS = {"4": fragment_4, "tunnel": fragment_of_tunnel, "6": fragment_6}


@pytest.mark.parametrize("cutting", CUTTINGS.values(), ids=CUTTINGS)
@pytest.mark.parametrize("order", ["sent", "last first", "twice"])
def test_fragments_are_put_together(tmp_path: Path, cutting: Cutting, order: str) -> None:
    packets = put_talk(size=300).packets
    if cutting is fragment_6:
        packets = [replace(each, source=_long(each.source), target=_long(each.target)) for each in packets]
    plain, _ = read(tmp_path, packets)
    parts = fragmented(packets, cutting)
    if order == "last first":
        parts.sort(key=lambda part: (part.seq, part.source, -part.time_ns))
        parts.sort(key=lambda part: part.time_ns // 1000)
    if order == "twice":
        parts = [part for part in parts for _ in range(2)]
    records = list(read_pcap(written(tmp_path, pcap_bytes(parts, nanoseconds=True))))[1:]
    assert [record for record in records if isinstance(record, BadInputError)] == []
    found = [record for record in records if isinstance(record, Event)]
    names = ("call", "seq", "queue", "msg_id", "length", "digest")
    assert [columns(event, *names) for event in found] == [columns(event, *names) for event in plain]


def _long(address: tuple[str, int]) -> tuple[str, int]:
    return f"fd00::{address[0].rpartition('.')[2]}", address[1]


def test_what_a_lost_fragment_carried_is_a_gap(tmp_path: Path) -> None:
    packets = put_talk(size=300).packets
    largest = max(range(len(packets)), key=lambda at: len(packets[at].data))
    parts = fragmented(packets, fragment_4)
    lost = next(part for part in parts if part.seq == packets[largest].seq and part.data == packets[largest].data)
    records = list(read_pcap(written(tmp_path, pcap_bytes(each for each in parts if each is not lost))))
    errors = [str(record).partition(": ")[2] for record in records if isinstance(record, BadInputError)]
    size = len(packets[largest].data)
    assert errors == [f"{size} bytes of a channel before this packet are not in the capture"]


def test_a_capture_without_tcp_says_so(tmp_path: Path) -> None:
    packets = put_talk().packets
    unknown = carried(packets, lambda packet: bytes(12) + b"\x89\x09" + packet)
    records = list(read_pcap(written(tmp_path, pcap_bytes(unknown))))
    errors = [str(record).partition(": ")[2] for record in records if isinstance(record, BadInputError)]
    assert errors == [
        f"no MQ channel that can be read is in this capture; packets in which no TCP was found: {len(packets)}"
    ]
