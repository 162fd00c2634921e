"""Queue managers that make other lawful choices, each in its own way, are not reported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from conformance.checks.selection import all_checks, select
from conformance.commands.run import exit_status
from conformance.results.document import results_of
from conformance.running.runner import Runner
from conformance.running.worker import Options
from conformance.targets import InProcessTarget
from fixtures.variants import VARIANTS
from oracle.judging.verdicts import Verdict
from oracle.mqi.profile import PlatformName
from tests.conformance.conftest import play, target_of

ROOT = Path(__file__).parents[2]
SCENARIOS = [check for check in all_checks() if check.kind == "scenario"]
CHECKS = all_checks() if "WHOLE_SUITE" in os.environ else Random(14).sample(SCENARIOS, 40)


def target(name: str, platform: PlatformName) -> InProcessTarget:
    return InProcessTarget(name, lambda: VARIANTS[name].server(platform))


@pytest.mark.parametrize("platform", ["distributed", "zos"])
@pytest.mark.parametrize("name", VARIANTS)
def test_no_variant_is_accused(name: str, platform: PlatformName) -> None:
    finished = Runner(target(name, platform), Options()).run(CHECKS)
    accused = {result.check.id for result in finished.results if result.verdict is Verdict.VIOLATES}
    broken = {result.check.id for result in finished.results if result.verdict is Verdict.TARGET_ERROR}
    assert (accused, broken) == (set(), set())


def test_what_a_variant_lawfully_never_does_is_undecided_by_its_choice_and_no_finding() -> None:
    checks = select(all_checks(), ["example/CTX-04", "example/SYN-06", "example/PRI-03"])
    finished = Runner(target("contrary", "zos"), Options()).run(checks)
    seen = {result.check.id: result for result in finished.results}
    assert seen["example/PRI-03"].verdict is Verdict.CONFORMS
    for name, choice in (
        ("example/CTX-04", "which of the reasons that apply is returned: 2035 NOT_AUTHORIZED"),
        ("example/SYN-06", "does the putter see its uncommitted message (VIS-02): no"),
    ):
        assert (seen[name].verdict, seen[name].by_choice) == (Verdict.UNDECIDED, True)
        assert f"the target made another choice that the documents allow: {choice}" in seen[name].missing
    assert exit_status(finished, strict=True) == 0
    document = {check.id: check.by_choice for check in results_of(finished).checks}
    assert document == {"example/CTX-04": True, "example/SYN-06": True, "example/PRI-03": False}


def test_the_model_itself_has_no_choices_otherwise() -> None:
    finished = Runner(target_of(), Options()).run(select(all_checks(), ["EXP", "ACT", "machine/delivery"]))
    assert {choice for result in finished.results for choice in result.choices} == set()


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


def test_a_handle_with_the_number_of_a_closed_one_does_not_go_on_behind_its_message() -> None:
    text = """
        p = B.open Q OUTPUT; put p m1 NO_SYNCPOINT; put p m2 NO_SYNCPOINT
        h = open Q INPUT_SHARED; get h SYNCPOINT+MARK_SKIP_BACKOUT; close h
        g = open Q INPUT_SHARED; back; get g NO_SYNCPOINT; back; get g NO_SYNCPOINT
    """
    session = play(text, lambda: VARIANTS["other-ids"].server("zos"))
    assert session.departure is None
    numbers = [exchange.reply["Hobj"] for exchange in session.exchanges if exchange.line.verb == "open"]
    assert numbers == [100_000] * 3
    puts, gets = (
        [each.reply["MQMD"]["MsgId"] for each in session.exchanges if each.line.verb == verb] for verb in ("put", "get")
    )
    assert gets == [*puts, puts[0]]
