"""The one of several findings about a call that is kept."""

from __future__ import annotations

from itertools import permutations

from spark_checks.frames import Engine
from spark_checks.results.findings import findings

_CANDIDATES = (
    "qmgr string, queue string, rule string, msg_id string, conn string, seq long, lo long, "
    "calls array<struct<conn: string, seq: long, call: string>>, sentence string, doubt string, once string, rank int"
)


def test_of_two_about_one_call_the_surer_stays_in_whatever_order_they_are_met(engine: Engine) -> None:
    def about(sentence: str, doubt: str | None) -> tuple[object, ...]:
        return (
            "QM",
            "Q",
            "DLV-04",
            "m1",
            "A",
            2,
            10,
            [{"conn": "A", "seq": 2, "call": "MQGET"}],
            sentence,
            doubt,
            "DLV-04|A|2",
            0,
        )

    known = [about("digest", "it was converted"), about("priority", None), about("report", None)]
    for order in permutations(known):
        [found] = findings(engine.frame(list(order), _CANDIDATES)).collect()
        assert (found["verdict"], found["explanation"]) == ("violation", "priority.")
