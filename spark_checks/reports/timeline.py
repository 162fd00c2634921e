"""A picture of calls on a time line, a lane for each connection, as plain numbers for a template to draw.

Time is not to scale: a longer pause gets a wider space, but a day is not a million times as wide as a call. The order
of all beginnings and ends is kept, so calls that overlap in the log overlap in the picture.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log10
from typing import Any

from oracle.mqi.constants import MQCC, MQRC
from spark_checks.reports.results import Finding
from spark_checks.times import duration, moment

WIDE, NARROW = 760, 380
"""The widths in which a picture is drawn: for a desk, and for a telephone."""
_LEFT, _RIGHT = 14, 14
_LANE, _TOP, _BAR = 54, 6, 16
_NARROWEST_BAR = 16
_OTHERS = 10
"""The number of calls drawn besides those of the finding."""
_ROOM_FOR_A_GAP = 64
_GAPS = 4
_ROOM_FOR_A_LETTER = 7


@dataclass(frozen=True)
class Bar:
    """A call. Lengths and places are in units of the picture, from its upper left corner."""

    x: float
    """Its left end, where the call began."""
    y: float
    """Its upper border."""
    width: float
    """Its length. A short call is drawn wider than it was long."""
    height: float
    """Its height."""
    number: int | None
    """Its place among the calls that the finding names, from 1. None for a call around them."""
    failed: bool
    """Whether the call failed."""
    text: str
    """The call, its outcome and its times, in words."""
    label: str = ""
    """The name of the call, to be written beside it. Empty for a call without a number, or where there is no room."""
    label_x: float = 0
    """The left end of the label."""


@dataclass(frozen=True)
class Lane:
    """A connection."""

    name: str
    """Its name, shortened if it is too long to be drawn."""
    y: float
    """The position of its line."""
    text_y: float
    """The position of its name."""


@dataclass(frozen=True)
class Gap:
    """A space between two times."""

    x: float
    """Its middle."""
    text: str
    """Its length, in words."""


@dataclass(frozen=True)
class Picture:
    """The drawing."""

    height: float
    """Its height."""
    lanes: tuple[Lane, ...]
    """The connections, from above."""
    bars: tuple[Bar, ...]
    """The calls. Those that the finding names come last, so that they lie above the others."""
    gaps: tuple[Gap, ...]
    """The longest spaces between two times."""
    begins: str
    """The time at which the first call begins, in words."""
    ends: str
    """The time from then to the end of the last call, in words."""
    description: str
    """A description in words, for readers who do not see the picture."""
    width: float
    """Its width."""
    right: float
    """The right end of its lines."""
    left: float = _LEFT
    """The left end of its lines."""


def picture(finding: Finding, around: Sequence[Mapping[str, Any]] = (), width: int = WIDE) -> Picture:
    """Return the drawing of the calls of a finding, and of those around them."""
    named = {(call.conn, call.seq): number for number, call in enumerate(finding.calls, start=1)}
    known = {(str(call["conn"]), int(call["seq"])): call for call in around}
    drawn = [_drawable(known.get((call.conn, call.seq), vars(call))) for call in finding.calls]
    others = [_drawable(call) for key, call in known.items() if key not in named]
    drawn += _between(others, drawn)
    place = _scale((time for call in drawn for time in (call["start_us"], call["end_us"])), width)
    names = list(dict.fromkeys(call["conn"] for call in sorted(drawn, key=lambda call: int(call["start_us"]))))
    lanes = tuple(
        Lane(_short(name, width // _ROOM_FOR_A_LETTER), _TOP + number * _LANE + 42, _TOP + number * _LANE + 12)
        for number, name in enumerate(names)
    )
    lane_of = dict(zip(names, lanes, strict=True))
    bars = [_bar(call, named.get((call["conn"], call["seq"])), place, lane_of[call["conn"]]) for call in drawn]
    times = sorted(place)
    return Picture(
        height=_TOP + len(lanes) * _LANE + 34,
        lanes=lanes,
        bars=tuple(sorted(_labelled(bars, drawn, width), key=lambda bar: bar.number is not None)),
        gaps=tuple(_gaps(times, place)),
        begins=moment(times[0], day=True) if times else "",
        ends=f"+ {duration(times[-1] - times[0])}" if times else "",
        description=", ".join(
            f"{number}: {call.call} by {call.conn}" for number, call in enumerate(finding.calls, start=1)
        ),
        width=width,
        right=width - _RIGHT,
    )


def outcome(call: Mapping[str, Any]) -> str:
    """Return the outcome of a call in words; nothing if it was not captured."""
    if call.get("comp_code") is None:
        return ""
    code = MQCC.name_of(int(call["comp_code"]))
    return code if not call.get("reason") else f"{code} {MQRC.describe(int(call['reason']))}"


def _drawable(call: Mapping[str, Any]) -> dict[str, Any]:
    return {**call, "conn": str(call["conn"]), "seq": int(call["seq"])}


def _between(others: Sequence[dict[str, Any]], named: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the few other calls that begin nearest to those of the finding."""

    def distance(call: Mapping[str, Any]) -> int:
        return min((abs(call["start_us"] - each["start_us"]) for each in named), default=0)

    return sorted(others, key=lambda call: (distance(call), call["start_us"], call["conn"], call["seq"]))[:_OTHERS]


def _labelled(bars: Sequence[Bar], calls: Sequence[Mapping[str, Any]], width: int) -> Iterable[Bar]:
    """Yield the bars, with the names of the calls that have a number if these do not overlap."""
    taken: dict[float, float] = {}
    for bar, call in sorted(zip(bars, calls, strict=True), key=lambda pair: pair[0].x):
        room = len(call["call"]) * _ROOM_FOR_A_LETTER
        x = min(bar.x, width - _RIGHT - room)
        lane = bar.y + bar.height / 2
        if bar.number is None or x < taken.get(lane, 0):
            yield bar
            continue
        taken[lane] = x + room
        yield replace(bar, label=call["call"], label_x=round(x, 1))


def _scale(times: Iterable[int], width: int) -> dict[int, float]:
    """Return the position of each time on the line."""
    points = sorted(set(times))
    weights = [1 + log10(1 + after - before) / 2 for before, after in itertools.pairwise(points)]
    unit = (width - _LEFT - _RIGHT - _NARROWEST_BAR) / (sum(weights) or 1)
    places, x = {}, float(_LEFT)
    for point, weight in zip(points, [*weights, 0.0], strict=True):
        places[point] = round(x, 1)
        x += weight * unit
    return places


def _bar(call: Mapping[str, Any], number: int | None, place: Mapping[int, float], lane: Lane) -> Bar:
    x, end = place[call["start_us"]], place[call["end_us"]]
    text = f"{call['call']} {outcome(call)}".strip() + f", {moment(call['start_us'], day=False)}"
    text += f", took {duration(call['end_us'] - call['start_us'])}"
    height = _BAR if number is not None else _BAR - 6
    return Bar(
        x=x,
        y=lane.y - height / 2,
        width=round(max(end - x, _NARROWEST_BAR if number is not None else _NARROWEST_BAR / 3), 1),
        height=height,
        number=number,
        failed=call.get("comp_code") == MQCC.FAILED,
        text=text,
    )


def _gaps(times: Sequence[int], place: Mapping[int, float]) -> Iterable[Gap]:
    """Return the longest spaces that are wide enough for a text."""
    spaces = [
        (after - before, (place[before] + place[after]) / 2)
        for before, after in itertools.pairwise(times)
        if place[after] - place[before] >= _ROOM_FOR_A_GAP
    ]
    for length, x in sorted(spaces, key=lambda space: (-space[0], space[1]))[:_GAPS]:
        yield Gap(round(x, 1), duration(length))


def _short(name: str, longest: int) -> str:
    return name if len(name) <= longest else name[: longest - 3] + "..."
