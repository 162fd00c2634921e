"""The dispatch of calls to seats: calls that return at once, and MQGETs that wait meanwhile."""

from __future__ import annotations

import queue
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from conformance.mqi.seats import Inbox, Seat
from conformance.mqi.troubles import GONE, of_end
from conformance.mqi.verbs import Connection, Prepared, Reply, Request, prepare, waits
from oracle.errors import TargetEndedError, TargetError
from oracle.mqi.constants import MQRC

GRACE_S: Final = 0.3
"""The shortest time after which an MQGET counts as waiting."""

_LONGEST_GRACE_S: Final = 3.0
_TIMES_SLOWEST: Final = 5
_REMEMBERED: Final = 50
"""The number of latest durations that count: on a slow connection an MQGET gets a multiple of the slowest."""

_PATIENCE_S: Final = 60.0
"""The greatest duration of any other call."""


@dataclass(eq=False)
class Application:
    """A connection of a check, on its seat."""

    connection: Connection
    """The connection's data for its calls."""
    seat: Seat
    """The seat of its calls."""
    waiting: tuple[int, Prepared] | None = None
    """Its MQGET that waits: the request's `seq` and the call."""


@dataclass
class Dispatcher:
    """A dispatcher that makes calls on seats and sorts what returns."""

    manager: str
    """The queue manager's name, for messages."""
    make_seat: Callable[[Inbox], Seat]
    """A function that makes a seat whose calls return into an inbox."""
    grace_s: float = GRACE_S
    """The seconds after which an MQGET that has not returned counts as waiting."""
    waits_now: Callable[[], bool] | None = None
    """Returns whether a call waits already, for a queue manager that can report it."""
    ended: list[dict[str, Any]] = field(default_factory=list)
    """The replies of waiting calls that have ended, for `completed`. Whoever reports them empties the list."""
    _inbox: Inbox = field(default_factory=queue.SimpleQueue)
    """The results of all seats."""
    _waiting: dict[Seat, Application] = field(default_factory=dict)
    """The connection whose MQGET waits, by seat."""
    _idle: list[Seat] = field(default_factory=list)
    """The seats that are free."""
    _took: deque[float] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))
    """The durations in seconds of the latest calls that did not wait."""

    @property
    def waiting(self) -> int:
        """The number of MQGETs that wait."""
        return len(self._waiting)

    def application(self, connection: Connection) -> Application:
        """Return a connection on a seat of its own; a free seat is reused."""
        seat = self._idle.pop() if self._idle else self.make_seat(self._inbox)
        return Application(connection, seat)

    def call(self, application: Application, request: Request) -> Reply:
        """Carry out a request of op `call`; an MQGET that waits is `pending`."""
        prepared = prepare(application.connection, request)
        number = application.seat.send(prepared.method, *prepared.arguments)
        if not waits(request):
            began = time.monotonic()
            reply = self._checked(prepared.reply(self._result(application.seat, number, _PATIENCE_S)))
            self._took.append(time.monotonic() - began)
            return reply
        interval = request["MQGMO"]["WaitInterval"]
        slow = min(_LONGEST_GRACE_S, _TIMES_SLOWEST * max(self._took, default=0.0))
        values = self._result(application.seat, number, max(self.grace_s, slow), may_wait=True)
        if values is None:
            application.waiting = (request["seq"], prepared)
            self._waiting[application.seat] = application
            return {"pending": True}
        reply = self._checked(prepared.reply(values))
        if reply["Reason"] == MQRC.NO_MSG_AVAILABLE and values[4] >= interval > 0:
            self.ended.append({"seq": request["seq"], **reply})
            return {"pending": True}
        return reply

    def direct(self, application: Application, method: str, *arguments: Any, patience_s: float = _PATIENCE_S) -> Any:
        """Make a call outside any check, and return its result."""
        number = application.seat.send(method, *arguments)
        return self._result(application.seat, number, patience_s)

    def collect(self, seconds: float) -> None:
        """Note the waiting calls that have ended, or end within the time, in `ended`."""
        deadline = time.monotonic() + seconds
        while not self.ended and (found := self._take(deadline - time.monotonic())) is not None:
            self._note(*found)
        while (found := self._take(0.0)) is not None:
            self._note(*found)

    def kill(self, application: Application) -> None:
        """Kill an application."""
        self._waiting.pop(application.seat, None)
        application.seat.kill()

    def release(self, application: Application) -> None:
        """Back out, disconnect, and keep the seat for others; a waiting one is killed."""
        hconn = application.connection.hconn
        if application.waiting is not None:
            self.kill(application)
            return
        if hconn > 0:
            self.direct(application, "back", hconn)
            self.direct(application, "disconnect", hconn)
        self._idle.append(application.seat)

    def close(self) -> None:
        """End the free seats."""
        while self._idle:
            self._idle.pop().kill()

    def _result(self, seat: Seat, number: int, seconds: float, *, may_wait: bool = False) -> Any:
        """Return the result of a call on a seat; None if it has not returned by then and may wait.

        The result of an abandoned call, for example after Ctrl-C, is ignored.
        """
        deadline = time.monotonic() + seconds
        while (found := self._await(deadline, may_wait=may_wait)) is not None:
            if found[0] is not seat:
                self._note(*found)
            elif found[2] is None:
                raise TargetEndedError("the process that makes the calls of a connection ended in a call")
            elif found[1] == number:
                return found[2]
        if may_wait:
            return None
        raise TargetError(f"a call to {self.manager} did not return within {seconds:g} s")

    def _await(self, deadline: float, *, may_wait: bool) -> tuple[Seat, int, Any] | None:
        """Return the next result in the inbox; None at the time-out, or if it is known that the call waits."""
        if not may_wait or self.waits_now is None:
            return self._take(deadline - time.monotonic())
        found = self._take(0.001)
        while found is None and not self.waits_now() and time.monotonic() < deadline:
            found = self._take(0.001)
        return found

    def _take(self, seconds: float) -> tuple[Seat, int, Any] | None:
        """Return the next result in the inbox within a time."""
        try:
            return self._inbox.get(timeout=max(0.0, seconds))
        except queue.Empty:
            return None

    def _note(self, seat: Seat, number: int, values: Any) -> None:  # noqa: ARG002 - a seat that waits has one call
        """Note that a waiting call has ended; results of a killed seat are ignored."""
        application = self._waiting.pop(seat, None)
        if application is None or application.waiting is None:
            return
        if values is None:
            raise TargetEndedError("the process that makes the calls of a connection ended in a waiting MQGET")
        (seq, prepared), application.waiting = application.waiting, None
        self.ended.append({"seq": seq, **self._checked(prepared.reply(values))})

    def _checked(self, reply: Reply) -> Reply:
        """Return a reply.

        Raises TargetGoneError if it says that the queue manager has ended.
        """
        if reply["Reason"] in GONE:
            raise of_end(self.manager, reply["Reason"])
        return reply
