"""The differences between the clocks of captures, from packets that several files have.

A packet that was captured at two points has two times. They differ by the clocks and by the latency between the points.
The latency has opposite signs in the two directions, so the larger of both differences is at least that of the clocks.
A retransmitted packet looks like a copy too; the smallest difference is that of copies.
"""

from __future__ import annotations

from oracle.histories.event_log import LONGEST_CLOCK_US
from spark_checks.readers.links import Link
from spark_checks.readers.segments import Segment
from spark_checks.readers.tcp import PATIENCE_NS, Piece

REMEMBERED = 1 << 16
"""The number of packets that are remembered to find their copies."""


class CaptureClocks:
    """Gathers differences of clocks, in nanoseconds."""

    def __init__(self) -> None:
        self._recent: dict[tuple[int, int, int, int], tuple[int, int]] = {}
        self._copies: dict[tuple[int, int], dict[int, int]] = {}
        self._step_ns = 0

    def packet(self, link: Link, file: int, side: int, segment: Segment, time_ns: int) -> None:
        """Take a packet of a connection that several files may show."""
        if not segment.data:
            return
        key = (link.number, side, segment.seq, len(segment.data))
        shown_by, at_ns = self._recent.setdefault(key, (file, time_ns))
        if shown_by != file:
            found = self._copies.setdefault((min(file, shown_by), max(file, shown_by)), {})
            to_server = int(segment.target == link.server)
            found[to_server] = min(abs(time_ns - at_ns), found.get(to_server, 2**63))
        elif len(self._recent) > REMEMBERED:
            del self._recent[next(iter(self._recent))]

    def piece(self, link: Link, piece: Piece) -> None:
        """Take bytes in their order: if the time goes back by more than a retransmission, a clock was set."""
        back_ns = link.reached_ns[piece.side] - piece.seen.time_ns
        if back_ns > PATIENCE_NS:
            self._step_ns = max(self._step_ns, back_ns)
        link.reached_ns[piece.side] = max(link.reached_ns[piece.side], piece.seen.time_ns)

    @property
    def differ_us(self) -> int:
        """The difference between the clocks in microseconds, as far as it is visible.

        A damaged time may be any number, so the result is limited to what a log can say.
        """
        found = [max(each.values()) for each in self._copies.values()]
        return min(-(-max([self._step_ns, *found]) // 1000), LONGEST_CLOCK_US)
