"""Several checks side by side, each on a target of its own.

They are performed by threads. With a virtual clock each thread has a process for it, because the suite itself does most
of the work. With a real clock most of the time is spent waiting.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from multiprocessing import TimeoutError as NothingYetError
from multiprocessing.pool import ThreadPool
from typing import Final

from conformance.checks.check import Check
from conformance.running.interrupts import Interrupts
from conformance.running.own_target import Result, Task, end_targets, heed, perform
from conformance.running.processes import CheckProcess, check_processes
from conformance.running.worker import Options
from conformance.sessions.dialogue import Hello

JOBS: Final = {"virtual": 1, "real": 12}
"""The default number of targets side by side, by their clock: a sleeping target costs little."""

_SLEEPS: Final = frozenset({"wait", "expiry", "mark-browse", "signal"})
"""The features whose checks let time pass."""

_LOOK_S: Final = 0.2
"""The interval at which interrupts are checked while no check ends."""


def jobs_for(options: Options, hello: Hello, checks: Sequence[Check]) -> int:
    """Return the number of targets to run side by side: no more than there are applicable checks."""
    applicable = sum(not check.inapplicable(hello) for check in checks)
    return max(1, min(options.jobs or JOBS[hello.clock], applicable))


def side_by_side(
    target: str, options: Options, checks: Sequence[Check], hello: Hello, interrupts: Interrupts
) -> Generator[Result, None, None]:
    """Yield the result of each check, with its number, as the checks end.

    Closing the generator ends the targets. When `interrupts` request the end, running checks end early and others do
    not begin. Raises TargetError if a target cannot be started, and ProcessEndedError if a process ends unexpectedly.
    """
    jobs = jobs_for(options, hello, checks)
    tasks = ((number, target, options, checks[number]) for number in order_of(checks, jobs))
    with _threads(jobs, hello.clock, interrupts) as (threads, perform_one, end_early):
        results = threads.imap_unordered(perform_one, tasks)
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
def _threads(
    jobs: int, clock: str, interrupts: Interrupts
) -> Iterator[tuple[ThreadPool, Callable[[Task], Result | None], Callable[[], None]]]:
    """Yield threads, the function by which each performs a check, and one that makes them end their checks early."""
    if clock == "real":
        shared = Interrupts()
        with ThreadPool(jobs, heed, (shared,)) as threads:
            try:
                yield threads, perform, shared.ask
            finally:
                interrupts.hold()
                end_targets(shared)
        return
    with check_processes(jobs) as (processes, end_early, end), ThreadPool(jobs) as threads:
        try:
            yield threads, partial(_perform_elsewhere, processes), end_early
        finally:
            interrupts.hold()
            end()


def _perform_elsewhere(idle: list[CheckProcess], task: Task) -> Result | None:
    """Perform a check in one of the idle processes, of which there are as many as threads."""
    process = idle.pop()
    try:
        return process.perform(task)
    finally:
        idle.append(process)
