"""Standard output that takes no more: told in a line with status 2, by each command that is not the suite's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FULL = Path("/dev/full")


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
        done = subprocess.run(
            [sys.executable, "-c", f"from {module}.cli import main; main()", *arguments],
            input='{"seq":1,"op":"hello","protocol":1}\n',
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
            cwd=Path(__file__).parents[1],
        )
    assert done.returncode == 2
    assert done.stderr == f"{tool}: standard output cannot be written: No space left on device\n"
