"""A conversation with a target, followed by the oracle."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.sessions.session import History, Setup
from oracle.errors import BadInputError, TargetError, UsageError
from oracle.histories.notation import parse, write
from oracle.serve import Server
from tests.conformance.conftest import CountingServer, play, rig_of


def test_a_conforming_target_departs_nowhere_and_names_stand_for_what_it_returned() -> None:
    session = play("h = open Q INPUT_SHARED+OUTPUT; put h m1 Priority=2; get h MsgId=@m1 MatchOptions=MATCH_MSG_ID")
    assert session.departure is None
    assert session.exchanges[-1].reply["data"] == b"m1".hex()
    assert [exchange.request["verb"] for exchange in session.exchanges] == ["MQCONN", "MQOPEN", "MQPUT", "MQGET"]


def test_each_request_has_a_larger_number() -> None:
    rig = rig_of()
    for _ in range(2):
        rig.play(History(Setup(), parse("h = open Q OUTPUT; put h m1")))
    session = rig.play(History(Setup(), parse("put1 Q m1; cmit")))
    numbers = [exchange.request["seq"] for exchange in session.exchanges]
    assert numbers == sorted(set(numbers))
    assert numbers[0] > 6


def test_a_session_begins_with_a_fresh_queue_manager() -> None:
    rig = rig_of()
    rig.play(History(Setup(), parse("put1 Q m1")))
    session = rig.play(History(Setup(), parse("h = open Q INPUT_SHARED+INQUIRE; inq h CurrentQDepth")))
    assert session.exchanges[-1].reply["values"] == {"CurrentQDepth": 0}


def test_the_rig_counts_requests_and_cited_rules() -> None:
    rig = rig_of()
    rig.play(History(Setup(), parse("h = open Q INPUT_SHARED; get h")))
    assert rig.tally.steps == 3
    assert rig.tally.calls["MQCONN"] == 1
    assert "WAI-10" in rig.tally.rules
    assert "SYN-02" not in rig.tally.rules


class Forgetful(Server):
    """A target that finds no message, ever."""

    def answer(self, line: str) -> dict[str, Any]:
        """Return the reply, but MQRC_NO_MSG_AVAILABLE to every MQGET."""
        reply = super().answer(line)
        return {"seq": reply["seq"], "CompCode": 2, "Reason": 2033} if "MQMD" in reply and "MQGET" in line else reply


def test_a_departure_ends_the_history_and_says_what_was_allowed() -> None:
    session = play("h = open Q INPUT_SHARED+OUTPUT; put h m1; get h; get h; get h", Forgetful)
    assert [exchange.line.verb for exchange in session.exchanges] == ["conn", "open", "put", "get"]
    assert session.departure is not None
    assert "DLV-05" in session.departure.rules
    assert session.departure.allowed[0].startswith("OK")


def test_the_history_of_a_session_has_no_expectations_and_no_needless_connections() -> None:
    text = "h = open Q OUTPUT -> OK; put h m1 -> 2033; B.put1 Q m2"
    assert [write(line) for line in play(text).history.lines] == ["h = open Q OUTPUT", "put h m1", "B.put1 Q m2"]


def test_the_history_of_a_session_keeps_a_connection_made_early() -> None:
    lines = play("conn B; h = open Q OUTPUT; put h m1; quiesce; B.put1 Q m2").history.lines
    assert write(lines[0]) == "conn B"
    assert [line.verb for line in lines].count("conn") == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("get h", "no handle 'h' is open"),
        ("put h m1", "no handle 'h' is open"),
        ("h = open Q INPUT_SHARED; get h MsgId=@m1", "no message 'm1' was put"),
    ],
)
def test_a_name_without_a_meaning_is_no_departure(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        play(text)


def test_a_connection_that_waits_makes_no_other_call() -> None:
    with pytest.raises(UsageError, match="connection A has a waiting MQGET"):
        play("h = open Q INPUT_SHARED; w = get h WAIT WaitInterval=-1; cmit")


def test_a_connection_whose_application_died_waiting_can_be_used_again() -> None:
    session = play("h = open Q INPUT_SHARED; w = get h WAIT WaitInterval=-1; fail A; B.put1 Q m1; g = open Q BROWSE")
    assert session.departure is None
    assert not session.waiting


@pytest.mark.parametrize(
    ("verb", "change"),
    [
        ("MQPUT1", {"CompCode": "OK"}),
        ("MQPUT1", {"ok": True}),
        ("MQPUT1", {"MQMD": {"MsgId": "zz"}}),
        ("MQPUT1", {"completed": 5}),
        ("quiesce", {"ok": False}),
        ("quiesce", {"ok": None, "CompCode": 0, "Reason": 0}),
        ("setup", {"ok": None}),
    ],
)
def test_a_reply_of_another_form_is_a_target_error(verb: str, change: dict[str, Any]) -> None:
    class Odd(Server):
        def answer(self, line: str) -> dict[str, Any]:
            reply = super().answer(line)
            return {**reply, **change} if f'"{verb}"' in line else reply

    with pytest.raises(TargetError, match=r"not of the protocol|not ok"):
        play("put1 Q m1; quiesce", Odd)


def test_a_definition_with_errors_is_bad_input() -> None:
    with pytest.raises(BadInputError, match="MaxQDepth"):
        play("cmit", setup=Setup(queues=({"name": "Q", "MaxQDepth": "many"},)))


def test_the_setup_is_sent_as_it_is() -> None:
    server = CountingServer()
    setup = Setup(queues=({"name": "F", "MsgDeliverySequence": "FIFO"},), qmgr={"MaxPriority": 5})
    play("cmit", lambda: server, setup)
    assert server.requests[1] == {
        "seq": 2,
        "op": "setup",
        "queues": [{"name": "F", "MsgDeliverySequence": "FIFO"}],
        "qmgr": {"MaxPriority": 5},
    }
