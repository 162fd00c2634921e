"""How much of an input is taken into memory or decompressed, so that no input can use up the machine."""

from __future__ import annotations

from dataclasses import dataclass

MEBIBYTE = 2**20
GIBIBYTE = 2**30


@dataclass(frozen=True, slots=True)
class Limits:
    """The longest record that is read, and how much of a compressed file is decompressed, both in bytes.

    A record is a line, or a trace message of several lines. A queue takes messages of 4 MiB unless somebody has
    changed that, and a trace message of this size takes some 16 MiB when it is printed.
    """

    record_bytes: int = 32 * MEBIBYTE
    unpacked_bytes: int = 64 * GIBIBYTE


DEFAULT_LIMITS = Limits()
