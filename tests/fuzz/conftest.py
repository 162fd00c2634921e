"""The limit of memory holds for the whole process of a worker."""

from __future__ import annotations

import pytest

from tests.fuzz.bounds import limit_memory


@pytest.fixture(autouse=True, scope="session")
def _limited() -> None:
    limit_memory()
