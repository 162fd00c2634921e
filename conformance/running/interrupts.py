"""Ctrl-C and SIGTERM, looked at between two calls.

An exception raised at any moment may be swallowed by whatever code it comes upon, a callback of the garbage collector
for one. So the first signal is only noted. A second one, for the impatient, is the usual exception, and so is the first
if the call that it came upon does not end: who sends SIGTERM seldom waits longer than ten seconds before he kills.
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
from typing import Final, NoReturn

_PATIENCE_S: Final = 5.0
"""How long the call that a signal came upon may take to end."""

_AGAIN_S: Final = 1.0
"""After that, how often it is interrupted until something comes of it."""

_ECHO_S: Final = 0.5
"""Within what time a second signal is the first one once more: `timeout` sends it to its child and to the group."""

_TOLD: Final = b"ending after this call; Ctrl-C again ends at once\n"

_Handler = Callable[[int, FrameType | None], object] | int | None


class Interrupts:
    """Whether the end of the run was asked for. `now` is a steady clock, in seconds."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._asked_at: float | None = None
        self._held = False

    @property
    def asked(self) -> bool:
        """Whether it was."""
        return self._asked_at is not None

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Note Ctrl-C and SIGTERM meanwhile, where that can be done: in the main thread."""
        self._held = False
        with _handled({signal.SIGINT: self._note, signal.SIGTERM: self._note, _ALARM: self._insist}):
            try:
                yield
            finally:
                _set_alarm(0.0)

    def ask(self) -> None:
        """Ask for the end."""
        if self._asked_at is None:
            self._asked_at = self._now()

    def look(self) -> None:
        """Raise KeyboardInterrupt if the end was asked for."""
        if self.asked:
            raise KeyboardInterrupt

    def hold(self) -> None:
        """From now on only note signals: what is written at the end must become whole."""
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
            with suppress(OSError, ValueError):  # standard error may be closed, or be no file
                os.write(sys.stderr.fileno(), _TOLD)  # print may have been interrupted, and cannot be entered again

    def _insist(self, *_: object) -> None:
        if not self._held:
            raise KeyboardInterrupt


@contextmanager
def terminable() -> Iterator[None]:
    """Take SIGTERM for Ctrl-C meanwhile, so that a command that is cancelled ends its target.

    Ctrl-C raises KeyboardInterrupt, unless a shell has it ignored for what runs in the background.
    """
    of_keys: _Handler = signal.default_int_handler
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        of_keys = signal.SIG_IGN
    with _handled({signal.SIGTERM: _interrupt, signal.SIGINT: of_keys}):
        yield


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


_ALARM: Final = getattr(signal, "SIGALRM", None)
"""The signal of the timer; some systems have none, and there only a second signal ends a call that hangs."""


def _set_alarm(seconds: float) -> None:
    """Have the alarm after so many seconds, and again and again; none with 0."""
    if _ALARM is not None and threading.current_thread() is threading.main_thread():
        signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_S if seconds else 0.0)


@contextmanager
def _handled(handlers: dict[signal.Signals | None, _Handler]) -> Iterator[None]:
    """Have signals handled so meanwhile, in the main thread, which alone may say so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number, handler in handlers.items() if number is not None}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
