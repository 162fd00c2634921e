"""How far a log let each rule be checked: the records that it was checked with, and those that lack what it needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from spark_checks.checks.base import Check, Concern, Counts
from spark_checks.preparation.columns import holds
from spark_checks.preparation.log import Log
from spark_checks.shapes.grouping import Covered, covered_by_shapes
from spark_checks.shapes.judging import SHAPE_RULES

Coverage = Mapping[str, Counts]
"""By rule how far it could be checked."""


@dataclass
class _Count:
    checked: int = 0
    lacking: int = 0
    missing: set[str] = field(default_factory=set)


def _standing(concern: Concern) -> Column:
    """Return what a record lacks for a rule, a bit for each need, so that 0 is nothing; null if the rule is silent."""
    lacks: Column = fn.lit(0)
    for place, missing in enumerate(concern.missing.values()):
        lacks = lacks + fn.when(holds(missing), 1 << place).otherwise(0)
    return fn.when(concern.records, lacks)


def coverage(log: Log, concerns: Sequence[Concern]) -> dict[str, Counts]:
    """Count in one pass, for each rule, the records it judged and those it could not, and what those lack.

    Most records stand alike to all rules, so the distinct ways to stand are counted, and only those looked into.
    """
    if not concerns:
        return {}
    standings = [_standing(concern).alias(f"c{number}") for number, concern in enumerate(concerns)]
    counts = [_Count() for _ in concerns]
    for row in log.moves.groupBy(*standings).count().collect():
        *stand, records = row
        for concern, count, lacks in zip(concerns, counts, stand, strict=True):
            if lacks == 0:
                count.checked += records
            elif lacks is not None:
                count.lacking += records
                count.missing |= {name for place, name in enumerate(concern.missing) if lacks >> place & 1}
    return {
        concern.rule: (count.checked, count.lacking, tuple(sorted(count.missing)))
        for concern, count in zip(concerns, counts, strict=True)
    }


def covered(log: Log, checks: Sequence[Check], said: DataFrame) -> Coverage:
    """Return for each rule what it could speak of, by the checks and by what is said of the shapes of calls."""
    found = coverage(log, [concern for check in checks for concern in check.concerns(log)])
    for check in checks:
        found.update(check.of_queues(log))
    by_shapes = covered_by_shapes(said)
    for rule in SHAPE_RULES:
        checked, lacking, missing = found.get(rule, (0, 0, ()))
        also = by_shapes.get(rule, Covered(0, 0, ()))
        together = tuple(sorted({*missing, *also.missing}))
        found[rule] = (checked + also.checked, lacking + also.not_checkable, together)
    return dict(sorted(found.items()))
