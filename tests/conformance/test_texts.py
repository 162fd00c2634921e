"""What reports call messages and waiting calls."""

from __future__ import annotations

from conformance.reports.texts import call, readable
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


def test_generated_identifiers_and_numbers_become_names() -> None:
    identifier = SAID.bindings.messages["m2"]["MsgId"].hex()[-12:]
    number = SAID.bindings.waits["w"]
    text = f"message ...{identifier}; the waiting call {number}; ends waiting calls {number}: OK; {number}0"
    assert readable(text, SAID) == f"message m2; the waiting call w; ends waiting calls w: OK; {number}0"


def test_a_message_without_an_identifier_has_no_name() -> None:
    assert readable("message ...000000000000", SAID) == "message ...000000000000"
