"""Messages that the queue manager splits: it chooses the places, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle.errors import NotModelledError
from oracle.judging.follow import Followed
from oracle.model.groups import splitting
from oracle.mqi.constants import MQMF
from oracle.protocol import ObservedReply
from tests.oracle.conftest import Play, Played, follow_played, play_history
from tests.oracle.test_follow import Session

START = "h = open Q INPUT_SHARED+BROWSE+OUTPUT+INQUIRE; g = B.open Q INPUT_SHARED+BROWSE+INQUIRE;"
SPLIT = START + "put h m Length=100 MsgFlags=SEGMENTATION_ALLOWED;"
QUEUES = ({"name": "Q", "MaxMsgLength": 40},)

Sizes = Callable[[int, int], list[int]]


def equal(size: int) -> Sizes:
    """Return a way to cut messages that the model would not choose itself."""

    def sizes(length: int, longest: int) -> list[int]:
        step = min(size, longest)
        return [min(step, length - start) for start in range(0, length, step)]

    return sizes


def played_otherwise(text: str, sizes: Sizes, **kwargs: Any) -> Played:
    """Carry out a history on a queue manager that cuts messages in its own way."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splitting, "_sizes", sizes)
        return play_history(text, queues=QUEUES, **kwargs)


def followed_otherwise(text: str, sizes: Sizes) -> Followed:
    """Follow, by the model, a queue manager that cuts messages in its own way."""
    start = play_history("", queues=QUEUES).state
    return follow_played(start, played_otherwise(text, sizes))


def test_a_long_message_is_split_into_segments(play: Play) -> None:
    played = play(
        SPLIT + "inq h CurrentQDepth -> CurrentQDepth=4;"
        "get h -> DataLength=32 Offset=0 MsgFlags=SEGMENTATION_ALLOWED+SEGMENT SegmentStatus=S MsgId=@m GroupId=@m;"
        "get h LOGICAL_ORDER -> DataLength=32 Offset=32; get h LOGICAL_ORDER -> DataLength=32 Offset=64;"
        "get h LOGICAL_ORDER -> DataLength=4 Offset=96 SegmentStatus=L; get h -> 2033",
        queues=QUEUES,
    )
    assert {"SEG-01", "SEG-02", "SEG-03", "SEG-07", "CMP-13"} <= played.rules


def test_the_putter_gets_its_own_flags_back(play: Play) -> None:
    play(START + "put h m Length=100 MsgFlags=SEGMENTATION_ALLOWED -> MsgFlags=SEGMENTATION_ALLOWED", queues=QUEUES)


WITH_PROPERTIES = (
    "put h m Length=200 MsgFlags=SEGMENTATION_ALLOWED Format=MQHRF2 CodedCharSetId=1208 Data=5246482002000000"
    "4800000011010000330300004d5153545220202000000000b8040000200000003c7573723e3c636f6c6f75723e7265643c2f636f6c6f"
    "75723e3c2f7573723e206869;"
)
"""A message with two bytes left where its properties are taken away: its whole header is 72 bytes long."""


@pytest.mark.parametrize("longest", [40, 64, 73])
@pytest.mark.parametrize("size", [16, 40, 64])
@pytest.mark.parametrize(
    "get",
    [
        "get h COMPLETE_MSG BufferLength=1; get g BROWSE_FIRST; get h COMPLETE_MSG",
        "get h BROWSE_FIRST+COMPLETE_MSG BufferLength=1; get h BROWSE_FIRST+COMPLETE_MSG",
        "get h COMPLETE_MSG+ACCEPT_TRUNCATED_MSG BufferLength=1",
        "get h COMPLETE_MSG BufferLength=0",
        "get h BufferLength=1; get h",
        "get h BROWSE_FIRST",
    ],
)
def test_the_length_without_properties_says_nothing_about_the_pieces(get: str, size: int, longest: int) -> None:
    queues = ({"name": "Q", "PropertyControl": "NONE", "MaxMsgLength": longest},)
    text = START + WITH_PROPERTIES + get + ";" + "get g BROWSE_NEXT MatchOptions=NONE;" * 6
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splitting, "_sizes", equal(size))
        played = play_history(text, queues=queues)
    assert follow_played(play_history("", queues=queues).state, played).departure is None


def test_complete_msg_returns_the_whole(play: Play) -> None:
    play(SPLIT + "get g COMPLETE_MSG -> m DataLength=100; inq g CurrentQDepth -> CurrentQDepth=0", queues=QUEUES)


def test_the_queue_managers_own_limit_counts_too(play: Play) -> None:
    text = START + "put h m Length=100 MsgFlags=SEGMENTATION_ALLOWED; get h -> DataLength=16"
    play(text, queues=QUEUES, qmgr={"MaxMsgLength": 20})


def test_a_segment_that_is_split_ends_nothing_unless_it_is_the_last(play: Play) -> None:
    flags = "MsgFlags=SEGMENTATION_ALLOWED+SEGMENT"
    text = START + f"put h m Length=60 {flags} LOGICAL_ORDER; put h n Length=50 {flags}+LAST_SEGMENT LOGICAL_ORDER;"
    played = play(
        text
        + "get h LOGICAL_ORDER; get h LOGICAL_ORDER -> Offset=32 SegmentStatus=S; get h LOGICAL_ORDER -> Offset=60;"
        "get h LOGICAL_ORDER -> Offset=92 DataLength=18 SegmentStatus=L",
        queues=QUEUES,
    )
    assert "SEG-02" in played.rules
    play(text + "get h COMPLETE_MSG -> DataLength=110", queues=QUEUES)


def test_a_group_of_split_messages_is_complete_with_all_its_pieces(play: Play) -> None:
    flags = "LOGICAL_ORDER Length=50 MsgFlags=SEGMENTATION_ALLOWED"
    play(
        START + f"put h m {flags}+MSG_IN_GROUP; get h ALL_MSGS_AVAILABLE -> 2033; put h n {flags}+LAST_MSG_IN_GROUP;"
        "get h ALL_MSGS_AVAILABLE+LOGICAL_ORDER+COMPLETE_MSG -> m DataLength=50 GroupStatus=G;"
        "get h LOGICAL_ORDER -> DataLength=32 GroupStatus=L; get h LOGICAL_ORDER+COMPLETE_MSG -> 2033;"
        "get h LOGICAL_ORDER -> Offset=32 GroupStatus=L SegmentStatus=L; get h LOGICAL_ORDER -> 2033",
        queues=QUEUES,
    )


def test_a_unit_of_work_has_all_pieces(play: Play) -> None:
    text = START + "put h m Length=100 MsgFlags=SEGMENTATION_ALLOWED SYNCPOINT; get g -> 2033;"
    play(text + "cmit; get g COMPLETE_MSG -> m", queues=QUEUES)
    play(text + "back; inq g CurrentQDepth -> CurrentQDepth=0", queues=QUEUES)
    play(SPLIT + "get g COMPLETE_MSG+SYNCPOINT -> m; B.back; get g -> BackoutCount=1 DataLength=32", queues=QUEUES)


def test_no_split_outside_a_unit_of_work_that_exists(play: Play) -> None:
    text = "put h one SYNCPOINT; put h m Length=100 MsgFlags=SEGMENTATION_ALLOWED NO_SYNCPOINT -> 2255; cmit;"
    played = play(START + text + "put h m Length=100 MsgFlags=SEGMENTATION_ALLOWED NO_SYNCPOINT -> OK", queues=QUEUES)
    assert "SEG-07" in played.rules


def test_zos_does_not_split(play: Play) -> None:
    played = play(START + "put h m Length=100 MsgFlags=SEGMENTATION_ALLOWED -> 2030", queues=QUEUES, platform="zos")
    assert "SEG-05" in played.rules


def test_a_queue_that_is_too_narrow_for_any_segment_refuses(play: Play) -> None:
    played = play(
        START + "put h m Length=100 MsgFlags=SEGMENTATION_ALLOWED -> 2030", queues=({"name": "Q", "MaxMsgLength": 15},)
    )
    assert "SEG-06" in played.rules


@pytest.mark.parametrize(
    ("longest", "message"), [(40, "Length=100 Format=MQADMIN"), (20, "Length=21"), (40, "Length=41"), (40, "Length=90")]
)
def test_where_the_smallest_length_is_not_given_the_put_may_fail(longest: int, message: str) -> None:
    queues = ({"name": "Q", "MaxMsgLength": longest},)
    line = f"put h m MsgFlags=SEGMENTATION_ALLOWED {message}"
    assert Session(START, start="", queues=queues).instead(line).departure is None
    refused = Session(START, start="", queues=queues).instead(line, ObservedReply(2, 2030)).departure
    assert (refused is None) == (message not in ("Length=90", "Length=41"))


@pytest.mark.parametrize("size", [7, 16, 33, 40])
@pytest.mark.parametrize(
    "gets",
    [
        "get g; get g; get g LOGICAL_ORDER; get g COMPLETE_MSG",
        "inq g CurrentQDepth; get g; inq g CurrentQDepth; get g; get g; inq g CurrentQDepth",
        "get g BROWSE_FIRST; get g BROWSE_NEXT+LOCK; get h LOGICAL_ORDER; get g MSG_UNDER_CURSOR; get h; get h",
        "get g MatchOptions=MATCH_OFFSET Offset=32; get g MatchOptions=MATCH_OFFSET Offset=33; get g; get g",
        "get g MatchOptions=MATCH_OFFSET Offset=80; get g MatchOptions=MATCH_OFFSET Offset=14; inq g CurrentQDepth",
        "get g SYNCPOINT; get g SYNCPOINT; B.back; get g; get g SYNCPOINT; B.cmit; inq g CurrentQDepth",
        "get g COMPLETE_MSG+SYNCPOINT; inq h CurrentQDepth; B.back; get g; get g; inq h CurrentQDepth",
        "put h n Length=90 MsgFlags=SEGMENTATION_ALLOWED; inq h CurrentQDepth; get g COMPLETE_MSG; get g; get g; get g",
        "get g BufferLength=3; get g BufferLength=3 ACCEPT_TRUNCATED_MSG; get g",
        "get g MatchOptions=MATCH_MSG_ID MsgId=@m; get g MatchOptions=MATCH_MSG_ID MsgId=@m; get g",
        "put h k Length=70 MsgFlags=SEGMENTATION_ALLOWED SYNCPOINT; get g; cmit; inq h CurrentQDepth; get h; get h",
    ],
)
def test_a_queue_manager_may_split_where_it_likes(size: int, gets: str) -> None:
    assert followed_otherwise(SPLIT + gets, equal(size)).departure is None


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_cut_of_the_message_is_followed(data: st.DataObject) -> None:
    def sizes(length: int, longest: int) -> list[int]:
        cuts: list[int] = []
        while sum(cuts) < length:
            cuts.append(data.draw(st.integers(1, min(longest, length - sum(cuts)))))
        return cuts

    gets = data.draw(
        st.lists(
            st.sampled_from(
                [
                    "get g",
                    "get g LOGICAL_ORDER",
                    "inq g CurrentQDepth",
                    "get h BROWSE_FIRST",
                    "get h BROWSE_NEXT",
                    "get g SYNCPOINT; get g NO_SYNCPOINT; B.back",
                    "get h MatchOptions=MATCH_OFFSET Offset=48",
                ]
            ),
            max_size=12,
        )
    )
    assert followed_otherwise(SPLIT + ";".join(gets), sizes).departure is None


def test_all_segments_may_have_the_msgid_of_the_message() -> None:
    told = Session(SPLIT, start="", queues=QUEUES)
    msg_id = told.bindings.messages["m"]["MsgId"]
    told.run("get g")
    line = "get g MatchOptions=MATCH_MSG_ID MsgId=@m"
    (reply,) = [step[3] for step in played_otherwise(SPLIT + "get g; get g", equal(32)).steps[-1:]]
    members = {**reply.members, "MQMD.MsgId": msg_id, "MQMD.GroupId": told.bindings.messages["m"]["GroupId"]}
    assert told.instead(line, replace(reply, members=members)).departure is None


def test_a_place_that_a_reply_leaves_out_is_the_one_that_was_passed() -> None:
    told = Session(SPLIT, start="", queues=QUEUES)
    (reply,) = [step[3] for step in played_otherwise(SPLIT + "get g", equal(16)).steps[-1:]]
    ids = {f"MQMD.{name}": told.bindings.messages["m"][name] for name in ("MsgId", "GroupId")}
    left_out = ("MQMD.Offset", "MQMD.MsgSeqNumber")
    members = {name: value for name, value in reply.members.items() if name not in left_out}
    assert told.instead("get g", replace(reply, members=members | ids)).departure is None


@pytest.mark.parametrize(
    ("members", "rule"),
    [
        ({"MQMD__Offset": 16}, "SEG-02"),
        ({"MQMD__Format": "MQSTR"}, "SEG-03"),
        ({"MQMD__MsgFlags": MQMF.SEGMENTATION_ALLOWED}, "SEG-02"),
        ({"MQMD__MsgFlags": MQMF.SEGMENTATION_ALLOWED | MQMF.SEGMENT | MQMF.LAST_SEGMENT}, "SEG-02"),
        ({"data": bytes(41), "DataLength": 41}, "SEG-01"),
        ({"data": bytes(32)}, "SEG-02"),
        ({"MQMD__CorrelId": b"\1" * 24}, "CMP-13"),
    ],
)
def test_what_is_no_choice_is_refused(members: dict[str, Any], rule: str) -> None:
    told = Session(SPLIT + "get g;", start="", queues=QUEUES)
    departure = told.instead("get g", **members).departure
    assert departure is not None
    assert rule in departure.rules


def test_the_depth_that_was_shown_binds() -> None:
    told = Session(SPLIT, start="", queues=QUEUES)
    line = "inq g CurrentQDepth"
    five = ObservedReply(members={"values": {"CurrentQDepth": 5}})
    assert told.instead(line, ObservedReply(members={"values": {"CurrentQDepth": 2}})).departure is not None
    assert told.instead(line, five).departure is None
    assert told.instead(line, five).departure is None
    departure = told.instead(line, ObservedReply(members={"values": {"CurrentQDepth": 4}})).departure
    assert departure is not None


def test_a_full_queue_may_refuse_the_split_or_take_it() -> None:
    narrow = ({"name": "Q", "MaxMsgLength": 40, "MaxQDepth": 3},)
    told = Session(START, start="", queues=narrow)
    line = "put h m Length=100 MsgFlags=SEGMENTATION_ALLOWED"
    assert told.instead(line, ObservedReply(2, 2053)).departure is None
    assert told.instead(line).departure is None
    played = play_history(SPLIT + "inq h CurrentQDepth; put h n -> 2053", queues=narrow)
    assert played.disagreements == []
    assert "SEG-08" in played.rules


@pytest.mark.parametrize(
    ("line", "queues"),
    [
        ("put h m Length=100 MsgFlags=SEGMENTATION_ALLOWED Report=COA ReplyToQ=Q", QUEUES),
        (
            "put h m Length=100 MsgFlags=SEGMENTATION_ALLOWED",
            ({**QUEUES[0], "TriggerControl": 1, "InitiationQName": "Q"},),
        ),
        ("put h m Length=100 MsgFlags=SEGMENTATION_ALLOWED; get h MQMD.Version=1", QUEUES),
    ],
)
def test_what_no_document_settles_is_refused_plainly(line: str, queues: tuple[dict[str, Any], ...]) -> None:
    with pytest.raises(NotModelledError):
        play_history(START + line, queues=queues)
