"""Several workers side by side, each with a target of its own.

Against a virtual clock they are processes, as the suite itself does most of the work. Against a real clock, where most
of the time nothing happens, they are threads.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Generator, Sequence
from multiprocessing import get_context
from multiprocessing.pool import Pool, ThreadPool
from threading import local
from typing import Final, NoReturn

from conformance.checks import Check, CheckResult
from conformance.dialogue import Hello
from conformance.targets import target_for
from conformance.worker import Options, Worker

JOBS: Final = {"virtual": 1, "real": 12}
"""How many targets run side by side unless the user says otherwise, by their clock: one that sleeps costs little."""

_SLEEPS: Final = frozenset({"wait", "expiry", "mark-browse", "signal"})
"""The features whose checks let time pass."""

_own = local()
_workers: list[Worker] = []
"""The workers of this process."""


def jobs_for(options: Options, hello: Hello) -> int:
    """Return how many targets are to run side by side."""
    return options.jobs or JOBS[hello.clock]


def side_by_side(
    target: str, options: Options, checks: Sequence[Check], hello: Hello
) -> Generator[tuple[int, CheckResult], None, None]:
    """Yield what came of each check, with its number, as the checks end. Closing the generator ends the workers.

    Raises TargetError if a worker cannot start its target.
    """
    tasks = ((number, target, options, checks[number]) for number in order_of(checks))
    try:
        with _pool(jobs_for(options, hello), hello.clock) as pool:
            yield from pool.imap_unordered(_perform, tasks)
    finally:
        _end_targets()


def order_of(checks: Sequence[Check]) -> list[int]:
    """Return the numbers of the checks in the order in which they begin side by side.

    What takes longest begins first, so that nobody has to wait for it at the end: the state machines, the longest of
    them before the others, then the checks that let time pass.
    """

    def haste(number: int) -> tuple[int, bool]:
        return -checks[number].weight, _SLEEPS.isdisjoint(checks[number].features)

    return sorted(range(len(checks)), key=haste)


def _pool(jobs: int, clock: str) -> Pool:
    if clock == "real":
        return ThreadPool(jobs)
    # A process made by fork would hold the ends of the pipes to other targets.
    return get_context("spawn").Pool(jobs, _prepare)


def _prepare() -> None:
    """Leave Ctrl-C to the process that began this one, and end the target with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)


def _end(*_: object) -> NoReturn:
    _end_targets()
    os._exit(0)


def _end_targets() -> None:
    while _workers:
        _workers.pop().abandon()


def _perform(task: tuple[int, str, Options, Check]) -> tuple[int, CheckResult]:
    number, target, options, check = task
    if not hasattr(_own, "worker"):
        _own.worker = Worker(target_for(target, options.mqi), options)
        _workers.append(_own.worker)
    worker: Worker = _own.worker
    return number, worker.perform(check)
