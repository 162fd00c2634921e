"""What is known about a message beside its descriptor: how a put came to it, or that the queue manager made it itself.

Some values of a message that the queue manager made are its own choice and not known before the message is first
returned: a new MsgId, and the Encoding in which the numbers of a header are written.
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
    """Which members it has, and where."""
    values: Values
    """Their values."""
    free: tuple[str, ...] = ()
    """The members about which the documents say nothing."""
    encoding_is_open: bool = True
    """Whether the queue manager chooses the Encoding of the message, and so the byte order."""

    def encode(self, encoding: int) -> bytes:
        """Return the structure as it is written in an Encoding."""
        return self.layout.encode(self.values, byte_order(encoding))


@dataclass(frozen=True, slots=True)
class OpenPiece:
    """What is known of a segment that the queue manager cut and has not returned yet: only how long it may be."""

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
    """Which other values single members of what MQGET returns may have."""
    behind: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The rules behind them."""
    new_msg_id: bool = False
    """Whether the MsgId is still the model's own, because nobody has been given the message."""
    expiry_is_open: bool = False
    """Whether no document says how long the message lives (Q-k)."""
    header: Header | None = None
    """The structure before its data, if there is one."""
    piece: OpenPiece | None = None
    """There while nobody has seen where a message was split."""
    since_ms: int | None = None
    """The first moment at which the message may have been made, where that has happened unseen."""

    @property
    def rules(self) -> tuple[str, ...]:
        """Every rule that the message rests on."""
        return tuple(dict.fromkeys(rule for rules in self.behind.values() for rule in rules))

    def behind_header(self, header: Header, behind: Mapping[str, tuple[str, ...]]) -> Made:
        """Return what is known when a header has been put before the data."""
        return replace(self, header=header, behind={**self.behind, **behind})


@lru_cache(maxsize=1024)
def _each_once(rules: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """Return all of these rules, each once: of these few values alone, which most messages share."""
    return tuple(dict.fromkeys(chain.from_iterable(rules)))


@quickly_made
@dataclass(frozen=True, slots=True)
class PutNotes:
    """What an application's put decided about single members, named as `MQMD.Expiry`."""

    behind: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The rules behind them."""
    latitude: Mapping[str, Latitude] = field(default_factory=dict)
    """Which other values they may have."""
    putter: int | None = None
    """The number of the connection whose user the message records; None where the user is known otherwise."""

    @property
    def rules(self) -> tuple[str, ...]:
        """Every rule that is noted."""
        return _each_once(tuple(self.behind.values()))

    def having(self, member: str, *rules: str) -> PutNotes:
        """Return the notes with more rules behind a member."""
        return replace(self, behind={**self.behind, member: (*self.behind.get(member, ()), *rules)})


NO_NOTES: Final = PutNotes()
"""About a message that the queue manager made itself."""
