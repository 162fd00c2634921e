"""Reader of packet captures: the MQI calls of client channels, as records of the event log.

A call's interval is that from its request's packet to its reply's: it entered and left the queue manager within that
interval, wherever the capture was taken. A packet that was retransmitted may have been sent long before; if the capture
lacks packets, a wait that seems too short begins as much earlier as its WaitInterval demands. `line` is the number of
the packet with the request, or with the message that was delivered. A call without a captured reply has no outcome and
may have ended at any time up to the capture's end; one without a captured request may have begun as soon as the call
before it on its conversation, or else at the capture's beginning.

Several files are one capture: a connection is followed from file to file, and packets that several files show count
once, whether the files overlap or were captured at several points. Remarks say which files were joined. Files that are
read on a later day continue those of earlier days (spark_checks.readers.begun_captures).

The connection's name is `FILE:ADDRESS>ADDRESS/conversation/n`: the n-th MQCONN of the conversation, 0 for one that was
there before the capture; FILE is the one in which the first data of the connection were captured. The queue manager's
name comes from its initial data, else from MQCONN, else from other channels to the same address; the address stands for
a name that the capture does not show, together with the channel if several queue managers have that address. Opens
through the clients' service interface are MQOPEN records like others; `read_calls` distinguishes them.

Messages that a client asked for in advance, as JMS clients do, are CALLBACK records. They may have been removed
from the queue at any time since the first request for them, so their intervals are wide.

Channels with TLS or compression cannot be read, and a remark counts those with TLS beside others; MQSUB, MQSTAT and XA
calls have no record. A capture never shows that it holds every call of a queue manager, so its header never says
`complete`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from oracle.errors import BadInputError, Place
from oracle.histories.event_log import Event, Header, LogHeader
from oracle.mqi.constants import MQRC
from spark_checks.readers.begun_captures import SILENT_NS, BegunCaptures
from spark_checks.readers.capture_clocks import CaptureClocks
from spark_checks.readers.capture_files import Packet, looks_like_pcap
from spark_checks.readers.fragments import Fragments
from spark_checks.readers.joined_captures import Joined
from spark_checks.readers.links import Link, Links
from spark_checks.readers.merged_captures import MergedCaptures
from spark_checks.readers.mqi_calls import Call, Channel
from spark_checks.readers.remarks import Begun, Remark
from spark_checks.readers.segments import LINKS, Address, Segment, address_text, is_loopback, segment_in
from spark_checks.readers.tcp import PATIENCE_NS, Piece
from spark_checks.readers.tsh import FlowStream, SeenFlow, Sighting
from spark_checks.readers.twins import Twins
from spark_checks.readers.wire_events import to_event

__all__ = ["looks_like_pcap", "read_calls", "read_captures", "read_pcap"]

_PATIENCE_WITH_OTHER_FILES_NS = 300 * 10**9
"""The time that a gap may wait while another file is read that may fill it: clocks differ, and are set."""

_PACKETS_A_GAP = 1000
"""The number of packets, for each gap in a connection, below which other packets may well be missing unnoticed."""

Found = Iterator[tuple[Link, Call] | BadInputError]


class _Capture:
    """A reader of capture files as one, with what their connections share.

    `before` is what earlier days left; with `goes_on`, unfinished connections are kept for later days. Numbers of files
    continue those of earlier days.
    """

    def __init__(
        self, paths: Sequence[Path], most: int | None, before: BegunCaptures, *, goes_on: bool = False
    ) -> None:
        self._earlier, self._goes_on = len(before.names), goes_on
        self._merged = MergedCaptures(paths, most, before.read)
        self.names = [*before.names, *self._merged.names]
        self.joined = Joined(self.names, self._earlier)
        self.clocks = CaptureClocks()
        self.names_before = before.qmgrs
        self._first_ns = min((at for at in (before.first_ns, self._merged.first_ns) if at is not None), default=None)
        self._last_ns = before.last_ns
        self._count = before.packets
        self._links = Links()
        for link in before.links:
            self._links.restore(link)
        self._counts = Counter(before.counts)
        self._with_channels = set(before.counts)
        self._beginnings: dict[int, int] = {}
        self._identifiers = before.identifiers
        self._unknown_links: set[int] = set()
        self._gaps = 0
        self._fragments = Fragments()
        self._twins = Twins()
        self._kept: list[Link] = []

    def __iter__(self) -> Found:
        for found in self._merged:
            if isinstance(found, BadInputError):
                yield found
                continue
            file, packet = self._earlier + found[0], found[1]
            self._count += 1
            self._last_ns = max(self._last_ns, packet.time_ns)
            place = Place(self.names[file], packet.number)
            seen = Sighting(self._count, packet.time_ns + packet.tick_ns, packet.tick_ns, place)
            yield from self._packet(file, packet, seen)
        for link in self._links:
            if self._goes_on and link.last_ns >= self._last_ns - SILENT_NS:
                self._kept.append(link)
                self._join(link)
            else:
                yield from self._finish(link)
        yield from self.joined.without_channels()

    def event(self, link: Link, call: Call) -> Event:
        """Return the record of a call as far as the capture has been read."""
        return to_event(call, link.channel.qmgr, since_ns=self._first_ns or 0, until_ns=self._last_ns)

    def may_lack_packets(self, link: Link) -> bool:
        """Return whether the captures may well lack packets of a connection: they lack some of it, or many others."""
        return link.lacks or self._gaps * _PACKETS_A_GAP >= self._count

    def begun(self) -> BegunCaptures:
        """Return the unfinished state when everything has been read."""
        numbered = {tuple(sorted(link.ends)) for link in self._kept if link.has_data}
        begun = BegunCaptures(
            read=self._merged.read,
            packets=self._count,
            first_ns=self._first_ns,
            last_ns=self._last_ns,
            counts={ends: self._counts[ends] for ends in self._with_channels | numbered},
            identifiers=self._identifiers,
        )
        begun.keep(self._kept, self.names)
        return begun

    def _packet(self, file: int, packet: Packet, seen: Sighting) -> Found:
        if packet.link not in LINKS and packet.link not in self._unknown_links:
            self._unknown_links.add(packet.link)
            yield BadInputError(f"packets of link type {packet.link} are not read", seen.place)
        segment = segment_in(packet, self._fragments)
        self.joined.packet(file, packet, read=segment is not None or packet.link not in LINKS)
        if segment is None:
            return
        for link in self._links.forget(seen.time_ns):
            yield from self._finish(link)
        link = self._links.find(segment) or self._open(segment, file)
        shown = link.shown(file, seen.time_ns)
        if segment.ends:
            self._links.end(link)
        if segment.data and not link.has_data:
            self._begin(link, segment, file)
        if segment.data and (twins := self._twins.copy(link, segment)):
            copy, original = twins
            copy.copy_of = min(original.files)
        if link.copy_of is not None:
            return
        side = link.ends.index(segment.source)
        link.cut[side] += segment.cut
        shown.cut += segment.cut > 0
        open_ones = sum(each - self._earlier in self._merged.open for each in link.files)
        others = len(link.files) > 1 and open_ones > 1
        if len(self.names) > 1:
            self.clocks.packet(link, file, side, segment, seen.time_ns)
        patience = _PATIENCE_WITH_OTHER_FILES_NS if others else PATIENCE_NS
        pieces = link.tcp.packet(
            side, segment.seq, segment.ack, segment.data, seen, syn=segment.syn, patience_ns=patience
        )
        yield from self._pieces(link, pieces)

    def _open(self, segment: Segment, file: int) -> Link:
        """Begin a connection; it gets a name when it has data."""
        source = self.names[file]
        channel = Channel(source, "", self._identifiers)
        answers = segment.syn and not segment.starts
        ends = (segment.target, segment.source) if answers else (segment.source, segment.target)
        link = Link(self._count, ends, channel, (FlowStream(source), FlowStream(source)))
        link.syn_seq = segment.opening_seq
        self._links.add(link, file)
        return link

    def _begin(self, link: Link, segment: Segment, file: int) -> None:
        """Look at a connection's first bytes, which may be those of one that has other addresses."""
        link.has_data = True
        key = tuple(sorted(link.ends))
        self._counts[key] += 1
        again = f"#{self._counts[key]}" if self._counts[key] > 1 else ""
        source, target = map(address_text, link.ends)
        link.channel.name = f"{self.names[file]}:{source}>{target}{again}"
        self.joined.begins(file, link.ends, segment.data)
        beginning = hash((segment.seq, segment.ack, segment.data))
        link.copy_of = self._beginnings.get(beginning)
        self._beginnings.setdefault(beginning, file)

    def _pieces(self, link: Link, pieces: Iterator[Piece]) -> Found:
        for piece in pieces:
            stream = link.streams[piece.side]
            if piece.data:
                self.clocks.piece(link, piece)
                yield from self._flows(link, piece.side, stream.feed(piece.data, piece.seen))
                link.is_channel = link.is_channel or stream.aligned
                continue
            if link.is_channel and piece.missing:
                yield BadInputError(_missing(link, piece), piece.seen.where(self.names[0]))
            if piece.missing > link.cut[piece.side]:
                link.lacks = True
                self._gaps += 1
            link.cut[piece.side] = max(0, link.cut[piece.side] - piece.missing)
            yield from self._flows(link, piece.side, stream.lose())
            link.channel.gap(piece.side)

    def _flows(self, link: Link, side: int, flows: Iterator[SeenFlow | BadInputError] | Iterator[SeenFlow]) -> Found:
        for flow in flows:
            if isinstance(flow, BadInputError):
                yield flow
                continue
            if link.goes_on and not link.readable:
                message = "packets of a channel before this one are not in the capture, more than can be counted"
                yield BadInputError(message, flow.first.place)
            link.is_channel = link.readable = True
            for call in link.channel.flow(side, flow):
                link.has_calls = True
                yield call if isinstance(call, BadInputError) else (link, call)

    def _finish(self, link: Link) -> Found:
        if link.copy_of is not None:
            self._join(link)
            return
        yield from self._pieces(link, link.tcp.finish())
        for side, stream in enumerate(link.streams):
            yield from self._flows(link, side, stream.finish())
        for call in link.channel.finish():
            yield link, call
        self._join(link)

    def _join(self, link: Link) -> None:
        self.joined.link(link)
        if link.is_channel:
            self._with_channels.add(tuple(sorted(link.ends)))


def _missing(link: Link, piece: Piece) -> str:
    if link.cut[piece.side]:
        return f"{piece.missing} bytes of a channel are cut off before this packet; capture whole ones (tcpdump -s 0)"
    return f"{piece.missing} bytes of a channel before this packet are not in the capture"


class _Names:
    """The queue managers' names by their addresses; a loopback address is that of one machine only."""

    def __init__(self, joined: Joined, before: Mapping[Address, Sequence[str]]) -> None:
        self._joined = joined
        self.known: dict[Address, dict[str, set[int]]] = {
            address: {name: set() for name in names} for address, names in before.items()
        }

    def learn(self, link: Link) -> None:
        """Learn a name that a channel shows."""
        if link.channel.qmgr:
            self.known.setdefault(link.server, {}).setdefault(link.channel.qmgr, set()).update(link.files)

    def of(self, link: Link) -> str:
        """Return the name of a channel's queue manager, or its address; call this when all files have been read.

        With an address that several queue managers have, each channel stands for one of its own.
        """
        if link.channel.qmgr:
            return link.channel.qmgr
        known = self.known.get(link.server, {})
        if is_loopback(link.server):
            known = {name: files for name, files in known.items() if self._joined.share(files, link.files)}
        if len(known) > 1:  # an address of several, such as a load balancer's: any two channels may differ
            return f"{address_text(link.server)} of {link.channel.name}"
        return next(iter(known), address_text(link.server))


def _seems_short(event: Event) -> bool:
    """Return whether a get that found nothing seems to have ended before its WaitInterval was over."""
    wait_ms = event.wait_ms or 0
    return event.reason == MQRC.NO_MSG_AVAILABLE and wait_ms > 0 and event.end_us - event.start_us < wait_ms * 1000


def read_calls(path: Path) -> Iterator[Call | BadInputError]:
    """Yield the calls of a capture as they were captured, before they become records."""
    for found in _Capture([path], None, BegunCaptures(), goes_on=False):
        yield found if isinstance(found, BadInputError) else found[1]


def read_pcap(path: Path, most: int | None = None) -> Iterator[Event | Header | Remark | Begun | BadInputError]:
    """Yield the records of one capture file as read_captures does."""
    return read_captures([path], most)


def read_captures(
    paths: Sequence[Path], most: int | None = None, begun: str = "", *, goes_on: bool = False
) -> Iterator[Event | Header | Remark | Begun | BadInputError]:
    """Yield the records of captures (pcap or pcapng, also with gzip) as one, and an error for each unreadable thing.

    The order of the files does not matter. At most `most` bytes of a compressed file are read. `begun` is what the last
    day's reading left. With `goes_on` another day follows, and its state comes last, as `Begun`. Open connections and
    calls in progress continue as if all days' files were read as one. Raises BadInputError if the only file cannot be
    opened, is empty, is no capture or ends in its header; among several files, such a file is an error. A second header
    at the end gives the difference between the clocks of several files, if there is one. Raises ValueError for a text
    that this version has not written.
    """
    capture = _Capture(paths, most, BegunCaptures.of_text(begun), goes_on=goes_on)
    found = iter(capture)
    first = next(found, None)
    yield LogHeader(complete=False, clock_us=0)
    names = _Names(capture.joined, capture.names_before)
    nameless: list[tuple[Link, Event]] = []
    unanswered: list[tuple[Link, Call]] = []
    short: list[tuple[Link, Event]] = []
    for item in chain(() if first is None else (first,), found):
        if isinstance(item, BadInputError):
            yield item
            continue
        link, call = item
        names.learn(link)
        if call.ended is None:
            unanswered.append(item)
            continue
        event = capture.event(link, call)
        if _seems_short(event):
            short.append((link, event))
        elif event.qmgr:
            yield event
        else:
            nameless.append((link, event))
    nameless += [(link, capture.event(link, call)) for link, call in unanswered]
    for link, event in short:
        lacking = capture.may_lack_packets(link)  # perhaps the request's first copy and its acknowledgement
        start_us = event.end_us - (event.wait_ms or 0) * 1000 if lacking else event.start_us
        nameless.append((link, event.model_copy(update={"start_us": start_us})))
    for link, event in nameless:
        yield event.model_copy(update={"qmgr": names.of(link)})
    if capture.clocks.differ_us:
        yield LogHeader(complete=False, clock_us=capture.clocks.differ_us)
    yield from capture.joined.remarks()
    if goes_on:
        left = capture.begun()
        left.learn(names.known)
        yield Begun(left.text())
