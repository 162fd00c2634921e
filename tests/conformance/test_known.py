"""Known deviations in a run: excused as stated, stale when gone, a violation when they show otherwise."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from conformance.checks.check import Check
from conformance.checks.machines import CHECKS as MACHINES
from conformance.checks.scenarios import parse_scenarios
from conformance.commands.known import deviations_of
from conformance.commands.run import exit_status
from conformance.results.document import results_of
from conformance.results.events import RunFinished
from conformance.running.runner import Runner
from conformance.running.worker import Options, Worker
from conformance.sessions.session import Sighting
from fixtures.miniatures import MINIATURES
from oracle.judging.deviations import Deviation, Standing, parse_deviations
from oracle.judging.verdicts import Verdict
from oracle.serve import Server
from tests.conformance.conftest import target_of

MACHINE = next(check for check in MACHINES if check.id == "machine/delivery")

TEXT = """
area: test
scenarios:
  - id: test/priority
    title: The higher priority comes first
    rules: [PRI-03]
    steps: h = open Q INPUT_SHARED+OUTPUT; put h m1; put h m2 Priority=5; get h
  - id: test/fifo
    title: What comes first is got first
    rules: [PRI-04]
    queues: [{name: Q, MsgDeliverySequence: FIFO}]
    steps: h = open Q INPUT_SHARED+OUTPUT; put h m1; put h m2; get h
"""
CHECKS = [scenario.check() for scenario in parse_scenarios(TEXT, "test")]


def known(rule: str = "PRI-03", observed: str = "OK 0 NONE; another message", target: str = "mq-oracle") -> Deviation:
    return Deviation(rule=rule, target=target, observed=observed, reason="so it is", review=date(2999, 1, 1))


def run(*deviations: Deviation, checks: list[Check] = CHECKS, wrong: bool = True) -> RunFinished:
    make = MINIATURES["priority_ignored"].server if wrong else Server
    return Runner(target_of(make), Options(known=deviations)).run(checks)


def test_a_known_deviation_is_excused_and_still_a_violation_of_the_rule() -> None:
    finished = run(known())
    assert [result.verdict for result in finished.results] == [Verdict.VIOLATES, Verdict.CONFORMS]
    assert finished.results[0].excused
    assert [rule.rule.id for rule in finished.rules if rule.verdict is Verdict.VIOLATES] == ["PRI-03"]
    assert [(entry.standing, entry.checks) for entry in finished.known] == [(Standing.OCCURS, ("test/priority",))]
    assert exit_status(finished, strict=False) == 0


def test_one_that_no_longer_occurs_is_stale_and_a_failure() -> None:
    finished = run(known(), wrong=False)
    assert [entry.standing for entry in finished.known] == [Standing.STALE]
    assert exit_status(finished, strict=False) == 1


@pytest.mark.parametrize("observed", ["FAILED 2033 NO_MSG_AVAILABLE", "OK 0 NONE; MQMD.Priority"])
def test_another_way_of_departing_is_not_excused(observed: str) -> None:
    finished = run(known(observed=observed))
    assert not finished.results[0].excused
    assert [entry.standing for entry in finished.known] == [Standing.STALE]
    assert exit_status(finished, strict=False) == 1


@pytest.mark.parametrize(
    ("version", "excused", "standing"),
    [
        ("0.0.9", True, Standing.OCCURS),
        (">=0.0.9 <99", True, Standing.OCCURS),
        (">=0.0.9, <=0.0.10", False, Standing.OTHER_TARGET),
        (">9.9", False, Standing.OTHER_TARGET),
        ("9.*", False, Standing.OTHER_TARGET),
    ],
)
def test_a_version_is_a_range_and_a_single_one_alone_fails_nothing(
    version: str, excused: bool, standing: Standing
) -> None:
    finished = run(known().model_copy(update={"version": version}))
    assert finished.results[0].excused == excused
    assert [entry.standing for entry in finished.known] == [standing]


def test_an_entry_of_another_version_that_does_not_occur_fails_nothing() -> None:
    finished = run(known().model_copy(update={"version": "0.0.9"}), wrong=False)
    assert [entry.standing for entry in finished.known] == [Standing.OTHER_TARGET]
    assert exit_status(finished, strict=False) == 0


def test_a_first_file_names_no_version() -> None:
    (entry,) = parse_deviations(deviations_of(results_of(run()), date(2999, 1, 1)), "known.yaml")
    assert entry.version == "*"


def test_another_rule_is_not_excused() -> None:
    assert not run(known("PRI-04")).results[0].excused


def test_an_entry_that_was_not_tried_or_is_about_another_target_says_nothing() -> None:
    finished = run(known("EXP-09"), known(target="another"), wrong=False)
    assert [entry.standing for entry in finished.known] == [Standing.NOT_TRIED, Standing.OTHER_TARGET]
    assert exit_status(finished, strict=False) == 0


def test_a_search_goes_on_after_what_is_known() -> None:
    # Hypothesis takes numbers from the modules that are loaded: which departure comes first rests on the tests before.
    without = run(checks=[MACHINE]).results[0]
    first = without.blamed[0]
    finished = run(known(first, observed="*"), checks=[MACHINE]).results[0]
    assert any(each.known is not None for each in finished.departures)
    assert all(each.rules[0] != first for each in finished.departures if each.known is None)


def test_a_first_file_made_from_the_results_excuses_the_same_run() -> None:
    text = deviations_of(results_of(run(checks=CHECKS)), date(2999, 1, 1))
    finished = run(*parse_deviations(text, "known.yaml"), checks=CHECKS)
    assert finished.results[0].excused
    assert exit_status(finished, strict=False) == 0


def test_a_departure_that_is_not_known_is_made_shorter_once(monkeypatch: pytest.MonkeyPatch) -> None:
    shrunk: list[Sighting] = []
    shrink = Worker.shrunk

    def noted(worker: Worker, found: Sighting, *how: Any) -> Sighting:
        shrunk.append(found)
        return shrink(worker, found, *how)

    monkeypatch.setattr(Worker, "shrunk", noted)
    finished = run(known(observed="FAILED*"), checks=[MACHINE])
    assert finished.results[0].verdict is Verdict.VIOLATES
    assert not finished.results[0].excused
    assert len(shrunk) == len({sighting.met.look for sighting in shrunk})
