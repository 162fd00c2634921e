"""The engines on which the tests of the audit run: one of each for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_checks.engines.spark_session import session
from spark_checks.frames import Engine
from spark_checks.frames.local import LocalEngine


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    local = LocalEngine(tmp_path_factory.mktemp("engine"))
    yield local
    local.close()


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Return a session of Spark, for the few tests that are about it; it takes some seconds to start."""
    with session("local[2]", small=True) as started:
        yield started


@pytest.fixture
def log_file(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"
