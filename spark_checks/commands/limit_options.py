"""Command options that limit how much of an input is read."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from oracle.program import FiniteRange
from spark_checks.readers.limits import GIBIBYTE, LONGEST_MIB, MEBIBYTE, PACKED_TIMES, Limits


def limited(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that limit how much of an input is read, as its parameter `limits`."""

    @click.option(
        "--longest-record",
        "longest_mib",
        type=click.IntRange(min=1),
        default=LONGEST_MIB,
        show_default=True,
        metavar="MIB",
        help="How long a line, or a trace message, may be; longer ones count as unreadable.",
    )
    @click.option(
        "--unpacked",
        "unpacked_gib",
        type=FiniteRange(min=0, min_open=True),
        metavar="GIB",
        help="How much of a gzip file is decompressed; the rest counts as unreadable. Default: "
        f"{PACKED_TIMES} times the file's size, and 1 at least.",
    )
    @wraps(command)
    def with_limits(*args: Any, longest_mib: int, unpacked_gib: float | None, **options: Any) -> None:
        unpacked = None if unpacked_gib is None else round(unpacked_gib * GIBIBYTE)
        command(*args, limits=Limits(longest_mib * MEBIBYTE, unpacked), **options)

    return with_limits
