"""Asynchronous consumption: the calls of functions that MQCB has registered, as MQCTL allows them.

All callbacks of a connection run on one thread, one after the other. This module starts the thread for MQOP_START; for
MQOP_START_WAIT it is the calling thread. The thread looks for messages on the handles in turn. While it runs, no other
thread may use the connection. It counts as waiting in MQGET when no handle has a message. The document behind it is
"MQCTL - Control callbacks" of IBM's documentation.
"""

from __future__ import annotations

import threading
import traceback
from collections import deque
from enum import Enum
from typing import Final

from oracle.model.reply import Reply
from oracle.mqi import calls
from oracle.mqi.constants import MQCC, MQRC
from oracle.standin import verbs
from oracle.standin.answers import UNUSABLE, Answer, Failed
from oracle.standin.callbacks import (
    Callback,
    CallType,
    ConsumerState,
    Delivery,
    Operation,
    Request,
    new_callback,
)
from oracle.standin.connections import Connection

_PATIENCE_S: Final = 5.0
"""The seconds of real time that the end of a queue manager waits for a callback to return."""

_STATES: Final[dict[int, ConsumerState]] = {MQRC.GET_INHIBITED: ConsumerState.SUSPENDED_TEMPORARY}
"""The state of a consumer that cannot get messages, by the reason; for other reasons it is suspended."""

_BROKEN: Final = (MQCC.FAILED, MQRC.CONNECTION_BROKEN, ConsumerState.STOPPED)
"""The codes of the last calls if the connection is broken."""


class State(Enum):
    """The state of consumption."""

    STOPPED = "stopped"
    STARTED = "started"
    SUSPENDED = "suspended"


class Consumption:
    """The callbacks of a connection, and the state of consumption.

    `wanted` is the state that MQCTL has asked for, and `state` the actual one, which the thread of the callbacks sets.
    `area` is the ConnectionArea of MQCTL.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection: Final = connection
        self.manager: Final = connection.manager
        self.state = State.STOPPED
        self.wanted = State.STOPPED
        self.area = 0
        self.handler: Callback | None = None
        self.consumers: Final[dict[int, Callback]] = {}
        self._due: Final[deque[Delivery]] = deque()
        self._thread: threading.Thread | None = None
        self._stays = False
        self._begun: Final = threading.Event()
        self._quiescing_told = False
        self._broken = False
        self._idle = False
        self._disconnects = False

    # Registering; the lock is held by the caller.

    def register(self, request: Request) -> Callback:
        """Register a function; one that is registered already is replaced, and its consumption continues.

        Raises Failed, and NotModelledError.
        """
        callback = new_callback(self.connection, request)
        before = self.handler if callback.call is None else self.consumers.get(callback.hobj)
        if callback.call is None:
            self.handler = callback
        else:
            self.consumers[callback.hobj] = callback
        if before is not None:
            callback.suspended, callback.started = before.suspended, before.started
            callback.begin(self.manager.state.now_ms)
        elif callback.wants(CallType.REGISTER_CALL):
            self._due.append(Delivery(callback, CallType.REGISTER_CALL, hobj=callback.hobj))
        return callback

    def registered(self, hobj: int) -> Callback:
        """Return the callback of a handle, or the event handler if there is no handle.

        Raises Failed if there is none.
        """
        found = self.handler if hobj <= 0 else self.consumers.get(hobj)
        if found is None:
            raise Failed(MQRC.CALLBACK_NOT_REGISTERED)
        return found

    def deregister(self, callback: Callback, hobj: int) -> None:
        """Forget a callback. Its last call comes when the running callback has returned, or at once if none runs."""
        if callback is self.handler:
            self.handler = None
        else:
            self.consumers.pop(callback.hobj, None)
        if callback.wants(CallType.DEREGISTER_CALL):
            last = Delivery(callback, CallType.DEREGISTER_CALL, hobj=hobj)
            if self.runs_here:
                self._due.append(last)
            else:
                self._call(last)

    def closed(self, hobj: int) -> None:
        """Note that a handle has been closed."""
        callback = self.consumers.get(hobj)
        if callback is not None:
            self.deregister(callback, UNUSABLE)

    def deregister_all(self) -> None:
        """Forget all callbacks, as the connection ends."""
        for callback in (*self.consumers.values(), *([] if self.handler is None else [self.handler])):
            self.deregister(callback, UNUSABLE)

    @property
    def runs_here(self) -> bool:
        """Whether the calling thread is that of the callbacks."""
        return self.connection.in_control == threading.get_ident()

    # Controlling; the lock is held by the caller.

    def control(self, operation: Operation) -> Answer:
        """Carry out MQCTL.

        Raises Failed.
        """
        return {
            Operation.START: self._start,
            Operation.START_WAIT: self._start_wait,
            Operation.STOP: self.stop,
            Operation.SUSPEND: self._suspend,
            Operation.RESUME: self._resume,
        }[operation]()

    def stop(self) -> Answer:
        """Stop all callbacks, and wait for the one that runs.

        A callback that calls this stops after it has returned.
        """
        if self.state is not State.STOPPED:
            self._want(State.STOPPED)
        return Answer()

    def disconnect_later(self) -> None:
        """End the connection when the running callback has returned."""
        self._disconnects = True
        self.stop()

    def finish(self) -> None:
        """Wait until no callback runs any more, because the queue manager has ended."""
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(_PATIENCE_S)

    def _start(self) -> Answer:
        if self.state is State.SUSPENDED:
            raise Failed(MQRC.OPERATION_NOT_ALLOWED)
        if self.state is State.STARTED:
            if not self.runs_here:
                raise Failed(MQRC.HCONN_ASYNC_ACTIVE)
            self.wanted = State.STARTED  # it cancels an MQOP_STOP of the same callback
            return Answer()
        self._stays, self.wanted, self.state = True, State.STARTED, State.STARTED
        self._thread = threading.Thread(target=self._run, name=f"callbacks of {self.connection.conn}", daemon=True)
        self._begun.clear()
        self._thread.start()
        while not self._begun.is_set():
            self.manager.changed.wait()
        if self.wanted is State.STOPPED:
            raise Failed(MQRC.CONNECTION_STOPPED)
        return Answer()

    def _start_wait(self) -> Answer:
        if self.runs_here:
            raise Failed(MQRC.ENVIRONMENT_ERROR)
        if self.state is not State.STOPPED:
            raise Failed(MQRC.OPERATION_NOT_ALLOWED)
        self._stays, self.wanted, self.state = False, State.STARTED, State.STARTED
        return self._run_here()

    def _suspend(self) -> Answer:
        if self.state is State.STOPPED:
            raise Failed(MQRC.OPERATION_NOT_ALLOWED)
        if self.state is State.STARTED:
            self._want(State.SUSPENDED)
        return Answer()

    def _resume(self) -> Answer:
        if self.state is State.STOPPED:
            raise Failed(MQRC.OPERATION_NOT_ALLOWED)
        if self.state is State.STARTED:
            if not self.runs_here:
                raise Failed(MQRC.HCONN_ASYNC_ACTIVE)
            self.wanted = State.STARTED
            return Answer()
        self.wanted = State.STARTED
        if not self._stays:
            self.state = State.STARTED
            return self._run_here()
        self.manager.changed.notify_all()
        while self.state is State.SUSPENDED and self.wanted is State.STARTED:
            self.manager.changed.wait()
        return Answer()

    def _want(self, wanted: State) -> None:
        """Ask for a state, and wait until it is reached; a callback sets it when it returns, and does not wait."""
        self.wanted = wanted
        self.manager.changed.notify_all()
        if self.runs_here:
            return
        if not self._stays and self.state is State.SUSPENDED:
            self._say_farewell()  # MQOP_START_WAIT has returned, so no thread is left to do it
            self.state = State.STOPPED
        while self.state is not wanted and self.wanted is wanted:
            self.manager.changed.wait()

    # Running.

    def _run_here(self) -> Answer:
        """Run the callbacks on the thread that has called MQCTL; its lock is released meanwhile."""
        self._idle = False
        self.manager.changed.release()
        try:
            self._run()
        finally:
            self.manager.changed.acquire()
        if self._broken:
            raise Failed(MQRC.CONNECTION_BROKEN)
        if self._idle:
            raise Failed(MQRC.NO_CALLBACKS_ACTIVE)
        if self.state is State.SUSPENDED:
            return Answer(MQCC.WARNING, MQRC.CONNECTION_SUSPENDED)
        return Answer()

    def _run(self) -> None:
        """Call the callbacks until they are stopped; with MQOP_START_WAIT also until they are suspended."""
        with self.manager.changed:
            self.connection.in_control = threading.get_ident()
            for callback in self.consumers.values():
                callback.begin(self.manager.state.now_ms)
        last = State.STOPPED
        try:
            while (delivery := self._next()) is not None:
                self._call(delivery)
            last = self.wanted
            if last is State.STOPPED:
                self._say_farewell()
        finally:
            with self.manager.changed:
                self.state = self.wanted = last
                self.connection.in_control = None
                self._begun.set()
                self.manager.changed.notify_all()

    def _next(self) -> Delivery | None:
        """Return the next call after waiting for it; None if there are no more."""
        with self.manager.changed:
            while True:
                self._greet()
                if self._due:
                    return self._due.popleft()
                if not self._begun.is_set():
                    self._begun.set()
                    self.manager.changed.notify_all()
                if self.wanted is State.SUSPENDED and self._stays:
                    self._pause()
                elif self.wanted is not State.STARTED:
                    return None
                elif not self._stays and not self._active():
                    self._idle, self.wanted = True, State.STOPPED
                else:
                    self._wait()

    def _greet(self) -> None:
        """Start consumers that are new."""
        for callback in self.consumers.values():
            if not callback.started:
                callback.started = True
                callback.begin(self.manager.state.now_ms)
                if callback.wants(CallType.START_CALL):
                    self._due.append(Delivery(callback, CallType.START_CALL, hobj=callback.hobj))

    def _pause(self) -> None:
        """Suspend the callbacks as long as that is wanted; others may use the connection meanwhile."""
        self.state, self.connection.in_control = State.SUSPENDED, None
        self.manager.changed.notify_all()
        while self.wanted is State.SUSPENDED and not self.manager.ended:
            self.manager.changed.wait()
        self.connection.in_control = threading.get_ident()
        self.state = State.STARTED
        if self.wanted is State.SUSPENDED:
            self._break()
        for callback in self.consumers.values():
            callback.begin(self.manager.state.now_ms)
        self.manager.changed.notify_all()

    def _say_farewell(self) -> None:
        """Make the last calls: consumers stop, and the connection ends if a callback has asked for that."""
        fine = (MQCC.OK, MQRC.NONE, ConsumerState.NONE)
        for callback in list(self.consumers.values()):
            callback.started = False
            if callback.wants(CallType.STOP_CALL):
                codes = _BROKEN if self._broken else fine
                self._call(Delivery(callback, CallType.STOP_CALL, *codes, callback.hobj))
        if self._disconnects:
            with self.manager.changed:
                self.deregister_all()
            while self._due:
                self._call(self._due.popleft())
            verbs.end(self.connection)

    def _break(self) -> None:
        """Note that the connection is broken, and call the event handler."""
        self._broken, self.wanted = True, State.STOPPED
        if self.handler is not None:
            self._due.append(Delivery(self.handler, CallType.EVENT_CALL, *_BROKEN))

    def _wait(self) -> None:
        """Wait until there is a call to make, or another state is wanted."""
        due = min((each.due_ms for each in self._active() if each.due_ms is not None), default=None)
        reply = self.manager.poll(due, self._attempt)
        if reply.reason == MQRC.CONNECTION_BROKEN:
            self._break()

    def _active(self) -> list[Callback]:
        return [each for each in self.consumers.values() if not each.suspended]

    def _attempt(self) -> Reply | None:
        """Look for something to do; return a reply if there is, whose contents mean nothing."""
        state = self.manager.state
        if self.connection.conn not in state.connections:
            return Reply(MQCC.FAILED, MQRC.CONNECTION_BROKEN)
        if state.quiescing and not self._quiescing_told and self.handler is not None and not self.handler.suspended:
            self._quiescing_told = True
            self._due.append(Delivery(self.handler, CallType.EVENT_CALL, MQCC.FAILED, MQRC.Q_MGR_QUIESCING))
        for callback in self._active():
            if not self._due and (delivery := self._from(callback)) is not None:
                self._due.append(delivery)
                self.consumers[callback.hobj] = self.consumers.pop(callback.hobj)  # the others come first next time
        return Reply() if self._due or self.wanted is not State.STARTED else None

    def _from(self, callback: Callback) -> Delivery | None:
        """Return the call for a consumer now; None if there is none."""
        call, now = callback.call, self.manager.state.now_ms
        if call is None:
            return None
        seen = verbs.look(self.connection, call)
        if not seen.failed:
            return self._message(callback, call)
        failure = (MQCC.FAILED, seen.reason)
        if seen.reason == MQRC.NO_MSG_AVAILABLE:
            callback.last_failure = MQRC.NONE
            if not callback.is_due(now):
                return None
            callback.due_now = False
            callback.due_ms = now + callback.interval_ms if callback.interval_ms else None
            return Delivery(callback, CallType.EVENT_CALL, *failure, hobj=callback.hobj)
        if callback.last_failure == seen.reason:
            return None
        callback.last_failure = seen.reason
        state = _STATES.get(seen.reason, ConsumerState.SUSPENDED)
        return Delivery(callback, CallType.EVENT_CALL, *failure, state, callback.hobj)

    def _message(self, callback: Callback, call: calls.Get) -> Delivery:
        reply = verbs.take(self.connection, call, callback.hmsg)
        callback.received()
        answer = verbs.get_answer(reply, callback.md, callback.gmo)
        stays = callback.browses or reply.reason == MQRC.TRUNCATED_MSG_FAILED
        return Delivery(
            callback,
            CallType.MSG_NOT_REMOVED if stays else CallType.MSG_REMOVED,
            answer.comp_code,
            answer.reason,
            hobj=callback.hobj,
            md=answer.md or callback.md,
            gmo=answer.gmo or callback.gmo,
            data=answer.data,
            data_length=answer.data_length or 0,
        )

    def _call(self, delivery: Delivery) -> None:
        """Call a function. An exception in it is printed, and consumption continues, as with IBM's client."""
        before = self.connection.in_control
        self.connection.in_control = threading.get_ident()
        try:
            delivery.carry_out(self.connection.hconn, self.area)
        except Exception:  # noqa: BLE001 - whatever a program raises
            traceback.print_exc()
        finally:
            if before is None:
                self.connection.in_control = None
