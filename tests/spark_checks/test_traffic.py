"""The benchmark's traffic conforms, exercises the rules, and is determined by its seed."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from bench.traffic import plan, write_traffic
from oracle.judging.verdicts import AuditVerdict
from spark_checks.audit import audit
from spark_checks.frames import Engine

CORE_RULES = {
    "DLV-01", "DLV-02", "DLV-03", "DLV-05", "EXP-07", "EXP-09", "EXP-10", "PRI-03", "PRI-04", "SYN-02", "SYN-08",
}  # fmt: skip  # names


@pytest.mark.parametrize("records", [1_000_000, 20_000_000])
def test_one_queue_has_nine_tenths_of_hot_traffic(records: int) -> None:
    sizes = [queue.blocks * len(queue.script.steps) for queue in plan(records, hot=True)]
    assert 0.89 < max(sizes) / sum(sizes) < 0.91
    assert 0.99 < sum(sizes) / records < 1.01


def test_traffic_breaks_no_rule_and_exercises_the_core_ones(
    spark: SparkSession, engine: Engine, tmp_path: Path
) -> None:
    write_traffic(spark, 9_000, tmp_path / "log", seed=5)
    found = audit(engine, [tmp_path / "log"])
    assert 8_000 < found.read.records < 10_000
    assert found.findings.collect() == []
    conforming = {one.rule for one in found.rules if one.verdict is AuditVerdict.CONFORMS}
    assert conforming >= CORE_RULES
