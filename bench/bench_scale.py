"""Benchmark of `mq-audit run` on lopsided logs, which have very many calls of one thing or very many things.

    python -m bench.bench_scale 100000 400000 [--engine spark] [--shape one-queue ...] [--logs DIR]

For each shape (bench.lopsided) and each number of puts and gets it makes a log and audits it as a user would, with the
report, and with the oracle's replay as far as its default goes. It prints a row: seconds by the clock, processor
seconds, and the most memory of the process and its children. "growth" is the processor seconds divided by those of the
size before; "beside" is the processor seconds divided by those of the even log of the same size.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.bench_audit import Measured, Watch, machine
from bench.lopsided import SHAPES, write_lopsided
from spark_checks.readers.inputs import HEADERS_FILE

_GIB = 2**30
_HEAD = (
    "",
    "| shape | calls | seconds | processor seconds | GiB | growth | beside |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
)


def measure(log: Path, engine: str) -> Measured | None:
    """Audit a log with the command line; None if that fails."""
    with tempfile.TemporaryDirectory() as room:
        command = [
            sys.executable,
            "-m",
            "spark_checks.start",
            "run",
            str(log),
            "--out",
            f"{room}/report",
            "--engine",
            engine,
        ]
        begun = time.monotonic()
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            watch = Watch(process)
            watch.start()
            _, said = process.communicate()
            watch.join()
        if process.returncode not in (0, 1):
            print(said, file=sys.stderr)
            return None
        return Measured(time.monotonic() - begun, watch.seconds, watch.most / _GIB)


def _log(logs: Path, shape: str, calls: int) -> Path:
    path = logs / f"{shape}-{calls}"
    if not (path / HEADERS_FILE).exists():
        write_lopsided(shape, calls, path)
    return path


def _ratio(one: Measured, other: Measured | None) -> str:
    return f"{one.processor / other.processor:.1f}" if other else ""


def bench(shapes: Sequence[str], sizes: Sequence[int], logs: Path, engine: str) -> None:
    """Measure each shape in each size, and print each row when it is ready."""
    even: dict[int, Measured] = {}
    for shape in shapes:
        before = None
        for calls in sizes:
            one = measure(_log(logs, shape, calls), engine)
            if one is None:
                print(f"| {shape} | {calls:,} | failed | | | | |", flush=True)
                continue
            figures = f"{one.wall:.1f} | {one.processor:.1f} | {one.gib:.2f}"
            print(
                f"| {shape} | {calls:,} | {figures} | {_ratio(one, before)} | {_ratio(one, even.get(calls))} |",
                flush=True,
            )
            before = one
            if shape == "even":
                even[calls] = one


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the audit of lopsided logs.")
    parser.add_argument("calls", type=int, nargs="+", help="the numbers of puts and gets, the smallest first")
    parser.add_argument("--engine", choices=("local", "spark"), default="local")
    parser.add_argument("--shape", choices=SHAPES, action="append", help="this shape only; may be given several times")
    parser.add_argument("--logs", type=Path, default=Path(tempfile.gettempdir()) / "mq-audit-scale")
    given = parser.parse_args()
    print(machine(), *_HEAD, sep="\n")
    bench(given.shape or list(SHAPES), given.calls, given.logs, given.engine)


if __name__ == "__main__":
    main()
