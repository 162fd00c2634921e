"""Queue managers that use the freedom of the documents, each in its own way, are not accused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from conformance.runner import Runner
from conformance.selection import all_checks
from conformance.targets import InProcessTarget
from conformance.worker import Options
from fixtures.variants import VARIANTS
from oracle.profile import PlatformName
from oracle.verdicts import Verdict
from tests.conformance.conftest import play

ROOT = Path(__file__).parents[2]
SCENARIOS = [check for check in all_checks() if check.kind == "scenario"]
CHECKS = all_checks() if "WHOLE_SUITE" in os.environ else Random(14).sample(SCENARIOS, 60)  # noqa: S311 - a sample


@pytest.mark.parametrize("platform", ["distributed", "zos"])
@pytest.mark.parametrize("name", VARIANTS)
def test_no_variant_is_accused(name: str, platform: PlatformName) -> None:
    finished = Runner(InProcessTarget(name, lambda: VARIANTS[name].server(platform)), Options()).run(CHECKS)
    accused = {result.check.id for result in finished.results if result.verdict is Verdict.VIOLATES}
    broken = {result.check.id for result in finished.results if result.verdict is Verdict.TARGET_ERROR}
    assert (accused, broken) == (set(), set())


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("lazy-expiry", "h = open Q INPUT_SHARED+OUTPUT; put h m1 Expiry=50; advance 5s; get h", 0),
        ("last-reason", "h = open Q OUTPUT; put h m1 Priority=-2 Expiry=0", 2013),
    ],
)
def test_a_variant_differs_from_the_model(name: str, text: str, reason: int) -> None:
    theirs, ours = play(text, VARIANTS[name].server), play(text)
    assert theirs.exchanges[-1].reply["Reason"] != ours.exchanges[-1].reply["Reason"]
    assert theirs.exchanges[-1].reply["Reason"] == reason


def test_other_values_are_other_values() -> None:
    text = "h = open Q INPUT_SHARED+OUTPUT; put h m1; get h -> m1"
    theirs, ours = play(text, VARIANTS["other-ids"].server), play(text)
    assert theirs.exchanges[1].reply["Hobj"] != ours.exchanges[1].reply["Hobj"]
    assert theirs.exchanges[2].reply["MQMD"]["MsgId"] != ours.exchanges[2].reply["MQMD"]["MsgId"]


def test_variants_are_listed_and_served() -> None:
    command = [sys.executable, "-m", "fixtures.variants"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert [line.partition(":")[0] for line in listed.splitlines()] == list(VARIANTS)
    requests = '{"seq":1,"op":"hello","protocol":1}\n{"seq":2,"op":"bye"}\n'
    served = subprocess.run(
        [*command, "contrary"], cwd=ROOT, input=requests, check=True, capture_output=True, text=True
    ).stdout
    assert "as contrary" in served.splitlines()[0]
