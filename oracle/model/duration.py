"""Limits of the virtual clock's steps."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Final

from oracle.errors import BadInputError
from oracle.model.state import State
from oracle.mqi import calls

LONGEST_TENTHS: Final = 2**31 - 1
"""The longest step of the clock, some seven years: as long as the longest Expiry."""
_LONGEST_S: Final = LONGEST_TENTHS // 10
_END_MS: Final = round(datetime(9999, 12, 31, tzinfo=timezone.utc).timestamp() * 1000)
"""PutDate has four digits for the year."""


def advance(seconds: float, tenths: int) -> calls.Advance:
    """Return the call that moves the clock by seconds and tenths of a second.

    Raises BadInputError for anything but a number, for a negative one, and for one longer than LONGEST_TENTHS.
    """
    _check("seconds", seconds, (int, float), _LONGEST_S)
    _check("tenths", tenths, (int,), LONGEST_TENTHS)
    return calls.Advance(round(seconds * 1000) + tenths * 100)


def _check(name: str, value: object, kinds: tuple[type, ...], most: int) -> None:
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not isinstance(value, kinds):
        raise BadInputError(f"{name} must be {'a number' if float in kinds else 'a whole number'}, not {value!r}")
    if not 0 <= value <= most:  # which is also false for NaN
        raise BadInputError(f"{name} must be between 0 and {most}, not {value!r}: the clock does not go back")


def check_clock(state: State, call: calls.Call) -> None:
    """Raise BadInputError for a call that moves the clock beyond the year 9999."""
    if isinstance(call, calls.Advance) and state.epoch_ms + state.now_ms + call.milliseconds > _END_MS:
        raise BadInputError("the clock cannot be moved beyond the year 9999")
