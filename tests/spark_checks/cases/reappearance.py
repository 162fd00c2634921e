"""Available again, and not found: SYN-03, SIP-01, BRW-02, TRN-05, CMP-04, LCK-09 to LCK-16.

While a call waited: WAI-03, ACT-01, ACT-02, LCK-21.
"""

from __future__ import annotations

from oracle.mqi.constants import MQGMO, MQMF, MQRC
from tests.spark_checks.cases import case
from tests.spark_checks.histories import PLAIN, SYNC, History

LOCK_FIRST = MQGMO.BROWSE_FIRST | MQGMO.LOCK
WAITS = PLAIN | MQGMO.WAIT
SECOND = 1_000_000


@case("SYN-03 violation")
def not_there_again_after_a_backout(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 14, 16, options=SYNC)
    h.backout("C", 17, 18)
    h.nothing("C", 20, 22)


@case("SIP-01 violation")
def a_persistent_message_got_if_persistent_comes_back(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 14, 16, options=MQGMO.SYNCPOINT_IF_PERSISTENT)
    h.backout("C", 17, 18)
    h.nothing("C", 20, 22)
    h.get("C", "m1", 30, 32)


@case("BRW-02 violation")
def gone_after_a_browse(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.browse("D", "m1", 14, 16)
    h.nothing("C", 20, 22)


@case("TRN-05 violation")
def gone_after_a_truncated_get(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.get("D", "m1", 14, 16, comp_code=1, reason=2080)
    h.nothing("C", 20, 22)


@case("CMP-04 violation")
def gone_after_a_whole_that_did_not_fit(h: History) -> None:
    h.put("P", "m1", 10, 12, length=100)
    whole = {"options": PLAIN | MQGMO.COMPLETE_MSG, "length": 100, "buffer_length": 10}
    h.get("D", "m1", 14, 16, comp_code=1, reason=2080, **whole)
    h.nothing("C", 20, 22)


@case()
def still_there_after_a_whole_that_did_not_fit(h: History) -> None:
    h.put("P", "m1", 10, 12, length=100)
    whole = {"options": PLAIN | MQGMO.COMPLETE_MSG, "length": 100, "buffer_length": 10}
    h.get("D", "m1", 14, 16, comp_code=1, reason=2080, **whole)
    h.get("C", "m1", 20, 22, length=100)
    h.nothing("C", 30, 32)


def _unlocked(h: History, **release: object) -> None:
    h.put("P", "m1", 10, 12)
    h.browse("D", "m1", 14, 16, options=LOCK_FIRST, hobj=5)
    h.call("D", "MQGET", 17, 18, **({"queue": "Q", "hobj": 5} | release))
    h.nothing("C", 20, 22)
    h.get("C", "m1", 30, 32)


@case("LCK-12 violation")
def unlocked_by_a_browse_that_found_nothing(h: History) -> None:
    _unlocked(h, options=MQGMO.BROWSE_NEXT, comp_code=2, reason=2033)


@case("LCK-15 violation")
def unlocked(h: History) -> None:
    _unlocked(h, options=MQGMO.UNLOCK)


@case("LCK-14 violation")
def unlocked_by_a_browse_under_the_cursor(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.browse("D", "m1", 14, 16, options=LOCK_FIRST, hobj=5)
    h.browse("D", "m1", 17, 18, options=MQGMO.BROWSE_MSG_UNDER_CURSOR, hobj=5)
    h.nothing("C", 20, 22)
    h.get("C", "m1", 30, 32)


def _unlocked_by_one_that_cannot_be_converted(h: History, **browsed: int) -> None:
    h.put("P", "m1", 10, 12)
    h.browse("D", "m1", 14, 16, options=LOCK_FIRST, hobj=5)
    h.put("P", "m2", 17, 18)
    options = MQGMO.BROWSE_NEXT | MQGMO.LOCK | MQGMO.CONVERT
    h.browse("D", "m2", 19, 20, options=options, hobj=5, comp_code=1, reason=MQRC.FORMAT_ERROR, **browsed)
    h.nothing("C", 30, 32)
    h.call("D", "MQCLOSE", 40, 42, hobj=5)
    h.get("C", "m1", 50, 52)


@case("LCK-09 violation")
def unlocked_by_the_next_browse_though_that_cannot_be_converted(h: History) -> None:
    _unlocked_by_one_that_cannot_be_converted(h, length=8, buffer_length=10)


@case()
def perhaps_not_unlocked_by_the_next_browse_whose_buffer_is_too_small(h: History) -> None:
    _unlocked_by_one_that_cannot_be_converted(h, length=8, buffer_length=4)


@case("LCK-09 violation")
def unlocked_by_the_next_browse(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.browse("D", "m1", 14, 16, options=LOCK_FIRST, hobj=5)
    h.put("P", "m2", 17, 18)
    h.browse("D", "m2", 19, 20, options=MQGMO.BROWSE_NEXT | MQGMO.LOCK, hobj=5)
    h.nothing("C", 30, 32)
    h.call("D", "MQCLOSE", 40, 42, hobj=5)
    h.get("C", "m1", 50, 52)


@case("LCK-16 violation")
def unlocked_by_the_close(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.browse("D", "m1", 14, 16, options=LOCK_FIRST, hobj=5)
    h.call("D", "MQCLOSE", 17, 18, hobj=5)
    h.nothing("C", 20, 22)


@case()
def still_locked_as_far_as_the_log_tells(h: History) -> None:
    _unlocked(h, options=MQGMO.BROWSE_NEXT, comp_code=1, reason=2080, msg_id="ab" * 24)
    h.call("D", "MQCLOSE", 40, 42, hobj=5)


@case("WAI-03 violation")
def a_message_that_came_during_the_wait(h: History) -> None:
    h.nothing("C", 20, 5 * SECOND + 30, options=WAITS, wait_ms=5000)
    h.put("P", "m1", 2 * SECOND, 2 * SECOND + 5)
    h.get("C", "m1", 6 * SECOND, 6 * SECOND + 5)


@case("WAI-03 violation")
def a_message_that_came_during_the_wait_and_is_lost(h: History) -> None:
    h.nothing("C", 20, 5 * SECOND + 30, options=WAITS, wait_ms=5000)
    h.put("P", "m1", 2 * SECOND, 2 * SECOND + 5)


@case("ACT-02 violation")
def a_message_that_came_while_a_browse_waited(h: History) -> None:
    options = MQGMO.BROWSE_FIRST | MQGMO.WAIT
    h.nothing("C", 20, 5 * SECOND + 30, options=options, wait_ms=5000)
    h.put("P", "m1", 2 * SECOND, 2 * SECOND + 5)
    h.get("C", "m1", 6 * SECOND, 6 * SECOND + 5)


@case("LCK-21 violation")
def a_message_that_was_unlocked_during_the_wait(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.browse("D", "m1", 14, 16, options=LOCK_FIRST, hobj=5)
    h.nothing("C", 20, 5 * SECOND + 30, options=WAITS, wait_ms=5000)
    h.call("D", "MQCLOSE", 2 * SECOND, 2 * SECOND + 5, hobj=5)
    h.get("C", "m1", 6 * SECOND, 6 * SECOND + 5)


@case()
def a_message_that_came_as_the_wait_ended(h: History) -> None:
    h.nothing("C", 20, 5 * SECOND + 30, options=WAITS, wait_ms=5000)
    h.put("P", "m1", 5 * SECOND - 1000, 5 * SECOND - 995)
    h.get("C", "m1", 6 * SECOND, 6 * SECOND + 5)


@case()
def a_message_that_came_during_the_wait_and_went(h: History) -> None:
    h.nothing("C", 20, 5 * SECOND + 30, options=WAITS, wait_ms=5000)
    h.put("P", "m1", 2 * SECOND, 2 * SECOND + 5)
    h.get("D", "m1", 2 * SECOND + 10, 2 * SECOND + 15)


@case()
def a_call_that_took_long_but_did_not_wait(h: History) -> None:
    h.nothing("C", 20, 5 * SECOND + 30)
    h.put("P", "m1", 2 * SECOND, 2 * SECOND + 5)
    h.get("C", "m1", 6 * SECOND, 6 * SECOND + 5)


@case()
def a_segment_that_another_call_may_have_held_unnamed(h: History) -> None:
    h.put("P", "s1", 10, 11, msg_flags=MQMF.SEGMENT)
    h.put("P", "s2", 12, 13, msg_flags=MQMF.SEGMENT | MQMF.LAST_SEGMENT)
    h.get("D", "s1", 14, 16, options=SYNC | MQGMO.COMPLETE_MSG)
    h.nothing("C", 20, 22)
    h.backout("D", 24, 26)
    h.get("C", "s1", 30, 32)
    h.get("C", "s2", 34, 36)


@case("ACT-01 violation")
def one_message_for_two_that_waited(h: History) -> None:
    h.starts_empty()
    h.get("C", "m1", 5, 32, options=WAITS, wait_ms=1000)
    h.get("D", "m1", 6, 30, options=WAITS, wait_ms=1000)
    h.put("P", "m1", 10, 12)
