"""Text files of users: an error names the line that is not UTF-8, and endless input is not read."""

from __future__ import annotations

import os
import re
import stat
import sys
from pathlib import Path
from typing import BinaryIO, Final

from oracle.errors import BadInputError, Place

UTF_16: Final = "looks like UTF-16, as PowerShell's > writes it; convert it to UTF-8"
_BOM: Final = b"\xef\xbb\xbf"
_PACKED: Final = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"PK\x03\x04": "zip",
    b"\x28\xb5\x2f\xfd": "zstd",
}
"""The compression of a file, by its first bytes."""
_TAR_AT: Final = 257
"""Where a tar archive has its mark."""
_UTF_16: Final = re.compile(rb"\xff\xfe|\xfe\xff|(?:[\t\r\n -~]\x00){2}|(?:\x00[\t\r\n -~]){2}")


def shown(path: str | os.PathLike[str]) -> str:
    r"""Return the name of a file as text that can be written anywhere; a byte that is not UTF-8 becomes \xe9."""
    return os.fsencode(path).decode("utf-8", errors="backslashreplace")


def is_utf_16(head: bytes) -> bool:
    """Return whether a text file begins like UTF-16: with its mark, or with a NUL beside each character."""
    return _UTF_16.match(head) is not None


def packing(head: bytes) -> str | None:
    """Return what to do first with a file that is an archive or compressed, by its first bytes; None for others."""
    if head[_TAR_AT:].startswith(b"ustar"):
        return "a tar archive: unpack it first"
    return next(
        (f"compressed with {name}: decompress it first" for begin, name in _PACKED.items() if head.startswith(begin)),
        None,
    )


def text_of(data: bytes, source: str) -> str:
    """Return the text that bytes are in UTF-8, without the mark at its beginning.

    Raises BadInputError if they are not UTF-8: with the line of the first wrong byte, or with the kind of compression.
    """
    if is_utf_16(data):
        raise BadInputError(UTF_16, Place(source, 1))
    if reason := packing(data):
        raise BadInputError(reason, Place(source))
    plain = data.removeprefix(_BOM)
    try:
        return plain.decode("utf-8")
    except UnicodeDecodeError as error:
        place = Place(source, plain.count(b"\n", 0, error.start) + 1)
        raise BadInputError(f"not UTF-8 text: byte 0x{plain[error.start]:02x}; convert it to UTF-8", place) from error


def read_text(path: Path) -> str:
    """Return the text of a file or pipe.

    Raises BadInputError, with the file and the line if known, if it cannot be read or is not UTF-8 text.
    """
    try:
        with path.open("rb") as file:
            return text_of(_bytes(file, str(path)), str(path))
    except OSError as error:
        raise BadInputError(f"cannot be read: {error.strerror}", Place(str(path))) from error


def read_standard_input() -> str:
    """Return the text on standard input; raises BadInputError as read_text does."""
    try:
        return text_of(_bytes(sys.stdin.buffer, "-"), "-")
    except OSError as error:
        raise BadInputError(f"cannot be read: {error.strerror}", Place("standard input")) from error


def _bytes(file: BinaryIO, source: str) -> bytes:
    """Return the contents of a file; a device other than a terminal may be endless."""
    try:
        mode = os.fstat(file.fileno()).st_mode
    except (OSError, ValueError):  # a test's replacement of it has no number
        return file.read()
    if stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and not file.isatty()):
        raise BadInputError("is a device, not a file", Place(source))
    return file.read()
