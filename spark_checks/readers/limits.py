"""How much of an input is taken into memory or decompressed, so that no input can use up the machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MEBIBYTE: Final = 2**20
GIBIBYTE: Final = 2**30

LONGEST_MIB: Final = 32
"""A queue takes messages of 4 MiB unless somebody has changed that; such a trace message has some 16 MiB in print."""

PACKED_TIMES: Final = 250
"""Logs are up to some fifty times as long as they are in gzip; what is made to fill a disk is a thousand times."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of an input file is read."""

    record_bytes: int = LONGEST_MIB * MEBIBYTE
    """The longest record that is read, in bytes. A record is a line, or a trace message of several lines."""
    unpacked_bytes: int | None = None
    """How much of a compressed file is decompressed, in bytes. None: as `most_unpacked` says for its size."""


DEFAULT_LIMITS: Final = Limits()


def most_unpacked(packed_bytes: int) -> int:
    """Return how much of a gzip file of so many bytes is decompressed unless somebody says otherwise."""
    return max(GIBIBYTE, PACKED_TIMES * packed_bytes)
