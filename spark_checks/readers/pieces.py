"""Text files read in pieces, line by line: each piece by itself, and every line with its true number.

A plain file is cut into pieces of bytes so that several tasks can read it; a line belongs to the piece in which it
begins. A gzip file is one piece, because nothing can be skipped in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from oracle.errors import BadInputError, Place
from spark_checks.readers.detect import Source
from spark_checks.readers.packed import Damage, unpacked

PIECE_BYTES = 64 * 2**20
_BLOCK = 2**20
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Piece:
    """A part of a file, which one task reads. Offsets are in bytes."""

    source: Source
    """The file."""
    start: int
    """The offset of its first byte."""
    stop: int
    """The offset after its last byte."""
    lines_before: int = 0
    """The number of line ends before it in the file."""


def cut(source: Source, piece_bytes: int = PIECE_BYTES) -> list[Piece]:
    """Cut a file into pieces. `lines_before` is known only for the first one."""
    if source.compressed:
        return [Piece(source, 0, source.size)]
    return [Piece(source, start, min(start + piece_bytes, source.size)) for start in range(0, source.size, piece_bytes)]


def count_line_ends(piece: Piece) -> int:
    """Count the line ends within a piece of a plain file."""
    count, left = 0, piece.stop - piece.start
    with Path(piece.source.path).open("rb") as file:
        file.seek(piece.start)
        while left > 0 and (block := file.read(min(_BLOCK, left))):
            count += block.count(b"\n")
            left -= len(block)
    return count


@dataclass(frozen=True, slots=True)
class Unread:
    """A line that cannot be read, or a placeholder for missing lines."""

    reason: str
    """The reason."""


def _plain_blocks(piece: Piece) -> Iterator[bytes]:
    """Yield a file from the byte before a piece, or from its beginning."""
    with Path(piece.source.path).open("rb") as file:
        file.seek(max(0, piece.start - 1))
        while block := file.read(_BLOCK):
            yield block


class _Lines:
    """A splitter of blocks into lines; it holds at most `most` bytes of a line and a block in memory."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._parts: list[bytes] = []
        self.held = 0

    def feed(self, block: bytes) -> Iterator[tuple[int, bytes | Unread]]:
        """Take the next bytes, and yield the lines that end in them, with their ends, each after its size."""
        at = 0
        while (end := block.find(b"\n", at) + 1) > 0:
            self._add(block[at:end])
            yield self.held, self.rest()
            at = end
        if at < len(block):
            self._add(block[at:])

    def _add(self, part: bytes) -> None:
        self.held += len(part)
        if self.held <= self._most:
            self._parts.append(part)
        else:
            self._parts.clear()

    def rest(self) -> bytes | Unread:
        """Return the part of the last line that has arrived, and begin another line."""
        parts, held = self._parts, self.held
        self._parts, self.held = [], 0
        if held > self._most:
            return Unread(f"a line of {held:,} bytes; lines of up to {self._most:,} are read (--longest-record)")
        return parts[0] if len(parts) == 1 else b"".join(parts)


def _plain_lines(piece: Piece) -> Iterator[tuple[int, bytes | Unread]]:
    number, lines = piece.lines_before, _Lines(piece.source.limits.record_bytes)
    position = max(0, piece.start - 1)
    within = piece.start == 0
    for block in _plain_blocks(piece):
        for size, line in lines.feed(block):
            if position >= piece.stop:
                return
            position += size
            if within:
                number += 1
                yield number, line
            else:  # the line before, or only its end
                number += size > 1
                within = True
    if lines.held and within and position < piece.stop:
        yield number + 1, lines.rest()


def _gzip_lines(piece: Piece) -> Iterator[tuple[int, bytes | Unread]]:
    limits = piece.source.limits
    number, lines = 0, _Lines(limits.record_bytes)
    for block in unpacked(Path(piece.source.path), limits.unpacked_bytes):
        if isinstance(block, Damage):
            lines.rest()
            number += 1
            yield number, Unread(block)
            continue
        for _, line in lines.feed(block):
            number += 1
            yield number, line
    if lines.held:
        yield number + 1, lines.rest()


def numbered_lines(piece: Piece) -> Iterator[tuple[int, bytes | BadInputError]]:
    """Yield the lines that begin in a piece, with their numbers in the file from 1; blank ones are left out.

    An error with file and line replaces a line that is too long, lines that are missing because a gzip file is damaged
    or truncated, and the rest of a file that cannot be read further. Nothing is raised.
    """
    name, number = piece.source.name, piece.lines_before
    try:
        for number, line in _gzip_lines(piece) if piece.source.compressed else _plain_lines(piece):
            if isinstance(line, Unread):
                yield number, BadInputError(line.reason, Place(name, number))
                continue
            text = line.removeprefix(_BOM) if number == 1 else line
            if text and not text.isspace():
                yield number, text
    except OSError as error:
        yield number + 1, BadInputError(error.strerror or "cannot be read", Place(name, number + 1))


def whole_lines(source: Source) -> Iterator[tuple[int, str | BadInputError]]:
    """Yield the lines of a text file, also one with gzip, without their ends; any byte is a character.

    Errors are among them as in numbered_lines.
    """
    for number, line in numbered_lines(Piece(source, 0, source.size)):
        yield number, line if isinstance(line, BadInputError) else line.decode(errors="replace").rstrip("\r\n")
