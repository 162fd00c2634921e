"""Limits on how much of an input is held in memory or decompressed, so that no input exhausts the machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MEBIBYTE: Final = 2**20
GIBIBYTE: Final = 2**30

LONGEST_MIB: Final = 32
"""A queue takes messages of 4 MiB by default; such a trace message has some 16 MiB in print."""

PACKED_TIMES: Final = 250
"""The greatest accepted ratio of compression: logs reach some fifty, a file made to fill a disk a thousand."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits on how much of an input file is read."""

    record_bytes: int = LONGEST_MIB * MEBIBYTE
    """The longest record that is read, in bytes. A record is a line, or a trace message of several lines."""
    unpacked_bytes: int | None = None
    """The greatest number of bytes that a compressed file is decompressed to.

    None: as `most_unpacked` says for its size.
    """


DEFAULT_LIMITS: Final = Limits()


def most_unpacked(packed_bytes: int) -> int:
    """Return the default limit of decompressed bytes for a gzip file of a size."""
    return max(GIBIBYTE, PACKED_TIMES * packed_bytes)
