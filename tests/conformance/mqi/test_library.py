"""A missing or invalid library: one sentence that says what to do, and exit status 2."""

from __future__ import annotations

import ctypes.util
import struct
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.mqi.library import NAMES, Library, LibraryError

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the messages of other linkers differ")


def elf(bits: int) -> bytes:
    """Return the beginning of a shared library for 32-bit or 64-bit programs."""
    return (
        b"\x7fELF"
        + bytes([bits // 32, 1, 1, *[0] * 9])
        + struct.pack("<HHI", 3, 3 if bits == 32 else 62, 1)
        + bytes(200)
    )


def test_a_path_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="there is no such file"):
        Library(str(tmp_path / "libmqm_r.so"))


def test_a_folder_without_the_library(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="the folder has neither"):
        Library(str(tmp_path))


@LINUX
def test_a_library_of_another_word_size(tmp_path: Path) -> None:
    ours = 8 * struct.calcsize("P")
    path = tmp_path / NAMES["linux"][0]
    path.write_bytes(elf(96 - ours))
    with pytest.raises(LibraryError, match=f"not of {ours} bits"):
        Library(str(tmp_path))


@LINUX
def test_a_file_that_is_no_library(tmp_path: Path) -> None:
    path = tmp_path / "libmqm_r.so"
    path.write_text("not a library")
    with pytest.raises(LibraryError, match="cannot be loaded"):
        Library(str(path))


def test_a_library_of_something_else() -> None:
    name = ctypes.util.find_library("m") or pytest.skip("there is no library of mathematics here")
    with pytest.raises(LibraryError, match="not an MQ client library: it has no MQCONNX"):
        Library(name)


def test_the_command_says_so_and_ends_with_2(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["run", "--target", "mqi:QM1", "--library", str(tmp_path / "none.so")])
    assert result.exit_code == 2
    assert result.output.count("\n") == 1
    assert "there is no such file" in result.output


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--target", "mq-oracle serve", "--channel", "C"], "--channel is for a queue manager"),
        (["--target", "mqi:QM1", "--channel", "C"], "--channel and --host belong together"),
        (["--target", "mqi:QM1", "--queue-prefix", "WAY.TOO.LONG.FOR.NAMES"], "1 to 18 characters"),
        (["--target", "mqi:QM1", "--queue-prefix", "A B"], "no queue's name can have ' '"),
        (["--target", "mqi:QM1", "--queue-prefix", "SYSTEM.X"], "must not begin with SYSTEM"),
        (["--target", "mqi:QM1", "--user", "alice"], "MQORACLE_PASSWORD"),
    ],
)
def test_options_that_do_not_fit(arguments: list[str], told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MQORACLE_PASSWORD", raising=False)
    result = CliRunner().invoke(main, ["run", *arguments])
    assert result.exit_code == 2
    assert told in result.output
