"""Checks performed by a thread on a target of its own."""

from __future__ import annotations

import threading
from typing import Final

from conformance.checks.check import Check, CheckResult
from conformance.running.interrupts import Interrupts
from conformance.running.worker import Options, Worker
from conformance.targets import target_for

Task = tuple[int, str, Options, Check]
"""A check to perform: its number, the target's name, the options of the run, and the check."""

Result = tuple[int, CheckResult]
"""The number of a check and its result."""

_own: Final = threading.local()
_workers: Final[list[Worker]] = []
"""The workers of this process."""


def heed(interrupts: Interrupts) -> None:
    """Let the checks of this thread end early when `interrupts` request it."""
    _own.interrupts = interrupts


def perform(task: Task) -> Result | None:
    """Perform a check and return its number and result; None if it is not to begin any more.

    Raises TargetError if the thread's first check cannot start the target.
    """
    number, target, options, check = task
    if not hasattr(_own, "worker"):
        _own.worker = Worker(target_for(target, options.mqi), options, _own.interrupts)
        _workers.append(_own.worker)
    if _own.interrupts.asked:
        return None
    worker: Worker = _own.worker
    return number, worker.perform(check)


def end_targets(interrupts: Interrupts) -> None:
    """End the targets of this process, also one that has not said hello yet, and prevent new ones."""
    interrupts.ask()
    while _workers:
        _workers.pop().abandon()
