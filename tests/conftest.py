"""Settings of all tests: property tests are judged by their property, not by the machine's speed.

The same examples are tried every time, so that a failing build points to its change. If the variable HUNT is set, new
ones are tried, and only by the tests with random ones (tests/hunt.py, `tox -e hunt`).
"""

from __future__ import annotations

import gc
import os
import signal
from collections import Counter
from math import inf
from pathlib import Path

import pytest
from hypothesis import is_hypothesis_test, settings

from conformance.start import OBJECTS_BETWEEN_COLLECTIONS

HUNTS = "HUNT" in os.environ
settings.register_profile("mqoracle", deadline=None, print_blob=True, derandomize=not HUNTS)
settings.load_profile("mqoracle")

AUDIT = Path(__file__).with_name("spark_checks")

# As in conformance.start: with Python's own 700 a fifth of the time goes to looking for cycles.
gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the longest files if workers share them, so that none waits for another at the end.

    Those are files of the audit, and among these the ones with few tests. In a hunt, tests without random examples are
    left out.
    """
    if HUNTS:
        random = [item for item in items if _is_random(item)]
        config.hook.pytest_deselected(items=[item for item in items if item not in random])
        items[:] = random
    if hasattr(config, "workerinput"):
        tests = Counter(item.path for item in items)
        items.sort(key=lambda item: tests[item.path] if AUDIT in item.path.parents else inf)


def _is_random(item: pytest.Item) -> bool:
    """Return whether a test tries random examples: those of Hypothesis, or histories from a seed of the run."""
    own = getattr(getattr(item, "callspec", None), "params", {})
    of_seed = "seed" in getattr(item, "fixturenames", ()) and "seed" not in own
    return of_seed or is_hypothesis_test(getattr(item, "obj", None))


def pytest_collection_finish() -> None:
    """Never look for garbage among modules and tests again: all of it stays."""
    gc.freeze()


@pytest.fixture
def seed() -> int:
    """Return the seed of a test's random histories: 0, or the number in SEED."""
    return int(os.environ.get("SEED", "0"))


@pytest.fixture(autouse=True, scope="session")
def _interruptible() -> None:
    """Let Ctrl-C interrupt even if the tests run in the background of a shell, which ignores it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
