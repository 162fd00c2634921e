"""What single calls say of themselves: WAI-01, WAI-09."""

from __future__ import annotations

from oracle.constants import MQGMO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import PLAIN, QUEUE, History

SECOND = 1_000_000
WAITING = {"options": PLAIN | MQGMO.WAIT, "wait_ms": 5000}


@case("WAI-01 violation")
def gave_up_long_before_its_wait_was_over(h: History) -> None:
    h.nothing("C", 10 * SECOND, 12 * SECOND, **WAITING)


@case()
def waited_in_an_interval_longer_than_its_wait(h: History) -> None:
    h.nothing("C", 10 * SECOND, 16 * SECOND, **WAITING)


@case()
def did_not_wait_in_an_interval_that_the_capture_widened(h: History) -> None:
    h.nothing("C", 10 * SECOND, 16 * SECOND, options=PLAIN, wait_ms=5000)
    h.call(
        "C", "MQGET", 20 * SECOND, 26 * SECOND, queue=QUEUE, hobj=3, options=MQGMO.UNLOCK, wait_ms=5000,
        comp_code=1, reason=2209,
    )  # fmt: skip
