"""Stand-ins for data that a log does not have: it has their length and perhaps a digest.

No log has the data of messages, and the length in a record may be any number. So the length is kept as a number, and
only the given data are stored. All bytes behind them are zero.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, SupportsIndex

from oracle.errors import NotModelledError


class StandIn(bytes):
    """Many bytes, only the first of them stored; the others are zero and take no memory.

    They support what the model does with data: it measures, compares and cuts them, and puts headers before them. They
    are equal only to others of their kind; empty data are equal to empty data. Raises NotModelledError for data to be
    appended to bytes that are not stored.

    >>> long = StandIn(b"ab", 2**31)
    >>> len(long), len(long[:5]), long[:5] == StandIn(b"ab", 5), long == StandIn(b"ab", 5)
    (2147483648, 5, True, False)
    >>> len(b"head" + long), long[-1], len(long[3:])
    (2147483652, 0, 2147483645)
    """

    length: int
    """The number of all bytes, stored or not."""

    def __new__(cls, stored: bytes, length: int) -> StandIn:
        """Return data of a length; empty for a length below zero."""
        kept = max(length, 0)
        made = super().__new__(cls, bytes.__getitem__(stored, slice(kept)).rstrip(b"\0"))
        made.length = kept
        return made

    @property
    def stored(self) -> bytes:
        """The stored bytes: the beginning of the data."""
        return bytes.__getitem__(self, slice(None))

    def __len__(self) -> int:
        return self.length

    def __eq__(self, other: object) -> bool:
        if isinstance(other, StandIn):
            return self._key() == other._key()
        return isinstance(other, bytes) and not other and not self.length

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._key() if self.length else b"")

    def _key(self) -> tuple[bytes, int]:
        return self.stored, self.length

    def __getitem__(self, place: SupportsIndex | slice) -> Any:
        """Return a byte, or the data of a slice without steps."""
        if not isinstance(place, slice):
            return (bytes.__getitem__(self, slice(*self._at(place))) or b"\0")[0]
        start, stop, step = place.indices(self.length)
        if (start, stop, step) == (0, self.length, 1):
            return self
        if step != 1:
            raise NotModelledError("data that a log does not hold cannot be cut in steps")
        return StandIn(bytes.__getitem__(self, slice(start, stop)), stop - start)

    def _at(self, place: SupportsIndex) -> tuple[int, int]:
        at = range(self.length)[place]
        return at, at + 1

    def __add__(self, other: Any) -> StandIn:
        """Return these data with others appended, if all of these are stored."""
        if not other:
            return self
        if len(self.stored) < self.length:
            raise NotModelledError("nothing can be put behind data that a log does not hold")
        return _joined(self.stored, other)

    def __radd__(self, other: bytes) -> StandIn:
        """Return these data with others, such as headers, in front."""
        return _joined(other, self) if other else self

    def join(self, parts: Iterable[Any]) -> StandIn:
        """Return data one behind the other, as of segments; after the first, none of their bytes are stored."""
        pieces = list(parts)
        first = next((each for each in pieces if len(each)), b"")
        stored = first.stored if isinstance(first, StandIn) else first
        return StandIn(stored, sum(map(len, pieces)))

    def ljust(self, width: SupportsIndex, fill: Any = b" ") -> StandIn:
        """Return these data with nulls behind them up to a length."""
        if fill != b"\0":
            raise NotModelledError("data that a log does not hold can be filled with nulls only")
        return StandIn(self.stored, max(self.length, width.__index__()))

    def hex(self, *separators: Any) -> str:
        """Return the stored bytes in hexadecimal, and the number of all bytes: as reports print them."""
        return f"{self.stored.hex(*separators)}... ({self.length} bytes)"

    def __repr__(self) -> str:
        return f"StandIn({self.stored!r}, {self.length})"

    def __reduce__(self) -> tuple[type[StandIn], tuple[bytes, int]]:
        return StandIn, (self.stored, self.length)


def _joined(first: bytes, second: bytes) -> StandIn:
    stored = second.stored if isinstance(second, StandIn) else second
    return StandIn(b"".join((first, stored)), len(first) + len(second))


def stand_in(digest: str | None, length: int) -> StandIn:
    """Return data of a length that stand for those that a log knows by their digest only.

    Equal data have equal stand-ins; without a digest they are never compared.
    """
    return StandIn(bytes.fromhex(digest or ""), length)
