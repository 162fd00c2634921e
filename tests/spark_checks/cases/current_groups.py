"""Gets in logical order that go on with a group or logical message, of which the next part is there (DLV-05)."""

from __future__ import annotations

from typing import Any

from oracle.mqi.constants import MQCC, MQGMO, MQMO, MQMT, MQOO, MQPMO, MQRC
from tests.spark_checks.cases import case
from tests.spark_checks.cases.fronts import IN_ORDER, H
from tests.spark_checks.cases.groups import ALL_MESSAGES, ALL_SEGMENTS, END, IN, LAST, PART, member, segment
from tests.spark_checks.histories import QUEUE, SYNC, History, ident


def _group(h: History, second_at: int = 12) -> None:
    """Record that C opened the queue, and that a group of three was put, its second message at some time."""
    h.open("C", 0, 2, MQOO.INPUT_SHARED | MQOO.BROWSE)
    h.put("P", "a1", 10, 11, **member(1, IN))
    h.put("Q", "a2", second_at, second_at + 1, **member(2, IN))
    h.put("P", "a3", 14, 15, **member(3, LAST))


def _rest_is_got(h: History) -> None:
    for number, flags in ((2, IN), (3, LAST)):
        selected = {"match_options": MQMO.MATCH_MSG_ID, "sel_msg_id": ident(f"a{number}")}
        h.get("D", f"a{number}", 90 + number, 90 + number, **member(number, flags), **selected)


@case("DLV-05 violation")
def the_next_of_the_current_group_is_there(h: History) -> None:
    _group(h)
    h.get("C", "a1", 20, 22, options=IN_ORDER, **member(1, IN), **H)
    h.nothing("C", 30, 32, options=IN_ORDER, **H)
    _rest_is_got(h)


@case("DLV-05 violation")
def the_next_of_a_group_that_a_plain_get_made_current(h: History) -> None:
    _group(h)
    h.get("C", "a1", 20, 22, **member(1, IN), **H)
    h.nothing("C", 30, 32, options=IN_ORDER, **H)
    _rest_is_got(h)


@case()
def the_next_of_the_current_group_comes_later(h: History) -> None:
    _group(h, second_at=40)
    h.get("C", "a1", 20, 22, options=IN_ORDER, **member(1, IN), **H)
    h.nothing("C", 30, 32, options=IN_ORDER, **H)
    _rest_is_got(h)


@case()
def the_next_of_a_group_of_another_handle(h: History) -> None:
    _group(h, second_at=40)
    h.get("E", "a1", 20, 22, options=IN_ORDER, **member(1, IN), **H)
    h.nothing("C", 30, 32, options=IN_ORDER, match_options=MQMO.MATCH_GROUP_ID, sel_group_id="00" * 23 + "01", **H)
    _rest_is_got(h)


@case()
def the_next_of_a_group_whose_first_may_be_backed_out(h: History) -> None:
    _group(h)
    h.get("C", "a1", 20, 22, options=SYNC | MQGMO.LOGICAL_ORDER, **member(1, IN), **H)
    h.backout("C", 24, 26)
    h.get("D", "a1", 27, 28, backout_count=1, **member(1, IN))
    h.nothing("C", 30, 32, options=SYNC | MQGMO.LOGICAL_ORDER, **H)
    _rest_is_got(h)


@case()
def the_next_after_a_get_of_which_the_outcome_is_not_known(h: History) -> None:
    _group(h, second_at=40)
    h.get("C", "a1", 20, 22, options=IN_ORDER, **member(1, IN), **H)
    h.call("C", "MQGET", 24, 26, queue=QUEUE, options=IN_ORDER, comp_code=None, reason=None, **H)
    h.nothing("C", 50, 52, options=IN_ORDER, **H)
    _rest_is_got(h)


def _whole_of_unlike(h: History, first: int, last: int) -> None:
    """Record that C got two segments as one message in order: the first has other group flags than the last."""
    h.open("C", 0, 2, MQOO.INPUT_SHARED | MQOO.BROWSE)
    h.put("P", "s1", 4, 5, **segment(0, PART | first))
    h.put("P", "s2", 6, 7, **segment(10, END | last))
    h.put("P", "a2", 8, 9, **member(2, LAST))
    whole = segment(0, END | first) | {"length": 20, "options": IN_ORDER | MQGMO.COMPLETE_MSG}
    h.get("C", "s1", 20, 22, **whole, **H)


@case()
def the_group_that_the_last_segment_of_a_whole_message_tells(h: History) -> None:
    _whole_of_unlike(h, 0, IN)
    h.get("C", "a2", 30, 32, options=IN_ORDER, **member(2, LAST), **H)


@case()
def a_group_that_is_not_current_as_the_last_segment_of_a_whole_message_is_in_none(h: History) -> None:
    _whole_of_unlike(h, IN, 0)
    h.nothing("C", 30, 32, options=IN_ORDER, **H)
    h.get("D", "a2", 90, 92, **member(2, LAST))


@case()
def nothing_from_the_front_as_the_last_segment_of_a_whole_message_is_in_a_group(h: History) -> None:
    _whole_of_unlike(h, 0, IN)
    h.put("P", "m1", 24, 26)
    h.get("D", "a2", 27, 28, **member(2, LAST))
    h.nothing("C", 30, 32, options=IN_ORDER, **H)
    h.get("D", "m1", 90, 92)


def _segments(h: History, **of_first: Any) -> None:
    """Record that C opened the queue and that a message was put in two segments."""
    h.open("C", 0, 2, MQOO.INPUT_SHARED)
    h.put("P", "s1", 10, 11, **segment(0, PART), **of_first)
    h.put("P", "s2", 12, 13, **segment(10, END))


@case("DLV-05 violation")
def the_next_segment_is_there(h: History) -> None:
    _segments(h)
    h.get("C", "s1", 20, 22, options=IN_ORDER, **segment(0, PART), **H)
    h.nothing("C", 30, 32, options=IN_ORDER, **H)
    h.get("D", "s2", 90, 92, **segment(10, END))


@case()
def the_next_segment_of_a_report_begins_elsewhere(h: History) -> None:
    report = {"msg_type": MQMT.REPORT, "original_length": 20}
    _segments(h, **report)
    h.get("C", "s1", 20, 22, options=IN_ORDER, **segment(0, PART), **report, **H)
    h.nothing("C", 30, 32, options=IN_ORDER, **H)
    h.get("D", "s2", 90, 92, **segment(10, END))


@case()
def the_next_segment_after_one_that_was_cut_short(h: History) -> None:
    _segments(h)
    cut = {"comp_code": MQCC.WARNING, "reason": MQRC.TRUNCATED_MSG_ACCEPTED}
    h.get("C", "s1", 20, 22, options=IN_ORDER | MQGMO.ACCEPT_TRUNCATED_MSG, **segment(0, PART), **cut, **H)
    h.nothing("C", 30, 32, options=IN_ORDER, **H)
    h.get("D", "s2", 90, 92, **segment(10, END))


@case("DLV-05 violation")
def a_group_begins_after_a_plain_get_of_a_message_in_none(h: History) -> None:
    h.open("C", 0, 2, MQOO.INPUT_SHARED)
    h.put("P", "m1", 4, 5)
    h.get("C", "m1", 6, 7, **H)
    h.put("P", "a1", 10, 11, **member(1, IN))
    h.nothing("C", 20, 22, options=IN_ORDER, **H)
    h.get("D", "a1", 90, 92, **member(1, IN))


@case("DLV-05 violation")
def the_next_of_a_group_asked_for_with_the_rest(h: History) -> None:
    """Ask for all messages once more in a group that was begun, where ALL_MSGS_AVAILABLE acts no more (AMA-04)."""
    _group(h)
    h.get("C", "a1", 20, 22, options=IN_ORDER | ALL_MESSAGES, **member(1, IN), **H)
    h.nothing("C", 30, 32, options=IN_ORDER | ALL_MESSAGES, **H)
    _rest_is_got(h)


@case()
def the_next_of_a_group_asked_for_with_all_its_segments(h: History) -> None:
    _group(h)
    h.get("C", "a1", 20, 22, options=IN_ORDER, **member(1, IN), **H)
    h.nothing("C", 30, 32, options=IN_ORDER | ALL_SEGMENTS, **H)
    _rest_is_got(h)


def _next_in_segments(h: History, options: int) -> None:
    """Ask in a group that was begun for its next message, of which only one segment came."""
    h.open("C", 0, 2, MQOO.INPUT_SHARED)
    h.put("P", "a1", 10, 11, **member(1, IN))
    part = segment(0, PART | LAST) | {"group_id": member(1, IN)["group_id"], "msg_seq_number": 2}
    h.put("P", "a2", 12, 13, **part)
    h.get("C", "a1", 20, 22, options=IN_ORDER, **member(1, IN), **H)
    h.nothing("C", 30, 32, options=IN_ORDER | options, **H)
    h.get("D", "a2", 90, 92, **part)


@case()
def the_next_of_a_group_in_segments_asked_for_with_the_rest(h: History) -> None:
    """Have the queue manager check the segments that ALL_MSGS_AVAILABLE implies, also where that acts no more."""
    _next_in_segments(h, ALL_MESSAGES)


@case("DLV-05 violation")
def the_next_of_a_group_in_segments(h: History) -> None:
    _next_in_segments(h, 0)


NEXT_IN_ORDER = MQGMO.BROWSE_NEXT | MQGMO.LOGICAL_ORDER


def _browsed_group(h: History, **of_first: Any) -> None:
    """Record that C browsed the first message of a group of three, in logical order."""
    _group(h)
    h.browse(
        "C", "a1", 20, 22, **({"options": MQGMO.BROWSE_FIRST | MQGMO.LOGICAL_ORDER} | member(1, IN) | of_first | H)
    )


def _all_is_got(h: History) -> None:
    h.get("D", "a1", 80, 81, **member(1, IN), match_options=MQMO.MATCH_MSG_ID, sel_msg_id=ident("a1"))
    _rest_is_got(h)


@case("DLV-05 violation")
def the_next_of_the_group_that_is_browsed_is_there(h: History) -> None:
    _browsed_group(h)
    h.nothing("C", 30, 32, options=NEXT_IN_ORDER, **H)
    _all_is_got(h)


@case()
def the_next_of_the_group_that_is_browsed_is_held(h: History) -> None:
    _browsed_group(h)
    selected = {"match_options": MQMO.MATCH_MSG_ID, "sel_msg_id": ident("a2")}
    h.get("E", "a2", 24, 26, options=SYNC, **member(2, IN), **selected)
    h.nothing("C", 30, 32, options=NEXT_IN_ORDER, **H)
    h.commit("E", 40, 42)


@case()
def the_next_of_a_group_that_was_browsed_in_physical_order(h: History) -> None:
    """Leave to other checks what a browse that changes the order must do."""
    _browsed_group(h, options=MQGMO.BROWSE_FIRST)
    h.nothing("C", 30, 32, options=NEXT_IN_ORDER, **H)
    _all_is_got(h)


@case()
def the_next_of_a_group_after_a_browse_that_found_nothing(h: History) -> None:
    _group(h)
    h.browse("C", "a1", 20, 22, options=MQGMO.BROWSE_FIRST | MQGMO.LOGICAL_ORDER, **member(1, IN), **H)
    by_id = {"match_options": MQMO.MATCH_MSG_ID, "sel_msg_id": ident("b")}
    h.nothing("C", 24, 26, options=MQGMO.BROWSE_FIRST | MQGMO.LOGICAL_ORDER, **by_id, **H)
    h.nothing("C", 30, 32, options=NEXT_IN_ORDER, **H)
    _all_is_got(h)


def _got_first_of_group(h: History) -> None:
    """Record that C, which opened the queue before the log began, got the first message of a group of three."""
    h.put("P", "a1", 10, 11, **member(1, IN))
    h.put("Q", "a2", 12, 13, **member(2, IN))
    h.put("P", "a3", 14, 15, **member(3, LAST))
    h.get("C", "a1", 20, 22, options=IN_ORDER, **member(1, IN), **H)


@case("DLV-05 violation")
def the_next_of_a_group_of_a_handle_that_was_opened_before_the_log(h: History) -> None:
    _got_first_of_group(h)
    h.nothing("C", 30, 32, options=IN_ORDER, **H)
    _rest_is_got(h)


@case()
def the_next_of_a_group_with_a_handle_that_was_opened_again(h: History) -> None:
    _got_first_of_group(h)
    h.call("C", "MQCLOSE", 24, 26, queue=QUEUE, options=0, **H)
    h.nothing("C", 30, 32, options=IN_ORDER, **H)
    _rest_is_got(h)


def _gets_another_group(h: History, **of_last: Any) -> None:
    """Record that C got a group, what `of_last` changes of its get of the last message, and one of another group."""
    _group(h)
    h.starts_empty()
    place = {"original_length": -1, "buffer_length": 10, "segment_status": " ", "backout_count": 0}
    selected = {"sel_group_id": "0" * 48, "sel_seq_number": 1, "sel_offset": 0}
    for number, flags, changed in ((1, IN, {}), (2, IN, {}), (3, LAST, of_last)):
        usual = {**member(number, flags), **place, **selected, "options": IN_ORDER}
        status = {"group_status": "L" if flags == LAST else "G"}
        h.get("C", f"a{number}", 20 + 4 * number, 21 + 4 * number, **(usual | status | changed), **H)
    other = member(1, IN) | {"group_id": "00" * 23 + "77", "group_status": "G"}
    h.put("P", "b1", 46, 47, **member(1, IN) | {"group_id": "00" * 23 + "77"})
    h.get("C", "b1", 50, 51, **other, **place, **selected, **H)


@case("DLV-04 violation", "LOG-37 violation")
def another_group_without_a_warning_while_one_is_current(h: History) -> None:
    _gets_another_group(h, **member(3, IN), group_status="G")


@case()
def another_group_after_the_last_of_one_whose_get_has_no_reason(h: History) -> None:
    _gets_another_group(h, reason=None)


@case()
def another_group_after_the_last_of_one_whose_get_has_no_comp_code(h: History) -> None:
    _gets_another_group(h, comp_code=None)


@case()
def another_group_after_the_last_of_one_whose_get_has_a_warning_without_its_reason(h: History) -> None:
    _gets_another_group(h, comp_code=MQCC.WARNING, reason=None)


def _put_in_order(h: History, length: int, then: int) -> None:
    """Put a segment of some bytes in logical order, and then one that has an Offset."""
    h.open("P", 0, 2, MQOO.OUTPUT)
    in_order = {"options": MQPMO.NO_SYNCPOINT | MQPMO.LOGICAL_ORDER} | H
    h.put("P", "s1", 10, 12, **(segment(0, PART) | in_order | {"length": length}))
    h.put("P", "s2", 14, 16, **(segment(then, END) | in_order))


@case(log="zos")
def a_segment_put_behind_one_without_data(h: History) -> None:
    _put_in_order(h, 0, 0)


@case("PTB-04 violation", log="zos")
def a_segment_put_elsewhere_than_behind_the_last(h: History) -> None:
    _put_in_order(h, 10, 0)
