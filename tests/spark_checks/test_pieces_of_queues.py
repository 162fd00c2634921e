"""Cutting a queue's calls into pieces changes nothing in what the oracle finds; no Spark is needed for that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracle.event_log import COLUMNS, LogHeader
from spark_checks.replay import pieces
from spark_checks.replay.certain import Placed
from spark_checks.replay.piece import Circumstances
from spark_checks.replay.pieces import BEFORE, LEFT_OUT, PIECE, Cutter
from spark_checks.replay.queues import FINDING, FOLLOWED, NOT_FOLLOWED, TOO_MANY, follow_pieces
from spark_checks.schema import arrow_types
from tests.spark_checks.oracle_traffic import Traffic, queues
from tests.spark_checks.test_replay import calls_of, placed

Row = dict[str, Any]
QUEUE = next(queue for queue in queues() if queue.name == "Q")
JUDGED = {("QM1", "Q"): Circumstances(LogHeader(complete=True), QUEUE, reports_possible=False)}
BOUNDS = ("lo", "hi", "since", "until_lo")
SCHEMA = pa.schema([*arrow_types().items(), *((name, pa.int64()) for name in BOUNDS)])


def row_of(call: Placed) -> Row:
    values = {name: getattr(call.event, name) for name in COLUMNS} | {name: getattr(call, name) for name in BOUNDS}
    return values | {"qmgr": "QM1", "queue": "Q"}


def batches(rows: Sequence[Row], size: int) -> Iterator[pa.RecordBatch]:
    for begin in range(0, len(rows), size):
        yield pa.RecordBatch.from_pylist(list(rows[begin : begin + size]), schema=SCHEMA)


def cut(calls: Sequence[Placed], limit: int = 10**6, size: int = 3) -> list[Row]:
    """Return the calls cut, as they are sorted before pieces are followed."""
    cutter = Cutter("distributed", 0, limit)
    rows = [row for batch in cutter.cut(batches([row_of(call) for call in calls], size)) for row in batch.to_pylist()]
    return sorted(rows, key=lambda row: (row[PIECE], not row[BEFORE], row["lo"], row["conn"], row["seq"]))


def told(rows: list[Row]) -> list[Row]:
    table = pa.Table.from_pylist(rows)
    return [row for batch in follow_pieces(JUDGED, table.to_batches(max_chunksize=4)) for row in batch.to_pylist()]


def findings(rows: list[Row]) -> list[Row]:
    found = [row for row in told(rows) if row["kind"] == FINDING]
    return sorted(found, key=lambda row: (row["lo"], row["conn"], row["seq"]))


def total(rows: list[Row], kind: str, what: str | None = None) -> int:
    return sum(row["number"] for row in rows if row["kind"] == kind and row["what"] == what)


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE_CALLS", 2)


TWELVE = "; ".join(f"put h m{number}; get g" for number in range(12))


@pytest.mark.usefixtures("small_pieces")
def test_a_piece_begins_with_what_is_open() -> None:
    rows = cut(placed(calls_of(TWELVE)))
    assert {row[PIECE] for row in rows} == set(range(14))
    second = [row["call"] for row in rows if row[PIECE] == 5 and row[BEFORE]]
    assert second == ["MQCONN", "MQOPEN", "MQCONN", "MQOPEN"]
    assert findings(rows) == []
    assert total(told(rows), FOLLOWED) == 26


@pytest.mark.usefixtures("small_pieces")
def test_no_more_calls_are_followed_than_wanted() -> None:
    rows = cut(placed(calls_of(TWELVE)), limit=10)
    assert [row[LEFT_OUT] for row in rows if row[PIECE] < 0] == [18]
    assert total(told(rows), NOT_FOLLOWED, TOO_MANY) == 18


@pytest.mark.usefixtures("small_pieces")
def test_a_departure_in_one_piece_leaves_the_others_alone() -> None:
    rows = calls_of(TWELVE)
    for row in (rows[7], rows[21]):
        row.update(priority=9)
    found = findings(cut(placed(rows)))
    assert [(row["rules"][0], len(row["calls"])) for row in found] == [("PRI-02", 2), ("PRI-02", 2)]


@pytest.mark.usefixtures("small_pieces")
@given(seed=st.integers(0, 2**32))
@settings(max_examples=30, deadline=None, database=None, suppress_health_check=list(HealthCheck))
def test_pieces_tell_what_the_whole_tells(seed: int) -> None:
    chance = Random(seed)  # noqa: S311 - repeatable, not secret
    rows = list(Traffic(chance).run(chance.randint(10, 60), chance.randint(1, 2)).recorded("QM1", 0, 0))
    for row in rows:
        if row["call"] == "MQGET" and chance.random() < 0.1:
            row.update(chance.choice(({"comp_code": 2, "reason": 2033}, {"priority": 9}, {"msg_id": "ab" * 24})))
    calls = placed(rows)
    in_pieces = cut(calls, size=chance.randint(1, 9))
    whole = [{**row, PIECE: 0} for row in in_pieces if not row[BEFORE]]
    assert findings(in_pieces) == findings(whole)
