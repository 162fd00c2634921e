"""The descendants of a target: the processes that it has started, and theirs.

They are ended with the target. A process group is not enough, because a child can begin a session of its own and
outlive its parent. On Linux they are recognized by four signs. Each way to escape removes one of them:

| sign | lost by |
| --- | --- |
| the target or one of its descendants is the parent | the end of the parent |
| the session | `setsid` |
| the environment, in which the target was given a mark | an environment made anew |
| this process has become the parent, as the nearest one that adopts orphans | another one that adopts them in between |

On other systems only the process group is known. A process of another user cannot be killed on any system.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MARK: Final = "MQ_CONFORM_TARGET"
"""The environment variable that marks a target and its descendants."""

_SET_CHILD_SUBREAPER: Final = 36
"""PR_SET_CHILD_SUBREAPER of prctl(2)."""

_PATIENCE_S: Final = 5.0
"""The time for which processes are killed that keep starting others."""

_starting = threading.RLock()
"""Held while a target starts and while orphans are looked for: a target that is not known yet would look like one."""


@dataclass
class _Own:
    """This process's children: the targets that run, and whether orphans become its children."""

    running: int = 0
    adopts: bool = False


_own = _Own()


@dataclass(frozen=True)
class _Process:
    number: int
    parent: int
    session: int
    ended: bool
    began: bytes
    """The time of its start: with the number, which the system reuses, it identifies the process."""


class Descendants:
    """The descendants of one target."""

    def __init__(self) -> None:
        self._mark = secrets.token_hex(8)
        self._runs = False
        self._found_before: dict[int, bytes] = {}
        """Number and start of each that was found: a process that is ending loses the signs before it has ended."""

    def environment(self) -> Mapping[str, str]:
        """Return the environment for the target, which marks it."""
        return {**os.environ, MARK: self._mark}

    @contextmanager
    def starting(self) -> Iterator[None]:
        """Hold the lock in which a target is started."""
        with _starting:
            self._count(runs=True)
            try:
                yield
            except BaseException:
                self._count(runs=False)
                raise

    def kill(self, target: int) -> None:
        """Kill the target, by the number of its process, and all of its descendants that can be found.

        The caller still has to wait for the target itself.
        """
        on_linux = sys.platform.startswith("linux")
        deadline = time.monotonic() + _PATIENCE_S
        if on_linux:
            self._kill_found(target)  # while it still is the parent of its children
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(target, signal.SIGKILL)
        while on_linux and self._kill_found(target) and time.monotonic() < deadline:
            time.sleep(0.001)
        with _starting:
            self._count(runs=False)

    def _count(self, *, runs: bool) -> None:
        _own.running += runs - self._runs
        self._runs = runs

    def _kill_found(self, target: int) -> bool:
        """Kill those that are found now, and return whether there were any."""
        killed = False
        with _starting:
            processes = _processes()
            for number in self._found(target, processes):
                self._found_before[number] = processes[number].began
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(number, signal.SIGKILL)
                    killed = killed or not processes[number].ended
                if processes[number].parent == os.getpid():
                    with suppress(ChildProcessError):
                        os.waitpid(number, os.WNOHANG)
        return killed

    def _found(self, target: int, processes: Mapping[int, _Process]) -> set[int]:
        own = os.getpid()
        found = _below(target, processes)
        found |= {each.number for each in processes.values() if each.session == target}
        found |= {number for number in processes if self._is_marked(number)}
        found |= {each.number for each in processes.values() if self._found_before.get(each.number) == each.began}
        if _own.adopts and _own.running == 1:
            session = os.getsid(0)
            found |= {each.number for each in processes.values() if each.parent == own and each.session != session}
        for orphan in list(found):
            found |= _below(orphan, processes)
        return found - {target, own}

    def _is_marked(self, number: int) -> bool:
        try:
            environment = Path(f"/proc/{number}/environ").read_bytes()
        except OSError:  # it has ended, or belongs to another user
            return False
        return f"{MARK}={self._mark}".encode() in environment.split(b"\0")


def adopt_orphans() -> None:
    """Become the parent of descendants whose parents end, if the system supports it, so that they can be found.

    Only for a process that starts nothing but targets in sessions other than its own.
    """
    if sys.platform.startswith("linux"):
        with suppress(OSError, AttributeError):
            _own.adopts = ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def start_no_more() -> None:
    """Wait for a target that is being started, and prevent new ones, because this process is about to end."""
    _starting.acquire()


def _processes() -> dict[int, _Process]:
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            # The name, in parentheses, may contain any characters.
            fields = (entry / "stat").read_bytes().rpartition(b")")[2].split()
        except OSError:  # it has just ended
            continue
        state, parent, _, session = fields[:4]
        number = int(entry.name)
        found[number] = _Process(number, int(parent), int(session), state in {b"Z", b"X"}, fields[19])
    return found


def _below(number: int, processes: Mapping[int, _Process]) -> set[int]:
    """Return the descendants of a process."""
    below: set[int] = set()
    latest = {number}
    while latest:
        latest = {each.number for each in processes.values() if each.parent in latest} - below
        below |= latest
    return below
