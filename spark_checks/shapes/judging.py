"""The judgement on one shape by all tables."""

from __future__ import annotations

from typing import Final

from oracle.mqi.profile import PlatformName
from spark_checks.shapes.judgement import Judgement
from spark_checks.shapes.other_verbs import ALONE
from spark_checks.shapes.outcomes import OUTCOME_RULES, judge_outcome
from spark_checks.shapes.refusals import REFUSED, UNFOUNDED, judge_refusals
from spark_checks.shapes.shape import Shape
from spark_checks.shapes.values import VALUE_RULES, judge_values

SHAPE_RULES: Final = tuple(
    sorted(
        {
            *OUTCOME_RULES,
            *(row.rule for row in REFUSED),
            *(row.rule for row in VALUE_RULES if row.counts),
            *ALONE,
            *UNFOUNDED,
        }
    )
)
"""The rules that shapes decide."""


def judge(shape: Shape, platform: PlatformName) -> Judgement:
    """Return the judgement of the rules about single calls on a shape.

    A call that had to be refused is not also judged by what it returned.
    """
    judgement = Judgement()
    judge_refusals(shape, platform, judgement)
    if not judgement.violations:
        judge_values(shape, platform, judgement)
        judge_outcome(shape, platform, judgement)
    for violation in judgement.violations:
        judgement.lacking.pop(violation.rule, None)
    return judgement
