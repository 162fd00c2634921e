"""What is said to hold for no row holds for none, and conditions that read known columns only are judged exactly."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from spark_checks.frames import Column, Engine, Frame
from spark_checks.frames import functions as fn
from spark_checks.frames.kinds import kinds_of

SCHEMA = "role string, options long, whole boolean, put struct<options: long, lo: long>, lo long"
ROWS = st.tuples(
    st.none() | st.sampled_from(["put", "take"]),
    st.none() | st.integers(0, 3),
    st.none() | st.booleans(),
    st.none() | st.fixed_dictionaries({"options": st.none() | st.integers(0, 1), "lo": st.integers(0, 1)}),
    st.none() | st.integers(0, 1),
)
BY = ("role", "options", "whole", "put.options")
NUMBERS = ["options", "put.options", "lo", "put.lo"]


def _comparison(name: str, op: str, number: int) -> Column:
    column = fn.col(name)
    return {"=": column == number, "<": column < number, ">=": column >= number, "bit": column.bit_and(number) != 0}[op]


def _conditions(names: list[str]) -> st.SearchStrategy[Column]:
    leaves = [
        st.builds(_comparison, st.sampled_from(names), st.sampled_from(["=", "<", ">=", "bit"]), st.integers(0, 3)),
        st.builds(lambda roles: fn.col("role").is_in(*roles), st.lists(st.sampled_from(["put", "take", "see"]))),
        st.builds(lambda name: fn.col(name).is_null(), st.sampled_from([*names, "role"])),
        st.builds(lambda name: fn.col("put")[name].is_not_null(), st.just("options")),
        st.just(fn.col("whole")),
        st.builds(lambda value: fn.lit(value).cast("boolean") if value is None else fn.lit(value), st.booleans()),
    ]
    return st.recursive(
        st.one_of(leaves),
        lambda inner: st.one_of(
            st.builds(lambda one, other: one & other, inner, inner),
            st.builds(lambda one, other: one | other, inner, inner),
            st.builds(lambda one: ~one, inner),
            st.builds(lambda one, value: one.same_as(value), inner, st.booleans()),
            st.builds(fn.coalesce, inner, inner),
            st.builds(lambda one, other, third: fn.when(one, other).when(other, third), inner, inner, inner),
            st.builds(lambda one, other, third: fn.when(one, other).otherwise(third), inner, inner, inner),
        ),
        max_leaves=8,
    )


def _matching(rows: Frame, conditions: list[Column]) -> list[bool]:
    """Return for each condition whether the engine finds a row that fulfils it."""
    counts = [fn.count(fn.when(condition, 1)).alias(f"c{number}") for number, condition in enumerate(conditions)]
    (found,) = rows.agg(*counts).collect()
    return [bool(count) for count in found]


@settings(max_examples=30, deadline=None)
@given(rows=st.lists(ROWS, min_size=1, max_size=5), conditions=st.lists(_conditions(NUMBERS), min_size=1, max_size=12))
def test_what_no_row_may_fulfil_none_fulfils(engine: Engine, rows: list[Any], conditions: list[Column]) -> None:
    frame = engine.frame(rows, SCHEMA)
    kinds = kinds_of(frame, by=BY, nulls=("put", "lo"))
    may = [kinds.may_hold(condition) for condition in conditions]
    assert all(may[number] for number, there in enumerate(_matching(frame, conditions)) if there)


@settings(max_examples=30, deadline=None)
@given(rows=st.lists(ROWS, min_size=1, max_size=5), conditions=st.lists(_conditions(NUMBERS[:2]), min_size=1))
def test_conditions_on_known_columns_are_judged_exactly(
    engine: Engine, rows: list[Any], conditions: list[Column]
) -> None:
    frame = engine.frame(rows, SCHEMA)
    kinds = kinds_of(frame, by=BY, nulls=("put",))
    assert [kinds.may_hold(condition) for condition in conditions] == _matching(frame, conditions)


def test_a_column_that_is_null_in_all_rows_of_a_kind_fulfils_nothing(engine: Engine) -> None:
    frame = engine.frame([("put", 1, True, None, None), ("take", 1, True, None, 5)], SCHEMA)
    kinds = kinds_of(frame, by=("role",), nulls=("put", "lo"))
    assert not kinds.may_hold((fn.col("role") == "put") & (fn.col("lo") > 0))
    assert kinds.may_hold((fn.col("role") == "take") & (fn.col("lo") > 7))
    assert not kinds.may_hold(fn.col("put.lo") >= 0)


def test_a_frame_with_very_many_kinds_may_fulfil_anything(engine: Engine) -> None:
    frame = engine.frame([("put", number, True, None, None) for number in range(1001)], SCHEMA)
    kinds = kinds_of(frame, by=("options",), nulls=())
    assert kinds.may_hold(fn.col("options") == -1)
