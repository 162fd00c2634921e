"""The choice of the engine of an audit: this process or Spark, by the size of the input or as the user says."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from oracle.errors import UsageError
from spark_checks.engines.java import INSTALL
from spark_checks.engines.machine import GIB, Machine
from spark_checks.frames import Engine
from spark_checks.frames.without_pandas import leave_pandas_out

LOCAL, SPARK = "local", "spark"
ENGINES: Final = (LOCAL, SPARK)
"""The engines by name. `local` needs no Java."""

is_own_process = False
"""Whether this process runs nothing but a command of `mq-audit`, which may then change what can be imported."""

LOCAL_BYTES: Final = GIB // 2
"""The size of input, counted as text, up to which it is audited in this process unless the user says otherwise."""
SMALL_BYTES: Final = 32 * 2**20
"""The size of input up to which Spark takes longer to start than to run."""


@dataclass(frozen=True)
class Choice:
    """The engine to use."""

    name: str
    """Its name: LOCAL or SPARK."""
    why: str
    """The reason, in words."""
    master: str | None = None
    """The Spark master that the user gave. None if none was given."""
    small: bool = False
    """Whether the input is small, so that the engine gets settings for few rows."""


def choose(asked: str | None, master: str | None, text_bytes: int) -> Choice:
    """Return which engine to use for an input of so many bytes, counted as text, and why.

    A master asks for Spark. Raises UsageError for an engine and a master that do not go together, and for an input that
    is too large for this process where Spark is missing.
    """
    if asked == LOCAL and master is not None:
        raise UsageError("--master is about Spark: leave it out, or say --engine spark")
    size = "a small input" if text_bytes < SMALL_BYTES else f"an input of {text_bytes / 2**20:,.0f} MiB"
    small = text_bytes < SMALL_BYTES
    if asked is not None or master is not None:
        return Choice(asked or SPARK, "as asked for", master, small)
    if text_bytes <= LOCAL_BYTES:
        return Choice(LOCAL, size, small=small)
    if find_spec("pyspark") is None:
        raise UsageError(
            f"{size} is large for this process alone, and Spark is not installed: {INSTALL},"
            " or try it here with --engine local"
        )
    return Choice(SPARK, size)


@contextmanager
def started(choice: Choice) -> Iterator[Engine]:
    """Yield a running engine; its files are removed afterwards.

    Raises UsageError if it cannot be started.
    """
    if choice.name == SPARK:
        try:
            from spark_checks.engines.spark_session import session
            from spark_checks.frames.on_spark import SparkEngine  # needs Spark
        except ImportError as error:
            raise UsageError(f"Spark is not installed: {INSTALL}") from error
        with session(choice.master, small=choice.small) as spark:
            yield SparkEngine(spark)
        return
    from spark_checks.frames.local import LocalEngine

    if is_own_process:
        leave_pandas_out()
    with tempfile.TemporaryDirectory(prefix="mq-audit-", ignore_cleanup_errors=True) as directory:
        here = Machine.here()
        local = LocalEngine(Path(directory), here.memory // 2, here.cores, small=choice.small)
        try:
            yield local
        finally:
            local.close()
