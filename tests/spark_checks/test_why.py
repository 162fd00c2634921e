"""`mq-audit why`: the explanation of a call, message by message and reason by reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from oracle.errors import UsageError
from oracle.model.requests.option_matrix import broken_rules
from oracle.mqi.constants import MQGMO, MQMF, MQOO, MQRC
from oracle.rules.reason_rules import rules_of
from spark_checks.cli import main
from spark_checks.frames import Engine
from spark_checks.questions.evidence import read_evidence
from spark_checks.questions.holdings import document_of as document_of_owners
from spark_checks.questions.identifiers import Wanted
from spark_checks.questions.index import indexed
from spark_checks.questions.owners import owners
from spark_checks.questions.target import call_at, call_named, time_of
from spark_checks.questions.trace import Selection, trace
from spark_checks.questions.why import Answer, document_of, why
from tests.oracle.test_replay_log import START, log_of
from tests.spark_checks.histories import (
    NO_ID,
    PLAIN,
    QUEUE,
    SYNC,
    History,
    audit_records,
    findings_by_qmgr,
    ident,
    without,
    write_log,
)

HEADER = {"header": "log", "complete": True}
DEFINITION: dict[str, Any] = {
    "MsgDeliverySequence": "PRIORITY",
    "DefPriority": 0,
    "DefPersistence": 0,
    "MaxQDepth": 2,
    "MaxMsgLength": 100,
    "InhibitGet": 0,
    "InhibitPut": 0,
    "Usage": "NORMAL",
    "Shareability": 1,
    "CAPEXPRY": 0,
}
FIRST, NEXT = MQGMO.BROWSE_FIRST, MQGMO.BROWSE_NEXT
SECOND = 1_000_000


def answer(engine: Engine, path: Path, history: History, conn: str = "till", calls: int = 0) -> Answer:
    """Ask about the last call of a connection; following `calls` calls by the oracle takes most of the time."""
    evidence = read_evidence(engine, [write_log(path, [HEADER, *history.records])])
    name = f"QM1/{conn}"
    return why(evidence, call_named(f"{name}:{history.seqs[name]}", evidence), calls)


def kinds(found: Answer) -> list[list[str]]:
    return [[cause.kind for cause in each.causes] for each in found.messages]


def rules(found: Answer) -> set[str]:
    causes = [rule for each in found.messages for cause in each.causes for rule in cause.rules]
    return {*causes, *(rule for point in found.points for rule in point.rules)}


def said(found: Answer) -> str:
    return " ".join(point.sentence for point in found.points)


def empty_queue() -> History:
    history = History("QM1")
    history.starts_empty()
    history.header("queue", **DEFINITION)
    return history


def test_a_message_that_is_not_committed_does_not_suit(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.put("shop", "order", 10, 20, options=SYNC)
    history.nothing("till", 30, 40)
    history.commit("shop", 50, 60)
    found = answer(engine, log_file, history)
    assert kinds(found) == [["not committed"]]
    assert "VIS-01" in rules(found)
    assert "until MQCMIT" in found.messages[0].causes[0].sentence


@pytest.mark.parametrize(("complete", "told"), [(True, "was not committed"), (False, "was put in a unit of work")])
def test_a_log_that_lacks_calls_may_lack_a_commit_before_an_mqdisc(
    engine: Engine, log_file: Path, *, complete: bool, told: str
) -> None:
    history = empty_queue()
    history.put("shop", "order", 10, 20, options=SYNC)
    history.nothing("till", 30, 40)
    history.disconnect("shop", start=50, end=60)
    records = [HEADER | {"complete": complete}, *history.records]
    evidence = read_evidence(engine, [write_log(log_file, records)])
    found = why(evidence, call_named("QM1/till:1", evidence), 0)
    assert kinds(found) == [["not committed"]]
    assert told in found.messages[0].causes[0].sentence
    assert ("an MQCMIT or MQBACK" in " ".join(found.messages[0].doubts)) is not complete


def test_a_message_that_another_has_got_and_not_committed_or_has_locked_does_not_suit(
    engine: Engine, log_file: Path
) -> None:
    history = empty_queue()
    history.put("shop", "one", 10, 20)
    history.put("shop", "two", 21, 25)
    history.get("other", "one", 30, 40, options=SYNC)
    history.open("eye", 41, 42, MQOO.BROWSE | MQOO.INPUT_SHARED)
    history.browse("eye", "two", 45, 48, options=FIRST | MQGMO.LOCK, hobj=1)
    history.nothing("till", 50, 60)
    history.backout("other", 70, 80)
    history.call("eye", "MQCLOSE", 90, 95, hobj=1, options=0, queue=QUEUE)
    found = answer(engine, log_file, history)
    assert kinds(found) == [["got and not committed"], ["locked"]]
    assert {"SYN-01", "LCK-01"} <= rules(found)


def test_an_expired_message_does_not_suit_and_is_counted(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.put("shop", "quote", 10, 20, expiry=10)
    history.nothing("till", 10 * SECOND, 10 * SECOND + 5)
    found = answer(engine, log_file, history)
    assert found.stock is not None
    assert (found.messages, found.stock.expired) == ([], 1)
    assert "but expired ones" in said(found)


def test_the_end_of_a_lock_by_the_call_itself_is_no_doubt(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.open("till", 1, 2, MQOO.BROWSE)
    history.put("shop", "one", 10, 20)
    history.browse("till", "one", 30, 40, options=FIRST | MQGMO.LOCK, hobj=1)
    history.nothing("till", 50, 60, options=NEXT | MQGMO.LOCK, hobj=1)
    found = answer(engine, log_file, history)
    assert kinds(found) == [["behind the cursor"]]
    assert found.stock is not None
    assert [one.doubts for one in found.stock.held] == [()]


def test_what_was_committed_after_the_call_was_not_taken_before(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.put("shop", "one", 20, 25, options=SYNC)
    history.nothing("till", 30, 40)
    history.commit("shop", 50, 55)
    history.get("desk", "one", 10, 60, options=PLAIN | MQGMO.WAIT, wait_ms=1000)
    found = answer(engine, log_file, history)
    assert kinds(found) == [["not committed"]]
    assert found.messages[0].doubts == ()


def test_a_get_that_waited_held_what_it_got_since_that_was_put(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.put("shop", "one", 20, 25)
    history.nothing("till", 30, 40)
    history.get("desk", "one", 10, 26, options=SYNC | MQGMO.WAIT, wait_ms=1000)
    history.commit("desk", 50, 55)
    found = answer(engine, log_file, history)
    assert kinds(found) == [["got and not committed"]]
    assert "since 00:00:00.000020" in found.messages[0].causes[0].sentence


def test_a_backout_restores_the_group_that_a_get_goes_on_with(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.open("till", 1, 2, MQOO.INPUT_SHARED)
    of_group = {"group_id": ident("g"), "offset": 0}
    in_order = MQGMO.LOGICAL_ORDER
    history.put("shop", "g1", 10, 11, **of_group, msg_seq_number=1, msg_flags=MQMF.MSG_IN_GROUP)
    history.put("shop", "one", 12, 13, group_id=NO_ID, msg_seq_number=1, offset=0)
    first = {**of_group, "msg_seq_number": 1, "msg_flags": MQMF.MSG_IN_GROUP, "hobj": 1}
    history.get("till", "g1", 20, 21, options=SYNC | in_order, **first)
    history.commit("till", 22, 23)
    alone = {"group_id": NO_ID, "msg_seq_number": 1, "offset": 0, "hobj": 1}
    history.get("till", "one", 30, 31, options=SYNC, match_options=1, sel_msg_id=ident("one"), **alone)
    history.backout("till", 32, 33)
    history.nothing("till", 40, 41, options=SYNC | in_order, hobj=1)
    assert kinds(answer(engine, log_file, history)) == [["other GroupId"]]


@pytest.mark.parametrize("elsewhere", [True, False])
def test_a_unit_of_work_that_began_on_another_queue_need_not_restore_the_group(
    engine: Engine, log_file: Path, elsewhere: bool
) -> None:
    header, *records = log_of(
        START + "put h n1 SYNCPOINT; put h m1; put h m2 SYNCPOINT+LOGICAL_ORDER MsgFlags=MSG_IN_GROUP; back; put h m3"
    )
    first = next(record for record in records if record.get("call") == "MQPUT")
    first |= {"call": "MQPUT1", "queue": "OTHER", "object_name": "OTHER", "hobj": None}
    records[-1] |= {"comp_code": 1, "reason": MQRC.INCONSISTENT_UOW}
    log = [header, *(record for record in records if elsewhere or record is not first)]
    found = {finding.rule for finding in findings_by_qmgr(audit_records(engine, log_file, log)).get("QM1", [])}
    evidence = read_evidence(engine, [log_file])
    told = why(evidence, call_named(f"A:{records[-1]['seq']}", evidence), 100).model
    assert told is not None
    if elsewhere:
        assert found == set()
        assert "the unit of work began on another queue" in told.sentence
    else:
        assert found == {"PTB-24"}
        assert "the model does not allow it" in told.sentence


def test_a_message_under_the_cursor_is_told_by_the_browse_before(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.open("till", 1, 2, MQOO.BROWSE | MQOO.INPUT_SHARED)
    history.put("shop", "one", 10, 20)
    history.browse("till", "one", 30, 40, options=FIRST, hobj=1)
    history.get("till", "one", 50, 60, options=PLAIN | MQGMO.MSG_UNDER_CURSOR, hobj=1)
    found = answer(engine, log_file, history)
    assert "was under the browse cursor, since MQGET, call 2" in said(found)
    assert "first of all" not in said(found)


def test_an_unlock_returned_no_message(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.open("till", 1, 2, MQOO.BROWSE)
    history.put("shop", "one", 10, 20)
    history.call("till", "MQGET", 42, 44, options=MQGMO.UNLOCK, hobj=1, queue=QUEUE, comp_code=1, reason=2209)
    found = answer(engine, log_file, history)
    assert "locked no message" in said(found)
    assert "it returned a message" not in said(found)


def test_the_rules_about_a_reason_are_those_about_the_call(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.open("till", 1, 2, MQOO.BROWSE)
    options = MQGMO.UNLOCK | MQGMO.MARK_BROWSE_HANDLE
    history.call("till", "MQGET", 42, 44, options=options, hobj=1, queue=QUEUE, comp_code=2, reason=2046)
    assert rules(answer(engine, log_file, history)) == set(broken_rules(options))
    history.call("till", "MQPUT", 52, 54, options=_ORDERED, hobj=1, queue=QUEUE, comp_code=2, reason=2185)
    assert all(rule.startswith(("PTB", "PER", "GRP")) for rule in rules(answer(engine, log_file, history)))


def test_of_two_messages_with_one_msg_id_one_is_left(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.put("shop", "one", 10, 15)
    history.get("desk", "one", 20, 25)
    history.put("shop", "one", 30, 35, correl_id=ident("other"))
    history.nothing("till", 50, 60, match_options=2, sel_correl_id=ident("mine"))
    history.get("desk", "one", 70, 75)
    found = answer(engine, log_file, history)
    assert kinds(found) == [["other CorrelId"]]
    assert found.messages[0].doubts == ("2 messages were put with this MsgId",)


def test_an_unlock_has_no_message_that_was_not_captured(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.open("till", 1, 2, MQOO.BROWSE)
    history.put("shop", "one", 10, 20)
    history.browse("till", "one", 30, 40, options=FIRST | MQGMO.LOCK, hobj=1)
    history.call("till", "MQGET", 42, 44, options=MQGMO.UNLOCK, hobj=1, queue=QUEUE)
    history.nothing("till", 50, 60, options=NEXT, hobj=1)
    assert not any("MsgIds were not captured" in hint for hint in answer(engine, log_file, history).hints)


@pytest.mark.parametrize("match", [1, None])
def test_an_identifier_that_an_earlier_call_left_in_the_descriptor_is_named(
    engine: Engine, log_file: Path, match: int | None
) -> None:
    history = empty_queue()
    history.put("shop", "one", 10, 20)
    history.put("shop", "two", 21, 25)
    history.get("till", "one", 30, 40)
    history.nothing("till", 50, 60, match_options=match, sel_msg_id=ident("one"), sel_correl_id=NO_ID)
    found = answer(engine, log_file, history)
    assert kinds(found) == [["other MsgId"]]
    assert "as MQGET, call 1, had it; if that only left it in the descriptor" in found.messages[0].causes[0].sentence
    assert ("version 1 MQGMO" in found.messages[0].causes[0].sentence) == (match is None)
    assert "MTC-01" in rules(found)


def test_what_stands_before_the_browse_cursor_is_not_found_by_a_browse_that_goes_on(
    engine: Engine, log_file: Path
) -> None:
    history = empty_queue()
    history.put("shop", "low", 10, 20, priority=1)
    history.open("till", 22, 23, MQOO.BROWSE)
    history.browse("till", "low", 30, 40, hobj=1, priority=1)
    history.put("shop", "high", 45, 48, priority=7)
    history.nothing("till", 50, 60, options=NEXT, hobj=1)
    found = answer(engine, log_file, history)
    assert kinds(found) == [["behind the cursor"], ["behind the cursor"]]
    assert found.messages[0].held.msg_id == ident("high")
    assert "BRW-05" in rules(found)


def test_a_message_of_an_incomplete_group_is_withheld(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.put("shop", "part", 10, 20, group_id=ident("g"), msg_seq_number=1, offset=0, msg_flags=MQMF.MSG_IN_GROUP)
    history.nothing("till", 30, 40, options=MQGMO.ALL_MSGS_AVAILABLE)
    found = answer(engine, log_file, history)
    assert kinds(found) == [["incomplete"]]
    assert "AMA-01" in rules(found)


def test_a_marked_message_is_passed_over_by_a_browse_for_unmarked_ones(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.put("shop", "order", 10, 20)
    history.open("till", 22, 23, MQOO.BROWSE)
    history.browse("till", "order", 30, 40, hobj=1, options=FIRST | MQGMO.MARK_BROWSE_HANDLE)
    history.nothing("till", 50, 60, hobj=1, options=FIRST | MQGMO.UNMARKED_BROWSE_MSG)
    assert kinds(answer(engine, log_file, history)) == [["marked"]]


def test_a_message_that_came_while_the_call_ran_may_have_suited(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.put("shop", "order", 30, 60)
    history.nothing("till", 40, 50)
    found = answer(engine, log_file, history)
    assert kinds(found) == [[]]
    assert found.messages[0].doubts
    assert "may have suited" in said(found)


def test_the_model_allows_the_get_of_a_message_that_asked_for_a_report(engine: Engine, log_file: Path) -> None:
    rows = log_of(f"{START} put h m1 Report=COA+COD ReplyToQ=R; get g CONVERT")
    evidence = read_evidence(engine, [write_log(log_file, rows)])
    found = why(evidence, call_named(f"B:{rows[-1]['seq']}", evidence), 1000)
    assert found.model is not None
    assert found.model.followed
    assert "the model allows" in found.model.sentence


def test_a_message_that_was_there_all_the_while_would_have_suited_and_the_model_says_so(
    engine: Engine, log_file: Path
) -> None:
    history = empty_queue()
    for name in ("shop", "till"):
        history.call(name, "MQCONN", 1, 2)
        history.open(name, 3, 4, MQOO.OUTPUT | MQOO.INPUT_SHARED)
    columns: dict[str, Any] = {
        "hobj": 1,
        "correl_id": NO_ID,
        "group_id": NO_ID,
        "msg_seq_number": 1,
        "offset": 0,
        "original_length": -1,
        "report": 0,
        "feedback": 0,
        "reply_to_q": "",
        "length": 0,
    }
    history.put("shop", "order", 30, 40, **columns)
    history.nothing("till", 50, 60, hobj=1, buffer_length=100)
    found = answer(engine, log_file, history, calls=1000)
    assert "would have suited" in said(found)
    assert found.model is not None
    assert found.model.followed
    assert "the model does not allow it" in found.model.sentence
    without_calls = answer(engine, log_file, history)
    assert without_calls.model is not None
    assert not without_calls.model.followed


def test_of_an_empty_queue_it_says_what_was_last_taken_and_what_came_next(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.put("shop", "one", 10, 20)
    history.get("other", "one", 25, 28)
    history.nothing("till", 30, 40)
    history.put("shop", "two", 50, 60)
    found = answer(engine, log_file, history)
    assert found.stock is not None
    assert [event.msg_id for event in found.stock.gone] == [ident("one")]
    assert found.stock.next is not None
    assert found.stock.next.msg_id == ident("two")
    assert "no message was on the queue" in said(found)


def test_a_wait_that_ended_in_vain_had_to_take_what_came_meanwhile(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.put("shop", "order", 20, 25, options=SYNC)
    history.nothing("till", 10, 100, options=MQGMO.WAIT, wait_ms=1)
    found = answer(engine, log_file, history)
    assert kinds(found) == [["not committed"]]
    assert "WAI-01" in rules(found)


def test_a_get_that_returned_a_message_passed_over_those_before_it_for_a_cause(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.put("shop", "high", 10, 20, priority=7, options=SYNC)
    history.put("mill", "low", 21, 25, priority=1)
    history.get("till", "low", 30, 40, priority=1)
    found = answer(engine, log_file, history)
    assert [each.held.msg_id for each in found.messages] == [ident("high")]
    assert kinds(found) == [["not committed"]]


REFUSED: list[tuple[str, MQRC, dict[str, Any], str, str]] = [
    ("MQGET", MQRC.TRUNCATED_MSG_FAILED, {"length": 90, "buffer_length": 10, "comp_code": 1}, "TRN-04", "90 bytes"),
    ("MQPUT", MQRC.PUT_INHIBITED, {}, "PUT-09", "InhibitPut"),
    ("MQGET", MQRC.GET_INHIBITED, {}, "WAI-06", "InhibitGet"),
    ("MQPUT", MQRC.SYNCPOINT_LIMIT_REACHED, {}, "UOW-07", "2 messages"),
    ("MQGET", MQRC.NO_MSG_UNDER_CURSOR, {"options": MQGMO.MSG_UNDER_CURSOR}, "CUR-04", "had browsed no message"),
    ("MQGET", MQRC.NO_MSG_LOCKED, {"options": MQGMO.UNLOCK, "comp_code": 1}, "LCK-17", "had locked no message"),
    ("MQPUT", MQRC.MSG_TOO_BIG_FOR_Q, {"length": 200}, "SIZ-04", "200 bytes"),
    ("MQPUT", MQRC.Q_FULL, {"hobj": 1}, "DEP-06", "2 put and not committed"),
    ("MQGET", MQRC.HOBJ_ERROR, {"hobj": 9}, "CON-02", "no MQOPEN"),
    ("MQGET", MQRC.NOT_OPEN_FOR_BROWSE, {"hobj": 1}, "OPT-32", "INPUT_SHARED"),
    ("MQGET", MQRC.CONNECTION_BROKEN, {"msg_id": ident("x")}, "", "does not learn whether"),
    ("MQGET", MQRC.NOT_AUTHORIZED, {}, "", "no rule of the catalogue"),
]


@pytest.mark.parametrize("case", REFUSED, ids=[one[1].name for one in REFUSED])
def test_each_reason_is_told_by_the_facts_of_the_log_and_its_rules(
    engine: Engine, log_file: Path, case: tuple[str, MQRC, dict[str, Any], str, str]
) -> None:
    call, reason, columns, rule, text = case
    history = empty_queue()
    history.open("till", 1, 2, MQOO.INPUT_SHARED | MQOO.OUTPUT, hobj=1)
    history.put("till", "one", 10, 20, options=SYNC, hobj=1)
    history.put("till", "two", 21, 25, options=SYNC, hobj=1)
    usual = {"queue": QUEUE, "options": 0, "hobj": 1, "comp_code": 2, "reason": int(reason)}
    history.call("till", call, 30, 40, **(usual | columns))
    followed = 1000 if reason is MQRC.Q_FULL else 0  # the model has no part in what is asserted; it must not break
    found = answer(engine, log_file, history, calls=followed)
    assert text in said(found)
    assert not rule or rule in rules(found)


_GROUPED = int(MQMF.MSG_IN_GROUP)
_ORDERED = 0x8000
OF_GROUPS: list[tuple[str, MQRC, dict[str, Any], str]] = [
    ("MQPUT", MQRC.INCOMPLETE_GROUP, {"comp_code": 1}, "LOG-15"),
    ("MQPUT", MQRC.INCOMPLETE_MSG, {"comp_code": 1}, "LOG-15"),
    ("MQPUT", MQRC.INCONSISTENT_PERSISTENCE, {}, "LOG-17"),
    ("MQPUT", MQRC.INCONSISTENT_UOW, {}, "LOG-18"),
    ("MQGET", MQRC.INCONSISTENT_UOW, {}, "LOG-18"),
    ("MQGET", MQRC.INCONSISTENT_BROWSE, {}, "BRW-12"),
]


@pytest.mark.parametrize("case", OF_GROUPS, ids=[f"{one[0]}-{one[1].name}" for one in OF_GROUPS])
def test_a_reason_of_groups_names_what_the_call_before_left(
    engine: Engine, log_file: Path, case: tuple[str, MQRC, dict[str, Any], str]
) -> None:
    call, reason, columns, rule = case
    history = empty_queue()
    history.open("till", 1, 2, MQOO.INPUT_SHARED | MQOO.OUTPUT | MQOO.BROWSE, hobj=1)
    part = {"group_id": ident("g"), "msg_seq_number": 1, "offset": 0, "msg_flags": _GROUPED, "hobj": 1}
    history.put("shop", "one", 3, 4, **(part | {"hobj": 5}))
    history.put("till", "own", 5, 6, options=SYNC | _ORDERED, **part)
    history.get("till", "one", 10, 20, options=SYNC | _ORDERED, **part)
    usual = {"queue": QUEUE, "options": _ORDERED, "hobj": 1, "comp_code": 2, "reason": int(reason)}
    history.call("till", call, 30, 40, **(usual | columns))
    found = answer(engine, log_file, history)
    before = "MQPUT call 2" if call == "MQPUT" else "MQGET call 3"
    assert f"the call before on the handle, {before}, left group {ident('g')} at MsgSeqNumber 1" in said(found)
    assert "within a unit of work" in said(found)
    assert rules(found) & {rule, *(one.id for one in rules_of(reason).decide)}


def test_who_marked_messages_for_the_set_is_named(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.put("shop", "order", 10, 20)
    marks = FIRST | MQGMO.MARK_BROWSE_CO_OP
    history.open("other", 22, 23, MQOO.BROWSE | MQOO.CO_OP)
    history.browse("other", "order", 30, 40, options=marks, hobj=1)
    history.open("till", 42, 43, MQOO.BROWSE | MQOO.CO_OP)
    refused = {"comp_code": 2, "reason": int(MQRC.MSG_MARKED_BROWSE_CO_OP), "options": int(marks)}
    history.call("till", "MQGET", 50, 60, hobj=1, queue=QUEUE, match_options=0, **refused)
    found = answer(engine, log_file, history)
    assert f"connection QM1/other, call 2, marked message {ident('order')}" in said(found)
    assert "DISPLAY QMGR MARKINT" in said(found)
    assert {"MRK-09", "MRK-12"} <= rules(found)
    history.header("queue", queue="", MarkBrowseInterval=7000)
    assert "for 7,000 ms" in said(answer(engine, log_file, history))


@pytest.mark.parametrize("reason", [one for one in MQRC if 2200 <= one < 2300 and rules_of(one).decide])
def test_every_reason_that_rules_decide_about_is_told_by_a_rule(engine: Engine, log_file: Path, reason: MQRC) -> None:
    history = empty_queue()
    history.open("till", 1, 2, MQOO.INPUT_SHARED | MQOO.OUTPUT | MQOO.BROWSE, hobj=1)
    history.call("till", "MQGET", 30, 40, queue=QUEUE, options=0, hobj=1, comp_code=2, reason=int(reason))
    assert rules(answer(engine, log_file, history))


def test_what_a_get_with_an_unexpected_error_may_have_taken_is_named(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.put("shop", "lost", 10, 20)
    history.put("shop", "kept", 21, 25)
    history.call("till", "MQGET", 30, 40, queue=QUEUE, options=0, comp_code=2, reason=int(MQRC.UNEXPECTED_ERROR))
    history.get("desk", "kept", 50, 60)
    found = answer(engine, log_file, history)
    assert f"message {ident('lost')} was on the queue, and no later call returned it" in said(found)
    assert ident("kept") not in said(found)
    history.get("desk", "lost", 70, 80)
    assert "it took none of them" in said(answer(engine, log_file, history))


def test_who_has_a_queue_open_that_another_wants_is_named(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.open("early", 1, 2, MQOO.INPUT_EXCLUSIVE, hobj=1)
    history.call("early", "MQCLOSE", 3, 4, hobj=1, queue=QUEUE)
    history.open("other", 5, 6, MQOO.INPUT_EXCLUSIVE, hobj=1)
    refused: dict[str, Any] = {"comp_code": 2, "reason": int(MQRC.OBJECT_IN_USE), "hobj": None}
    history.open("till", 10, 20, MQOO.INPUT_SHARED, **refused)
    found = answer(engine, log_file, history)
    assert "connection QM1/other had it open exclusively" in said(found)
    assert "early" not in said(found)
    assert "OPN-11" in rules(found)


def test_what_took_the_message_under_the_cursor_is_named(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.put("shop", "order", 10, 20)
    history.open("till", 22, 23, MQOO.BROWSE | MQOO.INPUT_SHARED)
    history.browse("till", "order", 30, 40, hobj=1)
    history.get("thief", "order", 45, 48)
    options = int(MQGMO.MSG_UNDER_CURSOR)
    history.call(
        "till", "MQGET", 50, 60, hobj=1, queue=QUEUE, options=options, match_options=0, comp_code=2, reason=2034
    )
    found = answer(engine, log_file, history)
    assert "connection QM1/thief" in said(found)
    assert {"CUR-03", "CUR-05"} <= rules(found)


def test_a_call_is_named_by_its_place_or_by_a_time(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    day = 1_700_000_000 * SECOND
    history.put("shop", "one", day, day + 10)
    history.put("shop", "two", day + 5 * SECOND, day + 6 * SECOND)
    evidence = read_evidence(engine, [write_log(log_file, [HEADER, *history.records])])
    assert call_named("QM1/shop:2", evidence).msg_id == ident("two")
    assert call_named("*shop:1", evidence).msg_id == ident("one")
    assert call_named("shop:1", evidence).msg_id == ident("one")
    assert time_of("2023-11-14 22:13:24", evidence) == time_of("22:13:24", evidence) == day + 4 * SECOND
    assert call_at("22:13:24", "shop", evidence).msg_id == ident("one")
    assert call_at(str(day + 5 * SECOND), "shop", evidence).msg_id == ident("two")
    for wrong in ("shop", "shop:99", "nobody:1"):
        with pytest.raises(UsageError):
            call_named(wrong, evidence)
    with pytest.raises(UsageError, match="25:99: a time is like"):
        time_of("25:99", evidence)
    for time in ("soon", "22:59:59", "2020-01-01 00:00:00"):
        with pytest.raises(UsageError):
            call_at(time, "shop", evidence)


def test_an_index_answers_as_the_log_does(engine: Engine, tmp_path: Path) -> None:
    history = empty_queue()
    history.put("shop", "one", 10, 20, options=SYNC)
    history.put("mill", "two", 21, 22)
    history.get("other", "two", 23, 24, options=SYNC)
    history.nothing("till", 30, 40)
    history.backout("other", 50, 60)
    log = write_log(tmp_path / "log.jsonl", [HEADER, *history.records])
    made, _ = indexed(engine, [log], tmp_path / "index")
    again, was_there = indexed(engine, [log], tmp_path / "index")
    assert was_there
    direct = read_evidence(engine, [log])
    answers = [document_of(why(each, call_named("till:1", each), 1000)) for each in (direct, made, again)]
    assert answers[0]["counts"] == {"not committed": 1, "got and not committed": 1}
    assert answers[0] == answers[1] == answers[2]
    held = [document_of_owners(owners(each)) for each in (direct, made, again)]
    assert held[0] == held[1] == held[2]
    assert {use["conn"]: use["backed_out"] for use in held[0]["uses"]}["QM1/other"] == 1


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_the_command_tells_it_and_names_what_the_log_lacks(tmp_path: Path) -> None:
    history = History("QM1")
    history.put("shop", "order", 10, 20, options=SYNC)
    history.nothing("till", 30, 40)
    log = write_log(tmp_path / "log.jsonl", history.records)
    told = run("why", log, "--call", "till:1")
    assert told.exit_code == 0, told.output
    assert "was not committed" in told.output
    assert "VIS-01" in told.output
    assert "To learn more:" in told.output
    assert "DISPLAY QLOCAL" in told.output
    document = json.loads(run("why", log, "--call", "till:1", "--json").output)
    assert document["counts"] == {"not committed": 1}
    assert not document["model"]["followed"]
    for wrong in ((), ("--call", "till:1", "--at", "10"), ("--at", "1700000000"), ("--conn", "till")):
        assert run("why", log, *wrong).exit_code == 2


LACKING: list[tuple[tuple[str, ...], str]] = [
    (("comp_code", "reason"), "how calls ended was not captured"),
    (("msg_id",), "MsgIds were not captured"),
    (("options",), "the options of puts and gets were not captured"),
    (("queue", "object_name"), "begin the capture before the applications connect"),
    (("hobj",), "handles were not captured"),
    (("match_options",), "what a get selected by was not captured"),
    (("digest",), "payloads were not captured"),
]


@pytest.mark.parametrize("case", LACKING, ids=[one[0][0] for one in LACKING])
def test_each_question_says_which_setting_of_the_capture_would_have_told_more(
    engine: Engine, log_file: Path, case: tuple[tuple[str, ...], str]
) -> None:
    columns, told = case
    history = empty_queue()
    history.put("shop", "order", 10, 20, hobj=1, digest="ab" * 32)
    history.get("desk", "order", 30, 40, hobj=1, options=SYNC, digest="ab" * 32)
    history.nothing("till", 50, 60, hobj=1)
    for lacks in ((), columns):
        records = without(history.records, lacks)
        evidence = read_evidence(engine, [write_log(log_file, [HEADER, *records])])
        hints = {
            "trace": trace(evidence, Selection(msgs=(Wanted.of("order"),))).hints,
            "why": why(evidence, call_named("till:1", evidence), 0).hints,
            "owners": owners(evidence).hints,
        }
        said = {name: any(told in hint for hint in found) for name, found in hints.items()}
        assert said == dict.fromkeys(hints, bool(lacks)), lacks


def test_a_call_of_unknown_outcome_is_not_explained(engine: Engine, log_file: Path) -> None:
    history = empty_queue()
    history.call("till", "MQGET", 10, 20, queue=QUEUE, options=0, hobj=1, comp_code=None, reason=None)
    assert "how the call ended was not captured" in said(answer(engine, log_file, history))
    history.get("desk", "order", 30, 40, msg_id=None)
    assert "MsgId was not captured" in said(answer(engine, log_file, history, "desk"))
