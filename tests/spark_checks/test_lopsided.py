"""The lopsided logs of the benchmark: each has its shape and conforms, and doubled messages are found."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from bench.lopsided import SHAPES, write_lopsided
from spark_checks.audit import Audit, audit
from spark_checks.frames import Engine

CALLS = 1_000


@pytest.fixture
def log(tmp_path: Path, shape: str) -> Path:
    """Return the log of a shape."""
    write_lopsided(shape, CALLS, tmp_path / "log")
    return tmp_path / "log"


def audited(engine: Engine, log: Path) -> Audit:
    """Return the audit of a log."""
    return audit(engine, [log])


@pytest.mark.parametrize("shape", [name for name in SHAPES if not SHAPES[name].doubled])
def test_it_conforms_and_is_followed_to_its_end(engine: Engine, log: Path) -> None:
    found = audited(engine, log)
    assert found.findings.collect() == []
    assert found.replayed.followed >= CALLS
    assert not found.replayed.not_followed
    assert not found.replayed.unknown_queues


@pytest.mark.parametrize("shape", ["findings"])
def test_each_doubled_message_is_found(engine: Engine, log: Path) -> None:
    rules = Counter(row["rule"] for row in audited(engine, log).findings.collect())
    assert rules == {"SYN-08": CALLS // 2 // 10}  # a get outside a unit of work removes at once


@pytest.mark.parametrize(
    ("shape", "column", "number"),
    [
        ("one-queue", "queue", 1),
        ("one-connection", "conn", 1),
        ("one-msgid", "msg_id", 1),
        ("queues", "queue", 100),
        ("connections", "conn", 200),
    ],
)
def test_it_has_its_shape(log: Path, column: str, number: int) -> None:
    values = set(pq.read_table(log / "part-0.parquet", columns=[column])[column].to_pylist()) - {None}
    assert len(values) == number
