"""Order among gets that select, by CorrelId and otherwise: PRI-03, PRI-04, BRW-03."""

from __future__ import annotations

from typing import Any

from oracle.mqi.constants import MQGMO, MQMO
from tests.spark_checks.cases import case
from tests.spark_checks.cases.order import two_puts
from tests.spark_checks.histories import NO_ID, PLAIN, SYNC, History, ident


@case()
def selective_gets_may_pass_over(h: History) -> None:
    two_puts(h)
    h.get("C", "m2", 30, 32, match_options=MQMO.MATCH_MSG_ID, sel_msg_id=ident("m2"))
    h.get("C", "m1", 40, 42)


def _by_correl_id(correl_id: str) -> dict[str, Any]:
    """Return what a get by CorrelId asks for, and the CorrelId of what it returned."""
    return {"match_options": MQMO.MATCH_CORREL_ID, "sel_correl_id": ident(correl_id), "correl_id": ident(correl_id)}


def _answers_to_two_requests(h: History, **of_second: int) -> None:
    h.starts_empty()
    h.put("P", "a1", 10, 12, correl_id=ident("a"))
    h.put("P", "b1", 14, 16, correl_id=ident("b"))
    h.put("P", "a2", 20, 22, correl_id=ident("a"), **of_second)


@case()
def gets_by_correl_id_in_their_order(h: History) -> None:
    _answers_to_two_requests(h)
    h.get("A", "a1", 30, 32, **_by_correl_id("a"))
    h.get("A", "a2", 40, 42, **_by_correl_id("a"))
    h.get("B", "b1", 50, 52, **_by_correl_id("b"))


@case("PRI-03 violation")
def gets_by_correl_id_out_of_order(h: History) -> None:
    _answers_to_two_requests(h)
    h.get("A", "a2", 30, 32, **_by_correl_id("a"))
    h.get("A", "a1", 40, 42, **_by_correl_id("a"))


@case("PRI-03 violation")
def a_get_by_correl_id_of_lower_priority(h: History) -> None:
    h.header("queue", MsgDeliverySequence="PRIORITY")
    _answers_to_two_requests(h, priority=5)
    h.get("A", "a1", 30, 32, **_by_correl_id("a"))
    h.get("A", "a2", 40, 42, priority=5, **_by_correl_id("a"))


@case()
def a_get_by_correl_id_passes_another_one_of_higher_priority(h: History) -> None:
    _answers_to_two_requests(h, priority=5)
    h.get("B", "b1", 30, 32, **_by_correl_id("b"))
    h.get("A", "a2", 40, 42, priority=5)


@case("PRI-03 violation")
def a_get_of_any_passes_what_gets_by_correl_id_do_not(h: History) -> None:
    _answers_to_two_requests(h)
    h.get("B", "b1", 30, 32, **_by_correl_id("b"))
    h.get("C", "a2", 40, 42, correl_id=ident("a"))
    h.get("A", "a1", 50, 52, **_by_correl_id("a"))


@case("BRW-03 violation")
def a_first_browse_by_correl_id_out_of_order(h: History) -> None:
    _answers_to_two_requests(h)
    h.get("A", "a2", 30, 32, options=MQGMO.BROWSE_FIRST, **_by_correl_id("a"))
    h.get("A", "a1", 40, 42, **_by_correl_id("a"))


@case("VIS-03 violation")
def gets_by_correl_id_of_what_was_committed_later(h: History) -> None:
    h.starts_empty()
    h.put("P1", "a1", 10, 12, options=SYNC, correl_id=ident("a"))
    h.put("P2", "a2", 20, 22, correl_id=ident("a"))
    h.commit("P1", 24, 26)
    h.get("A", "a2", 30, 32, **_by_correl_id("a"))
    h.get("A", "a1", 40, 42, **_by_correl_id("a"))


@case("VIS-04 violation")
def a_get_by_correl_id_passes_what_was_backed_out(h: History) -> None:
    _answers_to_two_requests(h)
    h.get("B", "a1", 24, 25, options=SYNC, **_by_correl_id("a"))
    h.backout("B", 26, 27)
    h.get("A", "a2", 30, 32, **_by_correl_id("a"))
    h.get("A", "a1", 40, 42, backout_count=1, **_by_correl_id("a"))


@case()
def gets_by_both_identifiers_may_pass_over(h: History) -> None:
    _answers_to_two_requests(h)
    both = _by_correl_id("a") | {"match_options": MQMO.MATCH_MSG_ID | MQMO.MATCH_CORREL_ID}
    h.get("A", "a2", 30, 32, sel_msg_id=ident("a2"), **both)
    h.get("A", "a1", 40, 42, **_by_correl_id("a"))


@case()
def the_correl_id_of_a_passed_message_is_not_known(h: History) -> None:
    h.starts_empty()
    h.put("P", "a1", 10, 12, correl_id=None)
    h.put("P", "a2", 20, 22, correl_id=ident("a"))
    h.get("A", "a2", 30, 32, **_by_correl_id("a"))
    h.get("A", "a1", 40, 42, correl_id=None)


@case()
def a_get_by_token_may_pass_over(h: History) -> None:
    two_puts(h)
    h.get("C", "m2", 30, 32, match_options=MQMO.MATCH_MSG_TOKEN)
    h.get("C", "m1", 40, 42)


@case("PRI-03 violation")
def match_options_with_null_identifiers_select_nothing(h: History) -> None:
    two_puts(h)
    h.get(
        "C",
        "m2",
        30,
        32,
        match_options=MQMO.MATCH_MSG_ID | MQMO.MATCH_CORREL_ID,
        sel_msg_id=NO_ID,
        sel_correl_id=NO_ID,
    )
    h.get("C", "m1", 40, 42)


@case()
def unknown_match_options_may_select(h: History) -> None:
    two_puts(h)
    h.get("C", "m2", 30, 32, match_options=None)
    h.get("C", "m1", 40, 42)


@case("PRI-03 violation")
def unknown_match_options_with_null_identifiers_select_nothing(h: History) -> None:
    two_puts(h)
    h.get("C", "m2", 30, 32, match_options=None, sel_msg_id=NO_ID, sel_correl_id=NO_ID)
    h.get("C", "m1", 40, 42)


@case()
def unknown_options(h: History) -> None:
    two_puts(h)
    h.get("C", "m2", 30, 32, options=None)
    h.get("C", "m1", 40, 42)


@case()
def logical_order_and_cursor_gets_may_pass_over(h: History) -> None:
    h.starts_empty()
    for number, option in enumerate((MQGMO.LOGICAL_ORDER, MQGMO.MSG_UNDER_CURSOR)):
        start = 100 * number
        h.put("P", f"a{number}", start + 10, start + 12)
        h.put("P", f"b{number}", start + 20, start + 22)
        h.get("C", f"b{number}", start + 30, start + 32, options=PLAIN | option)
        h.get("C", f"a{number}", start + 40, start + 42)
