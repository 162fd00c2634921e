"""Complete groups and logical messages."""

from __future__ import annotations

import tracemalloc

import pytest

from oracle.histories.notation import parse
from oracle.model.queue_manager import outcomes
from oracle.mqi.constants import MQRC
from tests.oracle.conftest import Play, play_history

GROUP = "47" * 24
OPEN = "h = open Q BROWSE+INPUT_SHARED+OUTPUT\n"


def in_group(message: str, number: int, flags: str = "MSG_IN_GROUP") -> str:
    return f"put h {message} MsgFlags={flags} GroupId={GROUP} MsgSeqNumber={number}\n"


def report(message: str, offset: int, feedback: int, flags: str = "SEGMENT") -> str:
    about = f"MsgType=4 Feedback={feedback} MsgFlags={flags} GroupId={GROUP} Offset={offset} OriginalLength=4"
    return f"put h {message} {about}\n"


def test_a_number_behind_the_last_message_does_not_stand_in_for_one_that_is_missing(play: Play) -> None:
    group = in_group("m1", 1) + in_group("m3", 3, "MSG_IN_GROUP+LAST_MSG_IN_GROUP") + in_group("m4", 4)
    play(OPEN + group + "get h ALL_MSGS_AVAILABLE MatchOptions=0 -> 2033")
    play(OPEN + group + in_group("m2", 2) + "get h ALL_MSGS_AVAILABLE MatchOptions=0 -> m1")


def test_a_group_may_end_with_the_highest_number_that_there_is(play: Play) -> None:
    last = in_group("m2", 999_999_999, "MSG_IN_GROUP+LAST_MSG_IN_GROUP")
    tracemalloc.start()
    play(OPEN + in_group("m1", 1) + last + "get h ALL_MSGS_AVAILABLE MatchOptions=0 -> 2033\nget h LOGICAL_ORDER -> m1")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 10_000_000, "no more memory than for a group of two"


def test_reports_of_different_types_make_all_segments_available_but_no_complete_message(play: Play) -> None:
    mixed = report("aaaa", 0, 259) + report("bbbb", 4, 260, "SEGMENT+LAST_SEGMENT")
    played = play(
        OPEN
        + mixed
        + "get h COMPLETE_MSG MatchOptions=0 -> 2033\n"
        + "get h ALL_MSGS_AVAILABLE+BROWSE_FIRST MatchOptions=0 -> aaaa\n"
        + "get h ALL_SEGMENTS_AVAILABLE MatchOptions=0 -> aaaa"
    )
    assert "ASA-09" in played.last.rules


def test_a_report_is_withheld_while_one_segment_has_none(play: Play) -> None:
    play(OPEN + report("aaaa", 0, 259) + "get h ALL_SEGMENTS_AVAILABLE MatchOptions=0 -> 2033")


def test_a_report_does_not_stand_in_for_a_segment(play: Play) -> None:
    segment = f"put h cccc MsgFlags=SEGMENT GroupId={GROUP} Offset=0\n"
    both = segment + report("dddd", 4, 259, "SEGMENT+LAST_SEGMENT")
    play(OPEN + both + "get h ALL_SEGMENTS_AVAILABLE MatchOptions=0 -> 2033")


def test_whether_one_of_many_messages_has_expired_yet_is_one_question() -> None:
    numbers = range(1, 31)
    puts = "; ".join(
        f"put h m{number} MsgFlags={'LAST_MSG_IN_GROUP' if number == 30 else 'MSG_IN_GROUP'} GroupId=a1"
        f" MsgSeqNumber={number}{'' if number == 1 else ' Expiry=100'}"
        for number in numbers
    )
    played = play_history(f"h = open Q INPUT_SHARED+OUTPUT; {puts}; advance 10s")
    (line,) = parse("get h ALL_MSGS_AVAILABLE")
    allowed = list(outcomes(played.state, played.bindings.call(line, 99)))
    assert {outcome.reply.reason for outcome in allowed} == {MQRC.NONE, MQRC.NO_MSG_AVAILABLE}
    assert len(allowed) < 100


def test_inside_a_group_the_check_for_segments_that_all_msgs_implies_may_lapse_or_not() -> None:
    text = """
    h = open Q INPUT_SHARED+OUTPUT
    put h a1 MsgFlags=MSG_IN_GROUP GroupId=a1
    put h s1 MsgFlags=LAST_MSG_IN_GROUP+SEGMENT GroupId=a1 MsgSeqNumber=2 Length=10
    get h LOGICAL_ORDER -> a1
    """
    played = play_history(text)
    (line,) = parse("get h LOGICAL_ORDER+ALL_MSGS_AVAILABLE")
    reasons = [outcome.reply.reason for outcome in outcomes(played.state, played.bindings.call(line, 99))]
    assert reasons == [MQRC.NONE, MQRC.NO_MSG_AVAILABLE]


def test_a_wait_is_served_beside_segments_in_a_group_and_in_none(play: Play) -> None:
    play(
        "h = open Q INPUT_SHARED+OUTPUT; put h a SYNCPOINT MsgFlags=MSG_IN_GROUP+SEGMENT GroupId=a1;"
        "put h b SYNCPOINT MsgFlags=LAST_SEGMENT GroupId=a1 Offset=1; g = B.open Q INPUT_SHARED;"
        "w = get g WAIT WaitInterval=5000 -> pending; put h c GroupId=a1 => w c"
    )


DOUBLED = [
    "put h aa MsgFlags=SEGMENT GroupId=a1; put h bb MsgFlags=LAST_SEGMENT GroupId=a1",
    (
        "put h aa MsgFlags=LAST_SEGMENT GroupId=a1; put h bb MsgFlags=SEGMENT GroupId=a1;"
        "get h ALL_SEGMENTS_AVAILABLE+BROWSE_FIRST MatchOptions=NONE"
    ),
    "put h aa MsgFlags=MSG_IN_GROUP+SEGMENT GroupId=a1; put h bb MsgFlags=LAST_MSG_IN_GROUP+LAST_SEGMENT GroupId=a1",
    (
        "put h aa MsgFlags=SEGMENT GroupId=a1; put h bb MsgFlags=SEGMENT GroupId=a1 Offset=2;"
        "put h c MsgFlags=LAST_SEGMENT GroupId=a1 Offset=2"
    ),
]
"""Segments of one logical message with the same Offset."""


@pytest.mark.parametrize("option", ["ALL_MSGS_AVAILABLE", "ALL_SEGMENTS_AVAILABLE"])
@pytest.mark.parametrize("puts", DOUBLED)
def test_either_of_several_segments_with_one_offset_may_count(puts: str, option: str) -> None:
    played = play_history(f"h = open Q INPUT_SHARED+BROWSE+OUTPUT; {puts}")
    (line,) = parse(f"get h {option}+BROWSE_NEXT MatchOptions=NONE")
    allowed = list(outcomes(played.state, played.bindings.call(line, 99)))
    got = {outcome.reply.data for outcome in allowed}
    assert {outcome.reply.reason for outcome in allowed} >= {MQRC.NONE}
    assert len(got) > 1, "there is more than one reading"


@pytest.mark.parametrize("option", ["ALL_MSGS_AVAILABLE", "ALL_SEGMENTS_AVAILABLE", "COMPLETE_MSG"])
def test_a_wait_for_the_second_of_two_segments_with_one_offset_may_end(option: str) -> None:
    waits = f"w = get g {option}+WAIT WaitInterval=5000 MatchOptions=NONE -> pending"
    text = f"h = open Q OUTPUT; g = B.open Q INPUT_SHARED; {waits}; put h aa MsgFlags=SEGMENT GroupId=a1"
    played = play_history(text)
    (line,) = parse("put h bb MsgFlags=LAST_SEGMENT GroupId=a1")
    allowed = outcomes(played.state, played.bindings.call(line, 99))
    assert {len(outcome.completed) for outcome in allowed} == {0, 1}


def test_segments_in_a_group_and_in_none_may_end_a_wait_or_not() -> None:
    text = """
    h = open Q OUTPUT; g = B.open Q INPUT_SHARED
    w = get g COMPLETE_MSG+WAIT WaitInterval=5000 MatchOptions=NONE -> pending
    put h aa MsgFlags=SEGMENT GroupId=a1
    """
    played = play_history(text)
    (line,) = parse("put h bb MsgFlags=MSG_IN_GROUP+LAST_SEGMENT GroupId=a1 Offset=2")
    allowed = outcomes(played.state, played.bindings.call(line, 99))
    assert {len(outcome.completed) for outcome in allowed} == {0, 1}


KINDS = [("SEGMENT", "MSG_IN_GROUP+LAST_SEGMENT"), ("MSG_IN_GROUP+SEGMENT", "LAST_SEGMENT")]


@pytest.mark.parametrize("kinds", KINDS)
def test_logical_order_may_go_on_with_a_segment_of_another_kind_or_not(kinds: tuple[str, str]) -> None:
    first, second = kinds
    played = play_history(
        f"h = open Q INPUT_SHARED+OUTPUT; put h aa MsgFlags={first} GroupId=a1; get h LOGICAL_ORDER -> aa;"
        f"put h bb MsgFlags={second} GroupId=a1 Offset=2"
    )
    (line,) = parse("get h LOGICAL_ORDER")
    reasons = [outcome.reply.reason for outcome in outcomes(played.state, played.bindings.call(line, 99))]
    assert reasons == [MQRC.NONE, MQRC.NO_MSG_AVAILABLE]


@pytest.mark.parametrize("option", ["ALL_MSGS_AVAILABLE", "ALL_SEGMENTS_AVAILABLE"])
@pytest.mark.parametrize("flags", ["SEGMENTATION_ALLOWED", "LAST_MSG_IN_GROUP"])
def test_a_message_that_is_no_segment_is_whole_beside_segments_of_its_group_id(
    play: Play, flags: str, option: str
) -> None:
    in_group = "MSG_IN_GROUP+" if flags == "LAST_MSG_IN_GROUP" and option == "ALL_SEGMENTS_AVAILABLE" else ""
    play(
        f"h = open Q INPUT_SHARED+OUTPUT; put h a MsgFlags={in_group}SEGMENT GroupId=a1;"
        f"put h b MsgFlags={flags} GroupId=a1; get h {option} MatchOptions=NONE -> b"
    )
