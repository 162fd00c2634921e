"""A trace as one self-contained HTML page, with a picture of each life by connection and queue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oracle.reporting.html import render, today
from spark_checks.questions.identifiers import shown_id
from spark_checks.questions.lives import Life, Step
from spark_checks.questions.terminal import place
from spark_checks.questions.trace import Trace
from spark_checks.reports.texts import counted
from spark_checks.times import duration, moment

WIDE, NARROW = 900, 380
"""The widths of pictures: for a window, and for a telephone."""
_LANE, _TOP, _LEFT = 40, 8, 12
_MOST_DRAWN = 60
"""The number of calls of a life that are drawn, the first and the last ones."""
_WIDE_NAME, _NARROW_NAME = 90, 40

_DOWN, _UP = "down", "up"
"""The direction of a message: from a connection to a queue, or back."""


@dataclass(frozen=True)
class Lane:
    """A connection or a queue."""

    name: str
    """Its name, shortened if it is too long to be drawn."""
    y: float
    """The height of its line."""
    is_queue: bool
    """Whether it is a queue."""


@dataclass(frozen=True)
class Mark:
    """A call, as an arrow between the lanes of its connection and its queue."""

    x: float
    """The position of the arrow."""
    y: float
    """The lane where it begins."""
    y_end: float
    """The lane where it ends."""
    kind: str
    """The way it is drawn: the kind of the step."""
    number: int
    """The number of its line in the list of calls, from 1."""
    text: str
    """The call and its time, in words."""
    way: str
    """The direction of the message: down to the queue, or up from it."""

    @property
    def head(self) -> str:
        """The head of the arrow, as points."""
        tip, base = (self.y_end, self.y_end - 7) if self.y_end > self.y else (self.y_end, self.y_end + 7)
        return f"{self.x},{tip} {self.x - 4},{base} {self.x + 4},{base}"


@dataclass(frozen=True)
class Picture:
    """The drawing of a life."""

    width: int
    """Its width."""
    height: float
    """Its height."""
    lanes: tuple[Lane, ...]
    """The connections, and below them the queues."""
    marks: tuple[Mark, ...]
    """The calls, in their order."""
    begins: str
    """The start of the first call, in words. Empty without calls."""
    ends: str
    """The time from then to the start of the last call, in words. Empty without calls."""
    description: str
    """A description in words, for readers who do not see the picture."""


@dataclass(frozen=True)
class _Shown:
    life: Life
    name: str
    pictures: tuple[Picture, Picture]
    steps: tuple[tuple[int, Step, str], ...]


def page_of(found: Trace) -> str:
    """Return the page of a trace."""
    shown = [
        _Shown(
            life,
            shown_id(life.msg_id),
            (picture(life, WIDE), picture(life, NARROW)),
            tuple((number, step, place(step.deed.event)) for number, step in enumerate(life.steps, start=1)),
        )
        for life in found.lives
    ]
    return render(
        "spark_checks.questions",
        "trace.html.j2",
        found=found,
        made=today(),
        shown=shown,
        moment=moment,
        duration=duration,
        counted=counted,
    )


def picture(life: Life, width: int) -> Picture:
    """Draw a life: time goes to the right, not to scale; each call is an arrow between its connection and its queue."""
    drawn = _drawn(life.steps)
    conns = list(dict.fromkeys(step.deed.event.conn for _, step in drawn))
    queues = list(dict.fromkeys(step.deed.event.queue or "queue not captured" for _, step in drawn))
    longest = _WIDE_NAME if width >= WIDE else _NARROW_NAME
    names = [*((name, False) for name in conns), *((name, True) for name in queues)]
    lanes = [
        Lane(name if len(name) <= longest else f"...{name[3 - longest :]}", _TOP + number * _LANE + 24, is_queue)
        for number, (name, is_queue) in enumerate(names)
    ]
    of_conn = dict(zip(conns, lanes, strict=False))
    of_queue = dict(zip(queues, lanes[len(conns) :], strict=True))
    room = (width - 3 * _LEFT) / max(1, len(drawn))
    marks = [
        _mark(number, step, _LEFT * 1.5 + (place_ + 0.5) * room, of_conn, of_queue)
        for place_, (number, step) in enumerate(drawn)
    ]
    times = [step.deed.event.start_us for _, step in drawn]
    return Picture(
        width,
        _TOP + len(lanes) * _LANE + 24,
        tuple(lanes),
        tuple(marks),
        moment(min(times), day=True) if times else "",
        f"+ {duration(max(times) - min(times))}" if times else "",
        "; ".join(f"{number}: {step.what} by {step.deed.event.conn}" for number, step in drawn),
    )


def _drawn(steps: Sequence[Step]) -> list[tuple[int, Step]]:
    numbered = list(enumerate(steps, start=1))
    if len(numbered) <= _MOST_DRAWN:
        return numbered
    half = _MOST_DRAWN // 2
    return [*numbered[:half], *numbered[-half:]]


def _mark(number: int, step: Step, x: float, of_conn: dict[str, Lane], of_queue: dict[str, Lane]) -> Mark:
    event = step.deed.event
    conn, queue = of_conn[event.conn], of_queue[event.queue or "queue not captured"]
    way = _DOWN if event.call in ("MQPUT", "MQPUT1") else _UP
    start, end = (conn.y, queue.y) if way == _DOWN else (queue.y, conn.y)
    text = f"{number}: {step.what}, {event.call} by {event.conn}, {moment(event.start_us, day=False)}"
    return Mark(round(x, 1), start, end, step.kind, number, text, way)
