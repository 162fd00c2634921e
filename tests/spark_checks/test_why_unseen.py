"""`mq-audit why` on events that no call shows: vanished messages, ends of unknown outcome, aliases."""

from __future__ import annotations

from pathlib import Path

import pytest

from oracle.mqi.constants import MQGMO, MQOO
from spark_checks.frames import Engine
from tests.spark_checks.histories import QUEUE, SYNC, History, ident
from tests.spark_checks.test_why import DEFINITION, FIRST, NEXT, SECOND, answer, empty_queue, kinds, rules, said


def _vanished(history: History) -> None:
    history.open("till", 1, 2, MQOO.BROWSE | MQOO.INPUT_SHARED)
    history.put("shop", "one", 10, 20)
    history.put("shop", "two", 21, 25)
    history.browse("till", "one", 30, 40, hobj=1)
    history.get("thief", "one", 45, 48)


def test_another_message_does_not_stand_where_the_one_under_the_cursor_was(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    _vanished(history)
    history.nothing("till", 50, 60, hobj=1, options=MQGMO.MSG_UNDER_CURSOR, reason=2034)
    found = answer(engine, log_file, history)
    assert kinds(found) == [["not under the cursor"]]
    assert "would have suited" not in said(found)


def test_what_stands_behind_a_message_that_is_gone_is_not_before_the_cursor(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    _vanished(history)
    history.nothing("till", 50, 60, hobj=1, options=NEXT)
    assert kinds(answer(engine, log_file, history)) == [[]]


@pytest.mark.parametrize(
    ("told", "cap", "alias"), [("till", 0, QUEUE), ("of the queue", 10, QUEUE), ("of ALIAS", 0, "ALIAS")]
)
def test_what_may_have_taken_a_message_unseen_is_named(
    engine: Engine, log_file: Path, told: str, cap: int, alias: str
) -> None:
    history = History("QM1")
    history.starts_empty()
    history.header("queue", **{**DEFINITION, "CAPEXPRY": cap})
    history.put("shop", "order", 10, 20, object_name=alias)
    if told == "till":
        history.nothing("till", 30, 40, reason=2009)
    history.nothing("desk", 5 * SECOND, 5 * SECOND + 1)
    found = answer(engine, log_file, history, "desk")
    assert f"message {ident('order')} may have suited, but" in said(found)
    assert told in said(found)


@pytest.mark.parametrize("call", ["get", "put"])
def test_an_alias_may_be_what_was_inhibited(engine: Engine, log_file: Path, call: str) -> None:
    history = History("QM1")
    history.header("queue", **{**DEFINITION, "InhibitGet": 0, "InhibitPut": 0})
    history.open("till", 1, 2, MQOO.INPUT_SHARED | MQOO.OUTPUT, object_name="ALIAS")
    if call == "get":
        history.nothing("till", 10, 20, hobj=1, reason=2016)
    else:
        history.put("till", "order", 10, 20, hobj=1, comp_code=2, reason=2051, object_name="ALIAS")
    found = answer(engine, log_file, history)
    assert "ALIAS" in said(found)
    assert "administrator" not in said(found)
    assert "INQ-08" in rules(found)


def test_that_the_message_under_the_cursor_expired_is_named(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.put("shop", "quote", 10, 20, expiry=10)
    history.open("till", 22, 23, MQOO.BROWSE | MQOO.INPUT_SHARED)
    history.browse("till", "quote", 30, 40, hobj=1, options=FIRST | MQGMO.LOCK, expiry=10)
    history.nothing("till", 5 * SECOND, 5 * SECOND + 1, hobj=1, options=MQGMO.MSG_UNDER_CURSOR, reason=2034)
    found = answer(engine, log_file, history)
    assert "expired at 1970-01-01 00:00:01" in said(found)
    assert "EXP-28" in rules(found)
    assert "CUR-05" not in rules(found)


@pytest.mark.parametrize("reason", [2124, 2009])
def test_what_a_unit_whose_end_did_not_tell_how_had_is_told_as_just_that(
    engine: Engine, log_file: Path, reason: int
) -> None:
    history = empty_queue()
    history.put("shop", "order", 10, 20, options=SYNC)
    history.put("shop", "other", 10, 20)
    history.get("desk", "other", 30, 32, options=SYNC)
    for conn in ("shop", "desk"):
        history.commit(conn, 40, 45, comp_code=2 if reason == 2009 else 1, reason=reason)
    history.nothing("till", 60, 70)
    sentences = [cause.sentence for each in answer(engine, log_file, history).messages for cause in each.causes]
    assert len(sentences) == 2
    assert all("how MQCMIT, call" in sentence for sentence in sentences)
    assert not any("not committed" in sentence or "no end of that" in sentence for sentence in sentences)
