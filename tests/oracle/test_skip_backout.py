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
