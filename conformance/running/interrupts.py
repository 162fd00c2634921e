"""Ctrl-C and SIGTERM, handled between two calls.

An exception raised at any moment may be swallowed by the code that it interrupts, such as a callback of the garbage
collector. So the first signal is only noted. A second one raises the usual exception. So does the first if the call
that it interrupts does not end, because a sender of SIGTERM seldom waits longer than ten seconds before SIGKILL.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

_PATIENCE_S: Final = 5.0
"""The time that an interrupted call may take to end."""

_AGAIN_S: Final = 1.0
"""The interval after that in which it is interrupted again until it ends."""

_ECHO_S: Final = 0.5
"""The time in which a second signal counts as the first: `timeout` sends it to its child and to the group."""

_TOLD: Final = b"ending after this call; Ctrl-C again ends at once\n"

_Handler = Callable[[int, FrameType | None], object] | int | None


class Interrupts:
    """The request to end the run. `now` is a steady clock, in seconds."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._asked_at: float | None = None
        self._held = False

    @property
    def asked(self) -> bool:
        """Whether the end was requested."""
        return self._asked_at is not None

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Note Ctrl-C and SIGTERM within the block, if this is the main thread, which alone can handle them."""
        self._held = False
        with _handled({signal.SIGINT: self._note, signal.SIGTERM: self._note, _ALARM: self._insist}):
            try:
                yield
            finally:
                _set_alarm(0.0)

    def ask(self) -> None:
        """Request the end."""
        if self._asked_at is None:
            self._asked_at = self._now()

    def look(self) -> None:
        """Raise KeyboardInterrupt if the end was requested."""
        if self.asked:
            raise KeyboardInterrupt

    def hold(self) -> None:
        """Only note signals from now on, so that what is written at the end is complete."""
        self._held = True
        _set_alarm(0.0)

    def _note(self, *_: object) -> None:
        if self._asked_at is not None:
            if self._now() - self._asked_at >= _ECHO_S:
                self._insist()
            return
        self.ask()
        if not self._held:
            _set_alarm(_PATIENCE_S)
            with suppress(OSError, ValueError):  # standard error may be closed, or not be a file
                os.write(sys.stderr.fileno(), _TOLD)  # print may have been interrupted, and cannot be called again

    def _insist(self, *_: object) -> None:
        if not self._held:
            raise KeyboardInterrupt


_ALARM: Final = getattr(signal, "SIGALRM", None)
"""The signal of the timer. Some systems have none; there only a second signal ends a call that hangs."""


def _set_alarm(seconds: float) -> None:
    """Set the alarm after some seconds, repeatedly; 0 clears it."""
    if _ALARM is not None and threading.current_thread() is threading.main_thread():
        signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_S if seconds else 0.0)


@contextmanager
def _handled(handlers: dict[signal.Signals | None, _Handler]) -> Iterator[None]:
    """Handle signals within the block, in the main thread, which alone can do so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number, handler in handlers.items() if number is not None}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
