"""The TCP segments in captured packets.

Encapsulations are removed: VLAN tags, also those of cooked captures, PPP, PPPoE, SNAP, and the tunnels of networks and
of port mirroring (IP in IP, GRE, ERSPAN, VXLAN, Geneve).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from ipaddress import ip_address

import dpkt

from spark_checks.readers.capture_files import Packet
from spark_checks.readers.fragments import Fragments

LINKS = {
    0: dpkt.loopback.Loopback,
    1: dpkt.ethernet.Ethernet,
    9: dpkt.ppp.PPP,
    12: dpkt.ip.IP,
    14: dpkt.ip.IP,
    50: dpkt.ppp.PPP,
    101: dpkt.ip.IP,
    108: dpkt.loopback.Loopback,
    113: dpkt.sll.SLL,
    228: dpkt.ip.IP,
    229: dpkt.ip6.IP6,
    276: dpkt.sll2.SLL2,
}
"""By link type, the protocol that the packets begin with."""

_RAW = (12, 14, 101)
_PPP = (9, 50)
_PPP_ADDRESS = b"\xff\x03"
_NETWORKS = (dpkt.ip.IP, dpkt.ip6.IP6)
_COOKED = (dpkt.sll.SLL, dpkt.sll2.SLL2)
_TAGGED = (0x8100, 0x88A8, 0x9100)
"""The Ethernet types of VLAN tags."""
_VXLAN_PORTS = (4789, 8472)
_VXLAN_HEADER = 8
_GENEVE_PORT = 6081
_GENEVE_HEADER = 8
_WITH_NUMBER = 0x1000
"""The flag of GRE for a sequence number."""
_ETHERNET = 0x6558
"""The type of Ethernet within GRE and Geneve."""
_MIRRORED = {0x88BE: 8, 0x22EB: 12}
"""By the type in GRE, the length of the header of ERSPAN, which the mirrored packet follows; without a sequence number
in GRE there is none."""
_CARRIERS = (
    *_NETWORKS, *_COOKED, dpkt.ethernet.Ethernet, dpkt.loopback.Loopback, dpkt.pppoe.PPPoE, dpkt.ppp.PPP, dpkt.gre.GRE,
    dpkt.udp.UDP, dpkt.llc.LLC,
)  # fmt: skip  # names
"""The protocols that carry packets. ICMP is not among them: it quotes the beginning of a lost packet."""
_MOST_LAYERS = 8
_DAMAGED = (dpkt.Error, struct.error, ValueError, IndexError, KeyError, AttributeError, TypeError)
"""The errors that dpkt raises for packets that disagree with their headers."""

Address = tuple[bytes, int]
Ends = tuple[Address, Address]


@dataclass(frozen=True, slots=True)
class Segment:
    """A TCP segment."""

    source: Address
    """The address of its sender."""
    target: Address
    """The address of its receiver."""
    seq: int
    """Its sequence number."""
    ack: int | None
    """The number up to which the sender has all bytes of the other side. None if it acknowledges nothing."""
    syn: bool
    """Whether it has SYN, with which each side begins."""
    ends: bool
    """Whether it is its sender's last: it has FIN or RST."""
    data: bytes
    """Its data, as far as they were captured."""
    cut: int
    """The number of bytes of its data that the capture left out."""

    @property
    def starts(self) -> bool:
        """Whether this opens a connection."""
        return self.syn and self.ack is None

    @property
    def opening_seq(self) -> int | None:
        """The sequence number of the SYN that opens the connection, if this is that SYN or the answer to it."""
        if not self.syn:
            return None
        return self.seq if self.ack is None else (self.ack - 1) & 0xFFFFFFFF


def segment_in(packet: Packet, fragments: Fragments | None = None) -> Segment | None:
    """Return the TCP segment in a packet; None if it has another protocol, is damaged, or its fragments are missing.

    `fragments` are those of earlier packets.
    """
    begins_with = LINKS.get(packet.link)
    if begins_with is None or not packet.data:
        return None
    if packet.link in _RAW and packet.data[0] >> 4 == 6:
        begins_with = dpkt.ip6.IP6
    begins = packet.data
    if packet.link in _PPP and not begins.startswith(_PPP_ADDRESS):
        begins = _PPP_ADDRESS + begins
    waiting = Fragments() if fragments is None else fragments
    try:
        network = _innermost(begins_with(begins), packet, waiting)
    except _DAMAGED:
        return None
    if network is None:
        return None
    tcp = network.data
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


def _innermost(outer: dpkt.Packet, packet: Packet, fragments: Fragments) -> dpkt.Packet | None:
    """Return the IP packet that carries TCP, inside all encapsulations; None if there is none."""
    layer = outer
    for _ in range(_MOST_LAYERS):
        if isinstance(layer, _NETWORKS):
            layer = fragments.whole(layer, packet.data, packet.time_ns)
        if isinstance(layer, dpkt.ip.IP) and isinstance(layer.data, dpkt.ah.AH):
            layer.data = layer.data.data
        if isinstance(layer, _NETWORKS) and isinstance(layer.data, dpkt.tcp.TCP):
            return layer
        if not isinstance(layer, _CARRIERS):
            return None
        layer = _carried(layer)
    return None


def _carried(layer: dpkt.Packet) -> dpkt.Packet | bytes:
    """Return the payload of a layer, as bytes if its protocol is not known."""
    data = layer.data
    if isinstance(layer, _COOKED) and layer.ethtype in _TAGGED:
        return dpkt.ethernet.Ethernet(bytes(12) + layer.ethtype.to_bytes(2, "big") + data)
    if isinstance(layer, dpkt.gre.GRE) and layer.p in _MIRRORED:
        return dpkt.ethernet.Ethernet(data[_MIRRORED[layer.p] if layer.flags & _WITH_NUMBER else 0 :])
    if isinstance(layer, dpkt.udp.UDP) and layer.dport in _VXLAN_PORTS:
        return dpkt.ethernet.Ethernet(data[_VXLAN_HEADER:])
    if isinstance(layer, dpkt.udp.UDP) and layer.dport == _GENEVE_PORT:
        return _typed(int.from_bytes(data[2:4], "big"), data[_GENEVE_HEADER + 4 * (data[0] & 0x3F) :])
    return data


def _typed(kind: int, data: bytes) -> dpkt.Packet | bytes:
    """Return what has an Ethernet type."""
    return dpkt.ethernet.Ethernet(data if kind == _ETHERNET else bytes(12) + kind.to_bytes(2, "big") + data)


def _cut(packet: Packet, network: dpkt.Packet, tcp: dpkt.tcp.TCP, captured: int) -> int:
    """Return the number of missing bytes of data; a cut packet may have lost only the padding after them."""
    if isinstance(network, dpkt.ip.IP) and network.len:
        sent = int(network.len) - 4 * int(network.hl) - 4 * int(tcp.off)
        return max(0, sent - captured)
    return packet.cut


def address_text(address: Address) -> str:
    """Return an address as HOST:PORT."""
    host = ip_address(address[0])
    return f"[{host}]:{address[1]}" if host.version == 6 else f"{host}:{address[1]}"


def is_loopback(address: Address) -> bool:
    """Return whether an address is a loopback address, which every machine has."""
    return ip_address(address[0]).is_loopback
