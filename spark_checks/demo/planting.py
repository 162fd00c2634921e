"""Defects that are planted in the record of a simulated day: results that no conforming queue manager could give.

Each is planted in the evening, when two messages are put and got on a queue that is empty before and after. So each
breaks one rule only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from oracle.histories.event_log import MESSAGE_COLUMNS, Event
from oracle.mqi.constants import MQCC, MQRC
from spark_checks.demo.simulation import EXPIRING_QUEUE, FIFO_QUEUE, PRIORITY_QUEUE, Day, Planted

_OF_THE_MESSAGE = (*MESSAGE_COLUMNS, "put_us", "length", "digest", "group_status", "segment_status")
_SHORT_EXPIRY = 200

Scene = list[Event]
"""One evening scene: two puts and the two gets that return their messages."""


def plant_defects(day: Day) -> Day:
    """Return the day with one defect of each kind planted in its record."""
    evening = day.events[day.evening :]
    planted: list[Planted] = []
    instead: dict[tuple[str, int], Scene] = {}
    for queue, number, plant in _PLANTS:
        scene = _scene(evening, queue, number)
        changed, defect = plant(scene)
        planted.append(defect)
        instead.update({(event.conn, event.seq): [] for event in scene})
        instead[scene[0].conn, scene[0].seq] = changed
    events = [new for event in day.events for new in instead.get((event.conn, event.seq), [event])]
    return replace(day, events=_renumbered(events), planted=tuple(planted))


def _scene(evening: tuple[Event, ...], queue: str, number: int) -> Scene:
    """Return the events of a scene: the queue's `number`th two puts and two gets of the evening."""
    of_queue = [event for event in evening if event.queue == queue]
    return of_queue[4 * number : 4 * number + 4]


def _swap_gets(scene: Scene, rule: str, what: str) -> tuple[Scene, Planted]:
    """Let the two gets return each other's message."""
    one, other = scene[2:]
    swapped = [_returning(one, other), _returning(other, one)]
    return [*scene[:2], *swapped], Planted(rule, str(one.queue), str(other.msg_id), what)


def _overtaken(scene: Scene) -> tuple[Scene, Planted]:
    return _swap_gets(scene, "PRI-04", "the second message of a FIFO queue was delivered before the first")


def _low_before_high(scene: Scene) -> tuple[Scene, Planted]:
    return _swap_gets(scene, "PRI-03", "a message of low priority was delivered before one of high priority")


def _delivered_twice(scene: Scene) -> tuple[Scene, Planted]:
    """Let both gets return the first message, and the second message not exist."""
    put, get, again = scene[0], *scene[2:]
    if get.msg_id != put.msg_id:
        put = scene[1]
    repeated = _returning(again, get)
    return [put, get, repeated], Planted("SYN-08", str(put.queue), str(put.msg_id), "a message was delivered twice")


def _from_nowhere(scene: Scene) -> tuple[Scene, Planted]:
    """Remove the put of the message that is got last."""
    last = scene[3]
    puts = [event for event in scene[:2] if event.msg_id != last.msg_id]
    planted = Planted("DLV-01", str(last.queue), str(last.msg_id), "a message was delivered that nobody had put")
    return [*puts, *scene[2:]], planted


def _lost(scene: Scene) -> tuple[Scene, Planted]:
    """Let the last get find nothing."""
    last = scene[3]
    nothing: dict[str, object] = dict.fromkeys(_OF_THE_MESSAGE)
    empty = last.model_copy(update={**nothing, "comp_code": MQCC.FAILED, "reason": int(MQRC.NO_MSG_AVAILABLE)})
    what = "a message was put and never seen again"
    planted = Planted("DLV-03", str(last.queue), str(last.msg_id), what)
    return [*scene[:3], empty], planted


def _late(scene: Scene) -> tuple[Scene, Planted]:
    """Let the first message have expired long before its delivery."""
    get = scene[2]
    puts = [
        event.model_copy(update={"expiry": _SHORT_EXPIRY}) if event.msg_id == get.msg_id else event
        for event in scene[:2]
    ]
    late = get.model_copy(update={"expiry": 1})
    planted = Planted("EXP-09", str(get.queue), str(get.msg_id), "a message was delivered after it had expired")
    return [*puts, late, scene[3]], planted


def _returning(get: Event, other: Event) -> Event:
    return get.model_copy(update={name: getattr(other, name) for name in _OF_THE_MESSAGE})


def _renumbered(events: list[Event]) -> tuple[Event, ...]:
    """Return the events with each connection's calls renumbered."""
    numbers: dict[str, int] = {}
    result: list[Event] = []
    for event in events:
        numbers[event.conn] = numbers.get(event.conn, 0) + 1
        result.append(event.model_copy(update={"seq": numbers[event.conn]}))
    return tuple(result)


_PLANTS: tuple[tuple[str, int, Callable[[Scene], tuple[Scene, Planted]]], ...] = (
    (FIFO_QUEUE, 0, _overtaken),
    (PRIORITY_QUEUE, 0, _low_before_high),
    (FIFO_QUEUE, 1, _delivered_twice),
    (PRIORITY_QUEUE, 1, _from_nowhere),
    (FIFO_QUEUE, 2, _lost),
    (EXPIRING_QUEUE, 0, _late),
)
"""The defect of each scene of the evening."""
