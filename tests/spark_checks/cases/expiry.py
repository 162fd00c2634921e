"""Expiry: CAP-01, EXP-07, EXP-09, EXP-10, EXP-19, EXP-23, EXP-29."""

from __future__ import annotations

from oracle.mqi.constants import MQPMO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import GENERATED, History

SECOND = 1_000_000


@case()
def in_time(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 0, 10, expiry=50)
    h.get("C", "m1", 2 * SECOND, 2 * SECOND + 10, expiry=30)


@case("EXP-09 violation")
def too_late(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 0, 10, expiry=50)
    h.get("C", "m1", 7 * SECOND, 7 * SECOND + 10, expiry=1)


@case("EXP-09 violation")
def browsed_too_late(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 0, 10, expiry=50)
    h.browse("C", "m1", 7 * SECOND, 7 * SECOND + 10, expiry=1)


@case()
def late_within_the_tolerance(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 0, 10, expiry=50)
    h.get("C", "m1", 6 * SECOND, 6 * SECOND + 10, expiry=1)


@case()
def a_long_wait_may_have_ended_in_time(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 0, 10, expiry=50)
    h.get("C", "m1", 2 * SECOND, 9 * SECOND, expiry=1)


@case()
def a_put_that_may_have_been_late(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 0, 4 * SECOND, expiry=50)
    h.get("C", "m1", 7 * SECOND, 7 * SECOND + 10, expiry=20)


@case("EXP-09 violation")
def the_put_time_tells_that_it_was_not(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 0, 4 * SECOND, expiry=50, put_us=0)
    h.get("C", "m1", 7 * SECOND, 7 * SECOND + 10, expiry=20)


@case()
def a_put_time_that_the_application_set_tells_nothing(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 0, 4 * SECOND, expiry=50, put_us=0, options=MQPMO.NO_SYNCPOINT | MQPMO.SET_ALL_CONTEXT)
    h.get("C", "m1", 7 * SECOND, 7 * SECOND + 10, expiry=20)


@case("EXP-09 violation")
def the_commit_does_not_restart_the_clock(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 0, 10, expiry=50, options=MQPMO.SYNCPOINT)
    h.commit("P", 6 * SECOND, 6 * SECOND + 10)
    h.get("C", "m1", 7 * SECOND, 7 * SECOND + 10, expiry=1)


@case()
def one_of_two_with_this_identifier_is_still_alive(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 0, 10, expiry=50)
    h.put("P", "m1", 20, 30, expiry=600)
    h.get("C", "m1", 7 * SECOND, 7 * SECOND + 10, expiry=500)


@case("EXP-09 suspicion")
def another_one_may_have_been_there_before(h: History) -> None:
    h.put("P", "m1", 0, 10, expiry=50)
    h.get("C", "m1", 7 * SECOND, 7 * SECOND + 10, expiry=1)


@case(log="incomplete")
def another_one_may_have_come_by_a_channel(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 0, 10, expiry=50)
    h.get("C", "m1", 7 * SECOND, 7 * SECOND + 10, expiry=1)


@case("EXP-09 suspicion", log="incomplete")
def late_under_a_generated_identifier_in_an_incomplete_log(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 0, 10, expiry=50, msg_id=GENERATED)
    h.get("C", "m1", 7 * SECOND, 7 * SECOND + 10, expiry=1, msg_id=GENERATED)


@case("EXP-07 violation")
def more_left_than_was_given(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 0, 10, expiry=50)
    h.get("C", "m1", 20, 30, expiry=51)


@case("EXP-07 violation")
def not_counted_down(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 0, 10, expiry=600)
    h.get("C", "m1", 10 * SECOND, 10 * SECOND + 10, expiry=600)


@case("EXP-07 violation")
def limited_and_returned_unlimited(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 0, 10, expiry=600)
    h.get("C", "m1", 20, 30, expiry=-1)


@case()
def counted_down_to_the_tolerance(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 0, 10, expiry=600)
    h.get("C", "m1", 10 * SECOND, 10 * SECOND + 10, expiry=510)


def _under_a_cap(h: History, cap: int | None, put: int, got: int, at: int = 20) -> None:
    """Record a message put and got with these values of Expiry, on a queue with this CAPEXPRY if that is known."""
    if cap is not None:
        h.header("queue", CAPEXPRY=cap)
    h.starts_empty()
    h.put("P", "m1", 0, 10, expiry=put)
    h.get("C", "m1", at, at + 10, expiry=got)


@case()
def lowered_by_a_cap(h: History) -> None:
    _under_a_cap(h, cap=100, put=600, got=100)


@case("EXP-07 violation")
def less_left_than_must_be(h: History) -> None:
    _under_a_cap(h, cap=0, put=600, got=480, at=10 * SECOND)


@case()
def counted_down_to_the_tolerance_on_the_other_side(h: History) -> None:
    _under_a_cap(h, cap=0, put=600, got=491, at=10 * SECOND)
    h.put("P", "m2", 20 * SECOND, 20 * SECOND + 10, expiry=600)
    h.get("C", "m2", 21 * SECOND, 30 * SECOND, expiry=500)


@case()
def less_left_by_a_cap_that_is_not_known(h: History) -> None:
    _under_a_cap(h, cap=None, put=600, got=100)


@case("CAP-01 suspicion")
def above_the_cap(h: History) -> None:
    _under_a_cap(h, cap=600, put=900, got=900)


@case()
def unlimited_in_spite_of_the_cap(h: History) -> None:
    _under_a_cap(h, cap=600, put=-1, got=-1)


@case()
def an_expiry_beyond_the_documented_range_is_nobodys_promise(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 0, 10, expiry=1_500_000_000)
    h.get("C", "m1", 20, 30, expiry=-1)


@case("EXP-10 violation", "EXP-10 violation", log="incomplete")
def values_that_no_message_has(h: History) -> None:
    h.get("C", "m1", 20, 30, expiry=0)
    h.browse("C", "m2", 40, 50, expiry=-2)


@case("EXP-19 violation", "EXP-23 violation", log="incomplete")
def values_that_no_put_may_have(h: History) -> None:
    h.put("P", "m1", 20, 30, expiry=0)
    h.put("P", "m2", 40, 50, expiry=-2)


@case(log="incomplete")
def refused_values(h: History) -> None:
    h.put("P", "m1", 20, 30, expiry=0, comp_code=2, reason=2013)
    h.put("P", "m2", 40, 50, expiry=-2, comp_code=2, reason=2013)
    h.put("P", "m3", 60, 70, expiry=0, comp_code=None, reason=None)


@case()
def refused_on_a_transmission_queue(h: History) -> None:
    """Refuse a put that may want a header there, with a valid Expiry in it."""
    h.header("queue", Usage="TRANSMISSION")
    h.put("P", "m1", 20, 30, expiry=50, comp_code=2, reason=2013)


@case("EXP-21 violation")
def refused_on_an_ordinary_queue(h: History) -> None:
    h.header("queue", Usage="NORMAL")
    h.put("P", "m1", 20, 30, expiry=50, comp_code=2, reason=2013)


@case("EXP-29 violation")
def limited_by_itself(h: History) -> None:
    _under_a_cap(h, cap=0, put=-1, got=100)


@case()
def limited_by_itself_or_a_cap_that_is_not_known(h: History) -> None:
    _under_a_cap(h, cap=None, put=-1, got=100)


@case("EXP-29 suspicion")
def limited_by_itself_or_by_the_cap_of_an_alias(h: History) -> None:
    h.header("queue", CAPEXPRY=0)
    h.starts_empty()
    h.put("P", "m1", 0, 10, object_name="ALIAS")
    h.get("C", "m1", 20, 30, expiry=100)


@case("EXP-29 suspicion", log="incomplete")
def limited_by_itself_in_an_incomplete_log(h: History) -> None:
    h.header("queue", CAPEXPRY=0)
    h.put("P", "m1", 0, 10, msg_id=GENERATED)
    h.get("C", "m1", 20, 30, expiry=100, msg_id=GENERATED)


@case(log="incomplete")
def limited_in_a_log_whose_puts_may_show_what_was_passed(h: History) -> None:
    h.put("P", "m1", 0, 10, options=MQPMO.NEW_MSG_ID)
    h.get("C", "m1", 20, 30, expiry=100)


@case()
def limited_by_a_cap(h: History) -> None:
    _under_a_cap(h, cap=600, put=-1, got=100)


@case("EXP-29 suspicion")
def limited_but_perhaps_another_message(h: History) -> None:
    h.header("queue", CAPEXPRY=0)
    h.put("P", "m1", 0, 10)
    h.get("C", "m1", 20, 30, expiry=100)


@case()
def late_after_a_put_that_was_not_awaited(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, expiry=10, response=MQPMO.ASYNC_RESPONSE)
    h.get("C", "m1", 3_000_000, 3_000_002, expiry=1)


@case("EXP-09 suspicion")
def returned_long_after_the_lifetime_that_a_browse_had_shown(h: History) -> None:
    h.browse("C", "m1", 1_000_000, 1_000_020, expiry=20, msg_id=GENERATED)
    h.get("D", "m1", 60_000_000, 60_000_020, expiry=1, msg_id=GENERATED)


@case()
def returned_within_the_lifetime_that_a_browse_had_shown(h: History) -> None:
    h.browse("C", "m1", 1_000_000, 1_000_020, expiry=600, msg_id=GENERATED)
    h.get("D", "m1", 60_000_000, 60_000_020, expiry=10, msg_id=GENERATED)
