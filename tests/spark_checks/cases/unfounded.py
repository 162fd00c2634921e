"""Failures without a ground: PUT-09, WAI-06, MSB-06, SIG-12."""

from __future__ import annotations

from typing import Any

from oracle.mqi.constants import MQGMO, MQOO, MQRC
from tests.spark_checks.cases import case
from tests.spark_checks.histories import QUEUE, SYNC, History

SKIPS = SYNC | MQGMO.MARK_SKIP_BACKOUT
ALLOWED = {"InhibitPut": 0, "InhibitGet": 0, "DefinitionType": "PREDEFINED"}
REFUSED: dict[str, Any] = {"comp_code": 2, "reason": MQRC.PUT_INHIBITED}


def _inhibited(h: History, by: str | None) -> None:
    h.header("queue", **ALLOWED)
    h.open("A", 1, 2, MQOO.SET, object_name=by)
    h.call("A", "MQSET", 3, 4, queue=QUEUE, hobj=1)
    h.open("P", 5, 6, MQOO.OUTPUT)
    h.put("P", "m1", 10, 12, hobj=1, **REFUSED)


@case("PUT-09 violation", log="clock")
def refused_a_put_though_only_an_alias_was_inhibited(h: History) -> None:
    _inhibited(h, "ALIAS")


@case()
def refused_a_put_as_the_queue_may_have_been_inhibited(h: History) -> None:
    _inhibited(h, QUEUE)


@case()
def refused_a_put_as_what_was_set_is_unknown(h: History) -> None:
    _inhibited(h, None)


@case(log="incomplete")
def refused_a_put_as_a_command_may_have_inhibited_the_queue(h: History) -> None:
    _inhibited(h, "ALIAS")


@case()
def refused_a_put_by_an_alias_that_may_be_inhibited(h: History) -> None:
    h.header("queue", **ALLOWED)
    h.open("P", 5, 6, MQOO.OUTPUT, object_name="ALIAS")
    h.put("P", "m1", 10, 12, hobj=1, object_name="ALIAS", **REFUSED)
    h.put("P", "m2", 14, 16, verb="MQPUT1", object_name="ALIAS", **REFUSED)


@case("WAI-06 violation")
def refused_a_get_though_gets_are_allowed(h: History) -> None:
    h.header("queue", **ALLOWED)
    h.open("C", 5, 6, MQOO.INPUT_SHARED)
    h.nothing("C", 10, 12, hobj=1, reason=MQRC.GET_INHIBITED)


def _marked_before(h: History, end: str | None) -> None:
    for number in range(2):
        h.put("P", f"m{number}", 10 + number, 10 + number)
    h.call("C", "MQCONN", 14, 15)
    h.get("C", "m0", 20, 22, options=SKIPS)
    if end is not None:
        h.call("C", end, 24, 26)
    h.nothing("C", 30, 32, options=SKIPS, reason=MQRC.SECOND_MARK_NOT_ALLOWED)


@case("MSB-06 violation", log="zos")
def refused_a_mark_after_the_backout_of_the_first(h: History) -> None:
    _marked_before(h, "MQBACK")


@case(log="zos")
def refused_a_second_mark_in_one_unit_of_work(h: History) -> None:
    _marked_before(h, None)


@case("MSB-06 violation", log="zos")
def refused_the_first_mark_of_a_connection(h: History) -> None:
    h.call("C", "MQCONN", 14, 15)
    h.nothing("C", 30, 32, options=SKIPS, reason=MQRC.SECOND_MARK_NOT_ALLOWED)


@case(log="zos")
def refused_a_mark_of_a_connection_from_before_the_log(h: History) -> None:
    h.nothing("C", 30, 32, options=SKIPS, reason=MQRC.SECOND_MARK_NOT_ALLOWED)


SIGNAL = SYNC | MQGMO.SET_SIGNAL


def _signals(h: History, *reasons: MQRC) -> None:
    h.call("C", "MQCONN", 1, 2)
    h.open("C", 3, 4, MQOO.INPUT_SHARED)
    for number, reason in enumerate(reasons):
        comp_code = 1 if reason == MQRC.SIGNAL_REQUEST_ACCEPTED else 2
        at = 10 * number + 10
        h.nothing("C", at, at + 2, hobj=1, options=SIGNAL, wait_ms=1000, reason=reason, comp_code=comp_code)


@case("SIG-12 violation", log="zos")
def refused_a_first_signal_as_a_second_one(h: History) -> None:
    _signals(h, MQRC.SIGNAL_OUTSTANDING)


@case(log="zos")
def refused_a_second_signal(h: History) -> None:
    _signals(h, MQRC.SIGNAL_REQUEST_ACCEPTED, MQRC.SIGNAL_OUTSTANDING)


@case(log="zos")
def refused_a_signal_of_a_handle_from_before_the_log(h: History) -> None:
    h.nothing("C", 10, 12, hobj=1, options=SIGNAL, wait_ms=1000, reason=MQRC.SIGNAL_OUTSTANDING)
