"""A message on a queue, and the ordered container of all messages of a queue.

The container is the one place where the model trades plainness for speed: it is immutable, so that
a state can be copied by sharing it, and cut into pieces, so that a change copies one piece only.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from oracle.model.made import Made
from oracle.structures import MessageDescriptor

Position = tuple[int, int]
"""Where a message stands in its queue: minus its rank, then its arrival number; smaller is nearer the front."""

FRONT: Position = (-(10**9), 0)
"""A position before every message."""

_PIECE = 256


@dataclass(frozen=True, slots=True)
class Message:
    """A physical message as the queue manager holds it.

    `rank` is the priority at which it was placed, which need not be its Priority (VIS-08 to VIS-10);
    `arrival` numbers the puts of the whole queue manager. `put_by` and `got_by` name the connection
    whose open unit of work put or got it. `put_ms` is when it was put. `perhaps_discarded` marks an
    expired message that the queue manager was free to discard when a call passed over it (EXP-14);
    `co_op_marked_ms` is when it was marked for the cooperating set, if it is. `made` is there for a message that the
    queue manager made itself.
    """

    descriptor: MessageDescriptor
    data: bytes
    rank: int
    arrival: int
    put_ms: int
    put_by: str | None = None
    got_by: str | None = None
    token: bytes | None = None
    co_op_marked_ms: int | None = None
    perhaps_discarded: bool = False
    made: Made | None = None

    @property
    def position(self) -> Position:
        """Where the message stands: by rank, then by time of arrival (PRI-03, PRI-04, VIS-03)."""
        return (-self.rank, self.arrival)


@dataclass(frozen=True, slots=True)
class Messages:
    """All messages of a queue in order of position. Changing it makes a new one."""

    pieces: tuple[tuple[Message, ...], ...] = ()
    count: int = 0

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Message]:
        for piece in self.pieces:
            yield from piece

    def after(self, position: Position) -> Iterator[Message]:
        """Yield the messages behind a position, nearest first."""
        start = self._piece_of(position)
        for number in range(start, len(self.pieces)):
            piece = self.pieces[number]
            if number > start:
                yield from piece
            else:
                yield from piece[bisect_right(piece, position, key=_position) :]

    def at(self, position: Position) -> Message | None:
        """Return the message at a position, or None if the place is empty."""
        if not self.pieces:
            return None
        piece = self.pieces[self._piece_of(position)]
        index = bisect_left(piece, position, key=_position)
        if index < len(piece) and piece[index].position == position:
            return piece[index]
        return None

    def having(self, message: Message) -> Messages:
        """Return the messages with this one added, or put in the place of the one at its position."""
        if not self.pieces:
            return Messages(((message,),), 1)
        number = self._piece_of(message.position)
        piece = self.pieces[number]
        index = bisect_left(piece, message.position, key=_position)
        replaces = index < len(piece) and piece[index].position == message.position
        piece = (*piece[:index], message, *piece[index + replaces :])
        halves = (piece,) if len(piece) <= _PIECE else (piece[: _PIECE // 2], piece[_PIECE // 2 :])
        return self._with_piece(number, halves, self.count + (not replaces))

    def without(self, message: Message) -> Messages:
        """Return the messages with the one at this one's position left out."""
        number = self._piece_of(message.position)
        piece = self.pieces[number]
        index = bisect_left(piece, message.position, key=_position)
        piece = (*piece[:index], *piece[index + 1 :])
        return self._with_piece(number, (piece,) if piece else (), self.count - 1)

    def _with_piece(self, number: int, pieces: tuple[tuple[Message, ...], ...], count: int) -> Messages:
        return Messages((*self.pieces[:number], *pieces, *self.pieces[number + 1 :]), count)

    def _piece_of(self, position: Position) -> int:
        return max(0, bisect_right(self.pieces, position, key=_first_position) - 1)


def _position(message: Message) -> Position:
    return message.position


def _first_position(piece: tuple[Message, ...]) -> Position:
    return piece[0].position
