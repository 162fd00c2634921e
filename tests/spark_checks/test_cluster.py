"""The audit on a cluster: the code gets to the executors, the findings are the same, also when an executor is lost.

It takes a minute or two, so it runs where CLUSTER is set in the environment: `tox -e cluster`.
"""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from spark_checks.demo.planting import plant_defects
from spark_checks.demo.simulation import Day, simulate_day
from spark_checks.engines.executors import NEEDED
from tests.spark_checks.cluster import Cluster, running_cluster

pytestmark = pytest.mark.skipif("CLUSTER" not in os.environ, reason="set CLUSTER=1, or run tox -e cluster")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture(scope="module")
def day() -> Day:
    return plant_defects(simulate_day(3))


@contextmanager
def terminal() -> Iterator[tuple[int, Iterator[str]]]:
    """Give a terminal, without which the audit does not say what it is doing, and what is written to it."""
    ours, theirs = pty.openpty()

    def written() -> Iterator[str]:
        os.close(theirs)
        with suppress(OSError):  # so a terminal tells that nobody writes to it any more
            while data := os.read(ours, 4096):
                yield data.decode(errors="replace")

    try:
        yield theirs, written()
    finally:
        os.close(ours)


def audit(cluster: Cluster, day: Day, directory: Path, kill_at: str | None) -> tuple[int, str, Path]:
    """Audit a day on the cluster; kill an executor when the audit says that it begins with a part of its work."""
    log, report = directory / "day.jsonl", directory / "report"
    log.write_text(day.log(), encoding="utf-8")
    command = [sys.executable, "-c", "from spark_checks.cli import main; main()", "run", str(log)]
    command += ["--out", str(report), "--master", cluster.url]
    said, lost = "", None
    with (
        terminal() as (theirs, written),
        subprocess.Popen(command, stderr=theirs, stdout=subprocess.DEVNULL) as process,
    ):
        for text in written:
            said += text
            if kill_at is not None and lost is None and kill_at in said:
                assert len(cluster.executors()) == 2
                lost = cluster.kill_an_executor()
    assert (lost is None) == (kill_at is None), said
    assert lost not in cluster.executors()
    return process.returncode, said, report


@pytest.mark.parametrize("kill_at", [None, "checking the rules"], ids=["undisturbed", "an executor is killed"])
def test_the_planted_defects_are_found(cluster: Cluster, day: Day, tmp_path: Path, kill_at: str | None) -> None:
    status, said, report = audit(cluster, day, tmp_path, kill_at)
    assert status == 1, said
    found = [json.loads(line) for line in (report / "findings.jsonl").read_text().splitlines()]
    assert {(one["rule"], one["queue"], one["msg_id"]) for one in found} == {
        (one.rule, one.queue, one.msg_id) for one in day.planted
    }


def test_what_executors_lack_is_named_before_the_work(
    cluster: Cluster, day: Day, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv.create(tmp_path / "bare", symlinks=True)
    monkeypatch.setenv("PYSPARK_PYTHON", str(tmp_path / "bare" / "bin" / "python"))
    status, said, report = audit(cluster, day, tmp_path, None)
    assert status == 2, said
    assert "lacks pydantic, PyYAML, pandas, pyarrow, dpkt" in said
    assert "docs/clusters.md" in said
    assert "Traceback" not in said
    assert not report.exists()


def test_executors_without_any_python_are_named(
    cluster: Cluster, day: Day, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", str(tmp_path / "nothing" / "python"))
    status, said, report = audit(cluster, day, tmp_path, None)
    assert status == 2, said
    assert "cannot run the audit" in said
    assert "nothing/python" in said
    assert "Traceback" not in said
    assert not report.exists()


def test_a_packed_environment_is_all_that_executors_need(
    cluster: Cluster, day: Day, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv_pack = pytest.importorskip("venv_pack", reason="tox -e cluster installs it")
    environment, packed = tmp_path / "environment", tmp_path / "environment.tar.gz"
    venv.create(environment, symlinks=True, with_pip=True)
    subprocess.run([environment / "bin" / "pip", "install", "--quiet", *NEEDED.values()], check=True)
    venv_pack.pack(prefix=str(environment), output=str(packed), compress_level=1)
    settings = tmp_path / "conf"
    settings.mkdir()
    (settings / "spark-defaults.conf").write_text(f"spark.archives {packed}#environment\n")
    monkeypatch.setenv("SPARK_CONF_DIR", str(settings))
    monkeypatch.setenv("PYSPARK_PYTHON", "./environment/bin/python")
    status, said, report = audit(cluster, day, tmp_path, None)
    assert status == 1, said
    assert len((report / "findings.jsonl").read_text().splitlines()) == len(day.planted)


def test_a_cluster_that_is_not_there_is_named(day: Day, tmp_path: Path) -> None:
    status, said, report = audit(Cluster("spark://127.0.0.1:1", ()), day, tmp_path, None)
    assert status == 2, said
    assert "spark://127.0.0.1:1" in said
    assert "Traceback" not in said
    assert not report.exists()
