"""Departures about messages that the queue manager makes itself: reports, trigger messages and dead letters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from oracle.judging.departure import Departure
from oracle.mqi.layouts import MQTM
from oracle.protocol import ObservedReply
from tests.oracle.test_follow import Session

Queues = tuple[Mapping[str, Any], ...]

NOTHING = ObservedReply(2, 2033)
TRIGGERED = "i = open INIT INPUT_SHARED\nput1 Q m"
TRIGGERS = ({"name": "Q", "TriggerControl": 1, "InitiationQName": "INIT", "ProcessName": "P"}, {"name": "INIT"})
SILENT = ({"name": "Q", "InitiationQName": "INIT", "ProcessName": "P"}, {"name": "INIT"})
REPORTS = ({"name": "Q"}, {"name": "F"})
LIMITED = ({"name": "Q"}, {"name": "F", "InhibitPut": 1}, {"name": "D"})
WITH_DEAD_LETTERS = {"DeadLetterQName": "D"}


def wrongly(session: Session, call: str, reply: ObservedReply) -> Departure:
    """Return the departure of a reply that is not allowed."""
    departure = session.instead(call, reply).departure
    assert departure is not None
    return departure


def test_a_trigger_message_that_nothing_calls_for_is_told_by_the_condition_that_was_missing() -> None:
    reply = Session(TRIGGERED, start="", queues=TRIGGERS).reply("get i")
    for history, queues, rule in (
        (TRIGGERED, SILENT, "TRI-01"),
        (TRIGGERED.replace("put1", "s = open Q INPUT_SHARED\nput1"), TRIGGERS, "TRI-01"),
        (f"{TRIGGERED}\nget i\nput1 Q second", TRIGGERS, "TRI-02"),
        (TRIGGERED, ({**TRIGGERS[0], "TriggerType": 3, "TriggerDepth": 2}, TRIGGERS[1]), "TRI-04"),
    ):
        departure = wrongly(Session(history, start="", queues=queues), "get i", fresh(reply))
        assert departure.rules[0] == rule
        assert "returned a trigger message, which the queue manager must not have put there" in departure.sentence
        assert departure.own == "a trigger message"


@pytest.mark.parametrize(
    ("history", "queues", "rule"),
    [
        (TRIGGERED, TRIGGERS, "TRI-02"),
        (TRIGGERED, ({**TRIGGERS[0], "TriggerType": 2}, TRIGGERS[1]), "TRI-03"),
        (f"{TRIGGERED}\nalter Q TriggerControl=1", SILENT, "TRI-09"),
    ],
)
def test_a_missing_trigger_message_is_told_by_its_event(history: str, queues: Queues, rule: str) -> None:
    departure = wrongly(Session(history, start="", queues=queues), "get i", NOTHING)
    assert departure.rules[0] == rule
    assert "must have put a trigger message there by " in departure.sentence


@pytest.mark.parametrize("report", ["COA", "COD", "EXPIRATION"])
def test_a_report_that_nobody_asked_for_is_called_so(report: str) -> None:
    history = """
    put1 Q m ReplyToQ=F Expiry=100 {}
    advance {}s
    h = open Q INPUT_SHARED
    get h
    f = open F INPUT_SHARED
    """
    waits = 20 if report == "EXPIRATION" else 1
    reply = Session(history.format(f"Report={report}", waits), start="", queues=REPORTS).reply("get f")
    departure = wrongly(Session(history.format("", waits), start="", queues=REPORTS), "get f", fresh(reply))
    assert departure.rules[0] == ("RPT-02" if report == "EXPIRATION" else "DLV-01")
    name = f"{'an expiration' if report == 'EXPIRATION' else f'a {report}'} report"
    assert f"returned {name} about m, which the queue manager must not" in departure.sentence
    assert departure.own == name


def test_a_dead_letter_that_does_not_fit_is_told_by_where_reports_go() -> None:
    history = """
    put1 Q m Report=COA_WITH_FULL_DATA ReplyToQ=F Length=1000
    d = open D INPUT_SHARED
    """
    call = "get d BufferLength=2000"
    reply = Session(history, start="", queues=LIMITED, qmgr=WITH_DEAD_LETTERS).reply(call)
    assert reply.comp_code == 0
    small = {**WITH_DEAD_LETTERS, "MaxMsgLength": 1100}
    departure = wrongly(Session(history, start="", queues=LIMITED, qmgr=small), call, reply)
    assert departure.rules[0] == "RPM-06"
    assert "returned a dead letter, which" in departure.sentence


@pytest.mark.parametrize("passing", ["", "+PASS_MSG_ID"])
@pytest.mark.parametrize(("report", "verb"), [("COA", "MQPUT1"), ("COD", "MQGET")])
def test_a_missing_report_is_told_as_one_even_if_its_msg_id_is_known(report: str, verb: str, passing: str) -> None:
    history = f"""
    put1 Q m Report={report}{passing} ReplyToQ=F
    h = open Q INPUT_SHARED
    get h
    f = open F INPUT_SHARED
    """
    departure = wrongly(Session(history, start="", queues=REPORTS), "get f", NOTHING)
    assert departure.rules[0].startswith("RPM")
    assert f"must have put a {report} report about m there by {verb}" in departure.sentence


def test_a_report_that_was_seen_may_be_lost_since() -> None:
    history = """
    put1 Q m Report=COA+PASS_MSG_ID ReplyToQ=F
    f = open F INPUT_SHARED+BROWSE
    get f BROWSE_FIRST
    """
    departure = wrongly(Session(history, start="", queues=REPORTS), "get f", NOTHING)
    assert "although message m is available" in departure.sentence


def test_reports_in_another_order_are_told_by_the_order() -> None:
    history = """
    put1 Q {} Report=COA ReplyToQ=F {}
    put1 Q {} Report=COA ReplyToQ=F {}
    f = open F INPUT_SHARED
    """
    one, two = "m1 MsgId=a1", "m2 MsgId=b2"
    reply = Session(history.format(two, "", one, ""), start="", queues=REPORTS).reply("get f")
    departure = wrongly(Session(history.format(one, "", two, ""), start="", queues=REPORTS), "get f", fresh(reply))
    assert departure.rules[0] == "PRI-03"
    assert "returned a COA report about m2, but a COA report about m1 comes before it" in departure.sentence


def test_a_report_before_the_commit_is_told_as_not_committed() -> None:
    history = """
    put1 Q m MsgId=a1 Report=COA ReplyToQ=F {}
    f = D.open F INPUT_SHARED
    """
    reply = Session(history.format(""), start="", queues=REPORTS).reply("get f")
    departure = wrongly(Session(history.format("SYNCPOINT"), start="", queues=REPORTS), "get f", fresh(reply))
    assert "returned a COA report about m, which this call must not return" in departure.sentence
    assert departure.rules[0] in {"VIS-01", "RPM-03"}


@pytest.mark.parametrize(
    ("member", "rule"), [("TriggerData", "TRI-07"), ("ProcessName", "TRI-07"), ("QName", "TRI-06")]
)
def test_a_wrong_member_of_a_trigger_message_is_told_by_its_rule(member: str, rule: str) -> None:
    session = Session(TRIGGERED, start="", queues=TRIGGERS)
    reply = session.reply("get i")
    values = MQTM.decode(reply.members["data"], "little")
    data = MQTM.encode({**values, member: "X"}, "little")
    departure = wrongly(session, "get i", replace(reply, members={**reply.members, "data": data}))
    assert departure.rules[0] == rule


def test_the_options_of_an_earlier_open_are_not_blamed_for_a_message() -> None:
    departure = wrongly(Session("put h m\nx = open Q INPUT_SHARED"), "get x", NOTHING)
    assert "OPN-22" not in departure.rules


def fresh(reply: ObservedReply) -> ObservedReply:
    """Return a reply with an identifier that no message of another history has."""
    return replace(
        reply, members={**reply.members, "MQMD.MsgId": b"AMQ QM        \xaa\xbb\xcc\xdd\xee\xff\x01\x02\x03\x04"}
    )
