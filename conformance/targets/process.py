"""A target as a child process: requests on its standard input, replies on its standard output."""

from __future__ import annotations

import json
import os
import queue
import re
import shlex
import shutil
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from io import BufferedReader
from pathlib import Path
from typing import IO

from conformance.targets.descendants import Descendants
from oracle.errors import TargetEndedError, TargetError, UsageError, echo

_LAST_LINES = 20
"""The number of lines of standard error that are kept."""

_MOST_UNREAD = 1000
"""The number of lines that a child may write unread before it has to wait."""

LONGEST_LINE = 2**24
"""The greatest number of bytes of a line.

No message of the suite is longer than the 4 MiB that a queue takes by default; in hexadecimal that is half a line. The
other half is for everything else, such as the waiting calls that a request has completed.
"""

_CHUNK = 2**16
"""The size of the pieces in which a line is read."""

_PARTS = re.compile(rb"[^\n]*\n|[^\n]+")
"""A line, or the last part of a piece, which has no end yet."""

_LONGEST_ERROR_LINE = 10_000
"""The size of the pieces in which standard error is read, with or without lines."""

_SETTLING_S = 1.0
"""The seconds after the end of its output in which the end of a child must be known."""


class _End(Enum):
    """The reason why there are no further lines of a child."""

    OF_OUTPUT = "it has closed its standard output"
    TOO_LONG = "what has no end is no line, and what follows would not be one either"


class ProcessTarget:
    """A child process in a session of its own, so that it ends with everything that it started (descendants).

    It runs in `folder`, or in the suite's directory. Threads read and write, so that no child can block the suite by
    silence or by not reading.

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
        self._child: subprocess.Popen[bytes] | None = None
        self._descendants = Descendants()
        self._inbox: queue.Queue[str | _End] = queue.Queue(_MOST_UNREAD)
        self._outbox: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._begun: deque[bytes] = deque()
        self._errors: deque[str] = deque(maxlen=_LAST_LINES)
        self._readers: list[threading.Thread] = []

    def start(self) -> None:
        """Start the command.

        Raises TargetError if there is no such program, or it may not be run.
        """
        self.close()
        self._inbox, self._outbox = queue.Queue(_MOST_UNREAD), queue.SimpleQueue()
        self._begun = deque()
        self._errors.clear()
        self._descendants = Descendants()
        try:
            with self._descendants.starting():
                self._child = subprocess.Popen(  # this is made to run the user's target
                    [_program(self._arguments[0]), *self._arguments[1:]],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                    cwd=self._folder,
                    env=self._descendants.environment(),
                )
        except OSError as error:
            raise TargetError(f"{self.name}: cannot be started: {error.strerror}") from error
        child, inbox, outbox, begun = self._child, self._inbox, self._outbox, self._begun
        _begin(lambda: _write_requests(child.stdin, outbox))
        self._readers = [
            _begin(lambda: _read_replies(child.stdout, inbox, begun)),
            _begin(lambda: _keep_errors(child.stderr, self._errors)),
        ]

    def send(self, line: str) -> None:
        """Pass a request line to the child."""
        self._outbox.put(line)

    def receive(self, seconds: float) -> str | None:
        """Return the next line of the child, or None if there is none within the time.

        Raises TargetEndedError if the child has closed its standard output, TargetError if the line is too long.
        """
        try:
            line = self._inbox.get(timeout=seconds)
        except queue.Empty:
            return None
        if isinstance(line, str):
            return line
        self._inbox.put(line)
        if line is _End.TOO_LONG:
            raise TargetError(f"the target wrote a line of more than {LONGEST_LINE} bytes; no reply is that long")
        half = self.unfinished()
        where = f", in the middle of a line: {echo(half)}" if half else ""
        raise TargetEndedError(f"the target ended early{self._status()}{where}")

    def rest(self) -> None:
        """Do nothing: the next `setup` makes it anew."""

    def last_words(self) -> str:
        """Return the last lines of the child's standard error."""
        return "".join(self._errors)

    def unfinished(self) -> str:
        """Return the beginning of a line that has no end yet; nothing if there is none."""
        return b"".join(self._begun.copy()).decode("utf-8", "replace")

    def left(self, seconds: float) -> str:
        """Close the child's standard input, and return what is wrong with its end."""
        assert self._child is not None  # only a started child was asked to end
        self._outbox.put(None)
        try:
            status = self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            return f"it still runs after {seconds:g} s"
        return f"it ended{_told(status)}" if status else ""

    def close(self, patience: float = 0.0) -> None:
        """End the child: by closing its standard input, and by force if it does not end by that."""
        if self._child is None:
            return
        self._outbox.put(None)
        with suppress(subprocess.TimeoutExpired):
            self._child.wait(patience)
        if os.name == "posix":
            self._descendants.kill(self._child.pid)
        else:
            self._child.kill()
        self._child.wait()
        for thread in self._readers:
            thread.join(_SETTLING_S)
        self._child = None

    def _status(self) -> str:
        assert self._child is not None  # only a started child ends
        try:
            status = self._child.wait(_SETTLING_S)
        except subprocess.TimeoutExpired:
            return ": it closed its standard output"
        for thread in self._readers:
            thread.join(_SETTLING_S)
        return _told(status)


def _told(status: int) -> str:
    return f" with exit status {status}" if status >= 0 else f" by signal {-status}"


def _program(name: str) -> str:
    """Return the program of a name: one on the path, or one that is installed beside this Python."""
    beside = Path(sys.executable).parent / name
    return str(beside) if shutil.which(name) is None and beside.is_file() else name


def _begin(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def _read_replies(stream: IO[bytes] | None, inbox: queue.Queue[str | _End], begun: deque[bytes]) -> None:
    """Read lines into the inbox until the end, or until one is too long. `begun` has the pieces of the next line."""
    assert stream is not None  # the child was started with pipes
    assert isinstance(stream, BufferedReader)
    length = 0
    with stream:
        while piece := stream.read1(_CHUNK):
            for part in _PARTS.findall(piece):
                length += len(part)
                if length > LONGEST_LINE:
                    begun.clear()
                    inbox.put(_End.TOO_LONG)
                    return
                if part.endswith(b"\n"):
                    _put_line(inbox, begun, part)
                    length = 0
                else:
                    begun.append(part)
    if _is_whole(b"".join(begun)):
        _put_line(inbox, begun, b"")
    inbox.put(_End.OF_OUTPUT)


def _is_whole(line: bytes) -> bool:
    """Return whether a line without its end, the last one of a child, is a reply."""
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _put_line(inbox: queue.Queue[str | _End], begun: deque[bytes], end: bytes) -> None:
    line = b"".join((*begun, end))
    begun.clear()
    inbox.put(line.decode("utf-8", "replace"))


def _write_requests(stream: IO[bytes] | None, outbox: queue.SimpleQueue[str | None]) -> None:
    assert stream is not None  # the child was started with pipes
    with suppress(OSError), stream:  # the end of the output shows that a child has ended
        while (line := outbox.get()) is not None:
            stream.write(line.encode() + b"\n")
            stream.flush()


def _keep_errors(stream: IO[bytes] | None, kept: deque[str]) -> None:
    assert stream is not None  # the child was started with pipes
    with stream:
        kept.extend(line.decode("utf-8", "replace") for line in iter(lambda: stream.readline(_LONGEST_ERROR_LINE), b""))
