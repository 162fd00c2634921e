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
    """A structure with which the queue manager began the data.

    `encoding_is_open`: the queue manager chooses the Encoding of the message, and so the byte order. `free` are the
    members about which the documents say nothing.
    """

    layout: Layout
    values: Values
    free: tuple[str, ...] = ()
    encoding_is_open: bool = True

    def encode(self, encoding: int) -> bytes:
        """Return the structure as it is written in an Encoding."""
        return self.layout.encode(self.values, byte_order(encoding))


@dataclass(frozen=True, slots=True)
class OpenPiece:
    """What is known of a segment that the queue manager cut and has not returned yet: only how long it may be.

    `counted`: an inquired depth has shown how many such pieces the message has. The MsgId of the first is that of the
    message, all others are open.
    """

    longest: int
    counted: bool = False
    msg_id_is_open: bool = True


@quickly_made
@dataclass(frozen=True, slots=True)
class Made:
    """How exactly a message that the queue manager made is known.

    `latitude` widens single members of what MQGET returns, `behind` names the rules behind them. With `new_msg_id` the
    MsgId is still the model's own, because nobody has been given the message. `expiry_is_open`: no document says how
    long the message lives (Q-k). `piece` is there while nobody has seen where a message was split. `since_ms` is the
    first moment at which the message may have been made, where that has happened unseen.
    """

    latitude: Mapping[str, Latitude] = field(default_factory=dict)
    behind: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    new_msg_id: bool = False
    expiry_is_open: bool = False
    header: Header | None = None
    piece: OpenPiece | None = None
    since_ms: int | None = None

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
    """What an application's put decided: the rules behind single members, named as `MQMD.Expiry`, and latitude.

    `putter` is the number of the connection whose user the message records, None where the user is known otherwise.
    """

    behind: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    latitude: Mapping[str, Latitude] = field(default_factory=dict)
    putter: int | None = None

    @property
    def rules(self) -> tuple[str, ...]:
        """Every rule that is noted."""
        return _each_once(tuple(self.behind.values()))

    def having(self, member: str, *rules: str) -> PutNotes:
        """Return the notes with more rules behind a member."""
        return replace(self, behind={**self.behind, member: (*self.behind.get(member, ()), *rules)})


NO_NOTES: Final = PutNotes()
"""About a message that the queue manager made itself."""
