"""Message data in words: the members of a header that differ, or the bytes, where the whole is too long to read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice, zip_longest
from typing import Final

from oracle.errors import BadInputError
from oracle.mqi.binary import ByteOrder, Layout, Values
from oracle.mqi.layouts import MQDLH, MQTM, MQXQH

LONGEST: Final = 32
"""How many bytes of data reports print as they are."""

_HEADERS: Final[tuple[Layout, ...]] = (MQTM, MQDLH, MQXQH)
_LONGEST_HEADER: Final = 1024
"""More bytes than any of these headers has: where as many differ, some stand behind the header."""
_BLOCK: Final = 4096


def difference_in_words(allowed: bytes, seen: bytes, free: Iterable[range] = ()) -> tuple[str, str] | None:
    """Return what is allowed and what was seen, each in words; None if they are to be printed as they are.

    That is if both are short, or if one is no plain `bytes`, such as data that a log does not hold. For data that begin
    with the same header, the members that differ are named. Bytes in `free` may be any.
    """
    if max(len(allowed), len(seen)) <= LONGEST or not (type(allowed) is type(seen) is bytes):
        return None
    differing = list(islice(_differing(allowed, seen, {place for places in free for place in places}), _LONGEST_HEADER))
    if not differing:
        return None
    for layout in _HEADERS:
        found = _by_members(layout, allowed, seen, differing)
        if found is not None:
            return found
    first, last = differing[0], min(differing[-1], differing[0] + LONGEST - 1)
    return _excerpt(allowed, first, last), _excerpt(seen, first, last)


def _differing(allowed: bytes, seen: bytes, free: Collection[int]) -> Iterator[int]:
    """Yield the places of the bytes that differ. Equal blocks are passed over at once, for data may be megabytes."""
    for start in range(0, max(len(allowed), len(seen)), _BLOCK):
        ours, theirs = allowed[start : start + _BLOCK], seen[start : start + _BLOCK]
        if ours != theirs:
            pairs = enumerate(zip_longest(ours, theirs), start)
            yield from (place for place, (our, their) in pairs if our != their and place not in free)


def _by_members(layout: Layout, allowed: bytes, seen: bytes, differing: list[int]) -> tuple[str, str] | None:
    orders: tuple[ByteOrder, ByteOrder] = ("little", "big")
    for order in orders:
        ours, theirs = _decoded(layout, allowed, order), _decoded(layout, seen, order)
        if ours is None or theirs is None or differing[-1] >= layout.length(1):
            continue
        places = {field.name: layout.places(field.name)[0] for field in layout.members(1)}
        names = [name for name, place in places.items() if not set(place).isdisjoint(differing)]
        return _members(layout, ours, names), _members(layout, theirs, names)
    return None


def _decoded(layout: Layout, data: bytes, order: ByteOrder) -> Values | None:
    try:
        return layout.decode(data, order)
    except BadInputError:
        return None


def _members(layout: Layout, values: Values, names: list[str]) -> str:
    return f"an {layout.name} with " + ", ".join(f"{name} {values[name]!r}" for name in names)


def _excerpt(data: bytes, first: int, last: int) -> str:
    part = data[first : last + 1].hex() or "nothing"
    return f"{len(data)} bytes with {part} at {first}"
