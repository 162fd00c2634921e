"""`robotframework-ibmmq`, a library of Robot Framework: its keywords, driven by a suite of ours."""

from __future__ import annotations

import importlib
import time
from pathlib import Path
from typing import Any

from oracle.testing import queue_manager

SUITE = Path(__file__).with_name("orders.robot")
TESTS = 7


def test_the_suite_passes(tmp_path: Path) -> None:
    robot: Any = importlib.import_module("robot")
    began = time.monotonic()
    with queue_manager(["ORDERS"], credentials={"app": "secret"}) as qm, queue_manager(["ORDERS"], name="QM2"):
        failed = robot.run(str(SUITE), outputdir=str(tmp_path), report=None, log=None)
        assert failed == 0, (tmp_path / "output.xml").read_text(encoding="utf-8")
        assert qm.depth("ORDERS") == 0
        assert qm.seconds >= 61  # what the suite waits for what does not come
    assert time.monotonic() - began < 30
    results: Any = importlib.import_module("robot.api").ExecutionResult(str(tmp_path / "output.xml"))
    assert (results.statistics.total.passed, results.statistics.total.skipped) == (TESTS, 0)
