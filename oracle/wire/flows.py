"""Flows: the transmissions of one side of a channel, in one segment or several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from oracle.errors import BadInputError
from oracle.mqi.layouts import ByteOrder
from oracle.wire.headers import FIRST, LAST, Header, segment


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """One flow."""

    kind: int
    """Its type, that of its segments."""
    conversation: int
    """The number of the conversation that it belongs to; 0 for none."""
    request: int
    """The number of the request, which the reply has too."""
    control: int
    """The control flags of its segments, as a sum."""
    order: ByteOrder
    """The byte order of its integers."""
    charset: str
    """The Python codec for its text."""
    body: bytes
    """Its bytes, those of all segments, without their headers."""
    whole: bool = True
    """Whether the body is complete."""

    def long(self, offset: int) -> int:
        """Return the signed 32-bit integer at an offset. Raises BadInputError if the body is too short."""
        if offset < 0 or len(self.body) < offset + 4:
            raise BadInputError(f"a flow of type 0x{self.kind:02x} ends after {len(self.body)} bytes")
        return int.from_bytes(self.body[offset : offset + 4], self.order, signed=True)

    def text(self, offset: int, size: int) -> str:
        """Return text at an offset without its padding; empty as far as the body is too short."""
        return self.body[offset : offset + size].decode(self.charset, errors="replace").partition("\0")[0].rstrip(" ")


def segments(header: Header, body: bytes, longest: int) -> Iterator[bytes]:
    """Yield a flow as the segments that carry it, none longer than `longest` bytes.

    The header's control flags are those of all segments; FIRST and LAST are added.
    """
    step = longest - header.size
    for at in range(0, max(len(body), 1), step):
        flags = FIRST * (at == 0) | LAST * (at + step >= len(body))
        yield segment(replace(header, control=header.control | flags), body[at : at + step])
