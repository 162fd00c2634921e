"""A message on a queue, and the ordered container of all messages of a queue.

The container is immutable, so that a state can be copied by sharing it, and it is cut into pieces, so that a change
copies one piece only. This trades simplicity for speed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from oracle.model.messages.made import NO_NOTES, Made, PutNotes
from oracle.model.messages.places import Key, Places, places_of
from oracle.mqi.constants import NULL_ID
from oracle.mqi.structures import MessageDescriptor
from oracle.values import quickly_made

Position = tuple[int, int]
"""The position of a message in its queue: minus its rank, then its arrival number; smaller is nearer the front."""

FRONT: Position = (-(10**9), 0)
"""A position before every message."""

_PIECE = 256


class MessageKey(NamedTuple):
    """The key of a message that a call returned: an application may give several messages the same MsgId."""

    msg_id: bytes
    """Its MsgId."""
    msg_seq_number: int
    """Its MsgSeqNumber."""
    offset: int
    """Its Offset."""

    @classmethod
    def of(cls, md: MessageDescriptor) -> MessageKey:
        """Return the key of the message that a descriptor describes."""
        return cls(md.msg_id, md.msg_seq_number, md.offset)


@quickly_made
@dataclass(frozen=True, slots=True)
class Message:
    """A physical message as the queue manager holds it."""

    descriptor: MessageDescriptor
    """Its descriptor, with all defaults resolved."""
    data: bytes
    """Its data."""
    rank: int
    """The priority at which it was placed, which need not be its Priority (VIS-08 to VIS-10)."""
    arrival: int
    """The number of its put among all puts of the queue manager."""
    put_ms: int
    """The time at which it was put, in milliseconds of the virtual clock."""
    put_by: str | None = None
    """The connection whose open unit of work put it."""
    got_by: str | None = None
    """The connection whose open unit of work got it."""
    token: bytes | None = None
    """Its MsgToken, once a get has returned it."""
    co_op_marked_ms: int | None = None
    """The time at which it was marked for the cooperating set, if it is."""
    discardable_ms: int | None = None
    """The time at which a call or a scan first met it expired, so that it may be discarded (EXP-14)."""
    freed_ms: int | None = None
    """The time at which the end of a unit of work let go of it, if it might have expired by then."""
    made: Made | None = None
    """The facts of a message that the queue manager made itself; None for others."""
    notes: PutNotes = NO_NOTES
    """The decisions of an application's put on it."""

    @property
    def position(self) -> Position:
        """The position of the message: by rank, then by arrival (PRI-03, PRI-04, VIS-03)."""
        return (-self.rank, self.arrival)

    @property
    def msg_id_is_open(self) -> bool:
        """Whether the MsgId is the model's own: the queue manager made it, and no call has returned the message.

        Such a guess may be the very value that the queue manager has given to another message, so it selects nothing.
        """
        made = self.made
        return made is not None and (made.new_msg_id or (made.piece is not None and made.piece.msg_id_is_open))

    @property
    def key(self) -> MessageKey:
        """The key of the message."""
        return MessageKey.of(self.descriptor)


@quickly_made
@dataclass(frozen=True, slots=True)
class Piece:
    """Some neighbouring messages, and the position of each."""

    positions: tuple[Position, ...]
    """Their positions."""
    messages: tuple[Message, ...]
    """The messages, in order of position."""


@quickly_made
@dataclass(frozen=True, slots=True)
class Messages:
    """All messages of a queue in order of position. A change makes a new container."""

    pieces: tuple[Piece, ...] = ()
    """The messages, some neighbouring ones together."""
    starts: tuple[Position, ...] = ()
    """The positions at which the pieces begin."""
    count: int = 0
    """The number of messages."""
    places: Places = field(default_factory=Places, compare=False, repr=False)
    """The places of identifiers; they are not part of the container's value."""
    known: dict[Key, tuple[Message, ...]] = field(default_factory=dict, compare=False, repr=False)
    """What has been found by a key, for one call asks for it many times; not part of the container's value either."""

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Message]:
        for piece in self.pieces:
            yield from piece.messages

    def after(self, position: Position) -> Iterator[Message]:
        """Yield the messages behind a position, nearest first."""
        number = self._piece_of(position)
        for piece in self.pieces[number : number + 1]:
            yield from piece.messages[bisect_right(piece.positions, position) :]
        for piece in self.pieces[number + 1 :]:
            yield from piece.messages

    def next_after(self, position: Position) -> Message | None:
        """Return the nearest message behind a position, or None if there is none."""
        number = self._piece_of(position)
        for piece in self.pieces[number : number + 2]:
            index = bisect_right(piece.positions, position)
            if index < len(piece.positions):
                return piece.messages[index]
        return None

    def perhaps_with(self, key: Key | None, behind: Position = FRONT) -> Iterable[Message]:
        """Return all messages behind a position that match a key, and all that may expire, nearest first.

        There may be others among them: all messages, if there is no key.
        """
        mortal = self.places.mortal
        if key is None or NULL_ID in (key, key[0]) or len(mortal) > self.count // 4:
            return self.after(behind)
        noted = self.places.of.get(key, ())
        if not noted and not mortal:
            return ()
        if behind is FRONT:
            found = self.known.get(key)
            if found is None:
                found = self.known[key] = tuple(self._there(sorted({*noted, *mortal})))
            return found
        there = sorted({*noted, *mortal})
        return self._there(there[bisect_right(there, behind) :])

    def mortal(self) -> Iterator[Message]:
        """Yield the messages that may expire, and those that the queue manager made, nearest first."""
        return self._there(sorted(set(self.places.mortal)))

    def _there(self, positions: Iterable[Position]) -> Iterator[Message]:
        """Yield the messages at these places that are not empty."""
        return (message for message in map(self.at, positions) if message is not None)

    def at(self, position: Position) -> Message | None:
        """Return the message at a position, or None if the place is empty."""
        if not self.pieces:
            return None
        piece = self.pieces[self._piece_of(position)]
        index = bisect_left(piece.positions, position)
        if index < len(piece.positions) and piece.positions[index] == position:
            return piece.messages[index]
        return None

    def having(self, message: Message) -> Messages:
        """Return the messages with this one added, or in place of the one at its position."""
        position = message.position
        if not self.pieces:
            return Messages((Piece((position,), (message,)),), (position,), 1, places_of((message,)))
        number = self._piece_of(position)
        piece = self.pieces[number]
        index = bisect_left(piece.positions, position)
        rest = index + (index < len(piece.positions) and piece.positions[index] == position)
        if self.places.is_stale(self.count):
            object.__setattr__(self, "places", places_of(self))  # another way to the same messages
        places = self.places
        if rest == index or piece.messages[index].descriptor is not message.descriptor:
            places.note(message)
        positions = (*piece.positions[:index], position, *piece.positions[rest:])
        messages = (*piece.messages[:index], message, *piece.messages[rest:])
        parts = [Piece(positions, messages)]
        if len(messages) > _PIECE:
            half = _PIECE // 2
            parts = [Piece(positions[:half], messages[:half]), Piece(positions[half:], messages[half:])]
        return self._with_piece(number, parts, self.count + 1 - (rest - index), places)

    def without(self, message: Message) -> Messages:
        """Return the messages without the one at this message's position."""
        number = self._piece_of(message.position)
        piece = self.pieces[number]
        index = bisect_left(piece.positions, message.position)
        positions = (*piece.positions[:index], *piece.positions[index + 1 :])
        messages = (*piece.messages[:index], *piece.messages[index + 1 :])
        parts = [Piece(positions, messages)] if messages else []
        return self._with_piece(number, parts, self.count - 1, self.places)

    def _with_piece(self, number: int, parts: list[Piece], count: int, places: Places) -> Messages:
        """Return the messages with a piece replaced by these parts, which hold some."""
        starts = [part.positions[0] for part in parts]
        if len(self.pieces) == 1:
            return Messages(tuple(parts), tuple(starts), count, places)
        return Messages(
            (*self.pieces[:number], *parts, *self.pieces[number + 1 :]),
            (*self.starts[:number], *starts, *self.starts[number + 1 :]),
            count,
            places,
        )

    def _piece_of(self, position: Position) -> int:
        return 0 if len(self.starts) < 2 else max(0, bisect_right(self.starts, position) - 1)
