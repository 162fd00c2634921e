"""`mq-audit owners`: the holders at a time, the consumers of queues, and payloads that were put twice."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from oracle.mqi.constants import MQGMO, MQOO, MQRC
from spark_checks.cli import main
from spark_checks.frames import Engine
from spark_checks.questions.evidence import read_evidence
from spark_checks.questions.holdings import Owners
from spark_checks.questions.owners import owners
from spark_checks.readers.detect import Format
from tests.spark_checks.histories import QUEUE, SYNC, History, ident, write_log

HEADER = {"header": "log", "complete": True}


def asked(engine: Engine, path: Path, history: History, at_us: int | None = None, queue: str | None = None) -> Owners:
    return owners(read_evidence(engine, [write_log(path, [HEADER, *history.records])]), at_us, queue)


def test_an_open_unit_of_work_is_told_with_its_age_and_what_it_holds_back(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.put("shop", "old", 1, 2, options=SYNC)
    history.commit("shop", 3, 4)
    history.put("shop", "one", 10, 20, options=SYNC)
    history.put("shop", "two", 30, 40, options=SYNC)
    history.put("shop", "out", 41, 42)
    history.get("shop", "old", 43, 45, options=SYNC)
    history.nothing("till", 50, 60)
    history.nothing("till", 5, 6)
    (unit,) = asked(engine, log_file, history).units
    assert (unit.conn, unit.queue, unit.since_us) == ("QM1/shop", QUEUE, 10)
    assert (unit.puts, unit.gets, unit.empty_gets) == (2, 1, 1)


def test_a_unit_that_ended_later_is_open_before_and_one_that_broke_is_not(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.put("shop", "one", 10, 20, options=SYNC)
    history.commit("shop", 100, 110)
    history.put("mill", "two", 10, 20, options=SYNC)
    history.call("mill", "MQPUT", 30, 40, queue=QUEUE, comp_code=2, reason=2009, options=2)
    assert [unit.conn for unit in asked(engine, log_file, history, 50).units] == ["QM1/shop"]
    assert asked(engine, log_file, history).units == ()


def test_of_a_packet_capture_it_says_that_tcp_connections_may_have_ended(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.put("shop", "one", 10, 20, options=SYNC)
    evidence = read_evidence(engine, [write_log(log_file, [HEADER, *history.records])])
    captured = replace(evidence, formats=frozenset({Format.PCAP}))
    for of_log, told in ((evidence, False), (captured, True)):
        assert any("FIN or RST" in hint for hint in owners(of_log).hints) is told


def test_a_get_that_waits_has_got_nothing_yet(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    waits = MQGMO.WAIT | SYNC
    history.get("till", "one", 10, 90, options=waits, wait_ms=-1)
    history.nothing("desk", 20, 95, options=waits, wait_ms=1)
    history.put("shop", "one", 80, 85)
    history.commit("till", 200, 210)
    at_50 = asked(engine, log_file, history, 50)
    assert [(wait.conn, wait.since_us) for wait in at_50.waits] == [("QM1/till", 10), ("QM1/desk", 20)]
    assert (at_50.units, at_50.uses) == ((), ())
    at_100 = asked(engine, log_file, history, 100)
    assert [(unit.conn, unit.since_us, unit.gets) for unit in at_100.units] == [("QM1/till", 90, 1)]
    assert at_100.waits == ()


def test_locks_and_exclusive_handles_are_told_until_they_are_released(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.open("eye", 1, 2, MQOO.BROWSE | MQOO.INPUT_EXCLUSIVE)
    history.put("shop", "one", 3, 4)
    history.browse("eye", "one", 10, 20, options=MQGMO.BROWSE_FIRST | MQGMO.LOCK, hobj=1)
    refused = {"queue": QUEUE, "comp_code": 2, "reason": int(MQRC.OBJECT_IN_USE)}
    history.call("till", "MQOPEN", 25, 26, options=int(MQOO.INPUT_SHARED), **refused)
    history.call("eye", "MQCLOSE", 30, 40, hobj=1, queue=QUEUE, options=0)
    history.put("shop", "two", 50, 60)
    at_25 = asked(engine, log_file, history, 27)
    assert [(lock.conn, lock.msg_id, lock.since_us) for lock in at_25.locks] == [("QM1/eye", ident("one"), 10)]
    assert [(one.conn, one.queue, one.refused) for one in at_25.exclusives] == [("QM1/eye", QUEUE, 1)]
    at_end = asked(engine, log_file, history)
    assert (at_end.locks, at_end.exclusives) == ((), ())


def test_the_lock_of_a_message_that_has_expired_holds_nothing(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.put("shop", "quote", 3, 4, expiry=10)
    history.browse("eye", "quote", 10, 20, options=MQGMO.BROWSE_FIRST | MQGMO.LOCK, hobj=1, expiry=10)
    history.nothing("eye", 5_000_000, 5_000_001, hobj=1, options=MQGMO.MSG_UNDER_CURSOR, reason=2034)
    assert len(asked(engine, log_file, history, 900_000).locks) == 1
    assert asked(engine, log_file, history).locks == ()


def test_a_lock_whose_message_another_took_is_gone(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.put("shop", "order", 3, 4)
    history.browse("eye", "order", 10, 20, options=MQGMO.BROWSE_FIRST | MQGMO.LOCK, hobj=1)
    history.get("till", "order", 30, 40)
    assert len(asked(engine, log_file, history, 25).locks) == 1
    assert asked(engine, log_file, history).locks == ()


@pytest.mark.parametrize("role", ["put", "get"])
def test_a_unit_of_work_whose_message_another_connection_saw_has_ended(
    engine: Engine, log_file: Path, role: str
) -> None:
    history = History("QM1")
    history.put("shop", "order", 3, 4, options=SYNC if role == "put" else 0)
    if role == "get":
        history.get("till", "order", 10, 20, options=SYNC)
    history.browse("eye", "order", 30, 40)
    holder = "QM1/shop" if role == "put" else "QM1/till"
    assert [unit.conn for unit in asked(engine, log_file, history, 25).units] == [holder]
    assert asked(engine, log_file, history).units == ()
    history.put("mill", "order", 50, 60)  # another message with this MsgId may be the one that was seen
    assert [unit.conn for unit in asked(engine, log_file, history).units] == [holder]


def test_a_lock_lasts_if_another_message_with_its_msg_id_was_got(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.put("shop", "order", 3, 4)
    history.put("shop", "order", 5, 6)
    history.browse("eye", "order", 10, 20, options=MQGMO.BROWSE_FIRST | MQGMO.LOCK, hobj=1)
    history.get("till", "order", 30, 40)
    assert [lock.conn for lock in asked(engine, log_file, history).locks] == ["QM1/eye"]


def test_that_a_get_may_have_waited_without_end_is_said_of_each_time(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.put("shop", "one", 10, 20)
    for at in (15, None):
        assert any("under way when the log ended" in hint for hint in asked(engine, log_file, history, at).hints)


def test_a_get_that_waits_is_told_at_a_time_within_its_wait(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.nothing("till", 10, 100, options=MQGMO.WAIT, wait_ms=5)
    history.nothing("desk", 20, 90)
    history.put("shop", "one", 200, 210)
    assert [(wait.conn, wait.wait_ms) for wait in asked(engine, log_file, history, 50).waits] == [("QM1/till", 5)]
    assert asked(engine, log_file, history, 150).waits == ()
    at_end = asked(engine, log_file, history)
    assert any("under way when the log ended" in hint for hint in at_end.hints)


def test_who_took_the_other_messages_is_told_by_queue(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    for number in range(3):
        history.put("shop", f"m{number}", number * 10, number * 10 + 5)
    history.get("till", "m0", 50, 60)
    history.get("thief", "m1", 61, 62)
    history.get("thief", "m2", 63, 64)
    history.browse("eye", "m0", 45, 46)
    history.nothing("till", 70, 71)
    history.get("idle", "m0", 30, 31, options=SYNC)
    history.backout("idle", 32, 33)
    found = asked(engine, log_file, history).uses
    uses = {use.conn: (use.puts, use.gets, use.backed_out, use.browses, use.empty) for use in found}
    assert uses == {
        "QM1/shop": (3, 0, 0, 0, 0),
        "QM1/till": (0, 1, 0, 0, 1),
        "QM1/thief": (0, 2, 0, 0, 0),
        "QM1/eye": (0, 0, 0, 1, 0),
        "QM1/idle": (0, 1, 1, 0, 0),
    }
    other = asked(engine, log_file, history, queue="OTHER")
    assert other.uses == ()
    assert other.hints[0] == f"no call until then is about a queue called OTHER; there are calls about {QUEUE}"


def test_a_payload_that_is_put_again_after_the_connection_broke_is_told_and_no_other(
    engine: Engine, log_file: Path
) -> None:
    history = History("QM1")
    twice, often = "ab" * 32, "cd" * 32
    history.put("shop", "one", 10, 20, digest=twice)
    history.put("mill", "six", 11, 21, digest=often)
    history.put("mill", "six", 22, 23, digest=often, msg_id=ident("six2"))
    history.call("shop", "MQCMIT", 30, 40, comp_code=2, reason=2009)
    history.call("shop2", "MQCONN", 45, 46)
    history.put("shop2", "one", 50, 60, digest=twice, msg_id=ident("again"))
    (found,) = asked(engine, log_file, history).twice
    assert (found.first.msg_id, found.second.msg_id) == (ident("one"), ident("again"))
    assert found.broken is not None
    assert found.broken.reason == 2009


def test_a_put_whose_outcome_was_not_learnt_and_that_was_made_again_is_told(engine: Engine, log_file: Path) -> None:
    history = History("QM1")
    history.put("shop", "one", 10, 20, digest="ab" * 32, comp_code=2, reason=2009)
    history.put("shop2", "one", 50, 60, digest="ab" * 32)
    assert len(asked(engine, log_file, history).twice) == 1


def test_the_command_prints_text_and_json(tmp_path: Path) -> None:
    history = History("QM1")
    history.put("shop", "one", 10, 20, options=SYNC)
    log = write_log(tmp_path / "log.jsonl", history.records)
    told = CliRunner().invoke(main, ["owners", str(log)])
    assert told.exit_code == 0, told.output
    assert "1 message put that nobody else sees" in told.output
    document = json.loads(CliRunner().invoke(main, ["owners", str(log), "--json", "--at", "1000000"]).output)
    assert document["units_of_work"][0]["conn"] == "QM1/shop"
    assert CliRunner().invoke(main, ["owners", str(log), "--at", "soon"]).exit_code == 2
