"""Calls that go on from where their handle was: from the front if it has been nowhere (BRW-06, DLV-05, PRI-03)."""

from __future__ import annotations

from typing import Any

from oracle.mqi.constants import MQCC, MQCO, MQGMO, MQOO, MQRC
from tests.spark_checks.cases import case
from tests.spark_checks.cases.groups import ALL_MESSAGES, IN, LAST, member
from tests.spark_checks.histories import PLAIN, SYNC, History, ident

IN_ORDER, NEXT = PLAIN | MQGMO.LOGICAL_ORDER, MQGMO.BROWSE_NEXT
H: dict[str, Any] = {"hobj": 1}


def _opened(h: History) -> None:
    """Record that C opened the queue, that m1 was put, and that D gets it at last."""
    h.open("C", 0, 2, MQOO.INPUT_SHARED | MQOO.BROWSE)
    h.put("P", "m1", 10, 12)
    h.get("D", "m1", 90, 92)


@case("DLV-05 violation")
def a_first_browse_goes_on_from_the_front(h: History) -> None:
    _opened(h)
    h.nothing("C", 20, 22, options=NEXT, **H)


@case("DLV-05 violation")
def a_browse_goes_on_from_the_front_after_one_that_found_nothing(h: History) -> None:
    _opened(h)
    h.nothing("C", 4, 6, options=NEXT, **H)
    h.nothing("C", 20, 22, options=NEXT, **H)


@case()
def a_browse_goes_on_behind_the_cursor(h: History) -> None:
    _opened(h)
    h.browse("C", "m1", 14, 16, **H)
    h.nothing("C", 20, 22, options=NEXT, **H)


@case()
def a_browse_goes_on_from_where_a_truncated_one_may_have_led(h: History) -> None:
    _opened(h)
    truncated = {"comp_code": MQCC.WARNING, "reason": MQRC.TRUNCATED_MSG_FAILED}
    h.browse("C", "m1", 14, 16, **truncated, **H)
    h.nothing("C", 20, 22, options=NEXT, **H)


@case()
def a_browse_of_a_handle_whose_opening_is_not_in_the_log(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.nothing("C", 20, 22, options=NEXT, **H)
    h.get("D", "m1", 90, 92)


@case()
def a_browse_of_a_handle_that_may_have_been_opened_anew(h: History) -> None:
    _opened(h)
    h.call("C", "MQCLOSE", 14, 15, options=MQCO.NONE, **H)
    h.nothing("C", 20, 22, options=NEXT, **H)


@case("DLV-05 violation")
def nothing_to_get_in_order_at_first(h: History) -> None:
    _opened(h)
    h.nothing("C", 20, 22, options=IN_ORDER, **H)


@case("DLV-05 violation")
def nothing_to_get_in_order_after_a_whole_group(h: History) -> None:
    _opened(h)
    h.put("Q", "a1", 4, 5, **member(1, IN))
    h.put("Q", "a2", 6, 7, **member(2, LAST))
    h.get("C", "a1", 20, 22, options=IN_ORDER, **member(1, IN), **H)
    h.get("C", "a2", 24, 26, options=IN_ORDER, **member(2, LAST), **H)
    h.nothing("C", 30, 32, options=IN_ORDER, **H)


@case()
def nothing_more_of_the_current_group(h: History) -> None:
    _opened(h)
    h.put("Q", "a1", 4, 5, **member(1, IN))
    h.get("C", "a1", 20, 22, options=IN_ORDER, **member(1, IN), **H)
    h.nothing("C", 30, 32, options=IN_ORDER, **H)


@case("LOG-24 violation")
def nothing_more_of_a_group_that_a_backout_has_restored(h: History) -> None:
    _opened(h)
    h.put("Q", "a1", 4, 5, **member(1, IN))
    h.put("Q", "a2", 6, 7, **member(2, LAST))
    h.get("C", "a1", 20, 22, options=IN_ORDER, **member(1, IN), **H)
    h.get("C", "a2", 24, 26, options=SYNC | MQGMO.LOGICAL_ORDER, **member(2, LAST), **H)
    h.backout("C", 27, 28)
    h.get("D", "a2", 29, 30, backout_count=1, **member(2, LAST))
    h.nothing("C", 40, 42, options=IN_ORDER, **H)


@case("DLV-05 violation")
def the_first_message_of_a_group_is_there(h: History) -> None:
    h.open("C", 0, 2, MQOO.INPUT_SHARED)
    h.put("P", "a1", 10, 12, **member(1, IN))
    h.nothing("C", 20, 22, options=IN_ORDER, **H)
    h.get("D", "a1", 90, 92, **member(1, IN))


@case()
def only_a_later_message_of_a_group_is_there(h: History) -> None:
    h.open("C", 0, 2, MQOO.INPUT_SHARED)
    h.put("P", "a2", 10, 12, **member(2, LAST))
    h.nothing("C", 20, 22, options=IN_ORDER, **H)
    h.get("D", "a2", 90, 92, **member(2, LAST))


@case("DLV-05 violation")
def a_message_in_no_group_is_whole(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.nothing("C", 20, 22, options=ALL_MESSAGES)
    h.get("D", "m1", 90, 92)


@case()
def a_group_is_not_whole(h: History) -> None:
    h.put("P", "a1", 10, 12, **member(1, IN))
    h.nothing("C", 20, 22, options=ALL_MESSAGES)
    h.get("D", "a1", 90, 92, **member(1, IN))


@case()
def a_message_whose_flags_are_not_known_may_be_in_a_group(h: History) -> None:
    h.put("P", "m1", 10, 12, msg_flags=None)
    h.nothing("C", 20, 22, options=ALL_MESSAGES)
    h.get("D", "m1", 90, 92, msg_flags=None)


@case()
def nothing_of_a_group_that_was_asked_for(h: History) -> None:
    _opened(h)
    h.nothing("C", 20, 22, options=IN_ORDER, match_options=4, sel_group_id=ident("g"), **H)


def _two(h: History, **of_first: Any) -> None:
    """Record that C opened the queue, and that two messages were put."""
    h.starts_empty()
    h.open("C", 0, 2, MQOO.INPUT_SHARED | MQOO.BROWSE)
    h.put("P", "m1", 10, 12, **of_first)
    h.put("P", "m2", 14, 16)


@case("BRW-06 violation")
def a_first_browse_goes_on_to_the_second_message(h: History) -> None:
    _two(h)
    h.browse("C", "m2", 20, 22, options=NEXT, **H)
    h.get("D", "m1", 90, 92)


@case()
def a_second_browse_goes_on_to_the_second_message(h: History) -> None:
    _two(h)
    h.browse("C", "m1", 20, 22, options=NEXT, **H)
    h.browse("C", "m2", 24, 26, options=NEXT, **H)
    h.get("D", "m1", 90, 92)


@case("PRI-03 violation")
def gets_in_order_pass_over_a_message_in_no_group(h: History) -> None:
    _two(h)
    h.get("C", "m2", 20, 22, options=IN_ORDER, **H)
    h.get("D", "m1", 90, 92)


@case("PRI-03 violation")
def gets_in_order_pass_over_the_first_message_of_a_group(h: History) -> None:
    _two(h, **member(1, IN))
    h.get("C", "m2", 20, 22, options=IN_ORDER, **H)
    h.get("D", "m1", 90, 92, **member(1, IN))


@case()
def gets_in_order_pass_over_a_later_message_of_a_group(h: History) -> None:
    _two(h, **member(2, LAST))
    h.get("C", "m2", 20, 22, options=IN_ORDER, **H)
    h.get("D", "m1", 90, 92, **member(2, LAST))


@case()
def gets_in_order_go_on_with_their_group(h: History) -> None:
    _two(h)
    h.put("Q", "a1", 4, 5, **member(1, IN))
    h.put("Q", "a2", 17, 18, **member(2, LAST))
    h.get("C", "a1", 20, 22, options=IN_ORDER, **member(1, IN), **H)
    h.get("C", "a2", 24, 26, options=IN_ORDER, **member(2, LAST), **H)
    h.get("D", "m1", 90, 92)


@case()
def gets_of_whole_groups_pass_over_a_part(h: History) -> None:
    _two(h, **member(1, IN))
    h.get("C", "m2", 20, 22, options=ALL_MESSAGES)
    h.get("D", "m1", 90, 92, **member(1, IN))


@case("PRI-03 violation")
def gets_of_whole_groups_pass_over_a_message_in_none(h: History) -> None:
    _two(h)
    h.get("C", "m2", 20, 22, options=ALL_MESSAGES)
    h.get("D", "m1", 90, 92)
