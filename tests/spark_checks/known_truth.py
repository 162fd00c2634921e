"""Random traffic whose truth is known: the state of the queue manager after each call, beside the log.

An answer about a log can so be compared with what was: where each message is, who holds it, and since when.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from random import Random

from oracle.model.expiry import may_have_expired, must_have_expired
from oracle.model.messages.messages import Message
from oracle.model.state import State
from oracle.mqi import calls
from oracle.mqi.constants import NULL_ID
from oracle.mqi.profile import PlatformName
from oracle.protocol import ObservedReply
from tests.spark_checks.histories import Record
from tests.spark_checks.oracle_traffic import Traffic, headers

_IDENTIFIERS = ("msg_id", "correl_id", "group_id", "sel_msg_id", "sel_correl_id", "sel_group_id")


@dataclass(frozen=True)
class Place:
    """A message on a queue, as it really was."""

    queue: str
    message: Message
    locked_by: str | None
    dead: bool
    """Whether it has expired."""
    alive: bool
    """Whether it has certainly not expired."""


@dataclass
class KnownTraffic(Traffic):
    """Traffic that keeps the state of the queue manager after each call, by the moment of its effect."""

    qmgr: str = "QM1"
    moments: list[int] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    died: set[str] = field(default_factory=set)

    def _record(self, call: calls.Call, observed: ObservedReply, moment: int) -> None:
        super()._record(call, observed, moment)
        if isinstance(call, calls.Fail):
            self.died.add(call.conn)
        self.moments.append(max(moment, self._moment() - 1) if isinstance(call, calls.Advance) else moment)
        self.states.append(self.state)

    def known_id(self, identifier: str | None) -> str | None:
        """Return an identifier as the log shows it: those of different queue managers differ."""
        if identifier in (None, NULL_ID.hex()):
            return identifier
        digits = sha256(f"{self.qmgr}{identifier}".encode()).hexdigest()
        return f"{identifier[:32]}{digits[:16]}" if str(identifier).startswith("414d51") else digits[:48]

    def log(self, width_us: int = 0) -> list[Record]:
        """Return the records of the calls."""
        return [
            {name: self.known_id(value) if name in _IDENTIFIERS else value for name, value in record.items()}
            for record in self.recorded(self.qmgr, width_us, 0)
        ]

    def definitions(self, *, from_the_beginning: bool) -> list[Record]:
        """Return the headers of the queues, which were empty when all began."""
        return list(headers(self.qmgr, -(10**9) if from_the_beginning else None, aside=self.aside))

    def at(self, time_us: int) -> State:
        """Return the state at a time."""
        state = self.states[max(0, bisect_right(self.moments, time_us) - 1)].copy()
        state.now_ms = max(state.now_ms, time_us // 1000 - state.epoch_ms)
        return state

    def places(self, state: State, msg_id: str) -> Iterator[Place]:
        """Yield the messages with a MsgId of the log."""
        locks = {
            (handle.path[-1], position): handle.conn for handle in state.handles.values() for position in handle.locked
        }
        for queue in state.queues.values():
            name = queue.definition.name
            for message in queue.messages:
                if self.known_id(message.descriptor.msg_id.hex()) == msg_id:
                    expired = must_have_expired(state, message), not may_have_expired(state, message)
                    yield Place(name, message, locks.get((name, message.position)), *expired)


def known_traffic(seed: str, number: int, platform: PlatformName = "distributed") -> KnownTraffic:
    """Return a queue manager's traffic."""
    chance = Random(f"{seed}/{number}")
    traffic = KnownTraffic(chance, platform, aside=chance.random() < 0.6, qmgr=f"{seed}/{number}")
    traffic.run(chance.randint(10, 60), chance.randint(1, 4))
    return traffic
