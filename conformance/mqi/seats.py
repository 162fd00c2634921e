"""Seats, which make the calls of one connection: in a process of its own, or in a thread of this one.

A seat makes one call at a time, and numbers its calls. Results go to an inbox that several seats share.
"""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any, Final, Protocol

from conformance.mqi.seat import decode, encode
from oracle.errors import TargetError, UsageError

Inbox = queue.SimpleQueue[tuple["Seat", int, Any]]
"""The results: the seat, the number of the call, and its values; None if the seat has ended."""

_LOADING_S: Final = 30.0


class Seat(Protocol):
    """A maker of one connection's calls."""

    alive: bool
    """Whether it can still make calls."""

    def send(self, verb: str, *arguments: Any) -> int:
        """Begin a call, a method of `Library` with its arguments, and return its number."""

    def kill(self) -> None:
        """End it as an application dies, possibly in the middle of a call."""


class ProcessSeat:
    """A process with one connection. Raises UsageError if the library is not usable there."""

    def __init__(self, inbox: Inbox, library: str = "", environment: dict[str, str] | None = None) -> None:
        self.alive = True
        self._number = 0
        self._process = subprocess.Popen(  # our own program
            [sys.executable, "-m", "conformance.mqi.seat", library],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env=environment,
            start_new_session=True,
        )
        ready: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._read, args=(ready, inbox), daemon=True).start()
        try:
            trouble = decode(ready.get(timeout=_LOADING_S) or '"the library ended the process that had loaded it"')
        except queue.Empty:
            trouble = f"the library did not load within {_LOADING_S:g} s"
        if trouble:
            self.kill()
            raise UsageError(trouble)

    def send(self, verb: str, *arguments: Any) -> int:
        """Begin a call."""
        self._number += 1
        with suppress(OSError, ValueError):  # the end of the process shows in the inbox
            stream = _stream(self._process.stdin)
            stream.write(encode([self._number, verb, *arguments]) + "\n")
            stream.flush()
        return self._number

    def kill(self) -> None:
        """Kill the process."""
        self.alive = False
        self._process.kill()
        self._process.wait()
        with suppress(OSError):
            _stream(self._process.stdin).close()

    def _read(self, ready: queue.SimpleQueue[str], inbox: Inbox) -> None:
        with _stream(self._process.stdout) as stream:
            ready.put(stream.readline())
            for line in stream:
                inbox.put((self, *decode(line)))
        inbox.put((self, 0, None))


class ThreadSeat:
    """A thread that makes calls on an object with the methods of `Library`.

    `drop` makes the queue manager believe that the application has died; the thread itself ends with its call.
    """

    def __init__(self, inbox: Inbox, library: Any, drop: Callable[[int], None]) -> None:
        self.alive = True
        self._inbox, self._library, self._drop = inbox, library, drop
        self._hconn: int | None = None
        self._number = 0
        self._calls: queue.SimpleQueue[tuple[int, str, tuple[Any, ...]] | None] = queue.SimpleQueue()
        threading.Thread(target=self._work, daemon=True).start()

    def send(self, verb: str, *arguments: Any) -> int:
        """Begin a call."""
        self._number += 1
        self._calls.put((self._number, verb, arguments))
        return self._number

    def kill(self) -> None:
        """Drop the connection, and end the thread."""
        self.alive = False
        if self._hconn is not None:
            self._drop(self._hconn)
        self._calls.put(None)

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            number, verb, arguments = call
            values = getattr(self._library, verb)(*arguments)
            if verb == "connect":
                self._hconn = values[0]
            elif verb == "disconnect":
                self._hconn = None
            if self.alive:
                self._inbox.put((self, number, values))


def _stream(found: IO[str] | None) -> IO[str]:
    if found is None:
        raise TargetError("a process was started without pipes")
    return found
