"""Reports that the queue manager makes: RPT-01, RPT-02, RPT-03, RPM-01 to RPM-07, RPM-10."""

from __future__ import annotations

from typing import Any

from oracle.mqi.constants import MQGMO, MQMF, MQMT, MQPMO, MQRO
from tests.spark_checks.cases import case
from tests.spark_checks.cases.groups import END, PART, segment
from tests.spark_checks.histories import NO_ID, PLAIN, SYNC, History, ident

NEW = MQPMO.NO_SYNCPOINT | MQPMO.NEW_MSG_ID
NEW_IN_UNIT = MQPMO.SYNCPOINT | MQPMO.NEW_MSG_ID
EXPIRED, ARRIVED, DELIVERED = 258, 259, 260


def _report(h: History, feedback: int, about: str, at: int, **columns: Any) -> None:
    h.get("C", f"r{at}", at, at + 2, msg_type=4, feedback=feedback, correl_id=ident(about), **columns)


@case("RPT-02 violation", "RPT-03 violation")
def expiration_reports_that_must_not_be(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=NEW, expiry=1, report=0)
    h.put("P", "m2", 14, 16, options=NEW, expiry=100_000, report=MQRO.EXPIRATION)
    _report(h, EXPIRED, "m1", 10_000_000)
    _report(h, EXPIRED, "m2", 20_000_000)


@case()
def an_expiration_report_by_a_cap_that_the_put_does_not_show(h: History) -> None:
    h.starts_empty()
    h.header("queue", CAPEXPRY=10)
    h.put("P", "m1", 10, 12, options=NEW, report=MQRO.EXPIRATION)
    h.put("P", "m2", 14, 16, options=NEW, expiry=100_000, report=MQRO.EXPIRATION)
    _report(h, EXPIRED, "m1", 10_000_000)
    _report(h, EXPIRED, "m2", 20_000_000)


@case("RPT-02 suspicion")
def a_report_that_may_be_about_an_older_message(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, expiry=1, report=0)
    _report(h, EXPIRED, "m1", 10_000_000)


@case()
def reports_as_they_should_be(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=NEW, expiry=1, report=MQRO.EXPIRATION | MQRO.COA)
    _report(h, ARRIVED, "m1", 20)
    _report(h, EXPIRED, "m1", 10_000_000)


@case("RPT-01 violation")
def two_expiration_reports_on_one_message(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=NEW, expiry=1, report=MQRO.EXPIRATION)
    _report(h, EXPIRED, "m1", 10_000_000)
    _report(h, EXPIRED, "m1", 20_000_000)


@case("RPM-01 violation")
def a_report_on_nothing(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, report=MQRO.COA)
    _report(h, ARRIVED, "ghost", 20)


@case("RPM-01 violation")
def a_confirmation_of_the_delivery_of_nothing(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, report=MQRO.COD)
    h.get("C", "m1", 14, 16)
    _report(h, DELIVERED, "ghost", 20)


@case()
def a_confirmation_of_the_delivery_of_a_message_from_before_the_log(h: History) -> None:
    h.starts_empty()
    h.get("C", "m1", 10, 12, queue="OLD", report=MQRO.COD, msg_flags=0)
    h.get("C", "m2", 14, 16, queue="OLD", report=MQRO.COD | MQRO.PASS_CORREL_ID, correl_id=ident("request"))
    _report(h, DELIVERED, "m1", 20)
    _report(h, DELIVERED, "request", 30)


@case("RPM-01 suspicion")
def a_confirmation_of_the_delivery_of_what_a_get_without_msg_id_took(h: History) -> None:
    h.starts_empty()
    h.get("C", "m1", 10, 12, queue="OLD", msg_id=None)
    _report(h, DELIVERED, "ghost", 20)


@case("RPM-01 suspicion")
def a_confirmation_of_the_delivery_of_what_may_be_a_segment_of_a_whole(h: History) -> None:
    h.starts_empty()
    h.get("C", "m1", 10, 12, queue="OLD", options=MQGMO.COMPLETE_MSG)
    _report(h, DELIVERED, "ghost", 20)


@case()
def a_report_with_the_correlation_of_its_original(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, report=MQRO.COA | MQRO.PASS_CORREL_ID, correl_id=ident("request"))
    _report(h, ARRIVED, "request", 20)


@case()
def a_report_on_the_reply_to_another_message(h: History) -> None:
    h.starts_empty()
    h.put("P", "request", 10, 12, options=NEW, report=0, length=10)
    h.put("S", "reply", 14, 16, report=MQRO.EXPIRATION | MQRO.PASS_CORREL_ID, correl_id=ident("request"), expiry=1)
    _report(h, EXPIRED, "request", 10_000_000, length=0)


@case("RPM-01 violation")
def a_report_with_the_correlation_of_no_message(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, report=MQRO.COA | MQRO.PASS_CORREL_ID, correl_id=ident("request"))
    _report(h, ARRIVED, "ghost", 20)


@case("RPM-01 violation")
def a_report_on_no_message_at_all(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, report=MQRO.COD)
    h.get("S", "m1", 14, 16)
    h.get("C", "r20", 20, 22, msg_type=4, feedback=DELIVERED, correl_id=NO_ID)


@case()
def a_report_with_the_null_correlation_of_its_original(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, report=MQRO.COD | MQRO.PASS_CORREL_ID, correl_id=NO_ID)
    h.get("S", "m1", 14, 16, report=MQRO.COD | MQRO.PASS_CORREL_ID)
    h.get("C", "r20", 20, 22, msg_type=4, feedback=DELIVERED, correl_id=NO_ID)


@case("RPM-01 suspicion")
def a_report_where_a_correlation_is_not_known(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, report=MQRO.COA | MQRO.PASS_CORREL_ID)
    _report(h, ARRIVED, "request", 20)


@case()
def a_report_that_an_application_put(h: History) -> None:
    h.starts_empty()
    h.put("P", "r20", 10, 12, msg_type=4, feedback=ARRIVED, correl_id=ident("ghost"), report=0)
    _report(h, ARRIVED, "ghost", 20)


def _original(h: History, **columns: Any) -> None:
    h.starts_empty()
    h.header("queue", MsgDeliverySequence="PRIORITY", CAPEXPRY=0)
    h.put("P", "m1", 10, 12, **({"options": NEW, "report": MQRO.COA, "length": 300} | columns))


@case("RPM-02 violation")
def a_report_with_data_that_nobody_asked_for(h: History) -> None:
    _original(h)
    _report(h, ARRIVED, "m1", 20, length=100)


@case("RPM-02 violation")
def a_report_with_more_than_the_first_bytes(h: History) -> None:
    _original(h, report=MQRO.COA_WITH_DATA)
    _report(h, ARRIVED, "m1", 20, length=300)


@case("RPM-02 violation")
def a_report_without_all_data(h: History) -> None:
    _original(h, report=MQRO.COA_WITH_FULL_DATA)
    _report(h, ARRIVED, "m1", 20, length=100)


@case()
def a_report_with_the_data_asked_for(h: History) -> None:
    _original(h, report=MQRO.COA_WITH_DATA | MQRO.EXPIRATION_WITH_FULL_DATA, expiry=10)
    _report(h, ARRIVED, "m1", 20, length=100)
    _report(h, EXPIRED, "m1", 10_000_000, length=300)


@case()
def a_report_that_was_converted_or_could_not_be_put(h: History) -> None:
    _original(h)
    _report(h, ARRIVED, "m1", 20, length=172, format="MQDEAD")


@case("RPM-03 violation")
def a_confirmation_of_arrival_before_the_commit(h: History) -> None:
    _original(h, options=NEW_IN_UNIT)
    _report(h, ARRIVED, "m1", 20)
    h.commit("P", 30, 32)


@case()
def a_confirmation_of_arrival_that_the_putter_sees_before_the_commit(h: History) -> None:
    _original(h, options=NEW_IN_UNIT)
    h.get("P", "r20", 20, 22, msg_type=4, feedback=ARRIVED, correl_id=ident("m1"))
    h.commit("P", 30, 32)


@case("RPM-03 violation")
def a_confirmation_of_arrival_of_what_was_backed_out(h: History) -> None:
    _original(h, options=NEW_IN_UNIT)
    h.backout("P", 14, 16)
    _report(h, ARRIVED, "m1", 20)


@case()
def a_confirmation_of_arrival_perhaps_after_the_commit(h: History) -> None:
    _original(h, options=NEW_IN_UNIT)
    h.commit("P", 21, 30)
    _report(h, ARRIVED, "m1", 20)


@case("RPM-03 violation")
def a_confirmation_of_delivery_before_the_commit(h: History) -> None:
    _original(h, report=MQRO.COD)
    h.get("D", "m1", 14, 16, options=SYNC, report=MQRO.COD)
    _report(h, DELIVERED, "m1", 20)
    h.commit("D", 30, 32)


@case()
def a_confirmation_of_delivery_that_the_getter_sees_before_the_commit(h: History) -> None:
    _original(h, report=MQRO.COD)
    h.get("S", "m1", 14, 16, options=SYNC, report=MQRO.COD)
    h.get("S", "r20", 20, 22, msg_type=4, feedback=DELIVERED, correl_id=ident("m1"))
    h.commit("S", 30, 32)


@case("RPM-03 violation")
def a_confirmation_of_delivery_in_a_unit_that_never_ends(h: History) -> None:
    _original(h, report=MQRO.COD)
    h.get("D", "m1", 14, 16, options=SYNC, report=MQRO.COD)
    _report(h, DELIVERED, "m1", 20)


@case("RPM-01 violation")
def a_report_that_does_not_pass_the_correl_id(h: History) -> None:
    _original(h, report=MQRO.COA | MQRO.PASS_CORREL_ID, correl_id=ident("c1"))
    _report(h, ARRIVED, "m1", 20)


@case()
def a_report_that_passes_the_correl_id(h: History) -> None:
    _original(h, report=MQRO.COA | MQRO.PASS_CORREL_ID, correl_id=ident("c1"))
    _report(h, ARRIVED, "c1", 20)


@case()
def a_report_on_a_message_whose_correl_id_is_its_msg_id(h: History) -> None:
    _original(h, report=MQRO.COA | MQRO.PASS_CORREL_ID, correl_id=ident("m1"))
    _report(h, ARRIVED, "m1", 20)


@case("RPM-03 violation")
def a_confirmation_of_delivery_of_what_nobody_got(h: History) -> None:
    _original(h, report=MQRO.COD)
    h.browse("D", "m1", 14, 16, report=MQRO.COD)
    _report(h, DELIVERED, "m1", 20)


@case()
def a_confirmation_of_delivery_perhaps_after_the_get(h: History) -> None:
    _original(h, report=MQRO.COD)
    h.get("D", "m1", 14, 25, report=MQRO.COD)
    _report(h, DELIVERED, "m1", 20)


@case("RPM-04 violation", "RPM-04 violation", "RPM-05 violation", "RPM-10 violation")
def reports_that_are_not_like_their_originals(h: History) -> None:
    _original(h, priority=5, persistence=1)
    _report(h, ARRIVED, "m1", 20, priority=7, persistence=1)
    _report(h, ARRIVED, "m1", 30, priority=5, persistence=0)
    _report(h, ARRIVED, "m1", 40, priority=5, expiry=100, report=MQRO.COA)


@case()
def reports_like_their_originals(h: History) -> None:
    asked = MQRO.COA | MQRO.PASS_DISCARD_AND_EXPIRY | MQRO.DISCARD_MSG
    _original(h, priority=5, persistence=0, expiry=1000, report=asked)
    _report(h, ARRIVED, "m1", 20, priority=5, persistence=0, expiry=1000, report=MQRO.DISCARD_MSG)


@case()
def a_report_on_a_message_with_defaults_of_the_queue(h: History) -> None:
    _original(h, priority=-1, persistence=2)
    _report(h, ARRIVED, "m1", 20, priority=4, persistence=0)


@case()
def reports_on_a_queue_that_is_not_known(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=NEW, report=MQRO.COA, priority=5)
    _report(h, ARRIVED, "m1", 20, priority=0, expiry=100)


@case("RPM-04 violation")
def reports_on_messages_of_a_fifo_queue_may_have_its_priority(h: History) -> None:
    h.starts_empty()
    h.header("queue", MsgDeliverySequence="PRIORITY", CAPEXPRY=0)
    h.records.append({"header": "queue", "qmgr": h.qmgr, "queue": "F", "MsgDeliverySequence": "FIFO", "DefPriority": 2})
    h.put("P", "m1", 10, 12, queue="F", options=NEW, report=MQRO.COA, priority=5)
    _report(h, ARRIVED, "m1", 20, priority=2)
    _report(h, ARRIVED, "m1", 30, priority=5)
    _report(h, ARRIVED, "m1", 40, priority=3)


@case("RPM-04 violation")
def reports_on_a_fifo_queue_may_have_its_priority(h: History) -> None:
    h.starts_empty()
    h.header("queue", MsgDeliverySequence="FIFO", DefPriority=2, CAPEXPRY=0)
    h.put("P", "m1", 10, 12, options=NEW, report=MQRO.COA, priority=5)
    _report(h, ARRIVED, "m1", 20, priority=2)
    _report(h, ARRIVED, "m1", 30, priority=5)
    _report(h, ARRIVED, "m1", 40, priority=3)


@case()
def a_report_on_a_segment_of_a_report(h: History) -> None:
    segment = {"group_id": ident("g"), "msg_seq_number": 1, "offset": 0, "msg_flags": MQMF.SEGMENT}
    _original(h, msg_type=MQMT.REPORT, length=7, original_length=20, **segment)
    _report(h, ARRIVED, "m1", 20, length=0, original_length=20, **segment)


@case("RPM-10 violation")
def a_report_on_an_older_message_that_asks_for_reports(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, report=MQRO.PASS_CORREL_ID)
    _report(h, EXPIRED, "older", 20, report=MQRO.COA)


@case("RPM-06 violation")
def a_report_on_another_queue(h: History) -> None:
    h.records.append({"header": "queue", "qmgr": h.qmgr, "queue": "R", "MsgDeliverySequence": "PRIORITY"})
    _original(h, reply_to_q="R  ")
    _report(h, ARRIVED, "m1", 20)


@case()
def reports_that_lie_where_they_may(h: History) -> None:
    h.records.append({"header": "queue", "qmgr": h.qmgr, "queue": "R", "MsgDeliverySequence": "PRIORITY"})
    _original(h, reply_to_q="R", report=MQRO.COA | MQRO.COD)
    _report(h, ARRIVED, "m1", 20, format="MQDEAD")
    h.put("P", "m2", 30, 32, options=NEW, report=MQRO.COA, reply_to_q="ALIAS")
    _report(h, ARRIVED, "m2", 40)


_OF_SEGMENT = {"msg_flags": MQMF.SEGMENT, "group_id": ident("g"), "msg_seq_number": 1, "offset": 8}


@case("RPM-07 violation", "RPM-07 violation")
def reports_on_a_segment_without_its_fields(h: History) -> None:
    _original(h, **_OF_SEGMENT)
    _report(h, ARRIVED, "m1", 20, **(_OF_SEGMENT | {"original_length": 0}))
    _report(h, ARRIVED, "m1", 30, **(_OF_SEGMENT | {"original_length": 300, "offset": 0}))


@case()
def a_report_on_a_segment(h: History) -> None:
    _original(h, **_OF_SEGMENT)
    _report(h, ARRIVED, "m1", 20, **(_OF_SEGMENT | {"original_length": 300}))


@case()
def reports_on_segments_that_are_put_together(h: History) -> None:
    first = _OF_SEGMENT | {"offset": 0}
    _original(h, **first)
    joined = {
        "options": PLAIN | MQGMO.COMPLETE_MSG,
        "msg_flags": MQMF.SEGMENT | MQMF.LAST_SEGMENT,
        "original_length": 700,
    }
    _report(h, ARRIVED, "m1", 20, **(first | joined))


_MAY_BE_SPLIT = {"msg_flags": MQMF.SEGMENTATION_ALLOWED}


@case()
def reports_on_segments_that_the_queue_manager_may_have_made(h: History) -> None:
    _original(h, report=MQRO.COA_WITH_FULL_DATA, **_MAY_BE_SPLIT)
    first = {"msg_flags": MQMF.SEGMENT, "group_id": ident("g"), "msg_seq_number": 1, "offset": 0}
    _report(h, ARRIVED, "m1", 20, length=200, original_length=200, **first)
    _report(h, ARRIVED, "m1", 30, length=100, original_length=100, **(first | {"offset": 200}))


@case()
def expiration_reports_on_segments_that_the_queue_manager_may_have_made(h: History) -> None:
    _original(h, report=MQRO.EXPIRATION, expiry=1, **_MAY_BE_SPLIT)
    _report(h, EXPIRED, "m1", 10_000_000)
    _report(h, EXPIRED, "m1", 20_000_000)


def _confirmed_segment(h: History, end: str) -> None:
    h.starts_empty()
    for name, at, part in (("s1", 10, segment(0, PART)), ("s2", 14, segment(10, END))):
        h.put("P", name, at, at + 2, **(part | {"options": NEW, "report": MQRO.COD}))
    whole = SYNC | MQGMO.COMPLETE_MSG
    h.get("G", "s1", 20, 22, **(segment(0, END) | {"options": whole, "length": 20, "report": MQRO.COD}))
    h.call("G", end, 24, 26)
    _report(h, DELIVERED, "s2", 30, **(segment(10, END) | {"length": 0, "original_length": 10}))


@case("RPM-03 violation")
def a_delivery_of_a_segment_whose_whole_message_was_backed_out(h: History) -> None:
    _confirmed_segment(h, "MQBACK")


@case()
def a_delivery_of_a_segment_whose_whole_message_was_committed(h: History) -> None:
    _confirmed_segment(h, "MQCMIT")
