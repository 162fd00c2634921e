"""Segments of logical messages that were held as a whole: LCK-03 of locks, SYN-01 of units of work."""

from __future__ import annotations

from typing import Any

from oracle.mqi.constants import MQCC, MQGMO, MQMO, MQRC
from tests.spark_checks.cases import case
from tests.spark_checks.cases.exclusion import LOCK_FIRST
from tests.spark_checks.cases.groups import END, PART, segment
from tests.spark_checks.histories import QUEUE, SYNC, History, ident

LOCK_WHOLE = LOCK_FIRST | MQGMO.COMPLETE_MSG
LAST_ONE = {**segment(10, END), "match_options": MQMO.MATCH_MSG_ID, "sel_msg_id": ident("s2")}


def _held(h: History, options: int, *, length: int = 20, last_length: int = 10) -> None:
    """Put a message in two segments, and have a call hold it as a whole."""
    h.starts_empty()
    h.put("P", "s1", 10, 12, **segment(0, PART))
    h.put("P", "s2", 14, 16, **(segment(10, END) | {"length": last_length}))
    h.get("C", "s1", 20, 22, **(segment(0, END) | {"options": options, "length": length, "hobj": 5}))


def _closed(h: History, start: int) -> None:
    h.call("C", "MQCLOSE", start, start + 2, queue=QUEUE, hobj=5, options=0)


@case("LCK-03 violation")
def a_segment_of_a_message_that_is_locked_as_a_whole(h: History) -> None:
    _held(h, LOCK_WHOLE)
    h.get("D", "s2", 30, 32, hobj=6, **LAST_ONE)
    _closed(h, 40)


@case("LCK-03 violation")
def a_segment_browsed_by_another_handle_of_the_connection_that_locked_the_whole(h: History) -> None:
    _held(h, LOCK_WHOLE)
    h.browse("C", "s2", 30, 32, **(LAST_ONE | {"hobj": 6, "options": MQGMO.BROWSE_FIRST}))
    _closed(h, 40)


@case("SYN-01 violation")
def a_segment_of_a_message_that_a_unit_of_work_holds_as_a_whole(h: History) -> None:
    _held(h, SYNC | MQGMO.COMPLETE_MSG)
    h.get("D", "s2", 30, 32, hobj=6, **LAST_ONE)
    h.backout("C", 40, 42)


@case("SYN-01 suspicion")
def a_segment_of_a_message_that_is_held_until_a_disconnect(h: History) -> None:
    _held(h, SYNC | MQGMO.COMPLETE_MSG)
    h.get("D", "s2", 30, 32, hobj=6, **LAST_ONE)
    h.disconnect("C", start=40, end=42)


@case()
def a_segment_after_the_lock_of_the_whole_has_ended(h: History) -> None:
    _held(h, LOCK_WHOLE)
    _closed(h, 28)
    h.get("D", "s2", 30, 32, hobj=6, **LAST_ONE)


def _locked_again(h: History, options: int, **columns: Any) -> None:
    """Lock a whole message, and then what the cursor is at."""
    _held(h, LOCK_WHOLE)
    again = MQGMO.BROWSE_MSG_UNDER_CURSOR | MQGMO.LOCK | options
    h.browse("C", "s1", 24, 26, **(segment(0, PART) | {"options": again, "hobj": 5} | columns))
    h.get("D", "s2", 30, 32, hobj=6, **LAST_ONE)
    _closed(h, 40)


@case()
def a_segment_beside_the_one_that_was_locked_again(h: History) -> None:
    _locked_again(h, 0)


@case("LCK-03 violation")
def a_segment_of_a_message_that_was_locked_again_as_a_whole(h: History) -> None:
    _locked_again(h, MQGMO.COMPLETE_MSG, **(segment(0, END) | {"length": 20}))


@case("LCK-03 violation")
def a_segment_of_a_locked_message_whose_first_segment_was_too_long_to_be_locked_again(h: History) -> None:
    _locked_again(h, 0, comp_code=MQCC.WARNING, reason=MQRC.TRUNCATED_MSG_FAILED)


@case()
def a_segment_perhaps_after_the_lock_of_the_whole_has_ended(h: History) -> None:
    _held(h, LOCK_WHOLE)
    h.get("D", "s2", 30, 40, hobj=6, **LAST_ONE)
    _closed(h, 40)


@case()
def a_segment_perhaps_before_the_whole_was_locked(h: History) -> None:
    h.starts_empty()
    h.put("P", "s1", 10, 12, **segment(0, PART))
    h.put("P", "s2", 14, 16, **segment(10, END))
    h.browse("D", "s2", 19, 21, **(LAST_ONE | {"hobj": 6, "options": MQGMO.BROWSE_FIRST}))
    h.browse("C", "s1", 20, 22, **(segment(0, END) | {"options": LOCK_WHOLE, "length": 20, "hobj": 5}))
    _closed(h, 40)


@case()
def a_segment_beside_the_only_one_that_is_locked(h: History) -> None:
    h.starts_empty()
    h.put("P", "s1", 10, 12, **segment(0, PART))
    h.put("P", "s2", 14, 16, **segment(10, END))
    h.browse("C", "s1", 20, 22, hobj=5, **({"options": LOCK_FIRST} | segment(0, PART)))
    h.get("D", "s2", 30, 32, hobj=6, **LAST_ONE)
    _closed(h, 40)


@case()
def a_segment_by_the_handle_that_locked_the_whole(h: History) -> None:
    _held(h, LOCK_WHOLE)
    h.get("C", "s2", 30, 32, hobj=5, **LAST_ONE)
    _closed(h, 40)


@case()
def a_segment_without_data_beside_a_whole_that_was_locked_perhaps_before_it_came(h: History) -> None:
    _held(h, LOCK_WHOLE, length=10, last_length=0)
    h.get("D", "s2", 30, 32, hobj=6, **(LAST_ONE | {"length": 0}))
    _closed(h, 40)


@case()
def a_segment_of_a_message_of_which_only_the_beginning_was_locked(h: History) -> None:
    """Have segments with different code pages."""
    h.starts_empty()
    h.put("P", "s1", 10, 12, **segment(0, PART))
    h.put("P", "s2", 14, 16, **segment(10, END))
    h.browse("C", "s1", 20, 22, comp_code=1, reason=2243, hobj=5, **(segment(0, PART) | {"options": LOCK_WHOLE}))
    h.get("D", "s2", 30, 32, hobj=6, **LAST_ONE)
    _closed(h, 40)


def _backed_out_as_a_whole(h: History, end: str = "MQBACK") -> None:
    _held(h, SYNC | MQGMO.COMPLETE_MSG)
    h.call("C", end, 24, 26)


@case("BOC-01 violation")
def a_segment_that_does_not_count_the_backout_of_its_whole(h: History) -> None:
    _backed_out_as_a_whole(h)
    h.get("D", "s2", 30, 32, hobj=6, backout_count=0, **LAST_ONE)


@case()
def a_segment_that_counts_the_backout_of_its_whole(h: History) -> None:
    _backed_out_as_a_whole(h)
    h.get("D", "s2", 30, 32, hobj=6, backout_count=1, **LAST_ONE)


@case()
def a_segment_got_while_the_backout_of_its_whole_was_under_way(h: History) -> None:
    _backed_out_as_a_whole(h)
    h.get("D", "s2", 25, 32, hobj=6, backout_count=0, **LAST_ONE)


@case()
def a_segment_without_data_that_the_whole_may_have_lacked(h: History) -> None:
    _held(h, SYNC | MQGMO.COMPLETE_MSG, length=10, last_length=0)
    h.backout("C", 24, 26)
    h.get("D", "s2", 30, 32, hobj=6, backout_count=0, **(LAST_ONE | {"length": 0}))
