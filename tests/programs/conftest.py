"""Programs of other authors, unmodified, on the oracle.

`tox -e programs` runs them, with their dependencies installed. Without the variable that it sets they are skipped. With
it, a missing package is a failure.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if "PROGRAMS_TESTS" not in os.environ:
        skipped = pytest.mark.skip(reason="they run with PROGRAMS_TESTS=1, by tox -e programs")
        for item in items:
            if HERE in item.path.parents:
                item.add_marker(skipped)
