"""Identifiers that queue managers generate: IDS-03, IDS-09."""

from __future__ import annotations

from oracle.constants import MQPMO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import History, ident

NEW = MQPMO.NO_SYNCPOINT | MQPMO.NEW_MSG_ID
NEW_CORREL = MQPMO.NO_SYNCPOINT | MQPMO.NEW_CORREL_ID


@case("IDS-03 violation")
def an_identifier_generated_twice(h: History) -> None:
    h.put("P", "m1", 10, 12, options=NEW)
    h.put("P", "m1", 20, 22, options=NEW)


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
