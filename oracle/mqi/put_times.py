"""PutDate and PutTime of a message, which say in UTC when it was put (PUT-24)."""

from __future__ import annotations

from datetime import datetime, timezone


def put_time_us(date: str, time: str) -> int | None:
    """Return PutDate (YYYYMMDD) and PutTime (HHMMSSTH, to the hundredth of a second) in microseconds since 1970.

    None if they are not such texts or not a valid time, as when an application set them, or if they were not returned.
    """
    text = date + time
    if len(date) != 8 or len(time) != 8 or not text.isascii() or not text.isdigit():
        return None
    try:
        moment = datetime.strptime(text[:14], "%Y%m%d%H%M%S").replace(tzinfo=timezone.utc)
    except ValueError:
        return None
    return int(moment.timestamp()) * 1_000_000 + int(time[6:]) * 10_000
