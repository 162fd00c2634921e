"""What the audit is about to do, shown while it goes on: on standard error, and only where somebody watches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task, TextColumn, TimeElapsedColumn
from rich.text import Text

if TYPE_CHECKING:
    from pyspark import StatusTracker
    from pyspark.sql import SparkSession


class _Tasks(ProgressColumn):
    """How many of Spark's tasks are done, of the stages that run now."""

    max_refresh = 0.5

    def __init__(self) -> None:
        super().__init__()
        self.tracker: StatusTracker | None = None

    def render(self, task: Task) -> Text:  # noqa: ARG002 - as the library calls it
        """Return the numbers, nothing if Spark does not tell."""
        try:
            done, all_tasks = self._count()
        except Exception:  # noqa: BLE001 - Spark may be gone at any moment, and this is decoration
            return Text("")
        return Text(f"{done}/{all_tasks} tasks" if all_tasks else "", style="dim")

    def _count(self) -> tuple[int, int]:
        stages = (
            [self.tracker.getStageInfo(number) for number in self.tracker.getActiveStageIds()] if self.tracker else []
        )
        return sum(each.numCompletedTasks for each in stages if each), sum(each.numTasks for each in stages if each)


class Watch:
    """A line that says what is going on; called with a few words whenever that changes."""

    def __init__(self, console: Console) -> None:
        self._tasks = _Tasks()
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            self._tasks,
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
            refresh_per_second=4,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._line = self._progress.add_task("starting Spark", total=None)

    def __call__(self, doing: str) -> None:
        """Say what is about to be done."""
        self._progress.update(self._line, description=doing)

    def close(self) -> None:
        """Take the line away, so that results can be printed."""
        self._progress.stop()

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the line meanwhile."""
        with self._progress:
            yield

    @contextmanager
    def following(self, spark: SparkSession) -> Iterator[None]:
        """Count the tasks of a session meanwhile."""
        self._tasks.tracker = spark.sparkContext.statusTracker()
        try:
            yield
        finally:
            self._tasks.tracker = None


@contextmanager
def watched(console: Console | None = None) -> Iterator[Watch]:
    """Give a line for a `with` block, on standard error unless another console is given."""
    watch = Watch(console or Console(stderr=True))
    with watch.shown():
        yield watch
