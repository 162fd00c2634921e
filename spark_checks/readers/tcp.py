"""TCP reassembly for captures: the bytes of both directions of a connection, in one order.

A capture repeats packets (retransmissions, several interfaces), swaps them, begins and ends in the middle of
connections and misses packets. What is missing shows by later bytes and by acknowledgements of bytes that
were not captured. A hole that is not filled for some time is given up and becomes a gap; until then the
other direction waits, so that a reply never overtakes the request that it answers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import islice

from spark_checks.readers.tsh import Sighting

PATIENCE_NS = 5 * 10**9
"""How long a hole may wait to be filled: several retransmissions fit in."""

HELD_BYTES = 1 << 24
"""How many bytes may wait behind a hole."""

_WINDOW = 1 << 30  # the largest that TCP can offer


@dataclass(frozen=True, slots=True)
class Piece:
    """The next bytes of one side of a connection, or a gap: `missing` bytes that were not captured."""

    side: int
    data: bytes
    missing: int
    seen: Sighting


class _Side:
    """Puts the bytes that one side sends in order. Offsets count from the first byte that was seen.

    Pieces come with their place in the order of both sides: the number of the packet that they were seen in or,
    for bytes that were acknowledged before they were seen, of the one before the acknowledgement.
    """

    def __init__(self, side: int) -> None:
        self._side = side
        self._next_seq: int | None = None
        self._offset = 0
        self._order = 0
        self._previous_ns = 0
        self._acknowledged: deque[tuple[int, Sighting]] = deque()
        self._early: list[tuple[int, Sighting, bytes]] = []
        self.held = 0
        self.hole: Sighting | None = None
        """Where it first showed that bytes are missing; None if none are."""

    def expect(self, seq: int, seen: Sighting) -> None:
        """Note with which sequence number this side's bytes go on, if that is not known yet."""
        if self._next_seq is None:
            self._next_seq = seq & 0xFFFFFFFF
            self._previous_ns = seen.time_ns

    def _ahead(self, seq: int) -> int:
        return (seq - (self._next_seq or 0) + 0x80000000 & 0xFFFFFFFF) - 0x80000000

    def acknowledge(self, seq: int, seen: Sighting) -> None:
        """Note that the other side has all bytes before `seq`."""
        self.expect(seq, seen)
        ahead = self._ahead(seq)
        known = self._acknowledged[-1][0] if self._acknowledged else self._offset
        if known < self._offset + ahead <= self._offset + _WINDOW:
            self._acknowledged.append((self._offset + ahead, seen))
            self.hole = self.hole or seen

    def add(self, seq: int, data: bytes, seen: Sighting) -> Iterator[tuple[int, Piece]]:
        """Take a packet's bytes and yield what is in order now."""
        ahead = self._ahead(seq)
        if ahead > _WINDOW or ahead + len(data) <= 0:
            return
        heappush(self._early, (self._offset + ahead, seen, data))
        self.held += len(data)
        if ahead > 0:
            self.hole = self.hole or seen
        yield from self._drain()

    def give_up(self) -> Iterator[tuple[int, Piece]]:
        """Go on after the first hole, if there is one."""
        if self.hole is None:
            return
        missing = (self._early[0][0] if self._early else self._acknowledged[-1][0]) - self._offset
        at_end = missing == 1 and not self._early  # a FIN, which has a number but is no byte
        if not at_end:
            # A gap lies before the packet by which it showed: that packet may answer what was lost.
            yield self._place(self.hole.line - 1), Piece(self._side, b"", missing, self.hole)
        self._advance(missing)
        yield from self._drain()

    def _drain(self) -> Iterator[tuple[int, Piece]]:
        while self._early and self._early[0][0] <= self._offset:
            at, seen, data = heappop(self._early)
            self.held -= len(data)
            yield from self._deliver(data[self._offset - at :], seen)

    def _deliver(self, data: bytes, seen: Sighting) -> Iterator[tuple[int, Piece]]:
        """Yield bytes in order, cut where acknowledgements that came earlier end."""
        while data:
            part, line, sighting = data, seen.line, seen
            if self._acknowledged and self._acknowledged[0][1] < seen:
                upto, by = self._acknowledged[0]
                part, line = data[: upto - self._offset], by.line - 1
                sighting = Sighting(seen.line, seen.time_ns, max(0, seen.time_ns - self._previous_ns))
            yield self._place(line), Piece(self._side, part, 0, sighting)
            self._previous_ns = sighting.since_ns
            self._advance(len(part))
            data = data[len(part) :]

    def _place(self, line: int) -> int:
        self._order = max(self._order, line)
        return self._order

    def _advance(self, count: int) -> None:
        """Move on; a hole that is left is known from the packets that wait or from an acknowledgement."""
        self._next_seq = (self._next_seq or 0) + count & 0xFFFFFFFF
        self._offset += count
        while self._acknowledged and self._acknowledged[0][0] <= self._offset:
            self._acknowledged.popleft()
        evidence = [seen for at, seen, _ in self._early if at > self._offset]
        evidence += [by for _, by in islice(self._acknowledged, 1)]
        self.hole = min(evidence, default=None)


class Connection:
    """One TCP connection; its two sides are 0 and 1."""

    def __init__(self) -> None:
        self._sides = (_Side(0), _Side(1))
        self._waiting: list[tuple[int, int, Piece]] = []
        self._count = 0

    def packet(
        self, side: int, seq: int, ack: int | None, data: bytes, seen: Sighting, *, syn: bool = False
    ) -> Iterator[Piece]:
        """Take a packet of one side and yield what is certain now, both sides in one order.

        `ack` is the acknowledgement number of a packet that has one; a SYN takes a sequence number itself.
        """
        sender, receiver = self._sides[side], self._sides[1 - side]
        sender.expect(seq + syn, seen)
        if ack is not None:
            receiver.acknowledge(ack, seen)
        if data:
            self._put(sender.add(seq + syn, data, seen))
        for each in self._sides:
            while (hole := each.hole) and (seen.time_ns - hole.time_ns > PATIENCE_NS or each.held > HELD_BYTES):
                self._put(each.give_up())
        yield from self._release()

    def finish(self) -> Iterator[Piece]:
        """Yield what is left when the connection or the capture is over."""
        for each in self._sides:
            while each.hole:
                self._put(each.give_up())
        yield from self._release()

    def _put(self, pieces: Iterator[tuple[int, Piece]]) -> None:
        for order, piece in pieces:
            self._count += 1
            heappush(self._waiting, (order, self._count, piece))

    def _release(self) -> Iterator[Piece]:
        limit = min((hole.line for each in self._sides if (hole := each.hole)), default=None)
        while self._waiting and (limit is None or self._waiting[0][0] < limit):
            yield heappop(self._waiting)[2]
