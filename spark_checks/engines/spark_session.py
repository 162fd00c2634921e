"""The Spark session of the audit: it is started with a suitable Java, is quiet, and leaves no files behind.

>>> with session() as spark:  # doctest: +SKIP
...     spark.range(3).count()
3
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from oracle.errors import UsageError
from spark_checks.engines.executors import lacking
from spark_checks.engines.java import INSTALL, find_java, make_java_home
from spark_checks.engines.machine import GIB, Machine
from spark_checks.failures import held, why

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOGGING = """\
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
rootLogger.level = off
rootLogger.appenderRef.console.ref = console
logger.gateway.name = org.apache.spark.api.python.PythonGatewayServer
logger.gateway.level = off
"""
_SHIPPED = ("oracle", "spark_checks")
_QUICK_START = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""JVM options for a small log, where starting takes most of the time: compile quickly rather than well."""
_COMPILE_WELL_LATER = (
    "-XX:Tier4InvocationThreshold=50000",
    "-XX:Tier4MinInvocationThreshold=6000",
    "-XX:Tier4CompileThreshold=150000",
    "-XX:Tier4BackEdgeThreshold=400000",
)
_INLINE_LESS = ("-XX:FreqInlineSize=120", "-XX:InlineSmallCode=1000")
_THROUGHPUT = ("-XX:+UseParallelGC", *_COMPILE_WELL_LATER, *_INLINE_LESS)
"""JVM options for a large log, where throughput matters and pauses do not.

Each query is code of its own, with long methods; with the JVM's delacking, optimizing them takes half of the time of a
million records. So a method must run ten times as often before it is optimized, and inlines fewer others.
"""
_FOR_FEW_ROWS = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "4",
}
"""Settings for few rows: compiling a query takes longer than interpreting it, and so does replanning between stages."""
_FOR_MANY_ROWS = {
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.adaptive.coalescePartitions.initialPartitionNum": "400",
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
    "spark.sql.adaptive.advisoryPartitionSizeInBytes": "8m",
    "spark.buffer.pageSize": "4m",
    "spark.memory.storageFraction": "0.2",
    "spark.unsafe.sorter.spill.read.ahead.enabled": "false",
    "spark.sql.codegen.hugeMethodLimit": "8000",
}
"""Settings for many rows.

A task runs several sorts and windows at once, and none of them gives memory to another. So partitions are small (8 MiB
become 100 in memory), and what is large goes to disk early; reading it ahead would take two more buffers for each part.
Methods longer than the limit would be interpreted by the JVM; Spark makes several of them instead.
"""
_COMPUTES_TWICE = "org.apache.spark.sql.catalyst.optimizer.InferFiltersFromGenerate"
"""An optimizer rule that tests each array for emptiness before exploding it: arrays of the sweep are computed twice."""
_ASKED_FOR_OFTEN = ("functions", "org.apache.spark.sql.functions", "PythonUtils")
"""Classes of the JVM, by the names under which PySpark looks them up."""
_HEAP_OF_A_ROW = 40_000
_ROWS_OF_A_WINDOW = (4_096, 32_768)
_ROWS_ON_A_CLUSTER = 16_384


def _spilling(machine: Machine | None) -> dict[str, str]:
    """Return how many rows the windows and sorts of a task keep in memory before they write them to disk.

    Some ten of them run at once. With a row of about 1,000 bytes for every 40,000 bytes of a task's heap, they take a
    quarter of it.
    """
    least, most = _ROWS_OF_A_WINDOW
    if machine is None:
        rows = _ROWS_ON_A_CLUSTER
    else:
        rows = min(most, max(least, machine.heap_gib * GIB // machine.tasks // _HEAP_OF_A_ROW))
    return {
        "spark.sql.windowExec.buffer.in.memory.threshold": str(rows),
        "spark.sql.windowExec.buffer.spill.threshold": str(2 * rows),
        "spark.shuffle.spill.numElementsForceSpillThreshold": str(8 * rows),
    }


def _settings(machine: Machine | None, work: Path, *, small: bool) -> dict[str, str]:
    """Return the settings for Spark on the given machine alone, or on a cluster if that is None."""
    logging = work / "log4j2.properties"
    logging.write_text(_LOGGING, encoding="utf-8")
    java = [f"-Dlog4j2.configurationFile={logging.as_uri()}", f"-Dderby.system.home={work}"]
    java += _QUICK_START if small else _THROUGHPUT
    settings = {
        "spark.app.name": "mq-audit",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.extraJavaOptions": " ".join(java),
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": str(work / "warehouse"),
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.ansi.enabled": "true",
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        "spark.sql.catalogImplementation": "in-memory",
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
        "spark.sql.optimizer.excludedRules": _COMPUTES_TWICE,
        "spark.sql.constraintPropagation.enabled": "false",  # fails on unions of kept frames: key not found
    }
    if machine is not None:
        settings |= {
            "spark.driver.memory": f"{machine.heap_gib}g",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.local.dir": str(work / "local"),
            "spark.sql.shuffle.partitions": str(max(2, machine.tasks)),
        }
    return settings | (_FOR_FEW_ROWS if small else _FOR_MANY_ROWS | _spilling(machine))


class _AskedOnce:
    """A class of the JVM whose members are looked up once; PySpark looks them up for each part of each expression."""

    def __init__(self, java_class: object) -> None:
        self._java_class = java_class

    def __getattr__(self, name: str) -> object:
        member = getattr(self._java_class, name)
        setattr(self, name, member)
        return member


def _ask_once(spark: SparkSession) -> None:
    """Cache the JVM lookups that expressions need: they take a tenth of the time of a small log."""
    jvm = spark.sparkContext._jvm  # noqa: SLF001 - pyspark has no public way to it
    for name in _ASKED_FOR_OFTEN:
        setattr(jvm, name, _AskedOnce(getattr(jvm, name)))


@contextmanager
def _environment(changes: dict[str, str]) -> Iterator[None]:
    """Set environment variables for the start of the JVM, which inherits them."""
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _ship_code(spark: SparkSession, work: Path) -> None:
    """Send this project's packages to executors of other machines, which may not have them."""
    archive = work / "mqoracle.zip"
    with zipfile.ZipFile(archive, "w") as bundle:
        for package in _SHIPPED:
            for folder in sys.modules[package].__path__:
                for file in Path(folder).rglob("*"):
                    if file.is_file() and file.suffix in {".py", ".yaml"}:
                        bundle.write(file, Path(package) / file.relative_to(folder))
    spark.sparkContext.addPyFile(str(archive))


def _check_executors(spark: SparkSession, master: str, python: str) -> None:
    """End the session and raise UsageError if the executors of a cluster cannot do the audit's work.

    `python` is the path of the Python that they use.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        missing = lacking(spark)
        faults = "; ".join(f"{python} on {machine} lacks {', '.join(names)}" for machine, names in missing.items())
    except (PySparkException, Py4JError) as error:
        faults = f"their Python is to be {python}: {why(error)}"
    if faults:
        spark.stop()
        raise UsageError(
            f"the executors of {master} cannot run the audit: {faults}. Install what is missing there, or send a "
            "packed environment (docs/clusters.md)"
        )


def check_master(master: str) -> None:
    """Raise UsageError for a string that is no Spark master: Spark itself would print a stack trace."""
    if "://" not in master and not master.startswith(("local", "yarn")):
        raise UsageError(f"{master} is not a Spark master, such as local[4], spark://host:7077, yarn or k8s://host:443")


def make_session(master: str | None, work: Path, *, small: bool = False) -> SparkSession:
    """Start a session that keeps all its files in the directory `work`.

    `master` is any Spark master; None means this machine (spark_checks.engines.machine). `small` tunes for a small log.
    Raises UsageError if pyspark or a fitting Java is missing, or if the master cannot be reached.
    """
    try:
        from py4j.protocol import Py4JError  # imported here because it is heavy and optional
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise UsageError(f"the audit needs Spark: {INSTALL}") from error
    here = Machine.here()
    wanted = master or f"local[{here.tasks}]"
    check_master(wanted)
    machine = here if wanted.startswith("local") else None
    environment = {
        "JAVA_HOME": str(make_java_home(find_java(), work / "java")),
        "PYSPARK_PYTHON": sys.executable if machine is not None else os.environ.get("PYSPARK_PYTHON", sys.executable),
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }
    if wanted.startswith(("local", "spark://127.", "spark://localhost")):
        environment["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder.master(wanted)
    for name, value in _settings(machine, work, small=small).items():
        builder = builder.config(name, value)
    try:
        with _environment(environment):
            spark = builder.getOrCreate()
    except (PySparkException, Py4JError, OSError, RuntimeError) as error:
        raise UsageError(f"no Spark session on {wanted}: {why(error)}") from error
    _ask_once(spark)
    if machine is None:
        _ship_code(spark, work)
        _check_executors(spark, wanted, environment["PYSPARK_PYTHON"])
    return spark


def _stop(spark: SparkSession | None) -> None:
    """Stop the session (None if it was not made), and wait for its JVM so that it leaves no files behind."""
    if "pyspark" not in sys.modules:
        return
    from pyspark import SparkContext

    gateway = SparkContext._gateway  # noqa: SLF001 - pyspark has no public way to end the JVM that it started
    if spark is not None:
        spark.stop()
    process: subprocess.Popen[bytes] | None = getattr(gateway, "proc", None)
    if gateway is None or process is None:
        return
    gateway.shutdown()
    SparkContext._gateway = None  # noqa: SLF001 - or the next session would look for this JVM
    SparkContext._jvm = None  # noqa: SLF001 - likewise
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=20)


@contextmanager
def session(master: str | None = None, *, small: bool = False) -> Iterator[SparkSession]:
    """Yield a session: the running one, or a new one that ends with the block.

    `master` and `small` are those of make_session.

    Raises UsageError as make_session does.
    """
    if "pyspark" in sys.modules:
        from pyspark.sql import SparkSession

        running = SparkSession.getActiveSession()
        if running is not None:
            yield running
            return
    with tempfile.TemporaryDirectory(prefix="mq-audit-", ignore_cleanup_errors=True) as directory:
        spark = None
        try:
            with held():
                spark = make_session(master, Path(directory), small=small)
            yield spark
        finally:
            with held():
                _stop(spark)
