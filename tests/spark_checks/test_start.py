"""The modules that a question to a log loads: a quick answer leaves no time for the model, the readers and pandas."""

from __future__ import annotations

import subprocess
import sys

import pytest

import oracle


def loaded_by(code: str, *names: str) -> list[str]:
    """Return which of some modules are loaded after code has run in a process of its own."""
    told = f"{code}\nimport sys\nprint(*(name for name in {names!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_what_asks_for_no_model_loads_none() -> None:
    assert loaded_by(
        "import oracle.histories.event_log", "oracle.model.queue_manager", "oracle.histories.event_log"
    ) == ["oracle.histories.event_log"]
    trace = "import spark_checks.questions.trace, spark_checks.questions.index"
    assert loaded_by(trace, "oracle.model.queue_manager", "spark_checks.readers.pcap", "dpkt") == []


def test_the_names_of_the_package_are_there_when_they_are_asked_for() -> None:
    assert loaded_by("from oracle import QueueManager", "oracle.model.queue_manager") == ["oracle.model.queue_manager"]
    for name in oracle.__all__:
        assert getattr(oracle, name) is not None
    with pytest.raises(AttributeError, match="nothing_of_that_name"):
        getattr(oracle, "nothing_of_that_name")  # noqa: B009 - a name that type checkers would refuse


def test_a_process_of_its_own_computes_without_pandas() -> None:
    code = """
from spark_checks.engines import choosing as engines
from spark_checks.engines.choosing import LOCAL, choose, started
from spark_checks.frames import functions as fn
engines.is_own_process = {own}
with started(choose(LOCAL, None, 0)) as engine:
    frame = engine.frame([(1, "a"), (None, "b")], "number long, letter string").where(fn.col("number") == 1)
    assert [row["letter"] for row in frame.collect()] == ["a"]
"""
    assert loaded_by(code.format(own=True), "pandas") == []
