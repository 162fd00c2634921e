"""The suite is as sensitive with an implementation that shares no code with the oracle."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import fixtures.independent
from conformance.checks.check import Check
from conformance.checks.selection import all_checks
from conformance.running.runner import Runner
from conformance.running.worker import Options, Worker
from conformance.sensitivity.miniatures import PROGRAMS, Program, parse_programs
from conformance.targets import InProcessTarget
from fixtures.independent.queue_manager import QueueManager
from fixtures.independent.wrong import WRONG
from oracle.judging.verdicts import Verdict
from oracle.rules import catalogue

ROOT = Path(__file__).parents[2]
CHECKS = all_checks()
_LISTED = ROOT / "fixtures" / "miniatures" / PROGRAMS
LISTED = {each.command: each for each in parse_programs(_LISTED.read_text(encoding="utf-8"), _LISTED)}
SCENARIOS = [check for check in CHECKS if check.kind == "scenario"]


def test_the_right_one_conforms() -> None:
    finished = Runner(InProcessTarget("independent", QueueManager), Options()).run(SCENARIOS)
    applied = [result for result in finished.results if result.verdict is not Verdict.NOT_APPLICABLE]
    others = {result.check.id: result.verdict for result in applied if result.verdict is not Verdict.CONFORMS}
    # Its UNLOCK ignores InhibitGet, which is allowed; so nothing is shown about INQ-09.
    assert others == {"inquire/unlock-of-an-inhibited-queue": Verdict.UNDECIDED}
    assert len(applied) > 300


def listed(name: str) -> Program:
    """Return the row of a wrong variant in the measurement of the suite."""
    return LISTED[f"python -m fixtures.independent {name}"]


def nearness(check: Check, wrong: Program) -> tuple[bool, bool, bool]:
    """Return how near a check is to the mistake: it decides the rules, or others of the area."""
    areas = {rule[:3] for rule in wrong.rules}
    about = set(check.rules)
    return check.kind == "machine", not about & set(wrong.rules), not {rule[:3] for rule in about} & areas


@pytest.mark.parametrize("name", WRONG)
def test_every_wrong_one_is_found_wrong_by_its_rule(name: str) -> None:
    wrong = listed(name)
    worker = Worker(InProcessTarget(name, WRONG[name]), Options(seed=1))
    results = (worker.perform(check) for check in sorted(CHECKS, key=lambda check: nearness(check, wrong)))
    named = next((rule for result in results for rule in result.blamed if rule in wrong.rules), None)
    assert named is not None


def test_every_variant_is_listed_and_one_change() -> None:
    assert len(WRONG) >= 10
    assert {listed(name).name for name in WRONG} == {f"independent_{name}" for name in WRONG}
    assert len(LISTED) == len(WRONG)
    for make in WRONG.values():
        assert make.__bases__ == (QueueManager,)
        assert len([name for name in vars(make) if not name.startswith("__")]) == 1
    for wrong in LISTED.values():
        for rule in wrong.rules:
            assert catalogue.rule(rule).observed_by


def test_nothing_of_the_project_is_used() -> None:
    for path in Path(fixtures.independent.__path__[0]).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.partition(".")[0] not in {"oracle", "conformance", "spark_checks"}
                assert not name.startswith("fixtures") or name.startswith("fixtures.independent")


@pytest.mark.parametrize("arguments", [[], ["commit_unlocks"]])
def test_they_are_served_as_child_processes(arguments: list[str]) -> None:
    requests = '{"seq":1,"op":"hello","protocol":1}\n{"seq":2,"op":"bye"}\n'
    command = [sys.executable, "-m", "fixtures.independent", *arguments]
    served = subprocess.run(command, cwd=ROOT, input=requests, check=True, capture_output=True, text=True).stdout
    assert '"seq": 2' in served.splitlines()[1]


def test_a_name_that_does_not_exist_is_refused() -> None:
    command = [sys.executable, "-m", "fixtures.independent", "perfect"]
    served = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert served.returncode == 2
    assert "commit_unlocks" in served.stderr
