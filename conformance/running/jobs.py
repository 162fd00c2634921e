"""Several workers side by side, each with a target of its own.

With a virtual clock they are processes, because the suite itself does most of the work. With a real clock, where most
of the time is spent waiting, they are threads.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import TimeoutError as NothingYetError
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.pool import Pool, ThreadPool
from typing import Final

from conformance.checks.check import Check, CheckResult
from conformance.running.interrupts import Interrupts
from conformance.running.worker import Options, Worker
from conformance.sessions.dialogue import Hello
from conformance.targets import target_for
from conformance.targets.descendants import adopt_orphans, start_no_more

JOBS: Final = {"virtual": 1, "real": 12}
"""The default number of targets side by side, by their clock: a sleeping target costs little."""

_SLEEPS: Final = frozenset({"wait", "expiry", "mark-browse", "signal"})
"""The features whose checks let time pass."""

_LOOK_S: Final = 0.2
"""The interval at which interrupts are checked while no check ends."""

_MOST_SIGNALS: Final = 1000
"""The number of signals that are read at once; their kinds do not matter."""

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)

_own = threading.local()
_workers: list[Worker] = []
"""The workers of this process."""


def jobs_for(options: Options, hello: Hello, checks: Sequence[Check]) -> int:
    """Return the number of targets to run side by side: no more than there are applicable checks."""
    applicable = sum(not check.inapplicable(hello) for check in checks)
    return max(1, min(options.jobs or JOBS[hello.clock], applicable))


def side_by_side(
    target: str, options: Options, checks: Sequence[Check], hello: Hello, interrupts: Interrupts
) -> Generator[tuple[int, CheckResult], None, None]:
    """Yield the result of each check, with its number, as the checks end.

    Closing the generator ends the workers. When `interrupts` request the end, running checks end early and others do
    not begin. Raises TargetError if a worker cannot start its target.
    """
    jobs = jobs_for(options, hello, checks)
    tasks = ((number, target, options, checks[number]) for number in order_of(checks, jobs))
    with _pool(jobs, hello.clock, interrupts) as (pool, end_early):
        results = pool.imap_unordered(_perform, tasks)
        while True:
            try:
                performed = results.next(_LOOK_S)
            except StopIteration:
                return
            except NothingYetError:
                performed = None
            if performed is not None:
                yield performed
            if interrupts.asked:
                end_early()


def order_of(checks: Sequence[Check], jobs: int) -> list[int]:
    """Return the numbers of the checks in the order in which they begin on a number of targets side by side.

    The longest state machines begin first, so that the run does not end with waiting for them. They begin on half of
    the targets only, so that the others give results at once, because a run may be ended early. Then come the short
    checks, first those that let time pass, and then the other machines.
    """

    def haste(number: int) -> tuple[int, bool]:
        return -checks[number].weight, _SLEEPS.isdisjoint(checks[number].features)

    ordered = sorted(range(len(checks)), key=haste)
    machines = [number for number in ordered if checks[number].weight]
    first = machines[: jobs // 2]
    return [*first, *ordered[len(machines) :], *machines[len(first) :]]


@contextmanager
def _pool(jobs: int, clock: str, interrupts: Interrupts) -> Generator[tuple[Pool, Callable[[], None]], None, None]:
    """Yield workers, and a function that makes them end their checks early."""
    if clock == "real":
        shared = Interrupts()
        with ThreadPool(jobs, _share, (shared,)) as pool:
            try:
                yield pool, shared.ask
            finally:
                interrupts.hold()
                _end_targets(shared)
        return
    # A process made by fork would inherit the pipes to other targets.
    processes = get_context("spawn")
    (early, asking), (over, ending) = processes.Pipe(duplex=False), processes.Pipe(duplex=False)
    with early, asking, over, ending:
        with _signals_blocked():
            begun = processes.Pool(jobs, _prepare, (early, over))
        with begun as pool:
            try:
                yield pool, asking.close
            finally:
                interrupts.hold()
                ending.close()


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Block signals within the block, also for processes that begin in it, until they are prepared for them.

    A worker imports for a second or two before `_prepare`, and a signal to the whole group would end it with a
    traceback.
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


def _share(interrupts: Interrupts) -> None:
    """Let a thread check the interrupts for all."""
    _own.interrupts = interrupts


def _prepare(early: Connection, over: Connection) -> None:
    """Leave signals to the parent process, and obey its pipes, which it only ever closes.

    A signal to the whole group must not lose the workers' results. So SIGTERM, by which a pool ends its workers, counts
    only when `over` is closed. A thread checks this, because the main thread may wait for the next check and would not
    wake up if the signal came just before that.
    """
    told, telling = socket.socketpair()
    telling.setblocking(False)
    signal.set_wakeup_fd(telling.detach())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: None)
    _own.interrupts = Interrupts()
    # Not a daemon: if nobody takes the main thread's results, its end must not end the process before the targets.
    threading.Thread(target=_obey, args=(early, over, told, _own.interrupts)).start()
    adopt_orphans()
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


def _obey(early: Connection, over: Connection, told: socket.socket, interrupts: Interrupts) -> None:
    """End the check when `early` is closed, and this process when the pool wants it or is gone."""
    parent = parent_process()
    assert parent is not None  # only a process of a pool is prepared
    watched: list[Connection | socket.socket | int] = [early, told, parent.sentinel]
    while parent.sentinel not in (ready := wait(watched)):
        if told in ready and told.recv(_MOST_SIGNALS) and over.poll():
            break
        if early in ready:
            interrupts.ask()
            watched.remove(early)
    start_no_more()
    _end_targets(interrupts)
    os._exit(0)


def _end_targets(interrupts: Interrupts) -> None:
    """End the targets of this process, also one that has not said hello yet, and prevent new ones."""
    interrupts.ask()
    while _workers:
        _workers.pop().abandon()


def _perform(task: tuple[int, str, Options, Check]) -> tuple[int, CheckResult] | None:
    """Perform a check and return its number and result; None if it is not to begin any more."""
    number, target, options, check = task
    if not hasattr(_own, "worker"):
        _own.worker = Worker(target_for(target, options.mqi), options, _own.interrupts)
        _workers.append(_own.worker)
    if _own.interrupts.asked:
        return None
    worker: Worker = _own.worker
    return number, worker.perform(check)
