"""BROWSE_NEXTs by CorrelId that passed over a message: BRW-05."""

from __future__ import annotations

from typing import Any

from oracle.mqi.constants import MQGMO, MQMO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import SYNC, History, ident

FIRST, NEXT = MQGMO.BROWSE_FIRST, MQGMO.BROWSE_NEXT


def _asked(name: str = "c") -> dict[str, Any]:
    return {"match_options": MQMO.MATCH_CORREL_ID, "sel_correl_id": ident(name), "hobj": 5}


def _correl(name: str = "c") -> dict[str, Any]:
    return {"correl_id": ident(name)}


def _three(h: History, *, sequence: str = "FIFO", **of_second: Any) -> None:
    """Put three messages, and browse the first one by its CorrelId."""
    h.header("queue", MsgDeliverySequence=sequence, CAPEXPRY=0)
    h.starts_empty()
    h.put("P", "m1", 10, 12, **_correl())
    h.put("P", "m2", 20, 22, **(_correl() | of_second))
    h.put("P", "m3", 30, 32, **_correl())
    h.browse("C", "m1", 50, 52, options=FIRST, **_asked(), **_correl())


def _goes_on(h: History, message: str = "m3") -> None:
    h.browse("C", message, 60, 62, options=NEXT, **_asked(), **_correl())


def _all_are_got(h: History, *, second: str = "c") -> None:
    for number, name in enumerate(("c", second, "c"), start=1):
        h.get("D", f"m{number}", 70 + 10 * number, 72 + 10 * number, **_correl(name))


@case("BRW-05 violation")
def passed_over_a_message_with_the_correl_id_that_was_asked_for(h: History) -> None:
    _three(h)
    _goes_on(h)
    _all_are_got(h)


@case("BRW-05 violation")
def passed_over_a_message_with_the_correl_id_on_a_queue_by_priority(h: History) -> None:
    _three(h, sequence="PRIORITY")
    _goes_on(h)
    _all_are_got(h)


@case("BRW-05 violation")
def found_none_though_there_was_one_with_the_correl_id(h: History) -> None:
    _three(h)
    h.nothing("C", 60, 62, options=NEXT, **_asked())
    _all_are_got(h)


@case("BRW-05 violation", "PRI-04 violation")
def passed_over_a_message_with_the_correl_id_that_nobody_saw_again(h: History) -> None:
    _three(h)
    _goes_on(h)
    h.get("D", "m1", 70, 72, **_correl())
    h.get("D", "m3", 80, 82, **_correl())


@case()
def passed_over_messages_with_other_correl_ids(h: History) -> None:
    _three(h, **_correl("d"))
    _goes_on(h)
    _all_are_got(h, second="d")


@case()
def found_none_with_another_correl_id(h: History) -> None:
    _three(h)
    h.nothing("C", 60, 62, options=NEXT, **_asked("e"))
    _all_are_got(h)


@case()
def passed_over_a_message_with_the_correl_id_that_a_unit_of_work_held(h: History) -> None:
    _three(h)
    h.get("E", "m2", 54, 56, options=SYNC, match_options=MQMO.MATCH_MSG_ID, sel_msg_id=ident("m2"), **_correl())
    _goes_on(h)
    h.backout("E", 64, 66)
    h.get("D", "m1", 80, 82, **_correl())
    h.get("D", "m2", 90, 92, backout_count=1, **_correl())
    h.get("D", "m3", 100, 102, **_correl())


@case()
def passed_over_a_message_with_the_correl_id_that_came_meanwhile(h: History) -> None:
    h.header("queue", MsgDeliverySequence="FIFO", CAPEXPRY=0)
    h.starts_empty()
    h.put("P", "m1", 10, 12, **_correl())
    h.browse("C", "m1", 50, 52, options=FIRST, **_asked(), **_correl())
    h.put("P", "m2", 54, 61, **_correl())
    h.nothing("C", 60, 62, options=NEXT, **_asked())
    h.get("D", "m1", 70, 72, **_correl())
    h.get("D", "m2", 80, 82, **_correl())


@case()
def passed_over_a_message_with_the_correl_id_before_the_cursor(h: History) -> None:
    """Put the cursor on the second one, by another CorrelId."""
    h.header("queue", MsgDeliverySequence="FIFO", CAPEXPRY=0)
    h.starts_empty()
    h.put("P", "m1", 10, 12, **_correl())
    h.put("P", "m2", 20, 22, **_correl("d"))
    h.browse("C", "m2", 50, 52, options=FIRST, **_asked("d"), **_correl("d"))
    h.nothing("C", 60, 62, options=NEXT, **_asked())
    h.get("D", "m1", 70, 72, **_correl())
    h.get("D", "m2", 80, 82, **_correl("d"))


@case("BRW-05 violation")
def passed_over_what_stands_behind_a_message_with_another_correl_id(h: History) -> None:
    h.header("queue", MsgDeliverySequence="FIFO", CAPEXPRY=0)
    h.starts_empty()
    h.put("P", "m1", 10, 12, **_correl("d"))
    h.put("P", "m2", 20, 22, **_correl())
    h.browse("C", "m1", 50, 52, options=FIRST, hobj=5, **_correl("d"))
    h.nothing("C", 60, 62, options=NEXT, **_asked())
    h.get("D", "m1", 70, 72, **_correl("d"))
    h.get("D", "m2", 80, 82, **_correl())


@case()
def passed_over_a_message_of_unknown_correl_id(h: History) -> None:
    _three(h, correl_id=None)
    _goes_on(h)
    h.get("D", "m1", 80, 82, **_correl())
    h.get("D", "m2", 90, 92)
    h.get("D", "m3", 100, 102, **_correl())


@case(log="incomplete")
def passed_over_a_message_with_the_correl_id_that_another_may_have_held(h: History) -> None:
    _three(h)
    _goes_on(h)
    _all_are_got(h)
