"""Gets on a queue manager that quiesces: QSC-01."""

from __future__ import annotations

from oracle.mqi.constants import MQGMO, MQPMO, MQRC
from tests.spark_checks.cases import case
from tests.spark_checks.histories import PLAIN, SYNC, History

FAILS = PLAIN | MQGMO.FAIL_IF_QUIESCING


@case("QSC-01 suspicion")
def got_although_the_queue_manager_quiesces(h: History) -> None:
    h.put("P", "m1", 10, 12)
    h.put("P", "m2", 13, 14)
    h.nothing("C", 20, 22, options=FAILS, reason=MQRC.Q_MGR_QUIESCING)
    h.get("C", "m1", 30, 32, options=FAILS)
    h.get("C", "m2", 33, 34, options=FAILS)


@case("QSC-01 suspicion", log="incomplete")
def found_nothing_although_a_put_had_failed_as_the_queue_manager_quiesces(h: History) -> None:
    h.put("C", "m1", 10, 12, options=MQPMO.FAIL_IF_QUIESCING, comp_code=2, reason=MQRC.Q_MGR_QUIESCING)
    h.nothing("C", 20, 22, options=FAILS)


@case()
def got_with_what_quiescing_leaves_possible(h: History) -> None:
    for number in range(4):
        h.put("P", f"m{number}", 10 + number, 10 + number)
    h.get("C", "m0", 16, 17, options=FAILS)
    h.nothing("C", 20, 22, options=FAILS, reason=MQRC.Q_MGR_QUIESCING)
    h.get("C", "m1", 30, 32, options=SYNC)
    h.commit("C", 34, 36)
    h.get("D", "m2", 40, 42, options=FAILS)
    h.nothing("C", 44, 45, options=FAILS, reason=MQRC.Q_MGR_QUIESCING)
    h.nothing("C", 46, 47, options=FAILS, reason=MQRC.GET_INHIBITED)
    h.disconnect("C", start=50, end=52)
    h.call("C", "MQCONN", 60, 62)
    h.get("C", "m3", 70, 72, options=FAILS)
