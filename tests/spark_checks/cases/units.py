"""Calls that an open unit of work forbids: SEG-07, CMP-10, MSB-06; and what MARK_SKIP_BACKOUT leaves open."""

from __future__ import annotations

from oracle.mqi.constants import MQGMO, MQMF
from tests.spark_checks.cases import case
from tests.spark_checks.histories import PLAIN, SYNC, History, ident

LONG = {"msg_flags": MQMF.SEGMENTATION_ALLOWED, "length": 100, "group_id": ident("g")}
FIRST = {"msg_flags": MQMF.SEGMENT, "group_id": ident("g"), "msg_seq_number": 1, "offset": 0, "length": 10}
LAST = FIRST | {"msg_flags": MQMF.LAST_SEGMENT, "offset": 10}
WHOLE = FIRST | {"msg_flags": MQMF.SEGMENT | MQMF.LAST_SEGMENT, "length": 20}
MARKED = SYNC | MQGMO.MARK_SKIP_BACKOUT


@case("SEG-07 violation")
def split_outside_a_unit_of_work_that_is_open(h: History) -> None:
    h.header("queue", MaxMsgLength=64)
    h.put("P", "m1", 10, 12, options=2)
    h.put("P", "m2", 20, 22, **LONG)
    h.commit("P", 30, 32)


@case()
def split_where_the_limit_is_zero(h: History) -> None:
    h.header("queue", MaxMsgLength=0)
    h.put("P", "m1", 10, 12, options=2)
    h.put("P", "m2", 20, 22, **LONG)
    h.commit("P", 30, 32)


@case("SEG-07 suspicion", log="incomplete")
def split_in_an_incomplete_log(h: History) -> None:
    h.header("queue", MaxMsgLength=64)
    h.put("P", "m1", 10, 12, options=2)
    h.put("P", "m2", 20, 22, **LONG)
    h.commit("P", 30, 32)


@case()
def split_where_no_unit_of_work_is_open(h: History) -> None:
    h.header("queue", MaxMsgLength=64)
    h.put("P", "m1", 10, 12, options=2)
    h.commit("P", 14, 16)
    h.put("P", "m2", 20, 22, **LONG)
    h.put("Q", "m3", 20, 22, options=2)
    h.put("P", "m4", 24, 26, **(LONG | {"length": 64}))
    h.put("P", "m5", 30, 32, options=2, **LONG)
    h.put("P", "m6", 34, 36, options=2)
    h.call("P", "MQDISC", 40, 42)
    h.commit("Q", 40, 42)


def _put_together(h: History) -> None:
    h.starts_empty()
    h.put("P", "s1", 10, 12, **FIRST)
    h.put("P", "s2", 14, 16, **LAST)
    h.put("P", "m1", 18, 19)


@case("CMP-10 violation")
def put_together_outside_a_unit_of_work_that_is_open(h: History) -> None:
    _put_together(h)
    h.get("C", "m1", 20, 22, options=SYNC | MQGMO.LOGICAL_ORDER)
    h.get("C", "s1", 30, 32, options=PLAIN | MQGMO.COMPLETE_MSG, **WHOLE)
    h.commit("C", 40, 42)


@case()
def put_together_where_it_may_be(h: History) -> None:
    _put_together(h)
    h.get("C", "m1", 20, 22, options=SYNC | MQGMO.LOGICAL_ORDER)
    h.commit("C", 24, 26)
    h.get("C", "s1", 30, 32, options=PLAIN | MQGMO.COMPLETE_MSG, **WHOLE)


@case("MSB-06 violation", log="zos")
def two_gets_that_skip_backout(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 14, 16)
    h.get("C", "m1", 20, 22, options=MARKED)
    h.get("C", "m2", 30, 32, options=MARKED)
    h.commit("C", 40, 42)


@case(log="zos")
def gets_that_skip_backout_in_two_units_of_work(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 14, 16)
    h.get("C", "m1", 20, 22, options=MARKED)
    h.commit("C", 24, 26)
    h.get("C", "m2", 30, 32, options=MARKED)
    h.commit("C", 40, 42)


@case(log="zos")
def the_depth_with_a_message_whose_get_skips_the_backout_of_its_put(h: History) -> None:
    """Put a message, and take it by MARK_SKIP_BACKOUT into the next unit of work, which does not end (AMB-102)."""
    h.starts_empty()
    h.header("depth", at_us=100, depth=1)
    h.put("P", "m1", 10, 12, options=2, report=0)
    h.get("P", "m1", 20, 22, options=MARKED)
    h.backout("P", 24, 26)
    h.put("P", "m2", 40, 42, options=4, report=0)
    h.get("C", "m2", 50, 52)


def _skipped_and_backed_out(h: History, count: int) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=MARKED)
    h.backout("C", 24, 26)
    h.backout("C", 30, 32)
    h.get("D", "m1", 40, 42, backout_count=count)


@case(log="zos")
def a_backout_that_was_skipped_and_counts(h: History) -> None:
    _skipped_and_backed_out(h, 2)


@case("BOC-01 violation", log="zos")
def a_backout_more_than_the_skipped_one_and_the_next(h: History) -> None:
    _skipped_and_backed_out(h, 3)
