"""Windows computed by place are what their definition says, for all small columns."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_checks.frames import Window, frame, windowed
from spark_checks.frames import functions as fn
from spark_checks.frames import local as local_engine
from spark_checks.frames.local import LocalEngine
from spark_checks.frames.places import Places, in_window, is_known

PREFIXES = [("rows", None, 0), ("rows", None, -1), ("range", None, -1), ("rows", None, None), None]

KINDS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "numbers": (pa.int32(), st.none() | st.integers(-3, 3)),
    "far apart": (pa.int64(), st.none() | st.sampled_from([-(2**62), -1, 0, 2**62])),
    "texts": (pa.string(), st.none() | st.sampled_from(["", "a", "ab", "b"])),
    "truths": (pa.bool_(), st.none() | st.booleans()),
    "structs": (
        pa.struct([("x", pa.int64()), ("of", pa.struct([("y", pa.string())]))]),
        st.none() | st.builds(lambda x, y: {"x": x, "of": {"y": y}}, st.integers(0, 1), st.sampled_from("ab")),
    ),
}


def _plain(value: Any) -> Any:
    """Return a value that Python puts in order as a database does."""
    return tuple(map(_plain, value.values())) if isinstance(value, dict) else value


def _defined(op: str, values: list[Any]) -> Any:
    known = [value for value in values if value is not None]
    if op == "count":
        return len(known)
    if op == "sum":
        return sum(known) if known else None
    if op == "last":
        return values[-1] if values else None
    if op == "last_known":
        return known[-1] if known else None
    best = {"max": max, "min": min}[op]
    return best(known, key=_plain) if known else None


def _counted(rows: list[tuple[int, int, Any]], at: int, window: Any) -> list[Any]:
    """Return the values that count for a row, by the definition of the window."""
    partition, order, _ = rows[at]
    own = [(place, row) for place, row in enumerate(rows) if row[0] == partition]
    if window is None:
        return [row[2] for _, row in own if row[1] <= order]
    kind, _, end = window
    if end is None:
        return [row[2] for _, row in own]
    if kind == "range":
        return [row[2] for _, row in own if row[1] < order]
    return [row[2] for place, row in own if place <= at + end]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("op", ["max", "min", "count", "sum", "last", "last_known"])
@given(data=st.data())
def test_a_function_of_a_window_is_what_its_definition_says(op: str, kind: str, data: st.DataObject) -> None:
    type_, value = KINDS[kind]
    if op == "sum" and kind != "numbers":
        return
    found = data.draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), value), max_size=12))
    rows = sorted(found, key=lambda row: row[:2])
    partition, order, values = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
    places = Places.of([pa.array(partition, pa.int64())], [pa.array(order, pa.int64())])
    for window in PREFIXES:
        got = in_window(op, [pa.array(values, type_)], window, places).to_pylist()
        assert got == [_defined(op, _counted(rows, at, window)) for at in range(len(rows))], window


@given(rows=st.lists(st.tuples(st.integers(0, 3), st.none() | st.integers(0, 3)), max_size=12))
def test_different_values_are_counted_once(rows: list[tuple[int, int | None]]) -> None:
    rows = sorted(rows, key=lambda row: row[0])
    partition, values = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [])
    places = Places.of([pa.array(partition, pa.int64())], [])
    got = in_window("different", [pa.array(values, pa.int64())], None, places, ordered=False).to_pylist()
    assert got == [len({value for key, value in rows if key == own and value is not None}) for own, _ in rows]


def test_neighbours_are_those_of_the_partition() -> None:
    places = Places.of([pa.array([1, 1, 2, None, None])], [pa.array([1, 2, 1, 1, 2])])
    values = pa.array(["a", "b", "c", "d", "e"])
    assert in_window("lag", [values], None, places).to_pylist() == [None, "a", None, None, "d"]
    assert in_window("lead", [values], None, places).to_pylist() == ["b", None, None, "e", None]
    assert in_window("row_number", [], None, places).to_pylist() == [1, 2, 1, 1, 2]


def test_other_windows_are_left_to_the_database() -> None:
    assert not is_known("max", ("range", -5, 5))
    assert not is_known("collect_list", None)


def _windows(engine: LocalEngine, rows: list[tuple[int, int, int]]) -> list[frame.Row]:
    given = engine.frame(rows, "key long, at long, value long")
    order = Window.partition_by("key").order_by("at").rows_between(Window.unbounded, Window.current_row)
    found = given.select("*", fn.sum("value").over(order).alias("so_far")).where("value > 0")
    again = found.select("*", fn.max("so_far").over(Window.partition_by("key")).alias("most"))
    return sorted(again.collect())


def test_partitions_stay_whole_when_rows_come_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few rows are computed at once, partitions are not distinguished."""
    rows = [(key, at, (key * at) % 5) for key in range(7) for at in range(40)]
    whole = LocalEngine()
    expected = _windows(whole, rows)
    monkeypatch.setattr(windowed, "_BYTES", 1)
    monkeypatch.setattr(local_engine, "_BATCH", 9)
    assert _windows(LocalEngine(), rows) == expected
    assert len(expected) == sum(value > 0 for _, _, value in rows)


def test_a_table_is_given_back_when_nothing_uses_it() -> None:
    engine = LocalEngine()
    _windows(engine, [(1, 1, 1)])
    assert engine.query("SELECT count(*) FROM duckdb_tables()").fetchall() == [(0,)]
