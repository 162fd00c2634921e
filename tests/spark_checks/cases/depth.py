"""Depths that must add up: DLV-06, and DEP-06 of queues that were not full."""

from __future__ import annotations

from oracle.mqi.constants import MQMF, MQPMO, MQRC, MQRO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import SYNC, History

IN_UNIT = MQPMO.SYNCPOINT
FULL = {"comp_code": 2, "reason": MQRC.Q_FULL}


@case("DLV-06 violation")
def fewer_messages_than_were_left(h: History) -> None:
    h.starts_empty()
    h.header("depth", at_us=100, depth=0)
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 14, 16)
    h.get("C", "m1", 20, 22)


@case()
def fewer_messages_than_were_left_of_a_queue_with_a_cap(h: History) -> None:
    h.starts_empty()
    h.header("queue", CAPEXPRY=10)
    h.header("depth", at_us=2_500_000, depth=0)
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 14, 16)
    h.get("C", "m1", 20, 22)


@case("DLV-06 suspicion")
def fewer_messages_than_were_left_of_those_put_to_an_alias(h: History) -> None:
    h.starts_empty()
    h.header("queue", CAPEXPRY=0)
    h.header("depth", at_us=2_500_000, depth=0)
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 14, 16, object_name="ALIAS")
    h.get("C", "m1", 20, 22)


@case("DLV-06 suspicion")
def more_messages_than_were_left(h: History) -> None:
    h.starts_empty()
    h.header("depth", at_us=100, depth=2)
    h.put("P", "m1", 10, 12, report=0)
    h.put("P", "m2", 14, 16, report=0)
    h.get("C", "m1", 20, 22)


@case("DLV-06 suspicion")
def more_messages_than_were_put_and_none_of_them_got(h: History) -> None:
    h.starts_empty()
    h.header("depth", at_us=100, depth=2)
    h.put("P", "m1", 10, 12, report=0)


@case()
def as_many_messages_as_may_be_left(h: History) -> None:
    h.starts_empty()
    h.header("depth", at_us=100, depth=1)
    h.put("P", "m0", 5, 6, expiry=1)
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 14, 16)
    h.put("P", "m3", 17, 18, options=IN_UNIT)
    h.backout("P", 19, 20)
    h.get("C", "m1", 20, 22)


@case()
def messages_that_were_uncommitted_when_they_were_counted(h: History) -> None:
    h.header("depth", at_us=0, depth=1)
    h.header("depth", at_us=100, depth=0)
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.backout("C", 90, 110)
    h.put("P", "m2", 90, 101)


def _got_by_its_putter_and_backed_out(h: History) -> None:
    """Record a message that was put in a unit of work, got at once for good, and whose put was backed out then."""
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=IN_UNIT, report=0)
    h.get("P", "m1", 14, 16)
    h.backout("P", 18, 20)
    h.put("P", "m2", 22, 24, report=0)


@case()
def a_message_that_its_putter_got_and_that_was_never_committed_counts_once(h: History) -> None:
    _got_by_its_putter_and_backed_out(h)
    h.header("depth", at_us=100, depth=1)


@case()
def a_queue_is_full_although_its_putter_had_got_another_message(h: History) -> None:
    h.header("queue", MaxQDepth=1, TriggerControl=0)
    _got_by_its_putter_and_backed_out(h)
    h.put("P", "m3", 30, 32, **FULL)


@case("DLV-06 violation")
def fewer_messages_than_nobody_got(h: History) -> None:
    """Record a depth of none: the get of the message that was never committed makes no room for another one."""
    _got_by_its_putter_and_backed_out(h)
    h.header("depth", at_us=100, depth=0)


@case("DEP-06 suspicion")
def a_full_queue_with_room(h: History) -> None:
    h.starts_empty()
    h.header("queue", MaxQDepth=2)
    h.put("P", "m1", 10, 12, report=0)
    h.put("P", "m2", 14, 16, report=0)
    h.get("C", "m1", 20, 22)
    h.put("P", "m3", 30, 32, msg_flags=0, **FULL)


@case()
def a_queue_that_confirmations_may_have_filled(h: History) -> None:
    h.starts_empty()
    h.header("queue", MaxQDepth=2)
    h.put("P", "m1", 10, 12, report=MQRO.COA, reply_to_q="Q")
    h.put("P", "m3", 30, 32, report=0, msg_flags=0, **FULL)


@case()
def a_queue_that_the_segments_of_a_message_may_have_filled(h: History) -> None:
    h.starts_empty()
    h.header("queue", MaxQDepth=5, MaxMsgLength=100)
    h.header("depth", at_us=100, depth=5)
    h.put("P", "m1", 10, 12, report=0, msg_flags=MQMF.SEGMENTATION_ALLOWED, length=500)
    h.put("P", "m3", 30, 32, report=0, msg_flags=0, **FULL)


@case()
def a_full_queue(h: History) -> None:
    h.starts_empty()
    h.header("queue", MaxQDepth=2)
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 14, 16)
    h.put("P", "m3", 20, 22, **FULL)
    h.get("C", "m1", 30, 41, options=SYNC)
    h.put("P", "m4", 40, 42, **FULL)
    h.commit("C", 48, 50)
    h.put("P", "m5", 60, 62)


@case()
def a_full_queue_of_unknown_contents(h: History) -> None:
    h.header("queue", MaxQDepth=2)
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 14, 16, **FULL)


def _full_far_below(h: History, **of_first: object) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **of_first)
    h.put("P", "m3", 30, 32, report=0, msg_flags=0, **FULL)


@case("DEP-06 violation")
def a_full_queue_far_below_its_depth(h: History) -> None:
    h.header("queue", MaxQDepth=5_000)
    _full_far_below(h)


@case("DEP-06 violation")
def a_full_queue_far_below_its_depth_whatever_reports_have_come(h: History) -> None:
    h.header("queue", MaxQDepth=5_000)
    _full_far_below(h, report=MQRO.COA, reply_to_q="Q")


@case("DEP-06 suspicion")
def a_full_queue_far_below_its_depth_after_a_restart_perhaps(h: History) -> None:
    h.header("queue", MaxQDepth=5_000)
    h.starts_empty()
    h.put("P", "m1", 10, 12, report=0)
    h.call("Q", "MQCONN", 20, 22)
    h.put("Q", "m3", 30, 32, report=0, msg_flags=0, **FULL)


@case()
def a_full_queue_far_below_its_depth_that_segments_may_have_filled(h: History) -> None:
    h.header("queue", MaxQDepth=5_000, MaxMsgLength=10)
    _full_far_below(h, msg_flags=MQMF.SEGMENTATION_ALLOWED, length=100_000)


@case("DEP-06 violation")
def a_full_queue_with_room_where_no_queue_triggers(h: History) -> None:
    h.header("queue", MaxQDepth=2, TriggerControl=0)
    _full_far_below(h, report=0)


@case("DEP-06 suspicion")
def a_full_queue_with_room_where_one_queue_triggers(h: History) -> None:
    h.header("queue", MaxQDepth=2, TriggerControl=1)
    _full_far_below(h, report=0)


@case("DEP-06 suspicion")
def a_full_queue_with_room_where_an_unknown_queue_may_trigger(h: History) -> None:
    h.header("queue", MaxQDepth=2, TriggerControl=0)
    _full_far_below(h, report=0)
    h.put("P", "n1", 5, 6, queue="R", object_name="R", report=0)


@case(log="incomplete")
def a_full_queue_of_which_puts_may_be_missing(h: History) -> None:
    h.header("queue", MaxQDepth=5_000)
    _full_far_below(h)
