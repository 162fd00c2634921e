"""Puts that leave priority or persistence to the queue, as their records show: only its definition has the value."""

from __future__ import annotations

from typing import Any

from oracle.mqi.constants import MQOO, MQPMO
from tests.spark_checks.cases import case
from tests.spark_checks.cases.groups import IN, LAST, member
from tests.spark_checks.histories import History

LEFT: dict[str, Any] = {"priority": -1, "persistence": 2}
IN_ORDER = MQPMO.NO_SYNCPOINT | MQPMO.LOGICAL_ORDER


@case()
def left_to_a_queue_of_which_nothing_is_known(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **LEFT)
    h.put("P", "m2", 20, 22, **LEFT)
    h.get("C", "m1", 30, 32, priority=6, persistence=1)
    h.get("C", "m2", 40, 42, priority=6, persistence=1)


@case()
def a_default_above_the_priority_of_others(h: History) -> None:
    h.starts_empty()
    h.header("queue", MsgDeliverySequence="PRIORITY", DefPriority=6)
    h.put("P", "given", 10, 12, priority=3)
    h.put("P", "left", 20, 22, **LEFT)
    h.get("C", "left", 30, 32, priority=6)
    h.get("C", "given", 40, 42, priority=3)


def _an_earlier_one_stays(h: History, **defined: Any) -> None:
    """Record that a message of priority 3 was got while one that was left to the queue lay there, and still does."""
    h.starts_empty()
    h.header("queue", MsgDeliverySequence="PRIORITY", **defined)
    h.put("P", "left", 10, 12, **LEFT)
    h.put("P", "given", 20, 22, priority=3)
    h.get("C", "given", 30, 32, priority=3)


@case("PRI-03 violation")
def a_message_whose_default_is_higher_was_passed_over(h: History) -> None:
    _an_earlier_one_stays(h, DefPriority=6)


@case()
def a_message_whose_default_is_lower_was_passed_over(h: History) -> None:
    _an_earlier_one_stays(h, DefPriority=2)


@case()
def a_message_of_an_unknown_default_was_passed_over(h: History) -> None:
    _an_earlier_one_stays(h)


@case()
def a_message_was_passed_over_that_an_alias_may_have_ranked_lower(h: History) -> None:
    h.starts_empty()
    h.header("queue", MsgDeliverySequence="PRIORITY", DefPriority=6)
    h.put("P", "left", 10, 12, **LEFT, object_name="ALIAS")
    h.put("P", "given", 20, 22, priority=3)
    h.get("C", "given", 30, 32, priority=3)


@case()
def a_group_whose_persistence_is_left_to_the_queue(h: History) -> None:
    h.starts_empty()
    h.open("P", 0, 2, MQOO.OUTPUT)
    h.put("P", "a1", 10, 12, options=IN_ORDER, hobj=1, **LEFT, **member(1, IN))
    h.put("P", "a2", 20, 22, options=IN_ORDER, hobj=1, **LEFT, **member(2, LAST))


@case()
def a_group_whose_persistence_is_given_once_and_left_once(h: History) -> None:
    h.starts_empty()
    h.open("P", 0, 2, MQOO.OUTPUT)
    h.put("P", "a1", 10, 12, options=IN_ORDER, hobj=1, persistence=1, **member(1, IN))
    h.put("P", "a2", 20, 22, options=IN_ORDER, hobj=1, persistence=2, **member(2, LAST))


@case("PTB-21 violation")
def a_group_of_two_persistences(h: History) -> None:
    h.starts_empty()
    h.open("P", 0, 2, MQOO.OUTPUT)
    h.put("P", "a1", 10, 12, options=IN_ORDER, hobj=1, persistence=1, **member(1, IN))
    h.put("P", "a2", 20, 22, options=IN_ORDER, hobj=1, persistence=0, **member(2, LAST))


@case()
def a_persistence_left_to_a_temporary_queue(h: History) -> None:
    h.starts_empty()
    h.header("queue", DefinitionType="TEMPORARY_DYNAMIC")
    h.put("P", "m1", 10, 12, **LEFT)
    h.get("C", "m1", 20, 22, priority=0, persistence=0)
