"""Every rule that a log might show has a check, or a reason why it has none."""

from __future__ import annotations

import pytest

from spark_checks.checks import CHECKS
from spark_checks.coverage.rules import shown_by_logs, without_check
from spark_checks.frames import Engine
from spark_checks.preparation.facts import LogFacts
from spark_checks.preparation.log import Log
from spark_checks.shapes.judging import SHAPE_RULES


@pytest.fixture(scope="module")
def checked(engine: Engine) -> set[str]:
    nothing = engine.frame([], "qmgr string")
    logs = [Log(LogFacts(platform=platform), nothing, nothing, nothing) for platform in ("distributed", "zos")]
    concerns = [concern for log in logs for check in CHECKS for concern in check.concerns(log)]
    of_queues = {rule for log in logs for check in CHECKS for rule in check.of_queues(log)}
    return {concern.rule for concern in concerns} | of_queues | set(SHAPE_RULES)


def test_every_rule_that_a_log_shows_has_a_check_or_a_reason(checked: set[str]) -> None:
    assert set(shown_by_logs()) - checked - set(without_check()) == set()


def test_no_rule_has_both_a_check_and_a_reason(checked: set[str]) -> None:
    assert checked & set(without_check()) == set()


def test_a_reason_is_given_for_rules_that_a_log_might_show(checked: set[str]) -> None:
    assert set(without_check()) <= set(shown_by_logs())
    assert {rule for entry in without_check().values() for rule in entry.by.rules} <= checked
