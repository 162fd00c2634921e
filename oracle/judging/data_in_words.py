"""Message data in words: the members of a header that differ, or the bytes, where the whole is too long to read.

The members that differ also tell which of the rules about the data is broken.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product, zip_longest
from typing import Final

from oracle.errors import BadInputError
from oracle.mqi.binary import ByteOrder, Layout, Values
from oracle.mqi.layouts import MQDLH, MQTM, MQXQH

LONGEST: Final = 32
"""How many bytes of data reports print as they are."""

_HEADERS: Final[tuple[Layout, ...]] = (MQTM, MQDLH, MQXQH)
_RULES: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "MQTM": {"TriggerData": ("TRI-07",), "ProcessName": ("TRI-07",), "QName": ("TRI-06",)},
    "MQDLH": {field.name: ("DLH-02",) for field in MQDLH.members(1)},
    "MQXQH": {"MsgDesc.Expiry": ("XMQ-02", "XMQ-09", "XMQ-12")},
}
"""By header the rules about its members, if they are not those about all data."""

_LONGEST_HEADER: Final = 1024
"""More bytes than any of these headers has: where as many differ, some stand behind the header."""
_BLOCK: Final = 4096


def difference_in_words(allowed: bytes, seen: bytes, free: Iterable[range] = ()) -> tuple[str, str] | None:
    """Return what is allowed and what was seen, each in words; None if they are to be printed as they are.

    That is if both are short, or if one is no plain `bytes`, such as data that a log does not hold. For data that begin
    with the same header, the members that differ are named. Bytes in `free` may be any.
    """
    differing = _places(allowed, seen, free)
    if not differing:
        return None
    header = _header(allowed, seen, differing)
    if header is not None:
        return _members(header, header.ours), _members(header, header.theirs)
    first, last = differing[0], min(differing[-1], differing[0] + LONGEST - 1)
    return _excerpt(allowed, first, last), _excerpt(seen, first, last)


def rules_of_difference(allowed: bytes, seen: bytes, free: Iterable[range] = ()) -> frozenset[str]:
    """Return the rules about the members of a header that differ; none if they are not known for each of them."""
    header = _header(allowed, seen, _places(allowed, seen, free))
    known = {} if header is None else _RULES.get(header.layout.name, {})
    names = () if header is None else header.differing
    if not all(name in known for name in names):
        return frozenset()
    return frozenset(entry for name in names for entry in known[name])


@dataclass(frozen=True, slots=True)
class _Headers:
    """The same header of both."""

    layout: Layout
    """Its layout."""
    ours: Values
    """Its allowed members."""
    theirs: Values
    """Those that were seen."""
    differing: tuple[str, ...]
    """The names of the members that differ."""


def _places(allowed: bytes, seen: bytes, free: Iterable[range]) -> list[int]:
    """Return the places of the bytes that differ, as many as a header may have; none of what is printed as it is."""
    if max(len(allowed), len(seen)) <= LONGEST or not (type(allowed) is type(seen) is bytes):
        return []
    return list(islice(_differing(allowed, seen, {place for places in free for place in places}), _LONGEST_HEADER))


def _differing(allowed: bytes, seen: bytes, free: Collection[int]) -> Iterator[int]:
    """Yield the places of the bytes that differ. Equal blocks are passed over at once, for data may be megabytes."""
    for start in range(0, max(len(allowed), len(seen)), _BLOCK):
        ours, theirs = allowed[start : start + _BLOCK], seen[start : start + _BLOCK]
        if ours != theirs:
            pairs = enumerate(zip_longest(ours, theirs), start)
            yield from (place for place, (our, their) in pairs if our != their and place not in free)


def _header(allowed: bytes, seen: bytes, differing: list[int]) -> _Headers | None:
    """Return the header with which both begin, if every difference is in it."""
    orders: tuple[ByteOrder, ByteOrder] = ("little", "big")
    for layout, order in product(_HEADERS, orders):
        ours, theirs = _decoded(layout, allowed, order), _decoded(layout, seen, order)
        if ours is None or theirs is None or not differing or differing[-1] >= layout.length(1):
            continue
        places = {field.name: layout.places(field.name)[0] for field in layout.members(1)}
        names = tuple(name for name, place in places.items() if not set(place).isdisjoint(differing))
        return _Headers(layout, ours, theirs, names)
    return None


def _decoded(layout: Layout, data: bytes, order: ByteOrder) -> Values | None:
    try:
        return layout.decode(data, order)
    except BadInputError:
        return None


def _members(header: _Headers, values: Values) -> str:
    return f"an {header.layout.name} with " + ", ".join(f"{name} {values[name]!r}" for name in header.differing)


def _excerpt(data: bytes, first: int, last: int) -> str:
    part = data[first : last + 1].hex() or "nothing"
    return f"{len(data)} bytes with {part} at {first}"
