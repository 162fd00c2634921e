"""The records of a text file in pieces: each with its true line, and only one in memory at a time.

A record begins at a match of a pattern and ends where the next one begins. It belongs to the piece of the file in which
it begins. So several tasks can read a file, and an undamaged record can follow a damaged one.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

from oracle.errors import BadInputError, Place
from spark_checks.readers.packed import Damage, unpacked
from spark_checks.readers.pieces import Piece

_BLOCK = 2**20
LONGEST_BEGINNING = 2**16
"""The greatest length of a match of a pattern for beginnings."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A record, or the text before the first one of a file or after damage."""

    line: int
    """The line of its beginning."""
    data: bytes
    """Its bytes."""
    begins: bool
    """Whether it is a record. False for text before the first one."""


def chunks(piece: Piece, beginning: re.Pattern[bytes]) -> Iterator[Chunk | BadInputError]:
    """Yield the records that begin in a piece; text before the first record belongs to the first piece.

    An error replaces the missing part of a damaged or truncated gzip file, and a record that is too long. Raises
    OSError if the file cannot be read.
    """
    source, limits = piece.source, piece.source.limits
    extra = 1 if piece.start else 0
    stop = None if source.compressed else piece.stop
    path = Path(source.path)
    if source.compressed:
        blocks: Iterator[bytes | Damage] = unpacked(path, limits.unpacked_bytes)
    else:
        blocks = _plain_blocks(path, piece.start - extra)
    line, origin = piece.lines_before + 1, piece.start - extra
    while True:
        stream = _Stream(blocks, limits.record_bytes)
        line = yield from _stretch(stream, beginning, _Stretch(source.name, line, origin, extra, stop))
        if stream.damage is None:
            return
        yield BadInputError(stream.damage, Place(source.name, line))
        extra = 0


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Bytes without damage between them: the file, the line and the offset at which they begin.

    The first `extra` bytes are lookbehind only, and at the offset `stop` the records of another piece begin.
    """

    source: str
    line: int
    origin: int
    extra: int
    stop: int | None

    def chunk(self, line: int, taken: _Taken, *, begins: bool) -> Chunk | BadInputError:
        """Return what was taken as a record, or the error that it is too long."""
        if taken.data is not None:
            return Chunk(line, taken.data, begins)
        return BadInputError(
            f"a record of {taken.size:,} bytes, more than is read (--longest-record)", Place(self.source, line)
        )


def _stretch(
    stream: _Stream, beginning: re.Pattern[bytes], stretch: _Stretch
) -> Generator[Chunk | BadInputError, None, int]:
    """Yield the records of a stretch, and return the line on which it ends."""
    line = stretch.line
    counted_before = stretch.extra > 0 and stream.first() == b"\n"
    at = stream.find(beginning, stretch.extra)
    before = stream.take(at)
    line += before.lines - counted_before
    if not stretch.extra and before.size:
        yield stretch.chunk(stretch.line, before, begins=False)
    while at is not None and (stretch.stop is None or stretch.origin + at < stretch.stop):
        at = stream.find(beginning, at + 1)
        taken = stream.take(at)
        yield stretch.chunk(line, taken, begins=True)
        line += taken.lines
    return line


def _plain_blocks(path: Path, start: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        file.seek(start)
        while block := file.read(_BLOCK):
            yield block


@dataclass(frozen=True, slots=True)
class _Taken:
    """Bytes between two places (None if they were too many), their number, and the line ends in them."""

    data: bytes | None
    size: int
    lines: int


class _Stream:
    """The bytes of a stretch, read on demand, with places counted from its beginning.

    If more than `most` bytes are needed, only the end is kept.
    """

    def __init__(self, blocks: Iterator[bytes | Damage], most: int) -> None:
        self.damage: Damage | None = None
        self._blocks, self._most = blocks, most
        self._buffer = bytearray()
        self._base = 0
        self._gone = self._gone_lines = 0
        self._ended = False

    def first(self) -> bytes:
        """Return the first byte before anything is taken; nothing at the end of the file."""
        if not self._buffer:
            self._read()
        return bytes(self._buffer[:1])

    def find(self, beginning: re.Pattern[bytes], at: int) -> int | None:
        """Return the place of the next record; None at the end of the stretch."""
        while True:
            found = beginning.search(self._buffer, at - self._base)
            if found:
                return self._base + found.start()
            if self._ended:
                return None
            at = max(at, self._base + len(self._buffer) - LONGEST_BEGINNING)
            if len(self._buffer) > self._most:
                self._drop(max(0, at - self._base - 1))  # the byte before `at` shows whether a line begins there
            self._read()

    def _drop(self, size: int) -> None:
        self._gone += size
        self._gone_lines += self._buffer.count(b"\n", 0, size)
        self._base += size
        del self._buffer[:size]

    def take(self, upto: int | None) -> _Taken:
        """Return all untaken bytes before a place; without a place, all that are left."""
        end = len(self._buffer) if upto is None else upto - self._base
        data = bytes(self._buffer[:end]) if self._gone + end <= self._most else None
        self._drop(end)
        taken = _Taken(data, self._gone, self._gone_lines)
        self._gone = self._gone_lines = 0
        return taken

    def _read(self) -> None:
        block = next(self._blocks, None)
        self._ended = block is None or isinstance(block, Damage)
        if isinstance(block, Damage):
            self.damage = block
        elif block is not None:
            self._buffer += block
