"""A small day of traffic, made with the oracle.

Three queues and a handful of applications: one queue by priority, one first in first out, one whose messages expire;
puts and gets under syncpoint and without, commits, backouts, browses, and gets that find nothing. The record shows a
conforming queue manager. Planted defects change it afterwards (spark_checks.demo.planting).
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from oracle import MQGMO, MQMO, MQOO, MQPMO, MQRC, GetMessageOptions, PutMessageOptions, QueueManager, Reply
from oracle.histories.event_log import DepthHeader, Event, Header, LogHeader, QueueHeader, to_line
from oracle.histories.history import observed_of
from oracle.histories.recording import Interval, Recorder
from oracle.mqi import calls
from oracle.mqi.definitions import QueueDefinition, define
from oracle.mqi.structures import MessageDescriptor

QMGR = "QM1"
PRIORITY_QUEUE, FIFO_QUEUE, EXPIRING_QUEUE = "ORDERS", "PAYMENTS", "QUOTES"
_DEFINITIONS = (
    {"name": PRIORITY_QUEUE},
    {"name": FIFO_QUEUE, "MsgDeliverySequence": "FIFO"},
    {"name": EXPIRING_QUEUE},
)
_PRODUCERS, _CONSUMERS, _BROWSER = ("shop", "web"), ("till", "ledger"), "monitor"
_ROUNDS = 96
_PAUSE_MS = 900_000
_EXPIRIES = (200, 600, 3000)
_EVENING_PAIRS = 3


@dataclass(frozen=True, slots=True)
class Planted:
    """A defect that was planted in the record."""

    rule: str
    """The rule that it breaks."""
    queue: str
    """The queue that has it."""
    msg_id: str
    """The MsgId of the message that it is about."""
    what: str
    """The defect in words."""


@dataclass(frozen=True, slots=True)
class Day:
    """A day's record."""

    headers: tuple[Header, ...]
    """The headers."""
    events: tuple[Event, ...]
    """The calls, in the order of their effect."""
    evening: int
    """The number of the call with which the evening begins. Defects are planted from there on."""
    planted: tuple[Planted, ...] = ()
    """The planted defects."""

    def log(self) -> str:
        """Return the record as the text of an event log."""
        return "".join(f"{to_line(record)}\n" for record in (*self.headers, *self.events))


def simulate_day(seed: int = 0) -> Day:
    """Return the record of a day without defects; the same seed gives the same day."""
    return _Simulation(random.Random(seed)).run()


@dataclass
class _Simulation:
    chance: random.Random
    qm: QueueManager = field(default_factory=lambda: QueueManager(_queues()))
    recorder: Recorder = field(default_factory=lambda: Recorder(QMGR))
    events: list[Event] = field(default_factory=list)
    handles: dict[tuple[str, str], int] = field(default_factory=dict)
    effect_us: int = 0

    def run(self) -> Day:
        """Let the day pass: connect, work in rounds, empty the queues, have a quiet evening, and disconnect.

        Because every connection has ended, no call can have been in progress at the end of the log.
        """
        for conn in (*_PRODUCERS, *_CONSUMERS, _BROWSER):
            self._call(calls.Connect(conn))
            options = MQOO.OUTPUT if conn in _PRODUCERS else MQOO.INPUT_SHARED | MQOO.BROWSE
            for queue in _queues():
                opened = self._call(calls.Open(conn, queue.name, options))
                self.handles[conn, queue.name] = opened.hobj or 0
        begun_us = self._now_us()
        for _ in range(_ROUNDS):
            self._round()
        self._drain()
        evening = len(self.events)
        for queue in _queues():
            self._evening(queue.name)
        for conn in (*_PRODUCERS, *_CONSUMERS, _BROWSER):
            self._call(calls.Disconnect(conn))
        return Day(_headers(begun_us), tuple(self.events), evening)

    def _round(self) -> None:
        """Simulate a few minutes of the day: some messages are produced, and most of them consumed."""
        for queue in _queues():
            for _ in range(self.chance.randint(0, 4)):
                self._produce(queue.name)
            for _ in range(self.chance.randint(0, 4)):
                self._consume(queue.name)
        if self.chance.random() < 0.3:
            self._browse()
        self.qm.call(calls.Advance(self.chance.randrange(_PAUSE_MS // 2, _PAUSE_MS)))

    def _produce(self, queue: str) -> None:
        """Put one message, or a few in a unit of work that is mostly committed."""
        conn = self.chance.choice(_PRODUCERS)
        expiry = self.chance.choice(_EXPIRIES) if queue == EXPIRING_QUEUE else -1
        together = self.chance.randint(1, 3) if self.chance.random() < 0.3 else 0
        for _ in range(together or 1):
            md = MessageDescriptor(priority=self.chance.randint(0, 9), expiry=expiry, format="MQSTR")
            pmo = PutMessageOptions(options=MQPMO.SYNCPOINT if together else MQPMO.NO_SYNCPOINT)
            data = f"{queue} {self.chance.randrange(10**6)}".encode()
            self._call(calls.Put(conn, self.handles[conn, queue], md, pmo, data))
        if together:
            self._call(calls.Commit(conn) if self.chance.random() < 0.9 else calls.Back(conn))

    def _consume(self, queue: str) -> None:
        """Get one message; under syncpoint mostly commit."""
        conn = self.chance.choice(_CONSUMERS)
        syncpoint = self.chance.random() < 0.5
        self._get(conn, queue, MQGMO.SYNCPOINT if syncpoint else MQGMO.NO_SYNCPOINT)
        if syncpoint:
            self._call(calls.Commit(conn) if self.chance.random() < 0.9 else calls.Back(conn))

    def _browse(self) -> None:
        queue = self.chance.choice((PRIORITY_QUEUE, FIFO_QUEUE))
        self._get(_BROWSER, queue, MQGMO.BROWSE_FIRST)
        for _ in range(self.chance.randint(0, 3)):
            self._get(_BROWSER, queue, MQGMO.BROWSE_NEXT)

    def _drain(self) -> None:
        """Get all that is left, until every queue is empty."""
        for queue in _queues():
            while self._get(_CONSUMERS[0], queue.name, MQGMO.NO_SYNCPOINT) != MQRC.NO_MSG_AVAILABLE:
                pass

    def _evening(self, queue: str) -> None:
        """Put two messages and get them, again and again, on a queue that is empty in between."""
        for number in range(_EVENING_PAIRS):
            for priority in (2, 7):
                md = MessageDescriptor(priority=priority, expiry=3000 if queue == EXPIRING_QUEUE else -1)
                pmo = PutMessageOptions(options=MQPMO.NO_SYNCPOINT)
                conn = _PRODUCERS[0]
                self._call(calls.Put(conn, self.handles[conn, queue], md, pmo, f"evening {number}".encode()))
            self.qm.call(calls.Advance(_PAUSE_MS // 4))
            for conn in _CONSUMERS:
                self._get(conn, queue, MQGMO.NO_SYNCPOINT)
            self.qm.call(calls.Advance(_PAUSE_MS))

    def _get(self, conn: str, queue: str, options: int) -> int:
        gmo = GetMessageOptions(options=options, match_options=MQMO.NONE)
        return self._call(calls.Get(conn, self.handles[conn, queue], MessageDescriptor(), gmo)).reason

    def _call(self, call: calls.MqiCall) -> Reply:
        """Make a call and record it, with a margin around the time at which it took effect."""
        self.qm.call(calls.Advance(self.chance.randint(1, 40)))
        self.effect_us = max(self._now_us(), self.effect_us + 1)
        reply = self.qm.call(call)
        interval = Interval(
            self.effect_us - self.chance.randint(10, 400), self.effect_us + self.chance.randint(10, 400)
        )
        record = self.recorder.record(call, observed_of(reply), interval)
        self.events.append(record.model_copy(update={"source": "simulated day", "line": len(self.events) + 1}))
        return reply

    def _now_us(self) -> int:
        return (self.qm.state.epoch_ms + self.qm.state.now_ms) * 1000


def _queues() -> list[QueueDefinition]:
    return [define(QueueDefinition, attributes) for attributes in _DEFINITIONS]


def _headers(begun_us: int) -> tuple[Header, ...]:
    headers: list[Header] = [LogHeader(complete=True)]
    for definition in _queues():
        known = {name: value for name, value in definition.attributes().items() if value is not None}
        headers.append(QueueHeader(qmgr=QMGR, queue=definition.name, **known))
        headers.append(DepthHeader(qmgr=QMGR, queue=definition.name, at_us=begun_us, depth=0))
    return tuple(headers)
