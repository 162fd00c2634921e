"""Message properties in an MQRFH2: the effect of the options of MQGET and of the queue's PropertyControl."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.errors import NotModelledError
from oracle.model.conversion.rules_header import read_header
from oracle.model.queue_manager import outcomes
from oracle.model.reply import Reply
from oracle.mqi.constants import MQRC
from oracle.mqi.layouts import MQRFH2, Values
from oracle.mqi.structures import MessageDescriptor
from tests.oracle.conftest import Play, Played, play_history

USR = "<usr><colour>red</colour></usr>"
OWN = "<own content='properties'><size>1</size></own>"
PSC = "<psc><Command>Publish</Command></psc>"
BODY = "hello"


def header(*folders: str, body_format: str = "MQSTR", length_error: int = 0) -> bytes:
    """Return an MQRFH2 in the encoding 546 with these folders."""
    texts = [folder.encode() + b" " * (-len(folder) % 4) for folder in folders]
    pairs = b"".join(len(text).to_bytes(4, "little") + text for text in texts)
    values: Values = {
        "StrucLength": 36 + len(pairs) + length_error,
        "Encoding": 273,
        "CodedCharSetId": 819,
        "Format": body_format,
    }
    return MQRFH2.encode(values, "little") + pairs


def message(*folders: str) -> str:
    return (header(*folders) + BODY.encode()).hex()


def got(data: str, get: str, control: str | int = "COMPATIBILITY") -> Played:
    return play_history(
        f"h = open Q INPUT_SHARED+OUTPUT\nput h m1 Format=MQHRF2 CodedCharSetId=1208 Data={data}\nget h {get}",
        queues=[{"name": "Q", "PropertyControl": control}],
    )


def reply_of(played: Played) -> Reply:
    return played.last.reply


def is_bare(reply: Reply) -> bool:
    """Return whether only the body came, described as it is."""
    md = reply.descriptor
    assert md is not None
    return (reply.data, md.format, md.coded_char_set_id, md.encoding) == (BODY.encode(), "MQSTR", 819, 273)


@pytest.mark.parametrize(
    ("folders", "get", "control", "bare", "rule"),
    [
        ([USR], "NO_PROPERTIES", "COMPATIBILITY", True, "PRP-07"),
        ([USR], "PROPERTIES_FORCE_MQRFH2", "NONE", False, "PRP-08"),
        ([USR], "PROPERTIES_COMPATIBILITY", "NONE", False, "PRP-09"),
        ([OWN], "PROPERTIES_COMPATIBILITY", "ALL", True, "PRP-10"),
        ([OWN, USR], "PROPERTIES_COMPATIBILITY", "ALL", False, "PRP-09"),
        (["<usr></usr>", OWN], "PROPERTIES_COMPATIBILITY", "ALL", True, "PRP-10"),
        ([USR], "", "COMPATIBILITY", False, "PRP-03"),
        ([OWN], "", "COMPATIBILITY", True, "PRP-01"),
        ([USR], "", "NONE", True, "PRP-01"),
        ([OWN], "", "ALL", False, "PRP-01"),
        ([OWN], "", "FORCE_MQRFH2", False, "PRP-01"),
        ([OWN], "", "2", False, "PRP-01"),
    ],
)
def test_who_decides_whether_the_properties_come(
    folders: list[str], get: str, control: str, bare: bool, rule: str
) -> None:
    data = message(*folders)
    played = got(data, get, int(control) if control.isdigit() else control)
    reply = reply_of(played)
    assert reply.reason == MQRC.NONE
    assert rule in played.rules
    assert is_bare(reply) == bare
    if not bare:
        assert reply.data == bytes.fromhex(data)
        assert reply.descriptor is not None
        assert (reply.descriptor.format, reply.descriptor.coded_char_set_id) == ("MQHRF2", 1208)


@pytest.mark.parametrize("get", ["", "NO_PROPERTIES", "PROPERTIES_COMPATIBILITY", "PROPERTIES_FORCE_MQRFH2"])
def test_folders_that_hold_no_properties_stay(get: str) -> None:
    reply = reply_of(got(message(PSC, "<other><a>1</a></other>"), get))
    assert reply.data == bytes.fromhex(message(PSC, "<other><a>1</a></other>"))
    assert "data" not in reply.latitude


def test_only_the_properties_are_taken_out_of_a_header() -> None:
    reply = reply_of(got(message(PSC, USR), "NO_PROPERTIES"))
    assert reply.data == bytes.fromhex(message(PSC))
    assert reply.descriptor is not None
    assert reply.descriptor.format == "MQHRF2"


def test_how_the_header_is_written_is_the_queue_managers_matter() -> None:
    latitude = reply_of(got(message(USR), "")).latitude["data"]
    rewritten = "<usr> <colour dt='string'>red</colour> </usr>"
    assert latitude.admits(bytes.fromhex(message(USR)))
    assert latitude.admits(bytes.fromhex(message(rewritten)))
    for wrong in ("<usr><colour>blue</colour></usr>", "<usr></usr>", OWN):
        assert not latitude.admits(bytes.fromhex(message(wrong)))
    assert not latitude.admits(bytes.fromhex(message()))
    assert not latitude.admits(BODY.encode())
    assert not latitude.admits(bytes.fromhex(message(USR))[:-1])


def test_a_handle_is_needed_for_properties_in_a_handle(play: Play) -> None:
    played = play("h = open Q INPUT_SHARED+OUTPUT; put h m1; get h PROPERTIES_IN_HANDLE -> 2460; get h -> m1")
    assert played.disagreements == []


def test_two_property_options_are_refused_or_one_counts() -> None:
    played = got(message(USR), "NO_PROPERTIES+PROPERTIES_FORCE_MQRFH2")
    _, call, _, _ = played.steps[-1]
    before = got(message(USR), "BufferLength=0").state
    replies = [outcome.reply for outcome in outcomes(before, call)]
    assert {reply.reason for reply in replies} == {0, MQRC.OPTIONS_ERROR}
    assert {is_bare(reply) for reply in replies if reply.reason == 0} == {True, False}


def test_a_message_without_a_header_is_returned_as_it_is(play: Play) -> None:
    played = play("""
        h = open Q INPUT_SHARED+OUTPUT
        put h m1; get h NO_PROPERTIES -> m1
        put h m2; get h PROPERTIES_COMPATIBILITY -> m2
        put h m3; get h PROPERTIES_FORCE_MQRFH2 -> m3
    """)
    assert played.disagreements == []


def test_what_is_left_of_a_message_is_converted() -> None:
    reply = reply_of(got(message(USR), "NO_PROPERTIES+CONVERT CodedCharSetId=500"))
    assert reply.data == BODY.encode("cp500")
    assert reply.descriptor is not None
    assert (reply.descriptor.coded_char_set_id, reply.descriptor.encoding) == (500, 546)


@pytest.mark.parametrize(
    ("data", "get", "told"),
    [
        ((header(USR, length_error=400) + BODY.encode()).hex(), "NO_PROPERTIES", "cannot be read"),
        (message(USR), "BufferLength=20", "too short"),
        (header(USR, body_format="MQHRF2").hex() + message(USR), "NO_PROPERTIES", "two MQRFH2"),
        (message(USR), "CONVERT CodedCharSetId=500", "CONVERT"),
    ],
)
def test_what_is_not_modelled_is_refused(data: str, get: str, told: str) -> None:
    with pytest.raises(NotModelledError, match=told):
        got(data, get)


def test_a_header_that_cannot_be_read_comes_as_it_is() -> None:
    data = (header(USR, length_error=400) + BODY.encode()).hex()
    assert reply_of(got(data, "")).data == bytes.fromhex(data)


def test_an_unknown_property_control_and_properties_of_segments_are_refused(play: Play) -> None:
    with pytest.raises(NotModelledError, match="PropertyControl"):
        got(message(USR), "", "SOMETIMES")
    with pytest.raises(NotModelledError, match="segments"):
        play(
            "h = open Q INPUT_SHARED+OUTPUT\n"
            f"put h m1 LOGICAL_ORDER MsgFlags=SEGMENT Format=MQHRF2 Data={message(USR)}; get h"
        )


folders = st.lists(st.sampled_from([USR, OWN, PSC, "<mcd><Msd>jms_text</Msd></mcd>", "<a><b>c</b></a>"]), max_size=4)


@given(folders)
def test_what_is_no_property_is_never_lost(given_folders: list[str]) -> None:
    data = bytes.fromhex(message(*given_folders))
    reply = reply_of(got(data.hex(), "NO_PROPERTIES"))
    assert reply.data is not None
    assert reply.descriptor is not None
    kept = read_header(reply.descriptor, reply.data)
    texts = [] if kept is None else [folder.text for folder in kept.folders]
    assert texts == [folder for folder in given_folders if folder.startswith(("<psc", "<a>"))]
    assert (reply.data if kept is None else kept.rest) == BODY.encode()


@given(st.binary(max_size=120), st.sampled_from(["", "RFH "]))
def test_reading_a_header_never_fails(data: bytes, start: str) -> None:
    md = MessageDescriptor(format="MQHRF2", coded_char_set_id=1208)
    found = read_header(md, start.encode() + data)
    assert found is None or found.descriptor is md
