"""Histories survive being written and read again, and bad ones are refused with their line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.errors import BadInputError, UsageError
from oracle.histories.notation import Line, Reference, parse, write
from tests.oracle.conftest import play_history

names = st.sampled_from(["h", "g", "m1", "w"])
values = st.one_of(st.integers(-1, 10**6).map(str), names.map(lambda name: f"@{name}"), st.just("@m1.MsgId"))
gets = st.builds(
    lambda name, options, members, end: f"{name}get h {'+'.join(options)} {' '.join(members)} {end}",
    st.sampled_from(["", "w = "]),
    st.lists(st.sampled_from(["WAIT", "LOCK", "BROWSE_FIRST", "SYNCPOINT", "0x10"]), min_size=1, max_size=3),
    st.lists(st.builds("{}={}".format, st.sampled_from(["MsgId", "WaitInterval", "BufferLength"]), values), max_size=2),
    st.sampled_from(["", "-> OK", "-> m1 2079 BackoutCount=1", "-> pending", "-> 2033 => w m1", "=> w 2033 v OK"]),
)
others = st.sampled_from([
    "B.open Q BROWSE+OUTPUT", "h = open Q INPUT_SHARED", "put h m1 Priority=3 MsgFlags=MSG_IN_GROUP+SEGMENT SYNCPOINT",
    "B.put1 Q m2 Expiry=50", "put h m1 MQXQH.MsgDesc.Expiry=-1",
    "put h m1 Data=0102 Format=MQSTR", "get h CONVERT CodedCharSetId=500 -> OK data=0102",
    "close h", "B.get h WAIT", "cmit", "cmit B", "back", "disc B", "fail A", "inq h CurrentQDepth QName",
    "set h InhibitGet=1", "alter qmgr MaxMsgLength=100", "advance 5s", "advance 17t", "quiesce", "scan Q", "conn B",
])  # fmt: skip  # lines


@given(st.lists(st.one_of(gets, others), max_size=6))
def test_writing_and_reading_again_gives_the_same_history(rows: list[str]) -> None:
    lines = parse("\n".join(rows))
    assert parse("\n".join(write(line) for line in lines)) == lines


def test_a_time_that_the_notation_has_no_word_for_is_refused() -> None:
    assert write(Line("advance", milliseconds=300)) == "advance 3t"
    with pytest.raises(UsageError, match="250 milliseconds are not a whole number of tenths"):
        write(Line("advance", milliseconds=250))


def test_semicolons_and_comments() -> None:
    lines = parse("h = open Q OUTPUT; put h m1  # the only message\n\n# nothing\ncmit")
    assert [line.verb for line in lines] == ["open", "put", "cmit"]


def test_a_call_may_be_made_by_another_connection_than_the_handles_own() -> None:
    played = play_history("h = open Q INPUT_SHARED+OUTPUT; B.get h -> 2019; B.put h m -> 2019; get h -> 2033")
    assert played.disagreements == []
    assert "CON-03" in played.rules


def test_references_name_a_message_and_perhaps_a_member() -> None:
    (line,) = parse("get h MatchOptions=MATCH_CORREL_ID CorrelId=@m1.MsgId")
    assert line.members[1] == ("CorrelId", Reference("m1", "MsgId"))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("fetch h", "unknown call 'fetch'"),
        ("get", "missing"),
        ("put h", "missing"),
        ("get h BROWSE_THIRD", "BROWSE_THIRD"),
        ("put h m1 Colour=3", "no member Colour"),
        ("get h MQDLH.Reason=1", "no member MQDLH.Reason"),
        ("advance soon", "5s"),
        ("x = cmit", "cmit returns nothing that can be named 'x'; only open and get do"),
        ("x = put h m1", "put returns nothing"),
        ("cmit ->", "nothing follows ->"),
        ("cmit =>", "nothing follows =>"),
    ],
)
def test_a_bad_line_is_refused_with_its_number(row: str, message: str) -> None:
    with pytest.raises(BadInputError, match=f"somewhere:2.*{message}"):
        parse(f"cmit\n{row}", "somewhere")


def test_a_token_is_known_by_the_name_of_its_message_once_a_get_has_returned_it() -> None:
    known = play_history(
        "h = open Q BROWSE+INPUT_SHARED+OUTPUT; put h m1; put h m2; get h BROWSE_FIRST; get h BROWSE_NEXT;"
        "get h MatchOptions=MATCH_MSG_TOKEN MsgToken=@m2 -> m2"
    )
    assert known.disagreements == []
    with pytest.raises(UsageError, match="the MsgToken of message 'm1' is not known yet"):
        play_history("h = open Q INPUT_SHARED+OUTPUT; put h m1; get h MatchOptions=MATCH_MSG_TOKEN MsgToken=@m1")
    with pytest.raises(UsageError, match="no message 'm9' was put"):
        play_history("h = open Q INPUT_SHARED+OUTPUT; get h MatchOptions=MATCH_MSG_TOKEN MsgToken=@m9")


def test_an_unreadable_line_is_shown_in_part() -> None:
    with pytest.raises(BadInputError) as raised:
        parse(f"h = open {'Q' * 900} {'x ' * 900}", "long")
    assert len(str(raised.value)) < 500
    with pytest.raises(BadInputError, match=r"\(1,809 characters\)'") as raised:
        parse(f"h = openn {'x ' * 900}", "long")
    assert str(raised.value).startswith("long:1: 'h = openn x x ")
