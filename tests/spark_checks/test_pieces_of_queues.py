"""Cutting a queue's calls into pieces does not change the oracle's findings; these tests need no Spark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracle.histories.event_log import COLUMNS, LogHeader
from spark_checks.frames.schema import arrow_types
from spark_checks.preparation.connections import IN_OPEN_UNIT
from spark_checks.preparation.facts import Stretch
from spark_checks.replay import pieces
from spark_checks.replay.certain import Placed
from spark_checks.replay.circumstances import Circumstances
from spark_checks.replay.moments import AFTER_CONN, AFTER_SEQ, IN_VAIN
from spark_checks.replay.pieces import BEFORE, EARLIER, JUDGED, LEFT_OUT, OPENING, PIECE, Cutter
from spark_checks.replay.queues import FINDING, FOLLOWED, NOT_FOLLOWED, RESTED_SINCE, TOO_MANY, follow_pieces
from spark_checks.times import NEVER
from tests.spark_checks.oracle_traffic import Traffic, queues
from tests.spark_checks.test_replay import calls_of, placed

Row = dict[str, Any]
QUEUE = next(queue for queue in queues() if queue.name == "Q")
CIRCUMSTANCES = {("QM1", "Q"): Circumstances(LogHeader(complete=True), QUEUE, reports_possible=False)}
BOUNDS = ("lo", "hi", "since", "until_lo")
MARKS = [(name, pa.bool_()) for name in (EARLIER, JUDGED, IN_OPEN_UNIT, IN_VAIN)]
AFTER = [(AFTER_CONN, pa.string()), (AFTER_SEQ, pa.int64())]
SCHEMA = pa.schema([*arrow_types().items(), *((name, pa.int64()) for name in BOUNDS), *MARKS, *AFTER])


def rows_of(calls: Sequence[Placed]) -> list[Row]:
    return [row_of(call) for call in calls]


def row_of(call: Placed) -> Row:
    values = {name: getattr(call.event, name) for name in COLUMNS} | {name: getattr(call, name) for name in BOUNDS}
    marks = {EARLIER: False, JUDGED: True, IN_OPEN_UNIT: False, AFTER_CONN: None, AFTER_SEQ: None, IN_VAIN: False}
    return values | {"qmgr": "QM1", "queue": "Q"} | marks


def batches(rows: Sequence[Row], size: int) -> Iterator[pa.RecordBatch]:
    for begin in range(0, len(rows), size):
        yield pa.RecordBatch.from_pylist(list(rows[begin : begin + size]), schema=SCHEMA)


def cut(rows: Sequence[Row], limit: int = 10**6, size: int = 3, until_us: int = NEVER) -> list[Row]:
    """Return the calls cut, as they are sorted before pieces are followed."""
    cutter = Cutter("distributed", 0, limit, Stretch(until_us=until_us))
    ordered = sorted(rows, key=lambda row: (not row[EARLIER], row["lo"], row["conn"], row["seq"]))
    rows = [row for batch in cutter.cut(batches(ordered, size)) for row in batch.to_pylist()]
    return sorted(rows, key=lambda row: (row[PIECE], not row[BEFORE], row["lo"], row["conn"], row["seq"]))


def told(rows: list[Row]) -> list[Row]:
    table = pa.Table.from_pylist(rows)
    return [
        row for batch in follow_pieces(CIRCUMSTANCES, table.to_batches(max_chunksize=4)) for row in batch.to_pylist()
    ]


def findings(rows: list[Row]) -> list[Row]:
    """Return the findings of calls, each with its first rule: others may tell what a handle did before the piece."""
    found = [row | {"rules": row["rules"][:1]} for row in told(rows) if row["kind"] == FINDING]
    return sorted(found, key=lambda row: (row["lo"], row["conn"], row["seq"]))


def total(rows: list[Row], kind: str, what: str | None = None) -> int:
    return sum(row["number"] for row in told(rows) if row["kind"] == kind and what in (None, row["what"]))


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE_CALLS", 2)


TWELVE = "; ".join(f"put h m{number}; get g" for number in range(12))


@pytest.mark.usefixtures("small_pieces")
def test_a_piece_begins_with_what_is_open() -> None:
    rows = cut(rows_of(placed(calls_of(TWELVE))))
    assert {row[PIECE] for row in rows} == set(range(14))
    second = [row["call"] for row in rows if row[PIECE] == 5 and row[BEFORE]]
    assert second == ["MQCONN", "MQOPEN", "MQCONN", "MQOPEN"]
    assert findings(rows) == []
    assert total(rows, FOLLOWED) == 26


@pytest.mark.usefixtures("small_pieces")
def test_no_more_calls_are_followed_than_wanted() -> None:
    rows = cut(rows_of(placed(calls_of(TWELVE))), limit=10)
    assert [row[LEFT_OUT] for row in rows if row[PIECE] < 0] == [18]
    assert total(rows, NOT_FOLLOWED, TOO_MANY) == 18


@pytest.mark.usefixtures("small_pieces")
def test_a_departure_in_one_piece_leaves_the_others_alone() -> None:
    rows = calls_of(TWELVE)
    for row in (rows[7], rows[21]):
        row.update(priority=9)
    found = findings(cut(rows_of(placed(rows))))
    assert [(row["rules"][0], len(row["calls"])) for row in found] == [("PRI-02", 2), ("PRI-02", 2)]


@pytest.mark.usefixtures("small_pieces")
@given(seed=st.integers(0, 2**32))
@settings(max_examples=30, deadline=None, database=None, suppress_health_check=list(HealthCheck))
def test_pieces_tell_what_the_whole_tells(seed: int) -> None:
    chance = Random(seed)
    in_pieces = cut(rows_of(mistaken(chance, 0)), size=chance.randint(1, 9))
    whole = [{**row, PIECE: 0} for row in in_pieces if not row[BEFORE]]
    assert findings(in_pieces) == findings(whole)


def mistaken(chance: Random, width_us: int) -> list[Placed]:
    """Return traffic in which some gets are wrong."""
    rows = list(Traffic(chance).run(chance.randint(10, 60), chance.randint(1, 2)).recorded("QM1", width_us, 0))
    for row in rows:
        if row["call"] == "MQGET" and chance.random() < 0.1:
            row.update(chance.choice(({"comp_code": 2, "reason": 2033}, {"priority": 9}, {"msg_id": "ab" * 24})))
    return placed(rows)


@pytest.mark.usefixtures("small_pieces")
@given(seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None, database=None, suppress_health_check=list(HealthCheck))
def test_days_tell_what_the_whole_tells(seed: int) -> None:
    """Each day knows the calls that have ended, continues from the last day, and reports no call's finding twice."""
    chance = Random(seed)
    rows = rows_of(mistaken(chance, chance.choice((0, 3, 30))))
    rest_us = max(row["end_us"] - row["start_us"] for row in rows) + 1
    ends = sorted(row["end_us"] for row in rows)
    begin_us: int | None = None
    told_us, found, numbers = -1, [], Counter[str]()
    for last_us in (*sorted(chance.choice(ends) for _ in range(2)), ends[-1] + rest_us):
        until_us = last_us - rest_us
        known = [row | {JUDGED: told_us < row["hi"] <= until_us} for row in rows if row["end_us"] <= last_us]
        if begin_us is not None:
            known = [row | {EARLIER: row["lo"] < begin_us} for row in known]
        of_day = cut([row for row in known if not row[EARLIER] or row["call"] in OPENING], until_us=until_us)
        found += findings(of_day)
        numbers.update({kind: total(of_day, kind) for kind in (FOLLOWED, NOT_FOLLOWED)})
        (begin_us,) = (row["number"] for row in told(of_day) if row["kind"] == RESTED_SINCE)
        told_us = max(told_us, until_us)
    whole = cut(rows)
    assert found == findings(whole)
    assert numbers == {kind: total(whole, kind) for kind in (FOLLOWED, NOT_FOLLOWED)}
