"""Order of delivery: PRI-03, PRI-04, VIS-03."""

from __future__ import annotations

from oracle.mqi.constants import MQGMO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import PLAIN, History


def two_puts(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 20, 22)


@case()
def fifo_kept(h: History) -> None:
    two_puts(h)
    h.get("C", "m1", 30, 32)
    h.get("C", "m2", 40, 42)


@case("PRI-03 violation")
def fifo_broken(h: History) -> None:
    two_puts(h)
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
    two_puts(h)
    h.get("C1", "m2", 30, 42)
    h.get("C2", "m1", 40, 44)


@case("PRI-03 violation")
def gets_of_one_connection_that_overlap_follow_its_own_order(h: History) -> None:
    two_puts(h)
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
    two_puts(h)
    h.get("C", "m2", 5, 80, options=PLAIN | MQGMO.WAIT, wait_ms=1000)
    h.get("C", "m1", 90, 92)
