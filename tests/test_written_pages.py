"""The command by which a module of bench writes a page of docs, or says that it is out of date."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.pages import page_command


def test_a_page_that_is_out_of_date_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "page.md"

    def status(*arguments: str) -> int:
        monkeypatch.setattr("sys.argv", ["", *arguments])
        return page_command(path, lambda: "| LCK-12 |\n")

    assert [status("--check"), status(), status("--check")] == [1, 0, 0]
    assert "docs/page.md is out of date" in capsys.readouterr().err
    path.write_text("| LCK-99 |\n", encoding="utf-8")
    assert status("--check") == 1
