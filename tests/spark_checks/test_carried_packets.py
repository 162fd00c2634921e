"""Packets in tags and tunnels: the calls are those of the packets as they are."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from fixtures.captures import ETHERNET, LINUX_COOKED, LINUX_COOKED_2, RAW_IP, TcpPacket, pcap_bytes
from fixtures.channel_talks import put_talk, read, written
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
