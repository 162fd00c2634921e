"""Directories that one run at a time writes to."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from oracle.errors import UsageError
from spark_checks.output.claims import claimed
from spark_checks.output.destination import check_apart
from spark_checks.output.exchange import LOCK

ROOT = Path(__file__).parents[2]
HOLDING = """
import sys, time
from pathlib import Path
from spark_checks.output.claims import claimed
with claimed(Path(sys.argv[1])):
    print("claimed", flush=True)
    time.sleep(120)
"""


@contextmanager
def held_by_another(directory: Path) -> Iterator[subprocess.Popen[str]]:
    """Give a process that has a directory."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(directory)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "claimed\n"
        yield process
        process.kill()


def test_a_directory_of_another_run_is_refused_with_the_number_of_its_process(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with held_by_another(out) as other:
        told = rf"out: another run is writing to it \(process {other.pid}\); wait until that has ended"
        with pytest.raises(UsageError, match=told), claimed(out):
            pass
        link = tmp_path / "link"
        link.symlink_to(out)
        with pytest.raises(UsageError, match="link: another run is writing to it"), claimed(link):
            pass
        other.send_signal(signal.SIGKILL)
        other.wait()
        with claimed(out):  # the lock of a run that was killed keeps nobody out
            assert (out / LOCK).read_text() == f"{os.getpid()}\n"
    assert not (out / LOCK).exists()


def test_a_directory_can_be_claimed_again_by_who_has_it(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with claimed(out) as place:
        with claimed(out) as same:
            assert same == place == out
        assert (out / LOCK).exists()
    assert not out.exists()


def test_a_directory_with_other_things_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(UsageError, match=r"other things in it \(thesis.txt\)"), claimed(tmp_path, ["report.html"]):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_lock_file_that_its_run_has_just_removed_locks_nobody_out_and_nothing_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between opening and locking the file, the run that had it ends."""
    flock = fcntl.flock
    removed: list[int] = []

    def late(file: int, how: int) -> None:
        if not removed:
            (tmp_path / LOCK).unlink()
            removed.append(file)
        flock(file, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with claimed(tmp_path):
        assert (tmp_path / LOCK).read_text() == f"{os.getpid()}\n"
    assert removed


@pytest.mark.parametrize("error", [errno.EROFS, errno.ENOLCK])
def test_a_directory_that_cannot_be_locked_is_told_before_the_work(
    error: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(fcntl, "flock", fail)
    with pytest.raises(UsageError, match="nothing can be written in this directory: "), claimed(tmp_path / "out"):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("out", "state"), [("a", "a"), ("a", "link"), ("a", "a/b"), ("a/b", "a")])
def test_a_report_and_a_state_have_directories_of_their_own(out: str, state: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("a")
    with pytest.raises(UsageError, match="are not two directories side by side"):
        check_apart(tmp_path / out, tmp_path / state)
    check_apart(tmp_path / "a", tmp_path / "ab")
