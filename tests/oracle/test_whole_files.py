"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from oracle.errors import UsageError
from oracle.text.whole_files import check_place, whole_file

ROOT = Path(__file__).parents[2]


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


def test_a_link_is_followed_and_stays_one(tmp_path: Path) -> None:
    place, link = tmp_path / "there" / "report", tmp_path / "link"
    place.parent.mkdir()
    link.symlink_to(Path("there") / "report")
    for text in ("one", "two"):  # the first time it leads to nothing
        check_place(link)
        with whole_file(link) as new:
            new.write_text(text)
        assert link.is_symlink()
        assert place.read_text() == text
    assert list(place.parent.iterdir()) == [place]


@pytest.mark.parametrize(
    ("leads_to", "told"),
    [
        ("link", "a link that leads in a circle"),
        ("no/report", "no file can be written in the folder"),
        (".", "directory"),
    ],
)
def test_a_link_that_leads_to_no_file_is_refused_before_the_work(leads_to: str, told: str, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(leads_to)
    with pytest.raises(UsageError, match=told):
        check_place(link)
    assert list(tmp_path.iterdir()) == [link]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system does not name open files")
def test_standard_output_that_is_a_file_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    code = "import sys; from pathlib import Path; from oracle.text.whole_files import whole_file\n"
    code += "with whole_file(Path(sys.argv[1])) as new: new.write_text('text')\nprint(' and more')"
    out, link = tmp_path / "out", tmp_path / "link"
    link.symlink_to("/proc/self/fd/1")
    for path in (Path("/dev/stdout"), link):
        with out.open("ab") as file:
            subprocess.run([sys.executable, "-c", code, str(path)], stdout=file, check=True, cwd=ROOT)
        assert out.read_text() == "text and more\n"
    assert sorted(tmp_path.iterdir()) == [link, out]
    assert Path("/dev/stdout").is_symlink()


def test_a_file_that_is_a_mount_of_its_own_is_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report"
    path.write_text("older and longer")
    number = path.stat().st_ino

    def replace(_: Path, target: Path) -> None:
        raise OSError(errno.EBUSY, "Device or resource busy", str(target))

    monkeypatch.setattr(Path, "replace", replace)
    with whole_file(path) as new:
        new.write_text("new")
    assert (path.read_text(), path.stat().st_ino) == ("new", number)
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_may_not_be_written_to_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anywhere
    with pytest.raises(UsageError, match="no file can be written in the folder"):
        check_place(tmp_path / "report")
    with pytest.raises(UsageError, match="may not be written to"):
        check_place(Path(os.devnull))


def test_a_name_that_no_file_can_have_is_refused_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written: File name too long"):
        check_place(tmp_path / ("x" * 300))
