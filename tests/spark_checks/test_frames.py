"""Frames and columns have the same meaning on both engines, including nulls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark_checks.frames import Column, Engine, Window, union
from spark_checks.frames import functions as fn
from spark_checks.frames.on_spark import SparkEngine

SCHEMA = "k string, n long, flags int, t string, many array<int>"
A_AS_MD5 = "0cc175b9c0f1b6a831c399e269772661"
ROWS = [
    ("a", 1, 5, "AMQ ", [1, None, 3]),
    ("a", 3, None, None, []),
    ("b", 2, 2, "x", None),
    (None, 7, 4, "", [3]),
]


@pytest.fixture(scope="module", params=["local", "spark"])
def each(request: pytest.FixtureRequest) -> Engine:
    """Return each engine in its turn."""
    if request.param == "local":
        return request.getfixturevalue("engine")  # type: ignore[no-any-return]  # a fixture of that type
    spark: SparkSession = request.getfixturevalue("spark")
    return SparkEngine(spark)


def values(engine: Engine, column: Column) -> list[Any]:
    rows = engine.frame(ROWS, SCHEMA).select("n", column.alias("x")).order_by("n").collect()
    return [row["x"] for row in rows]


k, n, flags, t, many = map(fn.col, ("k", "n", "flags", "t", "many"))


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (n + 1 > 3, [False, False, True, True]),
        (flags == 5, [True, False, None, False]),
        (~(flags == 5), [False, True, None, True]),
        ((flags == 5) & (k == "b"), [False, False, False, False]),
        ((flags == 5) | (k == "a"), [True, False, True, None]),
        (flags.bit_and(4) != 0, [True, False, None, True]),
        (flags.same_as(None), [False, False, True, False]),
        (k.is_in("a", "c"), [True, False, True, None]),
        (k.is_in(), [False, False, False, False]),
        (fn.when(flags.is_null(), "none").when(n > 6, "late"), [None, None, "none", "late"]),
        (fn.when(flags == 5, 1).otherwise(0), [1, 0, 0, 0]),
        (fn.coalesce("flags", fn.lit(-1)), [5, 2, -1, 4]),
        (fn.greatest("flags", "n"), [5, 2, 3, 7]),
        (fn.least(fn.lit(None).cast("long"), n), [1, 2, 3, 7]),
        (fn.concat(k, fn.lit("/"), n.cast("string")), ["a/1", "b/2", "a/3", None]),
        (fn.concat_ws("|", k, t), ["a|AMQ ", "b|x", "a", ""]),
        (fn.rtrim("t"), ["AMQ", "x", None, ""]),
        (fn.unpadded("t"), ["AMQ", "x", None, ""]),
        (fn.unpadded(fn.concat("t", fn.lit(" \0x "))), ["AMQ", "x", None, ""]),
        (t.startswith("AM"), [True, False, None, False]),
        (fn.substring("t", 1, 2), ["AM", "x", None, ""]),
        (fn.is_hex("k"), [True, True, True, None]),
        (fn.md5(k), [A_AS_MD5, "92eb5ffee6ae2fec3ad71c777531578f", A_AS_MD5, None]),
        (fn.round(n / 4, 1), [0.3, 0.5, 0.8, 1.8]),
        (fn.floor(n / 2).cast("long"), [0, 1, 1, 3]),
        (fn.signum(n - 2).cast("int"), [-1, 0, 1, 1]),
        (fn.size("many"), [3, None, 0, 1]),
        (fn.get("many", fn.lit(0)), [1, None, None, 3]),
        (fn.array_contains("many", 3), [True, None, False, True]),
        (fn.array_compact("many"), [[1, 3], None, [], [3]]),
        (fn.filter("many", lambda one: one > 1), [[3], None, [], [3]]),
        (fn.transform("many", lambda one: one + 1), [[2, None, 4], None, [], [4]]),
        (fn.forall(fn.array_compact("many"), lambda one: one > 2), [False, None, True, True]),
        (fn.struct("k", n.alias("m"))["m"], [1, 2, 3, 7]),
        (fn.struct("k", n.alias("m")).with_field("m", fn.lit(9))["m"], [9, 9, 9, 9]),
        (fn.when(n > 2, fn.struct("n").with_field("n", fn.lit(9))).is_null(), [True, True, False, False]),
        (-n, [-1, -2, -3, -7]),
    ],
    ids=str,
)
def test_an_expression_is_what_it_says(each: Engine, column: Column, expected: list[Any]) -> None:
    assert values(each, column) == expected


def test_windows_look_back_ahead_and_over_all(each: Engine) -> None:
    frame = each.frame(ROWS, SCHEMA)
    of_key = Window.partition_by("k")
    before = of_key.order_by("n").rows_between(Window.unbounded, -1)
    later = of_key.order_by(fn.desc("n")).range_between(Window.unbounded, -1)
    told = frame.select(
        "n",
        fn.last(fn.when(fn.col("flags") > 0, fn.col("n")), ignorenulls=True).over(before).alias("back"),
        fn.min("n").over(later).alias("next"),
        fn.count("flags").over(of_key).alias("known"),
        fn.sum("n").over(of_key.order_by("n").rows_between(Window.unbounded, Window.current_row)).alias("so_far"),
        fn.row_number().over(of_key.order_by("flags")).alias("place"),
        fn.lag("n").over(of_key.order_by("n")).alias("lag"),
    )
    assert sorted(told.collect()) == [
        (1, None, 3, 1, 1, 2, None),
        (2, None, None, 1, 2, 1, None),
        (3, 1, None, 1, 4, 1, 1),
        (7, None, None, 1, 7, 1, None),
    ]


def test_groups_take_null_with_null_and_leave_it_out_of_what_they_count(each: Engine) -> None:
    groups = (
        each.frame(ROWS, SCHEMA)
        .group_by("k")
        .agg(
            fn.count("*").alias("all"),
            fn.count("flags").alias("known"),
            fn.max("n").alias("most"),
            fn.min(fn.struct("n", "t"))["t"].alias("of_least"),
            fn.array_sort(fn.collect_set("flags")).alias("set"),
        )
    )
    assert sorted(map(tuple, groups.collect()), key=str) == [
        ("a", 2, 1, 3, "AMQ ", [5]),
        ("b", 1, 1, 2, "x", [2]),
        (None, 1, 1, 7, "", [4]),
    ]
    nothing = each.frame([], SCHEMA).agg(
        fn.count("*").alias("n"), fn.collect_set("k").alias("set"), fn.max("n").alias("m")
    )
    assert list(map(tuple, nothing.collect())) == [(0, [], None)]


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("inner", [("a", 1, "A"), ("a", 3, "A")]),
        ("left", [("a", 1, "A"), ("a", 3, "A"), ("b", 2, None), (None, 7, None)]),
        ("left_semi", [("a", 1), ("a", 3)]),
        ("left_anti", [("b", 2), (None, 7)]),
    ],
)
def test_a_null_key_goes_with_nothing(each: Engine, how: str, expected: list[tuple[Any, ...]]) -> None:
    names = each.frame([("a", "A"), (None, "none"), ("z", "Z")], "k string, name string")
    joined = each.frame(ROWS, SCHEMA).select("k", "n").join(fn.broadcast(names), "k", how)
    assert sorted(map(tuple, joined.collect()), key=str) == expected


def test_rows_are_told_apart_put_together_and_counted(each: Engine) -> None:
    frame = each.frame(ROWS, SCHEMA)
    told = frame.select("k", fn.explode("many").alias("one"))
    assert sorted(map(tuple, told.collect()), key=str) == [("a", 1), ("a", 3), ("a", None), (None, 3)]
    assert frame.select(fn.explode_outer("many").alias("one")).count() == 6
    placed = frame.where(fn.col("n") == 1).select(fn.posexplode("many").alias("place", "one")).collect()
    assert sorted(map(tuple, placed), key=str) == [(0, 1), (1, None), (2, 3)]
    both = union([frame.select("k"), frame.select("k")])
    assert (both.count(), both.distinct().count(), frame.where("n > 1 AND k IS NOT NULL").count()) == (8, 3, 2)
    assert frame.drop_duplicates(["k"]).count() == 3
    assert [row["n"] for row in frame.order_by("k", fn.desc("n")).collect()] == [7, 3, 1, 2]
    assert [row["n"] for row in frame.order_by("n").limit(2).collect()] == [1, 2]
    missing = frame.select("k").union_by_name(frame.select("k", "n"), missing_as_null=True)
    assert sorted(row["n"] for row in missing.collect() if row["n"] is not None) == [1, 2, 3, 7]


def test_batches_come_together_by_key_and_in_order(each: Engine) -> None:
    def runs(batches: Any) -> Any:
        import pyarrow as pa  # on the executor

        seen = [row["n"] for batch in batches for row in batch.to_pylist()]
        yield pa.RecordBatch.from_pydict({"ns": [seen]}, schema=pa.schema([("ns", pa.list_(pa.int64()))]))

    rows = [(f"k{number % 3}", number) for number in range(9, -1, -1)]
    found = each.frame(rows, "k string, n long").map_batches(runs, {"ns": "array<long>"}, by=["k"], order=["n"])
    together = [number for row in found.collect() for number in row["ns"]]
    assert [[number for number in together if number % 3 == key] for key in range(3)] == [
        [0, 3, 6, 9],
        [1, 4, 7],
        [2, 5, 8],
    ]
    for key in range(3):  # one after the other
        places = [place for place, number in enumerate(together) if number % 3 == key]
        assert places[-1] - places[0] == len(places) - 1


def test_what_is_written_as_parquet_is_read_with_its_place(each: Engine, tmp_path: Path) -> None:
    frame = each.frame(ROWS, SCHEMA).kept()
    frame.write_parquet(tmp_path / "rows")
    read = each.parquet([str(tmp_path / "rows")], row="at")
    assert sorted(map(str, read.select(*frame.columns).collect())) == sorted(map(str, frame.collect()))
    assert read.schema | {"at": ""} == frame.schema | {"at": ""}


def test_a_row_has_its_values_by_place_and_by_name(each: Engine) -> None:
    (row,) = each.frame([("a", 1)], "k string, n long").collect()
    assert (row[0], row["n"], row.as_dict(), tuple(row)) == ("a", 1, {"k": "a", "n": 1}, ("a", 1))


def test_a_column_is_no_truth_value() -> None:
    with pytest.raises(TypeError, match="combine columns with &"):
        bool(fn.col("a") == 1)
