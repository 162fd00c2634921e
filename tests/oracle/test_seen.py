"""The outcome that a `->` part states, completed from the nearest allowed outcome."""

from __future__ import annotations

import pytest

from oracle.errors import MqOracleError
from oracle.histories.notation import parse
from oracle.histories.seen import nearest, observed
from oracle.model.queue_manager import outcomes
from oracle.protocol import ObservedReply
from tests.oracle.conftest import play_history

WAITING = "h = open Q INPUT_SHARED+BROWSE+OUTPUT+INQUIRE; g = B.open Q INPUT_SHARED; w = get g WAIT WaitInterval=5000;"
ONE = "h = open Q INPUT_SHARED+BROWSE+OUTPUT+INQUIRE; put h m1 Priority=3; put h m2;"


def seen(before: str, text: str) -> ObservedReply:
    """Return the outcome that a line states after a history."""
    played = play_history(before)
    (line,) = parse(text)
    call = played.bindings.call(line, 99)
    return observed(line, nearest(line, tuple(outcomes(played.state, call)), played.bindings), played.bindings)


def test_a_line_that_says_nothing_is_the_first_allowed_outcome() -> None:
    reply = seen(ONE, "get h")
    assert reply.members["data"] == b"m1"


def test_what_is_said_is_taken_as_seen_and_the_rest_as_allowed() -> None:
    reply = seen(ONE, "get h -> m1 Priority=8")
    assert reply.members["MQMD.Priority"] == 8
    assert reply.members["MQMD.Persistence"] == 0
    assert reply.members["DataLength"] == 2


def test_a_message_that_is_not_allowed_comes_as_it_was_put() -> None:
    reply = seen(ONE + "put h other", "get h BufferLength=1 -> other")
    assert (reply.comp_code, reply.reason) == (0, 0)
    assert (reply.members["data"], reply.members["DataLength"]) == (b"o", 5)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("get h -> 2033", (2, 2033)),
        ("get h -> m1 2079", (1, 2079)),
        ("get h BufferLength=1 ACCEPT_TRUNCATED_MSG -> 2079", (1, 2079)),
        ("get h UNLOCK -> OK", (0, 0)),
        ("get h UNLOCK -> 2209", (1, 2209)),
        ("inq h CurrentQDepth -> CurrentQDepth=7", (0, 0)),
        ("get h WAIT WaitInterval=5 MatchOptions=MATCH_MSG_ID MsgId=ff -> 2033", (2, 2033)),
    ],
)
def test_the_completion_code_follows_from_what_is_said(text: str, codes: tuple[int, int]) -> None:
    reply = seen(ONE, text)
    assert (reply.comp_code, reply.reason) == codes
    assert not reply.pending


def test_attributes_and_identifiers_are_outputs() -> None:
    assert seen(ONE, "inq h CurrentQDepth -> CurrentQDepth=7").members["values"] == {"CurrentQDepth": 7}
    assert seen(ONE, "get h -> m1 MsgId=ff").members["MQMD.MsgId"] == b"\xff" + bytes(23)
    assert seen(ONE, "get h -> m1 GroupStatus=G").members["MQGMO.GroupStatus"] == "G"


def test_outputs_that_the_version_of_the_structure_has_not_are_not_seen() -> None:
    members = seen(ONE, "get h MQGMO.Version=2").members
    assert "MQGMO.GroupStatus" in members
    assert "MQGMO.MsgToken" not in members


def test_members_of_a_structure_in_the_data_are_outputs() -> None:
    put = (
        "h = open Q INPUT_SHARED+OUTPUT; put h m Format=MQXMIT Encoding=273 MQXQH.RemoteQName=R MQXQH.MsgDesc.Expiry=5;"
    )
    data = seen(put, "get h").members["data"]
    assert (len(data), data[-1:]) == (429, b"m")
    assert int.from_bytes(data[120:124], "big") == 5
    changed = seen(put, "get h -> OK MQXQH.MsgDesc.Expiry=9").members
    assert changed["data"] == data[:123] + b"\x09" + data[124:]
    assert changed["DataLength"] == 429


def test_data_without_a_structure_that_is_said_to_be_there_are_that_structure() -> None:
    members = seen(ONE, "get h -> OK MQTM.QName=Q").members
    assert (members["DataLength"], members["data"][:12]) == (684, b"TM  " + (1).to_bytes(4, "little") + b"Q   ")


def test_waiting_calls_end_as_said_or_else_as_allowed() -> None:
    for text, data in (("put h m1", b"m1"), ("put h m1 -> OK", b"m1"), ("put h m1 => w m1", b"m1")):
        (ended,) = seen(WAITING, text).completed.values()
        assert ended.members["data"] == data
    (ended,) = seen(WAITING, "put h m1 => w 2033").completed.values()
    assert (ended.comp_code, ended.reason, ended.members) == (2, 2033, {})
    assert seen(WAITING, "put h m1 => w pending").completed == {}


def test_a_call_that_is_said_to_wait_waits() -> None:
    assert seen(ONE, "get h WAIT WaitInterval=5000 -> pending") == ObservedReply(pending=True)


@pytest.mark.parametrize(
    "text",
    [
        "put h m MQXQH.Colour=3",
        "get h -> OK MQTM.Colour=3",
        "get h -> m9",
        "put h m3 => v 2033",
        "get h -> m1 CorrelId=@m9",
        "get h -> m1 MsgId=zz",
    ],
)
def test_a_name_without_meaning_is_refused(text: str) -> None:
    with pytest.raises(MqOracleError):
        seen(ONE, text)
