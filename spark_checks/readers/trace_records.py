"""The records of a text file in pieces: each with its true line, each once, none whole in memory but its own.

A record begins where a pattern is found and ends where the next one begins; it belongs to the piece of the file in
which it begins. So a file can be read by several tasks, and after a damaged record comes a whole one.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path

from oracle.errors import BadInputError, Place
from spark_checks.readers.pieces import Piece

_BLOCK = 2**20
LONGEST_RECORD = 256 * 2**20
"""Bytes in a row without the beginning of a record, after which the rest of a piece is given up."""
LONGEST_BEGINNING = 2**16
"""How far a match of a pattern for beginnings may reach."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A record, or what stands before the first one (`begins` is false), and the line on which it begins."""

    line: int
    data: bytes
    begins: bool


def chunks(piece: Piece, beginning: re.Pattern[bytes]) -> Iterator[Chunk]:
    """Yield the records that begin in a piece; what stands before the first record belongs to the first piece.

    Raises BadInputError, with file and line, where a gzip file is damaged or ends too early (after all that was
    read before) and where no end of a record is found in a very long stretch.
    """
    source = piece.source
    stop = None if source.compressed else piece.stop
    with closing(_Stream(piece)) as stream:
        origin, line = piece.start - stream.extra, piece.lines_before + 1
        at = stream.find(beginning, stream.extra)
        before = stream.between(stream.extra, at)
        if before and not piece.start:
            yield Chunk(line, before, begins=False)
        line += before.count(b"\n")
        while at is not None and (stop is None or origin + at < stop):
            following = stream.find(beginning, at + 1)
            data = stream.between(at, following)
            yield Chunk(line, data, begins=True)
            line += data.count(b"\n")
            if following is None:
                break
            stream.drop(following)
            origin, at = origin + following, 0
        if stream.fault:
            raise BadInputError(stream.fault, Place(source.path, line))


def _opened(piece: Piece) -> BufferedIOBase:
    if piece.source.compressed:
        return gzip.GzipFile(piece.source.path)
    return Path(piece.source.path).open("rb")


class _Stream:
    """The bytes of a file from the beginning of a piece on, read as far as they were asked for.

    With the `extra` one before them, so that it can be seen whether a line begins with them.
    """

    def __init__(self, piece: Piece) -> None:
        self.fault: str | None = None
        self._buffer = bytearray()
        self._ended = False
        self._file = _opened(piece)
        self.extra = 1 if piece.start else 0
        self._file.seek(piece.start - self.extra)
        self.close: Callable[[], None] = self._file.close

    def find(self, beginning: re.Pattern[bytes], at: int) -> int | None:
        """Return where the next record begins, None at the end of the file."""
        while True:
            found = beginning.search(self._buffer, at)
            if found:
                return found.start()
            if self._ended:
                return None
            at = max(at, len(self._buffer) - LONGEST_BEGINNING)
            self._read()

    def between(self, start: int, stop: int | None) -> bytes:
        """Return bytes that were read; without a stop all of them."""
        return bytes(self._buffer[start:stop])

    def drop(self, size: int) -> None:
        """Forget the first bytes."""
        del self._buffer[:size]

    def _read(self) -> None:
        if len(self._buffer) > LONGEST_RECORD:
            self.fault, self._ended = "no end of this record is found; the rest is not read", True
            return
        try:
            block = self._file.read1(_BLOCK)
        except (EOFError, OSError, zlib.error) as error:
            self.fault = "truncated gzip" if isinstance(error, EOFError) else "damaged gzip"
            block = b""
        self._buffer += block
        self._ended = not block
