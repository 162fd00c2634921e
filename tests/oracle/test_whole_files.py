"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from oracle.errors import UsageError
from oracle.whole_files import whole_file


def test_the_file_takes_its_place_when_it_is_done(tmp_path: Path) -> None:
    path = tmp_path / "report"
    path.write_text("old")
    with whole_file(path) as new:
        new.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "report cannot be written: No space left on device"),
        (ValueError("a mistake"), "a mistake"),
    ],
)
def test_what_goes_wrong_leaves_the_older_file(tmp_path: Path, error: Exception, told: str) -> None:
    path = tmp_path / "report"
    path.write_text("old")
    with pytest.raises((UsageError, ValueError), match=told), whole_file(path) as new:  # noqa: PT012 - half a file
        new.write_text("ne")
        raise error
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with whole_file(path) as new:
        new.write_text("new")
    assert os.read(reader, 10) == b"new"
    os.close(reader)
    assert path.is_fifo()


def test_a_directory_or_a_file_in_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="it is a directory"), whole_file(tmp_path):
        pass
    with pytest.raises(UsageError, match="nowhere: no such directory"), whole_file(tmp_path / "nowhere" / "report"):
        pass
