"""Places of messages that come back: VIS-04, and the rules of order for messages that were locked."""

from __future__ import annotations

from oracle.mqi.constants import MQGMO, MQMO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import SYNC, History, ident


def _two_puts(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 20, 22)


@case()
def backed_out_and_got_first(h: History) -> None:
    _two_puts(h)
    h.get("D", "m1", 24, 25, options=SYNC)
    h.backout("D", 26, 27)
    h.get("C", "m1", 30, 32)
    h.get("C", "m2", 40, 42)


@case("VIS-04 violation")
def backed_out_to_the_end_of_the_queue(h: History) -> None:
    _two_puts(h)
    h.get("D", "m1", 24, 25, options=SYNC)
    h.backout("D", 26, 27)
    h.get("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)


@case("VIS-04 violation")
def backed_out_and_passed_over_before_it_was_lost_to_view(h: History) -> None:
    _two_puts(h)
    h.get("D", "m1", 24, 25, options=SYNC)
    h.backout("D", 26, 27)
    h.get("C", "m2", 30, 32)


@case("BRW-03 violation")
def backed_out_and_passed_over_by_a_browse(h: History) -> None:
    _two_puts(h)
    h.get("D", "m1", 24, 25, options=SYNC)
    h.backout("D", 26, 27)
    h.browse("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)


@case()
def backed_out_perhaps_after_the_get(h: History) -> None:
    _two_puts(h)
    h.get("D", "m1", 24, 25, options=SYNC)
    h.backout("D", 26, 31)
    h.get("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)


@case()
def a_later_one_backed_out(h: History) -> None:
    _two_puts(h)
    h.put("P", "m3", 23, 24)
    h.get("D", "m1", 25, 26)
    h.get("D", "m2", 27, 28, options=SYNC)
    h.backout("D", 29, 30)
    h.get("C", "m2", 31, 32)
    h.get("C", "m3", 40, 42)


@case()
def backed_out_with_its_place_unknown(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 22)
    h.put("Q", "m2", 20, 22)
    h.get("D", "m1", 24, 25, options=SYNC)
    h.backout("D", 26, 27)
    h.get("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)


@case()
def backed_out_on_a_queue_by_priority(h: History) -> None:
    h.header("queue", MsgDeliverySequence="PRIORITY")
    h.starts_empty()
    h.put("P", "low", 10, 12, priority=2)
    h.put("P", "high", 20, 22, priority=7)
    h.get("D", "low", 24, 25, priority=2, match_options=MQMO.MATCH_MSG_ID, sel_msg_id=ident("low"), options=SYNC)
    h.backout("D", 26, 27)
    h.get("C", "high", 30, 32, priority=7)
    h.get("C", "low", 40, 42, priority=2)


@case("PRI-03 violation")
def unlocked_and_passed_over(h: History) -> None:
    _two_puts(h)
    h.browse("D", "m1", 24, 25, options=MQGMO.BROWSE_FIRST | MQGMO.LOCK, hobj=1)
    h.call("D", "MQGET", 26, 27, queue="Q", hobj=1, options=MQGMO.UNLOCK)
    h.get("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)


@case("VIS-04 suspicion", log="incomplete")
def backed_out_to_the_end_of_the_queue_in_an_incomplete_log(h: History) -> None:
    _two_puts(h)
    h.get("D", "m1", 24, 25, options=SYNC)
    h.backout("D", 26, 27)
    h.get("C", "m2", 30, 32)
    h.get("C", "m1", 40, 42)
