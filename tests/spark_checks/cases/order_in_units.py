"""Order of messages that were put or got in units of work, or locked: PRI-03, PRI-04, VIS-03."""

from __future__ import annotations

from oracle.mqi.constants import MQGMO
from tests.spark_checks.cases import case
from tests.spark_checks.cases.order import two_puts
from tests.spark_checks.histories import PLAIN, SYNC, History


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
    two_puts(h)
    h.get("C1", "m1", 24, 26, options=SYNC)
    h.get("C2", "m2", 30, 32)
    h.backout("C1", 35, 36)
    h.get("C2", "m1", 40, 42)


@case()
def held_by_an_application_that_died(h: History) -> None:
    two_puts(h)
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
    two_puts(h)
    h.browse("C1", "m1", 24, 26, options=MQGMO.BROWSE_FIRST | MQGMO.LOCK)
    h.get("C2", "m2", 30, 32)
    h.get("C1", "m1", 40, 42, options=PLAIN | MQGMO.MSG_UNDER_CURSOR)
