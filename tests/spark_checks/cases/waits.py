"""Waits for nothing: WAI-02."""

from __future__ import annotations

from oracle.constants import MQGMO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import PLAIN, History

WAITING = PLAIN | MQGMO.WAIT


@case("WAI-02 suspicion")
def waited_for_a_message_that_was_there(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 4_900_020, options=WAITING, wait_ms=5000)


@case()
def waited_for_a_message_that_came_meanwhile(h: History) -> None:
    h.put("P", "m1", 30, 32)
    h.get("C", "m1", 20, 4_900_020, options=WAITING, wait_ms=5000)
    h.put("P", "m2", 5_000_000, 5_000_002)
    h.get("C", "m2", 5_000_010, 5_000_310, options=WAITING, wait_ms=100)
    h.put("P", "m3", 6_000_000, 6_000_002)
    h.get("C", "m3", 6_000_010, 6_700_010, options=WAITING, wait_ms=5000)
