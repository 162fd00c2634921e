"""Calls that definitions forbid: WAI-06, PUT-09, DEP-06."""

from __future__ import annotations

from oracle.mqi.constants import MQGMO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import SYNC, History


@case("WAI-06 violation")
def got_from_an_inhibited_queue(h: History) -> None:
    h.header("queue", InhibitGet=1)
    h.get("C", "m1", 20, 22)


@case("PUT-09 violation")
def put_to_an_inhibited_queue(h: History) -> None:
    h.header("queue", InhibitPut=1)
    h.put("P", "m1", 20, 22)


@case("PUT-09 suspicion", log="incomplete")
def put_to_a_queue_that_was_inhibited_when_looked_at(h: History) -> None:
    h.header("queue", InhibitPut=1)
    h.put("P", "m1", 20, 22)


@case()
def a_queue_that_a_program_may_have_allowed(h: History) -> None:
    h.header("queue", InhibitPut=1, InhibitGet=1)
    h.call("A", "MQSET", 10, 12, queue="Q", hobj=3)
    h.put("P", "m1", 20, 22)
    h.get("C", "m1", 30, 32)


@case("DEP-06 violation")
def put_to_a_full_queue(h: History) -> None:
    h.header("queue", MaxQDepth=2, CAPEXPRY=0)
    for number in range(3):
        h.put("P", f"m{number}", 10 * number + 10, 10 * number + 12)


@case("DEP-06 violation")
def put_to_a_full_queue_of_which_a_message_is_locked(h: History) -> None:
    h.header("queue", MaxQDepth=2, CAPEXPRY=0)
    h.put("P", "m0", 10, 12)
    h.put("P", "m1", 20, 22)
    h.browse("C", "m0", 24, 26, options=MQGMO.BROWSE_FIRST | MQGMO.LOCK, hobj=1)
    h.put("P", "m2", 30, 32)


@case("DEP-06 suspicion")
def put_to_a_full_queue_by_an_alias_that_may_let_messages_expire(h: History) -> None:
    h.header("queue", MaxQDepth=2, CAPEXPRY=0)
    for number in range(3):
        name = "ALIAS" if number == 0 else "Q"
        h.put("P", f"m{number}", 3_000_000 * number + 10, 3_000_000 * number + 12, object_name=name)


@case()
def put_to_a_queue_that_may_have_had_room(h: History) -> None:
    h.header("queue", MaxQDepth=2, CAPEXPRY=0)
    h.put("P", "m0", 10, 12)
    h.put("P", "m1", 20, 22)
    h.get("C", "m0", 31, 40, options=SYNC)
    h.put("P", "m2", 30, 32)
    h.backout("C", 50, 52)


@case()
def put_to_a_queue_whose_messages_may_have_expired(h: History) -> None:
    h.header("queue", MaxQDepth=2, CAPEXPRY=0)
    for number in range(3):
        h.put("P", f"m{number}", 10 * number + 10, 10 * number + 12, expiry=1)


@case()
def put_to_a_queue_whose_cap_lets_messages_expire(h: History) -> None:
    h.header("queue", MaxQDepth=2, CAPEXPRY=10)
    for number in range(3):
        h.put("P", f"m{number}", 3_000_000 * number + 10, 3_000_000 * number + 12)


@case()
def put_to_a_queue_while_other_puts_were_under_way(h: History) -> None:
    h.header("queue", MaxQDepth=2, CAPEXPRY=0)
    h.put("P", "m0", 10, 12)
    h.put("Q", "m1", 20, 42)
    h.put("R", "m2", 40, 44)
    h.get("C", "m0", 10, 99)
