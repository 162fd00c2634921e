"""The first calls of each queue: the oracle follows only a few, so the others need not come to Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from spark_checks.frames import Frame
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import QUEUE

_SHARES: Final = [2.0**-halvings for halvings in range(21)]
_SPARE: Final = 1.5
"""The factor by which more calls are taken than needed, because the place of the last one is approximate."""


@dataclass(frozen=True)
class FirstCalls:
    """The calls that come first on their queues."""

    calls: Frame
    """These calls."""
    left_out: int
    """The number of calls that are left out."""


def first_calls(calls: Frame, limit: int) -> FirstCalls:
    """Return the first calls on each queue by their earliest times `lo`: all of them, or at least about `limit`."""
    places = fn.percentiles("lo", _SHARES).alias("places")
    rows = calls.group_by(*QUEUE).agg(fn.count("*").alias("calls"), places).collect()
    wanted = _SPARE * limit
    ends = [(*row[:2], _place_of(wanted / row["calls"], row["places"])) for row in rows if row["calls"] > 2 * wanted]
    if not ends:
        return FirstCalls(calls, 0)
    until = calls.engine.frame(ends, "qmgr string, queue string, until_us long")
    kept = (
        calls.join(fn.broadcast(until), [*QUEUE], "left")
        .where(fn.col("until_us").is_null() | (fn.col("lo") <= fn.col("until_us")))
        .drop("until_us")
    )
    return FirstCalls(kept, sum(row["calls"] for row in rows) - kept.count())


def _place_of(share: float, places: Sequence[int]) -> int:
    """Return the earliest of the known places before which at least a share of the calls lies."""
    return min(place for known, place in zip(_SHARES, places, strict=True) if known >= share)
