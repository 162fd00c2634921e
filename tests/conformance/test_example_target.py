"""The example of a target in another language: it keeps the protocol, conforms for what it claims, and is short."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conformance.checks.selection import all_checks
from conformance.running.doctor import Health, examine
from conformance.running.runner import Runner
from conformance.running.worker import Options
from conformance.targets import ProcessTarget
from oracle.judging.verdicts import Verdict

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "target.mjs"
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="the example is JavaScript, and node is not here")
SCENARIOS = [check for check in all_checks() if check.kind == "scenario"]


def example() -> ProcessTarget:
    return ProcessTarget(f"node '{EXAMPLE}'")


@needs_node
def test_the_doctor_finds_nothing() -> None:
    diagnoses = list(examine(example()))
    assert [each for each in diagnoses if each.health is Health.FAIL] == []
    assert sum(each.health is Health.OK for each in diagnoses) > 8


@needs_node
def test_it_conforms_for_what_it_claims() -> None:
    finished = Runner(example(), Options()).run(SCENARIOS)
    applied = [result for result in finished.results if result.verdict is not Verdict.NOT_APPLICABLE]
    assert {result.check.id: result.verdict for result in applied if result.verdict is not Verdict.CONFORMS} == {}
    assert len(applied) > 60


@needs_node
def test_it_breaks_in_what_it_does_not_claim_rather_than_pretend() -> None:
    target = example()
    target.start()
    try:
        opened = (
            '{"seq":1,"op":"setup","queues":[{"name":"Q"}],"qmgr":{}}',
            '{"seq":2,"op":"call","conn":"A","verb":"MQCONN"}',
            '{"seq":3,"op":"call","conn":"A","verb":"MQOPEN","ObjectName":"Q","Options":10}',
            '{"seq":4,"op":"call","conn":"A","verb":"MQGET","Hobj":1,"MQGMO":{"Options":16},"BufferLength":9}',
        )
        replies = []
        for line in opened:
            target.send(line)
            replies.append(target.receive(10.0))
        assert "not claimed" in str(replies[-1])
    finally:
        target.close()


def test_it_is_short() -> None:
    assert len(EXAMPLE.read_text(encoding="utf-8").splitlines()) <= 200
