"""The suite's sharpness: every deliberately wrong queue manager is caught, and the broken rule is named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.runner import Runner
from conformance.selection import all_checks
from conformance.worker import Options
from fixtures.miniatures import MINIATURES
from oracle import catalogue
from oracle.serve import Server
from oracle.verdicts import Verdict
from tests.conformance.conftest import play, target_of

SCENARIOS = [check for check in all_checks() if check.kind == "scenario"]


@pytest.mark.parametrize("name", MINIATURES)
def test_every_miniature_is_caught_and_its_rule_is_named(name: str) -> None:
    miniature = MINIATURES[name]
    checks = [check for check in SCENARIOS if set(check.rules) & set(miniature.rules)]
    finished = Runner(target_of(miniature.server), Options()).run(checks)
    violated = {rule.rule.id for rule in finished.rules if rule.verdict is Verdict.VIOLATES}
    assert violated & set(miniature.rules)
    shortest = min(
        len(result.counterexample.transcript.exchanges)
        for result in finished.results
        if result.counterexample is not None
    )
    assert shortest <= 9


@pytest.mark.parametrize("name", ["priority_ignored", "lock_survives_unlock"])
def test_the_shortest_counterexample_has_at_most_six_requests(name: str) -> None:
    checks = [check for check in SCENARIOS if set(check.rules) & set(MINIATURES[name].rules)]
    finished = Runner(target_of(MINIATURES[name].server), Options()).run(checks)
    found = [result.counterexample for result in finished.results if result.counterexample is not None]
    assert min(len(each.transcript.exchanges) for each in found) <= 6


def test_every_miniature_is_documented() -> None:
    for miniature in MINIATURES.values():
        assert miniature.wrong.endswith(".")
        for rule in miniature.rules:
            assert catalogue.rule(rule).observed_by


def test_a_miniature_leaves_the_oracle_as_it_is() -> None:
    text = "h = open Q INPUT_SHARED+OUTPUT; put h m1; put h m2 Priority=5; get h"
    assert play(text, MINIATURES["priority_ignored"].server).departure is not None
    assert play(text, Server).departure is None


def test_a_miniature_can_be_served_as_a_child_process() -> None:
    command = [sys.executable, "-m", "fixtures.miniatures"]
    root = Path(__file__).parents[2]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    assert set(MINIATURES) == {line.partition(":")[0] for line in listed.splitlines()}
    requests = '{"seq":1,"op":"hello","protocol":1}\n{"seq":2,"op":"bye"}\n'
    served = subprocess.run(
        [*command, "priority_ignored"], cwd=root, input=requests, check=True, capture_output=True, text=True
    ).stdout
    assert '"seq":2' in served.splitlines()[1]
