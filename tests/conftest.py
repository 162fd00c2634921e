"""What holds for every test: property tests are judged by their property, not by the machine's speed that day.

Where the variable CI is set, the same examples are tried every time, so that a build that fails tells of the change
that it builds; everywhere else new ones are sought.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from math import inf
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("mqoracle", deadline=None, print_blob=True, derandomize="CI" in os.environ)
settings.load_profile("mqoracle")

AUDIT = Path(__file__).with_name("spark_checks")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the longest files where workers share them, so that at the end none waits for another.

    Those are of the audit, and of these the ones with few tests.
    """
    if hasattr(config, "workerinput"):
        tests = Counter(item.path for item in items)
        items.sort(key=lambda item: tests[item.path] if AUDIT in item.path.parents else inf)


@pytest.fixture(autouse=True, scope="session")
def _interruptible() -> None:
    """Let Ctrl-C interrupt even where the tests run in the background of a shell, which has it ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
