"""The certainty of the order of calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oracle.histories.event_log import Event


@dataclass(frozen=True)
class Placed:
    """A call and what the log shows of its place. Times are microseconds since 1970-01-01 UTC."""

    event: Event
    """The call."""
    lo: int
    """The earliest time at which it can have taken effect."""
    hi: int
    """The latest time at which it can have taken effect."""
    since: int
    """The time at which its connection's first call began."""
    until_lo: int
    """The time at which its connection's last call began."""
    cut: bool
    """Whether the queue was surely empty and at rest before it, so that a replay can begin there."""
    in_open_unit: bool = False
    """Whether its connection had a unit of work open by then, which may have begun on another queue."""
    judged: bool = True
    """Whether it is followed for its own sake, and not only for what comes after it."""


def certain_calls(calls: Sequence[Placed], margin: int) -> int:
    """Return how many of the first calls, sorted by their earliest times, surely took effect in exactly this order.

    A call's place is certain if it ended before the next call of another connection began.
    """
    first = len(calls)
    next_of_others: int | None = None
    for number in range(len(calls) - 2, -1, -1):
        call, following = calls[number], calls[number + 1]
        if following.event.conn != call.event.conn:
            next_of_others = following.lo
        if next_of_others is not None and call.hi + margin >= next_of_others:
            first = number
    return first
