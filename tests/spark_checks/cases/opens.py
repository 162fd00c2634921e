"""Handles that exclude each other: OPN-11, OPN-12."""

from __future__ import annotations

from oracle.mqi.constants import MQOO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import QUEUE, History


def _open(h: History, conn: str, start: int, options: int = MQOO.INPUT_SHARED, hobj: int = 1) -> None:
    h.open(conn, start, start + 2, options, hobj=hobj)


def _close(h: History, conn: str, start: int, end: int, hobj: int = 1) -> None:
    h.call(conn, "MQCLOSE", start, end, queue=QUEUE, options=0, hobj=hobj)


@case("OPN-11 violation")
def opened_while_another_has_it_exclusively(h: History) -> None:
    _open(h, "A", 10, MQOO.INPUT_EXCLUSIVE)
    _open(h, "B", 20)
    _close(h, "B", 30, 32)
    _close(h, "A", 40, 42)


@case("OPN-11 violation")
def opened_exclusively_while_another_has_it(h: History) -> None:
    _open(h, "A", 10, MQOO.INPUT_AS_Q_DEF)
    _open(h, "B", 20, MQOO.INPUT_EXCLUSIVE)
    h.nothing("A", 30, 32, hobj=1)
    _close(h, "B", 36, 38)


@case("OPN-11 suspicion", log="incomplete")
def opened_exclusively_in_an_incomplete_log(h: History) -> None:
    _open(h, "A", 10, MQOO.INPUT_EXCLUSIVE)
    _open(h, "B", 20)
    _close(h, "B", 30, 32)
    _close(h, "A", 40, 42)


@case("OPN-11 suspicion")
def opened_exclusively_where_a_queue_may_have_been_deleted(h: History) -> None:
    h.call("A", "MQOPEN", 10, 12, queue=QUEUE, object_name="MODEL", options=MQOO.INPUT_EXCLUSIVE, hobj=1)
    _open(h, "B", 20)
    _close(h, "B", 30, 32)
    _close(h, "A", 40, 42)


@case()
def opened_exclusively_one_after_the_other(h: History) -> None:
    _open(h, "A", 10, MQOO.INPUT_EXCLUSIVE)
    _close(h, "A", 18, 24)
    _open(h, "B", 20, MQOO.INPUT_EXCLUSIVE)
    _close(h, "B", 30, 32)
    _open(h, "A", 40)
    _open(h, "B", 50)
    _close(h, "A", 60, 62)
    _close(h, "B", 60, 62)


@case()
def opened_exclusively_and_for_other_things(h: History) -> None:
    _open(h, "A", 10, MQOO.INPUT_EXCLUSIVE)
    _open(h, "B", 20, MQOO.BROWSE | MQOO.OUTPUT)
    _close(h, "A", 24, 26)
    _open(h, "B", 30, MQOO.INPUT_SHARED, hobj=2)
    _close(h, "B", 40, 42)


@case("OPN-11 violation")
def opened_for_a_moment_while_another_has_it_exclusively(h: History) -> None:
    _open(h, "A", 10, MQOO.INPUT_EXCLUSIVE)
    _open(h, "B", 20)
    _close(h, "A", 40, 42)


@case()
def opened_for_a_moment_perhaps_before_another_had_it_exclusively(h: History) -> None:
    _open(h, "B", 10)
    _open(h, "A", 11, MQOO.INPUT_EXCLUSIVE)
    _close(h, "A", 40, 42)


@case("OPN-12 violation")
def opened_twice_although_it_is_not_shareable(h: History) -> None:
    h.header("queue", Shareability=0)
    _open(h, "A", 10)
    _open(h, "A", 20, hobj=2)
    _close(h, "A", 30, 32)
    _close(h, "A", 40, 42, hobj=2)


@case()
def opened_twice_where_it_is_shareable(h: History) -> None:
    h.header("queue", Shareability=1)
    _open(h, "A", 10)
    _open(h, "B", 20)
    _close(h, "A", 30, 32)
    _close(h, "B", 40, 42)
