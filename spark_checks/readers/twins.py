"""Connections that captures show under two pairs of addresses, because one of them is translated on the way.

Translation keeps the sequence numbers. The captures may begin between the two sightings of a packet, or lack one of
them, so any packet of a connection may be the first that both have.
"""

from __future__ import annotations

from spark_checks.readers.links import Link
from spark_checks.readers.segments import Segment

REMEMBERED = 1 << 16
"""The number of packets that are remembered to find their copies."""

_ENOUGH = 16
"""The bytes that are compared. Packets may be cut into others on the way, which begin like them."""


class Twins:
    """Packets with data, by what translation keeps of them."""

    def __init__(self) -> None:
        self._seen: dict[int, Link] = {}

    def copy(self, link: Link, segment: Segment) -> tuple[Link, Link] | None:
        """Take a packet of a connection, and return the connection that is a copy and its original; None for none.

        The copy is the one that began later, unless only that one has shown a call.
        """
        key = hash((segment.seq, segment.ack, segment.data[:_ENOUGH]))
        other = self._seen.setdefault(key, link)
        if len(self._seen) > REMEMBERED:
            del self._seen[next(iter(self._seen))]
        if set(other.ends) == set(link.ends) or link.copy_of is not None or other.copy_of is not None:
            return None
        older, newer = sorted((link, other), key=lambda each: each.number)
        return (older, newer) if newer.has_calls and not older.has_calls else (newer, older)
