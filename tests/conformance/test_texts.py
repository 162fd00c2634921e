"""The names of messages and waiting calls in reports."""

from __future__ import annotations

from conformance.checks.check import Counterexample
from conformance.checks.texts import allowed, call, calls, explanation, readable
from conformance.sessions.dialogue import Dialogue
from conformance.sessions.session import Session, Setup, play_lines
from conformance.targets import InProcessTarget
from fixtures.naive.emulator import Emulator
from oracle.histories.notation import parse
from tests.conformance.conftest import play

SAID = play(
    "h = open Q BROWSE+INPUT_SHARED+OUTPUT+INQUIRE; put h m1; put h m2 Length=20; get h BROWSE_FIRST; "
    "get h UNLOCK; inq h CurrentQDepth; g = B.open Q INPUT_SHARED; w = get g WAIT WaitInterval=-1 CorrelId=c1; "
    "put h m3 CorrelId=c1; put h m4 Priority=-5; advance 2s"
).transcript


def test_calls_are_shown_with_what_came_back() -> None:
    assert [call(exchange, SAID) for exchange in SAID.exchanges[1:]] == [
        "h = open Q INPUT_SHARED+BROWSE+OUTPUT+INQUIRE -> OK",
        "put h m1 -> OK",
        "put h m2 Length=20 -> OK",
        "get h BROWSE_FIRST -> m1",
        "get h UNLOCK -> 2209",
        "inq h CurrentQDepth -> OK CurrentQDepth=2",
        "conn B -> OK",
        "g = B.open Q INPUT_SHARED -> OK",
        "w = get g WAIT WaitInterval=-1 CorrelId=c1 -> pending",
        "put h m3 CorrelId=c1 -> OK => w m3",
        "put h m4 Priority=-5 -> 2050",
        "advance 2s",
    ]


def test_numbers_of_requests_become_names() -> None:
    number = SAID.bindings.waits["w"]
    text = f"the waiting call {number}; ends waiting calls {number}: OK; {number}0"
    assert readable(text, SAID) == f"the waiting call w; ends waiting calls w: OK; {number}0"


def on_a_stranger(text: str) -> Counterexample:
    """Return the departure of a target whose identifiers all have the same end."""
    session = Session(Dialogue(InProcessTarget("naive", Emulator)), Setup())
    play_lines(session, parse("h = open Q INPUT_SHARED+OUTPUT; " + text))
    assert session.departure is not None
    return Counterexample(session.transcript, session.departure)


def test_messages_have_the_names_of_the_history_whatever_their_identifiers_end_with() -> None:
    found = on_a_stranger("put h low Priority=1; put h high Priority=5; get h")
    assert explanation(found).startswith("MQGET returned message low, but message high comes before it")
    assert "message high" in allowed(found)
    assert calls(found)[-1] == "get h -> low"


def test_messages_with_the_same_data_are_told_by_their_identifier() -> None:
    found = on_a_stranger(
        "put h first Priority=1 Data=ab; get h; put h low Priority=1 Data=ab; put h high Priority=5 Data=ab; get h"
    )
    assert [text for text in calls(found) if text.startswith("get")] == ["get h -> first", "get h -> low"]


def test_messages_with_the_same_identifier_are_told_by_their_data() -> None:
    found = on_a_stranger("put h low Priority=1 MsgId=aa; put h high Priority=5 MsgId=aa; get h")
    assert calls(found)[-1] == "get h -> low"
    assert "message low or high" in allowed(found)


def test_a_message_that_the_queue_manager_made_is_told_by_its_format_and_header() -> None:
    setup = Setup(({"name": "Q", "TriggerControl": 1, "InitiationQName": "I", "ProcessName": "P"}, {"name": "I"}))
    said = play("i = B.open I INPUT_SHARED; h = open Q OUTPUT; put h m1; get i", setup=setup).transcript
    assert call(said.exchanges[-1], said) == "get i -> OK Format=MQTRIG MQTM.QName=Q"


def test_what_is_lost_after_a_wait_that_ended_wrongly_is_told_by_its_name() -> None:
    session = Session(Dialogue(InProcessTarget("naive", Emulator)), Setup())
    lines = (
        "h = open Q OUTPUT; g = B.open Q INPUT_SHARED; w = get g WAIT WaitInterval=-1; put h m1 SYNCPOINT Priority=1"
    )
    play_lines(session, parse(lines))
    assert "the waiting call w to be" in session.lost
