"""Gets that wait are followed at the moment when their message came, or when their interval had passed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from oracle.errors import MqOracleError
from oracle.histories.event_log import Event, parse_record
from spark_checks.audit import Audit, audit
from spark_checks.frames import Engine
from spark_checks.replay.certain import Placed, certain_calls
from spark_checks.replay.piece import OVERLAP
from tests.oracle.test_replay_log import START, log_of
from tests.spark_checks.test_replay import HERE

Row = dict[str, Any]
Audited = Callable[[list[Row]], Audit]

WAITS = "get g WAIT+NO_SYNCPOINT WaitInterval=1000"
HISTORIES = {
    "its message is put": f"w = {WAITS}; put h m1; v = {WAITS}; put h m2; put h m3; get g",
    "its message is committed": f"w = {WAITS}; put h m1 SYNCPOINT; put h m2 SYNCPOINT Priority=5; cmit; get g",
    "it waits in vain beside others": (
        "k = C.open Q INPUT_SHARED; w = get k WAIT MatchOptions=MATCH_CORREL_ID CorrelId=05 WaitInterval=1000;"
        "put h m1; get g; put h m2; advance 2s; get g"
    ),
    "one of two gets it": (
        f"k = C.open Q INPUT_SHARED; w = {WAITS}; v = get k WAIT WaitInterval=1000; put h m1; put h m2; put h m3; get g"
    ),
    "it browses": "b = C.open Q BROWSE; w = get b WAIT+BROWSE_NEXT WaitInterval=1000; put h m1; get g; put h m2",
    "its message expires afterwards": f"w = {WAITS}; put h m1; put h m2 Expiry=20; advance 5s; get g",
}


@pytest.fixture
def audited(engine: Engine, tmp_path: Path) -> Audited:
    """Return a function that audits records."""

    def audited_(rows: list[Row]) -> Audit:
        log = tmp_path / "log.jsonl"
        log.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return audit(engine, [log])

    return audited_


@pytest.mark.parametrize("history", HISTORIES.values(), ids=HISTORIES.keys())
def test_what_a_wait_overlaps_is_followed(audited: Audited, history: str) -> None:
    rows = log_of(START + history)
    found = audited(rows)
    assert found.findings.collect() == []
    assert not found.replayed.not_followed
    counted = [row for row in rows if row.get("call") not in (None, "MQCONN", "MQCMIT", "MQDISC")]
    assert found.replayed.followed == len(counted)


def test_a_wait_that_releases_a_lock_accuses_nobody_who_gets_the_message(audited: Audited) -> None:
    rows = log_of(
        f"{START}put h m1; get g BROWSE_FIRST+LOCK; w = get g WAIT+BROWSE_NEXT WaitInterval=1000;"
        "put h m2 SYNCPOINT; get h; advance 5s; back; get h"
    )
    found = audited(rows)
    assert found.findings.collect() == []
    assert found.replayed.not_followed == {OVERLAP: 4}


def test_what_departs_behind_a_wait_is_found(audited: Audited) -> None:
    rows = log_of(f"{START}w = {WAITS}; put h m1; put h m2; get g")
    rows[-1]["group_status"] = "M"
    assert [row["rule"] for row in audited(rows).findings.collect()] == ["GST-01"]


def test_a_wait_in_vain_beside_its_message_is_found(audited: Audited) -> None:
    rows = log_of(
        f"{START}k = C.open Q INPUT_SHARED; w = get k WAIT WaitInterval=1000;"
        "put h m1; advance 2s; put h m2; get g; get g"
    )
    wait = next(row for row in rows if row.get("call") == "MQGET" and row["conn"] == "C")
    wait.update(comp_code=2, reason=2033, end_us=wait["start_us"] + 1_000_100)
    for column in ("msg_id", "correl_id", "group_id", "length", "priority", "put_us"):
        wait.pop(column, None)
    found = audited(rows).findings.collect()
    assert {row["rule"] for row in found} == {"WAI-03"}, found


def test_puts_that_overlap_each_other_are_not_followed(audited: Audited) -> None:
    rows = log_of(f"{START}k = C.open Q OUTPUT; w = {WAITS}; put h m1; put k m2; put k m3; get g; get g")
    puts = [row for row in rows if row.get("call") == "MQPUT"]
    puts[0]["end_us"] = puts[1]["end_us"]
    assert audited(rows).replayed.not_followed[OVERLAP] > 0


CONSUMERS = (
    "h = open Q BROWSE+INPUT_SHARED+OUTPUT",
    "g = B.open Q BROWSE+INPUT_SHARED",
    "k = C.open Q BROWSE+INPUT_SHARED",
    "p = D.open Q OUTPUT",
)


def some_line(chance: Random, number: int) -> str:
    """Return a call of producers and of consumers that mostly wait."""
    get = chance.choice(("NO_SYNCPOINT", "NO_SYNCPOINT", "SYNCPOINT", "BROWSE_FIRST", "BROWSE_NEXT"))
    if chance.random() < 0.75:
        get += f"+WAIT WaitInterval={chance.choice((500, 1000, 3000))}"
    put = f"{chance.choice(('NO_SYNCPOINT', 'SYNCPOINT'))} {chance.choice(('', 'Priority=5', 'Expiry=15'))}"
    lines = (
        f"put {chance.choice('hp')} m{number} {put}",
        f"w{number} = get {chance.choice('gk')} {get}",
        f"{chance.choice(('cmit', 'back'))} {chance.choice('ABD')}",
        f"advance {chance.choice(('1t', '7t', '2s', '4s'))}",
        "get h NO_SYNCPOINT",
    )
    (line,) = chance.choices(lines, (35, 35, 15, 10, 5))
    return line


def some_history(chance: Random, qmgr: str) -> list[Row]:
    """Return the records of what the model does with random calls. A connection that waits makes no other call."""
    lines = [*CONSUMERS, *(some_line(chance, number) for number in range(chance.randint(4, 16)))]
    choice = chance.randint(0, 3)
    while True:
        try:
            rows = log_of("; ".join((*lines, "advance 5s", "cmit B", "cmit C")), choice)
        except MqOracleError:
            del lines[chance.randrange(len(CONSUMERS), len(lines))]
        else:
            return [row | {"qmgr": qmgr} if "qmgr" in row else row for row in rows]


def test_consumers_that_wait_are_accused_of_nothing(audited: Audited, seed: int) -> None:
    logs = [some_history(Random(f"{seed}/{number}"), f"QM{number}") for number in range(250)]
    found = audited([logs[0][0], *(row for log in logs for row in log[1:])])
    assert found.findings.collect() == []
    assert sum(found.replayed.not_followed.values()) < found.replayed.followed / 10


def call(conn: str, seq: int, lo: int, hi: int, after: tuple[str, int] | None = None) -> Placed:
    """Return a call with the times between which it took effect."""
    row = {"qmgr": "QM", "conn": conn, "seq": seq, "start_us": lo, "end_us": hi, "call": "MQGET"}
    event = parse_record(row, HERE)
    assert isinstance(event, Event)
    return Placed(event, lo, hi, since=0, until_lo=hi, cut=False, after=after)


@pytest.mark.parametrize(
    ("calls", "certain"),
    [
        pytest.param(
            [call("A", 1, 10, 20), call("B", 1, 10, 15)], 0, id="the order of two that overlap is not certain"
        ),
        pytest.param([call("A", 1, 10, 20), call("B", 1, 10, 15, ("A", 1))], 2, id="a get follows its put"),
        pytest.param(
            [call("A", 1, 10, 20), call("B", 1, 10, 15, ("A", 1)), call("B", 2, 16, 18)],
            3,
            id="what follows the get follows its put",
        ),
        pytest.param(
            [call("A", 1, 10, 20), call("B", 1, 10, 15, ("A", 1)), call("C", 1, 18, 30)],
            0,
            id="a third overlaps the put",
        ),
        pytest.param(
            [call("A", 1, 1, 2), call("A", 2, 10, 20), call("B", 1, 10, 25, ("A", 1))], 1, id="a get of an earlier put"
        ),
        pytest.param(
            [call("A", 1, 1, 2), call("B", 2, 3, 4), call("B", 1, 5, 6)],
            1,
            id="two of one connection in the wrong order",
        ),
    ],
)
def test_a_place_is_certain_if_what_overlaps_it_follows_it(calls: list[Placed], certain: int) -> None:
    assert certain_calls(calls, 0) == certain
