"""Browse order and backout counts: BRW-03, BRW-05, BRW-13, BRW-14, BRW-20, BRW-21, BOC-01 to BOC-04."""

from __future__ import annotations

from typing import Any

from oracle.mqi.constants import MQGMO, MQMF, MQMO, MQOO, MQPMO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import GENERATED, NO_ID, SYNC, History, ident

NEXT = MQGMO.BROWSE_NEXT


def _two(h: History, **sequence: str) -> None:
    h.starts_empty()
    if sequence:
        h.header("queue", **sequence)
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 14, 16)


@case("BRW-03 violation")
def browse_first_passes_over_the_first(h: History) -> None:
    _two(h)
    h.browse("C", "m2", 20, 22, hobj=5)
    h.get("D", "m1", 30, 32)
    h.get("D", "m2", 40, 42)


@case()
def browse_first_finds_what_is_left(h: History) -> None:
    _two(h)
    h.get("D", "m1", 17, 21)
    h.browse("C", "m2", 20, 22, hobj=5)


@case("BRW-05 violation", "BRW-13 violation")
def browse_next_goes_back(h: History) -> None:
    _two(h)
    h.put("P", "m3", 17, 18)
    h.browse("C", "m1", 20, 22, hobj=5)
    h.browse("C", "m3", 24, 26, hobj=5, options=NEXT)
    h.browse("C", "m2", 30, 32, hobj=5, options=NEXT)


@case("DLV-04 suspicion")
def browse_next_passes_over_what_was_put_in_the_place_of_an_older_one(h: History) -> None:
    new = MQPMO.NO_SYNCPOINT | MQPMO.NEW_MSG_ID
    h.header("queue", MsgDeliverySequence="PRIORITY")
    h.put("P", "m1", 10, 12, options=new, priority=4)
    h.put("P", "own", 14, 16, priority=3)
    h.put("P", "m3", 17, 18, options=new, priority=4)
    h.browse("C", "m1", 20, 22, hobj=5, priority=4)
    h.browse("C", "m3", 24, 26, hobj=5, options=NEXT, priority=4)
    h.get("D", "own", 30, 32, priority=4, match_options=1, sel_msg_id=ident("own"))


@case("BRW-05 suspicion", "EXP-09 suspicion")
def browse_next_passes_over_one_that_may_have_expired(h: History) -> None:
    new = MQPMO.NO_SYNCPOINT | MQPMO.NEW_MSG_ID
    h.header("queue", MsgDeliverySequence="FIFO")
    h.put("P", "m1", 10, 12, options=new)
    h.put("P", "own", 14, 16, expiry=1)
    h.put("P", "m3", 17, 18, options=new)
    h.browse("C", "m1", 20, 22, hobj=5)
    h.browse("C", "m3", 10_000_024, 10_000_026, hobj=5, options=NEXT)
    h.get("D", "own", 10_000_030, 10_000_032, match_options=1, sel_msg_id=ident("own"))


@case("BRW-05 violation")
def browse_next_passes_over_a_message(h: History) -> None:
    _two(h)
    h.put("P", "m3", 17, 18)
    h.browse("C", "m1", 20, 22, hobj=5)
    h.browse("C", "m3", 24, 26, hobj=5, options=NEXT)
    h.get("D", "m2", 30, 32, match_options=1, sel_msg_id=ident("m2"))


@case("BRW-05 violation")
def browse_next_with_null_identifiers_passes_over_a_message(h: History) -> None:
    any_one = {"match_options": MQMO.MATCH_MSG_ID | MQMO.MATCH_CORREL_ID, "sel_msg_id": NO_ID, "sel_correl_id": NO_ID}
    _two(h)
    h.put("P", "m3", 17, 18)
    h.browse("C", "m1", 20, 22, hobj=5, **any_one)
    h.browse("C", "m3", 24, 26, hobj=5, options=NEXT, **any_one)
    h.get("D", "m2", 30, 32, match_options=1, sel_msg_id=ident("m2"))


@case()
def browse_next_passes_over_a_message_that_it_did_not_ask_for(h: History) -> None:
    one = {"match_options": MQMO.MATCH_MSG_ID | MQMO.MATCH_CORREL_ID, "sel_correl_id": NO_ID}
    _two(h)
    h.put("P", "m3", 17, 18)
    h.browse("C", "m1", 20, 22, hobj=5, sel_msg_id=ident("m1"), **one)
    h.browse("C", "m3", 24, 26, hobj=5, options=NEXT, sel_msg_id=ident("m3"), **one)
    h.get("D", "m2", 30, 32, match_options=1, sel_msg_id=ident("m2"))


@case("BRW-05 violation")
def browse_next_passes_over_a_message_that_nobody_gets(h: History) -> None:
    _two(h, MsgDeliverySequence="FIFO")
    h.put("P", "m3", 17, 18, priority=7)
    h.browse("C", "m1", 20, 22, hobj=5)
    h.browse("C", "m3", 24, 26, hobj=5, options=NEXT, priority=7)
    h.disconnect("P", "C", start=90, end=92)


@case("BRW-05 violation")
def browse_next_finds_none_behind_the_cursor(h: History) -> None:
    _two(h)
    h.browse("C", "m1", 20, 22, hobj=5)
    h.nothing("C", 24, 26, hobj=5, options=NEXT)
    h.get("D", "m2", 30, 32, match_options=1, sel_msg_id=ident("m2"))


def _urgent_first(h: History) -> None:
    """Record that a message of a higher priority was browsed first, of three."""
    _two(h, MsgDeliverySequence="PRIORITY")
    h.put("P", "urgent", 17, 18, priority=5)
    h.browse("C", "urgent", 20, 22, hobj=5, priority=5)


@case("BRW-05 violation")
def browse_next_finds_none_of_lower_priority(h: History) -> None:
    _urgent_first(h)
    h.nothing("C", 24, 26, hobj=5, options=NEXT)
    h.get("D", "m2", 30, 32, match_options=1, sel_msg_id=ident("m2"))


@case("BRW-05 violation")
def browse_next_passes_over_the_first_of_lower_priority(h: History) -> None:
    _urgent_first(h)
    h.browse("C", "m2", 24, 26, hobj=5, options=NEXT)
    h.get("D", "m1", 30, 32, match_options=1, sel_msg_id=ident("m1"))


@case()
def browse_next_finds_none_as_what_came_has_a_higher_priority(h: History) -> None:
    _two(h, MsgDeliverySequence="PRIORITY")
    h.browse("C", "m1", 20, 22, hobj=5)
    h.browse("C", "m2", 24, 26, hobj=5, options=NEXT)
    h.put("P", "urgent", 27, 28, priority=5)
    h.nothing("C", 30, 32, hobj=5, options=NEXT)
    h.get("D", "urgent", 40, 42, priority=5)


@case()
def browse_next_passes_over_what_may_not_have_been_there(h: History) -> None:
    _two(h, MsgDeliverySequence="PRIORITY")
    h.put("P", "m3", 17, 18)
    h.put("Q", "m4", 17, 18)
    h.browse("C", "m1", 20, 22, hobj=5)
    h.get("D", "m2", 25, 28, options=SYNC, match_options=1, sel_msg_id=ident("m2"))
    h.browse("C", "m3", 24, 26, hobj=5, options=NEXT)
    h.backout("D", 30, 32)
    h.get("D", "m4", 34, 36, match_options=1, sel_msg_id=ident("m4"))
    h.nothing("C", 40, 42, hobj=5, options=NEXT)
    h.put("P", "m5", 41, 44)
    h.put("P", "m6", 46, 47, priority=3)
    h.nothing("C", 50, 52, hobj=5, options=NEXT, match_options=1, sel_msg_id="1" * 48)
    h.nothing("C", 54, 56, hobj=6, options=NEXT, comp_code=2, reason=2016)


@case("BRW-20 violation")
def browse_next_goes_back_on_a_fifo_queue(h: History) -> None:
    h.starts_empty()
    h.header("queue", MsgDeliverySequence="FIFO")
    h.put("P", "m1", 10, 12, priority=1)
    h.put("Q", "m2", 14, 16, priority=7)
    h.get("D", "m1", 17, 18, options=SYNC, priority=1)
    h.browse("C", "m2", 20, 22, hobj=5, priority=7)
    h.backout("D", 23, 24)
    h.browse("C", "m1", 30, 32, hobj=5, options=NEXT, priority=1)


@case("BRW-21 violation")
def browse_next_finds_a_higher_priority(h: History) -> None:
    h.starts_empty()
    h.header("queue", MsgDeliverySequence="PRIORITY")
    h.put("P", "m1", 10, 12, priority=1)
    h.browse("C", "m1", 20, 22, hobj=5, priority=1)
    h.put("P", "m2", 24, 26, priority=7)
    h.browse("C", "m2", 30, 32, hobj=5, options=NEXT, priority=7)


@case("BRW-05 violation")
def browse_next_returns_the_same_message(h: History) -> None:
    _two(h)
    h.browse("C", "m1", 20, 22, hobj=5)
    h.browse("C", "m1", 30, 32, hobj=5, options=NEXT)


@case()
def what_a_browse_may_return_next(h: History) -> None:
    """Each sweep is of a handle of its own; in each the second message may come after the first, or is undecided."""
    h.starts_empty()
    h.header("queue", MsgDeliverySequence="PRIORITY")
    h.put("P", "m1", 10, 12, priority=5)
    h.put("P", "m2", 13, 16, priority=5)
    h.put("R", "m2b", 14, 19, priority=5)
    h.put("Q", "low", 17, 18, priority=1)
    order = (("m1", 5), ("m2", 5), ("low", 1))
    for hobj in (5, 6):
        for place, (message, priority) in enumerate(order):
            at = 100 * hobj + 10 * place
            h.browse("C", message, at, at + 2, hobj=hobj, options=NEXT, priority=priority)
    h.browse("C", "m1", 700, 702, hobj=6, priority=5)
    h.browse("C", "m2b", 703, 704, hobj=6, options=NEXT, priority=5)
    h.browse("C", "m2", 705, 706, hobj=6, options=NEXT, priority=5)
    h.call("C", "MQCLOSE", 710, 712, hobj=5)
    h.call("C", "MQOPEN", 720, 722, hobj=5)
    h.browse("C", "m1", 730, 732, hobj=5, options=NEXT, priority=5)


@case()
def a_truncated_browse_next_does_not_move_the_cursor(h: History) -> None:
    _two(h)
    h.browse("C", "m1", 20, 22, hobj=5)
    h.browse("C", "m2", 24, 26, hobj=5, options=NEXT, comp_code=1, reason=2080)
    h.browse("C", "m2", 30, 32, hobj=5, options=NEXT)


@case()
def browsing_in_logical_order_may_go_back(h: History) -> None:
    h.put("P", "m1", 10, 12, msg_flags=MQMF.MSG_IN_GROUP, group_id=ident("g"), msg_seq_number=2, offset=0)
    h.put("P", "m2", 14, 16)
    h.browse("C", "m2", 20, 22, hobj=5, options=MQGMO.BROWSE_FIRST | MQGMO.LOGICAL_ORDER)
    h.browse("C", "m1", 30, 32, hobj=5, options=NEXT | MQGMO.LOGICAL_ORDER)


def _backed_out(h: History, times: int) -> int:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    for number in range(times):
        at = 100 * (number + 1)
        h.get("C", "m1", at, at + 2, options=SYNC, backout_count=number)
        h.backout("C", at + 10, at + 12)
    return 100 * (times + 1)


@case()
def each_backout_counts(h: History) -> None:
    at = _backed_out(h, 2)
    h.browse("D", "m1", at, at + 2, backout_count=2)
    h.get("D", "m1", at + 10, at + 12, backout_count=2)


@case("BOC-01 violation")
def a_backout_that_does_not_count(h: History) -> None:
    at = _backed_out(h, 2)
    h.get("D", "m1", at, at + 2, backout_count=1)


@case("BOC-03 violation")
def a_browse_that_does_not_show_the_count(h: History) -> None:
    at = _backed_out(h, 1)
    h.browse("D", "m1", at, at + 2, backout_count=0)
    h.get("D", "m1", at + 10, at + 12, backout_count=1)


@case("BOC-01 violation")
def counted_twice(h: History) -> None:
    at = _backed_out(h, 1)
    h.get("D", "m1", at, at + 2, backout_count=2)


@case("BOC-02 violation")
def a_browse_that_counts(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("D", "m1", 20, 22, backout_count=0)
    h.get("D", "m1", 30, 32, backout_count=1)


@case("BOC-04 violation")
def a_count_that_begins_above_zero(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, backout_count=5)
    h.get("D", "m1", 30, 32, backout_count=5)


@case()
def counts_that_may_be_right(h: History) -> None:
    """One getter died, one backout overlaps the next call, one message was put twice."""
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.get("D", "m1", 30, 32, backout_count=1)
    h.put("P", "m2", 40, 42)
    h.get("E", "m2", 50, 52, options=SYNC)
    h.backout("E", 60, 65)
    h.get("D", "m2", 64, 68, backout_count=1)
    h.put("P", "m3", 70, 72)
    h.put("P", "m3", 74, 76)
    h.get("D", "m3", 80, 82, backout_count=1)


@case("BOC-01 suspicion", log="zos")
def a_count_may_fall_back_on_zos(h: History) -> None:
    at = _backed_out(h, 1)
    h.get("D", "m1", at, at + 2, backout_count=0)


@case(log="incomplete")
def backouts_may_be_missing_from_the_log(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("D", "m1", 30, 32, backout_count=3)


@case("BOC-01 suspicion")
def backouts_of_a_message_from_before_the_log_that_do_not_count(h: History) -> None:
    h.get("C", "old", 10, 12, options=SYNC, msg_id=GENERATED, backout_count=0)
    h.backout("C", 14, 16)
    h.get("C", "old", 20, 22, msg_id=GENERATED, backout_count=0)


def _browse(h: History, message: str, at: int, options: int, **columns: Any) -> None:
    h.browse("C", message, at, at + 2, hobj=5, options=options, **columns)


def _browses_in_logical_order(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 14, 16)
    h.call("C", "MQCONN", 17, 17)
    h.open("C", 18, 19, MQOO.BROWSE, hobj=5)
    _browse(h, "m1", 20, MQGMO.BROWSE_FIRST | MQGMO.LOGICAL_ORDER)


def _goes_on_in_logical_order_after_a_physical_first(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 14, 16)
    h.call("C", "MQCONN", 17, 17)
    h.open("C", 18, 19, MQOO.BROWSE, hobj=5)
    of_group = {
        "group_id": "00" * 23 + "01",
        "msg_flags": MQMF.MSG_IN_GROUP,
        "offset": 0,
        "length": 3,
        "group_status": "G",
    }
    of_group |= {
        "segment_status": " ",
        "buffer_length": 10,
        "sel_group_id": "0" * 48,
        "sel_seq_number": 1,
        "sel_offset": 0,
    }
    _browse(h, "m1", 20, MQGMO.BROWSE_FIRST, **of_group, msg_seq_number=1)
    _browse(h, "m2", 30, NEXT | MQGMO.LOGICAL_ORDER | MQGMO.ALL_MSGS_AVAILABLE, **of_group, msg_seq_number=1)
    later = {"msg_seq_number": 2, "offset": 3, "msg_flags": MQMF.MSG_IN_GROUP | MQMF.SEGMENT, "segment_status": "S"}
    _browse(h, "m3", 40, NEXT | MQGMO.LOGICAL_ORDER, **(of_group | later))


@case("BRW-14 suspicion", "BRW-14 suspicion", log="incomplete")
def goes_on_in_logical_order_in_an_incomplete_log(h: History) -> None:
    _goes_on_in_logical_order_after_a_physical_first(h)


@case("BRW-14 violation")
def browse_next_leaves_the_order(h: History) -> None:
    _browses_in_logical_order(h)
    _browse(h, "m2", 30, NEXT)


@case()
def browse_next_after_a_first_that_found_nothing(h: History) -> None:
    """Return whether that sets the order is not said."""
    _browses_in_logical_order(h)
    ghost = {"match_options": MQMO.MATCH_CORREL_ID, "sel_correl_id": ident("ghost")}
    h.nothing("C", 24, 26, hobj=5, options=MQGMO.BROWSE_FIRST, **ghost)
    _browse(h, "m2", 30, NEXT)


@case()
def browse_next_after_a_browse_under_the_cursor(h: History) -> None:
    """Return whether that sets the order is not said."""
    _browses_in_logical_order(h)
    _browse(h, "m1", 24, MQGMO.BROWSE_MSG_UNDER_CURSOR)
    _browse(h, "m2", 30, NEXT)


@case("BOC-01 suspicion")
def the_count_of_a_message_from_before_the_log_fell(h: History) -> None:
    h.get("C", "m1", 20, 22, options=SYNC, backout_count=5, msg_id=GENERATED)
    h.backout("C", 24, 26)
    h.get("D", "m1", 30, 32, backout_count=2, msg_id=GENERATED)


@case(log="incomplete")
def an_untraced_application_backed_out(h: History) -> None:
    h.put("P", "m", 10, 12, msg_id=GENERATED)
    h.get("C", "m", 20, 22, msg_id=GENERATED, backout_count=1)


def _put_again_below(h: History, again: int) -> None:
    """Record an identifier put at priority 5, got, and put again, and another message of priority 0 before that."""
    h.starts_empty()
    h.header("queue", MsgDeliverySequence="PRIORITY")
    h.put("P", "m1", 10, 12, priority=5)
    h.get("D", "m1", 14, 16, priority=5)
    h.put("P", "m2", 20, 22, priority=0)
    h.put("P", "m1", 24, 26, priority=again)


@case()
def browse_next_finds_none_behind_an_identifier_that_was_put_before_at_a_higher_priority(h: History) -> None:
    _put_again_below(h, 0)
    h.browse("C", "m2", 30, 32, hobj=5)
    h.browse("C", "m1", 34, 36, hobj=5, options=NEXT)
    h.nothing("C", 40, 42, hobj=5, options=NEXT)
    h.get("D", "m2", 50, 52)


@case("BRW-05 violation")
def browse_next_finds_none_although_one_stands_behind_an_identifier_that_was_put_twice(h: History) -> None:
    _put_again_below(h, 3)
    h.browse("C", "m1", 34, 36, hobj=5, priority=3)
    h.nothing("C", 40, 42, hobj=5, options=NEXT)
    h.get("D", "m1", 44, 46, priority=3)
    h.get("D", "m2", 50, 52)


@case()
def browse_next_returns_one_behind_an_identifier_that_is_put_later_at_a_higher_priority(h: History) -> None:
    h.starts_empty()
    h.header("queue", MsgDeliverySequence="PRIORITY")
    h.put("P", "m2", 10, 12, priority=3)
    h.put("P", "m1", 14, 16, priority=3)
    h.browse("C", "m2", 20, 22, hobj=5, priority=3)
    h.browse("C", "m1", 24, 26, hobj=5, priority=3, options=NEXT)
    h.get("D", "m2", 30, 32, priority=3)
    h.get("D", "m1", 34, 36, priority=3)
    h.put("P", "m1", 40, 42, priority=7)
    h.get("D", "m1", 44, 46, priority=7)


def _browsed_in_the_order_of_another_put(h: History, at: int) -> None:
    """Record a stretch in which an identifier is put behind another message, and browsed before it.

    So it is right if the one that was browsed is another one, which was put just before the stretch begins.
    """
    h.header("queue", MsgDeliverySequence="FIFO")
    h.call("C", "MQINQ", 1_000_000, 1_000_001)
    h.put("P", "m1", at, at + 2, msg_id=GENERATED, put_us=at // 10_000 * 10_000)
    h.put("P", "m2", at + 10, at + 12, put_us=at // 10_000 * 10_000)
    h.browse("C", "m2", 2_000_000, 2_000_002, hobj=5, put_us=at // 10_000 * 10_000)
    h.browse("C", "m1", 2_000_010, 2_000_012, hobj=5, msg_id=GENERATED, put_us=at // 10_000 * 10_000, options=NEXT)


@case("BRW-03 suspicion", "BRW-20 suspicion")
def browsed_before_it_with_a_put_time_that_a_put_just_before_the_log_may_have(h: History) -> None:
    _browsed_in_the_order_of_another_put(h, 1_000_100)


@case("BRW-03 violation", "BRW-20 violation")
def browsed_before_it_with_the_put_time_of_the_put_in_the_log(h: History) -> None:
    _browsed_in_the_order_of_another_put(h, 1_010_100)
