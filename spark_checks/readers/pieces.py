"""Line by line through text files in pieces, each piece on its own and every line with its true number.

A plain file is cut into pieces of bytes so that several tasks can read it; a line belongs to the piece in
which it begins. A gzip file is one piece, for nothing can be skipped in it.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from oracle.errors import BadInputError, Place
from spark_checks.readers.detect import Source

PIECE_BYTES = 64 * 2**20
_BLOCK = 2**20
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Piece:
    """A part of a file: its first byte and the one after its last; `lines_before` counts line ends before it."""

    source: Source
    start: int
    stop: int
    lines_before: int = 0


def cut(source: Source, piece_bytes: int = PIECE_BYTES) -> list[Piece]:
    """Cut a file into pieces; `lines_before` is known for the first one only."""
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


def _plain_lines(piece: Piece) -> Iterator[tuple[int, bytes]]:
    with Path(piece.source.path).open("rb") as file:
        number = piece.lines_before
        position = piece.start
        if position:
            file.seek(position - 1)
            rest = file.readline()
            position += len(rest) - 1
            number += len(rest) > 1
        while position < piece.stop and (line := file.readline()):
            position += len(line)
            number += 1
            yield number, line


def _gzip_lines(piece: Piece) -> Iterator[tuple[int, bytes]]:
    number = 0
    with gzip.open(piece.source.path, "rb") as opened:
        file = cast("BinaryIO", opened)
        try:
            while line := file.readline():
                number += 1
                yield number, line
        except (EOFError, OSError, zlib.error) as error:
            reason = "truncated gzip" if isinstance(error, EOFError) else "damaged gzip"
            raise BadInputError(reason, Place(piece.source.path, number + 1)) from error


def numbered_lines(piece: Piece) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that begin in a piece, with their numbers in the file from 1; blank ones are left out.

    Raises BadInputError, with file and line, where a gzip file is damaged or ends too early.
    """
    for number, line in _gzip_lines(piece) if piece.source.compressed else _plain_lines(piece):
        text = line.removeprefix(_BOM) if number == 1 else line
        if text and not text.isspace():
            yield number, text


def whole_lines(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file, also one with gzip, without their ends; any byte is some character.

    Raises BadInputError as numbered_lines does, and where the file cannot be read.
    """
    try:
        for number, line in numbered_lines(Piece(source, 0, source.size)):
            yield number, line.decode(errors="replace").rstrip("\r\n")
    except OSError as error:
        raise BadInputError(error.strerror or "cannot be read", Place(source.path)) from error
