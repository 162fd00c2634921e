"""The notebook of an audit: it has the right format, no outputs that could be stale, and its cells run."""

from __future__ import annotations

import json
import subprocess
import sys
from os import environ, pathsep
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).parents[1] / "docs" / "examples" / "audit.ipynb"


def notebook() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return found


def test_it_is_a_notebook_without_outputs() -> None:
    found = notebook()
    assert (found["nbformat"], found["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in found["cells"]}) == len(found["cells"]) > 10
    for cell in found["cells"]:
        assert cell["cell_type"] in ("markdown", "code")
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)


def test_its_cells_run_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = ["".join(cell["source"]) for cell in notebook()["cells"] if cell["cell_type"] == "code"]
    program = tmp_path / "cells.py"
    program.write_text("\n\n".join(code), encoding="utf-8")
    monkeypatch.setenv("PATH", pathsep.join((str(Path(sys.executable).parent), environ["PATH"])))
    done = subprocess.run(
        [sys.executable, str(program)], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "report" / "summary.json").read_text(encoding="utf-8"))
    assert summary["violations"] > 0
    assert f"{summary['violations']} violations" in done.stdout
    for cause in summary["causes"]:
        assert cause["rule"] in done.stdout
    assert "Finding 1" in done.stdout
