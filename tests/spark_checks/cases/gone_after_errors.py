"""Messages that are gone after a get that did not show what it took: DLV-03.

A violation where it cannot have taken them, and a suspicion where it ended with MQRC_UNEXPECTED_ERROR and may have.
"""

from __future__ import annotations

from typing import Any

from oracle.mqi.constants import MQGMO, MQMO, MQRC
from tests.spark_checks.cases import case
from tests.spark_checks.histories import PLAIN, QUEUE, SYNC, History, ident

BY_MSG_ID: dict[str, Any] = {"match_options": MQMO.MATCH_MSG_ID, "sel_msg_id": ident("m2")}
BY_CORREL_ID: dict[str, Any] = {"match_options": MQMO.MATCH_CORREL_ID, "sel_correl_id": ident("d")}


def _failed(h: History, options: int, reason: int = MQRC.UNEXPECTED_ERROR, **how: Any) -> None:
    """Put a message, and have a get fail that may have taken effect."""
    h.starts_empty()
    h.put("P", "m1", 10, 12, correl_id=how.pop("put_correl_id", ident("c")))
    usual = {"queue": QUEUE, "match_options": 0, "options": int(options), "comp_code": 2, "reason": reason}
    h.call("C", "MQGET", 20, 22, **(usual | how))


def _nothing_left(h: History, start: int = 40) -> None:
    h.nothing("D", start, start + 2)


@case("DLV-03 violation")
def gone_after_an_error_that_was_backed_out(h: History) -> None:
    _failed(h, SYNC)
    h.backout("C", 24, 26)
    _nothing_left(h)


@case("DLV-03 violation")
def gone_after_an_error_for_another_message(h: History) -> None:
    _failed(h, PLAIN, **BY_MSG_ID)
    _nothing_left(h)


@case("DLV-03 violation")
def gone_after_an_error_for_another_correl_id(h: History) -> None:
    _failed(h, PLAIN, **BY_CORREL_ID)
    _nothing_left(h)


@case("DLV-03 violation")
def gone_after_an_error_in_browsing(h: History) -> None:
    _failed(h, MQGMO.BROWSE_FIRST)
    _nothing_left(h)


@case("DLV-03 suspicion")
def gone_after_an_error_that_may_have_taken_it(h: History) -> None:
    _failed(h, PLAIN)
    _nothing_left(h)


@case("DLV-03 suspicion")
def gone_after_an_error_that_was_committed(h: History) -> None:
    _failed(h, SYNC)
    h.commit("C", 24, 26)
    _nothing_left(h)


@case()
def gone_after_an_error_that_nothing_ended(h: History) -> None:
    _failed(h, SYNC)
    _nothing_left(h)


@case()
def gone_perhaps_before_an_error_was_backed_out(h: History) -> None:
    _failed(h, SYNC)
    h.backout("C", 30, 41)
    _nothing_left(h)


@case()
def gone_after_a_broken_connection_whose_unit_of_work_may_end_later(h: History) -> None:
    _failed(h, SYNC, MQRC.CONNECTION_BROKEN)
    h.backout("C", 24, 26)
    _nothing_left(h)


@case()
def gone_after_an_error_of_a_get_that_skips_backout(h: History) -> None:
    _failed(h, SYNC | MQGMO.MARK_SKIP_BACKOUT)
    h.backout("C", 24, 26)
    _nothing_left(h)


@case("DLV-03 suspicion")
def gone_after_an_error_for_this_message(h: History) -> None:
    _failed(h, PLAIN, **(BY_MSG_ID | {"sel_msg_id": ident("m1")}))
    _nothing_left(h)


@case()
def gone_after_an_error_for_a_correl_id_where_its_own_is_not_known(h: History) -> None:
    _failed(h, PLAIN, put_correl_id=None, **BY_CORREL_ID)
    _nothing_left(h)


@case()
def gone_after_an_error_of_unknown_selection(h: History) -> None:
    _failed(h, PLAIN, **(BY_MSG_ID | {"sel_msg_id": None}))
    _nothing_left(h)


@case(log="incomplete")
def gone_after_an_error_and_calls_may_be_missing(h: History) -> None:
    _failed(h, PLAIN, **BY_MSG_ID)
    _nothing_left(h)


@case("DLV-03 suspicion")
def gone_after_an_error_while_another_was_backed_out(h: History) -> None:
    _failed(h, PLAIN)
    h.call("B", "MQGET", 24, 26, queue=QUEUE, match_options=0, options=SYNC, comp_code=2, reason=MQRC.UNEXPECTED_ERROR)
    h.backout("B", 28, 30)
    _nothing_left(h)


@case("DLV-03 suspicion")
def two_gone_after_one_error(h: History) -> None:
    _failed(h, PLAIN)
    h.put("P", "m2", 14, 16)
    _nothing_left(h)


@case("DLV-03 suspicion")
def gone_after_an_error_of_a_get_that_waited_for_it(h: History) -> None:
    h.starts_empty()
    usual = {"queue": QUEUE, "match_options": 0, "options": PLAIN | MQGMO.WAIT, "wait_ms": 5000}
    h.call("C", "MQGET", 5, 40, comp_code=2, reason=MQRC.UNEXPECTED_ERROR, **usual)
    h.put("P", "m1", 10, 12)
    _nothing_left(h, 50)


@case("DLV-03 suspicion")
def gone_after_an_error_for_a_call_by_its_msg_id(h: History) -> None:
    _failed(h, PLAIN)
    h.nothing("D", 40, 42, **(BY_MSG_ID | {"sel_msg_id": ident("m1")}))


@case("DLV-03 suspicion", log="zos")
def gone_after_an_error_on_zos(h: History) -> None:
    _failed(h, PLAIN)
    _nothing_left(h)


@case()
def gone_after_an_error_for_a_call_that_asked_for_another(h: History) -> None:
    _failed(h, PLAIN)
    h.nothing("D", 40, 42, **BY_MSG_ID)


@case()
def gone_after_an_error_for_a_browse_that_goes_on(h: History) -> None:
    _failed(h, PLAIN)
    h.nothing("D", 40, 42, options=MQGMO.BROWSE_NEXT)


@case()
def there_again_after_an_error(h: History) -> None:
    _failed(h, PLAIN)
    h.get("D", "m1", 40, 42)
    _nothing_left(h, 50)


@case()
def not_there_before_an_error_only(h: History) -> None:
    _failed(h, PLAIN)
    h.nothing("D", 15, 17, options=MQGMO.BROWSE_NEXT)


@case()
def put_after_an_error_and_not_seen_yet(h: History) -> None:
    _failed(h, PLAIN)
    h.get("D", "m1", 30, 32)
    h.put("P", "m2", 50, 52)


@case()
def gone_after_a_broken_connection_outside_a_unit_of_work(h: History) -> None:
    _failed(h, PLAIN, MQRC.CONNECTION_BROKEN)
    _nothing_left(h)


@case()
def gone_after_an_error_and_a_broken_connection(h: History) -> None:
    _failed(h, PLAIN)
    broken = {"comp_code": 2, "reason": MQRC.CONNECTION_BROKEN}
    h.call("B", "MQGET", 24, 26, queue=QUEUE, match_options=0, options=int(PLAIN), **broken)
    _nothing_left(h)


@case()
def expired_after_an_error(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, expiry=1)
    usual = {"queue": QUEUE, "match_options": 0, "options": int(PLAIN)}
    h.call("C", "MQGET", 20, 22, comp_code=2, reason=MQRC.UNEXPECTED_ERROR, **usual)
    _nothing_left(h, 10_000_000)


@case()
def gone_after_an_error_though_a_restart_may_have_dropped_it(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, persistence=0)
    h.call("D", "MQCONN", 14, 15)
    usual = {"queue": QUEUE, "match_options": 0, "options": int(PLAIN)}
    h.call("C", "MQGET", 20, 22, comp_code=2, reason=MQRC.UNEXPECTED_ERROR, **usual)
    _nothing_left(h)


@case(log="clock")
def gone_after_an_error_perhaps_at_the_same_time(h: History) -> None:
    _failed(h, PLAIN)
    _nothing_left(h)
