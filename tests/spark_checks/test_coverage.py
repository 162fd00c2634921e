"""Coverage: how many records each rule judged, counted in words of bits as it is counted rule by rule."""

from __future__ import annotations

from random import Random

from spark_checks.checks.base import Concern
from spark_checks.coverage.coverage import coverage
from spark_checks.frames import Engine
from spark_checks.frames import functions as fn
from spark_checks.preparation.facts import LogFacts
from spark_checks.preparation.log import Log
from spark_checks.results.rule_results import Covered

COLUMNS = 12
Row = tuple[bool | None, ...]


def expected(rows: list[Row], speaks: int, needs: list[int]) -> Covered:
    """Count one rule in the plain way."""
    judged, lacking, missing = 0, 0, set()
    for row in rows:
        if row[speaks] is not True:
            continue
        lacks = {f"need {need}" for need in needs if row[need] is True}
        judged, lacking = judged + (not lacks), lacking + bool(lacks)
        missing |= lacks
    return Covered(judged, lacking, tuple(sorted(missing)))


def test_each_rule_is_counted_as_if_it_were_alone(engine: Engine, seed: int) -> None:
    random = Random(seed)
    rows: list[Row] = [tuple(random.choice((True, False, None)) for _ in range(COLUMNS)) for _ in range(200)]
    frame = engine.frame(rows, ", ".join(f"c{number} boolean" for number in range(COLUMNS)))
    said = [
        (f"RUL-{number % 50:02}", random.randrange(COLUMNS), random.sample(range(COLUMNS), random.randrange(8)))
        for number in range(60)
    ]
    concerns = [
        Concern(rule, fn.col(f"c{speaks}"), {f"need {need}": fn.col(f"c{need}") for need in needs})
        for rule, speaks, needs in said
    ]
    alone: dict[str, Covered] = {}
    for rule, speaks, needs in said:
        alone[rule] = alone.get(rule, Covered()).and_also(expected(rows, speaks, needs))
    found = coverage(Log(LogFacts(), frame, frame, frame), concerns)
    assert found == alone
