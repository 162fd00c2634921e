"""Bounds of the fuzz tests: the number of inputs, and the time and, in `tox -e fuzz`, the memory of each."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from hypothesis import HealthCheck, settings

WHOLE = int(os.environ.get("FUZZ_INPUTS", "0"))
"""The number of inputs of all tests together; 0 in the ordinary run of the tests."""

_FEW = 8
_SECONDS = 20
_MEMORY = 4 * 2**30

Test = Callable[..., Any]


def tried(share: float, times: int = 1) -> Callable[[Test], Test]:
    """Return the number of tries of a test: its share of all inputs, divided by its number of parameters."""
    count = round(WHOLE * share / times) if WHOLE else _FEW
    return settings(
        max_examples=max(1, count),
        deadline=None,
        derandomize=not WHOLE,
        suppress_health_check=list(HealthCheck),
        database=None,
    )


@contextmanager
def bounded() -> Iterator[None]:
    """Raise TimeoutError in the block if it takes much longer than any small input."""

    def hangs(*_: object) -> None:
        raise TimeoutError(f"still not done after {_SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.setitimer(signal.ITIMER_REAL, _SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def limit_memory() -> None:
    """Limit this process to a few gibibytes, when many inputs are tried."""
    if WHOLE:
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, most))
