"""Times at round numbers for the axis of a chart, each with its label.

>>> [label for _, label in ticks(1_000_000, 9_500_000_000, 6)]
['00:30', '01:00', '01:30', '02:00', '02:30']
>>> [label for _, label in ticks(0, 4_000_000, 4)]
['00:00:00', '00:00:01', '00:00:02', '00:00:03', '00:00:04']
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Final

_S: Final = 1_000_000
_MIN, _H = 60 * _S, 3600 * _S
_DAY: Final = 24 * _H
_STEPS: Final = (
    *(size * factor for size in (1, 10, 100, 1_000, 10_000, 100_000) for factor in (1, 2, 5)),
    *(_S * each for each in (1, 2, 5, 10, 15, 30)),
    *(_MIN * each for each in (1, 2, 5, 10, 15, 30)),
    *(_H * each for each in (1, 2, 3, 6, 12)),
    *(_DAY * each for each in (1, 2, 7, 14, 30, 90, 365)),
)
_FORMS: Final = ((_DAY, "%Y-%m-%d"), (_MIN, "%H:%M"), (_S, "%H:%M:%S"))
"""The format of a time, by the least step; for smaller steps the microseconds are shown."""


def ticks(first_us: int, last_us: int, most: int) -> list[tuple[int, str]]:
    """Return round times between two times in UTC, with their labels: about `most` of them, one more at a border.

    A time outside the calendar gets its number as its label.
    """
    step = next((each for each in _STEPS if (last_us - first_us) / each <= most), _STEPS[-1])
    start = -(-first_us // step) * step
    return [(time, _label(time, step)) for time in range(start, min(last_us, start + most * step) + 1, step)]


def _label(time_us: int, step: int) -> str:
    try:
        at = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=time_us)
    except OverflowError:
        return f"{time_us} us"
    return at.strftime(next((form for size, form in _FORMS if step >= size), "%H:%M:%S.%f"))
