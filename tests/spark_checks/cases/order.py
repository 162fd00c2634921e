"""Order of delivery: PRI-03, PRI-04, VIS-03."""

from __future__ import annotations

from typing import Any

from oracle.constants import MQFB, MQGMO, MQMO, MQPMO, MQRC, MQRO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import NO_ID, PLAIN, SYNC, History, ident

MIB = MQPMO.NO_SYNCPOINT | MQPMO.NEW_MSG_ID


def _two_puts(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 20, 22)


@case()
def fifo_kept(h: History) -> None:
    _two_puts(h)
    h.get("C", "m1", 30, 32)
    h.get("C", "m2", 40, 42)


@case("PRI-03 violation")
def fifo_broken(h: History) -> None:
    _two_puts(h)
    h.get("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)


@case("PRI-04 violation")
def fifo_broken_on_a_fifo_queue_of_mixed_priorities(h: History) -> None:
    h.header("queue", MsgDeliverySequence="FIFO", DefPriority=0)
    h.starts_empty()
    h.put("P", "m1", 10, 12, priority=1)
    h.put("P", "m2", 20, 22, priority=9)
    h.get("C", "m2", 30, 32, priority=9)
    h.get("C", "m1", 40, 42, priority=1)


@case()
def priority_first_on_a_priority_queue(h: History) -> None:
    h.header("queue", MsgDeliverySequence="PRIORITY")
    h.starts_empty()
    h.put("P", "m1", 10, 12, priority=1)
    h.put("P", "m2", 20, 22, priority=9)
    h.get("C", "m2", 30, 32, priority=9)
    h.get("C", "m1", 40, 42, priority=1)


@case("PRI-03 violation")
def lower_priority_first(h: History) -> None:
    h.header("queue", MsgDeliverySequence="PRIORITY")
    h.starts_empty()
    h.put("P", "low", 10, 12, priority=2)
    h.put("P", "high", 20, 22, priority=7)
    h.get("C", "low", 30, 32, priority=2)
    h.get("C", "high", 40, 42, priority=7)


@case()
def lower_priority_first_where_the_sequence_is_unknown(h: History) -> None:
    h.starts_empty()
    h.put("P", "low", 10, 12, priority=2)
    h.put("P", "high", 20, 22, priority=7)
    h.get("C", "low", 30, 32, priority=2)
    h.get("C", "high", 40, 42, priority=7)


@case()
def unequal_priorities_against_fifo_where_the_sequence_is_unknown(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, priority=2)
    h.put("P", "m2", 20, 22, priority=7)
    h.get("C", "m2", 30, 32, priority=7)
    h.get("C", "m1", 40, 42, priority=2)


@case()
def a_higher_priority_that_may_have_come_too_late(h: History) -> None:
    h.header("queue", MsgDeliverySequence="PRIORITY")
    h.starts_empty()
    h.put("P", "low", 10, 12, priority=2)
    h.put("P", "high", 20, 31, priority=7)
    h.get("C", "low", 30, 32, priority=2)
    h.get("C", "high", 40, 42, priority=7)


@case("PRI-03 violation")
def priorities_above_the_maximum_rank_as_nine(h: History) -> None:
    h.header("queue", MsgDeliverySequence="PRIORITY")
    h.starts_empty()
    h.put("P", "m1", 10, 12, priority=12, comp_code=1, reason=2049)
    h.put("P", "m2", 20, 22, priority=9)
    h.get("C", "m2", 30, 32, priority=9)
    h.get("C", "m1", 40, 42, priority=12)


@case()
def overlapping_puts(h: History) -> None:
    h.starts_empty()
    h.put("P1", "m1", 10, 22)
    h.put("P2", "m2", 20, 24)
    h.get("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)


@case("PRI-03 violation")
def puts_of_one_connection_that_overlap_follow_its_own_order(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 24)
    h.put("P", "m2", 10, 24)
    h.get("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)


@case()
def overlapping_gets(h: History) -> None:
    _two_puts(h)
    h.get("C1", "m2", 30, 42)
    h.get("C2", "m1", 40, 44)


@case("PRI-03 violation")
def gets_of_one_connection_that_overlap_follow_its_own_order(h: History) -> None:
    _two_puts(h)
    h.get("C", "m2", 30, 44)
    h.get("C", "m1", 30, 44)


@case("PRI-03 violation")
def one_connection_whose_times_tell_nothing(h: History) -> None:
    h.starts_empty(at=10)
    h.put("A", "m1", 10, 99)
    h.put("A", "m2", 10, 99)
    h.get("A", "m2", 10, 99)
    h.get("A", "m1", 10, 99)


@case("PRI-03 violation")
def priority_in_one_connection_whose_times_tell_nothing(h: History) -> None:
    h.header("queue", MsgDeliverySequence="PRIORITY")
    h.starts_empty(at=10)
    h.put("A", "low", 10, 99, priority=1)
    h.put("A", "high", 10, 99, priority=5)
    h.get("A", "low", 10, 99, priority=1)
    h.get("A", "high", 10, 99, priority=5)


@case("PRI-03 violation")
def precedence_by_way_of_another_call(h: History) -> None:
    """Let the put of m1 overlap that of m2 by its own times, but not the next call of its connection."""
    h.starts_empty()
    h.put("P1", "m1", 10, 60)
    h.call("P1", "MQINQ", 12, 14)
    h.put("P2", "m2", 20, 22)
    h.get("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)


@case()
def a_waiting_get_may_have_been_served_before_the_other_put(h: History) -> None:
    h.header("queue", MsgDeliverySequence="PRIORITY")
    h.starts_empty()
    h.put("P", "low", 10, 12, priority=1)
    h.put("P", "high", 14, 16, priority=5)
    h.get("C", "low", 5, 80, priority=1, options=PLAIN | MQGMO.WAIT, wait_ms=1000)
    h.get("C", "high", 90, 92, priority=5)


@case("PRI-03 violation")
def a_waiting_get_served_with_a_message_that_came_after_a_better_one(h: History) -> None:
    _two_puts(h)
    h.get("C", "m2", 5, 80, options=PLAIN | MQGMO.WAIT, wait_ms=1000)
    h.get("C", "m1", 90, 92)


@case()
def selective_gets_may_pass_over(h: History) -> None:
    _two_puts(h)
    h.get("C", "m2", 30, 32, match_options=MQMO.MATCH_MSG_ID, sel_msg_id=ident("m2"))
    h.get("C", "m1", 40, 42)


def _by_correl_id(correl_id: str) -> dict[str, Any]:
    """Return what a get by CorrelId asks for, and the CorrelId of what it returned."""
    return {"match_options": MQMO.MATCH_CORREL_ID, "sel_correl_id": ident(correl_id), "correl_id": ident(correl_id)}


def _answers_to_two_requests(h: History, **of_second: int) -> None:
    h.starts_empty()
    h.put("P", "a1", 10, 12, correl_id=ident("a"))
    h.put("P", "b1", 14, 16, correl_id=ident("b"))
    h.put("P", "a2", 20, 22, correl_id=ident("a"), **of_second)


@case()
def gets_by_correl_id_in_their_order(h: History) -> None:
    _answers_to_two_requests(h)
    h.get("A", "a1", 30, 32, **_by_correl_id("a"))
    h.get("A", "a2", 40, 42, **_by_correl_id("a"))
    h.get("B", "b1", 50, 52, **_by_correl_id("b"))


@case("PRI-03 violation")
def gets_by_correl_id_out_of_order(h: History) -> None:
    _answers_to_two_requests(h)
    h.get("A", "a2", 30, 32, **_by_correl_id("a"))
    h.get("A", "a1", 40, 42, **_by_correl_id("a"))


@case("PRI-03 violation")
def a_get_by_correl_id_of_lower_priority(h: History) -> None:
    h.header("queue", MsgDeliverySequence="PRIORITY")
    _answers_to_two_requests(h, priority=5)
    h.get("A", "a1", 30, 32, **_by_correl_id("a"))
    h.get("A", "a2", 40, 42, priority=5, **_by_correl_id("a"))


@case()
def a_get_by_correl_id_passes_another_one_of_higher_priority(h: History) -> None:
    _answers_to_two_requests(h, priority=5)
    h.get("B", "b1", 30, 32, **_by_correl_id("b"))
    h.get("A", "a2", 40, 42, priority=5)


@case("PRI-03 violation")
def a_get_of_any_passes_what_gets_by_correl_id_do_not(h: History) -> None:
    _answers_to_two_requests(h)
    h.get("B", "b1", 30, 32, **_by_correl_id("b"))
    h.get("C", "a2", 40, 42, correl_id=ident("a"))
    h.get("A", "a1", 50, 52, **_by_correl_id("a"))


@case("BRW-03 violation")
def a_first_browse_by_correl_id_out_of_order(h: History) -> None:
    _answers_to_two_requests(h)
    h.get("A", "a2", 30, 32, options=MQGMO.BROWSE_FIRST, **_by_correl_id("a"))
    h.get("A", "a1", 40, 42, **_by_correl_id("a"))


@case("VIS-03 violation")
def gets_by_correl_id_of_what_was_committed_later(h: History) -> None:
    h.starts_empty()
    h.put("P1", "a1", 10, 12, options=SYNC, correl_id=ident("a"))
    h.put("P2", "a2", 20, 22, correl_id=ident("a"))
    h.commit("P1", 24, 26)
    h.get("A", "a2", 30, 32, **_by_correl_id("a"))
    h.get("A", "a1", 40, 42, **_by_correl_id("a"))


@case("VIS-04 violation")
def a_get_by_correl_id_passes_what_was_backed_out(h: History) -> None:
    _answers_to_two_requests(h)
    h.get("B", "a1", 24, 25, options=SYNC, **_by_correl_id("a"))
    h.backout("B", 26, 27)
    h.get("A", "a2", 30, 32, **_by_correl_id("a"))
    h.get("A", "a1", 40, 42, backout_count=1, **_by_correl_id("a"))


@case()
def gets_by_both_identifiers_may_pass_over(h: History) -> None:
    _answers_to_two_requests(h)
    both = _by_correl_id("a") | {"match_options": MQMO.MATCH_MSG_ID | MQMO.MATCH_CORREL_ID}
    h.get("A", "a2", 30, 32, sel_msg_id=ident("a2"), **both)
    h.get("A", "a1", 40, 42, **_by_correl_id("a"))


@case()
def the_correl_id_of_a_passed_message_is_not_known(h: History) -> None:
    h.starts_empty()
    h.put("P", "a1", 10, 12, correl_id=None)
    h.put("P", "a2", 20, 22, correl_id=ident("a"))
    h.get("A", "a2", 30, 32, **_by_correl_id("a"))
    h.get("A", "a1", 40, 42, correl_id=None)


@case()
def a_get_by_token_may_pass_over(h: History) -> None:
    _two_puts(h)
    h.get("C", "m2", 30, 32, match_options=MQMO.MATCH_MSG_TOKEN)
    h.get("C", "m1", 40, 42)


@case("PRI-03 violation")
def match_options_with_null_identifiers_select_nothing(h: History) -> None:
    _two_puts(h)
    h.get(
        "C", "m2", 30, 32,
        match_options=MQMO.MATCH_MSG_ID | MQMO.MATCH_CORREL_ID, sel_msg_id=NO_ID, sel_correl_id=NO_ID,
    )  # fmt: skip
    h.get("C", "m1", 40, 42)


@case()
def unknown_match_options_may_select(h: History) -> None:
    _two_puts(h)
    h.get("C", "m2", 30, 32, match_options=None)
    h.get("C", "m1", 40, 42)


@case("PRI-03 violation")
def unknown_match_options_with_null_identifiers_select_nothing(h: History) -> None:
    _two_puts(h)
    h.get("C", "m2", 30, 32, match_options=None, sel_msg_id=NO_ID, sel_correl_id=NO_ID)
    h.get("C", "m1", 40, 42)


@case()
def unknown_options(h: History) -> None:
    _two_puts(h)
    h.get("C", "m2", 30, 32, options=None)
    h.get("C", "m1", 40, 42)


@case()
def logical_order_and_cursor_gets_may_pass_over(h: History) -> None:
    h.starts_empty()
    for number, option in enumerate((MQGMO.LOGICAL_ORDER, MQGMO.MSG_UNDER_CURSOR)):
        start = 100 * number
        h.put("P", f"a{number}", start + 10, start + 12)
        h.put("P", f"b{number}", start + 20, start + 22)
        h.get("C", f"b{number}", start + 30, start + 32, options=PLAIN | option)
        h.get("C", f"a{number}", start + 40, start + 42)


def _in_unit_and_outside(h: History, commit: tuple[int, int], put_end: int = 12) -> None:
    """Record a put of m1 under syncpoint, with its commit, and one of m2 outside by another connection."""
    h.starts_empty()
    h.put("P1", "m1", 10, put_end, options=SYNC)
    h.commit("P1", *commit)
    h.put("P2", "m2", 20, 22)


def _got_the_other_way_round(h: History) -> None:
    h.get("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)


@case()
def uncommitted_messages_are_passed_over(h: History) -> None:
    _in_unit_and_outside(h, commit=(35, 36))
    _got_the_other_way_round(h)


@case("VIS-03 violation")
def put_before_and_committed_later(h: History) -> None:
    _in_unit_and_outside(h, commit=(24, 26))
    _got_the_other_way_round(h)


@case("VIS-03 violation")
def put_before_and_committed_later_and_not_seen_again(h: History) -> None:
    _in_unit_and_outside(h, commit=(24, 26))
    h.get("C", "m2", 30, 32)


@case()
def put_before_and_committed_after_the_call_and_not_seen_again(h: History) -> None:
    _in_unit_and_outside(h, commit=(34, 36))
    h.get("C", "m2", 30, 32)


@case()
def put_perhaps_later_and_committed_later(h: History) -> None:
    _in_unit_and_outside(h, commit=(24, 26), put_end=21)
    _got_the_other_way_round(h)


@case()
def a_commit_that_may_have_come_too_late(h: History) -> None:
    _in_unit_and_outside(h, commit=(14, 31))
    _got_the_other_way_round(h)


@case("PRI-03 violation")
def committed_before_the_other_put(h: History) -> None:
    _in_unit_and_outside(h, commit=(14, 16))
    _got_the_other_way_round(h)


@case("PRI-03 violation")
def put_in_one_unit_of_work(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=SYNC)
    h.put("P", "m2", 14, 16, options=SYNC)
    h.commit("P", 20, 22)
    h.get("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)


@case()
def own_uncommitted_messages_are_got_in_no_known_order(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=SYNC)
    h.put("P", "m2", 14, 16, options=SYNC)
    h.get("P", "m2", 17, 18, options=SYNC)
    h.commit("P", 20, 22)
    h.get("C", "m1", 40, 42)


@case()
def put_under_syncpoint_and_then_outside(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=SYNC)
    h.put("P", "m2", 14, 16)
    h.get("C", "m2", 18, 19)
    h.commit("P", 20, 22)
    h.get("C", "m1", 40, 42)


@case()
def backed_out_puts_are_passed_over(h: History) -> None:
    h.starts_empty()
    h.put("P1", "m1", 10, 12, options=SYNC)
    h.backout("P1", 14, 16)
    h.put("P2", "m2", 20, 22)
    h.get("C", "m2", 30, 32)
    h.put("P1", "m1", 33, 34)
    h.get("C", "m1", 40, 42)


@case()
def held_by_a_unit_of_work_that_was_backed_out(h: History) -> None:
    _two_puts(h)
    h.get("C1", "m1", 24, 26, options=SYNC)
    h.get("C2", "m2", 30, 32)
    h.backout("C1", 35, 36)
    h.get("C2", "m1", 40, 42)


@case()
def held_by_an_application_that_died(h: History) -> None:
    _two_puts(h)
    h.get("C1", "m1", 24, 26, options=SYNC)
    h.get("C2", "m2", 30, 32)
    h.get("C2", "m1", 40, 42)


@case("PRI-03 violation")
def a_backout_before_the_other_put(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C1", "m1", 14, 15, options=SYNC)
    h.backout("C1", 16, 17)
    h.put("P", "m2", 20, 22)
    h.get("C2", "m2", 30, 32)
    h.get("C2", "m1", 40, 42)


@case()
def locked_by_a_browse(h: History) -> None:
    _two_puts(h)
    h.browse("C1", "m1", 24, 26, options=MQGMO.BROWSE_FIRST | MQGMO.LOCK)
    h.get("C2", "m2", 30, 32)
    h.get("C1", "m1", 40, 42, options=PLAIN | MQGMO.MSG_UNDER_CURSOR)


@case("PRI-03 violation")
def passed_over_and_only_browsed_afterwards(h: History) -> None:
    _two_puts(h)
    h.get("C", "m2", 30, 32)
    h.browse("C", "m1", 40, 42)


@case()
def a_passed_message_of_unknown_outcome(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, comp_code=None, reason=None)
    h.put("P", "m2", 20, 22)
    h.get("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)


@case()
def an_identifier_that_was_put_twice(h: History) -> None:
    _two_puts(h)
    h.put("P2", "m1", 34, 36)
    h.get("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)


@case("PRI-03 suspicion")
def an_identifier_that_may_stem_from_before_the_log(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 20, 22)
    h.get("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)


@case("PRI-03 violation")
def an_identifier_generated_within_the_log(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 20, 22, options=MIB)
    h.get("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)


@case()
def a_message_from_before_the_log_goes_first(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.get("C", "old", 30, 32)
    h.get("C", "m1", 40, 42)


@case("PRI-03 suspicion", log="incomplete")
def order_in_an_incomplete_log(h: History) -> None:
    _two_puts(h)
    h.get("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)


@case(log="incomplete")
def never_seen_again_in_an_incomplete_log(h: History) -> None:
    _two_puts(h)
    h.get("C", "m2", 30, 32)
    h.disconnect("P", "C", start=50, end=51)


@case("PRI-03 suspicion")
def a_get_without_its_message_may_have_held_the_other(h: History) -> None:
    _two_puts(h)
    h.get("C1", "m1", 24, 26, options=SYNC, msg_id=None)
    h.get("C2", "m2", 30, 32)
    h.backout("C1", 35, 36)
    h.get("C2", "m1", 40, 42)


@case("PRI-03 violation")
def never_seen_again(h: History) -> None:
    _two_puts(h)
    h.get("C", "m2", 30, 32)


@case()
def never_seen_again_but_perhaps_expired(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, expiry=5)
    h.put("P", "m2", 20, 22)
    h.get("C", "m2", 30, 32)


@case()
def the_backlog_at_the_end_of_the_log(h: History) -> None:
    h.starts_empty()
    for number in range(1, 9):
        h.put("P", f"m{number}", 10 * number, 10 * number + 2)
    h.get("C", "m1", 100, 102)
    h.get("C", "m2", 110, 112)


@case()
def priorities_that_were_not_captured(h: History) -> None:
    h.header("queue", MsgDeliverySequence="PRIORITY")
    h.starts_empty()
    h.put("P", "m1", 10, 12, priority=None)
    h.put("P", "m2", 20, 22, priority=None)
    h.get("C", "m2", 30, 32, priority=None)
    h.get("C", "m1", 40, 42, priority=None)


@case("PRI-03 violation")
def one_message_passed_over_many_times_is_one_finding(h: History) -> None:
    _two_puts(h)
    for number in range(3, 9):
        h.put("P", f"m{number}", 10 * number, 10 * number + 2)
    for number in range(2, 9):
        h.get("C", f"m{number}", 100 + 10 * number, 102 + 10 * number)
    h.get("C", "m1", 300, 302)


@case("PRI-03 violation")
def a_swap_is_found_beside_a_message_that_is_never_got(h: History) -> None:
    """Pass over m0 only by gets that also have a better explanation."""
    h.starts_empty()
    h.put("P0", "m0", 1, 2, expiry=10)
    h.put("P", "m1", 2_000_010, 2_000_012)
    h.put("P", "m2", 2_000_020, 2_000_022)
    h.get("C", "m2", 2_000_030, 2_000_032)
    h.get("C", "m1", 2_000_040, 2_000_042)


@case("PRI-03 violation", log="clock")
def clocks_that_differ_less_than_the_calls(h: History) -> None:
    h.starts_empty()
    h.put("P1", "m1", 1000, 1010)
    h.put("P2", "m2", 1200, 1210)
    h.get("C1", "m2", 1400, 1410)
    h.get("C2", "m1", 1600, 1610)


@case(log="clock")
def clocks_that_may_have_swapped_the_puts(h: History) -> None:
    h.starts_empty()
    h.put("P1", "m1", 1000, 1010)
    h.put("P2", "m2", 1100, 1110)
    h.get("C1", "m2", 1400, 1410)
    h.get("C2", "m1", 1600, 1610)


@case(log="clock")
def clocks_that_may_have_swapped_the_gets(h: History) -> None:
    h.starts_empty()
    h.put("P1", "m1", 1000, 1010)
    h.put("P2", "m2", 1200, 1210)
    h.get("C1", "m2", 1400, 1410)
    h.get("C2", "m1", 1500, 1510)


def _limited(h: History, conn: str, message: str, at: int, priority: int) -> None:
    h.put(conn, message, at, at + 2, priority=priority, comp_code=1, reason=MQRC.PRIORITY_EXCEEDS_MAXIMUM)


@case()
def priorities_above_the_highest_one_count_as_that(h: History) -> None:
    h.header("queue", MsgDeliverySequence="PRIORITY")
    h.starts_empty()
    _limited(h, "P", "m1", 10, 4)
    _limited(h, "P", "m2", 20, 5)
    h.get("C", "m1", 30, 32, priority=4)
    h.get("C", "m2", 40, 42, priority=5)


@case()
def a_report_with_the_identifier_of_a_message_put_before(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, expiry=1, report=MQRO.EXPIRATION | MQRO.PASS_MSG_ID)
    h.put("P", "m2", 20, 22)
    h.get("C", "m2", 10_000_000, 10_000_002)
    h.get("C", "m1", 10_000_010, 10_000_012, msg_type=4, feedback=MQFB.EXPIRATION)


@case("PRI-03 violation")
def a_message_whose_report_would_have_had_its_identifier(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, report=MQRO.EXPIRATION | MQRO.PASS_MSG_ID)
    h.put("P", "m2", 20, 22)
    h.get("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)


@case("PRI-03 suspicion", log="zos")
def on_zos_an_index_by_group_may_change_the_order(h: History) -> None:
    _two_puts(h)
    h.get("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)


@case("PRI-03 violation", log="zos")
def on_zos_with_a_known_index(h: History) -> None:
    h.header("queue", IndexType="NONE")
    _two_puts(h)
    h.get("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)


@case(log="zos")
def on_zos_calls_are_in_a_unit_of_work_by_default(h: History) -> None:
    h.header("queue", IndexType="NONE")
    h.starts_empty()
    h.put("P1", "m1", 10, 12, options=0)
    h.put("P2", "m2", 20, 22, options=PLAIN)
    h.get("C", "m2", 30, 32, options=PLAIN)
    h.commit("P1", 35, 36)
    h.get("C", "m1", 40, 42, options=PLAIN)
