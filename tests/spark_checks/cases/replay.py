"""What only the oracle finds, which follows the calls on a queue: under which rules, and with which definitions."""

from __future__ import annotations

from typing import Any

from oracle.mqi.constants import MQGMO, MQOO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import NO_ID, QUEUE, History

DEFINED = {
    "MsgDeliverySequence": "PRIORITY",
    "MaxQDepth": 5000,
    "MaxMsgLength": 4194304,
    "DefPriority": 0,
    "DefPersistence": 0,
    "DefinitionType": "PREDEFINED",
    "Usage": "NORMAL",
    "InhibitGet": 0,
    "InhibitPut": 0,
    "Shareability": 1,
    "IndexType": "NONE",
}
WHOLE: dict[str, Any] = {
    "hobj": 1, "correl_id": NO_ID, "group_id": NO_ID, "msg_seq_number": 1, "offset": 0, "length": 5, "digest": "a" * 64,
    "report": 0, "feedback": 0, "original_length": -1, "reply_to_q": "",
}  # fmt: skip  # pairs
ASKED: dict[str, Any] = {"hobj": 1, "buffer_length": 100, "sel_msg_id": NO_ID, "sel_correl_id": NO_ID}
GOT = WHOLE | ASKED | {"backout_count": 0}


def _opened(h: History, cap: int = 0) -> None:
    h.starts_empty()
    h.header("queue", **DEFINED, CAPEXPRY=cap)
    for number, (conn, options) in enumerate((("P", MQOO.OUTPUT), ("C", MQOO.INPUT_SHARED | MQOO.BROWSE))):
        h.call(conn, "MQCONN", 2 * number + 1, 2 * number + 1)
        h.call(conn, "MQOPEN", 2 * number + 2, 2 * number + 2, hobj=1, queue=QUEUE, object_name=QUEUE, options=options)


@case("WAI-06 violation")
def found_gets_inhibited_that_were_not(h: History) -> None:
    _opened(h)
    h.put("P", "m1", 10, 11, **WHOLE)
    h.nothing("C", 20, 21, reason=2016, **ASKED)


@case("WAI-06 violation")
def followed_on_a_queue_whose_header_says_that_there_is_no_cap(h: History) -> None:
    _opened(h, cap=-1)
    h.put("P", "m1", 10, 11, **WHOLE)
    h.nothing("C", 20, 21, reason=2016, **ASKED)


@case("DEP-06 suspicion", "DEP-06 violation")
def found_a_queue_full_that_was_not(h: History) -> None:
    _opened(h)
    h.put("P", "m1", 10, 11, **WHOLE)
    h.put("P", "m2", 20, 21, comp_code=2, reason=2053, **WHOLE)


@case("CUR-04 violation")
def found_nothing_under_the_cursor_where_a_message_was(h: History) -> None:
    _opened(h)
    h.put("P", "m1", 10, 11, **WHOLE)
    h.browse("C", "m1", 20, 21, **GOT)
    h.nothing("C", 30, 31, options=MQGMO.BROWSE_MSG_UNDER_CURSOR, reason=2034, **ASKED)


@case("DLV-03 violation")
def replayed_a_put_without_an_option_for_its_response(h: History) -> None:
    _opened(h)
    h.put("P", "m1", 10, 11, **WHOLE)
    h.nothing("C", 20, 21, **ASKED)
