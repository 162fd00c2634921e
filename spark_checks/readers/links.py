"""The TCP connections of captures, separated: the same addresses carry one connection after another.

A connection is identified by its addresses and its sequence numbers, so it is the same in every file that continues or
repeats it. Packets whose numbers cannot be those of a known connection belong to another: to a later one, or to one of
another machine, because every machine has a loopback address.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from spark_checks.readers.mqi_calls import Channel
from spark_checks.readers.segments import Address, Ends, Segment
from spark_checks.readers.tcp import Connection
from spark_checks.readers.tsh import FlowStream

FORGET_NS = 300 * 10**9
"""The time for which copies of a connection's packets may come after it has ended, in nanoseconds."""


@dataclass(slots=True)
class Shown:
    """A file's part of a connection. Times are nanoseconds since 1970-01-01 UTC."""

    first_ns: int
    """The time of the first packet."""
    last_ns: int
    """The time of the last packet."""
    cut: int = 0
    """The number of its packets that are cut."""


@dataclass(slots=True, eq=False)
class Link:
    """One TCP connection with the channel in it.

    Side 0 opened it or else sent the first packet; the other is side 1. Files are identified by numbers; times are
    nanoseconds since 1970-01-01 UTC.
    """

    number: int
    """Its identity: the number of its first packet among all packets."""
    ends: Ends
    """The addresses of the two sides."""
    channel: Channel
    """The channel made from the flows of both sides."""
    streams: tuple[FlowStream, FlowStream]
    """The parsers that find the flows in the bytes of each side."""
    syn_seq: int | None = None
    """The sequence number of the SYN that opened it. None if the captures lack that packet and the answer to it."""
    tcp: Connection = field(default_factory=Connection)
    """The reassembly of the bytes of both sides."""
    has_data: bool = False
    """Whether a packet with data has come. From then on its channel has a name."""
    is_channel: bool = False
    """Whether its bytes are known to be those of a client channel."""
    readable: bool = False
    """Whether a whole flow of it was read."""
    has_calls: bool = False
    """Whether a call of it was found."""
    copy_of: int | None = None
    """Another file that shows it at another point of the network, with other addresses.

    Its packets are then skipped. None if there is none.
    """
    goes_on: bool = False
    """Whether it may be a known connection between these ends.

    So many packets of that one may be missing that the sequence numbers prove nothing.
    """
    over: bool = False
    """Whether it has ended, or a later one between the same ends has replaced it."""
    last_ns: int = 0
    """The time of its latest packet."""
    cut: list[int] = field(default_factory=lambda: [0, 0])
    """For each side, the number of bytes that were cut off and that reassembly does not miss yet."""
    lacks: bool = False
    """Whether the captures surely lack packets of it, besides what they cut off and what came before."""
    files: dict[int, Shown] = field(default_factory=dict)
    """What each file shows of it."""
    reached_ns: list[int] = field(default_factory=lambda: [0, 0])
    """For each side, the time up to which its bytes were read."""

    @property
    def server(self) -> Address:
        """The address of the queue manager."""
        return self.ends[1 if self.channel.server is None else self.channel.server]

    def shown(self, file: int, time_ns: int) -> Shown:
        """Note that a file shows a packet of it."""
        self.last_ns = max(self.last_ns, time_ns)
        found = self.files.get(file)
        if found is None:
            found = self.files[file] = Shown(time_ns, time_ns)
        found.last_ns = max(found.last_ns, time_ns)
        return found


class Links:
    """The connections that are open or ended a short time ago."""

    def __init__(self) -> None:
        self._by_ends: dict[frozenset[Address], list[Link]] = {}
        self._over: deque[Link] = deque()

    def find(self, segment: Segment) -> Link | None:
        """Return the connection of a segment, None if it belongs to none that is known."""
        known = self._by_ends.get(frozenset((segment.source, segment.target)), ())
        if segment.starts:
            return next((link for link in reversed(known) if link.syn_seq == segment.seq), None)
        best, found = 0, None
        for link in reversed(known):
            likeness = link.tcp.likeness(link.ends.index(segment.source), segment.seq, segment.ack)
            if likeness > best:
                best, found = likeness, link
        return found

    def add(self, link: Link, file: int) -> None:
        """Add a connection that a file shows, the latest between its ends; an older one of this file has ended."""
        known = self._by_ends.setdefault(frozenset(link.ends), [])
        link.goes_on = link.syn_seq is None and not all(older.over for older in known)
        for older in known:
            if file in older.files:
                self.end(older)
        known.append(link)

    def restore(self, link: Link) -> None:
        """Restore a connection of an earlier day; call this for the older ones between its ends first."""
        self._by_ends.setdefault(frozenset(link.ends), []).append(link)
        if link.over:
            self._over.append(link)

    def end(self, link: Link) -> None:
        """Note that a connection has ended: it is forgotten when no copies of its packets come any more."""
        if not link.over:
            link.over = True
            self._over.append(link)

    def forget(self, now_ns: int) -> Iterator[Link]:
        """Forget connections that ended a while ago, and yield them."""
        while self._over and self._over[0].last_ns < now_ns - FORGET_NS:
            link = self._over.popleft()
            key = frozenset(link.ends)
            known = self._by_ends[key]
            known.remove(link)
            if not known:
                del self._by_ends[key]
            yield link

    def __iter__(self) -> Iterator[Link]:
        return (link for known in self._by_ends.values() for link in known)
