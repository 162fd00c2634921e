"""Exclusion: SYN-01, LCK-01, LCK-05, LCK-20, CUR-07, ACT-05, VIS-01, UOW-02."""

from __future__ import annotations

from oracle.mqi.constants import MQGMO, MQMF
from tests.spark_checks.cases import case
from tests.spark_checks.histories import GENERATED, PLAIN, SYNC, History, Record, ident

LOCK_FIRST = MQGMO.BROWSE_FIRST | MQGMO.LOCK
LOCK_NEXT = MQGMO.BROWSE_NEXT | MQGMO.LOCK


@case("SYN-01 violation")
def got_while_another_unit_of_work_holds_it(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.get("D", "m1", 30, 32, options=SYNC)
    h.backout("D", 40, 42)
    h.backout("C", 50, 52)


@case("SYN-01 violation")
def browsed_while_a_unit_of_work_holds_it(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.browse("D", "m1", 30, 32)
    h.commit("C", 50, 52)


@case("SYN-01 violation")
def two_units_of_work_that_hold_it_at_once(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 32, options=SYNC)
    h.get("D", "m1", 22, 34, options=SYNC)
    h.backout("D", 50, 52)
    h.backout("C", 54, 56)


@case("SYN-01 suspicion")
def held_by_a_connection_that_goes_on_with_other_work(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.browse("D", "m1", 30, 32)
    h.nothing("C", 40, 42)


@case()
def perhaps_after_its_getter_died(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.nothing("C", 24, 26)
    h.browse("D", "m1", 30, 32)
    h.call("C", "MQCONN", 40, 42)


@case()
def perhaps_after_the_backout(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.backout("C", 28, 31)
    h.get("D", "m1", 30, 32)


@case()
def perhaps_before_the_get(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("D", "m1", 18, 21)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.commit("C", 50, 52)


@case()
def backed_out_by_the_queue_manager_at_some_time(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.get("D", "m1", 30, 32)
    h.commit("C", 50, 52, comp_code=2, reason=2003)


@case()
def another_message_with_its_identifier(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.put("P", "m1", 14, 16)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.browse("D", "m1", 30, 32)
    h.commit("C", 50, 52)


@case("DLV-02 violation")
def got_twice_in_one_unit_of_work(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.get("C", "m1", 30, 32, options=SYNC)
    h.backout("C", 50, 52)


@case("DLV-02 violation")
def got_twice_in_a_unit_of_work_whose_times_tell_nothing(h: History) -> None:
    h.starts_empty(at=10)
    h.put("C", "m1", 10, 99)
    h.get("C", "m1", 10, 99, options=SYNC)
    h.get("C", "m1", 10, 99, options=SYNC)
    h.backout("C", 10, 99)


@case("SYN-01 violation", log="clock")
def held_beyond_what_clocks_leave_open(h: History) -> None:
    h.starts_empty(at=-1000)
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.get("D", "m1", 130, 132)
    h.backout("C", 240, 242)


@case(log="clock")
def held_within_what_clocks_leave_open(h: History) -> None:
    h.starts_empty(at=-1000)
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.get("D", "m1", 121, 132)
    h.backout("C", 240, 242)


@case(log="incomplete")
def a_backout_may_be_missing(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.get("D", "m1", 30, 32)
    h.backout("C", 50, 52)


@case("LCK-01 violation")
def got_while_locked(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("C", "m1", 20, 22, options=LOCK_FIRST, hobj=5)
    h.get("D", "m1", 30, 32, hobj=6)
    h.call("C", "MQCLOSE", 50, 52, hobj=5)


@case("LCK-20 violation")
def browsed_with_another_handle_of_the_connection_while_locked(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("C", "m1", 20, 22, options=LOCK_FIRST, hobj=5)
    h.browse("C", "m1", 30, 32, hobj=6)
    h.call("C", "MQCLOSE", 50, 52, hobj=5)


@case("LCK-01 violation")
def neither_commit_nor_backout_nor_a_failed_browse_releases_a_lock(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("C", "m1", 20, 22, options=LOCK_FIRST, hobj=5)
    h.commit("C", 23, 24)
    h.backout("C", 25, 26)
    h.nothing("C", 27, 28, options=MQGMO.BROWSE_NEXT, hobj=5, reason=2016)
    h.nothing("C", 29, 30, options=MQGMO.BROWSE_NEXT, hobj=6)
    h.browse("D", "m1", 35, 36, hobj=6)
    h.call("C", "MQCLOSE", 50, 52, hobj=5)


@case("CUR-07 violation")
def a_lock_taken_again_under_the_cursor_is_kept_throughout(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("C", "m1", 20, 22, options=LOCK_FIRST, hobj=5)
    h.browse("C", "m1", 24, 26, options=MQGMO.BROWSE_MSG_UNDER_CURSOR | MQGMO.LOCK, hobj=5)
    h.browse("D", "m1", 30, 32, hobj=6)
    h.call("C", "MQCLOSE", 50, 52, hobj=5)


@case("ACT-05 violation")
def two_waiting_calls_lock_one_message(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("C", "m1", 5, 22, options=LOCK_NEXT | MQGMO.WAIT, wait_ms=1000, hobj=5)
    h.browse("D", "m1", 6, 24, options=LOCK_NEXT | MQGMO.WAIT, wait_ms=1000, hobj=5)
    h.call("C", "MQCLOSE", 50, 52, hobj=5)
    h.call("D", "MQCLOSE", 50, 52, hobj=5)


@case()
def a_lock_leaves_the_message_to_its_handle(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("C", "m1", 20, 22, options=LOCK_FIRST, hobj=5)
    h.browse("C", "m1", 24, 26, options=MQGMO.BROWSE_MSG_UNDER_CURSOR | MQGMO.LOCK, hobj=5)
    h.get("C", "m1", 30, 32, options=PLAIN | MQGMO.MSG_UNDER_CURSOR, hobj=5)


@case()
def what_releases_a_lock(h: History) -> None:
    releases: tuple[Record, ...] = (
        {"options": MQGMO.BROWSE_NEXT, "comp_code": 2, "reason": 2033},
        {"options": MQGMO.BROWSE_NEXT | MQGMO.WAIT, "wait_ms": 10, "comp_code": 2, "reason": 2016},
        {"options": MQGMO.BROWSE_MSG_UNDER_CURSOR},
        {"options": MQGMO.UNLOCK},
        {"options": MQGMO.BROWSE_NEXT},
        {"options": None},
    )
    h.starts_empty()
    for number, release in enumerate(releases):
        at, message = 1000 * number, f"m{number}"
        h.put("P", message, at + 10, at + 12)
        h.browse("C", message, at + 20, at + 22, options=LOCK_FIRST, hobj=number)
        h.call("C", "MQGET", at + 24, at + 26, queue="Q", hobj=number, **release)
        h.get("D", message, at + 30, at + 32)
        h.call("C", "MQCLOSE", at + 50, at + 52, hobj=number)


@case()
def the_end_of_the_locking_handle(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("C", "m1", 20, 22, options=LOCK_FIRST, hobj=5)
    h.call("C", "MQDISC", 24, 26)
    h.browse("D", "m1", 30, 32, options=LOCK_FIRST, hobj=5)
    h.call("D", "MQCLOSE", 34, 36, hobj=5)
    h.browse("E", "m1", 40, 42, options=LOCK_FIRST, hobj=5)
    h.get("F", "m1", 50, 52)


@case()
def a_lock_of_an_unknown_handle(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("C", "m1", 20, 22, options=LOCK_FIRST)
    h.get("D", "m1", 30, 32)
    h.nothing("C", 40, 42)


@case("VIS-01 violation")
def got_before_its_put_was_committed(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=SYNC)
    h.get("C", "m1", 20, 22)
    h.commit("P", 30, 32)


@case("VIS-01 violation")
def browsed_while_its_put_was_uncommitted_and_then_backed_out(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=SYNC)
    h.browse("C", "m1", 20, 22)
    h.backout("P", 30, 32)


@case("UOW-02 violation")
def got_after_its_put_was_backed_out(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=SYNC)
    h.backout("P", 20, 22)
    h.get("C", "m1", 30, 32)


@case("UOW-02 violation")
def got_by_its_putter_after_the_backout(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=SYNC)
    h.backout("P", 20, 22)
    h.get("P", "m1", 30, 32)


@case("VIS-01 suspicion")
def seen_before_a_disconnect_commits_it(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=SYNC)
    h.get("C", "m1", 20, 22)
    h.disconnect("P", start=30, end=32)


@case()
def got_by_its_putter_before_the_commit(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=SYNC)
    h.get("P", "m1", 20, 22, options=SYNC)
    h.commit("P", 30, 32)


@case()
def got_while_its_put_was_being_committed(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=SYNC)
    h.get("C", "m1", 29, 31)
    h.commit("P", 30, 32)


@case()
def a_message_from_before_the_log_may_have_the_identifier(h: History) -> None:
    h.put("P", "m1", 10, 12, options=SYNC)
    h.get("C", "m1", 20, 22)
    h.commit("P", 30, 32)


def _in_two_segments(h: History) -> Record:
    """Put a message in two segments, and return what a call for the whole returns."""
    h.starts_empty()
    first: Record = {"group_id": ident("g"), "msg_seq_number": 1, "offset": 0, "msg_flags": MQMF.SEGMENT, "length": 10}
    last = first | {"offset": 10, "msg_flags": MQMF.SEGMENT | MQMF.LAST_SEGMENT}
    h.put("P", "s1", 10, 12, **first)
    h.put("P", "s2", 14, 16, **last)
    h.browse("C", "s1", 20, 22, hobj=1, **({"options": LOCK_FIRST} | first))
    return {"options": PLAIN | MQGMO.COMPLETE_MSG, **last, "offset": 0, "length": 20}


@case("LCK-05 violation")
def a_whole_of_which_a_segment_is_locked(h: History) -> None:
    whole = _in_two_segments(h)
    h.get("D", "s1", 30, 32, hobj=1, **whole)
    h.call("C", "MQCLOSE", 40, 42, queue="Q", hobj=1, options=0)


@case()
def a_whole_of_which_a_segment_was_locked(h: History) -> None:
    whole = _in_two_segments(h)
    h.call("C", "MQCLOSE", 24, 31, queue="Q", hobj=1, options=0)
    h.get("D", "s1", 30, 32, hobj=1, **whole)


@case("VIS-01 violation")
def got_before_any_end_of_the_unit_of_work_that_put_it(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 22, options=SYNC)
    h.get("C", "m1", 20, 22)


@case("VIS-01 violation")
def browsed_while_its_putter_goes_on_with_other_work(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=SYNC)
    h.browse("C", "m1", 20, 22)
    h.nothing("P", 20, 22)


@case(log="incomplete")
def got_before_any_end_of_a_unit_of_work_in_a_log_that_lacks_calls(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=SYNC)
    h.get("C", "m1", 20, 22)


def _got_before_a_put_was_committed(h: History) -> None:
    h.put("P", "m1", 10, 12, options=SYNC, msg_id=GENERATED)
    h.get("C", "m1", 20, 22, msg_id=GENERATED)
    h.nothing("P", 30, 32)


@case(log="incomplete")
def got_before_a_commit_in_a_log_without_commits(h: History) -> None:
    _got_before_a_put_was_committed(h)


@case(log="incomplete")
def got_before_a_disconnect_in_a_log_without_commits(h: History) -> None:
    _got_before_a_put_was_committed(h)
    h.disconnect("P", start=40, end=42)


@case("VIS-01 suspicion", log="incomplete")
def got_before_a_commit_in_an_incomplete_log(h: History) -> None:
    _got_before_a_put_was_committed(h)
    h.commit("P", 40, 42)


@case(log="incomplete")
def got_again_after_a_backout_in_a_log_without_ends_of_units_of_work(h: History) -> None:
    h.put("P", "m1", 10, 12, msg_id=GENERATED)
    h.get("C", "m1", 20, 22, options=SYNC, msg_id=GENERATED)
    h.get("C", "m1", 30, 32, options=SYNC, msg_id=GENERATED)
    h.get("D", "m1", 40, 42, options=SYNC, msg_id=GENERATED)
    h.disconnect("C", "D", start=50, end=52)


@case(log="zos")
def got_after_its_putter_may_have_ended_without_a_disconnect(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=SYNC)
    h.get("C", "m1", 20, 22)


@case()
def got_after_a_put_of_which_it_is_not_known_whether_it_was_in_a_unit_of_work(h: History) -> None:
    """Have a transaction manager end its units of work: so the log tells, by leaving out the options."""
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=None)
    h.get("C", "m1", 20, 22)


@case()
def got_after_a_commit_of_unknown_outcome(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=SYNC)
    h.call("P", "MQCMIT", 14, 16, comp_code=2, reason=2009)
    h.get("C", "m1", 20, 22)


@case()
def got_after_its_putter_connected_again(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=SYNC)
    h.get("C", "m1", 20, 22)
    h.call("P", "MQCONN", 30, 32)


@case()
def got_by_its_putter_in_a_unit_of_work_without_an_end(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=SYNC)
    h.get("P", "m1", 20, 22, options=SYNC)


@case("DLV-02 violation")
def got_twice_in_a_unit_of_work_without_an_end(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 11, 22, options=SYNC)
    h.get("C", "m1", 24, 26)


@case()
def got_again_after_the_unit_of_work_was_perhaps_backed_out(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 14, 16, options=SYNC)
    h.call("C", "MQGET", 18, 20, queue="Q", options=SYNC, match_options=0, comp_code=2, reason=2003)
    h.get("C", "m1", 24, 26)
