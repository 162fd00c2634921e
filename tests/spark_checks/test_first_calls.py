"""Only the first calls of a busy queue come to Python, and the others are counted."""

from __future__ import annotations

from spark_checks.frames import Engine
from spark_checks.replay.first_calls import first_calls

BUSY, QUIET = "BUSY", "QUIET"


def test_only_the_first_calls_of_a_busy_queue_are_chosen(engine: Engine) -> None:
    rows = [("QM", BUSY, 7 * number % 1000) for number in range(1000)] + [("QM", QUIET, at) for at in range(25)]
    calls = engine.frame(rows, "qmgr string, queue string, lo long")
    chosen = first_calls(calls, 10)
    kept = [(row["queue"], row["lo"]) for row in chosen.calls.collect()]
    busy = sorted(at for queue, at in kept if queue == BUSY)
    assert busy == list(range(len(busy)))
    assert 10 <= len(busy) <= 40
    assert sorted(at for queue, at in kept if queue == QUIET) == list(range(25))
    assert chosen.left_out == 1000 - len(busy)


def test_where_no_queue_has_many_calls_all_are_chosen(engine: Engine) -> None:
    calls = engine.frame([("QM", BUSY, at) for at in range(12)], "qmgr string, queue string, lo long")
    chosen = first_calls(calls, 10)
    assert chosen.calls is calls
    assert chosen.left_out == 0
