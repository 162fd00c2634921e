"""Processes that perform checks, each on a target of its own and each for one thread of the run.

A thread and its process share a pipe, and no two processes share anything that one of them could lock: the death of
one is noticed by its thread and affects no other. Signals are left to the run. It ends the processes by closing a pipe,
which the system does too when the run is killed.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Final

from conformance.running.interrupts import Interrupts
from conformance.running.own_target import Result, Task, end_targets, heed, perform
from conformance.targets.descendants import adopt_orphans, start_no_more
from oracle.errors import MqOracleError, ProcessEndedError

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)

_SPAWN: Final = get_context("spawn")  # a process made by fork would inherit the pipes to other targets


class CheckProcess:
    """A process that performs the checks of one thread."""

    def __init__(self, early: Connection, over: Connection) -> None:
        """Start it. It ends its check when nobody can write to `early` any more, and itself so by `over`."""
        self._pipe, its_end = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_serve, args=(its_end, early, over), daemon=True)
        with its_end:
            self._process.start()
        self._joining = threading.Lock()  # of two threads that join one process at once, one returns too early

    def perform(self, task: Task) -> Result | None:
        """Perform a check as `own_target.perform` does. Raises ProcessEndedError if the process ends meanwhile."""
        try:
            self._pipe.send(task)
            answer: Result | MqOracleError | None = self._pipe.recv()
        except (EOFError, OSError):
            self.join()
            raise ProcessEndedError(
                f"a process that performed checks ended with status {self._process.exitcode}, and its check has no"
                " result; if it was killed for lack of memory, fewer --jobs help"
            ) from None
        if isinstance(answer, MqOracleError):
            raise answer
        return answer

    def join(self) -> None:
        """Wait for its end."""
        with self._joining:
            self._process.join()


@contextmanager
def check_processes(count: int) -> Iterator[tuple[list[CheckProcess], Callable[[], None], Callable[[], None]]]:
    """Start processes, and yield them with a function that ends their checks early and one that ends them.

    They have ended after the block.
    """
    (early, asking), (over, ending) = _SPAWN.Pipe(duplex=False), _SPAWN.Pipe(duplex=False)
    with ExitStack() as joined, early, asking, over, ending:
        processes = []
        with _signals_blocked():
            for _ in range(count):
                processes.append(CheckProcess(early, over))
                joined.callback(processes[-1].join)
        yield processes, asking.close, ending.close


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Block signals within the block, also for processes that begin in it, until they ignore them.

    A process imports for a second or two before that, and a signal to the whole group would end it with a traceback.
    """
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # its start unblocks signals
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, early: Connection, over: Connection) -> None:
    """Perform the checks that come through a pipe, and ignore signals, which must not lose results of the run."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    interrupts = Interrupts()
    heed(interrupts)
    adopt_orphans()
    # Not a daemon: if the main thread fails, its end must not end the process before the target.
    ended = threading.Event()
    threading.Thread(target=_obey, args=(early, over, interrupts, ended)).start()
    with pipe, suppress(EOFError, OSError):  # the run may end at any time
        while True:
            task: Task = pipe.recv()
            try:
                answer: Result | MqOracleError | None = perform(task)
            except MqOracleError as error:
                answer = error
            if ended.is_set():  # the check ended only because its target did, and has no result
                return
            pipe.send(answer)


def _obey(early: Connection, over: Connection, interrupts: Interrupts, ended: threading.Event) -> None:
    """End the check when `early` is closed at its other end, and target and process when `over` is."""
    if over not in wait([early, over]):
        interrupts.ask()
        wait([over])
    ended.set()
    start_no_more()
    end_targets(interrupts)
    os._exit(0)
