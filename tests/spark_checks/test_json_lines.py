"""Event logs in JSON Lines: reading in blocks gives the same rows as reading line by line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oracle.histories.event_log import COLUMNS
from spark_checks.frames.schema import HEX_DIGITS, INT_COLUMNS, KIND, NOTE, READ, TEXT_COLUMNS, arrow_types
from spark_checks.readers import json_lines
from spark_checks.readers.detect import Format, Source
from spark_checks.readers.json_lines import batches_of_piece
from spark_checks.readers.pieces import cut

CALL: dict[str, Any] = {"qmgr": "QM", "conn": "A", "seq": 1, "start_us": 5, "end_us": 9, "call": "MQGET"}
_ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.0, 2**31, 2**32 - 1, 2**63, -(2**63), 10**30, 2**60 + 1, "", "x", "MQPUT", "ab" * 24,
    "AB" * 24, "ab" * 16, "ab" * 32, "ab" * 24 + "\n",
    "a\\b", "\u0000", "é", "[", "}\n{", "\ud800", [1], {"a": {}}, float("nan"),
)  # fmt: skip  # values
_SCHEMA = pa.schema({KIND: pa.string(), NOTE: pa.string(), **arrow_types()})
_FITTING = {
    **dict.fromkeys(TEXT_COLUMNS, "x"),
    **dict.fromkeys(set(COLUMNS) - TEXT_COLUMNS, 7),
    **{name: "0a" * (digits // 2) for name, digits in HEX_DIGITS.items()},
    "call": "MQPUT",
}


def _line(members: dict[str, Any]) -> bytes:
    return json.dumps(members, ensure_ascii=False).encode("utf-8", "surrogatepass")


_known = st.sampled_from(COLUMNS)
_sound = st.lists(_known, max_size=4).map(lambda names: CALL | {name: _FITTING[name] for name in names})
_one_odd = st.builds(
    lambda call, name, value: _line(call | {name: value}), _sound, _known | st.just("extra"), st.sampled_from(_ODD)
)
_without_one = st.builds(
    lambda call, name: _line({key: value for key, value in call.items() if key != name}), _sound, _known
)
_DAMAGE: tuple[Callable[[bytes], bytes], ...] = (
    lambda line: line[:-1],
    lambda line: line + b" x",
    lambda line: line + line,
    lambda line: line[:-1] + b',"seq":2}',
    lambda line: line[:-1] + b',"conn":"\xff"}',
    lambda line: line[:-1] + b',"conn":"a\tb"}',
    lambda line: line[:-1] + b',"seq":01}',
    lambda line: line[:-1] + b',"extra":NaN}',
    lambda line: line[:-1] + b',"header":null}',
    lambda line: b" " + line,
    lambda line: line.replace(b": ", b" :  "),
    lambda line: line.replace(b'"seq"', b'"\\u0073eq"'),
    lambda line: b"\xef\xbb\xbf" + line,
    lambda _: b"",
    lambda _: b"[]",
    lambda _: b'{"header":"queue","qmgr":"QM","queue":"Q"}',
)
_damaged = st.builds(lambda call, damage: damage(_line(call)), _sound, st.sampled_from(_DAMAGE))
_lines = st.lists(_sound.map(_line) | _one_odd | _without_one | _damaged, min_size=1, max_size=3)


def _rows(path: Path, text: bytes) -> pa.Table:
    path.write_bytes(text)
    pieces = cut(Source(str(path), Format.EVENT_LOG, compressed=False, size=len(text)))
    return pa.Table.from_batches([batch for piece in pieces for batch in batches_of_piece(piece)], _SCHEMA)


@given(lines=_lines, end=st.sampled_from([b"\n", b"\r\n"]), ended=st.booleans())
@example(lines=[_line(CALL)], end=b"\n", ended=False)
@example(lines=[_line(CALL | {name: _FITTING[name] for name in COLUMNS})], end=b"\r\n", ended=True)
def test_blocks_of_lines_give_the_rows_of_single_lines(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], end: bytes, *, ended: bool
) -> None:
    path, text = tmp_path_factory.mktemp("log") / "log", end.join(lines) + end * ended
    together = _rows(path, text)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(json_lines, "_columns_of", Mock(return_value=None))
        one_by_one = _rows(path, text)
    assert together.to_pylist() == one_by_one.to_pylist()


def test_calls_without_a_fault_are_not_read_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "_rows_of", Mock(side_effect=AssertionError("read line by line")))
    calls = [CALL | {name: _FITTING[name] for name in INT_COLUMNS}, CALL | {"msg_id": "0a" * 24, "conn": "é"}]
    *read, end = _rows(tmp_path / "log", b"\n".join(map(_line, calls))).to_pylist()
    assert [(row["line"], row["conn"]) for row in read] == [(1, "A"), (2, "é")]
    assert (end[KIND], end["line"]) == (READ, 2)
