"""Errors that stop a command: one line, an exit status, and no half-written output. None of these tests needs Spark."""

from __future__ import annotations

import errno
import io
import logging
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import duckdb
import pytest
from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession
from rich.console import Console

from oracle.errors import BadInputError, UsageError
from oracle.program import terminable
from spark_checks.engines import spark_session as sessions
from spark_checks.failures import explained, held, reported, unlogged, why
from spark_checks.output.whole_directories import whole_directory
from spark_checks.progress import watched

LOST = """An error occurred while calling o12.collect.
: org.apache.engine.SparkException: Job aborted due to stage failure: ExecutorLostFailure (executor 1 exited)
\tat org.apache.engine.Scheduler.run(Scheduler.scala:1)
Caused by: java.lang.RuntimeException: worker is gone
\t... 3 more
"""


FULL = (
    'IO Error: Async write failed for range [offset=3, size=9]: {"exception_type":"IO","exception_message":'
    r'"Could not write file \"/tiny/.new/part-0.parquet\": No space left on device"}'
)


def status_of(error: BaseException, capsys: pytest.CaptureFixture[str]) -> tuple[object, str]:
    with pytest.raises(SystemExit) as ended, reported():
        raise error
    told = capsys.readouterr().err
    assert told.startswith("mq-audit: ")
    assert told.count("\n") == 1
    return ended.value.code, told


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (BadInputError("no log"), 2, "no log"),
        (KeyboardInterrupt(), 130, "interrupted; nothing was written"),
        (RuntimeError("Query interrupted"), 130, "interrupted; nothing was written"),  # DuckDB, in mid-query
        (duckdb.InvalidInputException("reading the schema failed: KeyboardInterrupt"), 130, "nothing was written"),
        (
            duckdb.IOException(FULL),
            2,
            "could not continue: the disk is full: /tiny/.new/part-0.parquet cannot be written\n",
        ),
        (OSError(errno.ENOSPC, "No space left on device"), 2, "the disk is full"),
        (
            Py4JNetworkError("Answer from Java side is empty"),
            2,
            "Spark could not continue: Answer from Java side is empty",
        ),
        (ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"), 2, "Spark could not continue: "),
        (PySparkRuntimeError(LOST), 2, "executors were lost too often: java.lang.RuntimeException: worker is gone"),
        (PySparkRuntimeError("java.io.IOException: No space left on device"), 2, "the disk is full: java.io"),
        (PySparkRuntimeError("Java heap space"), 2, "out of memory"),
        (
            PySparkRuntimeError("An error occurred while calling o3.plus. Trace:\njava.lang.Exception: no such method"),
            2,
            "Spark could not continue: java.lang.Exception: no such method",
        ),
    ],
)
def test_what_stops_a_command_is_told_in_a_line(
    error: BaseException, status: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = status_of(error, capsys)
    assert code == status
    assert told in said


class JvmError(Py4JError):  # type: ignore[misc]  # published without types
    """An error that asks the JVM for its text, as those do that come from there."""

    asked = True

    def __str__(self) -> str:
        if not self.asked:
            raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")
        return "An error occurred while calling o1.count.\n: java.lang.ArithmeticException: long overflow\n\tat x.Y"


@contextmanager
def session_that_ends(error: JvmError) -> Iterator[None]:
    try:
        yield
    finally:
        error.asked = False


def test_spark_is_asked_why_it_could_not_go_on_before_it_ends(capsys: pytest.CaptureFixture[str]) -> None:
    error = JvmError()
    with pytest.raises(SystemExit) as ended, reported(), session_that_ends(error), explained():
        raise error
    assert ended.value.code == 2
    said = "mq-audit: Spark could not continue: java.lang.ArithmeticException: long overflow\n"
    assert capsys.readouterr().err == said


def interrupt() -> None:
    raise KeyboardInterrupt


def lose_the_gateway() -> None:
    """Do as the bridge to Spark does when Ctrl-C comes in the middle of a command."""
    try:
        interrupt()
    except KeyboardInterrupt:
        logging.getLogger().exception("while sending a command")
        raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")  # noqa: B904 - as it does


def test_what_goes_wrong_because_of_an_interruption_is_one(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = old_report(tmp_path / "out")
    with pytest.raises(SystemExit) as ended, reported(), unlogged(), whole_directory(out):
        lose_the_gateway()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "mq-audit: interrupted; nothing was written\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_run_that_is_cancelled_leaves_nothing_behind(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as ended, reported(), terminable(), whole_directory(tmp_path / "out"):
        signal.raise_signal(signal.SIGTERM)
    assert ended.value.code == 130
    assert capsys.readouterr().err == "mq-audit: interrupted; nothing was written\n"
    assert list(tmp_path.iterdir()) == []
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_is_held_back_and_takes_effect_after_the_block(number: signal.Signals) -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), terminable(), held():  # noqa: PT012 - what comes after the signal counts
        signal.raise_signal(number)
        done.append("the rest of the block")
    assert done == ["the rest of the block"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_fails_because_of_a_signal_that_is_held_back_is_an_interruption(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended, reported(), terminable(), held():  # noqa: PT012 - as a group is signalled
        signal.raise_signal(signal.SIGTERM)
        raise PySparkRuntimeError("Java gateway process exited")
    assert ended.value.code == 130
    assert capsys.readouterr().err == "mq-audit: interrupted; nothing was written\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_session_that_is_interrupted_while_it_starts_is_stopped(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped: list[object] = []

    def start(master: str | None, work: Path, *, small: bool) -> str:
        signal.raise_signal(number)
        return "a session"

    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setattr(sessions, "make_session", start)
    monkeypatch.setattr(sessions, "_stop", stopped.append)
    with ExitStack() as block:
        block.enter_context(terminable())
        with pytest.raises(KeyboardInterrupt):
            block.enter_context(sessions.session())
    assert stopped == ["a session"]


@pytest.mark.parametrize("error", [ValueError("a mistake of ours"), PermissionError(errno.EACCES, "denied")])
def test_a_mistake_of_the_program_is_not_hidden(error: Exception) -> None:
    with pytest.raises(type(error)), reported():
        raise error


def test_a_long_story_is_cut() -> None:
    assert len(why(PySparkRuntimeError("x" * 5_000))) <= 200


def old_report(path: Path) -> Path:
    path.mkdir()
    (path / "report.html").write_text("yesterday")
    return path


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_while_something_is_written_the_earlier_report_stays(tmp_path: Path, error: BaseException) -> None:
    out = old_report(tmp_path / "out")
    with pytest.raises((BadInputError, KeyboardInterrupt)), whole_directory(out) as new:  # noqa: PT012 - half a report
        (new / "report.html").write_text("half of to")
        raise error
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (out / "report.html").read_text() == "yesterday"


def test_losing_spark_while_writing_is_not_taken_for_a_full_disk(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit), reported(), whole_directory(tmp_path / "out"):
        raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")
    assert "Spark could not continue" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_if_the_new_report_cannot_take_its_place_the_earlier_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, rename = old_report(tmp_path / "out"), Path.rename

    def interrupted(path: Path, target: Path) -> Path:
        if path.name == ".new":
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt), whole_directory(out) as new:
        (new / "report.html").write_text("today")
    assert (out / "report.html").read_text() == "yesterday"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_directory_that_cannot_be_written_to_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such directory"), whole_directory(tmp_path / "missing" / "out"):
        pass


def progress_on(*, terminal: bool) -> str:
    console = Console(file=io.StringIO(), force_terminal=terminal, width=100)
    with watched("starting", console) as watch:
        watch("checking the rules")
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_progress_is_shown_only_where_somebody_watches() -> None:
    assert "checking the rules" in progress_on(terminal=True)
    assert progress_on(terminal=False) == ""
