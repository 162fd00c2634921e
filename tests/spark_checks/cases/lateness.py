"""Calls that waited on although a message was there: WAI-02, WAI-03."""

from __future__ import annotations

from oracle.constants import MQGMO, MQPMO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import PLAIN, History

SECOND = 1_000_000
WAITING = {"options": PLAIN | MQGMO.WAIT, "wait_ms": 30_000}


@case("WAI-02 suspicion")
def waited_for_a_message_that_was_there(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 1 * SECOND, 1 * SECOND + 10)
    h.get("C", "m1", 2 * SECOND, 12 * SECOND, **WAITING)


@case("WAI-02 suspicion", log="incomplete")
def waited_for_a_message_that_was_there_for_all_one_knows(h: History) -> None:
    h.put("P", "m1", 1 * SECOND, 1 * SECOND + 10)
    h.get("C", "m1", 2 * SECOND, 12 * SECOND, **WAITING)


@case("WAI-03 suspicion")
def slept_on_after_a_message_had_come(h: History) -> None:
    h.starts_empty()
    h.get("C", "m1", 2 * SECOND, 12 * SECOND, **WAITING)
    h.put("P", "m1", 3 * SECOND, 3 * SECOND + 10)


@case("WAI-03 suspicion")
def slept_on_after_a_message_had_been_committed(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 1 * SECOND, 1 * SECOND + 10, options=MQPMO.SYNCPOINT)
    h.get("C", "m1", 2 * SECOND, 12 * SECOND, **WAITING)
    h.commit("P", 3 * SECOND, 3 * SECOND + 10)


@case("WAI-02 suspicion")
def browsed_after_a_wait_what_was_there(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 1 * SECOND, 1 * SECOND + 10)
    h.browse("C", "m1", 2 * SECOND, 12 * SECOND, options=MQGMO.BROWSE_FIRST | MQGMO.WAIT, wait_ms=30_000)


@case()
def woke_when_the_message_came(h: History) -> None:
    h.starts_empty()
    h.get("C", "m1", 2 * SECOND, 12 * SECOND, **WAITING)
    h.put("P", "m1", 10 * SECOND, 10 * SECOND + 10)


@case()
def woke_when_the_message_was_committed(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 1 * SECOND, 1 * SECOND + 10, options=MQPMO.SYNCPOINT)
    h.get("C", "m1", 2 * SECOND, 12 * SECOND, **WAITING)
    h.commit("P", 11 * SECOND, 11 * SECOND + 10)


@case()
def was_slow_without_a_wait(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 1 * SECOND, 1 * SECOND + 10)
    h.get("C", "m1", 2 * SECOND, 12 * SECOND)


@case()
def was_to_wait_for_another_message_until_the_handle_came_back_to_it(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 1 * SECOND, 1 * SECOND + 10)
    h.browse("C", "m1", 2 * SECOND, 12 * SECOND, options=MQGMO.BROWSE_NEXT | MQGMO.WAIT, wait_ms=30_000)


@case()
def another_call_had_the_message_meanwhile(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 1 * SECOND, 1 * SECOND + 10)
    h.get("D", "m1", 1 * SECOND + 20, 1 * SECOND + 30, options=MQGMO.SYNCPOINT)
    h.get("C", "m1", 2 * SECOND, 12 * SECOND, **WAITING, backout_count=1)
    h.backout("D", 11 * SECOND, 11 * SECOND + 10)


@case()
def another_call_got_the_message_while_this_one_waited(h: History) -> None:
    h.starts_empty()
    h.get("C", "m1", 2 * SECOND, 12 * SECOND, **WAITING, backout_count=1)
    h.put("P", "m1", 3 * SECOND, 3 * SECOND + 10)
    h.get("D", "m1", 3 * SECOND + 5, 3 * SECOND + 30, options=MQGMO.SYNCPOINT)
    h.backout("D", 11 * SECOND, 11 * SECOND + 10)


@case()
def the_message_was_on_another_queue_first(h: History) -> None:
    h.put("P", "m1", 1 * SECOND, 1 * SECOND + 10, object_name="REMOTE")
    h.get("C", "m1", 2 * SECOND, 12 * SECOND, **WAITING)
