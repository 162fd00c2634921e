"""The TCP connections of captures, told apart: the same addresses carry one connection after another.

A connection is known by its addresses and its sequence numbers, so it is the same in every file in which it goes on or
is seen again. Packets whose numbers cannot be those of a known connection belong to another: to a later one, or to
one of another machine, for every machine has a loopback address.
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
"""How long copies of a connection's packets may come after it is over, in nanoseconds."""


@dataclass(slots=True)
class Shown:
    """What one file shows of a connection: from when to when, and how many packets of it are cut."""

    first_ns: int
    last_ns: int
    cut: int = 0


@dataclass(slots=True, eq=False)
class Link:
    """One TCP connection with the channel in it. The side that sent the first packet is 0.

    `number` tells it from all others. `is_channel` says that its bytes are those of a channel, `readable` that anything
    whole was read of it. `copy_of` is a file that shows it too, at another point of the network with other
    addresses. `goes_on` says that it may be one between these ends whose packets are missing for so long that their
    numbers tell nothing. `cut` counts the bytes of each side that were cut off and not missed yet, `files` has what
    each file shows of it, and `reached_ns` is the time up to which each side was read.
    """

    number: int
    ends: Ends
    channel: Channel
    streams: tuple[FlowStream, FlowStream]
    syn_seq: int | None = None
    tcp: Connection = field(default_factory=Connection)
    has_data: bool = False
    is_channel: bool = False
    readable: bool = False
    copy_of: int | None = None
    goes_on: bool = False
    over: bool = False
    last_ns: int = 0
    cut: list[int] = field(default_factory=lambda: [0, 0])
    files: dict[int, Shown] = field(default_factory=dict)
    reached_ns: list[int] = field(default_factory=lambda: [0, 0])

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
    """The connections that are open, or were a short time ago."""

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
        """Add a connection that a file shows, the youngest between its ends; an older one of this file is over."""
        known = self._by_ends.setdefault(frozenset(link.ends), [])
        link.goes_on = link.syn_seq is None and not all(older.over for older in known)
        for older in known:
            if file in older.files:
                self.end(older)
        known.append(link)

    def restore(self, link: Link) -> None:
        """Take a connection that was known on an earlier day; the older ones between its ends first."""
        self._by_ends.setdefault(frozenset(link.ends), []).append(link)
        if link.over:
            self._over.append(link)

    def end(self, link: Link) -> None:
        """Note that a connection is over: it is forgotten when no copies of its packets come any more."""
        if not link.over:
            link.over = True
            self._over.append(link)

    def forget(self, now_ns: int) -> Iterator[Link]:
        """Forget connections that have been over for a while, and yield them."""
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
