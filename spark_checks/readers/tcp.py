"""TCP reassembly for captures: the bytes of both directions of a connection, in one order.

A capture repeats packets (retransmissions, several interfaces), swaps them, begins and ends in the middle of
connections and misses packets. Later bytes show what is missing, and so do acknowledgements of bytes that were not
captured. A hole that is not filled for some time is given up and becomes a gap. Until then the other direction waits,
so that a reply never precedes the request that it answers.

The order of both directions is that of their acknowledgements: bytes come after those that their packet acknowledges,
in whatever order the packets were captured. Otherwise the order is that of the capture. The cost of a packet does not
depend on how many wait. Those behind a hole are kept in heaps, by place and by time, and obsolete entries are dropped
when they reach the top.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from heapq import heappop, heappush
from itertools import takewhile

from spark_checks.readers.tsh import Sighting

PATIENCE_NS = 5 * 10**9
"""The time that a hole may wait to be filled: long enough for several retransmissions."""

HELD_BYTES = 1 << 24
"""The bytes of memory that may wait behind a hole of their own side, and on both sides behind a hole of either."""

_KEPT = 256
"""The memory that a packet takes besides its data."""

_RETRANSMISSION_NS = 10**8
"""The least time after which a packet is sent again because its acknowledgement was lost; programs wait 200 ms."""

_WINDOW = 1 << 30  # the largest that TCP can offer
_CLOSE = 1 << 26
"""The greatest distance of a sequence number from the last one within a connection, except by a chance of 1:32."""


class _Nearness(IntEnum):
    """The relation of a sequence number to those of one side of a connection."""

    IMPOSSIBLE = 0
    POSSIBLE = 1
    CLOSE = 2


@dataclass(frozen=True, slots=True)
class Piece:
    """The next bytes of one side of a connection, or a gap in them."""

    side: int
    """The side that sent them."""
    data: bytes
    """The bytes. Empty for a gap."""
    missing: int
    """The number of bytes that were not captured. 0 for captured bytes.

    A gap may be several pieces, where acknowledgements show when parts of it passed. The first has the number of all
    its bytes, the others 0.
    """
    seen: Sighting
    """Where they were seen; for a gap, where it became known that they are missing."""


@dataclass(frozen=True, slots=True)
class _Queued:
    """A piece that is in order on its side, which ends at the offset `end`.

    `after` is the offset up to which the other side's bytes come before it. `late` says that it was acknowledged before
    it was seen: its packet was then a retransmission and may acknowledge later bytes.
    """

    piece: Piece
    line: int
    end: int
    after: int = 0
    late: bool = False


class _Side:
    """The bytes of one side in order. Offsets count from the first byte that was seen.

    `offset` is the number of bytes in order; `queue` has those that are not yet taken, from the offset `released`.
    `held` and `queued` are the bytes of memory that wait out of order and in order.
    """

    __slots__ = (
        "_acknowledged", "_early", "_evidence", "_lengths", "_next_seq", "_previous_ns", "_side", "from_beginning",
        "held", "offset", "queue", "queued", "released",
    )  # fmt: skip  # names

    def __init__(self, side: int) -> None:
        self._side = side
        self._next_seq: int | None = None
        self.from_beginning = False
        self.offset = 0
        self.queue: deque[_Queued] = deque()
        self.released = 0
        self._previous_ns = 0
        self._acknowledged: deque[tuple[int, Sighting]] = deque()
        self._early: list[tuple[int, Sighting, bytes, int]] = []
        self._lengths: dict[int, int] = {}
        self._evidence: list[tuple[Sighting, int]] = []
        self.held = 0
        self.queued = 0

    @property
    def hole(self) -> Sighting | None:
        """Where it was first seen that bytes are missing; None if none are."""
        while self._evidence and self._evidence[0][1] <= self.offset:
            heappop(self._evidence)
        acknowledged = self._acknowledged[0][1] if self._acknowledged else None
        if not self._evidence:
            return acknowledged
        early = self._evidence[0][0]
        return early if acknowledged is None else min(early, acknowledged)

    def expect(self, seq: int, seen: Sighting, *, first: bool = False) -> None:
        """Note the sequence number with which this side's bytes continue, if it is not known yet.

        `first` says that these are the first bytes of the connection.
        """
        if self._next_seq is None:
            self._next_seq = seq & 0xFFFFFFFF
            self.from_beginning = first
            self._previous_ns = seen.time_ns

    def nearness(self, seq: int) -> _Nearness | None:
        """Return whether a number can be one of this side's; None while none of its numbers is known."""
        if self._next_seq is None:
            return None
        ahead = self._ahead(seq)
        before_all = self.from_beginning and self.offset + ahead < -1  # a SYN has the number before the first byte's
        if before_all or not -_CLOSE <= ahead <= _WINDOW:
            return _Nearness.IMPOSSIBLE
        return _Nearness.CLOSE if ahead <= _CLOSE else _Nearness.POSSIBLE

    def _ahead(self, seq: int) -> int:
        return (seq - (self._next_seq or 0) + 0x80000000 & 0xFFFFFFFF) - 0x80000000

    def acknowledge(self, seq: int, seen: Sighting) -> int:
        """Note that the other side has all bytes before `seq`, and return their offset; 0 if that is impossible."""
        self.expect(seq, seen)
        ahead = self._ahead(seq)
        if ahead > _WINDOW:
            return 0
        known = self._acknowledged[-1][0] if self._acknowledged else self.offset
        if known < self.offset + ahead:
            self._acknowledged.append((self.offset + ahead, seen))
        return self.offset + ahead

    def take(self) -> Piece:
        """Take the first piece of the queue."""
        first = self.queue.popleft()
        self.released = first.end
        if first.piece.data:
            self.queued -= len(first.piece.data) + _KEPT
        return first.piece

    def has(self, offset: int) -> bool:
        """Return whether all bytes before an offset have been taken."""
        return offset <= self.released or (not self.queue and offset <= self.offset)

    def add(self, seq: int, data: bytes, seen: Sighting, after: int) -> None:
        """Add a packet's bytes, which come after the other side's bytes up to an offset."""
        ahead = self._ahead(seq)
        if ahead > _WINDOW or ahead + len(data) <= 0:
            return
        at = self.offset + ahead
        if self._lengths.get(at, 0) >= len(data):
            return  # a copy of bytes that wait already
        heappush(self._early, (at, seen, data, after))
        self._lengths[at] = len(data)
        self.held += len(data) + _KEPT
        if ahead > 0:
            heappush(self._evidence, (seen, at))
        self._drain()

    def give_up(self) -> None:
        """Continue after the first hole, if there is one."""
        hole = self.hole
        if hole is None:
            return
        missing = (self._early[0][0] if self._early else self._acknowledged[-1][0]) - self.offset
        at_end = missing == 1 and not self._early  # a FIN, which has a number but is not a byte
        if not at_end:
            for number, (end, seen) in enumerate(self._parts_of_gap(self.offset + missing, hole)):
                # A gap lies before the packet that showed it: that packet may answer the lost bytes.
                gap = Piece(self._side, b"", 0 if number else missing, seen)
                self.queue.append(_Queued(gap, seen.line - 1, end))
        self._advance(missing)
        self._drain()

    def _parts_of_gap(self, end: int, hole: Sighting) -> list[tuple[int, Sighting]]:
        """Return where the parts of a gap end, which ends at the offset `end`, each with what shows that it passed.

        Lost requests and replies may follow each other for long: the acknowledgement of each shows where it belongs.
        """
        shown = self._evidence[0][0] if self._evidence else None
        inner = takewhile(lambda acknowledged: acknowledged[0] < end, self._acknowledged)
        parts = [(at, seen if shown is None else min(seen, shown)) for at, seen in inner]
        last = self._acknowledged[len(parts)][1] if len(parts) < len(self._acknowledged) else shown or hole
        return [*parts, (end, last if shown is None else min(last, shown))]

    def _drain(self) -> None:
        while self._early and self._early[0][0] <= self.offset:
            at, seen, data, after = heappop(self._early)
            self._lengths.pop(at, None)
            self.held -= len(data) + _KEPT
            self._deliver(data[self.offset - at :], seen, after)

    def _deliver(self, data: bytes, seen: Sighting, after: int) -> None:
        """Queue bytes that are in order, split where it ends that they had passed before they were seen.

        Acknowledgements show it, and so do later bytes that were seen long before: these are then retransmitted.
        """
        while data:
            part, late, sighting = data, False, seen
            overtaken = self._overtaken(seen)
            if self._acknowledged and self._acknowledged[0][1] < seen:
                part, late = data[: self._acknowledged[0][0] - self.offset], True
            elif overtaken:
                part = data[: overtaken - self.offset]
            if late or overtaken:
                sighting = replace(seen, late_ns=max(0, seen.time_ns - self._previous_ns))
            piece = Piece(self._side, part, 0, sighting)
            self.queue.append(_Queued(piece, seen.line, self.offset + len(part), after, late))
            self.queued += len(part) + _KEPT
            self._previous_ns = sighting.since_ns
            self._advance(len(part))
            data = data[len(part) :]

    def _overtaken(self, seen: Sighting) -> int:
        """Return the offset of bytes that were seen so long before the next ones that these are retransmitted; or 0."""
        while self._evidence and self._evidence[0][1] <= self.offset:
            heappop(self._evidence)
        if not self._evidence or self._evidence[0][0].time_ns > seen.time_ns - _RETRANSMISSION_NS:
            return 0
        return self._evidence[0][1]

    def _advance(self, count: int) -> None:
        self._next_seq = (self._next_seq or 0) + count & 0xFFFFFFFF
        self.offset += count
        while self._acknowledged and self._acknowledged[0][0] <= self.offset:
            self._acknowledged.popleft()


class Connection:
    """One TCP connection; its two sides are 0 and 1."""

    __slots__ = ("_sides",)

    def __init__(self) -> None:
        self._sides = (_Side(0), _Side(1))

    def likeness(self, side: int, seq: int, ack: int | None) -> int:
        """Return how well a packet of one side fits by its numbers: 0 if it belongs to another connection.

        If the connection's beginning was seen, any number fits a side that has not answered yet.
        """
        found = [self._sides[side].nearness(seq)]
        if ack is not None:
            found.append(self._sides[1 - side].nearness(ack))
        close, unknown = found.count(_Nearness.CLOSE), found.count(None)
        if _Nearness.IMPOSSIBLE in found or (not close and unknown < len(found)):
            return 0
        awaited = unknown if unknown and any(each.from_beginning for each in self._sides) else 0
        return 1 + close + awaited

    def packet(
        self,
        side: int,
        seq: int,
        ack: int | None,
        data: bytes,
        seen: Sighting,
        *,
        syn: bool = False,
        patience_ns: int = PATIENCE_NS,
    ) -> Iterator[Piece]:
        """Take a packet of one side and yield what is certain now, both sides in one order.

        `ack` is the acknowledgement number of a packet that has one; a SYN takes a sequence number itself. A hole is
        given up when it has not been filled for PATIENCE_NS, or when too much waits for it.
        """
        sender, receiver = self._sides[side], self._sides[1 - side]
        sender.expect(seq + syn, seen, first=syn)
        after = 0 if ack is None else receiver.acknowledge(ack, seen)
        if data:
            sender.add(seq + syn, data, seen, after)
        yield from self._release()
        while overdue := self._overdue(seen.time_ns - patience_ns):
            overdue.give_up()
            yield from self._release()

    def finish(self) -> Iterator[Piece]:
        """Yield the remaining bytes when the connection or the capture has ended."""
        for each in self._sides:
            while each.hole:
                each.give_up()
        yield from self._release()

    def _overdue(self, since_ns: int) -> _Side | None:
        """Return a side with a hole that is older than a time, or that too much waits for."""
        holes = [(hole, number) for number, each in enumerate(self._sides) if (hole := each.hole)]
        holes.sort()
        for hole, number in holes:
            side = self._sides[number]
            if hole.time_ns < since_ns or side.held > HELD_BYTES or self._crowded():
                return side
        return None

    def _crowded(self) -> bool:
        return sum(each.queued for each in self._sides) > HELD_BYTES

    def _release(self) -> Iterator[Piece]:
        """Take the next bytes as long as their order is certain."""
        one, other = self._sides
        if not one.queue and not other.queue:
            return
        limit = min((hole.line for each in self._sides if (hole := each.hole)), default=None)
        while one.queue or other.queue:
            heads = [each.queue[0] for each in self._sides if each.queue]
            heads = [head for head in heads if limit is None or head.line < limit]
            free = [head for head in heads if self._sides[1 - head.piece.side].has(head.after)]
            if not free and limit is None:  # each acknowledges the other, so one is a retransmission
                free = [head for head in heads if head.late] or heads
            if not free:
                return
            first = min(free, key=lambda head: (head.line, not head.piece.data))  # a gap lies after the packet before
            yield self._sides[first.piece.side].take()


KEPT = (Connection, _Side, _Queued, Piece)
"""The classes of a connection's state."""
