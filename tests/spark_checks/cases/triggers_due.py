"""Trigger messages that were due: TRI-02 (first), TRI-03 (every), TRI-04 (depth)."""

from __future__ import annotations

from typing import Any

from oracle.mqi.constants import MQGMO, MQOO
from oracle.mqi.layouts import MQTM
from tests.spark_checks.cases import case
from tests.spark_checks.histories import PLAIN, QUEUE, SYNC, History

INIT: dict[str, Any] = {"queue": "INIT", "object_name": "INIT", "hobj": 2}
WAITS = PLAIN | MQGMO.WAIT
FIRST, EVERY, DEPTH = 1, 2, 3
SECOND = 1_000_000


def _triggers(h: History, kind: int, **attributes: Any) -> None:
    """Define a queue that triggers, and let a trigger monitor open its initiation queue."""
    h.starts_empty()
    usual = {"TriggerControl": 1, "TriggerType": kind, "InitiationQName": "INIT", "ProcessName": "PROC"}
    h.header("queue", **(usual | {"TriggerMsgPriority": 0} | attributes))
    h.open("M", 2, 3, MQOO.INPUT_SHARED, **INIT)


def _none(h: History, start: int = 40, **columns: Any) -> None:
    h.nothing("M", start, start + 2, **({"queue": "INIT", "hobj": 2} | columns))


@case("TRI-02 suspicion")
def no_trigger_message_for_the_first(h: History) -> None:
    _triggers(h, FIRST)
    h.put("P", "m1", 10, 12)
    _none(h)


@case("TRI-02 suspicion", log="zos")
def no_trigger_message_for_the_first_on_zos(h: History) -> None:
    _triggers(h, FIRST)
    h.put("P", "m1", 10, 12)
    _none(h)


@case("TRI-02 suspicion")
def no_trigger_message_while_the_monitor_waited(h: History) -> None:
    _triggers(h, FIRST)
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 14, 16)
    h.nothing("M", 5, 5 * SECOND, queue="INIT", hobj=2, options=WAITS, wait_ms=5000)


@case("TRI-02 suspicion")
def no_trigger_message_when_the_unit_of_work_ends(h: History) -> None:
    _triggers(h, FIRST)
    h.put("P", "m1", 10, 12, options=int(SYNC))
    _none(h, 15)
    h.commit("P", 20, 22)
    _none(h)


@case("TRI-02 suspicion")
def no_trigger_message_though_the_monitor_came_later(h: History) -> None:
    h.starts_empty()
    h.header("queue", TriggerControl=1, TriggerType=FIRST, InitiationQName="INIT", ProcessName="P")
    h.put("P", "m1", 10, 12)
    h.open("M", 20, 21, MQOO.INPUT_SHARED, **INIT)
    _none(h)


@case("TRI-02 suspicion")
def no_trigger_message_and_a_server_that_comes_by_itself(h: History) -> None:
    _triggers(h, FIRST)
    h.put("P", "m1", 10, 12)
    _none(h)
    h.open("S", 60, 61, MQOO.INPUT_SHARED)
    h.get("S", "m1", 70, 72, hobj=1)


@case("TRI-03 suspicion")
def no_trigger_message_for_every_message(h: History) -> None:
    _triggers(h, EVERY)
    h.put("P", "m1", 10, 12)
    _none(h)


@case("TRI-03 violation")
def no_trigger_message_for_every_message_though_all_is_known(h: History) -> None:
    _triggers(h, EVERY)
    h.header("queue", queue="INIT", MaxMsgLength=4_194_304, MaxQDepth=5000, InhibitPut=0)
    h.open("S", 6, 7, MQOO.INPUT_SHARED)
    h.put("P", "m1", 10, 12)
    _none(h)


@case("TRI-04 suspicion")
def no_trigger_message_for_the_depth(h: History) -> None:
    _triggers(h, DEPTH, TriggerDepth=2)
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 20, 22)
    _none(h)


@case()
def a_trigger_message_for_the_first(h: History) -> None:
    _triggers(h, FIRST)
    h.put("P", "m1", 10, 12)
    h.get("M", "t1", 20, 22, queue="INIT", hobj=2, format="MQTRIG", length=MQTM.length(1))
    _none(h)


@case()
def a_trigger_message_that_comes_late(h: History) -> None:
    _triggers(h, FIRST)
    h.put("P", "m1", 10, 12)
    _none(h)
    h.get("M", "t1", 50, 52, queue="INIT", hobj=2, format="MQTRIG", length=MQTM.length(1))


@case()
def no_trigger_message_before_the_depth(h: History) -> None:
    _triggers(h, DEPTH, TriggerDepth=3)
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 20, 22)
    _none(h)


@case()
def no_trigger_message_for_a_depth_of_messages_that_may_expire(h: History) -> None:
    _triggers(h, DEPTH, TriggerDepth=2)
    h.put("P", "m1", 10, 12, expiry=1)
    h.put("P", "m2", 20, 22)
    _none(h)


@case()
def no_trigger_message_while_a_server_has_the_queue_open(h: History) -> None:
    _triggers(h, FIRST)
    h.open("S", 6, 7, MQOO.INPUT_SHARED)
    h.put("P", "m1", 10, 12)
    _none(h)


@case()
def no_trigger_message_while_a_server_of_before_the_log_waits(h: History) -> None:
    _triggers(h, FIRST)
    h.nothing("S", 6, 8, hobj=3)
    h.put("P", "m1", 10, 12)
    _none(h)


@case()
def no_trigger_message_though_a_server_came_at_once(h: History) -> None:
    _triggers(h, FIRST)
    h.put("P", "m1", 10, 12)
    h.open("S", 14, 15, MQOO.INPUT_SHARED)
    _none(h)


@case()
def no_trigger_message_while_triggering_is_off(h: History) -> None:
    _triggers(h, FIRST, TriggerControl=0)
    h.put("P", "m1", 10, 12)
    _none(h)


@case()
def no_trigger_message_for_a_type_that_is_none(h: History) -> None:
    _triggers(h, 0)
    h.put("P", "m1", 10, 12)
    _none(h)


@case()
def no_trigger_message_without_a_process(h: History) -> None:
    _triggers(h, FIRST, ProcessName=" ")
    h.put("P", "m1", 10, 12)
    _none(h)


@case()
def no_trigger_message_without_an_initiation_queue(h: History) -> None:
    _triggers(h, FIRST, InitiationQName=" ")
    h.put("P", "m1", 10, 12)
    _none(h)


@case()
def no_trigger_message_for_a_low_priority(h: History) -> None:
    _triggers(h, FIRST, TriggerMsgPriority=5)
    h.put("P", "m1", 10, 12, priority=4)
    _none(h)


@case()
def no_trigger_message_on_a_fifo_queue_for_what_is_above_its_default(h: History) -> None:
    _triggers(h, FIRST, TriggerMsgPriority=5, MsgDeliverySequence="FIFO", DefPriority=0)
    h.put("P", "m1", 10, 12, priority=5)
    _none(h)


@case()
def no_trigger_message_as_an_application_set_the_attributes(h: History) -> None:
    _triggers(h, FIRST)
    h.call("A", "MQSET", 5, 6, queue=QUEUE, hobj=1)
    h.put("P", "m1", 10, 12)
    _none(h)


@case()
def no_trigger_message_as_puts_to_the_initiation_queue_are_inhibited(h: History) -> None:
    _triggers(h, FIRST)
    h.header("queue", queue="INIT", InhibitPut=1)
    h.put("P", "m1", 10, 12)
    _none(h)


@case(log="zos")
def no_trigger_message_as_gets_are_inhibited_on_zos(h: History) -> None:
    _triggers(h, FIRST, InhibitGet=1)
    h.put("P", "m1", 10, 12)
    _none(h)


@case()
def no_trigger_message_for_a_queue_that_may_have_had_messages(h: History) -> None:
    h.header("queue", TriggerControl=1, TriggerType=FIRST, InitiationQName="INIT", ProcessName="P")
    h.put("P", "m1", 10, 12)
    _none(h)


@case()
def no_trigger_message_before_the_unit_of_work_has_ended(h: History) -> None:
    _triggers(h, FIRST)
    h.put("P", "m1", 10, 12, options=int(SYNC))
    h.put("R", "m2", 14, 16)
    _none(h)
    h.commit("P", 50, 52)


@case()
def no_trigger_message_for_a_browse_of_the_initiation_queue(h: History) -> None:
    _triggers(h, FIRST)
    h.put("P", "m1", 10, 12)
    _none(h, options=int(MQGMO.BROWSE_FIRST))


@case()
def no_trigger_message_with_an_identifier_that_the_monitor_asks_for(h: History) -> None:
    _triggers(h, FIRST)
    h.put("P", "m1", 10, 12)
    _none(h, match_options=1, sel_msg_id="ab" * 24)


@case()
def no_trigger_message_for_every_message_before_the_monitor_came(h: History) -> None:
    h.starts_empty()
    h.header("queue", TriggerControl=1, TriggerType=EVERY, InitiationQName="INIT", ProcessName="P")
    h.put("P", "m1", 10, 12)
    h.open("M", 20, 21, MQOO.INPUT_SHARED, **INIT)
    _none(h)


@case()
def no_trigger_message_for_every_message_before_the_monitor_came_by_an_unknown_handle(h: History) -> None:
    h.starts_empty()
    h.header("queue", TriggerControl=1, TriggerType=EVERY, InitiationQName="INIT", ProcessName="P")
    h.put("P", "m1", 10, 12)
    h.open("M", 20, 21, MQOO.INPUT_SHARED, **(INIT | {"hobj": None}))
    _none(h, hobj=None)


@case(log="clock")
def no_trigger_message_perhaps_at_the_same_time(h: History) -> None:
    _triggers(h, FIRST)
    h.put("P", "m1", 10, 12)
    _none(h)


@case(log="incomplete")
def no_trigger_message_as_far_as_an_incomplete_log_tells(h: History) -> None:
    _triggers(h, FIRST)
    h.put("P", "m1", 10, 12)
    _none(h)
