"""What definitions forbid and what the queue manager makes: WAI-06, PUT-09, DEP-06, RPT-02, RPT-03, RPM-01, IDS-03."""

from __future__ import annotations

from oracle.constants import MQPMO, MQRO
from tests.spark_checks.cases import case
from tests.spark_checks.histories import SYNC, History, ident

NEW = MQPMO.NO_SYNCPOINT | MQPMO.NEW_MSG_ID
EXPIRED, ARRIVED = 258, 259


@case("WAI-06 violation")
def got_from_an_inhibited_queue(h: History) -> None:
    h.header("queue", InhibitGet=1)
    h.get("C", "m1", 20, 22)


@case("PUT-09 violation")
def put_to_an_inhibited_queue(h: History) -> None:
    h.header("queue", InhibitPut=1)
    h.put("P", "m1", 20, 22)


@case("PUT-09 suspicion", log="incomplete")
def put_to_a_queue_that_was_inhibited_when_looked_at(h: History) -> None:
    h.header("queue", InhibitPut=1)
    h.put("P", "m1", 20, 22)


@case()
def a_queue_that_a_program_may_have_allowed(h: History) -> None:
    h.header("queue", InhibitPut=1, InhibitGet=1)
    h.call("A", "MQSET", 10, 12, queue="Q", hobj=3)
    h.put("P", "m1", 20, 22)
    h.get("C", "m1", 30, 32)


@case("DEP-06 violation")
def put_to_a_full_queue(h: History) -> None:
    h.header("queue", MaxQDepth=2, CAPEXPRY=0)
    for number in range(3):
        h.put("P", f"m{number}", 10 * number + 10, 10 * number + 12)


@case()
def put_to_a_queue_that_may_have_had_room(h: History) -> None:
    h.header("queue", MaxQDepth=2, CAPEXPRY=0)
    h.put("P", "m0", 10, 12)
    h.put("P", "m1", 20, 22)
    h.get("C", "m0", 31, 40, options=SYNC)
    h.put("P", "m2", 30, 32)
    h.backout("C", 50, 52)


@case()
def put_to_a_queue_whose_messages_may_have_expired(h: History) -> None:
    h.header("queue", MaxQDepth=2, CAPEXPRY=0)
    for number in range(3):
        h.put("P", f"m{number}", 10 * number + 10, 10 * number + 12, expiry=1)


@case()
def put_to_a_queue_while_other_puts_were_under_way(h: History) -> None:
    h.header("queue", MaxQDepth=2, CAPEXPRY=0)
    h.put("P", "m0", 10, 12)
    h.put("Q", "m1", 20, 42)
    h.put("R", "m2", 40, 44)
    h.get("C", "m0", 10, 99)


def _report(h: History, feedback: int, about: str, at: int) -> None:
    h.get("C", f"r{at}", at, at + 2, msg_type=4, feedback=feedback, correl_id=ident(about))


@case("RPT-02 violation", "RPT-03 violation")
def expiration_reports_that_must_not_be(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=NEW, expiry=1, report=0)
    h.put("P", "m2", 14, 16, options=NEW, expiry=100_000, report=MQRO.EXPIRATION)
    _report(h, EXPIRED, "m1", 10_000_000)
    _report(h, EXPIRED, "m2", 20_000_000)


@case("RPT-02 suspicion")
def a_report_that_may_be_about_an_older_message(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, expiry=1, report=0)
    _report(h, EXPIRED, "m1", 10_000_000)


@case()
def reports_as_they_should_be(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=NEW, expiry=1, report=MQRO.EXPIRATION | MQRO.COA)
    _report(h, ARRIVED, "m1", 20)
    _report(h, EXPIRED, "m1", 10_000_000)


@case("ZOS-04 violation", log="zos")
def two_expiration_reports_on_one_message(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, options=NEW, expiry=1, report=MQRO.EXPIRATION)
    _report(h, EXPIRED, "m1", 10_000_000)
    _report(h, EXPIRED, "m1", 20_000_000)


@case("RPM-01 violation")
def a_report_on_nothing(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, report=MQRO.COA)
    _report(h, ARRIVED, "ghost", 20)


@case("RPM-01 suspicion")
def a_report_with_the_correlation_of_its_original(h: History) -> None:
    h.starts_empty()
    h.put("P", "m1", 10, 12, report=MQRO.COA | MQRO.PASS_CORREL_ID, correl_id=ident("request"))
    _report(h, ARRIVED, "request", 20)


@case()
def a_report_that_an_application_put(h: History) -> None:
    h.starts_empty()
    h.put("P", "r20", 10, 12, msg_type=4, feedback=ARRIVED, correl_id=ident("ghost"), report=0)
    _report(h, ARRIVED, "ghost", 20)


@case("IDS-03 violation")
def an_identifier_generated_twice(h: History) -> None:
    h.put("P", "m1", 10, 12, options=NEW)
    h.put("P", "m1", 20, 22, options=NEW)


@case()
def an_identifier_generated_and_passed_on(h: History) -> None:
    h.put("P", "m1", 10, 12, options=NEW)
    h.put("P", "m1", 20, 22)
