"""Histories with exactly the findings that they must have, by family of checks.

Each case is a function that records a history. The expectation is a reading of the documents, written with
the case; all cases of one kind of log are audited together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from tests.spark_checks.histories import COMPLETE, History, Record

CLOCK: dict[str, Any] = {**COMPLETE, "clock_us": 50}
INCOMPLETE: dict[str, Any] = {"header": "log", "complete": False}
ZOS: dict[str, Any] = {**COMPLETE, "platform": "zos"}
LOGS = {"complete": COMPLETE, "clock": CLOCK, "incomplete": INCOMPLETE, "zos": ZOS}


@dataclass(frozen=True)
class Case:
    """A history with its kind of log and the findings expected of it, each as `RULE verdict`."""

    name: str
    log: str
    expected: tuple[str, ...]
    write: Callable[[History], None]


CASES: dict[str, Case] = {}


def case(*expected: str, log: str = "complete") -> Callable[[Callable[[History], None]], Callable[[History], None]]:
    """Register a history; without expectations the audit must be silent about it."""

    def register(write: Callable[[History], None]) -> Callable[[History], None]:
        assert write.__name__ not in CASES
        CASES[write.__name__] = Case(write.__name__, log, tuple(sorted(expected)), write)
        return write

    return register


def every_case() -> Mapping[str, Case]:
    """Return the cases of all families by name."""
    for module in iter_modules(__path__, f"{__name__}."):
        import_module(module.name)
    return CASES


def log_of(kind: str, *, sample: bool = False) -> list[Record]:
    """Return the cases of one kind of log as one log, each on a queue manager of its own.

    With `sample` only the first of those with the same findings, and each tenth of those without.
    """
    records = [LOGS[kind]]
    met = Counter[tuple[str, ...]]()
    for case in every_case().values():
        if case.log == kind:
            met[case.expected] += 1
            if sample and met[case.expected] != 1 and (case.expected or met[()] % 10):
                continue
            history = History(case.name)
            case.write(history)
            records += history.records
    return records
