"""Errors that stop a command: one line and an exit status, and no traceback for what the user can correct."""

from __future__ import annotations

import errno
import logging
import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import click

from oracle.errors import MqOracleError, UsageError
from oracle.program import nobody_reads
from oracle.signals import INTERRUPTED

CANNOT_RUN = 2

_PLAIN = (
    ("No space left on device", "the disk is full"),
    ("could not allocate", "out of memory"),
    ("failed to offload data block", "the temporary directory is full"),
    ("Java heap space", "out of memory"),
    ("OutOfMemoryError", "out of memory"),
    ("ExecutorLostFailure", "executors were lost too often"),
)
"""By a phrase in Spark's message, what it means."""
_ENGINES = {"pyspark": "Spark", "py4j": "Spark", "duckdb": "the local engine", "_duckdb": "the local engine"}
"""By the package that an error comes from, the engine that failed."""
_QUERY_INTERRUPTED = "Query interrupted"
"""DuckDB's message for a query that Ctrl-C has ended."""
_OF_BRIDGE = "An error occurred while calling "
"""The beginning of an error message of the bridge to Spark."""
_IN_PYTHON: Final = re.compile(r"\bfailed: KeyboardInterrupt\b")
"""What DuckDB says if Ctrl-C came while it asked Python for a table: its error has no cause that could be looked at."""
_NOT_WRITTEN: Final = re.compile(r'Could not write file \\*"(?P<file>[^"\\]+)\\*": No space left on device')
"""The part of DuckDB's message that a user can use; around it is JSON."""
_LONGEST = 200


@contextmanager
def reported(if_interrupted: str = "interrupted; nothing was written") -> Iterator[None]:
    """Turn what stops a command into one line and an exit status."""
    try:
        yield
    except (Exception, KeyboardInterrupt) as error:
        if interrupted(error):
            _end(if_interrupted, INTERRUPTED)
        sentence = line_about(error)
        if sentence is None:
            raise
        _end(sentence, CANNOT_RUN)


def line_about(error: BaseException) -> str | None:
    """Return the line for an error, or None if it is a defect of the program."""
    if isinstance(error, MqOracleError):
        return str(error)
    if isinstance(error, BrokenPipeError) and nobody_reads():
        return None  # `Program` takes it
    if of_engine(error) or isinstance(error, ConnectionError):
        return f"{_engine_of(error) or 'Spark'} could not continue: {why(error)}"
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the disk is full: {error}"
    return None


@contextmanager
def explained() -> Iterator[None]:
    """Turn an engine's error into a UsageError with one sentence, while the engine still runs.

    The text of a JVM's error has to be asked of the JVM, which is gone once its session has ended.
    """
    try:
        yield
    except Exception as error:
        sentence = line_about(error) if of_engine(error) and not interrupted(error) else None
        if sentence is None:
            raise
        raise UsageError(sentence) from error


@contextmanager
def held() -> Iterator[None]:
    """Hold Ctrl-C and SIGTERM back until the block ends; only the main thread can do that.

    It is for work that must not be interrupted: nothing could end a JVM that is still starting.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {int(each): signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in came[:1]:
            signal.raise_signal(number)


@contextmanager
def unlogged() -> Iterator[None]:
    """Suppress logging within the block: the bridge to Spark logs each exception that passes it, with a traceback."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def interrupted(error: BaseException | None) -> bool:
    """Return whether an error was raised while Ctrl-C was being handled, as when Spark can no longer be notified.

    DuckDB takes Ctrl-C itself while it computes, and raises an error of its own.
    """
    while error is not None:
        if isinstance(error, KeyboardInterrupt) or _ended_a_query(error):
            return True
        error = error.__cause__ or error.__context__
    return False


def _ended_a_query(error: BaseException) -> bool:
    return (
        (isinstance(error, RuntimeError) and str(error) == _QUERY_INTERRUPTED)
        or type(error).__name__ == "InterruptException"
        or (_engine_of(error) == "the local engine" and _IN_PYTHON.search(str(error)) is not None)
    )


def of_engine(error: BaseException) -> bool:
    """Return whether an error comes from Spark, the bridge to it, or the database of the local engine."""
    return _engine_of(error) is not None


def _engine_of(error: BaseException) -> str | None:
    packages = (kind.__module__.partition(".")[0] for kind in type(error).__mro__)
    return next((_ENGINES[package] for package in packages if package in _ENGINES), None)


def why(error: BaseException) -> str:
    """Return in one line why Spark failed: a known meaning, and the innermost cause that it names."""
    text = str(error)
    if full := _NOT_WRITTEN.search(text):
        return f"the disk is full: {full['file']} cannot be written"
    causes = re.findall(r"^Caused by: (.+)$", text, re.MULTILINE)
    lines = (line.strip(": \t") for line in text.splitlines() if not line.startswith(_OF_BRIDGE))
    sentence = next(filter(None, (*causes[-1:], *lines)), type(error).__name__)
    meaning = next((f"{meaning}: " for sign, meaning in _PLAIN if sign in text), "")
    return f"{meaning}{sentence.strip()}"[:_LONGEST]


def _end(sentence: str, status: int) -> None:
    click.echo(f"mq-audit: {sentence}", err=True)
    sys.exit(status)
