"""Ctrl-C, looked at between two sessions.

An exception raised at any moment may be swallowed by whatever code it comes upon, a callback of the garbage collector
for one. So the first Ctrl-C is only noted, and a second one, for the impatient, is the usual exception.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Interrupts:
    """Whether the user has asked for the end of the run."""

    def __init__(self) -> None:
        self._asked = False

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Note Ctrl-C meanwhile, where that can be done: in the main thread."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, self._note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def look(self) -> None:
        """Raise KeyboardInterrupt if the user has asked for the end."""
        if self._asked:
            raise KeyboardInterrupt

    def _note(self, number: int, frame: object) -> None:  # noqa: ARG002 - as signal handlers are called
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True
