"""Charts of a queue's course over time, as paths for a template to draw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spark_checks.reports.results import SLICES, Courses, QueueCourse
from spark_checks.reports.ticks import ticks
from spark_checks.times import duration, moment

WIDTH, HEIGHT = 760, 110
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 8, 8, 6
_ROOM_FOR_A_TICK = 90
_ROOM_AT_THE_BORDER = 35
_LEAST_BAR = 1.5
_US_IN_A_TENTH = 100_000


@dataclass(frozen=True)
class Chart:
    """A chart: a line or a set of bars as an SVG path.

    Lengths and places are in units of the picture, from its upper left corner.
    """

    title: str
    """What it shows."""
    path: str
    """The drawing, as the `d` of an SVG path."""
    filled: bool
    """Whether the path is an area to fill, and not a set of lines."""
    highest: str
    """The value at its upper border, in words."""
    lowest: str
    """The value at its lower border, in words."""
    step: float
    """The length of a slice of the log's time."""
    width: float
    """The width of the chart."""
    right: float
    """The right end of its axis."""
    left: float = _LEFT
    """The left end of its axis."""
    top: float = _TOP
    """The position of its upper border."""
    bottom: float = HEIGHT - _BOTTOM
    """The position of its lower border."""
    height: float = HEIGHT
    """The height of the chart."""


@dataclass(frozen=True)
class Tick:
    """A time on the axis."""

    x: float
    """Its position."""
    label: str
    """Its label."""
    anchor: str
    """The end of the label that lies there: the `text-anchor` of SVG."""


@dataclass(frozen=True)
class QueueCharts:
    """The charts of a queue. All of them have the same axis."""

    queue: str
    """The name of the queue."""
    qmgr: str
    """The queue manager."""
    calls: int
    """The number of puts and gets on it in the log."""
    charts: tuple[Chart, ...]
    """The charts."""
    marks: tuple[float, ...]
    """The positions of findings on the axis."""
    ticks: tuple[Tick, ...]
    """The times on the axis."""
    begins: str
    """The time at which the axis begins, in words."""
    ends: str
    """The time at which the axis ends, in words."""


@dataclass(frozen=True)
class _Scale:
    """The positions of slices and values in a chart of some width."""

    width: float

    @property
    def step(self) -> float:
        """The width of a slice."""
        return (self.width - _LEFT - _RIGHT) / SLICES

    @property
    def right(self) -> float:
        """The right end of the axis."""
        return self.width - _RIGHT

    def x(self, number: float) -> float:
        """Return the position of a slice's beginning."""
        return round(_LEFT + number * self.step, 1)

    def chart(self, title: str, path: str, *, filled: bool, highest: str, lowest: str) -> Chart:
        """Return a chart of this width."""
        return Chart(title, path, filled, highest, lowest, round(self.step, 2), self.width, self.right)


def charts_of(
    courses: Courses, course: QueueCourse, findings_us: Sequence[int] = (), width: float = WIDTH
) -> QueueCharts:
    """Return the charts of a queue. `findings_us` are the times of its findings."""
    scale = _Scale(width)
    drawn = [_depth(scale, courses, course)]
    age = [(piece.number, piece.youngest_us, piece.oldest_us) for piece in course.slices]
    left = [(piece.number, piece.least_left, piece.most_left) for piece in course.slices]
    drawn += _ranges(scale, "Age of messages when they were got or browsed", age, 1)
    drawn += _ranges(scale, "Remaining expiry of messages when they were got or browsed", left, _US_IN_A_TENTH)
    numbers = {min(SLICES - 1, max(0, (time - courses.first_us) // courses.width_us)) for time in findings_us}
    return QueueCharts(
        course.queue,
        course.qmgr,
        course.calls,
        tuple(drawn),
        tuple(round(scale.x(number) + scale.step / 2, 1) for number in sorted(numbers)),
        tuple(_ticks(scale, courses)),
        moment(courses.first_us),
        moment(courses.first_us + SLICES * courses.width_us - 1),
    )


def _ticks(scale: _Scale, courses: Courses) -> Iterator[Tick]:
    last_us = courses.first_us + SLICES * courses.width_us - 1
    for time, label in ticks(courses.first_us, last_us, int(scale.width // _ROOM_FOR_A_TICK)):
        x = scale.x((time - courses.first_us) / courses.width_us)
        near_the_end = "end" if x > scale.right - _ROOM_AT_THE_BORDER else "middle"
        yield Tick(x, label, "start" if x < _LEFT + _ROOM_AT_THE_BORDER else near_the_end)


def _y(value: float, highest: float) -> float:
    return round(HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * value / highest, 1)


def depths(courses: Courses, course: QueueCourse) -> list[tuple[int, int]]:
    """Return the depth at the end of each slice in which it changed, as far as puts and gets show it.

    If no depth is known, the least that the log allows is used.
    """
    total, counted = 0, []
    for piece in course.slices:
        total += piece.change
        counted.append((piece.number, total))
    if course.depth_known is not None:
        at_us, depth = course.depth_known
        before = [value for number, value in counted if courses.first_us + number * courses.width_us < at_us]
        shift = depth - (before[-1] if before else 0)
    else:
        shift = max(0, -min((value for _, value in counted), default=0))
    return [(-1, shift), *((number, value + shift) for number, value in counted)]


def _depth(scale: _Scale, courses: Courses, course: QueueCourse) -> Chart:
    points = depths(courses, course)
    highest = max(1, *(value for _, value in points))
    lowest = min(0, *(value for _, value in points))
    path = f"M{scale.x(0)} {_y(points[0][1] - lowest, highest - lowest)}"
    for number, value in points[1:]:
        path += f"H{scale.x(number)}V{_y(value - lowest, highest - lowest)}"
    path += f"H{scale.right}V{HEIGHT - _BOTTOM}H{_LEFT}Z"
    known = "" if course.depth_known else " (at least: the log does not say what was there at first)"
    return scale.chart(
        f"Committed messages on the queue{known}", path, filled=True, highest=f"{highest:,}", lowest=f"{lowest:,}"
    )


def _ranges(
    scale: _Scale, title: str, found: Sequence[tuple[int, int | None, int | None]], unit_us: int
) -> Iterator[Chart]:
    """Yield a chart of the range of values in each slice, unless there are none."""
    ranges = [(number, low, high) for number, low, high in found if low is not None and high is not None]
    if not ranges:
        return
    highest = max(1, *(high for _, _, high in ranges))
    path = ""
    for number, low, high in ranges:
        y, end = _y(low, highest), _y(high, highest)
        path += f"M{round(scale.x(number) + scale.step / 2, 1)} {y}V{min(end, round(y - _LEAST_BAR, 1))}"
    yield scale.chart(title, path, filled=False, highest=duration(highest * unit_us), lowest="0")
