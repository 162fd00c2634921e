"""Facts about a message besides its descriptor: the notes of its put, or that the queue manager made it itself.

Some values of a message that the queue manager made are its own choice and unknown until the message is first returned:
a new MsgId, and the Encoding in which the numbers of a header are written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Final

from oracle.model.reply import Latitude
from oracle.mqi.layouts import Layout, Values, byte_order
from oracle.values import quickly_made, replace


@dataclass(frozen=True, slots=True)
class Header:
    """A structure with which the queue manager began the data."""

    layout: Layout
    """Its layout: the members and their places."""
    values: Values
    """Their values."""
    free: tuple[str, ...] = ()
    """The members about which the documents say nothing."""
    encoding_is_open: bool = True
    """Whether the queue manager chooses the Encoding of the message, and so the byte order."""
    inner: Header | None = None
    """The structure behind it that the queue manager also made: an MQMDE behind an MQXQH, an MQTM behind an MQDLH."""

    def encode(self, encoding: int) -> bytes:
        """Return the structure as bytes in an Encoding."""
        return self.layout.encode(self.values, byte_order(encoding))


@dataclass(frozen=True, slots=True)
class OpenPiece:
    """The known facts of a segment that the queue manager cut and has not returned yet: only its greatest length."""

    longest: int
    """Its largest length, in bytes."""
    counted: bool = False
    """Whether an inquired depth has shown how many such pieces the message has."""
    msg_id_is_open: bool = True
    """Whether its MsgId is open; that of the first piece is the MsgId of the message."""


@quickly_made
@dataclass(frozen=True, slots=True)
class Made:
    """How exactly a message that the queue manager made is known."""

    latitude: Mapping[str, Latitude] = field(default_factory=dict)
    """The other values that single members of the message may have in MQGET."""
    behind: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The rules behind single members."""
    new_msg_id: bool = False
    """Whether the MsgId is still the model's own, because no call has returned the message."""
    expiry_is_open: bool = False
    """Whether no document says how long the message lives (Q-k)."""
    header: Header | None = None
    """The structure before its data, if there is one."""
    piece: OpenPiece | None = None
    """The open piece, while no call has shown where a message was split."""
    since_ms: int | None = None
    """The first moment at which the message may have been made, if that happened unseen."""
    put: int | None = None
    """The number of the put whose message was split, which all its pieces share; None for another message."""

    @property
    def rules(self) -> tuple[str, ...]:
        """Every rule behind the message."""
        return tuple(dict.fromkeys(rule for rules in self.behind.values() for rule in rules))

    def behind_header(self, header: Header, behind: Mapping[str, tuple[str, ...]]) -> Made:
        """Return the facts after a header has been put before the data."""
        return replace(self, header=header, behind={**self.behind, **behind})


@lru_cache(maxsize=1024)
def _each_once(rules: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """Return each of these rules once. Cached: most messages share the same few values."""
    return tuple(dict.fromkeys(chain.from_iterable(rules)))


@quickly_made
@dataclass(frozen=True, slots=True)
class PutNotes:
    """The decisions of an application's put on single members, named as `MQMD.Expiry`."""

    behind: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The rules behind single members."""
    latitude: Mapping[str, Latitude] = field(default_factory=dict)
    """The other values that they may have."""
    putter: int | None = None
    """The number of the connection whose user the message records; None if the user is known otherwise."""

    @property
    def rules(self) -> tuple[str, ...]:
        """Every rule that is noted."""
        return _each_once(tuple(self.behind.values()))

    def having(self, member: str, *rules: str) -> PutNotes:
        """Return the notes with more rules behind a member."""
        return replace(self, behind={**self.behind, member: (*self.behind.get(member, ()), *rules)})


NO_NOTES: Final = PutNotes()
"""The notes of a message that the queue manager made itself."""
