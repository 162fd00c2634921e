"""The engines on which the tests of the audit run: one of each for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_checks.audit import Audit
from spark_checks.engines.spark_session import session
from spark_checks.frames import Engine
from spark_checks.frames.local import LocalEngine
from tests.spark_checks.cases import log_of
from tests.spark_checks.histories import audit_records

Audited = Callable[[str], Audit]


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    local = LocalEngine(tmp_path_factory.mktemp("engine"), small=True)
    yield local
    local.close()


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Return a session of Spark, for the few tests that need it; it takes some seconds to start."""
    with session("local[2]", small=True) as started:
        yield started


@pytest.fixture(scope="session")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Audited]:
    """Yield what the local engine finds in all cases of one kind of log, as in a log that is not small."""
    directory = tmp_path_factory.mktemp("cases")
    local = LocalEngine(directory)

    @cache
    def of_log(kind: str) -> Audit:
        return audit_records(local, directory / "log.jsonl", log_of(kind))

    yield of_log
    local.close()


@pytest.fixture
def log_file(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"
