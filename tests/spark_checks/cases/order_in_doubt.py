"""Order where times, identifiers or the rest of the log leave it in doubt: PRI-03, PRI-04."""

from __future__ import annotations

from oracle.mqi.constants import MQFB, MQPMO, MQRC, MQRO
from tests.spark_checks.cases import case
from tests.spark_checks.cases.order import two_puts
from tests.spark_checks.histories import PLAIN, SYNC, History

MIB = MQPMO.NO_SYNCPOINT | MQPMO.NEW_MSG_ID


@case("PRI-03 violation")
def passed_over_and_only_browsed_afterwards(h: History) -> None:
    two_puts(h)
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
    two_puts(h)
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


@case("EXP-09 suspicion", "PRI-03 suspicion")
def an_older_one_with_the_identifier_of_one_that_may_have_expired(h: History) -> None:
    h.put("P", "m1", 10, 12, expiry=1)
    h.put("P", "m2", 20, 22, options=MIB)
    h.get("C", "m2", 10_000_030, 10_000_032)
    h.get("C", "m1", 10_000_040, 10_000_042)


@case()
def a_message_from_before_the_log_goes_first(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.get("C", "old", 30, 32)
    h.get("C", "m1", 40, 42)


@case("PRI-03 suspicion", log="incomplete")
def order_in_an_incomplete_log(h: History) -> None:
    two_puts(h)
    h.get("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)


@case(log="incomplete")
def never_seen_again_in_an_incomplete_log(h: History) -> None:
    two_puts(h)
    h.get("C", "m2", 30, 32)
    h.disconnect("P", "C", start=50, end=51)


@case("PRI-03 suspicion")
def a_get_without_its_message_may_have_held_the_other(h: History) -> None:
    two_puts(h)
    h.get("C1", "m1", 24, 26, options=SYNC, msg_id=None)
    h.get("C2", "m2", 30, 32)
    h.backout("C1", 35, 36)
    h.get("C2", "m1", 40, 42)


@case("PRI-03 violation")
def never_seen_again(h: History) -> None:
    two_puts(h)
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
    two_puts(h)
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
    two_puts(h)
    h.get("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)


@case("PRI-03 violation", log="zos")
def on_zos_with_a_known_index(h: History) -> None:
    h.header("queue", IndexType="NONE")
    two_puts(h)
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


@case(log="zos")
def physical_order_is_not_defined_on_a_queue_that_is_indexed_by_group(h: History) -> None:
    h.header("queue", MsgDeliverySequence="FIFO", IndexType="GROUP_ID")
    two_puts(h)
    h.get("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)


@case("PRI-04 violation", log="zos")
def physical_order_is_defined_on_a_queue_that_is_not_indexed(h: History) -> None:
    h.header("queue", MsgDeliverySequence="FIFO", IndexType="NONE")
    two_puts(h)
    h.get("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)


@case()
def returned_before_the_only_put_of_its_identifier(h: History) -> None:
    h.get("C", "m1", 10, 12)
    h.put("P", "m2", 20, 22)
    h.browse("C", "m2", 30, 32)
    h.put("P", "m1", 40, 42)
