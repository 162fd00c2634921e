"""Calls that were answered that their handle holds no lock, or has no message under its cursor: LCK-15, LCK-06."""

from __future__ import annotations

from typing import Any

from oracle.mqi.constants import MQGMO, MQOO, MQPMO, MQRC
from tests.spark_checks.cases import case
from tests.spark_checks.cases.exclusion import LOCK_FIRST, LOCK_NEXT
from tests.spark_checks.histories import PLAIN, QUEUE, History

NOT_LOCKED: dict[str, Any] = {"comp_code": 1, "reason": MQRC.NO_MSG_LOCKED}
NOT_THERE: dict[str, Any] = {"comp_code": 2, "reason": MQRC.NO_MSG_UNDER_CURSOR}
UNDER_CURSOR = PLAIN | MQGMO.MSG_UNDER_CURSOR


def _locked(h: History, options: int = LOCK_FIRST, **of_browse: Any) -> None:
    """Have a handle lock a message."""
    h.starts_empty()
    h.open("C", 1, 2, MQOO.BROWSE | MQOO.INPUT_SHARED, hobj=5)
    h.put("P", "m1", 10, 12, expiry=of_browse.get("expiry", -1))
    h.browse("C", "m1", 20, 22, **({"options": options, "hobj": 5} | of_browse))


def _call(h: History, options: int, **how: Any) -> None:
    usual: dict[str, Any] = {"queue": QUEUE, "hobj": 5, "match_options": 0, "options": int(options)}
    h.call("C", "MQGET", 40, 42, **(usual | how))


@case("LCK-15 violation")
def unlocked_nothing_although_a_message_was_locked(h: History) -> None:
    _locked(h)
    _call(h, MQGMO.UNLOCK, **NOT_LOCKED)


@case("LCK-15 violation")
def unlocked_nothing_after_calls_that_leave_the_lock_alone(h: History) -> None:
    _locked(h)
    h.commit("C", 24, 25)
    h.backout("C", 26, 27)
    h.nothing("C", 28, 29, hobj=5)
    h.nothing("C", 30, 31, hobj=6, options=MQGMO.BROWSE_NEXT)
    h.browse("C", "m1", 32, 33, hobj=5, options=MQGMO.BROWSE_MSG_UNDER_CURSOR | MQGMO.LOCK)
    _call(h, MQGMO.UNLOCK, **NOT_LOCKED)


@case("LCK-15 suspicion", log="incomplete")
def unlocked_nothing_where_a_call_may_be_missing(h: History) -> None:
    _locked(h)
    _call(h, MQGMO.UNLOCK, **NOT_LOCKED)


@case()
def unlocked_nothing_after_what_ends_a_lock(h: History) -> None:
    ends: tuple[dict[str, Any], ...] = (
        {"options": MQGMO.UNLOCK},
        {"options": MQGMO.BROWSE_NEXT, "comp_code": 2, "reason": MQRC.NO_MSG_AVAILABLE},
        {"options": MQGMO.BROWSE_NEXT | MQGMO.WAIT, "wait_ms": 1, "comp_code": 2, "reason": MQRC.GET_INHIBITED},
        {"options": None, "comp_code": 2, "reason": MQRC.NO_MSG_AVAILABLE},
        {"options": UNDER_CURSOR, "comp_code": 2, "reason": MQRC.UNEXPECTED_ERROR},
        {"options": MQGMO.BROWSE_FIRST, "comp_code": None, "reason": None},
        {"options": MQGMO.BROWSE_FIRST, "hobj": None, "comp_code": 2, "reason": MQRC.GET_INHIBITED},
    )
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    for number, ending in enumerate(ends):
        at, usual = 100 * number + 100, {"queue": QUEUE, "hobj": number, "match_options": 0}
        h.browse("C", "m1", at, at + 2, options=LOCK_FIRST, hobj=number)
        h.call("C", "MQGET", at + 4, at + 6, **(usual | ending))
        h.call("C", "MQGET", at + 8, at + 9, **(usual | {"options": MQGMO.UNLOCK} | NOT_LOCKED))
        h.call("C", "MQCLOSE", at + 10, at + 12, hobj=number, queue=QUEUE, options=0)


@case()
def unlocked_nothing_for_the_message_did_not_fit(h: History) -> None:
    _locked(h, comp_code=1, reason=MQRC.TRUNCATED_MSG_FAILED, buffer_length=1, length=9)
    _call(h, MQGMO.UNLOCK, **NOT_LOCKED)


@case()
def unlocked_nothing_for_the_message_may_have_expired(h: History) -> None:
    _locked(h, expiry=1)
    _call(h, MQGMO.UNLOCK, **NOT_LOCKED)


@case()
def unlocked_nothing_with_a_handle_that_was_opened_again(h: History) -> None:
    _locked(h)
    h.call("C", "MQCLOSE", 24, 26, hobj=5, queue=QUEUE, options=0)
    h.open("C", 28, 30, MQOO.BROWSE | MQOO.INPUT_SHARED, hobj=5)
    _call(h, MQGMO.UNLOCK, **NOT_LOCKED)


@case()
def unlocked_nothing_with_another_handle(h: History) -> None:
    _locked(h)
    h.open("C", 28, 30, MQOO.BROWSE | MQOO.INPUT_SHARED, hobj=6)
    _call(h, MQGMO.UNLOCK, hobj=6, **NOT_LOCKED)


@case("LCK-06 violation")
def nothing_under_the_cursor_although_it_was_locked_there(h: History) -> None:
    _locked(h)
    _call(h, UNDER_CURSOR, **NOT_THERE)


@case("LCK-06 violation")
def nothing_to_browse_under_the_cursor_although_it_was_locked_there(h: History) -> None:
    _locked(h, LOCK_NEXT)
    _call(h, MQGMO.BROWSE_MSG_UNDER_CURSOR, **NOT_THERE)


@case()
def nothing_under_a_cursor_that_a_truncated_browse_may_have_moved(h: History) -> None:
    _locked(h)
    h.call(
        "C", "MQGET", 24, 26, queue=QUEUE, hobj=5, options=MQGMO.BROWSE_FIRST, match_options=0,
        comp_code=1, reason=MQRC.TRUNCATED_MSG_FAILED,
    )  # fmt: skip  # a call
    _call(h, UNDER_CURSOR, **NOT_THERE)


@case()
def nothing_under_the_cursor_after_the_lock_was_given_up(h: History) -> None:
    _locked(h)
    h.call("C", "MQGET", 24, 26, queue=QUEUE, hobj=5, options=MQGMO.UNLOCK, match_options=0)
    h.get("D", "m1", 30, 32)
    _call(h, UNDER_CURSOR, **NOT_THERE)


def _locked_uncommitted(h: History) -> None:
    """Record that C locked a message that it had put in its open unit of work."""
    h.starts_empty()
    h.open("C", 1, 2, MQOO.BROWSE | MQOO.INPUT_SHARED | MQOO.OUTPUT, hobj=5)
    h.put("C", "m1", 10, 12, options=MQPMO.SYNCPOINT, hobj=5)
    h.browse("C", "m1", 20, 22, options=LOCK_FIRST, hobj=5)


@case()
def nothing_under_the_cursor_after_the_put_of_what_was_locked_was_undone(h: History) -> None:
    _locked_uncommitted(h)
    h.backout("C", 30, 32)
    _call(h, UNDER_CURSOR, **NOT_THERE)


@case()
def nothing_under_the_cursor_outside_the_unit_of_work_of_its_put(h: History) -> None:
    """Leave open whether a get outside it sees what a browse has shown (AMB-130)."""
    _locked_uncommitted(h)
    _call(h, UNDER_CURSOR, **NOT_THERE)


@case()
def nothing_under_the_cursor_that_was_browsed_without_a_lock(h: History) -> None:
    _locked(h, MQGMO.BROWSE_FIRST)
    h.get("D", "m1", 30, 32)
    _call(h, UNDER_CURSOR, **NOT_THERE)


@case()
def nothing_under_the_cursor_after_the_handle_took_the_message(h: History) -> None:
    _locked(h)
    h.get("C", "m1", 30, 32, options=UNDER_CURSOR, hobj=5)
    _call(h, UNDER_CURSOR, **NOT_THERE)


@case()
def no_whole_message_under_the_cursor(h: History) -> None:
    """Leave open what COMPLETE_MSG withholds there."""
    _locked(h)
    _call(h, UNDER_CURSOR | MQGMO.COMPLETE_MSG, **NOT_THERE)


@case()
def nothing_under_the_cursor_for_the_message_may_have_expired(h: History) -> None:
    _locked(h, expiry=1)
    _call(h, UNDER_CURSOR, **NOT_THERE)
