"""Groups and segments as wholes: AMA-01, AMA-05, ASA-01, ASA-06, CMP-02, CMP-04, CMP-05, CMP-09, CMP-19, DLV-02."""

from __future__ import annotations

from typing import Any

from oracle.mqi.constants import MQFB, MQGMO, MQMF, MQMT, MQOO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import PLAIN, SYNC, History, ident

IN, LAST = MQMF.MSG_IN_GROUP, MQMF.MSG_IN_GROUP | MQMF.LAST_MSG_IN_GROUP
PART, END = MQMF.SEGMENT, MQMF.SEGMENT | MQMF.LAST_SEGMENT
ALL_MESSAGES, ALL_SEGMENTS = PLAIN | MQGMO.ALL_MSGS_AVAILABLE, PLAIN | MQGMO.ALL_SEGMENTS_AVAILABLE
WHOLE = PLAIN | MQGMO.COMPLETE_MSG


def member(number: int, flags: int) -> dict[str, Any]:
    return {"group_id": ident("g"), "msg_seq_number": number, "offset": 0, "msg_flags": flags, "length": 10}


def report(offset: int, flags: int, original_length: int) -> dict[str, Any]:
    about = {"msg_type": MQMT.REPORT, "feedback": MQFB.COA, "original_length": original_length}
    return segment(offset, flags) | about


def segment(offset: int, flags: int) -> dict[str, Any]:
    return {"group_id": ident("g"), "msg_seq_number": 1, "offset": offset, "msg_flags": flags, "length": 10}


def _in_two_segments(h: History, **of_each: Any) -> None:
    """Put a message in two segments."""
    h.starts_empty()
    h.put("P", "s1", 10, 12, **segment(0, PART), **of_each)
    h.put("P", "s2", 14, 16, **segment(10, END), **of_each)


@case("AMA-01 violation")
def a_message_of_a_group_whose_last_comes_later(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **member(1, IN))
    h.get("C", "m1", 20, 22, options=ALL_MESSAGES | MQGMO.LOGICAL_ORDER, **member(1, IN))
    h.put("P", "m2", 30, 32, **member(2, LAST))


@case("AMA-01 violation")
def a_message_of_a_group_with_a_hole(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **member(1, IN))
    h.put("P", "m3", 14, 16, **member(3, LAST))
    h.browse("C", "m1", 20, 22, options=MQGMO.BROWSE_FIRST | MQGMO.ALL_MSGS_AVAILABLE, **member(1, IN))


@case()
def a_group_of_one_whose_group_id_a_later_segment_has(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **member(1, LAST))
    h.get("C", "m1", 20, 22, options=ALL_MESSAGES, **member(1, LAST))
    h.put("P", "s2", 30, 32, **segment(10, END))


@case()
def a_group_beside_whose_message_a_segment_is_put_later(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **member(1, LAST))
    h.get("C", "m1", 20, 22, options=ALL_MESSAGES, **member(1, LAST))
    h.put("P", "s2", 30, 32, **(segment(10, END) | {"msg_flags": END | LAST}))


@case("AMA-05 violation")
def the_rest_of_a_group(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **member(1, IN))
    h.put("P", "m2", 14, 16, **member(2, LAST))
    h.get("C", "m1", 20, 22, options=ALL_MESSAGES, **member(1, IN))
    h.get("C", "m2", 30, 32, options=ALL_MESSAGES, **member(2, LAST))


@case()
def complete_groups_in_logical_order(h: History) -> None:
    h.starts_empty()
    h.put("P", "m2", 10, 12, **member(2, LAST))
    h.put("P", "m1", 14, 21, **member(1, IN))
    options = ALL_MESSAGES | MQGMO.LOGICAL_ORDER
    h.get("C", "m1", 20, 22, options=options, **member(1, IN))
    h.get("C", "m2", 30, 32, options=options, **member(2, LAST))


@case()
def incomplete_groups_for_one_who_does_not_mind(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **member(1, IN))
    h.put("P", "m2", 14, 16, **member(2, IN))
    h.get("C", "m1", 20, 22, **member(1, IN))
    h.get("C", "m2", 24, 26, options=ALL_MESSAGES | MQGMO.LOGICAL_ORDER, **member(2, IN))


@case()
def a_group_of_which_a_part_may_be_older_than_the_log(h: History) -> None:
    h.put("P", "m1", 10, 12, **member(1, IN))
    h.get("C", "m1", 20, 22, options=ALL_MESSAGES, **member(1, IN))


@case()
def a_put_of_which_it_is_not_known_whether_it_is_of_a_group(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **member(1, IN))
    h.put("P", "m2", 14, 16, msg_flags=None)
    h.get("C", "m1", 20, 22, options=ALL_MESSAGES, **member(1, IN))


@case()
def a_group_identifier_used_again(h: History) -> None:
    h.starts_empty()
    for at in (100, 200):
        h.put("P", f"a{at}", at, at + 2, **member(1, IN))
        h.put("P", f"b{at}", at + 4, at + 6, **member(2, LAST))
    for at, message in ((300, "a100"), (310, "a200")):
        h.get("C", message, at, at + 2, options=ALL_MESSAGES, **member(1, IN))


@case("ASA-01 violation")
def a_segment_of_a_message_whose_last_comes_later(h: History) -> None:
    h.starts_empty()
    h.put("P", "s1", 10, 12, **segment(0, PART))
    h.get("C", "s1", 20, 22, options=ALL_SEGMENTS, **segment(0, PART))
    h.put("P", "s2", 30, 32, **segment(10, END))


@case("ASA-06 violation")
def the_rest_of_a_segmented_message(h: History) -> None:
    _in_two_segments(h)
    h.get("C", "s1", 20, 22, options=ALL_SEGMENTS, **segment(0, PART))
    h.get("C", "s2", 30, 32, options=ALL_SEGMENTS, **segment(10, END))


@case()
def a_whole_in_one_segment_after_one_that_lay_behind_its_end(h: History) -> None:
    h.starts_empty()
    h.put("P", "s2", 10, 12, **segment(20, PART))
    h.get("C", "s2", 14, 16, **segment(20, PART))
    h.put("P", "s1", 20, 22, **segment(0, END))
    h.get("C", "s1", 30, 32, options=ALL_SEGMENTS, **segment(0, END))


@case()
def a_whole_in_one_segment_before_one_behind_its_end_is_committed(h: History) -> None:
    h.starts_empty()
    h.put("P", "s1", 10, 12, **segment(0, END))
    h.get("C", "s1", 20, 22, options=WHOLE, **segment(0, END))
    h.put("P", "s2", 30, 32, options=SYNC, **segment(10, PART))
    h.commit("P", 40, 42)


@case()
def segments_in_a_group_and_in_none(h: History) -> None:
    h.starts_empty()
    h.put("P", "g1", 10, 12, **(segment(0, PART) | {"msg_flags": PART | LAST}))
    h.put("P", "g2", 14, 16, **(segment(10, END) | {"msg_flags": END | LAST}))
    h.get("C", "g1", 20, 22, **(segment(0, PART) | {"msg_flags": PART | LAST}))
    h.put("P", "s3", 24, 26, **segment(20, PART))
    h.get("C", "g2", 30, 32, options=ALL_SEGMENTS, **(segment(10, END) | {"msg_flags": END | LAST}))


@case("CMP-05 violation")
def a_complete_message_with_a_segment_missing(h: History) -> None:
    h.starts_empty()
    h.put("P", "s1", 10, 12, **segment(0, PART))
    h.put("P", "s3", 14, 16, **segment(20, END))
    h.get("C", "s1", 20, 22, options=WHOLE, **(segment(0, END) | {"length": 20}))


@case()
def reports_with_less_than_the_data_of_their_segments(h: History) -> None:
    h.starts_empty()
    h.put("P", "r1", 10, 12, **(report(0, PART, 10) | {"length": 4}))
    h.put("P", "r2", 14, 16, **(report(10, END, 2) | {"length": 0}))
    h.get("C", "r1", 20, 22, options=WHOLE, **(report(0, END, 12) | {"length": 12}))


@case("CMP-05 violation")
def a_report_missing_between_others(h: History) -> None:
    h.starts_empty()
    h.put("P", "r1", 10, 12, **(report(0, PART, 10) | {"length": 4}))
    h.put("P", "r3", 14, 16, **(report(20, END, 2) | {"length": 0}))
    h.get("C", "r1", 20, 22, options=WHOLE, **(report(0, END, 22) | {"length": 22}))


@case()
def what_may_be_returned_of_segments(h: History) -> None:
    _in_two_segments(h)
    h.browse("C", "s1", 20, 22, options=MQGMO.BROWSE_FIRST | MQGMO.COMPLETE_MSG, **(segment(0, END) | {"length": 20}))
    h.get("C", "s1", 24, 26, options=ALL_SEGMENTS | MQGMO.LOGICAL_ORDER, **segment(0, PART))
    h.get("C", "s2", 28, 30, options=ALL_SEGMENTS | MQGMO.LOGICAL_ORDER, **segment(10, END))


@case()
def a_part_of_a_message_in_two_code_pages(h: History) -> None:
    h.starts_empty()
    h.put("P", "s1", 10, 12, **segment(0, PART))
    h.get("C", "s1", 20, 22, options=WHOLE, comp_code=1, reason=2243, **segment(0, PART))


@case()
def segments_made_by_the_queue_manager(h: History) -> None:
    h.starts_empty()
    whole = {"group_id": ident("g"), "msg_seq_number": 1, "offset": 0, "msg_flags": MQMF.SEGMENTATION_ALLOWED}
    h.put("P", "m1", 10, 12, length=20, **whole)
    h.get("C", "s1", 20, 22, options=ALL_SEGMENTS, **segment(0, PART))


@case("CMP-02 violation")
def put_together_without_being_asked(h: History) -> None:
    _in_two_segments(h)
    h.get("C", "s1", 20, 22, **(segment(0, END) | {"length": 20}))


@case("CMP-19 violation")
def a_whole_with_the_identifier_of_its_second_segment(h: History) -> None:
    _in_two_segments(h)
    h.get("C", "s2", 20, 22, options=WHOLE, **(segment(0, END) | {"length": 20}))


@case()
def a_message_with_the_group_id_of_a_segment_before(h: History) -> None:
    h.starts_empty()
    h.put("P", "s2", 10, 12, **segment(10, END))
    h.get("C", "s2", 14, 16, **segment(10, END))
    h.put("P", "m1", 20, 22, **segment(0, END))
    h.get("C", "m1", 30, 32, options=ALL_SEGMENTS, **segment(0, END))


@case()
def a_group_with_the_identifier_of_one_before(h: History) -> None:
    h.starts_empty()
    h.put("P", "m3", 10, 12, **member(3, LAST))
    h.get("C", "m3", 14, 16, **member(3, LAST))
    h.put("P", "m1", 20, 22, **member(1, LAST))
    h.get("C", "m1", 30, 32, options=ALL_MESSAGES, **member(1, LAST))


def _taken_whole(h: History, persistence: int = 0, **how: Any) -> None:
    """Put a message in two segments and get it as a whole."""
    _in_two_segments(h, persistence=persistence)
    whole = {**segment(0, END), "options": WHOLE, "length": 20, "persistence": persistence}
    h.get("C", "s1", 20, 22, **(whole | how))


@case("DLV-02 violation")
def a_segment_that_was_got_with_the_whole_message(h: History) -> None:
    _taken_whole(h)
    h.get("D", "s2", 30, 32, **segment(10, END))


@case("CMP-09 violation")
def a_persistent_segment_that_was_got_with_the_whole_message(h: History) -> None:
    _taken_whole(h, persistence=1)
    h.browse("D", "s2", 30, 32, options=MQGMO.BROWSE_FIRST, **segment(10, END))


@case("CMP-04 violation")
def a_segment_that_was_left_by_a_truncated_get_of_the_whole(h: History) -> None:
    _taken_whole(h, comp_code=1, reason=2079, buffer_length=5)
    h.get("D", "s2", 30, 32, **segment(10, END))


@case("DLV-02 violation")
def a_segment_that_was_got_with_the_whole_and_committed(h: History) -> None:
    _taken_whole(h, options=SYNC | MQGMO.COMPLETE_MSG)
    h.commit("C", 24, 26)
    h.get("D", "s2", 30, 32, **segment(10, END))


@case()
def segments_of_a_whole_that_was_backed_out(h: History) -> None:
    _taken_whole(h, options=SYNC | MQGMO.COMPLETE_MSG)
    h.backout("C", 24, 26)
    h.get("D", "s1", 30, 32, **segment(0, PART), backout_count=1)
    h.get("D", "s2", 34, 36, **segment(10, END), backout_count=1)


@case()
def a_segment_that_was_not_got_with_the_first(h: History) -> None:
    """Tell nothing of a get that returned the first segment alone, for the code pages differ."""
    _taken_whole(h, comp_code=1, reason=2243, length=10)
    h.get("D", "s2", 30, 32, **segment(10, END))


@case()
def a_segment_without_data_that_may_have_been_put_later(h: History) -> None:
    h.starts_empty()
    h.put("P", "s1", 10, 12, **segment(0, PART))
    h.put("P", "s2", 14, 30, **segment(10, END) | {"length": 0})
    h.get("C", "s1", 20, 32, **segment(0, END), options=WHOLE)
    h.get("D", "s2", 40, 42, **segment(10, END) | {"length": 0})


@case("CMP-05 violation")
def a_whole_message_of_which_a_segment_was_removed(h: History) -> None:
    _in_two_segments(h)
    h.get("C", "s2", 20, 22, **segment(10, END))
    h.get("D", "s1", 30, 32, **segment(0, END) | {"length": 20}, options=WHOLE)


@case()
def a_whole_message_of_which_a_segment_was_got_and_given_back(h: History) -> None:
    _in_two_segments(h)
    h.get("C", "s2", 20, 22, options=SYNC, **segment(10, END))
    h.backout("C", 24, 26)
    h.get("D", "s1", 30, 32, **segment(0, END) | {"length": 20}, options=WHOLE)


@case("AMA-01 violation")
def the_last_message_of_a_group_whose_first_comes_later(h: History) -> None:
    h.starts_empty()
    h.put("P", "m2", 10, 12, **member(2, LAST))
    h.get("C", "m2", 20, 22, options=ALL_MESSAGES, **member(2, LAST))
    h.put("P", "m1", 30, 32, **member(1, IN))


@case()
def the_last_message_of_a_group_whose_first_comes_meanwhile(h: History) -> None:
    h.starts_empty()
    h.put("P", "m2", 10, 12, **member(2, LAST))
    h.put("P", "m1", 20, 32, **member(1, IN))
    h.get("C", "m2", 20, 22, options=ALL_MESSAGES, **member(2, LAST))


@case("ASA-01 violation")
def the_last_segment_of_a_message_whose_first_comes_later(h: History) -> None:
    h.starts_empty()
    h.put("P", "s2", 10, 12, **segment(10, END))
    h.get("C", "s2", 20, 22, options=ALL_SEGMENTS, **segment(10, END))
    h.put("P", "s1", 30, 32, **segment(0, PART))


@case("AMA-05 violation")
def a_message_of_a_group_after_the_connection_itself_removed_another(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **member(1, IN))
    h.put("P", "m2", 14, 16, **member(2, LAST))
    h.get("C", "m1", 20, 30, **member(1, IN))
    h.get("C", "m2", 20, 30, options=ALL_MESSAGES, **member(2, LAST))


@case()
def a_report_that_the_queue_manager_made_about_a_segment_that_was_removed(h: History) -> None:
    _in_two_segments(h)
    h.get("C", "s1", 20, 22, **segment(0, PART))
    h.get("C", "s2", 24, 26, **segment(10, END))
    h.get("C", "r1", 30, 32, options=ALL_SEGMENTS, correl_id=ident("s1"), **report(0, PART, 10))


@case("ASA-06 violation")
def a_segment_that_an_application_put_as_a_report(h: History) -> None:
    h.starts_empty()
    h.put("P", "r1", 10, 12, **report(0, PART, 10))
    h.put("P", "r2", 14, 16, **report(10, END, 10))
    h.get("C", "r1", 20, 22, **report(0, PART, 10))
    h.get("C", "r2", 30, 32, options=ALL_SEGMENTS, **report(10, END, 10))


@case()
def a_segment_behind_one_that_was_converted(h: History) -> None:
    _in_two_segments(h)
    h.open("C", 17, 18, MQOO.INPUT_SHARED)
    in_order = PLAIN | MQGMO.LOGICAL_ORDER
    h.get("C", "s1", 20, 22, options=in_order | MQGMO.CONVERT, hobj=1, **(segment(0, PART) | {"length": 12}))
    h.get("C", "s2", 30, 32, options=in_order, hobj=1, **segment(10, END))


def _uncommitted_group(h: History, end: str | None = "MQCMIT") -> None:
    """Put a group whose last message is in a unit of work that ends late."""
    h.starts_empty()
    h.put("P", "m1", 10, 12, **member(1, IN))
    h.put("P", "m2", 14, 16, options=SYNC, **member(2, LAST))
    h.get("C", "m1", 20, 22, options=ALL_MESSAGES, **member(1, IN))
    if end:
        h.call("P", end, 22 if end == "MQDISC" else 30, 32)


@case("AMA-01 violation")
def a_message_of_a_group_whose_last_is_committed_later(h: History) -> None:
    _uncommitted_group(h)


@case("AMA-01 violation")
def a_message_of_a_group_whose_last_is_backed_out(h: History) -> None:
    _uncommitted_group(h, "MQBACK")


@case("AMA-01 violation")
def a_message_of_a_group_whose_last_is_never_committed(h: History) -> None:
    _uncommitted_group(h, None)


@case(log="zos")
def a_message_of_a_group_whose_last_a_program_commits_when_it_ends(h: History) -> None:
    _uncommitted_group(h, None)


@case()
def a_message_of_a_group_whose_last_a_transaction_manager_may_have_committed(h: History) -> None:
    _uncommitted_group(h, "MQDISC")


@case()
def a_message_of_a_group_whose_last_is_committed_meanwhile(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **member(1, IN))
    h.put("P", "m2", 14, 16, options=SYNC, **member(2, LAST))
    h.get("C", "m1", 20, 22, options=ALL_MESSAGES, **member(1, IN))
    h.commit("P", 21, 32)


@case()
def a_message_of_a_group_of_which_the_getter_put_the_last_itself(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **member(1, IN))
    h.put("C", "m2", 14, 16, options=SYNC, **member(2, LAST))
    h.get("C", "m1", 20, 22, options=SYNC | MQGMO.ALL_MSGS_AVAILABLE, **member(1, IN))
    h.commit("C", 30, 32)


@case("ASA-01 violation")
def a_segment_of_a_message_whose_last_is_committed_later(h: History) -> None:
    h.starts_empty()
    h.put("P", "s1", 10, 12, **segment(0, PART))
    h.put("P", "s2", 14, 16, options=SYNC, **segment(10, END))
    h.get("C", "s1", 20, 22, options=ALL_SEGMENTS, **segment(0, PART))
    h.commit("P", 30, 32)


@case("CMP-05 violation", "VIS-01 violation")
def a_whole_message_of_which_the_first_segment_is_committed_later(h: History) -> None:
    h.starts_empty()
    h.put("P", "s1", 10, 12, options=SYNC, **segment(0, PART))
    h.put("Q", "s2", 14, 16, **segment(10, END))
    h.get("C", "s1", 20, 22, options=WHOLE, **(segment(0, END) | {"length": 20}))
    h.commit("P", 30, 32)


@case()
def the_second_of_two_segments_with_one_offset(h: History) -> None:
    h.starts_empty()
    h.put("P", "s1", 10, 12, **segment(0, PART))
    h.put("P", "s2", 14, 16, **segment(0, END))
    h.get("C", "s2", 20, 22, options=ALL_SEGMENTS, **segment(0, END))
    h.get("D", "s1", 30, 32, options=ALL_SEGMENTS, **segment(0, PART))
