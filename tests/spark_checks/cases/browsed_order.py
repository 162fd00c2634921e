"""Order on queues that someone browses, of messages from before the log, and of complete messages."""

from __future__ import annotations

from oracle.mqi.constants import MQGMO, MQMF, MQPMO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import History


def _two_puts(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 20, 22)


@case("PRI-03 violation")
def fifo_broken_though_the_first_one_was_browsed_in_between(h: History) -> None:
    _two_puts(h)
    h.browse("D", "m1", 24, 26)
    h.get("C", "m2", 30, 32)
    h.browse("D", "m1", 34, 36)
    h.get("C", "m1", 40, 42)


@case("PRI-03 violation")
def a_lower_priority_beside_a_browse_of_the_higher_one(h: History) -> None:
    h.header("queue", MsgDeliverySequence="PRIORITY")
    h.starts_empty()
    h.put("P", "low", 10, 12, priority=2)
    h.put("P", "high", 20, 22, priority=7)
    h.browse("D", "high", 28, 35, priority=7)
    h.get("C", "low", 30, 32, priority=2)
    h.get("C", "high", 40, 42, priority=7)


@case("BRW-03 violation")
def the_second_one_browsed_and_locked_first(h: History) -> None:
    _two_puts(h)
    h.browse("C", "m2", 30, 32, options=MQGMO.BROWSE_FIRST | MQGMO.LOCK)
    h.get("D", "m1", 40, 42)


@case()
def the_second_one_browsed_and_locked_while_the_first_one_is_locked(h: History) -> None:
    _two_puts(h)
    h.browse("D", "m1", 24, 26, options=MQGMO.BROWSE_FIRST | MQGMO.LOCK)
    h.browse("C", "m2", 30, 32, options=MQGMO.BROWSE_FIRST | MQGMO.LOCK)
    h.get("D", "m1", 40, 42)


@case("PRI-03 violation")
def one_from_before_the_log_passed_over(h: History) -> None:
    h.browse("B", "old", 5, 6)
    h.put("P", "m1", 10, 12, options=MQPMO.NO_SYNCPOINT | MQPMO.NEW_MSG_ID)
    h.get("C", "m1", 20, 22)
    h.get("C", "old", 30, 32)


@case()
def one_from_before_the_log_that_was_got_first(h: History) -> None:
    h.browse("B", "old", 5, 6)
    h.put("P", "m1", 10, 12, options=MQPMO.NO_SYNCPOINT | MQPMO.NEW_MSG_ID)
    h.get("C", "old", 20, 22)
    h.get("C", "m1", 30, 32)


@case("PRI-03 violation")
def the_second_complete_message_first(h: History) -> None:
    _two_puts(h)
    h.get("C", "m2", 30, 32, options=MQGMO.COMPLETE_MSG | MQGMO.NO_SYNCPOINT)
    h.get("C", "m1", 40, 42)


@case()
def a_complete_message_of_segments_first(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 20, 22, msg_flags=MQMF.SEGMENT | MQMF.LAST_SEGMENT)
    h.get("C", "m2", 30, 32, options=MQGMO.COMPLETE_MSG | MQGMO.NO_SYNCPOINT)
    h.get("C", "m1", 40, 42)
