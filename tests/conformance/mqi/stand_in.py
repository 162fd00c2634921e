"""The target `mqi:` on the stand-in for the client library: calls are sent as bytes and reach the oracle as bytes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from conformance.mqi.library import Library
from conformance.mqi.options import MqiOptions
from conformance.mqi.seats import Inbox, Seat, ThreadSeat
from conformance.mqi.target import MqiTarget
from oracle.model.state import EPOCH_MS
from oracle.mqi import calls
from oracle.standin import connections
from oracle.standin.library import serve
from oracle.standin.manager import RunningQueueManager
from oracle.testing import QueueManager, queue_manager

LATEST_S = 20.0


@contextmanager
def stand_in(clock: Any = "manual", **attributes: Any) -> Iterator[QueueManager]:
    """Run a queue manager that the library reaches, with this machine's time of day."""
    serve()
    with queue_manager(clock=clock, **attributes) as qm:
        qm.advance()  # up to now, where time is real
        qm.running.change(lambda state: setattr(state, "epoch_ms", int(time.time() * 1000) - state.now_ms))
        yield qm


def seat_maker(wrap: Callable[[Any], Any] = lambda library: library) -> Callable[[Inbox], Seat]:
    """Return a function that makes seats in threads of this process; `wrap` may change what their calls return."""
    library = wrap(Library(str(serve())))
    return lambda inbox: ThreadSeat(inbox, library, connections.fail)


class VirtualTarget(MqiTarget):
    """The target with the virtual clock of the stand-in, which no real queue manager has."""

    def __init__(self, running: RunningQueueManager, options: MqiOptions | None = None) -> None:
        super().__init__(f"mqi:{running.name}", options, seat_maker(), grace_s=LATEST_S)
        self._running = running

    def _start(self) -> None:
        super()._start()
        dispatcher = self._dispatcher
        dispatcher.waits_now = lambda: self._running.waiting() > dispatcher.waiting

    def _compare_clocks(self, ahead_s: float) -> None:
        """Accept any time: the clock here moves while the stand-in's stands still."""

    def _carry_out(self, request: Mapping[str, Any]) -> dict[str, Any]:
        if request["op"] == "advance":
            self._running.perform(calls.Advance(request["tenths"] * 100))
            reply: dict[str, Any] = {"ok": True}
        else:
            reply = super()._carry_out(request)
        if request["op"] == "hello":
            reply["clock"] = "virtual"
        elif request["op"] == "setup":
            self._running.change(lambda state: setattr(state, "epoch_ms", EPOCH_MS - state.now_ms))
        self._settle()
        return reply

    def _settle(self) -> None:
        """Wait for the threads whose calls have ended."""
        deadline = time.monotonic() + LATEST_S
        while self._dispatcher.waiting != self._running.waiting():
            self._dispatcher.collect(0.001)
            assert time.monotonic() < deadline, "a thread did not end"
