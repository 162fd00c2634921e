"""Messages that are delivered as they were put, and others that are not."""

from __future__ import annotations

from typing import Any

from oracle.mqi.constants import MQGMO, MQMF, MQPMO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import GENERATED, History, ident

_BOTH = {
    "correl_id": ident("c"),
    "length": 5,
    "digest": "0" * 64,
    "report": 0,
    "group_id": "0" * 48,
    "msg_seq_number": 1,
    "offset": 0,
}


@case()
def delivered_as_put(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **_BOTH)
    h.get("C", "m1", 20, 22, **_BOTH)


@case(
    "DLV-04 violation",
    "FMT-01 violation",
    "IDS-08 violation",
    "PUT-23 violation",
    "PUT-24 violation",
    "TYP-01 violation",
)
def delivered_otherwise(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 100_010, 100_012, **_BOTH)
    other = {"correl_id": ident("d"), "length": 4, "msg_type": 1, "format": "MQHRF", "offset": 3, "put_us": 200_000}
    h.get("C", "m1", 300_020, 300_022, **(_BOTH | other))


_REQUEST = {"msg_type": 1, "reply_to_q": "ANSWERS"}


@case("DLV-04 violation")
def a_request_that_lost_its_reply_queue(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **_REQUEST)
    h.get("C", "m1", 20, 22, **(_REQUEST | {"reply_to_q": ""}))


@case()
def a_request_whose_reply_queue_stood_for_another(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **_REQUEST)
    h.get("C", "m1", 20, 22, **(_REQUEST | {"reply_to_q": "ANSWERS.ON.QM2"}))


@case("DLV-04 suspicion", log="incomplete")
def delivered_with_other_data_in_an_incomplete_log(h: History) -> None:
    h.put("P", "m1", 10, 12, **_BOTH, msg_id=GENERATED)
    h.get("C", "m1", 20, 22, **(_BOTH | {"digest": "1" * 64}), msg_id=GENERATED)


@case(log="incomplete")
def another_message_under_an_identifier_that_applications_use_again(h: History) -> None:
    h.put("P", "m1", 10, 12, **_BOTH, expiry=10)
    h.get("C", "m1", 9_000_020, 9_000_022, **(_BOTH | {"digest": "1" * 64}), put_us=9_000_000)


@case("DLV-04 suspicion", log="incomplete")
def other_data_with_the_put_time_of_the_put_of_an_own_identifier(h: History) -> None:
    h.put("P", "m0", 1_000, 1_002)
    h.put("P", "m1", 30_000, 30_012, **_BOTH)
    h.get("C", "m1", 40_020, 40_022, **(_BOTH | {"digest": "1" * 64}), put_us=30_000)


@case()
def converted_data_may_differ(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **_BOTH)
    converted = {"length": 7, "digest": "1" * 64, "options": MQGMO.NO_SYNCPOINT | MQGMO.CONVERT}
    h.get("C", "m1", 20, 22, **(_BOTH | converted))


@case()
def a_new_correl_id_is_another(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **(_BOTH | {"options": MQPMO.NO_SYNCPOINT | MQPMO.NEW_CORREL_ID}))
    h.get("C", "m1", 20, 22, **(_BOTH | {"correl_id": ident("d")}))


@case()
def a_blank_padded_format_is_the_same(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **(_BOTH | {"format": "MQSTR   "}))
    h.get("C", "m1", 20, 22, **_BOTH)


@case("GST-07 violation")
def a_group_from_nowhere(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **_BOTH)
    h.get("C", "m1", 20, 22, **(_BOTH | {"msg_flags": 8}))


_MEMBER: dict[str, Any] = _BOTH | {"group_id": ident("g"), "msg_flags": MQMF.MSG_IN_GROUP}
_LAST = _MEMBER | {"msg_flags": MQMF.MSG_IN_GROUP | MQMF.LAST_MSG_IN_GROUP}


@case()
def the_last_message_of_a_group_implies_that_it_is_in_one(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **(_LAST | {"msg_flags": MQMF.LAST_MSG_IN_GROUP}))
    h.get("C", "m1", 20, 22, **_LAST)


@case("DLV-04 violation")
def the_last_message_of_a_group_that_is_so_no_more(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **_LAST)
    h.get("C", "m1", 20, 22, **_MEMBER)


@case("DLV-04 violation")
def a_message_that_became_the_last_of_its_group(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **_MEMBER)
    h.get("C", "m1", 20, 22, **_LAST)


def _left_to_the_queue(h: History, **columns: int) -> None:
    h.starts_empty()
    h.header("queue", MsgDeliverySequence="PRIORITY", DefPriority=4, DefPersistence=1)
    h.put("P", "m1", 10, 12, **({"priority": -1, "persistence": 2} | columns))


@case("PER-02 violation", "PRI-02 violation")
def delivered_without_the_defaults_of_the_queue(h: History) -> None:
    _left_to_the_queue(h)
    h.get("C", "m1", 20, 22, priority=0, persistence=0)


@case()
def delivered_with_the_defaults_of_the_queue(h: History) -> None:
    _left_to_the_queue(h)
    h.get("C", "m1", 20, 22, priority=4, persistence=1)


@case()
def put_by_way_of_an_alias_with_other_defaults(h: History) -> None:
    h.starts_empty()
    h.header("queue", MsgDeliverySequence="PRIORITY", DefPriority=4, DefPersistence=1)
    h.put("P", "m1", 10, 12, priority=-1, persistence=2, object_name="ALIAS")
    h.get("C", "m1", 20, 22, priority=0, persistence=0)


@case("DLV-04 violation", "DLV-04 violation")
def delivered_with_another_priority(h: History) -> None:
    h.header("queue", MsgDeliverySequence="PRIORITY")
    h.starts_empty()
    h.put("P", "m1", 10, 12, priority=3)
    h.get("C", "m1", 20, 22, priority=5, report=0)
    h.put("P", "m2", 30, 32, report=0)
    h.get("C", "m2", 40, 42, report=1)


@case()
def delivered_with_another_priority_from_a_queue_that_may_be_fifo(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, priority=3)
    h.get("C", "m1", 20, 22, priority=5)


@case()
def delivered_from_a_fifo_queue_with_its_priority(h: History) -> None:
    h.starts_empty()
    h.header("queue", MsgDeliverySequence="FIFO", DefPriority=4)
    h.put("P", "m1", 10, 12, priority=3)
    h.get("C", "m1", 20, 22, priority=4)


@case("DLV-04 suspicion", "PUT-24 suspicion")
def another_message_by_the_clock_of_another_queue_manager(h: History) -> None:
    h.call("P", "MQOPEN", 1, 2, queue="Q", object_name="Q", hobj=1)
    h.put("P", "m1", 300_010, 300_012, **_BOTH)
    h.get("C", "m1", 400_010, 400_012, **(_BOTH | {"digest": "1" * 64, "put_us": 350_000}))


@case("DLV-04 suspicion")
def changed_or_put_just_before_the_log(h: History) -> None:
    h.put("P", "m1", 300_010, 300_012, **_BOTH)
    h.get("C", "m1", 400_010, 400_012, **(_BOTH | {"digest": "1" * 64, "put_us": 300_000}))


@case("DLV-04 violation")
def changed_after_the_time_of_its_put(h: History) -> None:
    h.call("P", "MQOPEN", 1, 2, queue="Q", object_name="Q", hobj=1)
    h.put("P", "m1", 300_010, 300_012, **_BOTH)
    h.get("C", "m1", 400_010, 400_012, **(_BOTH | {"digest": "1" * 64, "put_us": 300_000}))


@case()
def put_by_a_clock_that_differs_from_that_of_the_log(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 100_010, 100_012, **_BOTH, put_us=2_000_000)
    h.get("C", "m1", 300_020, 300_022, **_BOTH, put_us=2_000_000)


@case()
def delivered_with_what_the_options_of_the_put_may_have_asked_for(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 100_010, 100_012, **(_BOTH | {"options": None}))
    h.get("C", "m1", 300_020, 300_022, **(_BOTH | {"correl_id": ident("d"), "put_us": 200_000}))


@case()
def delivered_without_the_context_that_was_not_asked_for(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 100_010, 100_012, **(_BOTH | {"options": MQPMO.NO_SYNCPOINT | MQPMO.NO_CONTEXT}))
    h.get("C", "m1", 300_020, 300_022, **(_BOTH | {"put_us": 200_000}))


@case()
def a_length_of_a_message_that_may_have_got_a_header(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, length=10)
    h.get("C", "m1", 20, 22, length=150, format=None)


@case("DLV-04 violation")
def lost_data_under_a_format_that_is_not_known(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, length=100)
    h.get("C", "m1", 20, 22, length=28, format=None, msg_flags=None)


@case()
def a_header_was_put_before_data_whose_format_is_not_known(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, length=100)
    h.get("C", "m1", 20, 22, length=172, format=None, msg_flags=None)


def _with_priority(h: History, put: int, returned: int, **of_put: Any) -> None:
    h.header("queue", MsgDeliverySequence="FIFO", DefPriority=4)
    h.starts_empty()
    h.put("P", "m1", 10, 12, **({"priority": put} | of_put))
    h.get("C", "m1", 20, 22, priority=returned)


@case("DLV-04 violation")
def another_priority_on_a_fifo_queue_that_is_not_its_default(h: History) -> None:
    _with_priority(h, 6, 5)


@case("PRI-02 violation")
def another_priority_on_a_fifo_queue_than_the_default_that_was_asked_for(h: History) -> None:
    _with_priority(h, -1, 5)


@case()
def the_priority_of_the_fifo_queue_instead_of_its_own(h: History) -> None:
    _with_priority(h, 6, 4)


@case()
def its_own_priority_on_a_fifo_queue(h: History) -> None:
    _with_priority(h, 6, 6)


@case("DLV-04 suspicion")
def another_priority_on_a_fifo_queue_whose_alias_may_have_another_default(h: History) -> None:
    _with_priority(h, 6, 5, object_name="ALIAS")


@case("DLV-04 violation")
def another_priority_than_the_default_where_the_order_is_not_known(h: History) -> None:
    h.header("queue", DefPriority=4)
    h.starts_empty()
    h.put("P", "m1", 10, 12, priority=6)
    h.get("C", "m1", 20, 22, priority=5)


def _swapped(h: History, **definition: Any) -> None:
    h.starts_empty()
    h.records.append({"header": "queue", "qmgr": h.qmgr, "queue": "ANSWERS", **definition})
    h.put("P", "m1", 10, 12, **_REQUEST)
    h.get("C", "m1", 20, 22, **(_REQUEST | {"reply_to_q": "OTHER.ANSWERS"}))


@case("DLV-04 violation")
def a_request_whose_local_reply_queue_was_changed(h: History) -> None:
    _swapped(h, MsgDeliverySequence="FIFO")


@case()
def a_request_whose_reply_queue_may_be_the_definition_of_a_remote_one(h: History) -> None:
    _swapped(h, InhibitPut=0)


@case()
def another_message_that_was_put_before_the_log_by_its_put_time(h: History) -> None:
    h.call("A", "MQCONN", 1_000_000, 1_000_002)
    h.put("P", "m1", 2_000_010, 2_000_012, **_BOTH, put_us=2_000_000)
    h.get("C", "m1", 3_000_010, 3_000_012, **(_BOTH | {"digest": "1" * 64, "correl_id": ident("d"), "put_us": 500_000}))


@case("DLV-04 suspicion", "PUT-24 suspicion")
def another_message_than_was_put_by_a_put_time_within_the_log(h: History) -> None:
    h.call("A", "MQCONN", 1_000_000, 1_000_002)
    h.put("P", "m1", 2_000_010, 2_000_012, **_BOTH, put_us=2_000_000)
    h.get("C", "m1", 3_000_010, 3_000_012, **(_BOTH | {"digest": "1" * 64, "put_us": 1_500_000}))
