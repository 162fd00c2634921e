"""A queue manager to use by hand: one call, one reply, and the rules behind it.

>>> from oracle import MQGMO, MQOO, MQRC, QueueManager
>>> qm = QueueManager(["ORDERS"])
>>> orders = qm.open("ORDERS", MQOO.INPUT_SHARED | MQOO.OUTPUT)
>>> _ = qm.put(orders, b"ordinary")
>>> _ = qm.put(orders, b"urgent", priority=7, expiry=50)
>>> qm.get(orders).data
b'urgent'
>>> _ = qm.put(orders, b"fleeting", priority=7, expiry=50)
>>> qm.advance(seconds=10)
>>> reply = qm.get(orders)
>>> reply.data, "EXP-09" in qm.rules
(b'ordinary', True)
>>> qm.get(orders).reason is MQRC.NO_MSG_AVAILABLE
True
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from oracle.errors import UsageError
from oracle.model.duration import advance, check_clock
from oracle.model.queue_manager import new_state, outcomes
from oracle.model.reply import Completion, Posted, Reply
from oracle.model.state import State
from oracle.model.step import Outcome
from oracle.mqi import calls
from oracle.mqi.constants import MQMO, MQOO
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition, define
from oracle.mqi.profile import Profile
from oracle.mqi.structures import GetMessageOptions, PutMessageOptions, descriptor_of


class QueueManager:
    """The model behind simple methods. If the documents leave a choice, it takes the most plainly documented one.

    `queues` are names, or definitions for other attributes than the defaults. `rules` are the rules behind the last
    call, `completed` the waiting gets that it ended, and `posted` the signals that it delivered. `state` is the present
    state of the queue manager.
    """

    def __init__(
        self,
        queues: Iterable[str | QueueDefinition],
        definition: QueueManagerDefinition | None = None,
        profile: Profile | None = None,
    ) -> None:
        definitions = [define(QueueDefinition, {"name": each}) if isinstance(each, str) else each for each in queues]
        self.state: State = new_state(definitions, definition, profile)
        self.rules: tuple[str, ...] = ()
        self.completed: tuple[Completion, ...] = ()
        self.posted: tuple[Posted, ...] = ()
        self._calls = 0

    def call(self, call: calls.Call) -> Reply:
        """Carry out any call and return its reply."""
        outcome = next(self.allowed(call))
        self.state, self.rules = outcome.state, outcome.rules
        self.completed, self.posted = outcome.completed, outcome.posted
        return outcome.reply

    def allowed(self, call: calls.Call) -> Iterator[Outcome]:
        """Yield every outcome that the documents allow for a call, without carrying it out."""
        return outcomes(self.state, call)

    def open(self, name: str, options: int = MQOO.INPUT_SHARED | MQOO.OUTPUT, conn: str = "A") -> calls.HandleOf:
        """Open a queue (MQOPEN), connecting first if the connection is new.

        Raises UsageError if the open fails; `call` returns the failure instead.
        """
        if conn not in self.state.connections:
            self.call(calls.Connect(conn))
        reply = self.call(calls.Open(conn, name, options))
        if reply.hobj is None:
            raise UsageError(f"MQOPEN of {name} failed: {reply}")
        return calls.HandleOf(conn, reply.hobj)

    def close(self, handle: calls.HandleOf) -> Reply:
        """Close a handle (MQCLOSE)."""
        return self.call(calls.Close(handle.conn, handle.hobj))

    def put(self, handle: calls.HandleOf, data: bytes = b"", options: int = 0, **members: Any) -> Reply:
        """Put a message (MQPUT). `members` are those of MQMD in snake case, such as `priority` or `expiry`."""
        md, pmo = descriptor_of(members), PutMessageOptions(options=options)
        return self.call(calls.Put(handle.conn, handle.hobj, md, pmo, data))

    def get(
        self,
        handle: calls.HandleOf,
        options: int = 0,
        *,
        match_options: int = MQMO.NONE,
        wait_interval: int = 0,
        buffer_length: int = 65536,
        **members: Any,
    ) -> Reply:
        """Get or browse a message (MQGET). `members` are those of MQMD that the match options use."""
        self._calls += 1
        gmo = GetMessageOptions(options=options, match_options=match_options, wait_interval=wait_interval)
        return self.call(
            calls.Get(handle.conn, handle.hobj, descriptor_of(members), gmo, buffer_length, identity=self._calls)
        )

    def commit(self, conn: str = "A") -> Reply:
        """Commit the connection's unit of work (MQCMIT)."""
        return self.call(calls.Commit(conn))

    def back(self, conn: str = "A") -> Reply:
        """Back out the connection's unit of work (MQBACK)."""
        return self.call(calls.Back(conn))

    def advance(self, seconds: float = 0.0, tenths: int = 0) -> None:
        """Let time pass. Raises BadInputError for an invalid time, or one longer than seven years."""
        call = advance(seconds, tenths)
        check_clock(self.state, call)
        self.call(call)
