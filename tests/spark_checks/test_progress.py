"""The progress line of the audit."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

from rich.console import Console

from spark_checks.frames.on_spark import SparkEngine
from spark_checks.progress import Watch


class Tracker:
    """The status of a Spark session: the done tasks and all tasks of each active stage."""

    def __init__(self) -> None:
        self.stages: dict[int, tuple[int, int]] = {}

    def getActiveStageIds(self) -> list[int]:  # noqa: N802 - Spark's name
        return list(self.stages)

    def getStageInfo(self, number: int) -> Any:  # noqa: N802 - Spark's name
        done, every = self.stages[number]
        return SimpleNamespace(numCompletedTasks=done, numTasks=every)


def test_the_tasks_of_spark_are_counted_without_starting_again() -> None:
    tracker = Tracker()
    session: Any = SimpleNamespace(sparkContext=SimpleNamespace(statusTracker=lambda: tracker))
    engine = SparkEngine(session)
    assert engine.tasks() == (0, 0)
    tracker.stages = {1: (3, 8)}
    assert engine.tasks() == (3, 8)
    tracker.stages = {2: (0, 4)}
    assert engine.tasks() == (8, 12)
    tracker.stages = {2: (2, 4), 3: (1, 2)}
    assert engine.tasks() == (11, 14)


def test_one_line_shows_what_is_being_done() -> None:
    shown = io.StringIO()
    watch = Watch(Console(file=shown, force_terminal=True, width=80), "reading the log")
    with watch.shown():
        watch("matching puts and gets")
        watch.close()
    assert "matching puts and gets" in shown.getvalue()
