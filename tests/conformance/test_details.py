"""Finer features: unclaimed ones are not asked for, and a target that states none claims all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.checks.check import Check
from conformance.checks.machines import CHECKS as MACHINES
from conformance.checks.selection import all_checks
from conformance.running.runner import Runner
from conformance.running.worker import Options
from conformance.sessions.details import DETAILS
from oracle.judging.verdicts import Verdict
from oracle.protocol import CLAIMED_DETAILS, FEATURES
from oracle.rules import catalogue
from oracle.serve import Server
from tests.conformance.conftest import ClaimingServer, rig_of, target_of

SCENARIOS = [check for check in all_checks() if check.kind == "scenario"]


class Without(ClaimingServer):
    """A target that claims no finer feature, returns nonsense for the outputs of all, and accepts none of the calls."""

    def __init__(self) -> None:
        super().__init__({CLAIMED_DETAILS: []})

    def answer(self, line: str) -> dict[str, Any]:
        """Return the reply, with nonsense in place of unclaimed outputs."""
        request = json.loads(line)
        if request.get("verb") == "MQGET":
            options = request.get("MQGMO", {}).get("Options", 0)
            assert not options & DETAILS["under-cursor"].options
        reply = super().answer(line)
        for each in (reply, *reply.get("completed", ())):
            if request.get("verb") == "MQGET" or each is not reply:
                each.get("MQGMO", {}).pop("MsgToken", None)
            if "MQMD" in each:
                each["MQMD"].update(PutDate="", PutTime="noon", Priority=-1, Persistence=2)
        return reply


def some(count: int) -> list[Check]:
    """Return a number of checks, spread over all."""
    return SCENARIOS[:: max(1, len(SCENARIOS) // count)]


def test_what_is_not_claimed_is_not_judged() -> None:
    finished = Runner(target_of(Without), Options()).run(some(150))
    assert {result.verdict for result in finished.results} <= {
        Verdict.CONFORMS,
        Verdict.NOT_APPLICABLE,
        Verdict.UNDECIDED,
    }
    assert sum(result.verdict is Verdict.CONFORMS for result in finished.results) > 50
    about = {rule for detail in DETAILS.values() for rule in detail.about}
    assert not any(each.rule.id in about and each.verdict is Verdict.CONFORMS for each in finished.rules)


@pytest.mark.parametrize("name", ["browse", "delivery"])
def test_a_machine_says_no_word_that_is_not_claimed(name: str) -> None:
    machine = next(check for check in MACHINES if check.id == f"machine/{name}")
    assert machine.perform(rig_of(Without)) is None


def test_a_target_that_says_nothing_of_them_claims_all() -> None:
    hello = rig_of(Server).dialogue.hello
    assert hello.claimed == {*FEATURES, *DETAILS}
    assert not any(check.inapplicable(hello) for check in SCENARIOS if "distributed" in check.platforms)


def test_one_that_is_not_claimed_is_named() -> None:
    hello = rig_of(lambda: ClaimingServer({CLAIMED_DETAILS: sorted(DETAILS.keys() - {"under-cursor"})})).dialogue.hello
    left_out = {check.inapplicable(hello) for check in SCENARIOS if "distributed" in check.platforms} - {""}
    assert left_out == {"the target does not claim under-cursor"}


def test_the_table_speaks_of_rules_and_features_that_there_are() -> None:
    for name, detail in DETAILS.items():
        assert not detail.feature or detail.feature in FEATURES
        assert name not in FEATURES
        assert set(detail.about) <= {rule.id for rule in catalogue.rules()}
        assert any(name in check.details for check in SCENARIOS), name


def test_the_page_for_authors_lists_them_in_the_same_words() -> None:
    page = (Path(__file__).parents[2] / "docs" / "write-a-target.md").read_text(encoding="utf-8")
    for name, detail in DETAILS.items():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
        assert row.endswith(f"| {detail.means} |")
        assert f"| `{detail.feature}` |" in row or not detail.feature
