"""Reports: the fixed form of the JSON report, JUnit, the console page."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from conformance.checks.check import Check
from conformance.checks.scenarios import parse_scenarios
from conformance.reports.console import ConsoleReport
from conformance.reports.json_report import JsonReport
from conformance.reports.junit import JunitReport
from conformance.results.document import results_of
from conformance.results.events import RunFinished
from conformance.running.runner import Runner
from conformance.running.worker import Options
from fixtures.miniatures import MINIATURES
from oracle.errors import UsageError
from oracle.serve import Server
from tests.conformance.conftest import target_of

TEXT = """
area: report
scenarios:
  - id: report/fifo-queue
    title: The first in comes out first
    rules: [PRI-04]
    queues: [{name: Q, MsgDeliverySequence: FIFO}]
    steps: h = open Q INPUT_SHARED+OUTPUT; put h m1; get h
  - id: report/priority
    title: The higher priority comes first
    rules: [PRI-03]
    steps: |
      h = open Q INPUT_SHARED+OUTPUT
      put h m1
      put h m2 Priority=5
      put h m3 Priority=7
      get h
  - id: report/priority-by-browsing
    title: The higher priority is browsed first
    rules: [PRI-03]
    steps: |
      h = open Q BROWSE+OUTPUT
      put h m1
      put h m2 Priority=5
      get h BROWSE_FIRST
  - id: report/vacuous
    title: Nothing expires
    rules: [EXP-09]
    steps: put1 Q m1
  - id: report/elsewhere
    title: Only somewhere else
    rules: [ZOS-06]
    platforms: [zos]
    steps: put1 Q m1
  - id: report/broken
    title: The target does not live to see the end
    rules: [QSC-01]
    steps: quiesce
"""


class Fragile(Server):
    """A target that ignores priority, and that a quiesce ends with a message that XML cannot contain."""

    def answer(self, line: str) -> dict[str, Any]:
        """Return the reply, if it lives."""
        if "quiesce" in line:
            raise OSError("bell \x07 rings")
        with MINIATURES["priority_ignored"].change.applied():
            return super().answer(line)


def checks() -> list[Check]:
    return [scenario.check() for scenario in parse_scenarios(TEXT, "test")]


@pytest.fixture(scope="module")
def finished() -> RunFinished:
    return Runner(target_of(Fragile), Options(seed=11)).run(checks())


@pytest.fixture(scope="module")
def face(finished: RunFinished) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(results_of(finished).text())
    return loaded


def test_the_json_report_has_its_fixed_members(face: dict[str, Any]) -> None:
    assert set(face) >= {"target", "seed", "summary", "rules", "checks"}
    assert face["seed"] == 11
    assert face["target"]["name"] == "mq-oracle"
    assert face["target"]["platform"] == "distributed"
    assert face["summary"] == {
        "conforms": 1,
        "violates": 2,
        "undecided": 1,
        "not_applicable": 1,
        "target_error": 1,
    }


def test_the_json_report_of_checks(face: dict[str, Any]) -> None:
    of = {check["id"]: check for check in face["checks"]}
    assert [check["verdict"] for check in face["checks"]] == [
        "conforms",
        "violates",
        "violates",
        "undecided",
        "not_applicable",
        "target_error",
    ]
    always = {"id", "rules", "verdict", "steps", "seconds", "counterexample"}
    assert set(of["report/fifo-queue"]) >= always
    assert not {"missing", "error", "excused"} & set(of["report/fifo-queue"])
    assert set(of["report/vacuous"]) >= always | {"missing"}
    assert set(of["report/broken"]) >= always | {"error"}
    assert of["report/fifo-queue"]["rules"] == ["PRI-04"]
    assert (of["report/fifo-queue"]["steps"], of["report/fifo-queue"]["counterexample"]) == (4, None)
    assert all(isinstance(check["seconds"], float) and check["seconds"] >= 0 for check in face["checks"])


def test_the_json_report_of_a_counterexample(face: dict[str, Any]) -> None:
    found = face["checks"][1]["counterexample"]
    assert set(found) >= {"requests", "expected", "observed", "explanation"}
    assert [request.get("verb") for request in found["requests"]] == ["MQCONN", "MQOPEN", "MQPUT", "MQPUT", "MQGET"]
    assert all({"seq", "op"} <= request.keys() for request in found["requests"])
    assert "message m2" in found["expected"]
    assert "message m1" in found["observed"]
    assert "A priority queue must return messages of higher priority first" in found["explanation"]


def test_the_json_report_of_rules(face: dict[str, Any]) -> None:
    of = {rule["id"]: rule for rule in face["rules"]}
    assert set(of["PRI-03"]) == {"id", "verdict", "checks"}
    assert of["PRI-03"] == {
        "id": "PRI-03",
        "verdict": "violates",
        "checks": ["report/priority", "report/priority-by-browsing"],
    }
    assert of["PRI-04"]["verdict"] == "conforms"
    assert of["EXP-09"]["verdict"] == "undecided"
    assert "not exercised" in of["EXP-09"]["missing"]
    assert of["ZOS-06"]["verdict"] == "not_applicable"
    assert of["QSC-01"]["verdict"] == "undecided"


def requests_of(text: str, miniature: str) -> list[dict[str, Any]]:
    """Return the requests of the counterexample that a wrong queue manager gives to the only scenario of a text."""
    only = [scenario.check() for scenario in parse_scenarios(text, "test")]
    finished = Runner(target_of(MINIATURES[miniature].server), Options()).run(only)
    (check,) = json.loads(results_of(finished).text())["checks"]
    found: list[dict[str, Any]] = check["counterexample"]["requests"]
    return found


def test_the_shrinker_leaves_only_the_default_queue_manager_which_needs_no_setup() -> None:
    text = TEXT.partition("  - id: report/priority\n")[0].replace("put h m1;", "put h m1; put h m2 Priority=5;")
    text = text.replace("FIFO}", "PRIORITY}, {name: F}").replace("PRI-04", "PRI-03").replace("open Q", "open F")
    assert [request["op"] for request in requests_of(text, "priority_ignored")] == ["call"] * 5


def test_the_requests_begin_with_setup_where_a_definition_matters() -> None:
    text = """
area: report
scenarios:
  - id: report/full
    title: A full queue takes no more
    rules: [DEP-06]
    queues: [{name: Q, MaxQDepth: 1}]
    steps: h = open Q OUTPUT; put h m1; put h m2 -> 2053
"""
    setup, *others = requests_of(text, "one_more_than_fits")
    assert setup["op"] == "setup"
    assert [(queue["name"], queue["MaxQDepth"]) for queue in setup["queues"]] == [("Q", 1)]
    assert {request["op"] for request in others} == {"call"}


def test_the_junit_report_is_well_formed(finished: RunFinished, tmp_path: Path) -> None:
    JunitReport(tmp_path / "junit.xml").notify(finished)
    suite = ET.parse(tmp_path / "junit.xml").getroot().find("testsuite")
    assert suite is not None
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "6", "failures": "2", "errors": "1", "skipped": "2"}
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert list(cases) == [check.id for check in checks()]
    failure = cases["report/priority"].find("failure")
    assert failure is not None
    assert "put h m2 Priority=5" in (failure.text or "")
    assert "put h m3" not in (failure.text or "")
    error = cases["report/broken"].find("error")
    assert error is not None
    assert "bell" in (error.text or "")
    skipped = cases["report/vacuous"].find("skipped")
    assert skipped is not None
    assert skipped.get("message", "").startswith("undecided: not exercised")
    assert list(cases["report/fifo-queue"]) == []


@pytest.fixture
def page(finished: RunFinished) -> str:
    output = io.StringIO()
    report = ConsoleReport(Console(file=output, width=120))
    report.notify(finished.started)
    report.notify(finished)
    return output.getvalue()


def test_the_console_sums_up_by_area_and_shows_each_defect_once(page: str) -> None:
    assert "Priority and delivery sequence" in page
    assert page.count("A priority queue must return messages of higher priority first\n") == 1
    assert "also by report/priority" in page
    assert "messages of higher priority are returned before those of lower priority" in page
    assert "6 checks: 1 conforms, 2 violates, 1 undecided, 1 not applicable, 1 target error" in page
    assert "seed 11" in page


def test_the_console_shows_the_calls_in_the_notation(page: str) -> None:
    assert "h = open Q INPUT_SHARED+OUTPUT -> OK" in page
    assert "-> m1" in page


def test_the_console_shows_what_broke_and_what_is_undecided(page: str) -> None:
    assert "Target error in report/broken" in page
    assert "last requests:" in page
    assert "Undecided EXP-09: not exercised" in page


@pytest.mark.parametrize("report", [JsonReport, JunitReport])
def test_a_report_that_cannot_be_written_is_said(
    finished: RunFinished, tmp_path: Path, report: Callable[[Path], JsonReport]
) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        report(tmp_path).notify(finished)


def test_a_report_replaces_an_older_one_whole(finished: RunFinished, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text("old")
    JsonReport(path).notify(finished)
    assert json.loads(path.read_text())["seed"] == 11
    assert [each.name for each in tmp_path.iterdir()] == ["results.json"]
