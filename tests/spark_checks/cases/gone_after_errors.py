"""Messages that are gone after a get that did not tell what it took, though it cannot have taken them: DLV-03."""

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


@case()
def gone_after_an_error_that_may_have_taken_it(h: History) -> None:
    _failed(h, PLAIN)
    _nothing_left(h)


@case()
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


@case()
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
