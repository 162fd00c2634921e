"""Marks of a handle: MRK-14."""

from __future__ import annotations

from oracle.mqi.constants import MQGMO, MQMF, MQOO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import PLAIN, QUEUE, SYNC, History, ident

MARK = MQGMO.BROWSE_FIRST | MQGMO.MARK_BROWSE_HANDLE
UNMARK = MQGMO.BROWSE_FIRST | MQGMO.UNMARK_BROWSE_HANDLE
UNMARKED = MQGMO.BROWSE_FIRST | MQGMO.UNMARKED_BROWSE_MSG


@case("MRK-14 violation")
def browsed_although_the_handle_has_marked_it(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("C", "m1", 20, 22, options=MARK, hobj=1)
    h.browse("C", "m1", 30, 32, options=UNMARKED, hobj=1)


@case("MRK-14 suspicion")
def browsed_although_a_message_of_its_name_is_marked(h: History) -> None:
    h.put("P", "414d5120", 10, 12, msg_id="414d5120" + "0" * 40)
    h.browse("C", "m1", 20, 22, options=MARK, hobj=1, msg_id="414d5120" + "0" * 40)
    h.browse("C", "m1", 30, 32, options=UNMARKED, hobj=1, msg_id="414d5120" + "0" * 40)


@case()
def browsed_by_another_handle_than_the_one_that_marked_it(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("C", "m1", 20, 22, options=MARK, hobj=1)
    h.browse("C", "m1", 30, 32, options=UNMARKED, hobj=2)
    h.browse("D", "m1", 30, 32, options=UNMARKED, hobj=1)


@case()
def browsed_after_its_mark_was_taken_off(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("C", "m1", 20, 22, options=MARK, hobj=1)
    h.browse("C", "m1", 24, 26, options=UNMARK, hobj=1)
    h.browse("C", "m1", 30, 32, options=UNMARKED, hobj=1)


@case()
def browsed_after_the_marking_handle_was_closed(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("C", "m1", 20, 22, options=MARK, hobj=1)
    h.call("C", "MQCLOSE", 24, 25, queue=QUEUE, hobj=1, options=0)
    h.open("C", 26, 27, MQOO.BROWSE)
    h.browse("C", "m1", 30, 32, options=UNMARKED, hobj=1)


@case()
def browsed_after_a_get_that_was_backed_out(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("C", "m1", 20, 22, options=MARK, hobj=1)
    h.get("D", "m1", 24, 25, options=SYNC)
    h.backout("D", 26, 27)
    h.browse("C", "m1", 30, 32, options=UNMARKED, hobj=1)
    h.get("D", "m1", 40, 42, options=PLAIN)


@case()
def browsed_a_segment_after_a_get_of_all_segments_that_was_backed_out(h: History) -> None:
    h.put("A", "s1", 10, 11, msg_flags=MQMF.SEGMENT, group_id=ident("g"), msg_seq_number=1, offset=0, length=2)
    h.put("A", "s2", 12, 13, msg_flags=MQMF.LAST_SEGMENT, group_id=ident("g"), msg_seq_number=1, offset=2, length=2)
    part = {"group_id": ident("g"), "msg_seq_number": 1, "hobj": 1, "msg_flags": MQMF.SEGMENT | MQMF.LAST_SEGMENT}
    h.browse("C", "s2", 20, 22, options=MQGMO.BROWSE_NEXT | MQGMO.MARK_BROWSE_HANDLE, offset=2, **part)
    h.get("C", "s1", 24, 26, options=MQGMO.SYNCPOINT | MQGMO.COMPLETE_MSG, offset=0, **part)
    h.call("C", "MQBACK", 28, 29)
    h.browse("C", "s2", 30, 32, options=UNMARKED, offset=2, **part)


@case()
def browsed_under_the_cursor_although_the_handle_has_marked_it(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("C", "m1", 20, 22, options=MARK, hobj=1)
    h.browse("C", "m1", 30, 32, options=MQGMO.BROWSE_MSG_UNDER_CURSOR | MQGMO.UNMARKED_BROWSE_MSG, hobj=1)


@case()
def got_for_good_although_the_handle_has_marked_it(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("C", "m1", 20, 22, options=MARK, hobj=1)
    h.get("C", "m1", 30, 32, options=PLAIN | MQGMO.UNMARKED_BROWSE_MSG, hobj=1)


@case()
def browsed_after_it_was_marked_and_unmarked_at_once(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("C", "m1", 20, 22, options=MARK | MQGMO.UNMARK_BROWSE_HANDLE, hobj=1)
    h.browse("C", "m1", 30, 32, options=UNMARKED, hobj=1)


@case()
def browsed_after_a_get_whose_buffer_was_too_small(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, length=100)
    h.browse("C", "m1", 20, 22, options=MARK, hobj=1)
    h.get("D", "m1", 24, 25, comp_code=1, reason=2080, buffer_length=10)
    h.browse("C", "m1", 30, 32, options=UNMARKED, hobj=1)


@case("MRK-14 violation")
def browsed_before_a_get_whose_buffer_was_too_small(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, length=100)
    h.browse("C", "m1", 20, 22, options=MARK, hobj=1)
    h.browse("C", "m1", 30, 32, options=UNMARKED, hobj=1)
    h.get("D", "m1", 40, 42, comp_code=1, reason=2080, buffer_length=10)


CO_OP = UNMARKED | MQGMO.MARK_BROWSE_CO_OP


@case("DLV-05 violation")
def found_no_unmarked_message_although_one_had_never_been_returned(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.nothing("C", 20, 22, hobj=1, options=CO_OP)
    h.get("D", "m1", 30, 32)


@case("DLV-03 violation")
def lost_a_message_that_a_browse_for_unmarked_ones_did_not_find(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.nothing("C", 20, 22, hobj=1, options=CO_OP)


@case()
def found_no_unmarked_message_as_another_handle_had_marked_it(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("B", "m1", 15, 17, hobj=1, options=CO_OP)
    h.nothing("C", 20, 22, hobj=1, options=CO_OP)
    h.get("D", "m1", 30, 32)


@case(log="incomplete")
def a_handle_that_is_not_logged_may_have_marked_it(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.nothing("C", 20, 22, hobj=1, options=CO_OP)
    h.get("D", "m1", 30, 32)


FRESH = MARK | MQGMO.UNMARKED_BROWSE_MSG


def _two_with_one_identifier(h: History, *options: int) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.put("Q", "m1", 14, 16)
    for number, each in enumerate(options):
        h.browse("C", "m1", 20 + 10 * number, 22 + 10 * number, options=each, hobj=1)


@case("MRK-14 violation")
def browsed_and_marked_three_of_two_messages(h: History) -> None:
    _two_with_one_identifier(h, FRESH, FRESH, FRESH)


@case()
def browsed_and_marked_two_of_two_messages(h: History) -> None:
    _two_with_one_identifier(h, FRESH, FRESH, MARK)


@case()
def browsed_and_marked_two_messages_one_of_them_again_after_its_mark_was_taken_off(h: History) -> None:
    _two_with_one_identifier(h, FRESH, UNMARK, FRESH, FRESH)


@case()
def browsed_and_marked_two_messages_by_two_handles(h: History) -> None:
    _two_with_one_identifier(h, FRESH, FRESH)
    h.browse("C", "m1", 60, 62, options=FRESH, hobj=2)


@case()
def browsed_and_marked_one_again_that_a_backout_brought_back(h: History) -> None:
    _two_with_one_identifier(h, FRESH, FRESH)
    h.get("D", "m1", 60, 61, options=SYNC)
    h.backout("D", 62, 63)
    h.browse("C", "m1", 70, 72, options=FRESH, hobj=1, backout_count=1)


@case("MRK-14 suspicion")
def browsed_and_marked_more_messages_than_were_put_in_the_log(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.put("Q", "m1", 14, 16)
    for at in (20, 30, 40):
        h.browse("C", "m1", at, at + 2, options=FRESH, hobj=1)


@case("DLV-05 violation")
def found_no_unmarked_message_although_one_had_been_browsed_without_a_mark(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("B", "m1", 14, 16)
    h.nothing("C", 20, 22, hobj=1, options=UNMARKED)
    h.get("D", "m1", 30, 32)


@case()
def found_no_unmarked_message_as_a_browse_may_have_marked_it(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("B", "m1", 14, 16, options=None)
    h.nothing("C", 20, 22, hobj=1, options=UNMARKED)
    h.get("D", "m1", 30, 32)
