"""Standard output that fails: a full disk gives one line and status 2, a closed pipe status 141."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

FULL = Path("/dev/full")


def run(module: str, arguments: list[str], output: int) -> subprocess.CompletedProcess[str]:
    """Run a tool with its standard output on a file descriptor."""
    return subprocess.run(
        [sys.executable, "-c", f"from {module}.cli import main; main()", *arguments],
        input='{"seq":1,"op":"hello","protocol":1}\n',
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
        cwd=Path(__file__).parents[1],
    )


@pytest.mark.skipif(not FULL.exists(), reason="the system has no device that is always full")
@pytest.mark.parametrize(
    ("tool", "module", "arguments"),
    [
        ("mq-oracle", "oracle", ["rules", "--json"]),
        ("mq-oracle", "oracle", ["serve"]),
        ("mq-oracle", "oracle", ["--help"]),
        ("mq-audit", "spark_checks", ["--help"]),
    ],
)
def test_standard_output_that_takes_no_more_is_told_in_a_line(tool: str, module: str, arguments: list[str]) -> None:
    with FULL.open("w") as full:
        done = run(module, arguments, full.fileno())
    assert done.returncode == 2
    assert done.stderr == f"{tool}: standard output cannot be written: No space left on device\n"


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of another kind")
def test_output_that_is_closed_from_the_beginning_is_no_failure() -> None:
    command = f"{shlex.quote(sys.executable)} -m oracle.start rules LCK-12 >&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_character_that_the_output_cannot_hold_is_written_as_its_number(tmp_path: Path) -> None:
    log = tmp_path / "caf\N{LATIN SMALL LETTER E WITH ACUTE}"
    log.write_bytes((Path(__file__).parents[1] / "docs/examples/orders.jsonl").read_bytes())
    done = subprocess.run(
        [sys.executable, "-m", "spark_checks.start", "inspect", log.name],
        capture_output=True,
        timeout=60,
        check=False,
        cwd=tmp_path,
        env=os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONPATH": str(Path(__file__).parents[1])},
    )
    assert b"caf\\xe9 " in done.stdout
    assert done.stderr == b""


@pytest.mark.skipif(sys.platform == "win32", reason="a closed pipe is another error there")
@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("oracle", ["rules"]),
        ("oracle", ["--help"]),
        ("oracle", ["name", "GMLK"]),
        ("conformance", ["list"]),
        ("conformance", ["run", "--target", "python:oracle.serve:Server", "--select", "LCK-12"]),
        ("conformance", ["doctor", "--target", "python:oracle.serve:Server"]),
        ("spark_checks", ["inspect", "docs/examples/orders.jsonl"]),
        ("spark_checks", ["owners", "docs/examples/orders.jsonl"]),
    ],
)
def test_a_pipe_that_nobody_reads_is_no_finding(module: str, arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = run(module, arguments, writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent in another way there")
def test_ctrl_c_is_told_in_a_line() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", "from oracle.cli import main; main()", "serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[1],
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write('{"seq":1,"op":"hello","protocol":1}\n')
    process.stdin.flush()
    assert process.stdout.readline()  # it has begun
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, "mq-oracle: interrupted\n")
