"""The order of an event log's calls, if the log fixes one."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from oracle.errors import BadInputError, Place
from oracle.histories.event_log import Event
from oracle.replay.steps import UndecidedError


def place_of(event: Event) -> Place:
    """Return the place of a record."""
    return Place(event.source or "event log", event.line)


def in_order(events: Iterable[Event], clock_us: int) -> list[Event]:
    """Return the calls in the order in which they took effect.

    Calls of one connection follow its `seq`. Calls of two connections are ordered if their times differ by more than
    twice the clocks' error. Raises UndecidedError, naming both calls, for two that are not ordered, and BadInputError
    for two calls of one connection with the same `seq`.
    """
    ordered: list[tuple[int, Event]] = []
    for calls in _by_connection(events).values():
        earliest = calls[0].start_us
        for event in calls:
            earliest = max(earliest, event.start_us)
            ordered.append((earliest, event))
    ordered.sort(key=lambda pair: pair[0])
    _refuse_overlap([event for _, event in ordered], clock_us)
    return [event for _, event in ordered]


def _by_connection(events: Iterable[Event]) -> dict[str, list[Event]]:
    found: dict[str, list[Event]] = {}
    for event in events:
        found.setdefault(event.conn, []).append(event)
    for calls in found.values():
        calls.sort(key=lambda event: event.seq)
        for before, after in pairwise(calls):
            if before.seq == after.seq:
                raise BadInputError(f"connection {after.conn} has two calls with seq {after.seq}", place_of(after))
    return found


def _refuse_overlap(events: list[Event], clock_us: int) -> None:
    latest: dict[str, Event] = {}
    for event in events:
        for conn, before in latest.items():
            if conn != event.conn and before.end_us + 2 * clock_us >= event.start_us:
                raise UndecidedError(
                    f"the order is not certain: {_named(event)} and {_named(before)} at {place_of(before)} overlap",
                    place_of(event),
                )
        known = latest.get(event.conn)
        if known is None or event.end_us > known.end_us:
            latest[event.conn] = event


def _named(event: Event) -> str:
    return f"{event.call} of connection {event.conn}"
