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

    after: tuple[str, int] | None = None
    """The connection and the `seq` of a call that comes before it in any order that conforms: `moments`."""
    in_vain: bool = False
    """Whether it waited in vain, and its place is the end of its WaitInterval."""

    @property
    def at_its_moment(self) -> Event:
        """The call as it is followed: it begins at its moment, and waits no more if it waited in vain."""
        if self.event.start_us >= self.lo:
            return self.event
        waits = {"wait_ms": 0} if self.in_vain else {}
        return self.event.model_copy(update={"start_us": self.lo, **waits})


def certain_calls(calls: Sequence[Placed], margin: int) -> int:
    """Return how many of the first calls, sorted by their earliest times, surely took effect in exactly this order.

    A call's place is certain if it ended before the next call of another connection began, or if all that overlap it
    come after it in any order that conforms.
    """
    inverted = _first_inverted(calls)
    return next((number for number in range(inverted) if not _comes_first(calls, number, margin)), inverted)


def _first_inverted(calls: Sequence[Placed]) -> int:
    """Return the number of the first call that stands before an earlier one of its connection, or of all calls."""
    first, least = len(calls), dict[str, int]()
    for number in range(len(calls) - 1, -1, -1):
        event = calls[number].event
        if least.setdefault(event.conn, event.seq) < event.seq:
            first = number
        least[event.conn] = min(least[event.conn], event.seq)
    return first


def _comes_first(calls: Sequence[Placed], number: int, margin: int) -> bool:
    """Return whether a call surely took effect before all later ones of other connections that overlap it."""
    call = calls[number]
    behind = {call.event.conn: call.event.seq}
    for later in range(number + 1, len(calls)):
        other = calls[later]
        if call.hi + margin < other.lo:
            return True
        if other.event.conn not in behind:
            conn, seq = other.after or ("", 0)
            if conn not in behind or seq < behind[conn]:
                return False
            behind[other.event.conn] = other.event.seq
    return True
