"""Every case has the findings that it must have, and no others."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

import pytest

from spark_checks.frames import Engine
from spark_checks.shapes.other_verbs import FOREIGN
from tests.spark_checks.cases import LOGS, Case, every_case
from tests.spark_checks.conftest import Audited
from tests.spark_checks.histories import Found, History, audit_records, findings_by_qmgr

CASES = every_case()
WITHOUT_MESSAGE = ("WAI-01", "WAI-09", "QSC-01", "MSB-06", "SIG-12", "CLO-08", "CLO-10", *(row.rule for row in FOREIGN))
"""Rules about calls that found or put nothing, whatever there was, and about the close of any queue."""
Outcomes = Callable[[str], dict[str, list[Found]]]


@pytest.fixture(scope="module")
def outcomes(audited: Audited) -> Outcomes:
    return cache(lambda kind: findings_by_qmgr(audited(kind)))


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in CASES.items()])
def test_findings_of_a_case(case: Case, outcomes: Outcomes) -> None:
    found = outcomes(case.log).get(case.name, [])
    assert sorted(f"{one.rule} {one.verdict}" for one in found) == list(case.expected), found


def test_a_case_has_the_same_findings_in_a_log_of_its_own(engine: Engine, log_file: Path, seed: int) -> None:
    """In a small log few kinds of rows occur, and checks that none of them can fulfil are left out."""
    for case in Random(seed).sample(sorted(CASES.values(), key=lambda each: each.name), 8):
        history = History(case.name)
        case.write(history)
        found = findings_by_qmgr(audit_records(engine, log_file, [LOGS[case.log], *history.records])).get(case.name, [])
        assert sorted(f"{one.rule} {one.verdict}" for one in found) == list(case.expected), (case.name, found)


@pytest.mark.parametrize("kind", sorted(LOGS))
def test_every_finding_is_complete(kind: str, outcomes: Outcomes) -> None:
    found = [one for findings in outcomes(kind).values() for one in findings]
    assert found
    for one in found:
        assert 1 <= len(one.calls) <= 4
        assert len(set(one.calls)) == len(one.calls)
        assert one.msg_id or one.calls[-1][2] == "MQOPEN" or one.rule in WITHOUT_MESSAGE
        assert one.explanation.endswith(".")
        assert "unknown" not in one.explanation.split()
        assert ("unless" in one.explanation) == (one.verdict == "suspicion")


def test_the_calls_of_an_inversion_are_both_puts_and_both_gets(outcomes: Outcomes) -> None:
    (found,) = outcomes("complete")["fifo_broken"]
    assert found.calls == (("P", 1, "MQPUT"), ("P", 2, "MQPUT"), ("C", 1, "MQGET"), ("C", 2, "MQGET"))


@pytest.mark.parametrize(
    ("case", "unless"),
    [
        ("an_untraced_application_may_have_held_it", "with a selection string"),
        ("an_untraced_application_may_have_held_it_all_other_calls_of_the_get_being_there", "had got or locked it"),
    ],
)
def test_what_is_outside_the_log_is_told_as_the_doubt(case: str, unless: str, outcomes: Outcomes) -> None:
    (found,) = outcomes("incomplete")[case]
    assert unless in found.explanation


def test_the_calls_of_a_second_delivery_name_the_commit(outcomes: Outcomes) -> None:
    (found,) = outcomes("complete")["got_again_after_the_commit"]
    assert found.calls == (("P", 1, "MQPUT"), ("C", 1, "MQGET"), ("C", 2, "MQCMIT"), ("D", 1, "MQGET"))
