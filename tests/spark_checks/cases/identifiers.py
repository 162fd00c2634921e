"""Identifiers that queue managers generate: IDS-03, IDS-09."""

from __future__ import annotations

from oracle.mqi.constants import MQPMO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import History, ident

NEW = MQPMO.NO_SYNCPOINT | MQPMO.NEW_MSG_ID
NEW_CORREL = MQPMO.NO_SYNCPOINT | MQPMO.NEW_CORREL_ID


@case("IDS-03 violation")
def an_identifier_generated_twice(h: History) -> None:
    h.put("P", "m1", 10, 12, options=NEW)
    h.put("P", "m1", 20, 22, options=NEW)


@case("IDS-03 violation")
def an_identifier_generated_twice_for_calls_that_look_alike(h: History) -> None:
    h.put("P", "m1", 10, 12, options=NEW, put_us=0)
    h.put("R", "m1", 10, 12, options=NEW, put_us=0)


@case("IDS-03 suspicion", log="incomplete")
def calls_of_one_connection_that_were_captured_at_two_points(h: History) -> None:
    for name, at in (("m1", 10_000), ("m2", 60_000)):
        h.put("client", name, at, at + 900, options=NEW, put_us=at)
        h.put("server", name, at + 300, at + 400, options=NEW, put_us=at)
    h.get("client", "m1", 70_000, 70_900)
    h.get("server", "m1", 70_300, 70_400)


@case("IDS-03 violation", log="incomplete")
def an_identifier_generated_twice_for_calls_with_other_put_times(h: History) -> None:
    h.put("P", "m1", 10_000, 10_900, options=NEW, put_us=10_000)
    h.put("R", "m1", 80_300, 80_400, options=NEW, put_us=80_000)


@case("IDS-03 violation", log="incomplete")
def an_identifier_generated_twice_for_one_connection(h: History) -> None:
    h.put("P", "m1", 10_000, 10_900, options=NEW, put_us=10_000)
    h.put("P", "m1", 10_900, 11_400, options=NEW, put_us=10_000)


@case("IDS-03 violation", log="incomplete")
def an_identifier_generated_twice_two_minutes_apart(h: History) -> None:
    h.put("P", "m1", 10_000, 10_900, options=NEW)
    h.put("R", "m1", 120_010_000, 120_010_900, options=NEW)


@case()
def an_identifier_generated_and_passed_on(h: History) -> None:
    h.put("P", "m1", 10, 12, options=NEW)
    h.put("P", "m1", 20, 22)


@case("IDS-09 violation")
def a_correl_id_generated_twice(h: History) -> None:
    h.put("P", "m1", 10, 12, options=NEW_CORREL, correl_id=ident("c"))
    h.put("Q", "m2", 20, 22, options=NEW_CORREL, correl_id=ident("c"))


@case()
def a_correl_id_generated_and_passed_on(h: History) -> None:
    h.put("P", "m1", 10, 12, options=NEW_CORREL, correl_id=ident("c"))
    h.put("P", "m2", 20, 22, correl_id=ident("c"))
    h.put("P", "c", 30, 32, options=NEW)
