"""A full disk while reports are written: a plain sentence, exit status 2, and the other reports are kept."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.reports.files import write_report
from oracle.errors import UsageError

ARGUMENTS = ["run", "--target", "python:oracle.serve:Server", "--select", "lock/unlock-without-a-lock", "--seed", "1"]


@pytest.fixture
def _full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the disk be full for everything written below a folder `full`, after a few bytes."""
    write = Path.write_text

    def until_full(path: Path, data: str, encoding: str | None = None) -> int:
        if "full" in path.parts:
            write(path, data[:10], encoding=encoding)
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, data, encoding=encoding)

    monkeypatch.setattr(Path, "write_text", until_full)


@pytest.mark.usefixtures("_full_disk")
@pytest.mark.parametrize("option", ["--junit", "--html", "--json"])
def test_the_other_reports_are_kept(tmp_path: Path, option: str) -> None:
    full, kept = tmp_path / "full" / "report", tmp_path / "kept.json"
    full.parent.mkdir()
    other = ["--json", str(kept)] if option != "--json" else ["--junit", str(kept)]
    result = CliRunner().invoke(main, [*ARGUMENTS, option, str(full), *other])
    assert result.exit_code == 2
    assert f"{full} cannot be written: No space left on device" in result.output
    assert "1 conforms" in result.output
    assert "unlock-without-a-lock" in kept.read_text()
    assert list(full.parent.iterdir()) == []


@pytest.mark.usefixtures("_full_disk")
def test_a_history_that_does_not_fit_ends_the_run_with_its_results(tmp_path: Path) -> None:
    full, kept = tmp_path / "full", tmp_path / "kept.json"
    result = CliRunner().invoke(main, [*ARGUMENTS, "--history", str(full), "--json", str(kept)])
    assert result.exit_code == 2
    assert "cannot be written: No space left on device" in result.output
    assert json.loads(kept.read_text())["ended_early"] == "the run broke off"


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="the system has no device that is always full")
@pytest.mark.parametrize("command", [ARGUMENTS, ["list"]])
def test_standard_output_that_takes_no_more_is_told_and_reports_are_kept(tmp_path: Path, command: list[str]) -> None:
    kept = tmp_path / "kept.json"
    more = ["--json", str(kept)] if command is ARGUMENTS else []
    with FULL.open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "conformance", *command, *more],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            cwd=Path(__file__).parents[2],
        )
    assert ended.returncode == 2
    assert ended.stderr == "mq-conform: standard output cannot be written: No space left on device\n"
    assert kept.exists() == bool(more)


@pytest.mark.skipif(not FULL.exists(), reason="the system has no device that is always full")
def test_a_device_is_written_to_and_not_replaced_by_a_file(tmp_path: Path) -> None:
    link = tmp_path / "report"
    link.symlink_to(FULL)
    with pytest.raises(UsageError, match="report cannot be written: No space left"):
        write_report(link, "text")
    assert link.is_symlink()
    link.unlink()
    link.symlink_to("/dev/null")
    write_report(link, "text")
    assert link.is_symlink()
    assert list(tmp_path.iterdir()) == [link]
