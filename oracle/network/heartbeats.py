"""Heartbeats: an idle client is asked for a sign of life, and one that does not answer is dead.

Both ends may ask. Clients ask after the agreed interval. The server waits some seconds longer, so that both do not
ask at the same time. On channels before MQ V7 only a client that waits in MQGET is asked, immediately after the
interval, because such a client does not ask itself. Heartbeats use real time, whatever moves the queue manager's
clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

MARGIN_S: Final = 5.0
"""The seconds beyond the interval for which the server waits for the client to ask first."""

_LONGEST_ANSWER_S: Final = 60.0
"""The greatest time for an answer, in seconds; if the interval is shorter, the interval."""


class Pulse(Enum):
    """The action for a client: nothing, a heartbeat, or closing because it is dead."""

    FINE = "fine"
    ASK = "ask"
    DEAD = "dead"


@dataclass(slots=True)
class Heartbeat:
    """The heartbeats of one channel. Times are in seconds of one clock."""

    interval_s: int
    """The seconds of silence after which one end asks. 0: never."""
    shares: bool
    """Whether the channel is one of MQ V7 or later, on which the client asks too."""
    last: float
    """The time at which anything last passed."""
    asked: float | None = None
    """The time of the heartbeat that the client has not answered yet."""

    @property
    def patience_s(self) -> float:
        """The seconds that the server waits for the answer to a heartbeat."""
        return min(float(self.interval_s), _LONGEST_ANSWER_S)

    @property
    def withholds(self) -> bool:
        """Whether nothing may be sent now: on a channel before MQ V7 the client answers first.

        IBM's client for Java fails there if the reply that it waits for directly follows the heartbeat.
        """
        return self.asked is not None and not self.shares

    def sent(self, now: float) -> None:
        """Note that something was sent to the client."""
        self.last = now

    def heard(self, now: float) -> None:
        """Note that something has come from the client."""
        self.last = now
        self.asked = None

    def look(self, now: float, *, waits: bool) -> Pulse:
        """Return the action to take now. `waits`: an MQGET of the client waits."""
        if not self.interval_s:
            return Pulse.FINE
        if self.asked is not None:
            return Pulse.DEAD if now - self.asked >= self.patience_s else Pulse.FINE
        idle = now - self.last >= self.interval_s + (MARGIN_S if self.shares else 0)
        return Pulse.ASK if idle and (self.shares or waits) else Pulse.FINE

    def ask(self, now: float) -> None:
        """Note that a heartbeat was sent."""
        self.asked = now
