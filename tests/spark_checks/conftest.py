"""One Spark session for all tests of the audit, tuned for logs of a few records."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from random import SystemRandom

import pytest
from pyspark.sql import SparkSession

from spark_checks.session import session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    with session("local[2]", small=True) as started:
        yield started


@pytest.fixture
def log_file(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


@pytest.fixture
def seed() -> int:
    """Return what a test's random histories are made of: another number each time, unless SEED or CI is set."""
    return int(os.environ.get("SEED", 0 if "CI" in os.environ else SystemRandom().getrandbits(32)))
