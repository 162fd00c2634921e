"""The times of the calls of a trace message.

Puts and gets carry a time in microseconds, UTC; every call carries the local date and time of the queue manager's host,
in seconds. Calls with both times show the difference between local time and UTC: the nearest one before and the nearest
one after a call count, both if they differ, as they do around a change of the clocks. If there is none, every time zone
is possible. It is not documented whether a time is that of a call's beginning or of its end, so the call lies within
its duration of that time, on either side. A call without a duration lies between the times of its neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

from spark_checks.readers.trace_messages import Operation, TraceMessage, Value, number

SECOND_US = 1_000_000
CLOCK_US = 1000
"""The possible error of a printed time against a duration: they come from different clocks."""

Span = tuple[int, int]
"""The earliest and the latest, in microseconds."""

_ZONE_US = 900 * SECOND_US
_ALL_ZONES = (-12 * 3600 * SECOND_US, 14 * 3600 * SECOND_US)
_LONGEST_TELLING_US = 300 * SECOND_US
"""The greatest duration of a call that shows the time zone: its two times may be those of its two ends."""

_UNBOUNDED_US = 24 * 3600 * SECOND_US


@dataclass
class Clock:
    """The known facts of a connection's times from the trace messages that were read."""

    zone_us: int | None = None
    """The difference of its printed local times from UTC, in microseconds. None if it is not known."""
    last: Span | None = None
    """The span of its last call that has one. None if there was none."""


def spans(message: TraceMessage, clock: Clock) -> list[Span | None]:
    """Return the bounds within which each call entered and left the queue manager, in microseconds since 1970.

    None stands for a call that could not be read or carries no time. `clock` is brought up to date.
    """
    zones = _zones(message.operations, clock)
    near = [
        None if one is None else _printed(one.fields, zone) for one, zone in zip(message.operations, zones, strict=True)
    ]
    begun = _interval(message.header, "start", zones[0]) or clock.last
    ended = _interval(message.header, "end", zones[-1])
    found: list[Span | None] = []
    for index, (one, span) in enumerate(zip(message.operations, near, strict=True)):
        if one is None or span is None:
            found.append(None)
            continue
        lasted = number(one.fields, "qmgropduration")
        if lasted is not None and lasted >= 0:
            found.append((span[0] - lasted, span[1] + lasted))
            continue
        before = next((near[i] for i in range(index - 1, -1, -1) if near[i]), None) or begun
        after = next((near[i] for i in range(index + 1, len(near)) if near[i]), None) or ended
        start = before[0] if before else span[0] - _UNBOUNDED_US
        end = after[1] if after else span[1] + _UNBOUNDED_US
        found.append((min(start, span[0]), max(end, span[1])))
    clock.last = next((span for span in reversed(near) if span), clock.last)
    return found


def _zones(operations: Sequence[Operation | None], clock: Clock) -> list[Span]:
    """Return the least and the greatest difference of local time from UTC for each call."""
    seen = [None if one is None else _zone(one) for one in operations]
    before: list[int | None] = []
    for zone in seen:
        clock.zone_us = clock.zone_us if zone is None else zone
        before.append(clock.zone_us)
    after: list[int | None] = []
    following: int | None = None
    for zone in reversed(seen):
        following = following if zone is None else zone
        after.append(following)
    found = []
    for pair in zip(before, reversed(after), strict=True):
        known = [zone for zone in pair if zone is not None]
        found.append((min(known), max(known)) if known else _ALL_ZONES)
    return found


def _zone(operation: Operation) -> int | None:
    """Return the difference of local time from UTC, from a call that carries both."""
    exact, local = number(operation.fields, "highrestime"), _local(operation.fields, "operation")
    lasted = number(operation.fields, "qmgropduration")
    telling = operation.call != "MQGET" if lasted is None else lasted <= _LONGEST_TELLING_US
    if not exact or local is None or not telling:
        return None
    return round((local - exact) / _ZONE_US) * _ZONE_US


def _printed(fields: Mapping[str, Value], zone: Span) -> Span | None:
    """Return the bounds of the printed time of a call."""
    exact = number(fields, "highrestime")
    if exact and exact > 0:
        return exact, exact
    return _interval(fields, "operation", zone)


def _interval(fields: Mapping[str, Value], which: str, zone: Span) -> Span | None:
    local = _local(fields, which)
    return None if local is None else (local - zone[1], local - zone[0] + SECOND_US - 1)


def _local(fields: Mapping[str, Value], which: str) -> int | None:
    """Return a local date and time as microseconds since 1970, as if it were UTC."""
    digits = re.sub(r"\D", "", f"{fields.get(f'{which}date', '')}{fields.get(f'{which}time', '')}")
    try:
        moment = datetime.strptime(digits[:14], "%Y%m%d%H%M%S").replace(tzinfo=timezone.utc)
    except ValueError:
        return None
    return int(moment.timestamp()) * SECOND_US
