"""A running queue manager: the model's state behind a lock, a clock, and MQGETs that wait.

The clock is virtual and stands still until someone moves it. An MQGET that waits blocks its thread. It ends

- with a message that another thread makes available;
- when `advance` moves the clock beyond its interval;
- at once, by a jump of the clock to the end of the first interval, if no other thread can act: the thread that has
  started the queue manager, and all living threads with a connection to it, wait for messages. So a program with a
  single thread continues;
- when its interval has passed in real time.

With `clock="real"` the virtual clock follows the real one and never jumps; with `clock="manual"` only `advance` moves
it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, Literal

from oracle.model.queue_manager import outcomes
from oracle.model.reply import Reply, failure
from oracle.model.state import State
from oracle.model.waiting.waiters import Waiter, due_ms
from oracle.mqi import calls
from oracle.mqi.calls import Call, Get
from oracle.mqi.constants import MQRC
from oracle.standin.warning import warn

Clock = Literal["virtual", "real", "manual"]


class RunningQueueManager:
    """A queue manager that several threads may call.

    `rules` are those behind the last call of a program; calls on the connections in `aside` are not programs'.
    `credentials` are the passwords of the users who may connect, by user; without them every user may. An empty user
    stands for programs that name none. `beside` are attributes that the model lacks, by queue (None: the queue manager)
    and selector. `services` are called after every call, with the lock held.
    """

    def __init__(self, state: State, *, clock: Clock = "virtual", credentials: Mapping[str, str] | None = None) -> None:
        self.state: State = state
        self.rules: tuple[str, ...] = ()
        self.aside: Final[set[str]] = set()
        self.clock: Final = clock
        self.credentials = credentials
        self.changed: Final = threading.Condition(threading.RLock())
        self.ended = False
        self.beside: Final[dict[str | None, dict[int, int | str]]] = {}
        self.services: Final[list[Callable[[], None]]] = []
        self._starter: Final = threading.get_ident()
        self._users: dict[str, int] = {}
        self._blocked: dict[int, int | None] = {}
        self._replies: dict[int, Reply] = {}
        self._polling: set[int] = set()
        self._awaited: dict[int, Callable[[Reply], None] | None] = {}
        self._identities = 0
        self._serving = False
        self._seconds = time.monotonic()

    @property
    def name(self) -> str:
        """The queue manager's name."""
        return self.state.definition.name

    def time_ms(self) -> int:
        """Return the time of the queue manager's clock, in milliseconds since 1970."""
        with self.changed:
            self._follow_real_time()
            return self.state.epoch_ms + self.state.now_ms

    def perform(self, call: Call) -> Reply:
        """Carry out a call that does not wait, or an event.

        Raises NotModelledError if the model lacks it; nothing has changed then.
        """
        with self.changed:
            if not self._serving and isinstance(call, calls.MqiCall):
                self._users[call.conn] = threading.get_ident()
            self._follow_real_time()
            reply = self._step(call)
            if isinstance(call, (calls.Disconnect, calls.Fail)) and call.conn not in self.state.connections:
                self._users.pop(call.conn, None)
            self._serve()
            for thread in self._polling:
                self._blocked.pop(thread, None)
            self.changed.notify_all()
            return reply

    def get(self, call: Get) -> Reply:
        """Carry out an MQGET, and wait if it does.

        Raises NotModelledError if the model lacks it.
        """
        with self.changed:
            identity = self.next_identity()
            reply = self.perform(replace(call, identity=identity))
            if not reply.pending:
                return reply
            due = due_ms(self.state, Waiter(call.conn))
            return self.wait(due, lambda: self._replies.pop(identity, None) or self._broken(call.conn))

    def get_later(self, call: Get, ended: Callable[[Reply], None]) -> tuple[Reply, int]:
        """Carry out an MQGET without blocking the thread: if it waits, `ended` is called with the reply that ends it.

        Returns the reply, which is pending then, and the number of the call. `ended` is called with the lock held, by
        whichever thread ends the wait. Raises NotModelledError if the model lacks it.
        """
        with self.changed:
            identity = self.next_identity()
            self._awaited[identity] = ended
            try:
                reply = self.perform(replace(call, identity=identity))
            except BaseException:
                del self._awaited[identity]
                raise
            if not reply.pending:
                del self._awaited[identity]
            return reply, identity

    def cancel(self, conn: str, identity: int, reason: int) -> None:
        """End a waiting MQGET that `get_later` began under this number: it fails with the reason."""

        def wait_no_more(state: State) -> None:
            state.connections[conn].waiting = None

        with self.changed:
            ended = self._awaited.pop(identity, None)
            if ended is not None:
                self.change(wait_no_more)
                ended(failure(reason))

    def due_ms(self, conn: str) -> int | None:
        """Return when the waiting MQGET of a connection ends, in milliseconds of the virtual clock; None for never."""
        return due_ms(self.state, Waiter(conn))

    def note_waiting(self) -> int:
        """Count one more application that waits for messages in a way of its own, and return its number."""
        with self.changed:
            identity = self.next_identity()
            self._awaited[identity] = None
            self.changed.notify_all()
            return identity

    def forget_waiting(self, identity: int) -> None:
        """Note that the application with this number no longer waits."""
        with self.changed:
            self._awaited.pop(identity, None)

    def look(self, call: Get) -> Reply:
        """Return what an MQGET that does not wait would return, without carrying it out.

        Raises NotModelledError if the model lacks it.
        """
        return next(outcomes(self.state, call)).reply

    def wait(self, due: int | None, ended: Callable[[], Reply | None]) -> Reply:
        """Block the calling thread until its call has ended.

        `due` is the end of its interval; None for never. The caller holds the lock, which is released while the thread
        is blocked.
        """
        thread, began = threading.get_ident(), time.monotonic()
        patience = None if due is None or self.clock == "manual" else (due - self.state.now_ms) / 1000
        try:
            while (reply := ended()) is None:
                if self.ended:
                    return failure(MQRC.CONNECTION_BROKEN)
                self._blocked[thread] = due
                self.changed.notify_all()
                if self.clock == "virtual" and self._nobody_else():
                    if not self._jump():
                        return self._hopeless()
                    continue
                left = None if patience is None else began + patience - time.monotonic()
                if left is not None and left <= 0 and due is not None:
                    behind = 0 if self.clock == "real" else due - self.state.now_ms
                    self.perform(calls.Advance(max(0, behind)))
                    continue
                self.changed.wait(left)
            return reply
        finally:
            self._blocked.pop(thread, None)

    def poll(self, due: int | None, attempt: Callable[[], Reply | None]) -> Reply:
        """Block the calling thread until an attempt has a reply; it is repeated after every change.

        `due` is the time at which it gives up; None for never. The caller holds the lock.
        """
        thread = threading.get_ident()
        self._polling.add(thread)
        try:
            return self.wait(due, attempt)
        finally:
            self._polling.discard(thread)

    def next_identity(self) -> int:
        """Return a number that distinguishes one MQGET from all others."""
        self._identities += 1
        return self._identities

    def change(self, edit: Callable[[State], None]) -> None:
        """Change the queue manager as an administrator does; a change that raises changes nothing."""
        with self.changed:
            state = self.state.copy()
            edit(state)
            self.state = state
            self.perform(calls.Advance(0))

    def waiting(self) -> int:
        """Return the number of threads, and of applications elsewhere, that wait for a message."""
        return len(self._blocked) - len(self._replies) + len(self._awaited)

    def end(self) -> None:
        """End the queue manager: calls that wait fail with MQRC_CONNECTION_BROKEN."""
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def _broken(self, conn: str) -> Reply | None:
        return None if conn in self.state.connections else failure(MQRC.CONNECTION_BROKEN)

    def _step(self, call: Call) -> Reply:
        outcome = next(outcomes(self.state, call))
        self.state = outcome.state
        by_program = isinstance(call, calls.MqiCall) and not self._serving and call.conn not in self.aside
        if by_program:
            self.rules = outcome.rules
        for done in outcome.completed:
            if not by_program:
                self.rules = done.rules
            if done.identity not in self._awaited:
                self._replies[done.identity] = done.reply
            elif (ended := self._awaited.pop(done.identity)) is not None:
                ended(done.reply)
        return outcome.reply

    def _serve(self) -> None:
        """Call the queue manager's own services after a change; their calls do not call them again."""
        if self._serving or not self.services:
            return
        self._serving = True
        try:
            for service in self.services:
                service()
        finally:
            self._serving = False

    def _follow_real_time(self) -> None:
        if self.clock == "real":
            passed = int((time.monotonic() - self._seconds) * 1000)
            if passed > 0:
                self._seconds += passed / 1000
                self._step(calls.Advance(passed))

    def _nobody_else(self) -> bool:
        """Return whether every living thread that takes part waits for messages."""
        self._users = {conn: thread for conn, thread in self._users.items() if conn in self.state.connections}
        living = {thread.ident for thread in threading.enumerate()}
        taking_part = {self._starter, *self._users.values()} & living
        return not taking_part - self._blocked.keys() and not self._replies

    def _jump(self) -> bool:
        """Move the clock to the end of the first interval. Return False if no wait has one."""
        due = min((each for each in self._blocked.values() if each is not None), default=None)
        if due is None:
            return False
        self.perform(calls.Advance(max(0, due - self.state.now_ms)))
        return True

    def _hopeless(self) -> Reply:
        warn(
            "an MQGET waits without limit, and there is no other thread that could put a message: it fails with "
            "MQRC_CONNECTION_BROKEN (2009)"
        )
        return failure(MQRC.CONNECTION_BROKEN)
