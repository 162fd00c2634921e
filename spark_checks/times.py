"""Times and durations in microseconds, as people read them.

>>> moment(0), moment(0, day=False)
('1970-01-01 00:00:00.000000 UTC', '00:00:00.000000')
>>> [duration(us) for us in (0, 900, 1_500, 999_995, 2_400_000, 90_000_000, 5_400_000_000, 259_200_000_000)]
['0 us', '900 us', '1.5 ms', '1,000 ms', '2.4 s', '90 s', '90 min', '3 d']
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

HOUR_US = 3_600_000_000
NEVER = 2**62
"""A time later than all times, for an event that does not happen."""
PUT_TIME_US = 10_000
"""The unit of PutTime, which is truncated to hundredths of a second."""

_UNITS = ((1, "us"), (1_000, "ms"), (1_000_000, "s"), (60_000_000, "min"), (HOUR_US, "h"), (24 * HOUR_US, "d"))
_WITHOUT_DIGITS = 999.5
"""The number of units from which fractions are not shown: three digits would round up to four."""
_ENOUGH = 2
"""The number of units from which a unit is used."""


def moment(us: int, *, day: bool = True) -> str:
    """Return a time since 1970-01-01 UTC."""
    try:
        at = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=us)
    except OverflowError:
        return f"{us} us"
    return f"{at:%Y-%m-%d %H:%M:%S.%f} UTC" if day else f"{at:%H:%M:%S.%f}"


def duration(us: float) -> str:
    """Return a duration in the unit in which it is a short number."""
    size, unit = next(
        (entry for entry in reversed(_UNITS) if abs(us) >= (entry[0] if entry[0] < 60_000_000 else _ENOUGH * entry[0])),
        _UNITS[0],
    )
    return f"{us / size:.3g} {unit}" if abs(us) < _WITHOUT_DIGITS * size else f"{us / size:,.0f} {unit}"
