"""A report on the disk: one finding with the calls around it, and a first file of known deviations, without Spark."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from oracle.judging.deviations import parse_log_deviations
from oracle.rules import catalogue
from spark_checks.cli import main
from spark_checks.reports.files import FindingsFiles, write_around
from spark_checks.reports.gate import FailOn, Gate
from spark_checks.reports.gathering import Gathering
from spark_checks.reports.known import deviations_of
from spark_checks.reports.results import summary
from tests.spark_checks.sample_results import around_of, late, overtaken, results

ROWS = [late(1), late(2, "[a]/7"), overtaken(3)]


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """Return a report with three findings; the surroundings of the last are not kept."""
    gathering = Gathering()
    with FindingsFiles(tmp_path) as files:
        for row in ROWS:
            files.write(gathering.take(row))
    write_around({1: around_of(ROWS[0]), 2: around_of(ROWS[1])}, tmp_path / "around.jsonl")
    (tmp_path / "summary.json").write_text(json.dumps(summary(results(ROWS))))
    return tmp_path


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_a_finding_is_shown_with_the_calls_around_it_in_their_order(report: Path) -> None:
    result = run("show", report, "--finding", "1")
    assert result.exit_code == 0
    assert "EXP-09" in result.output
    assert "returned a message 1.5 seconds after its Expiry had passed" in result.output
    calls = [line for line in result.output.splitlines() if "day.jsonl" in line]
    assert [line[:2].strip() for line in calls] == ["", "1", "", "2"]
    assert all("OK" in line for line in calls)
    assert "\n".join(catalogue.rule("EXP-09").source_lines()) in result.output
    assert "--log" not in result.output


def test_where_the_calls_around_it_are_not_kept_its_own_are_shown(report: Path) -> None:
    result = run("show", report, "--finding", "3")
    assert [line[:2].strip() for line in result.output.splitlines() if "day.jsonl" in line] == ["1", "2", "3", "4"]
    assert "--log INPUT reads them" in result.output


@pytest.mark.parametrize("number", ["0", "4", "-1"])
def test_a_finding_that_is_not_there_is_status_2(report: Path, number: str) -> None:
    result = run("show", report, "--finding", number)
    assert result.exit_code == 2
    assert "the report has 3" in result.output


@pytest.mark.parametrize("line", ["not JSON", "[]", "{}", '{"finding": 1}'])
def test_a_damaged_report_is_status_2_with_its_line(report: Path, line: str) -> None:
    findings = report / "findings.jsonl"
    findings.write_text("\n".join([line, *findings.read_text().splitlines()[1:]]))
    result = run("show", report, "--finding", "1")
    assert result.exit_code == 2
    assert f"{findings}:1: " in result.output


def test_what_is_no_report_is_status_2(tmp_path: Path) -> None:
    for directory in (tmp_path, tmp_path / "nosuch"):
        for command in (("show", directory, "--finding", "1"), ("known", directory)):
            result = run(*command)
            assert result.exit_code == 2
            assert f"mq-audit: {directory}: not a report of mq-audit run (it has no " in result.output


def test_a_first_file_of_known_deviations_excuses_the_same_findings(report: Path) -> None:
    text = deviations_of(report, date(2999, 1, 1))
    entries = parse_log_deviations(text, "known.yaml")
    assert {entry.rule for entry in entries} == {"EXP-09", "PRI-04"}
    again = results([*ROWS, late(9, "10.0.0.7:9999/8")], entries)
    assert again.excused == 4
    assert Gate(FailOn.SUSPICION).exit_status(again) == 0
    assert deviations_of(report, date(2999, 1, 1)) == text


def test_a_known_file_does_not_excuse_what_it_does_not_state(report: Path) -> None:
    entries = parse_log_deviations(deviations_of(report, date(2999, 1, 1)), "known.yaml")
    other = results([late(1, queue="OTHER"), {**late(2), "explanation": "Something else was wrong."}], entries)
    assert other.excused == 0


def test_the_file_is_written_where_it_is_wanted(report: Path, tmp_path: Path) -> None:
    target = tmp_path / "known.yaml"
    assert run("known", report, "--output", target).exit_code == 0
    entries = parse_log_deviations(target.read_text(), "known.yaml")
    assert sorted(entry.rule for entry in entries) == ["EXP-09", "PRI-04"]
    assert {"2 findings" in entry.reason for entry in entries if entry.rule == "EXP-09"} == {True}
