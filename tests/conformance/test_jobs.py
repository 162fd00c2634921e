"""Several targets side by side give what one gives."""

from __future__ import annotations

from conformance.events import RunFinished
from conformance.results import results_of
from conformance.runner import Runner
from conformance.selection import all_checks, select
from conformance.targets import target_for
from conformance.worker import Options

CHECKS = select(all_checks(), ["lock", "priority"])


def run(target: str, jobs: int, *, fail_fast: bool = False) -> RunFinished:
    return Runner(target_for(target), Options(jobs=jobs, fail_fast=fail_fast)).run(CHECKS)


def test_the_results_are_the_same_in_the_same_order() -> None:
    one, two = (results_of(run("mq-oracle serve", jobs)) for jobs in (1, 2))
    assert [(check.id, check.verdict, check.steps) for check in one.checks] == [
        (check.id, check.verdict, check.steps) for check in two.checks
    ]
    assert one.rules == two.rules
    assert not two.ended_early


def test_the_first_violation_ends_them_all() -> None:
    finished = run("python -m fixtures.miniatures lock_survives_unlock", 2, fail_fast=True)
    assert "first violation" in finished.ended_early
    assert any(result.counterexample is not None for result in finished.results)
