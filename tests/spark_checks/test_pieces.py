"""Files are read line by line in pieces: every line once, with its number in the file."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.errors import BadInputError
from spark_checks.readers.detect import Format, Source
from spark_checks.readers.pieces import Piece, count_line_ends, cut, numbered_lines


def source(path: Path, *, compressed: bool = False) -> Source:
    return Source(str(path), Format.EVENT_LOG, compressed, path.stat().st_size)


@given(
    lines=st.lists(st.sampled_from([b"", b" ", b"{}", b'{"a":1}', b"\r", "é".encode()]), max_size=20),
    ended=st.booleans(),
    size=st.integers(1, 30),
)
def test_pieces_together_hold_every_line_once(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], size: int, *, ended: bool
) -> None:
    path = tmp_path_factory.mktemp("pieces") / "log.jsonl"
    path.write_bytes(b"\n".join(lines) + (b"\n" if ended else b""))
    pieces = cut(source(path), size)
    before, found = 0, []
    for piece in pieces:
        numbered = Piece(piece.source, piece.start, piece.stop, before)
        for number, line in numbered_lines(numbered):
            assert isinstance(line, bytes)
            found.append((number, line.rstrip(b"\n")))
        before += count_line_ends(piece)
    assert found == [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"\xef\xbb\xbf{}\n{}\n")
    assert list(numbered_lines(cut(source(path))[0])) == [(1, b"{}\n"), (2, b"{}\n")]


def test_compressed_files_are_numbered_too(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl.gz"
    path.write_bytes(gzip.compress(b"{}\n\n") + gzip.compress(b"{}\n"))
    (piece,) = cut(source(path, compressed=True))
    assert list(numbered_lines(piece)) == [(1, b"{}\n"), (3, b"{}\n")]


def test_a_truncated_gzip_gives_its_lines_and_then_an_error_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl.gz"
    whole = gzip.compress(b"".join(b"%d\n" % number for number in range(100_000)))
    path.write_bytes(whole[: len(whole) // 2])
    (piece,) = cut(source(path, compressed=True))
    *seen, (number, error) = numbered_lines(piece)
    assert [line for _, line in seen] == [b"%d\n" % number for number in range(len(seen))]
    assert len(seen) > 40_000
    assert isinstance(error, BadInputError)
    assert (number, str(error)) == (len(seen) + 1, f"{path}:{len(seen) + 1}: truncated gzip")
