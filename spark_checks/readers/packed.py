"""Tolerant reading of gzip files: damage is reported, and the data before it are not lost.

Python's own reader raises at the damaged block and drops what it had read of it. Here every byte that can be
decompressed is delivered. After damage, reading continues where another gzip file begins, because compressed logs are
often concatenated from several (as by `cat`).
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import BinaryIO, Final

from spark_checks.readers.limits import most_unpacked

GZIP_MAGIC: Final = b"\x1f\x8b"
TRUNCATED: Final = "truncated gzip"
DAMAGED: Final = "damaged gzip; parts that could be read may be wrong too"

_BEGINNING: Final = b"\x1f\x8b\x08"
_GZIP: Final = 31  # for zlib: data with the header and the trailer of gzip
_READ: Final = 2**16
_FED: Final = 2**12
_BLOCK: Final = 2**20
_FINE: Final = 256


class Damage(str):
    """The reason why something is missing at this place of a stream."""

    __slots__ = ()


def unpacked(path: Path, most: int | None = None) -> Iterator[bytes | Damage]:
    """Yield the contents of a gzip file in blocks of at most a mebibyte, and a Damage where something is missing.

    At most about `most` bytes are decompressed, or what Limits says. Raises OSError if the file cannot be read.
    """
    if most is None:
        most = most_unpacked(path.stat().st_size)
    left = most
    with path.open("rb") as file:
        for block in _Members(file):
            if block:
                yield block
            if isinstance(block, Damage):
                continue
            left -= len(block)
            if left <= 0:
                yield Damage(f"more than {most:,} bytes in one compressed file; the rest is not read (--unpacked)")
                return


class _Members:
    """The gzip files that one file consists of, usually one."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._data = b""
        self._at = 0

    def __iter__(self) -> Iterator[bytes | Damage]:
        lost = False
        while self._begins():
            damage = yield from self._member()
            if damage and not lost:  # what looks like a gzip file within damaged data is not further damage
                yield damage
            lost = damage is not None
            if lost:
                self._seek_next()
        if not lost and self._has(1):
            yield Damage("other bytes after the compressed data are not read")

    def _has(self, count: int) -> bool:
        """Return whether `count` bytes are left, and load them into memory."""
        while len(self._data) - self._at < count:
            block = self._file.read(_READ)
            if not block:
                return False
            self._data, self._at = self._data[self._at :] + block, 0
        return True

    def _begins(self) -> bool:
        """Return whether a gzip file begins here; zeros may stand between two."""
        while self._has(1) and self._data[self._at] == 0:
            self._at += 1
        self._has(len(_BEGINNING))
        return self._data.startswith(GZIP_MAGIC, self._at)

    def _member(self) -> Generator[bytes, None, Damage | None]:
        """Yield the contents of one gzip file, and return its damage."""
        decoder = zlib.decompressobj(_GZIP)
        while not decoder.eof:
            if not self._has(1):
                yield decoder.flush()
                return None if decoder.eof else Damage(TRUNCATED)
            kept, data = decoder.copy(), self._data[self._at : self._at + _FED]
            try:
                block = decoder.decompress(data, _BLOCK)
            except zlib.error:
                rest, count = _salvaged(kept, data)
                self._at += count
                yield rest
                return Damage(DAMAGED)
            self._at += len(data) - len(decoder.unconsumed_tail) - len(decoder.unused_data)
            yield block
        return None

    def _seek_next(self) -> None:
        """Go to where the next gzip file may begin."""
        while self._has(len(_BEGINNING)):
            at = self._data.find(_BEGINNING, self._at)
            if at >= 0:
                self._at = at
                return
            self._at = len(self._data) - len(_BEGINNING) + 1
        self._at = len(self._data)


def _salvaged(decoder: zlib._Decompress, data: bytes) -> tuple[bytes, int]:
    """Return the data that can be decompressed before damage, and the number of compressed bytes before its end."""
    found, at = [], 0
    for size in (_FINE, 1):
        while at < len(data):
            kept = decoder.copy()
            try:
                found.append(decoder.decompress(data[at : at + size]))
            except zlib.error:
                decoder = kept
                break
            at += size
    return b"".join(found), min(at + 1, len(data))


class PackedFile(io.RawIOBase):
    """A gzip file as a stream of bytes that ends where the file is damaged; `damage` then says how."""

    def __init__(self, path: Path, most: int | None = None) -> None:
        self._path, self._most = path, most
        self._blocks = unpacked(path, most)
        self._left = memoryview(b"")
        self.damage: Damage | None = None

    def readable(self) -> bool:
        """Return that the stream can be read."""
        return True

    def seekable(self) -> bool:
        """Return that the stream can go back to its beginning."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go back to the beginning, the only supported position."""
        if offset or whence != io.SEEK_SET:
            raise io.UnsupportedOperation("a compressed file can only be read from its beginning")
        self.__init__(self._path, self._most)  # type: ignore[misc]  # begins anew
        return 0

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # what is read into has no narrower type
        """Fill a buffer, and return the number of bytes."""
        while not self._left:
            block = None if self.damage else next(self._blocks, None)
            if block is None:
                return 0
            if isinstance(block, Damage):
                self.damage = block
                return 0
            self._left = memoryview(block)
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count


def opened(path: Path, most: int | None = None) -> tuple[io.BufferedReader, PackedFile]:
    """Return a gzip file as a buffered stream, and the raw stream behind it, which notes damage."""
    raw = PackedFile(path, most)
    return io.BufferedReader(raw, _READ), raw
