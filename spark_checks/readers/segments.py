"""The TCP segments in captured packets."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from ipaddress import ip_address

import dpkt

from spark_checks.readers.capture_files import Packet

LINKS = {
    0: dpkt.loopback.Loopback,
    1: dpkt.ethernet.Ethernet,
    12: dpkt.ip.IP,
    14: dpkt.ip.IP,
    101: dpkt.ip.IP,
    108: dpkt.loopback.Loopback,
    113: dpkt.sll.SLL,
    228: dpkt.ip.IP,
    229: dpkt.ip6.IP6,
    276: dpkt.sll2.SLL2,
}
"""By link type: what the packets begin with."""

_RAW = (12, 14, 101)
_DAMAGED = (dpkt.Error, struct.error, ValueError, IndexError, KeyError, AttributeError, TypeError)
"""What dpkt raises for packets that are not what their headers say."""

Address = tuple[bytes, int]
Ends = tuple[Address, Address]


@dataclass(frozen=True, slots=True)
class Segment:
    """A TCP segment."""

    source: Address
    """The address of its sender."""
    target: Address
    """The address to which it goes."""
    seq: int
    """Its sequence number."""
    ack: int | None
    """The number up to which the sender has all bytes of the other side. None if it acknowledges nothing."""
    syn: bool
    """Whether it has SYN, with which each side begins."""
    ends: bool
    """Whether its sender sends no more: it has FIN or RST."""
    data: bytes
    """Its data, as far as they were captured."""
    cut: int
    """How many bytes of its data the capture left out."""

    @property
    def starts(self) -> bool:
        """Whether this opens a connection."""
        return self.syn and self.ack is None


def segment_in(packet: Packet) -> Segment | None:
    """Return the TCP segment in a packet; None if it has another protocol, is a fragment or is damaged."""
    begins_with = LINKS.get(packet.link)
    if begins_with is None or not packet.data:
        return None
    if packet.link in _RAW and packet.data[0] >> 4 == 6:
        begins_with = dpkt.ip6.IP6
    networks = (dpkt.ip.IP, dpkt.ip6.IP6)
    try:
        outer = begins_with(packet.data)
        network = outer if isinstance(outer, networks) else outer.data
        tcp = network.data if isinstance(network, networks) else None
    except _DAMAGED:
        return None
    if not isinstance(tcp, dpkt.tcp.TCP):
        return None
    data = bytes(tcp.data)
    return Segment(
        source=(network.src, tcp.sport),
        target=(network.dst, tcp.dport),
        seq=tcp.seq,
        ack=tcp.ack if tcp.flags & dpkt.tcp.TH_ACK else None,
        syn=bool(tcp.flags & dpkt.tcp.TH_SYN),
        ends=bool(tcp.flags & (dpkt.tcp.TH_FIN | dpkt.tcp.TH_RST)),
        data=data,
        cut=_cut(packet, network, tcp, len(data)) if packet.cut else 0,
    )


def _cut(packet: Packet, network: dpkt.Packet, tcp: dpkt.tcp.TCP, captured: int) -> int:
    """Return how many bytes of data are missing; a cut packet may have lost the padding after them only."""
    if isinstance(network, dpkt.ip.IP) and network.len:
        sent = int(network.len) - 4 * int(network.hl) - 4 * int(tcp.off)
        return max(0, sent - captured)
    return packet.cut


def address_text(address: Address) -> str:
    """Return an address as HOST:PORT."""
    host = ip_address(address[0])
    return f"[{host}]:{address[1]}" if host.version == 6 else f"{host}:{address[1]}"


def is_loopback(address: Address) -> bool:
    """Return whether an address is that of the machine itself, which every machine has."""
    return ip_address(address[0]).is_loopback
