"""A Spark cluster on this machine: a standalone master and two workers of one core each, all on the loopback."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyspark

from spark_checks.engines.java import find_java, make_java_home

_HOST = "127.0.0.1"
_EXECUTOR = "CoarseGrainedExecutorBackend"


@dataclass(frozen=True)
class Cluster:
    """The cluster's master and the processes of its workers."""

    url: str
    workers: tuple[int, ...]

    def executors(self) -> list[int]:
        """Return the processes of the executors that run now."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                    command = (entry / "cmdline").read_bytes().decode(errors="replace")
                except OSError:
                    continue
                if parent in self.workers and _EXECUTOR in command:
                    found.append(int(entry.name))
        return sorted(found)

    def kill_an_executor(self) -> int:
        """Kill one of the executors as a failing machine would, and return its process."""
        process = self.executors()[0]
        os.kill(process, signal.SIGKILL)
        return process


@contextmanager
def _daemon(name: str, options: list[str], environment: dict[str, str], log: Path, ready: str) -> Iterator[int]:
    """Run a part of the cluster for a `with` block, which begins when its log has the text `ready`."""
    program = Path(pyspark.__path__[0]) / "bin" / "spark-class"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [program, f"org.apache.spark.deploy.{name}", *options], env=environment, stdout=output, stderr=output
        )
    try:
        limit = time.monotonic() + 120
        while ready not in log.read_text(errors="replace"):
            if process.poll() is not None or time.monotonic() > limit:
                raise RuntimeError(f"{name} did not start: {log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.2)
        yield process.pid
    finally:
        process.terminate()
        process.wait(timeout=60)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind((_HOST, 0))
        return int(one.getsockname()[1])


@contextmanager
def running_cluster(directory: Path) -> Iterator[Cluster]:
    """Run a cluster for a `with` block; its files are in the directory."""
    environment = {
        **os.environ,
        "JAVA_HOME": str(make_java_home(find_java(), directory / "java")),
        "SPARK_HOME": str(pyspark.__path__[0]),
        "SPARK_LOCAL_IP": _HOST,
        "SPARK_LOCAL_DIRS": str(directory / "local"),
        "PYSPARK_PYTHON": sys.executable,
    }
    environment.pop("PYTHONPATH", None)
    port = _free_port()
    url = f"spark://{_HOST}:{port}"
    with ExitStack() as stack:
        master = ["--host", _HOST, "--port", str(port), "--webui-port", "0"]
        stack.enter_context(
            _daemon("master.Master", master, environment, directory / "master.log", "I have been elected leader")
        )
        workers = []
        for number in range(2):
            options = ["--host", _HOST, "--cores", "1", "--memory", "1g", "--webui-port", "0"]
            options += ["--work-dir", str(directory / f"worker{number}"), url]
            log = directory / f"worker{number}.log"
            workers.append(
                stack.enter_context(_daemon("worker.Worker", options, environment, log, "Successfully registered"))
            )
        yield Cluster(url, tuple(workers))
