"""The progress line of the audit: on standard error, and only on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task, TextColumn, TimeElapsedColumn
from rich.text import Text

if TYPE_CHECKING:
    from spark_checks.frames import Engine


class _Tasks(ProgressColumn):
    """The number of the engine's tasks that are done, if it has several."""

    max_refresh = 0.5

    def __init__(self) -> None:
        super().__init__()
        self.engine: Engine | None = None

    def render(self, task: Task) -> Text:  # noqa: ARG002 - as the library calls it
        """Return the numbers, or nothing if the engine does not report them."""
        try:
            done, all_tasks = (0, 0) if self.engine is None else self.engine.tasks()
        except Exception:  # noqa: BLE001 - the engine may be gone at any moment, and this is decoration
            return Text("")
        return Text(f"{done}/{all_tasks} tasks" if all_tasks else "", style="dim")


class Watch:
    """A line that shows the present step. Call it with a few words whenever the step changes."""

    def __init__(self, console: Console, doing: str) -> None:
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
        self._line = self._progress.add_task(doing, total=None)

    def __call__(self, doing: str) -> None:
        """Show the next step."""
        self._progress.update(self._line, description=doing)

    def close(self) -> None:
        """Remove the line, so that results can be printed."""
        self._progress.stop()

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the line during a `with` block."""
        with self._progress:
            yield

    @contextmanager
    def following(self, engine: Engine) -> Iterator[None]:
        """Count the tasks of an engine during a `with` block."""
        self._tasks.engine = engine
        try:
            yield
        finally:
            self._tasks.engine = None


@contextmanager
def watched(doing: str, console: Console | None = None) -> Iterator[Watch]:
    """Yield a line that begins with the first step; on standard error by default."""
    watch = Watch(console or Console(stderr=True), doing)
    with watch.shown():
        yield watch
