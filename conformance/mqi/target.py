"""A queue manager behind the MQI's C interface as a target of the suite."""

from __future__ import annotations

import atexit
import itertools
import json
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from conformance.mqi.administrator import Administrator, connect
from conformance.mqi.dispatch import GRACE_S, Application, Dispatcher
from conformance.mqi.manager import look_at
from conformance.mqi.names import Names
from conformance.mqi.options import PASSWORD_VARIABLE, TARGET_PREFIX, MqiOptions
from conformance.mqi.places import MadeQueues, Places, PredefinedQueues
from conformance.mqi.seats import Inbox, ProcessSeat, Seat
from conformance.mqi.structures import connect_options
from conformance.mqi.verbs import Connection
from oracle.errors import BadInputError, TargetEndedError, TargetError, UsageError
from oracle.mqi.definitions import QueueDefinition, define
from oracle.mqi.structures import INITIAL_DYNAMIC_Q_NAME, INITIAL_DYNAMIC_Q_NAME_ON_ZOS
from oracle.protocol import parse_call
from oracle.protocol.members import take

_numbers = itertools.count(1)
_TARGETS: Final[weakref.WeakSet[MqiTarget]] = weakref.WeakSet()

_CLOCKS_APART_S: Final = 1.0
"""The greatest difference between the clocks of the two machines."""

_NOTICING_S: Final = 5.0
"""The time in which the queue manager must notice that an application has died."""

_UNASKED_S: Final = 1.0
"""The time that it is given if that cannot be asked."""


class MqiTarget:
    """A queue manager, reached through a library.

    Each connection of a check has a seat of its own. Several targets may use one queue manager at once, each with
    queues of its own. A target may be ended from another thread than the one that uses it.
    """

    def __init__(
        self,
        command: str,
        options: MqiOptions | None = None,
        make_seat: Callable[[Inbox], Seat] | None = None,
        grace_s: float = GRACE_S,
    ) -> None:
        self.name = command
        self._manager = command.removeprefix(TARGET_PREFIX)
        self._options = options or MqiOptions()
        self._make_seat = make_seat or self._process
        self._grace_s = grace_s
        self._names = Names(f"{self._options.own_prefix}{next(_numbers)}.")
        self._lines: deque[str] = deque()
        self._placed = False
        self._applications: dict[str, Application] = {}
        self._started = False
        self._closed = False
        self._lock = threading.RLock()
        _TARGETS.add(self)

    def start(self) -> None:
        """Connect, inquire the queue manager, and make sure that queues can be provided.

        Raises UsageError, with what to do, if any of that fails.
        """
        with self._lock:
            self._start()

    def _start(self) -> None:
        self.close()
        self._closed = False
        self._placed = False
        self._dispatcher = Dispatcher(self._manager or "the queue manager", self._make_seat, self._grace_s)
        self._own = connect(self._dispatcher, self._connection(), PASSWORD_VARIABLE)
        self._started = True
        try:
            self._found = look_at(self._dispatcher, self._own)
            zos = self._found.platform == "zos"
            self._names.dynamic_q_name = INITIAL_DYNAMIC_Q_NAME_ON_ZOS if zos else INITIAL_DYNAMIC_Q_NAME
            self._places: Places = self._room()
            self._placed = True
        except BaseException:
            self.close()
            raise

    def send(self, line: str) -> None:
        """Carry out a request.

        Raises TargetError if a call does not return, TargetGoneError if the queue manager has ended, and
        InapplicableError if it cannot be set up as wanted.
        """
        with self._lock:
            if self._closed:
                raise TargetEndedError("the target was ended")
            self._send(json.loads(line))

    def _send(self, request: dict[str, Any]) -> None:
        try:
            reply = self._carry_out(request)
        except BadInputError as error:
            reply = {"error": str(error)}
        if self._dispatcher.ended:
            ended, self._dispatcher.ended = self._dispatcher.ended, []
            before = [done for done in ended if done["seq"] != request["seq"]]
            own = [done for done in ended if done["seq"] == request["seq"]]
            reply |= {"completed": before} if before else {}
            self._lines.append(json.dumps({"seq": request["seq"], **reply}))
            self._lines.extend(json.dumps({"completed": [done]}) for done in own)
        else:
            self._lines.append(json.dumps({"seq": request["seq"], **reply}))

    def receive(self, seconds: float) -> str | None:
        """Return the next line, or None if there is none within the time."""
        with self._lock:
            if not self._lines and self._started:
                self._dispatcher.collect(seconds)
                if self._dispatcher.ended:
                    ended, self._dispatcher.ended = self._dispatcher.ended, []
                    self._lines.append(json.dumps({"completed": ended}))
            return self._lines.popleft() if self._lines else None

    def rest(self) -> None:
        """Release the queues that were taken for the check; errors show at the next setup."""
        with self._lock, suppress(TargetError, UsageError):
            if self._started and not self._closed:
                self._leave()
                self._places.rest()

    def last_words(self) -> str:
        """Return nothing: output of the library is not kept."""
        return ""

    def unfinished(self) -> str:
        """Return nothing: a reply is made as a whole."""
        return ""

    def left(self, seconds: float) -> str:  # noqa: ARG002 - as every target
        """Return nothing: a queue manager does not end with its users."""
        return ""

    def close(self, patience: float = 0.0) -> None:  # noqa: ARG002 - every call is waited for
        """End all connections and remove the queues."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        self._closed = True
        if not self._started:
            return
        self._started = False
        self._lines.clear()
        with suppress(TargetError, UsageError):
            self._leave()
            if self._placed:
                self._places.close()
        with suppress(TargetError):
            self._dispatcher.kill(self._own)
        self._dispatcher.close()

    def _carry_out(self, request: Mapping[str, Any]) -> dict[str, Any]:
        op = take(request, "op", str)
        if op == "hello":
            return self._found.hello()
        if op == "setup":
            self._setup(take(request, "queues", list, []), take(request, "qmgr", dict, {}))
            return {"ok": True}
        if op == "bye":
            return {"ok": True}
        parse_call(request)
        if op == "call":
            return self._call(request)
        if op == "fail":
            self._fail(request["conn"])
        elif op == "alter":
            if request.get("qmgr"):
                self._found.check(request["attributes"])
            else:
                self._places.alter(request["queue"], request["attributes"])
        else:
            raise BadInputError(f"a real queue manager is not asked to carry out {op}")
        return {"ok": True}

    def _setup(self, queues: list[Mapping[str, Any]], manager: Mapping[str, Any]) -> None:
        self._leave()
        definitions = [define(QueueDefinition, queue) for queue in queues]
        self._found.check(manager)
        self._names.managers = {manager.get("name", "QM1"): self._found.name}
        self._names.transmission = frozenset(each.name for each in definitions if each.usage == "TRANSMISSION")
        self._places.make(queues)

    def _call(self, request: Mapping[str, Any]) -> dict[str, Any]:
        conn = request["conn"]
        if conn not in self._applications:
            self._applications[conn] = self._dispatcher.application(self._connection())
        return self._dispatcher.call(self._applications[conn], request)

    def _fail(self, conn: str) -> None:
        application = self._applications.pop(conn, None)
        if application is None:
            return
        self._dispatcher.kill(application)
        identifier = application.connection.identifier
        if application.connection.hconn > 0:
            deadline = time.monotonic() + _NOTICING_S
            while (there := self._places.connected(identifier)) and time.monotonic() < deadline:
                time.sleep(0.02)
            if there is None:
                time.sleep(_UNASKED_S)

    def _leave(self) -> None:
        """End the applications of the previous check."""
        while self._applications:
            _, application = self._applications.popitem()
            self._dispatcher.release(application)
        self._dispatcher.ended.clear()
        self._lines.clear()

    def _room(self) -> Places:
        if self._options.predefined:
            return PredefinedQueues(
                self._dispatcher, self._own, self._names, self._options.predefined, self._found.platform
            )
        administrator = Administrator(self._dispatcher, self._own, self._found.platform, PASSWORD_VARIABLE)
        made = MadeQueues(administrator, self._names, self._options)
        self._compare_clocks(administrator.clock_ahead_s)
        return made

    def _compare_clocks(self, ahead_s: float) -> None:
        """Check that two clocks agree. Raises UsageError if one is too far ahead of the other."""
        if abs(ahead_s) > _CLOCKS_APART_S:
            raise UsageError(
                f"the clock of the queue manager is {abs(ahead_s):.1f} s {'ahead of' if ahead_s > 0 else 'behind'} the "
                "one here: set them right, as the suite judges when messages are put"
            )

    def _connection(self) -> Connection:
        options = self._options
        asked = connect_options(client=bool(options.channel), user=options.user, password=options.password)
        return Connection(self._names, self._manager, asked)

    def _process(self, inbox: Inbox) -> Seat:
        return ProcessSeat(inbox, self._options.library, self._options.environment())


@atexit.register
def _close_all() -> None:
    """Remove everything, however the program ends."""
    for target in list(_TARGETS):
        target.close()
