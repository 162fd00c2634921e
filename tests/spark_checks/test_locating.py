"""Findings and answers name calls and rows, which are looked up in either of two ways."""

from __future__ import annotations

import pytest

from spark_checks.frames import Engine, Frame
from spark_checks.preparation.sweep import with_rows
from spark_checks.results.findings import located

CALLS = "qmgr string, conn string, seq long, call string, start_us long, end_us long, source string, line long"
FINDINGS = "rule string, qmgr string, conn string, calls array<struct<conn: string, seq: long, call: string>>"
FEW_OR_MANY = pytest.mark.parametrize("number", [1, 10**9], ids=["few", "many"])


@pytest.fixture(scope="module")
def calls(engine: Engine) -> Frame:
    """Return the calls of a log in which the put of A is recorded in two ways."""
    rows = [
        ("QM", "A", 1, "MQPUT", 10, 19, "a.jsonl", 1),
        ("QM", "A", 1, "MQPUT", 10, 19, "b.jsonl", 7),
        ("QM", "B", 1, "MQGET", 20, 29, "a.jsonl", 2),
        ("QM", "B", 2, "MQGET", 30, 39, "a.jsonl", 3),
        ("OTHER", "B", 1, "MQINQ", 0, 1, "c.jsonl", 1),
    ]
    return engine.frame(rows, CALLS)


def lines(found: Frame) -> list[list[tuple[str, int]]]:
    """Return by finding where its calls stand."""
    return sorted([(call["source"], call["line"]) for call in row["calls"]] for row in found.collect())


@FEW_OR_MANY
def test_each_named_call_is_found_once_and_in_its_place(engine: Engine, calls: Frame, number: int) -> None:
    named = [
        (
            "DLV-02",
            "QM",
            "B",
            [
                {"conn": "B", "seq": 2, "call": "MQGET"},
                {"conn": "A", "seq": 1, "call": "MQPUT"},
                {"conn": "B", "seq": 1, "call": "MQGET"},
            ],
        ),
        ("DLV-02", "QM", "B", [{"conn": "B", "seq": 1, "call": "MQGET"}]),
    ]
    found = located(engine.frame(named, FINDINGS), calls, number)
    assert found.columns == ["rule", "qmgr", "conn", "calls"]
    assert lines(found) == [[("a.jsonl", 2)], [("a.jsonl", 3), ("a.jsonl", 1), ("a.jsonl", 2)]]
    last = max(found.collect(), key=lambda row: len(row["calls"]))["calls"][-1]
    wanted = {"conn": "B", "seq": 1, "call": "MQGET", "start_us": 20, "end_us": 29, "source": "a.jsonl", "line": 2}
    assert last == wanted


@FEW_OR_MANY
def test_findings_that_differ_only_in_their_calls_stay_apart(engine: Engine, calls: Frame, number: int) -> None:
    named = [("DLV-05", "QM", "B", [{"conn": "B", "seq": seq, "call": "MQGET"}]) for seq in (1, 2)]
    named.append(named[0])
    found = located(engine.frame(named, FINDINGS), calls, number)
    assert lines(found) == [[("a.jsonl", 2)], [("a.jsonl", 2)], [("a.jsonl", 3)]]


def test_without_findings_there_is_nothing_to_look_up(engine: Engine, calls: Frame) -> None:
    nothing = located(engine.frame([], FINDINGS), calls, 0)
    assert (nothing.columns, nothing.collect()) == (["rule", "qmgr", "conn", "calls"], [])


@FEW_OR_MANY
def test_answers_get_the_whole_rows_that_they_name(engine: Engine, number: int) -> None:
    rows = engine.frame(
        [("QM", queue, row, f"{queue}{row}") for queue in ("P", "Q") for row in range(4)],
        "qmgr string, queue string, row long, what string",
    )
    answers = engine.frame(
        [("F", "QM", "Q", 1, 2), ("F", "QM", "Q", 3, 2), ("F", "QM", "P", 1, 1)],
        "family string, qmgr string, queue string, asker long, answer long",
    )
    found = with_rows(answers, number, rows).collect()
    assert sorted((row["asker"]["what"], row["answer"]["what"]) for row in found) == [
        ("P1", "P1"),
        ("Q1", "Q2"),
        ("Q3", "Q2"),
    ]
