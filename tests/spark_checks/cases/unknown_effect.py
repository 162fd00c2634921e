"""Calls whose outcome the application did not learn: what they leave open, and what they do not.

Each case that must be silent has a twin in which the call was refused instead, and is found.
"""

from __future__ import annotations

from typing import Any

from oracle.mqi.constants import MQGMO, MQOO, MQPMO, MQRC
from oracle.mqi.unknown_effect import UNKNOWN_EFFECT
from tests.spark_checks.cases import case
from tests.spark_checks.cases.replay import DEFINED, GOT, WHOLE
from tests.spark_checks.histories import NO_ID, QUEUE, SYNC, History, ident

NEXT = MQGMO.BROWSE_NEXT
LOCK_FIRST = MQGMO.BROWSE_FIRST | MQGMO.LOCK
PUT_SYNC = MQPMO.SYNCPOINT


def _failed(reason: int) -> dict[str, Any]:
    return {"comp_code": 2, "reason": reason}


def _followable(h: History) -> None:
    h.starts_empty()
    h.header("queue", **DEFINED, CAPEXPRY=0)
    for number, (conn, options) in enumerate((("P", MQOO.OUTPUT), ("C", MQOO.INPUT_SHARED))):
        h.call(conn, "MQCONN", 2 * number + 1, 2 * number + 1)
        h.open(conn, 2 * number + 2, 2 * number + 2, options)


def _put_that_failed(h: History, reason: int) -> None:
    _followable(h)
    h.put("P", "m1", 10, 11, **WHOLE, **_failed(reason))
    h.get("C", "m1", 20, 21, **GOT)


@case()
def got_although_its_put_ended_with_an_unexpected_error(h: History) -> None:
    _put_that_failed(h, MQRC.UNEXPECTED_ERROR)


@case("DLV-01 violation", "PUT-09 violation")
def got_although_its_put_was_refused(h: History) -> None:
    _put_that_failed(h, MQRC.PUT_INHIBITED)


@case()
def got_although_the_connections_of_their_puts_broke(h: History) -> None:
    h.starts_empty()
    for number, reason in enumerate(sorted(UNKNOWN_EFFECT)):
        h.put(f"P{number}", f"m{number}", 10 * number + 10, 10 * number + 12, **_failed(reason))
        h.get("C", f"m{number}", 1000 + 10 * number, 1002 + 10 * number)


@case()
def got_although_its_put_failed_for_a_reason_that_was_not_captured(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, comp_code=2, reason=None)
    h.get("C", "m1", 20, 22)


@case("SYN-08 violation")
def got_twice_although_its_put_took_effect_at_most_once(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, **_failed(MQRC.UNEXPECTED_ERROR))
    h.get("C", "m1", 20, 22)
    h.get("C", "m1", 30, 32)


def _descriptor_used_again(h: History, reason: int) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.put("P", "m1", 20, 22, options=MQPMO.NO_SYNCPOINT | MQPMO.NEW_MSG_ID, **_failed(reason))
    h.get("C", "m1", 30, 32)
    h.get("C", "m2", 40, 42)


@case()
def got_with_an_identifier_that_its_put_did_not_learn(h: History) -> None:
    _descriptor_used_again(h, MQRC.CONNECTION_STOPPING)


@case("DLV-01 violation")
def got_with_an_identifier_that_no_put_was_given(h: History) -> None:
    _descriptor_used_again(h, MQRC.PUT_INHIBITED)


def _browsed_again(h: History, reason: int) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 14, 16)
    h.browse("C", "m1", 20, 22, hobj=5)
    h.browse("C", "m2", 24, 26, hobj=5, options=NEXT)
    h.nothing("C", 30, 32, hobj=5, options=MQGMO.BROWSE_FIRST, reason=reason)
    h.browse("C", "m2", 34, 36, hobj=5, options=NEXT)


@case()
def browsed_again_after_a_browse_that_may_have_gone_back(h: History) -> None:
    _browsed_again(h, MQRC.UNEXPECTED_ERROR)


@case("BRW-05 violation")
def browsed_again_after_a_browse_that_was_refused(h: History) -> None:
    _browsed_again(h, MQRC.GET_INHIBITED)


def _nothing_to_browse(h: History, reason: int) -> None:
    h.starts_empty()
    h.open("C", 2, 3, MQOO.BROWSE, hobj=5)
    h.put("P", "m1", 10, 12)
    h.nothing("C", 20, 22, hobj=5, options=MQGMO.BROWSE_FIRST, reason=reason)
    h.nothing("C", 30, 32, hobj=5, options=NEXT)
    h.get("D", "m1", 40, 42)


@case()
def nothing_behind_what_a_browse_may_have_shown(h: History) -> None:
    _nothing_to_browse(h, MQRC.UNEXPECTED_ERROR)


@case("DLV-05 violation")
def nothing_for_a_handle_that_has_browsed_nothing(h: History) -> None:
    _nothing_to_browse(h, MQRC.GET_INHIBITED)


def _locked(h: History, reason: int) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.browse("C", "m1", 20, 22, hobj=5, options=LOCK_FIRST)
    h.call(
        "C", "MQPUT", 24, 26, queue="OTHER", hobj=6, options=MQPMO.NO_SYNCPOINT, msg_id=ident("x"), **_failed(reason)
    )
    h.get("D", "m1", 30, 32)
    h.call("C", "MQINQ", 40, 42, queue=QUEUE, hobj=5)
    h.nothing("C", 50, 52, hobj=5, options=MQGMO.BROWSE_FIRST)


@case()
def got_although_it_was_locked_before_its_connection_was_made_anew(h: History) -> None:
    _locked(h, MQRC.CALL_INTERRUPTED)


@case("LCK-01 violation")
def got_although_it_was_locked(h: History) -> None:
    _locked(h, MQRC.PUT_INHIBITED)


def _held(h: History, reason: int) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12)
    h.get("C", "m1", 20, 22, options=SYNC)
    h.call("C", "MQPUT", 24, 26, queue="OTHER", hobj=6, options=PUT_SYNC, msg_id=ident("x"), **_failed(reason))
    h.get("D", "m1", 30, 32)
    h.commit("C", 40, 42)


@case()
def got_although_it_was_held_before_a_unit_of_work_may_have_been_lost(h: History) -> None:
    _held(h, MQRC.CALL_INTERRUPTED)


@case("SYN-01 violation")
def got_although_it_was_held(h: History) -> None:
    _held(h, MQRC.PUT_INHIBITED)


@case()
def a_get_while_gets_are_inhibited_that_may_have_returned_nothing(h: History) -> None:
    h.header("queue", InhibitGet=1)
    h.nothing("C", 20, 22, reason=MQRC.UNEXPECTED_ERROR)


def _set(h: History, reason: int) -> None:
    h.header("queue", InhibitGet=1)
    h.call("A", "MQSET", 10, 12, queue=QUEUE, hobj=1, **_failed(reason))
    h.get("C", "m1", 20, 22)


@case()
def got_after_an_mqset_that_may_have_allowed_gets(h: History) -> None:
    _set(h, MQRC.CONNECTION_BROKEN)


@case("WAI-06 violation")
def got_after_an_mqset_that_was_refused(h: History) -> None:
    _set(h, MQRC.NOT_OPEN_FOR_SET)


def _across(h: History, reason: int) -> None:
    """Record a message that is not persistent, and a connection that was there before and after it."""
    h.starts_empty()
    h.call("C", "MQCONN", 2, 3)
    h.put("P", "m1", 10, 12, persistence=0)
    h.call("C", "MQINQ", 20, 22, queue=QUEUE, hobj=1, **_failed(reason))
    h.nothing("C", 30, 32)


@case("DLV-03 suspicion")
def lost_while_a_connection_may_have_been_made_anew(h: History) -> None:
    _across(h, MQRC.RECONNECT_TIMED_OUT)


@case("DLV-03 violation")
def lost_while_a_connection_lasted(h: History) -> None:
    _across(h, MQRC.NOT_OPEN_FOR_INQUIRE)


@case("DLV-03 violation")
def lost_before_the_connection_of_its_put_broke(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, persistence=0)
    h.nothing("C", 20, 22)
    h.call("P", "MQINQ", 30, 32, queue=QUEUE, hobj=1)
    h.call("P", "MQINQ", 40, 42, queue=QUEUE, hobj=1, **_failed(MQRC.CONNECTION_BROKEN))


@case()
def put_in_a_unit_of_work_whose_commit_was_interrupted(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=PUT_SYNC)
    h.put("P", "m2", 14, 16, options=PUT_SYNC)
    h.commit("P", 20, 22, **_failed(MQRC.CALL_INTERRUPTED))
    h.get("C", "m1", 30, 32)
    h.nothing("C", 40, 42)


@case("VIS-01 violation")
def put_in_a_unit_of_work_that_was_not_committed(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=PUT_SYNC)
    h.get("C", "m1", 30, 32)
    h.backout("P", 40, 42)


def _group_with_a_gap(h: History, reason: int) -> None:
    """Record a group of three of which the second was put by a call that failed, and shows what it was passed."""
    h.starts_empty()
    of_group: dict[str, Any] = {"options": MQPMO.NO_SYNCPOINT | MQPMO.LOGICAL_ORDER, "offset": 0, "hobj": 1}
    for number, (name, flags) in enumerate((("m1", 8), ("m2", 8), ("m3", 24)), start=1):
        place: dict[str, Any] = {"group_id": ident("g"), "msg_seq_number": number, "msg_flags": flags}
        if name == "m2":
            place |= {"group_id": NO_ID, "msg_seq_number": 1, **_failed(reason)}
        h.put("P", name, 10 * number, 10 * number + 2, **of_group, **place)
    together: dict[str, Any] = {"group_id": ident("g"), "msg_seq_number": 1, "offset": 0, "msg_flags": 8, "hobj": 1}
    h.get("C", "m1", 50, 52, options=MQGMO.NO_SYNCPOINT | MQGMO.ALL_MSGS_AVAILABLE, **together)


@case()
def got_of_a_group_of_which_a_put_did_not_say_what_it_did(h: History) -> None:
    _group_with_a_gap(h, MQRC.UNEXPECTED_ERROR)


@case("AMA-01 violation")
def got_of_a_group_of_which_a_put_was_refused(h: History) -> None:
    _group_with_a_gap(h, MQRC.PUT_INHIBITED)


@case()
def followed_on_after_a_close_that_may_have_closed(h: History) -> None:
    _followable(h)
    h.put("P", "m1", 10, 11, **WHOLE)
    h.get("C", "m1", 20, 21, **GOT)
    h.call("C", "MQCLOSE", 30, 31, hobj=1, queue=QUEUE, object_name=QUEUE, options=0, **_failed(MQRC.UNEXPECTED_ERROR))
    h.open("C", 40, 41, MQOO.INPUT_SHARED)
    h.put("P", "m2", 50, 51, **WHOLE)
    h.get("C", "m2", 60, 61, **GOT)


@case("SIZ-04 violation", "DLV-01 violation")
def followed_on_after_a_put_whose_message_was_got(h: History) -> None:
    _put_that_failed(h, MQRC.UNEXPECTED_ERROR)
    h.call("R", "MQCONN", 24, 24)
    h.open("R", 26, 26, MQOO.OUTPUT)
    h.put("R", "m2", 30, 31, **WHOLE, **_failed(MQRC.MSG_TOO_BIG_FOR_Q))
    h.get("C", "m2", 40, 41, **GOT)
