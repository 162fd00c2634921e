"""MARK_SKIP_BACKOUT of messages about which the documents say little: reassembled from segments, or reported on."""

from __future__ import annotations

import pytest

from oracle.model.queue_manager import new_state
from oracle.mqi.definitions import QueueDefinition, define
from oracle.mqi.profile import Profile
from oracle.replay.history import replay_history

QUEUES = ({"name": "Q", "IndexType": "GROUP_ID"}, {"name": "R"})
SEGMENTS = """
h = open Q INPUT_SHARED+OUTPUT; g = B.open Q INPUT_SHARED
put h m1 NO_SYNCPOINT+LOGICAL_ORDER MsgFlags=SEGMENT
put h m2 NO_SYNCPOINT+LOGICAL_ORDER MsgFlags=LAST_SEGMENT
get h SYNCPOINT+MARK_SKIP_BACKOUT+COMPLETE_MSG MatchOptions=NONE -> OK
back
"""
REPORTED = """
h = open Q INPUT_SHARED+OUTPUT; r = B.open R INPUT_SHARED
put h m1 NO_SYNCPOINT Report=COD ReplyToQ=R
get h SYNCPOINT+MARK_SKIP_BACKOUT -> m1
back
"""


def conforms(text: str) -> bool:
    """Return whether all of a history on z/OS conforms."""
    state = new_state([define(QueueDefinition, queue) for queue in QUEUES], None, Profile(platform="zos"))
    return not any(step.departs for step in replay_history(text, "test", state))


@pytest.mark.parametrize("seen", ["m2", "2033"])
def test_the_mark_is_on_all_segments_or_on_the_first(seen: str) -> None:
    assert conforms(f"{SEGMENTS} get g NO_SYNCPOINT MatchOptions=NONE -> {seen}")


def test_the_first_segment_is_marked_in_any_case_and_back_after_another_backout() -> None:
    assert not conforms(f"{SEGMENTS} get g NO_SYNCPOINT MatchOptions=NONE -> m1")
    assert conforms(f"{SEGMENTS} back; get g NO_SYNCPOINT MatchOptions=NONE -> m1; get g NO_SYNCPOINT -> m2")
    assert not conforms(f"{SEGMENTS} cmit; get g NO_SYNCPOINT MatchOptions=NONE -> m1")


@pytest.mark.parametrize("seen", ["OK", "2033"])
def test_the_report_on_delivery_is_backed_out_or_goes_with_the_message(seen: str) -> None:
    assert conforms(f"{REPORTED} cmit; get r NO_SYNCPOINT -> {seen}")


def test_the_report_is_never_seen_before_the_new_unit_of_work_is_committed() -> None:
    assert not conforms(f"{REPORTED} get r NO_SYNCPOINT -> OK")
    assert not conforms(f"{REPORTED} back; get r NO_SYNCPOINT -> OK")


OWN = """
h = open Q INPUT_SHARED+OUTPUT; g = B.open Q INPUT_SHARED
put h m1 SYNCPOINT MsgFlags=SEGMENT
get h SYNCPOINT+MARK_SKIP_BACKOUT -> m1
back
"""


@pytest.mark.parametrize("seen", ["2033", "m2"])
def test_a_message_may_skip_the_backout_of_its_own_put_or_not(seen: str) -> None:
    assert conforms(f"{OWN} put h m2 NO_SYNCPOINT; get h SYNCPOINT+LOGICAL_ORDER MatchOptions=NONE -> {seen}")


@pytest.mark.parametrize("then", ["", "cmit; ", "back; "])
def test_a_message_whose_put_was_backed_out_is_never_seen_again(then: str) -> None:
    assert not conforms(f"{OWN} {then}get g NO_SYNCPOINT MatchOptions=NONE -> m1")


GROUP = """
h = open Q INPUT_SHARED+OUTPUT; g = B.open Q OUTPUT
put g m1 NO_SYNCPOINT GroupId=a1 MsgFlags=MSG_IN_GROUP
put g m2 NO_SYNCPOINT GroupId=a1 MsgFlags=MSG_IN_GROUP MsgSeqNumber=2
put g m3 NO_SYNCPOINT GroupId=a1 MsgFlags=MSG_IN_GROUP MsgSeqNumber=3
put g m4 NO_SYNCPOINT GroupId=a1 MsgFlags=LAST_MSG_IN_GROUP MsgSeqNumber=4
"""
NEXT = "get h SYNCPOINT+LOGICAL_ORDER MatchOptions=NONE -> "
MARKED = "get h SYNCPOINT+LOGICAL_ORDER+MARK_SKIP_BACKOUT MatchOptions=NONE -> "


def come_next(text: str) -> str:
    """Return the numbers of the messages of the group that may come next in logical order."""
    return "".join(seen for seen in "1234" if conforms(f"{GROUP}{text}{NEXT}m{seen}"))


def test_the_unit_of_work_that_a_backout_begins_may_have_begun_before_the_get_or_behind_the_message() -> None:
    assert come_next(f"{MARKED}m1; back; back; ") == "12"
    assert come_next(f"{NEXT}m1; {MARKED}m2; back; back; ") == "123"
    assert come_next(f"{NEXT}m1; {MARKED}m2; back; {NEXT}m3; back; ") == "123"


def test_each_beginning_counts_where_several_backouts_in_a_row_take_a_message_along() -> None:
    assert come_next(f"{MARKED}m1; back; {MARKED}m2; back; {MARKED}m3; back; back; ") == "1234"


def test_a_commit_in_between_leaves_one_beginning() -> None:
    assert come_next(f"{MARKED}m1; back; {MARKED}m2; cmit; {NEXT}m3; back; ") == "3"


def test_the_other_handles_of_such_a_unit_of_work_have_one_beginning() -> None:
    other = "k = open Q INPUT_SHARED; get k SYNCPOINT+MARK_SKIP_BACKOUT MatchOptions=NONE -> m4; "
    assert come_next(f"{NEXT}m1; {other}back; {NEXT}m1; {NEXT}m2; back; ") == "1"


def test_a_call_outside_such_a_unit_of_work_leaves_open_which_beginning_is_restored_if_any() -> None:
    outside = "put h m5 NO_SYNCPOINT"
    assert come_next(f"{MARKED}m1; back; {NEXT}m2; {outside}; back; ") == "123"
    assert come_next(f"{MARKED}m1; back; {NEXT}m2; {NEXT}m3; {outside}; back; ") == "124"
