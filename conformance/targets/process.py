"""A target as a child process: requests on its standard input, replies on its standard output."""

from __future__ import annotations

import os
import queue
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from oracle.errors import TargetEndedError, TargetError, UsageError

_LAST_LINES = 20
"""How many lines of standard error are kept."""

_MOST_UNREAD = 1000
"""How many lines a child may write unread before it has to wait."""

_LONGEST_LINE = 2**28
"""How many characters a line may have: the longest message that MQ knows, 100 MB, has twice as many in hexadecimal."""

_LONGEST_ERROR_LINE = 10_000
"""In what pieces standard error is read, whether it has lines or not."""

_SETTLING_S = 1.0
"""How long the end of a child may take to be known, in seconds, once its output has ended."""


class ProcessTarget:
    """A child process in a process group of its own, so that it ends with all that it started.

    It runs in `folder`, or where the suite does.

    Threads read and write, so that no child can block the suite: neither by silence nor by not reading.

    Raises UsageError if the command line cannot be read.
    """

    def __init__(self, command: str, folder: Path | None = None) -> None:
        self.name = command
        self._folder = folder
        try:
            self._arguments = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"--target {command!r}: {error}") from error
        if not self._arguments:
            raise UsageError("--target is empty; give the command line of a target, such as 'mq-oracle serve'")
        self._child: subprocess.Popen[str] | None = None
        self._inbox: queue.Queue[str | None] = queue.Queue(_MOST_UNREAD)
        self._outbox: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._errors: deque[str] = deque(maxlen=_LAST_LINES)
        self._readers: list[threading.Thread] = []

    def start(self) -> None:
        """Start the command.

        Raises TargetError if there is no such program, or it may not be run.
        """
        self.close()
        self._inbox, self._outbox = queue.Queue(_MOST_UNREAD), queue.SimpleQueue()
        self._errors.clear()
        try:
            self._child = subprocess.Popen(  # noqa: S603 - running the user's target is what this is for
                [_program(self._arguments[0]), *self._arguments[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
                cwd=self._folder,
            )
        except OSError as error:
            raise TargetError(f"{self.name}: cannot be started: {error.strerror}") from error
        child, inbox, outbox = self._child, self._inbox, self._outbox
        _begin(lambda: _write_requests(child.stdin, outbox))
        self._readers = [
            _begin(lambda: _read_replies(child.stdout, inbox)),
            _begin(lambda: _keep_errors(child.stderr, self._errors)),
        ]

    def send(self, line: str) -> None:
        """Hand a request line to the child."""
        self._outbox.put(line)

    def receive(self, seconds: float) -> str | None:
        """Return the next line of the child, or None if there is none within the time.

        Raises TargetEndedError if the child has closed its standard output.
        """
        try:
            line = self._inbox.get(timeout=seconds)
        except queue.Empty:
            return None
        if line is None:
            self._inbox.put(None)
            raise TargetEndedError(f"the target ended early{self._status()}")
        return line

    def rest(self) -> None:
        """Keep all as it is: the next `setup` makes it anew."""

    def last_words(self) -> str:
        """Return the last lines of the child's standard error."""
        return "".join(self._errors)

    def close(self, patience: float = 0.0) -> None:
        """End the child: by closing its standard input, and if it does not end by that, by force."""
        if self._child is None:
            return
        self._outbox.put(None)
        with suppress(subprocess.TimeoutExpired):
            self._child.wait(patience)
        _kill_group(self._child)
        self._child.wait()
        for thread in self._readers:
            thread.join(_SETTLING_S)
        self._child = None

    def _status(self) -> str:
        assert self._child is not None  # noqa: S101 - only a started child ends
        try:
            status = self._child.wait(_SETTLING_S)
        except subprocess.TimeoutExpired:
            return ": it closed its standard output"
        for thread in self._readers:
            thread.join(_SETTLING_S)
        return f" with exit status {status}" if status >= 0 else f" by signal {-status}"


def _program(name: str) -> str:
    """Return the program that a name means: one on the path, or one that is installed beside this Python."""
    beside = Path(sys.executable).parent / name
    return str(beside) if shutil.which(name) is None and beside.is_file() else name


def _begin(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def _read_replies(stream: IO[str] | None, inbox: queue.Queue[str | None]) -> None:
    assert stream is not None  # noqa: S101 - the child was started with pipes
    with stream:
        while line := stream.readline(_LONGEST_LINE):
            inbox.put(line)
            if len(line) == _LONGEST_LINE:
                break  # what has no end is no line, and what follows would not be one either
    inbox.put(None)


def _write_requests(stream: IO[str] | None, outbox: queue.SimpleQueue[str | None]) -> None:
    assert stream is not None  # noqa: S101 - the child was started with pipes
    with suppress(OSError), stream:  # a child that has ended shows by the end of its output
        while (line := outbox.get()) is not None:
            stream.write(line + "\n")
            stream.flush()


def _keep_errors(stream: IO[str] | None, kept: deque[str]) -> None:
    assert stream is not None  # noqa: S101 - the child was started with pipes
    with stream:
        kept.extend(iter(lambda: stream.readline(_LONGEST_ERROR_LINE), ""))


def _kill_group(child: subprocess.Popen[str]) -> None:
    """Kill the child and whatever is left in its process group."""
    if os.name == "posix":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    else:
        child.kill()
