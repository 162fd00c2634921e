"""A small queue manager of its own, independent of the oracle, that produces random histories for the audit's tests.

One queue, a few connections; each call takes effect at one moment, and its record shows an interval around that
moment. A defect can be planted, one kind at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from random import Random

from oracle.mqi.constants import MQGMO, MQMO, MQPMO, MQRC
from tests.spark_checks.histories import NO_ID, QUEUE, Record, ident

STEP_US = 100
"""The time between the moments of two calls."""


class Defect(Enum):
    """The defect of a broken queue manager."""

    NONE = "none"
    LIFO = "returns the newest message of the highest priority"
    LOWEST_FIRST = "returns the lowest priority first"
    LOSES = "forgets a message now and then"
    DUPLICATES = "keeps a message that was got for good"
    OVERLOOKS = "says now and then that there is no message"
    INVENTS = "returns a message that was never put"
    SHARES = "lets others get what a unit of work has got"
    UNLOCKS = "lets others get what a handle has locked"
    SHOWS = "lets others get what is not committed"
    DROPS = "forgets messages whose get is backed out"
    MISCOUNTS = "does not count a backout now and then"
    REWINDS = "goes back to the front now and then when it browses on"


_WEIGHTS = (30, 30, 12, 2, 12, 7, 3)
"""The frequencies with which an application puts, gets, browses, unlocks, commits, backs out and leaves."""

_BACKING_OUT = (26, 40, 4, 0, 6, 22, 2)
_LOCKING = (26, 16, 46, 2, 6, 2, 2)
_WEIGHTS_FOR = {
    Defect.DROPS: _BACKING_OUT,
    Defect.MISCOUNTS: _BACKING_OUT,
    Defect.UNLOCKS: _LOCKING,
    Defect.REWINDS: _LOCKING,
}
"""The frequencies that are raised if a defect shows only then."""


@dataclass
class Message:
    """A message on the queue, and the connections that have put or got it and not committed that."""

    name: str
    order: int
    priority: int
    correl: str
    putter: str | None = None
    getter: str | None = None
    locker: str | None = None
    backouts: int = 0

    def available(self, conn: str, defect: Defect) -> bool:
        """Return whether a connection may get or browse the message."""
        committed = self.putter is None or (defect is Defect.SHOWS and self.putter != conn)
        free = self.getter is None or (defect is Defect.SHARES and self.getter != conn)
        unlocked = self.locker in (None, conn) or defect is Defect.UNLOCKS
        return committed and free and unlocked


@dataclass
class Call:
    """A call with the moment of its effect; the columns are those of its record."""

    conn: str
    moment: int
    columns: Record


@dataclass
class Simulation:
    """A run of calls on one queue. `fifo` is the queue's delivery sequence, `reuse` how often identifiers repeat."""

    random: Random
    fifo: bool = False
    reuse: float = 0.0
    defect: Defect = Defect.NONE
    queue: list[Message] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    cursors: dict[str, tuple[int, int]] = field(default_factory=dict)
    names: int = 0

    def run(self, length: int, conns: int = 3) -> list[Call]:
        """Carry out random calls and return them in the order of their effects."""
        alive = [f"c{number}" for number in range(conns)]
        while len(self.calls) < length:
            place = self.random.randrange(conns)
            conn = alive[place]
            action = self.random.choices(
                (self._put, self._get, self._browse, self._unlock, self._commit, self._backout, self._leave),
                weights=_WEIGHTS_FOR.get(self.defect, _WEIGHTS),
            )[0]
            action(conn)
            if action == self._leave:
                alive[place] = f"{conn}'"
        return self.calls

    def _record(self, conn: str, call: str, **columns: object) -> None:
        moment = (len(self.calls) + 1) * STEP_US
        self.calls.append(Call(conn, moment, {"call": call, "comp_code": 0, "reason": 0, **columns}))

    def _place(self, message: Message) -> tuple[int, int]:
        sign = -1 if self.defect is Defect.LIFO else 1
        by_priority = 0 if self.fifo else (1 if self.defect is Defect.LOWEST_FIRST else -1)
        return by_priority * message.priority, sign * message.order

    def _in_order(self, conn: str) -> list[Message]:
        return sorted((one for one in self.queue if one.available(conn, self.defect)), key=self._place)

    def _put(self, conn: str) -> None:
        if self.names and self.random.random() < self.reuse:
            name = f"m{self.random.randrange(self.names)}"
        else:
            name = f"m{self.names}"
            self.names += 1
        sync = self.random.random() < 0.4
        message = Message(
            name, len(self.calls), self.random.randrange(3), f"k{self.random.randrange(3)}", conn if sync else None
        )
        self.queue.append(message)
        options = MQPMO.SYNCPOINT if sync else self.random.choice((MQPMO.NO_SYNCPOINT, 0))
        self._record(conn, self.random.choice(("MQPUT", "MQPUT1")), options=options, **_shown(message))
        if self.defect is Defect.LOSES and not sync and self.random.random() < 0.2:
            self.queue.remove(message)

    def _get(self, conn: str) -> None:
        sync = self.random.random() < 0.4
        columns: Record = {
            "queue": QUEUE,
            "options": MQGMO.SYNCPOINT if sync else MQGMO.NO_SYNCPOINT,
            "match_options": 0,
            "sel_msg_id": NO_ID,
            "sel_correl_id": NO_ID,
            "hobj": 1,
        }
        suitable = self._in_order(conn)
        if self.random.random() < 0.25:
            suitable = self._select(columns, suitable)
        if not suitable or (self.defect is Defect.OVERLOOKS and self.random.random() < 0.3):
            self._record(conn, "MQGET", **(columns | {"comp_code": 2, "reason": MQRC.NO_MSG_AVAILABLE}))
            return
        message = suitable[0]
        if self.defect is Defect.INVENTS and self.random.random() < 0.2:
            message = Message(f"ghost{len(self.calls)}", len(self.calls), message.priority, message.correl)
        self._record(conn, "MQGET", **(columns | _shown(message)))
        if message.locker == conn:
            message.locker = None
        if sync:
            message.getter = conn
        elif message in self.queue and not (self.defect is Defect.DUPLICATES and self.random.random() < 0.5):
            self.queue.remove(message)

    def _select(self, columns: Record, suitable: list[Message]) -> list[Message]:
        if self.random.random() < 0.5:
            correl = f"k{self.random.randrange(3)}"
            columns |= {"match_options": MQMO.MATCH_CORREL_ID, "sel_correl_id": ident(correl)}
            return [message for message in suitable if message.correl == correl]
        name = f"m{self.random.randrange(self.names + 1)}"
        columns |= {"match_options": MQMO.MATCH_MSG_ID | MQMO.MATCH_CORREL_ID, "sel_msg_id": ident(name)}
        return [message for message in suitable if message.name == name]

    def _browse(self, conn: str) -> None:
        """Browse first or next, perhaps with a lock; whether it finds a message or not, an earlier lock is gone."""
        lock = self.random.random() < 0.4
        options = self.random.choice((MQGMO.BROWSE_FIRST, MQGMO.BROWSE_NEXT)) | (MQGMO.LOCK if lock else 0)
        columns: Record = {"queue": QUEUE, "options": options, "match_options": 0, "hobj": 1}
        self._release(conn)
        suitable = self._in_order(conn)
        rewinds = self.defect is Defect.REWINDS and self.random.random() < 0.5
        if options & MQGMO.BROWSE_NEXT and conn in self.cursors and not rewinds:
            suitable = [message for message in suitable if self._place(message) > self.cursors[conn]]
        if suitable:
            self.cursors[conn] = self._place(suitable[0])
            suitable[0].locker = conn if lock else suitable[0].locker
            self._record(conn, "MQGET", **(columns | _shown(suitable[0])))
        else:
            self._record(conn, "MQGET", **(columns | {"comp_code": 2, "reason": MQRC.NO_MSG_AVAILABLE}))

    def _release(self, conn: str) -> bool:
        locked = [message for message in self.queue if message.locker == conn]
        for message in locked:
            message.locker = None
        return bool(locked)

    def _unlock(self, conn: str) -> None:
        outcome: Record = {} if self._release(conn) else {"comp_code": 1, "reason": MQRC.NO_MSG_LOCKED}
        self._record(conn, "MQGET", **({"queue": QUEUE, "options": MQGMO.UNLOCK, "hobj": 1} | outcome))

    def _end_unit(self, conn: str, *, commit: bool) -> None:
        for message in list(self.queue):
            if message.putter == conn:
                message.putter = None
                if not commit:
                    self.queue.remove(message)
            elif message.getter == conn:
                message.getter = None
                if commit or self.defect is Defect.DROPS:
                    self.queue.remove(message)
                elif not (self.defect is Defect.MISCOUNTS and self.random.random() < 0.5):
                    message.backouts += 1

    def _commit(self, conn: str) -> None:
        self._end_unit(conn, commit=True)
        self._record(conn, "MQCMIT")

    def _backout(self, conn: str) -> None:
        self._end_unit(conn, commit=False)
        self._record(conn, "MQBACK")

    def _leave(self, conn: str) -> None:
        """Let the connection disconnect, or die without a record."""
        commit = self.random.random() < 0.5
        self._release(conn)
        self._end_unit(conn, commit=commit)
        if commit:
            self._record(conn, "MQDISC")
        else:
            self._record(conn, "died")


def _shown(message: Message) -> Record:
    return {
        "queue": QUEUE,
        "object_name": QUEUE,
        "msg_id": ident(message.name),
        "correl_id": ident(message.correl),
        "priority": message.priority,
        "persistence": 1,
        "expiry": -1,
        "msg_type": 8,
        "msg_flags": 0,
        "format": "MQSTR",
        "backout_count": message.backouts,
    }


def recorded(calls: list[Call], qmgr: str, random: Random, *, width_us: int, clock_us: int) -> list[Record]:
    """Return the records of calls with intervals of random width around their moments, as with uncertain clocks."""
    seqs: dict[str, int] = {}
    records: list[Record] = []
    for call in calls:
        if call.columns["call"] == "died":
            continue
        seqs[call.conn] = seqs.get(call.conn, 0) + 1
        skew = random.randint(-clock_us, clock_us)
        waited = 10 * width_us if "reason" in call.columns and random.random() < 0.05 else 0
        records.append(
            {
                "qmgr": qmgr,
                "conn": f"{qmgr}/{call.conn}",
                "seq": seqs[call.conn],
                "start_us": call.moment - random.randint(0, width_us + waited) + skew,
                "end_us": call.moment + random.randint(0, width_us) + skew,
                **call.columns,
            }
        )
    return records
