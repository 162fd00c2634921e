"""A client that makes random calls, with the truth about each, to compare with what a reader makes of its packets."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from fixtures.captures import MQCLOSE, MQCMIT, REPLY, Talk, Values, wire
from fixtures.channel_talks import EPOCH_US, connected
from oracle.histories.event_log import Event
from oracle.mqi.constants import MQGMO, MQOO

QUEUES = ("A", "B", "C")
WAITS_MS = (100, 200, 300)
STEP_US = 1000
Truth = dict[str, Any]


@dataclass
class Client:
    """A client that opens and closes queues, puts, gets and consumes.

    `truth` has the columns of each call by the times of its packets, in nanoseconds.
    """

    chance: random.Random
    talk: Talk = field(default_factory=connected)
    truth: dict[int, Truth] = field(default_factory=dict)
    _open: dict[int, str] = field(default_factory=dict)
    _asked: dict[int, int] = field(default_factory=dict)
    _at_us: int = EPOCH_US + STEP_US

    def act(self) -> None:
        """Make a random call."""
        hobj = self.chance.choice([0, *list(self._open)[-3:]])
        if hobj == 0 or self.chance.random() < 0.1:
            self._open_one()
        elif self.chance.random() < 0.2:
            queue = self._open.pop(hobj)
            self._asked.pop(hobj, None)
            self._call("MQCLOSE", wire.close(hobj), wire.call(MQCLOSE + REPLY, hobj=-1), queue, hobj=hobj)
        elif hobj in self._asked or self.chance.random() < 0.2:
            self._consume(hobj)
        else:
            self._move(hobj, self._open[hobj])

    def _open_one(self) -> None:
        hobj = min(set(range(2, 99)) - self._open.keys())
        queue = self._open[hobj] = self.chance.choice(QUEUES)
        options = int(MQOO.INPUT_SHARED | MQOO.OUTPUT)
        self._call("MQOPEN", wire.open(queue, options), wire.opened(queue, hobj), queue, hobj=hobj)

    def _move(self, hobj: int, queue: str) -> None:
        md: Values = {"MsgId": f"{self._at_us:048x}"}
        kind = self.chance.choice(("put", "got", "empty", "commit"))
        if kind == "put":
            asked: Values = {"MsgSeqNumber": 9}
            self._call("MQPUT", wire.put(hobj, b"data", md=asked), wire.put_done(hobj, md=md, length=4), queue, **md)
        elif kind == "got":
            self._call("MQGET", wire.get(hobj, 100), wire.got(hobj, b"data", md=md), queue, **md)
        elif kind == "empty":
            self._call("MQGET", wire.get(hobj, 100), wire.got(hobj, b"", code=(2, 2033)), queue, reason=2033)
        else:
            self._call("MQCMIT", wire.call(MQCMIT), wire.call(MQCMIT + REPLY), None)

    def _consume(self, hobj: int) -> None:
        wait = self.chance.choice(WAITS_MS)
        self._at_us += STEP_US
        since = self._asked.setdefault(hobj, self._at_us)
        self.talk.client(wire.ask(hobj, int(MQGMO.NO_SYNCPOINT | MQGMO.WAIT), wait), self._at_us)
        if self.chance.random() < 0.5:
            self._at_us += STEP_US
            md: Values = {"MsgId": f"{self._at_us:048x}"}
            self._keep("CALLBACK", since, self._open[hobj], md, wait)
            self.talk.server(wire.deliver(hobj, b"data", md, self._open[hobj]), self._at_us)

    def _call(self, verb: str, asked: bytes, answered: bytes, queue: str | None, **columns: int | str) -> None:
        start, end = self._at_us + STEP_US, self._at_us + 2 * STEP_US
        self._at_us = end
        self.talk.client(asked, start)
        self.talk.server(answered, end)
        self._keep(verb, start, queue, columns)
        self.truth[start * 1000] = self.truth[end * 1000]

    def _keep(self, verb: str, start: int, queue: str | None, columns: Values, wait: int = 0) -> None:
        end = self._at_us
        own = {"hobj": columns["hobj"]} if "hobj" in columns else {}
        ids = {"msg_id": columns["MsgId"], "msg_seq_number": 1} if "MsgId" in columns else {}
        found = {"call": verb, "start_us": start, "end_us": end, "reason": columns.get("reason", 0), "wait_ms": wait}
        self.truth[end * 1000] = {**found, "queue": queue, "object_name": queue, **own, **ids}


def made(seed: int) -> Client:
    """Return a client that has made sixty calls."""
    client = Client(random.Random(seed))
    for _ in range(60):
        client.act()
    return client


def false_columns(event: Event, true: Truth, begun: int, ended: int) -> dict[str, tuple[Any, Any]]:
    """Return the columns of a record that are false, each with the truth.

    A call without a request may have begun at the first packet, one without a reply may have ended at the last.
    """
    found = {
        name: (value, true.get(name))
        for name in ("call", "queue", "object_name", "hobj", "reason", "msg_id", "msg_seq_number")
        if (value := getattr(event, name)) is not None and value != true.get(name, value)
    }
    if event.wait_ms is not None and event.wait_ms != true["wait_ms"]:
        found["wait_ms"] = event.wait_ms, true["wait_ms"]
    if event.start_us > max(true["start_us"], begun):
        found["start_us"] = event.start_us, true["start_us"]
    if event.end_us < min(true["end_us"], ended):
        found["end_us"] = event.end_us, true["end_us"]
    return found
