"""Heartbeats: an idle client is asked whether it is still there, and one that does not answer is dead.

Both ends may ask. Clients do after the interval that was agreed on. The server leaves them some seconds more, so that
not both ask at the same time. On channels of before MQ V7 only a client that waits in MQGET is asked, and at once when
the interval is over: it does not ask itself then. Heartbeats go by real time, whatever moves the queue manager's clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

MARGIN_S: Final = 5.0
"""How many seconds longer than the interval the server waits for the client to ask first."""

_LONGEST_ANSWER_S: Final = 60.0
"""How long an answer may take at most, in seconds; where the interval is shorter, no longer than that."""


class Pulse(Enum):
    """What to do about a client: nothing, ask whether it is there, or take it for dead."""

    FINE = "fine"
    ASK = "ask"
    DEAD = "dead"


@dataclass(slots=True)
class Heartbeat:
    """The heartbeats of one channel. Times are in seconds of one clock."""

    interval_s: int
    """After how many seconds without a word one end asks. 0: nobody asks."""
    shares: bool
    """Whether the channel is one of MQ V7 or later, on which the client asks too."""
    last: float
    """When anything passed."""
    asked: float | None = None
    """When the client was asked what it has not answered yet."""

    @property
    def patience_s(self) -> float:
        """How many seconds the server waits for the answer to a heartbeat."""
        return min(float(self.interval_s), _LONGEST_ANSWER_S)

    @property
    def withholds(self) -> bool:
        """Whether nothing may be sent now: on a channel of before MQ V7 the client answers first.

        IBM's client for Java breaks down there if the reply that it waits for comes right behind the heartbeat.
        """
        return self.asked is not None and not self.shares

    def sent(self, now: float) -> None:
        """Note that something was sent to the client."""
        self.last = now

    def heard(self, now: float) -> None:
        """Note that the client has said something, whatever it is."""
        self.last = now
        self.asked = None

    def look(self, now: float, *, waits: bool) -> Pulse:
        """Say what to do now; `waits`: an MQGET of the client waits."""
        if not self.interval_s:
            return Pulse.FINE
        if self.asked is not None:
            return Pulse.DEAD if now - self.asked >= self.patience_s else Pulse.FINE
        idle = now - self.last >= self.interval_s + (MARGIN_S if self.shares else 0)
        return Pulse.ASK if idle and (self.shares or waits) else Pulse.FINE

    def ask(self, now: float) -> None:
        """Note that the client was asked."""
        self.asked = now
