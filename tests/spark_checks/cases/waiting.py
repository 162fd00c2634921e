"""Gets that waited: they took effect no sooner than the message was put that they returned."""

from __future__ import annotations

from oracle.mqi.constants import MQGMO, MQPMO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import PLAIN, SYNC, History

SECOND = 1_000_000
WAITING = {"options": PLAIN | MQGMO.WAIT, "wait_ms": 59_000}


def waits(h: History, message: str, **columns: object) -> None:
    h.get("W", message, 1 * SECOND, 50 * SECOND, **{**WAITING, **columns})


def by_priority(h: History) -> None:
    h.header("queue", MsgDeliverySequence="PRIORITY", CAPEXPRY=0)
    h.starts_empty()


@case("PRI-03 violation")
def passed_over_what_had_come_while_it_waited(h: History) -> None:
    by_priority(h)
    waits(h, "low", priority=1)
    h.put("P", "high", 5 * SECOND, 5 * SECOND + 10, priority=7)
    h.put("P", "low", 50 * SECOND - 20, 50 * SECOND - 10, priority=1)
    h.get("D", "high", 70 * SECOND, 70 * SECOND + 5, priority=7)


@case()
def took_the_low_one_perhaps_before_the_high_one_came(h: History) -> None:
    by_priority(h)
    waits(h, "low", priority=1)
    h.put("P", "low", 4 * SECOND, 50 * SECOND - 10, priority=1)
    h.put("Q", "high", 5 * SECOND, 5 * SECOND + 10, priority=7)
    h.get("D", "high", 70 * SECOND, 70 * SECOND + 5, priority=7)


@case()
def took_what_a_transaction_manager_had_committed_before_the_disconnect(h: History) -> None:
    by_priority(h)
    waits(h, "low", priority=1)
    h.put("R", "low", 2 * SECOND, 2 * SECOND + 10, options=MQPMO.SYNCPOINT, priority=1)
    h.put("P", "high", 5 * SECOND, 5 * SECOND + 10, priority=7)
    h.disconnect("R", start=50 * SECOND - 20, end=50 * SECOND - 10)
    h.get("D", "high", 70 * SECOND, 70 * SECOND + 5, priority=7)


@case("VIS-03 violation")
def passed_over_what_was_committed_while_it_waited(h: History) -> None:
    h.starts_empty()
    waits(h, "m2")
    h.put("P", "m1", 2 * SECOND, 2 * SECOND + 10, options=MQPMO.SYNCPOINT)
    h.put("R", "m2", 3 * SECOND, 3 * SECOND + 10, options=MQPMO.SYNCPOINT)
    h.commit("P", 5 * SECOND, 5 * SECOND + 10)
    h.commit("R", 50 * SECOND - 20, 50 * SECOND - 10)
    h.get("D", "m1", 70 * SECOND, 70 * SECOND + 5)


@case("VIS-04 violation")
def passed_over_what_came_back_while_it_waited(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 1, 9)
    h.get("B", "m1", 10, 20, options=SYNC)
    h.put("R", "m2", 3 * SECOND, 3 * SECOND + 10, options=MQPMO.SYNCPOINT)
    h.get("W", "m2", 4 * SECOND, 50 * SECOND, **WAITING)
    h.backout("B", 5 * SECOND, 5 * SECOND + 10)
    h.commit("R", 50 * SECOND - 20, 50 * SECOND - 10)
    h.get("D", "m1", 70 * SECOND, 70 * SECOND + 5)


def backed_out_while_it_waits(h: History, backout_count: int) -> None:
    h.starts_empty()
    waits(h, "m1", options=SYNC | MQGMO.WAIT, backout_count=backout_count)
    h.put("P", "m1", 2 * SECOND, 2 * SECOND + 10)
    h.get("C", "m1", 3 * SECOND, 3 * SECOND + 10, options=SYNC, backout_count=0)
    h.backout("C", 20 * SECOND, 20 * SECOND + 10)
    h.commit("W", 51 * SECOND, 51 * SECOND + 10)


@case("BOC-01 violation")
def lost_count_of_a_backout_while_it_waited(h: History) -> None:
    backed_out_while_it_waits(h, 0)


@case("BOC-01 violation")
def counted_too_many_backouts_while_it_waited(h: History) -> None:
    backed_out_while_it_waits(h, 3)


@case()
def counted_the_backout_while_it_waited(h: History) -> None:
    backed_out_while_it_waits(h, 1)


def is_passed_by(h: History, *, ends: int, wait_ms: int = 59_000, start: int = 1 * SECOND) -> None:
    h.starts_empty()
    h.nothing("W", start, ends, options=PLAIN | MQGMO.WAIT, wait_ms=wait_ms)
    h.put("P", "m1", 5 * SECOND, 5 * SECOND + 10)
    h.get("C", "m1", 40 * SECOND, 40 * SECOND + 10)


@case("WAI-03 suspicion")
def waited_in_vain_while_a_message_lay_there_for_another_call(h: History) -> None:
    is_passed_by(h, ends=60 * SECOND)


@case()
def waited_for_less_long_than_its_record_is_wide(h: History) -> None:
    is_passed_by(h, ends=118 * SECOND, start=0)


@case()
def waited_in_vain_beside_another_call_that_waited_too(h: History) -> None:
    h.starts_empty()
    h.nothing("W", 1 * SECOND, 60 * SECOND, options=PLAIN | MQGMO.WAIT, wait_ms=59_000)
    h.get("C", "m1", 2 * SECOND, 40 * SECOND + 10, **WAITING)
    h.put("P", "m1", 5 * SECOND, 40 * SECOND)


@case()
def another_call_held_the_message_while_it_waited(h: History) -> None:
    h.starts_empty()
    h.nothing("W", 1 * SECOND, 60 * SECOND, options=PLAIN | MQGMO.WAIT, wait_ms=59_000)
    h.put("P", "m1", 5 * SECOND, 5 * SECOND + 10)
    h.get("C", "m1", 5 * SECOND + 20, 5 * SECOND + 30, options=SYNC)
    h.backout("C", 39 * SECOND, 39 * SECOND + 10)
    h.get("D", "m1", 40 * SECOND, 40 * SECOND + 10, backout_count=1)


def comes_in_a_wait(h: History, *, wait_ms: int, at: int, committed: int | None = None) -> None:
    """Record a wait from 0 on that ends in vain, and a put whose message is got afterwards."""
    h.starts_empty(at=-1000)
    h.nothing("W", 0, 1000 * wait_ms + 200, options=PLAIN | MQGMO.WAIT, wait_ms=wait_ms)
    h.put("P", "m1", at, at + 10, options=PLAIN if committed is None else MQPMO.SYNCPOINT)
    if committed is not None:
        h.commit("P", committed, committed + 10)
    h.get("D", "m1", 1000 * wait_ms + 500, 1000 * wait_ms + 510)


@case("WAI-03 violation")
def waited_half_a_second_in_vain_for_what_came_at_its_beginning(h: History) -> None:
    comes_in_a_wait(h, wait_ms=500, at=100_000)


@case("WAI-03 violation")
def waited_a_tenth_of_a_second_in_vain_for_what_came_at_its_beginning(h: History) -> None:
    comes_in_a_wait(h, wait_ms=100, at=20_000)


@case("WAI-03 violation")
def waited_two_seconds_in_vain_for_what_was_committed_in_good_time(h: History) -> None:
    comes_in_a_wait(h, wait_ms=2_000, at=100_000, committed=1_700_000)


@case()
def waited_half_a_second_in_vain_for_what_came_as_it_ended(h: History) -> None:
    comes_in_a_wait(h, wait_ms=500, at=450_000)


@case()
def waited_two_seconds_in_vain_for_what_was_committed_as_it_ended(h: History) -> None:
    comes_in_a_wait(h, wait_ms=2_000, at=100_000, committed=1_950_000)


@case()
def waited_a_minute_in_vain_for_what_came_in_its_last_second(h: History) -> None:
    comes_in_a_wait(h, wait_ms=60_000, at=59_500_000)


@case(log="clock")
def waited_less_than_the_clocks_differ_in_vain(h: History) -> None:
    comes_in_a_wait(h, wait_ms=1, at=410)


@case("WAI-03 violation", log="clock")
def waited_in_vain_for_what_came_earlier_than_the_clocks_differ(h: History) -> None:
    comes_in_a_wait(h, wait_ms=1, at=150)


@case()
def asked_to_wait_for_no_time(h: History) -> None:
    comes_in_a_wait(h, wait_ms=0, at=100)


@case()
def waited_an_unknown_time(h: History) -> None:
    h.starts_empty(at=-1000)
    h.nothing("W", 0, 500_000, options=PLAIN | MQGMO.WAIT, wait_ms=None)
    h.put("P", "m1", 100_000, 100_010)
    h.get("D", "m1", 700_000, 700_010)
