"""Handles that are closed, or that their connection never opened: CON-02, CON-03, OPN-16."""

from __future__ import annotations

from typing import Any

from oracle.mqi.constants import MQMF, MQOO, MQPMO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import QUEUE, History

MANAGED = "SYSTEM.MANAGED.NDURABLE.5F3A"


def _opened_and_closed(h: History, options: int = MQOO.OUTPUT) -> None:
    h.call("C", "MQCONN", 1, 2)
    h.open("C", 3, 4, options, hobj=2)
    h.call("C", "MQCLOSE", 5, 6, hobj=2, queue=QUEUE, options=0)


@case("CON-02 violation")
def put_with_a_closed_handle(h: History) -> None:
    _opened_and_closed(h)
    h.put("C", "m1", 10, 12, hobj=2)


@case("CON-02 suspicion", log="incomplete")
def put_with_a_handle_that_may_be_open_again(h: History) -> None:
    _opened_and_closed(h)
    h.put("C", "m1", 10, 12, hobj=2)


@case("CON-02 suspicion")
def got_with_a_closed_handle_or_one_of_a_subscription(h: History) -> None:
    _opened_and_closed(h)
    h.get("C", "m1", 10, 12, hobj=2)


@case()
def got_from_the_queue_of_a_subscription_whose_handle_has_an_old_number(h: History) -> None:
    _opened_and_closed(h)
    h.get("C", "m1", 10, 12, hobj=2, queue=MANAGED)
    h.call("C", "MQCLOSE", 20, 22, hobj=2, queue=MANAGED, options=0)
    h.call("C", "MQCLOSE", 24, 26, hobj=3, options=0)


@case()
def put_after_an_open_of_unknown_outcome(h: History) -> None:
    _opened_and_closed(h)
    h.call("C", "MQOPEN", 7, 8, queue=QUEUE, object_name=QUEUE, options=MQOO.OUTPUT, comp_code=None, reason=None)
    h.put("C", "m1", 10, 12, hobj=2)
    h.put("C", "m2", 14, 16, hobj=3)


@case("CON-02 violation")
def put_with_a_handle_closed_after_an_open_of_unknown_outcome(h: History) -> None:
    h.call("C", "MQCONN", 0, 0)
    h.call("C", "MQOPEN", 0, 0, queue=QUEUE, object_name=QUEUE, options=MQOO.OUTPUT, comp_code=None, reason=None)
    _opened_and_closed(h)
    h.put("C", "m1", 10, 12, hobj=2)


@case()
def got_after_a_close_of_unknown_outcome(h: History) -> None:
    h.call("C", "MQCONN", 1, 2)
    h.open("C", 3, 4, MQOO.OUTPUT, hobj=2)
    h.call("C", "MQCLOSE", 5, 6, hobj=2, queue=QUEUE, options=0, comp_code=None, reason=None)
    h.get("C", "m1", 10, 12, hobj=2, queue=MANAGED)


@case("CON-03 violation")
def put_with_a_handle_that_was_never_opened(h: History) -> None:
    h.call("C", "MQCONN", 1, 2)
    h.put("C", "m1", 10, 12, hobj=2)


@case(log="incomplete")
def put_with_a_handle_whose_open_may_be_missing(h: History) -> None:
    h.call("C", "MQCONN", 1, 2)
    h.put("C", "m1", 10, 12, hobj=2)


@case("CON-03 suspicion")
def got_with_a_handle_that_was_never_opened_or_of_a_subscription(h: History) -> None:
    h.call("C", "MQCONN", 1, 2)
    h.get("C", "m1", 10, 12, hobj=2)


@case()
def got_from_the_queue_of_a_subscription(h: History) -> None:
    h.call("C", "MQCONN", 1, 2)
    h.get("C", "m1", 10, 12, hobj=2, queue=MANAGED)
    h.call("C", "MQCLOSE", 20, 22, hobj=3, options=0)


@case("OPN-16 violation")
def got_with_a_handle_that_is_open_for_output(h: History) -> None:
    h.call("C", "MQCONN", 1, 2)
    h.open("C", 3, 4, MQOO.OUTPUT, hobj=2)
    h.get("C", "m1", 10, 12, hobj=2)


@case("CON-02 violation")
def got_with_a_closed_handle_from_a_queue_that_no_subscription_has(h: History) -> None:
    h.header("queue", DefinitionType="PREDEFINED")
    _opened_and_closed(h)
    h.get("C", "m1", 10, 12, hobj=2)


@case("CON-02 suspicion")
def got_with_a_closed_handle_from_a_dynamic_queue(h: History) -> None:
    h.header("queue", DefinitionType="TEMPORARY_DYNAMIC")
    _opened_and_closed(h)
    h.get("C", "m1", 10, 12, hobj=2)


@case("CON-02 suspicion", log="incomplete")
def got_with_a_closed_handle_that_may_be_open_again(h: History) -> None:
    h.header("queue", DefinitionType="PREDEFINED")
    _opened_and_closed(h)
    h.get("C", "m1", 10, 12, hobj=2)


def _puts_a_group(h: History, **second: Any) -> None:
    member: dict[str, Any] = {
        "hobj": 2,
        "options": MQPMO.NO_SYNCPOINT | MQPMO.LOGICAL_ORDER,
        "group_id": "7" * 48,
        "offset": 0,
        "msg_flags": MQMF.MSG_IN_GROUP,
        "length": 5,
        "report": 0,
    }
    h.call("C", "MQCONN", 1, 2)
    h.open("C", 3, 4, MQOO.OUTPUT, hobj=2)
    h.put("C", "m1", 10, 12, **(member | {"msg_seq_number": 1}))
    h.put("C", "m2", 20, 22, **(member | {"msg_seq_number": 2} | second))
    h.put("C", "m3", 30, 32, **(member | {"msg_seq_number": 4}))


@case("PTB-06 violation")
def a_number_of_a_group_left_out(h: History) -> None:
    _puts_a_group(h)


@case()
def a_number_of_a_group_that_a_put_with_an_unknown_handle_may_have(h: History) -> None:
    _puts_a_group(h, hobj=None)


@case("CON-03 violation")
def got_with_a_handle_that_was_never_opened(h: History) -> None:
    h.header("queue", DefinitionType="PREDEFINED")
    h.call("C", "MQCONN", 1, 2)
    h.get("C", "m1", 10, 12, hobj=7)
