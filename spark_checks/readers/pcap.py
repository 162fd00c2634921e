"""Reader of packet captures: the MQI calls of client channels, as records of the event log.

A call's interval is that from its request's packet to its reply's: it entered and left the queue manager in
between, wherever the capture was taken. `line` is the number of the packet with the request, or with the
message that was delivered. A call without a captured reply has no outcome and may have ended at any time up to
the capture's end; one without a captured request may have begun at its beginning.

The connection's name is `FILE:ADDRESS>ADDRESS/conversation/n`: the n-th MQCONN of the conversation, 0 for one
that was there before the capture. The queue manager's name comes from its initial data, else from MQCONN, else from
other channels to the same address; the address stands for a name that the capture does not show. Opens through
the clients' service interface are MQOPEN records like others; `read_calls` tells them apart.

Messages that a client asked for in advance, as JMS clients do, are CALLBACK records. They may have been removed
from the queue at any time since the first request for them, so their intervals are wide.

Channels with TLS or compression cannot be read; MQSUB, MQSTAT and XA calls have no record. A capture never shows
that it holds every call of a queue manager, so its header never says `complete`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from ipaddress import ip_address
from itertools import chain
from pathlib import Path

import dpkt

from oracle.errors import BadInputError, Place
from oracle.event_log import Event, Header, LogHeader
from oracle.text_files import shown
from spark_checks.readers.capture_files import Packet, looks_like_pcap, read_packets
from spark_checks.readers.mqi_calls import Call, Channel
from spark_checks.readers.tcp import Connection, Piece
from spark_checks.readers.tsh import Flow, FlowStream, Sighting
from spark_checks.readers.wire_events import to_event

__all__ = ["looks_like_pcap", "read_calls", "read_pcap"]

_LINKS = {
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

_TLS_HANDSHAKE = b"\x16\x03"

Address = tuple[bytes, int]
Ends = tuple[Address, Address]


@dataclass(frozen=True, slots=True)
class _Segment:
    """A TCP segment: from whom to whom, and what reassembly needs."""

    source: Address
    target: Address
    seq: int
    ack: int | None
    syn: bool
    data: bytes


@dataclass(slots=True)
class _Link:
    """One TCP connection of the capture with the channel in it. The side that sent the first packet is 0."""

    ends: Ends
    name: str
    channel: Channel
    streams: tuple[FlowStream, FlowStream]
    syn_seq: int | None = None
    tcp: Connection = field(default_factory=Connection)
    has_data: bool = False
    is_channel: bool = False
    copy: bool = False

    @property
    def server(self) -> Address:
        """The address of the queue manager."""
        return self.ends[1 if self.channel.server is None else self.channel.server]


class _Capture:
    """Reads one capture file; what is common to its connections."""

    def __init__(self, path: Path, most: int | None = None) -> None:
        self.source = shown(path)
        self._first_ns: int | None = None
        self._last_ns = 0
        self._packets = read_packets(path, most)
        self._links: dict[frozenset[Address], _Link] = {}
        self._counts: dict[frozenset[Address], int] = {}
        self._beginnings: set[tuple[int, int | None, bytes]] = set()
        self._identifiers: dict[bytes, str] = {}
        self._unknown_links: set[int] = set()
        self._readable = False
        self._tls = 0

    def __iter__(self) -> Iterator[tuple[_Link, Call] | BadInputError]:
        for packet in self._packets:
            if isinstance(packet, BadInputError):
                yield packet
                continue
            seen = Sighting(packet.number, packet.time_ns)
            self._first_ns = min(self._first_ns or seen.time_ns, seen.time_ns)
            self._last_ns = max(self._last_ns, seen.time_ns)
            yield from self._packet(packet, seen)
        for link in self._links.values():
            yield from self._finish(link)
        if not self._readable:
            tls = f"; connections with TLS, which hides it: {self._tls}" if self._tls else ""
            yield BadInputError(f"no MQ channel that can be read is in this capture{tls}", Place(self.source))

    def event(self, link: _Link, call: Call) -> Event:
        """Return the record of a call as far as the capture has been read."""
        since, until = self._first_ns or 0, self._last_ns
        return to_event(call, link.channel.qmgr, self.source, since_ns=since, until_ns=until)

    def _packet(self, packet: Packet, seen: Sighting) -> Iterator[tuple[_Link, Call] | BadInputError]:
        if packet.link not in _LINKS and packet.link not in self._unknown_links:
            self._unknown_links.add(packet.link)
            message = f"packets of link type {packet.link} are not read"
            yield BadInputError(message, Place(self.source, packet.number))
        segment = _segment(packet)
        if segment is None:
            return
        key = frozenset((segment.source, segment.target))
        link = self._links.get(key)
        starts = segment.syn and segment.ack is None
        if link and starts and link.syn_seq != segment.seq:
            yield from self._finish(link)
            self._counts[key] = self._counts.get(key, 1) + link.has_data
            link = None
        if link is None:
            link = self._links[key] = self._open(key, segment)
        if starts:
            link.syn_seq = segment.seq
        if segment.data and not link.has_data:
            self._begin(link, segment)
        if link.copy:
            return
        side = link.ends.index(segment.source)
        pieces = link.tcp.packet(side, segment.seq, segment.ack, segment.data, seen, syn=segment.syn)
        yield from self._pieces(link, pieces)

    def _open(self, key: frozenset[Address], segment: _Segment) -> _Link:
        count = self._counts.get(key, 1)
        again = f"#{count}" if count > 1 else ""
        name = f"{self.source}:{_text(segment.source)}>{_text(segment.target)}{again}"
        channel = Channel(self.source, name, self._identifiers)
        streams = (FlowStream(self.source), FlowStream(self.source))
        return _Link((segment.source, segment.target), name, channel, streams)

    def _begin(self, link: _Link, segment: _Segment) -> None:
        """Look at a connection's first bytes.

        Address translation shows a connection twice, under two addresses but with the same numbers.
        """
        link.has_data = True
        self._tls += segment.data.startswith(_TLS_HANDSHAKE)
        beginning = (segment.seq, segment.ack, segment.data)
        link.copy = beginning in self._beginnings
        self._beginnings.add(beginning)

    def _pieces(self, link: _Link, pieces: Iterator[Piece]) -> Iterator[tuple[_Link, Call] | BadInputError]:
        for piece in pieces:
            stream = link.streams[piece.side]
            if not piece.missing:
                yield from self._flows(link, piece.side, stream.feed(piece.data, piece.seen))
                continue
            if link.is_channel:
                message = f"{piece.missing} bytes of a channel before this packet are not in the capture"
                yield BadInputError(message, Place(self.source, piece.seen.line))
            yield from self._flows(link, piece.side, stream.lose())
            link.channel.gap(piece.side)

    def _flows(
        self, link: _Link, side: int, flows: Iterator[Flow | BadInputError] | Iterator[Flow]
    ) -> Iterator[tuple[_Link, Call] | BadInputError]:
        for flow in flows:
            if isinstance(flow, BadInputError):
                yield flow
                continue
            link.is_channel = self._readable = True
            for call in link.channel.flow(side, flow):
                yield call if isinstance(call, BadInputError) else (link, call)

    def _finish(self, link: _Link) -> Iterator[tuple[_Link, Call] | BadInputError]:
        yield from self._pieces(link, link.tcp.finish())
        for side, stream in enumerate(link.streams):
            yield from self._flows(link, side, stream.finish())
        for call in link.channel.finish():
            yield link, call


def read_calls(path: Path) -> Iterator[Call | BadInputError]:
    """Yield the calls of a capture as they were captured, before they become records."""
    for found in _Capture(path):
        yield found if isinstance(found, BadInputError) else found[1]


def read_pcap(path: Path, most: int | None = None) -> Iterator[Event | Header | BadInputError]:
    """Yield the records of a capture (pcap or pcapng, also with gzip) and an error for each thing unread.

    Of a compressed file at most `most` bytes are read.
    Raises BadInputError if the file cannot be opened, is empty, is no capture or ends in its header.
    """
    capture = _Capture(path, most)
    found = iter(capture)
    first = next(found, None)
    yield LogHeader(complete=False, clock_us=0)
    names: dict[Address, set[str]] = {}
    nameless: list[tuple[_Link, Event]] = []
    unanswered: list[tuple[_Link, Call]] = []
    for item in chain(() if first is None else (first,), found):
        if isinstance(item, BadInputError):
            yield item
            continue
        link, call = item
        if link.channel.qmgr:
            names.setdefault(link.server, set()).add(link.channel.qmgr)
        if call.ended is None:
            unanswered.append(item)
            continue
        event = capture.event(link, call)
        if event.qmgr:
            yield event
        else:
            nameless.append((link, event))
    nameless += [(link, capture.event(link, call)) for link, call in unanswered]
    for link, event in nameless:
        known = names.get(link.server, set())
        name = link.channel.qmgr or (next(iter(known)) if len(known) == 1 else _text(link.server))
        yield event.model_copy(update={"qmgr": name})


def _segment(packet: Packet) -> _Segment | None:
    """Return the TCP segment in a packet; None if it has another protocol, is a fragment or is damaged."""
    begins_with = _LINKS.get(packet.link)
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
    return _Segment(
        source=(network.src, tcp.sport),
        target=(network.dst, tcp.dport),
        seq=tcp.seq,
        ack=tcp.ack if tcp.flags & dpkt.tcp.TH_ACK else None,
        syn=bool(tcp.flags & dpkt.tcp.TH_SYN),
        data=bytes(tcp.data),
    )


def _text(address: Address) -> str:
    host = ip_address(address[0])
    return f"[{host}]:{address[1]}" if host.version == 6 else f"{host}:{address[1]}"
