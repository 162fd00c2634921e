"""Benchmark of the audit, compared with the least that Spark needs, and with the core rules in DuckDB.

    python -m bench.bench_audit 1000000 5000000 [--logs DIR]

For each number of records it makes a log of evenly spread traffic and one in which a queue has nine tenths of all
(bench.traffic; kept in DIR and used again), and measures, each in a process of its own:

- the floor: Spark reads the columns that the checks ask for, shuffles them once by queue, and sorts them by time;
- all checks of the audit, without the oracle's replay, which takes as long as its option allows; its core rules alone,
  without coverage and the rules about single calls; all checks on the log with the hot queue;
- the core rules in DuckDB (`core_rules.sql`), if it is installed.

It prints a table for docs/performance.md with wall and processor seconds, without the start of a session, and the most
memory that the process and its children held together. On a shared machine the processor seconds are worth more.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pyspark

from bench.traffic import write_traffic
from spark_checks.audit import audit_log, judge
from spark_checks.checks.delivery import DELIVERY
from spark_checks.checks.expiry import EXPIRY
from spark_checks.checks.order import ORDER
from spark_checks.engines.choosing import LOCAL, SPARK, choose, started
from spark_checks.engines.spark_session import session
from spark_checks.frames import Engine, Frame
from spark_checks.preparation.facts import log_facts
from spark_checks.preparation.log import prepare
from spark_checks.preparation.moves import KEPT
from spark_checks.readers.detect import bytes_as_text
from spark_checks.readers.inputs import HEADERS_FILE
from spark_checks.readers.load import read_log
from spark_checks.replay.queues import Replay

FLOOR_AIM, DUCKDB_AIM, HOT_AIM, MEMORY_AIM_GIB = 5.0, 1.0, 1.3, 8.0
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_GIB: Final = 2**30
_HEAD: Final = ("", "| records | | seconds | processor seconds | GiB |", "| ---: | --- | ---: | ---: | ---: |")
_SAMPLE_SECONDS: Final = 0.25
_SQL: Final = Path(__file__).with_name("core_rules.sql")


@dataclass(frozen=True)
class Measured:
    """The measurement of one way of judging a log: seconds by the clock and of processors, and peak memory."""

    wall: float
    processor: float
    gib: float


def floor(log: Path) -> None:
    with session() as spark, timed():
        rows = spark.read.parquet(str(log)).select(*KEPT)
        shuffled = rows.repartition("qmgr", "queue").sortWithinPartitions("qmgr", "queue", "start_us")
        shuffled.write.format("noop").mode("overwrite").save()


def _none(findings: Frame) -> None:
    if found := findings.count():
        raise RuntimeError(f"{found} findings in a log without defects")


def _all_checks(engine: Engine, log: Path) -> None:
    _none(audit_log(read_log(engine, [log]), replay_limit=0).findings)


def _core_rules(engine: Engine, log: Path) -> None:
    read = read_log(engine, [log])
    prepared = prepare(read.calls, log_facts(read.headers, read.unreadable))
    _none(judge(prepared, (DELIVERY, ORDER, EXPIRY), None, Replay(), read.records).findings)


def all_checks(log: Path) -> None:
    with started(choose(SPARK, None, log_bytes(log))) as engine, timed():
        _all_checks(engine, log)


def core_rules(log: Path) -> None:
    with started(choose(SPARK, None, log_bytes(log))) as engine, timed():
        _core_rules(engine, log)


def local_all_checks(log: Path) -> None:
    with started(choose(LOCAL, None, log_bytes(log))) as engine, timed():
        _all_checks(engine, log)


def local_core_rules(log: Path) -> None:
    with started(choose(LOCAL, None, log_bytes(log))) as engine, timed():
        _core_rules(engine, log)


def log_bytes(log: Path) -> int:
    """Return the size of a log, counted as text."""
    return sum(bytes_as_text(file) for file in log.iterdir())


def duckdb(log: Path) -> None:
    import duckdb as engine  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415 - for this comparison only

    with tempfile.TemporaryDirectory() as room, timed():
        connection = engine.connect(config={"temp_directory": room})
        text = _SQL.read_text(encoding="utf-8")
        text = text.replace("$log", f"'{log}/*.parquet'").replace("$headers", f"'{log / HEADERS_FILE}'")
        found = connection.execute(text).fetchall()
    if any(count for _, count in found):
        raise RuntimeError(f"findings in a log without defects: {found}")


WAYS: Final[dict[str, Callable[[Path], None]]] = {
    each.__name__: each for each in (floor, local_all_checks, local_core_rules, all_checks, core_rules, duckdb)
}


class timed:  # noqa: N801 - used like a function
    """Print the seconds that the block took by the clock, and the time at which it began."""

    def __enter__(self) -> None:
        self.begun = time.monotonic()
        print(json.dumps({"begun": self.begun}), flush=True)

    def __exit__(self, *_: object) -> None:
        print(json.dumps({"wall": time.monotonic() - self.begun}), flush=True)


def _tree(root: int) -> Iterator[tuple[float, int]]:
    """Yield processor seconds and resident bytes of a process and its descendants."""
    parents: dict[int, list[tuple[int, float, int]]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        seconds = sum(int(fields[number]) for number in (11, 12, 13, 14)) / _TICKS
        parents.setdefault(int(fields[1]), []).append((int(entry.name), seconds, int(fields[21]) * _PAGE))
    waiting = [one for children in parents.values() for one in children if one[0] == root]
    while waiting:
        process, seconds, memory = waiting.pop()
        yield seconds, memory
        waiting += parents.get(process, [])


class Watch(threading.Thread):
    """Watch a process and its descendants until it ends."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        super().__init__(daemon=True)
        self.process = process
        self.most = 0
        """The most bytes of memory that they held together."""
        self.seconds = 0.0
        """The processor seconds that they took."""

    def run(self) -> None:
        """Look at them every quarter of a second."""
        while self.process.poll() is None:
            seen = list(_tree(self.process.pid))
            self.most = max(self.most, sum(memory for _, memory in seen))
            self.seconds = max(self.seconds, sum(seconds for seconds, _ in seen))
            time.sleep(_SAMPLE_SECONDS)


def measure(way: str, log: Path) -> Measured | None:
    """Judge a log in one way, in a process of its own; None if that fails."""
    command = [sys.executable, "-m", "bench.bench_audit", "--way", way, "--logs", str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # this program itself
        watch = Watch(process)
        watch.start()
        assert process.stdout is not None  # asked for
        before, wall = 0.0, 0.0
        for line in process.stdout:
            told = json.loads(line)
            before = watch.seconds if "begun" in told else before
            wall = told.get("wall", wall)
        watch.join()
    if process.returncode:
        return None
    return Measured(wall, watch.seconds - before, watch.most / _GIB)


def _log(logs: Path, records: int, *, hot: bool) -> Path:
    path = logs / f"{records}{'-hot' if hot else ''}"
    if not (path / HEADERS_FILE).exists():
        with session() as spark:
            write_traffic(spark, records, path, hot=hot)
    return path


def machine() -> str:
    """Return the machine and the date of the measurement."""
    memory = os.sysconf("SC_PHYS_PAGES") * _PAGE / _GIB
    software = f"CPython {platform.python_version()}, Spark {pyspark.__version__}"
    return f"{date.today()}, {os.cpu_count()} cores of {platform.machine()}, {memory:.0f} GiB, {software}"


def _row(records: int, name: str, one: Measured | None) -> str:
    if one is None:
        return f"| {records:,} | {name} | failed | | |"
    return f"| {records:,} | {name} | {one.wall:.1f} | {one.processor:.1f} | {one.gib:.2f} |"


def bench(records: int, logs: Path) -> dict[str, Measured]:
    """Measure all ways for one number of records, and print each row when it is ready; a failed way has no figures."""
    even, hot = _log(logs, records, hot=False), _log(logs, records, hot=True)
    rounds = [("floor", floor, even), ("all checks", all_checks, even), ("hot queue", all_checks, hot)]
    rounds += [("core rules", core_rules, even)]
    if find_spec("duckdb"):
        rounds.append(("DuckDB", duckdb, even))
    found: dict[str, Measured] = {}
    for name, way, log in rounds:
        one = measure(way.__name__, log)
        if one is not None:
            found[name] = one
        print(_row(records, name, one), flush=True)
    return found


def verdicts(records: int, found: dict[str, Measured]) -> Iterator[str]:
    """Yield the aims that are met, by the clock."""
    aims = [
        ("all checks beside the floor", "all checks", "floor", FLOOR_AIM),
        ("core rules beside DuckDB", "core rules", "DuckDB", DUCKDB_AIM),
        ("a hot queue beside even ones", "hot queue", "all checks", HOT_AIM),
    ]
    for about, one, other, aim in aims:
        if one in found and other in found:
            ratio = found[one].wall / found[other].wall
            yield f"{records:,} {about}: {ratio:.2f}, aim {aim:g}: {'met' if ratio <= aim else 'missed'}"
    of_spark = [each.gib for name, each in found.items() if name != "DuckDB"]
    if of_spark:
        verdict = "met" if max(of_spark) <= MEMORY_AIM_GIB else "missed"
        yield f"{records:,} memory: {max(of_spark):.1f} GiB, aim {MEMORY_AIM_GIB:g}: {verdict}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the audit.")
    parser.add_argument("records", type=int, nargs="*")
    parser.add_argument("--logs", type=Path, default=Path(tempfile.gettempdir()) / "mq-audit-bench")
    parser.add_argument("--way", choices=sorted(WAYS), help="judge the one log in --logs in this way only")
    given = parser.parse_args()
    if given.way:
        WAYS[given.way](given.logs)
        return
    given.logs.mkdir(parents=True, exist_ok=True)
    print(machine(), *_HEAD, sep="\n")
    results = {records: bench(records, given.logs) for records in given.records}
    print()
    for records, found in results.items():
        print(*(f"- {line}" for line in verdicts(records, found)), sep="\n")
    sizes = sorted(records for records, found in results.items() if "all checks" in found)
    if len(sizes) > 1:
        growth = results[sizes[-1]]["all checks"].wall / results[sizes[0]]["all checks"].wall
        print(f"- {sizes[-1] / sizes[0]:g} times the records: {growth:.1f} times the time of all checks")


if __name__ == "__main__":
    main()
