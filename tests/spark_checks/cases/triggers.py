"""Trigger messages: TRG-01, TRI-06."""

from __future__ import annotations

from oracle.mqi.layouts import MQTM
from tests.spark_checks.cases import case
from tests.spark_checks.histories import History

TRIGGER = {"format": "MQTRIG", "length": MQTM.length(1)}
WRONG = {"format": "MQTRIG", "length": 10, "expiry": 6000}


@case("TRG-01 violation", "TRI-06 violation")
def a_generated_trigger_message_that_is_wrong(h: History) -> None:
    h.starts_empty()
    h.get("D", "t1", 10, 12, **WRONG)


@case("TRG-01 suspicion", "TRI-06 suspicion")
def a_trigger_message_that_may_be_from_before_the_log(h: History) -> None:
    h.get("D", "t1", 10, 12, **WRONG)


@case("TRG-01 suspicion", "TRI-06 suspicion", log="incomplete")
def a_trigger_message_whose_put_may_be_missing(h: History) -> None:
    h.starts_empty()
    h.get("D", "t1", 10, 12, **WRONG)


@case()
def a_generated_trigger_message(h: History) -> None:
    h.starts_empty()
    h.get("D", "t1", 10, 12, **TRIGGER)


@case()
def a_trigger_message_that_an_application_put(h: History) -> None:
    h.starts_empty()
    h.put("P", "t1", 10, 12, **WRONG)
    h.get("D", "t1", 20, 22, **WRONG)


@case(log="incomplete")
def a_trigger_message_that_an_application_put_in_an_incomplete_log(h: History) -> None:
    h.put("P", "t1", 10, 12, **WRONG)
    h.get("D", "t1", 20, 22, **WRONG)


@case("TRG-01 suspicion")
def a_trigger_message_whose_expiry_the_queue_limits(h: History) -> None:
    h.starts_empty()
    h.header("queue", CAPEXPRY=600)
    h.get("D", "t1", 10, 12, **(TRIGGER | {"expiry": 600}))
