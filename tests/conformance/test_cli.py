"""The command `mq-conform`: its arguments, its output and its exit statuses."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result

from conformance.checks.selection import all_checks
from conformance.cli import main
from conformance.commands.listing import lines_of
from oracle.rules import catalogue

SERVER = "python:oracle.serve:Server"
WRONG = f"{sys.executable} -m fixtures.miniatures priority_ignored"
ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def on(target: str, *arguments: str) -> Result:
    return run("run", "--target", target, "--seed", "1", "--budget", "quick", *arguments)


def test_a_conforming_target_exits_with_0() -> None:
    result = on(SERVER, "--select", "priority")
    assert result.exit_code == 0, result.output
    assert "violates" not in result.output.replace("conforms  violates", "")


def test_a_violation_exits_with_1(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(ROOT)
    result = on(WRONG, "--select", "priority", "--json", str(tmp_path / "r.json"), "--junit", str(tmp_path / "r.xml"))
    assert result.exit_code == 1, result.output
    assert "PRI-03 A priority queue must return messages of higher priority first" in result.output
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["summary"]["violates"] >= 1
    assert all(
        len(check["counterexample"]["requests"]) <= 8 for check in report["checks"] if check["verdict"] == "violates"
    )
    assert min(len(check["counterexample"]["requests"]) for check in report["checks"] if check["counterexample"]) <= 6
    ET.parse(tmp_path / "r.xml")


def test_fail_fast_stops_at_the_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(ROOT)
    result = on(WRONG, "--select", "priority", "--fail-fast", "--json", str(tmp_path / "r.json"))
    assert result.exit_code == 1
    assert json.loads((tmp_path / "r.json").read_text())["summary"]["violates"] == 1


def test_a_target_error_exits_with_1(script: Callable[[str], str]) -> None:
    body = "server = Server()\nfor line in sys.stdin:\n    if 'MQGET' in line: sys.exit('no queue manager')\n"
    body += "    print(json.dumps(server.answer(line)), flush=True)\n"
    result = on(script(body), "--select", "priority/*first*")
    assert result.exit_code == 1, result.output
    assert "target error" in result.output
    assert "no queue manager" in result.output


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("run",), "--target"),
        (("run", "--target", "no-such-program"), "no-such-program: cannot be started"),
        (("run", "--target", "python:oracle.nowhere:Server"), "oracle.nowhere"),
        (("run", "--target", SERVER, "--select", "LCK-99"), "matches no check"),
        (("run", "--target", SERVER, "--select", "lokc"), "do you mean lock"),
        (("run", "--target", SERVER, "--select", "NAM-01"), "no check decides that rule"),
        (("run", "--target", SERVER, "--budget", "huge"), "quick"),
        (("run", "--target", SERVER, "--seed", "-1"), "--seed"),
        (("run", "--target", SERVER, "--seed", "x"), "--seed"),
        (("run", "--target", SERVER, "--time-limit", "0"), "--time-limit"),
        (("run", "--target", SERVER, "--json", "no/such/folder/r.json"), "no file can be written"),
        (("list", "--select", "nothing-at-all"), "matches no check"),
        (("juggle",), "juggle"),
    ],
)
def test_bad_usage_exits_with_2_and_a_sentence(arguments: tuple[str, ...], told: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert told in result.output
    assert "Traceback" not in result.output


def test_a_target_that_cannot_say_hello_exits_with_2(script: Callable[[str], str]) -> None:
    result = on(script("print('Hello!', flush=True); time.sleep(60)"))
    assert result.exit_code == 2
    assert "not a JSON object: Hello!" in result.output


def test_a_file_of_scenarios_with_errors_exits_with_2(monkeypatch: pytest.MonkeyPatch) -> None:
    from conformance.checks import scenarios

    bad = scenarios.parse_scenarios
    monkeypatch.setattr(scenarios, "parse_scenarios", lambda _, source: bad("area: [", source))
    known = (all_checks, scenarios.scenarios)
    for each in known:
        each.cache_clear()
    try:
        result = run("list")
    finally:
        monkeypatch.undo()
        for each in known:
            each.cache_clear()
    assert result.exit_code == 2
    assert re.search(r"\.yaml:\d+: not YAML", result.output)


@pytest.mark.parametrize(
    ("pattern", "listed", "absent"),
    [
        ("lock", "lock/unlock-serves-a-waiting-get", "browse/lock-on-a-browse-locks"),
        ("LOCK/*", "lock/unlock-serves-a-waiting-get", "browse/lock-on-a-browse-locks"),
        ("lock/unlock-*", "lock/unlock-serves-a-waiting-get", "lock/one-lock-for-a-handle"),
        ("LCK-15", "example/LCK-15", "example/LCK-16"),
        ("LCK-1?", "example/LCK-16", "example/LCK-20"),
        ("lck", "browse/lock-on-a-browse-locks", "browse/takes-nothing-off-the-queue"),
        ("machine/*", "machine/delivery", "lock/one-lock-for-a-handle"),
    ],
)
def test_select_takes_ids_areas_and_rules_with_wildcards(pattern: str, listed: str, absent: str) -> None:
    every = {check["id"] for check in json.loads(run("list", "--json").output)["checks"]}
    found = {check["id"] for check in json.loads(run("list", "--select", pattern, "--json").output)["checks"]}
    assert listed in found
    assert absent in every - found


def test_list_shows_checks_and_rules() -> None:
    listed = json.loads(run("list", "--json").output)
    assert list(listed) == ["checks", "rules"]
    assert {"id", "title", "kind", "rules", "features", "platforms"} == set(listed["checks"][0])
    known = {rule.id for rule in catalogue.rules()}
    assert {rule["id"] for rule in listed["rules"]} <= known
    assert {check["kind"] for check in listed["checks"]} == {"scenario", "machine"}
    page = run("list", "--select", "priority")
    assert page.exit_code == 0
    assert "PRI-03" in page.output


def test_strict_makes_undecided_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    from conformance.checks.scenarios import parse_scenarios
    from conformance.commands import run as command

    text = "area: a\nscenarios:\n  - {id: a/b, title: T, rules: [EXP-09], steps: put1 Q m1}\n"
    monkeypatch.setattr(command, "all_checks", lambda: [scenario.check() for scenario in parse_scenarios(text, "test")])
    assert on(SERVER).exit_code == 2
    assert on(SERVER, "--allow-empty").exit_code == 0
    assert on(SERVER, "--strict").exit_code == 1


@pytest.mark.parametrize("budget", ["quick", "standard"])
def test_minutes_are_for_the_deep_budget_alone(budget: str) -> None:
    result = on(SERVER, "--budget", budget, "--minutes", "1")
    assert result.exit_code == 2
    assert "--minutes needs --budget deep" in result.output


@pytest.mark.parametrize("number", ["inf", "1e300", "nan", "-1", "0", "soon"])
@pytest.mark.parametrize("option", ["--time-limit", "--minutes"])
def test_a_time_is_a_number_above_0_and_not_without_end(option: str, number: str) -> None:
    result = on(SERVER, "--budget", "deep", f"{option}={number}", "--select", "priority")
    assert result.exit_code == 2
    assert f"Invalid value for '{option}'" in result.output
    assert ("is not in the range 0.0<x<=" in result.output) == (number != "soon")


@pytest.mark.parametrize("arguments", [("run", "--target", SERVER), ("sensitivity",)])
def test_there_is_a_most_of_jobs(arguments: tuple[str, ...]) -> None:
    result = run(*arguments, "--jobs", "100000")
    assert result.exit_code == 2
    assert "100000 is not in the range 1<=x<=64" in result.output


def test_the_minutes_bound_a_deep_run() -> None:
    result = on(SERVER, "--budget", "deep", "--minutes", "0.02", "--select", "machine/delivery", "--seed", "1")
    assert result.exit_code == 0
    assert "1 check: 1 conforms" in result.output


@pytest.mark.parametrize("arguments", [("--help",), ("run", "--help"), ("list", "--help")])
def test_help_shows_an_example(arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.exit_code == 0
    assert "Example: mq-conform" in result.output


def test_help_and_pages_tell_the_exit_statuses_alike() -> None:
    pages = (run("run", "--help").output, *((ROOT / page).read_text() for page in ("README.md", "docs/ci.md")))
    for page in (" ".join(text.split()) for text in pages):
        assert re.search(r"130 after Ctrl-C or SIGTERM|\| 130 \| Ctrl-C or SIGTERM \|", page)
        assert re.search(r"report (that )?cannot be written", page)
    assert "Reports are written with 0, 1 and 130" in " ".join(pages[0].split())
    rows = re.findall(r"^\| (\d+) \| .* \| (.*) \|$", pages[2], re.MULTILINE)
    written = [status for status, reports in rows if reports.startswith("written")]
    assert written == ["0", "1", "2", "130"]
    for page in (pages[0], pages[2]):
        assert "the others are complete" in " ".join(page.split())


def test_version() -> None:
    assert run("--version").output.startswith("mq-conform, version ")


def interrupt(process: subprocess.Popen[str]) -> str:
    """Press Ctrl-C until the process ends: code that a library runs at that moment may swallow one."""
    for _ in range(8):
        process.send_signal(signal.SIGINT)
        try:
            return process.communicate(timeout=10)[0]
        except subprocess.TimeoutExpired:
            continue
    pytest.fail("eight interruptions did not end the run")


def test_ctrl_c_keeps_what_was_found_so_far(tmp_path: Path) -> None:
    report = tmp_path / "r.json"
    # a shell that starts jobs in the background makes them ignore the signal
    listening = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    command = [sys.executable, "-c", f"{listening} from conformance.cli import main; main()"]
    arguments = ["run", "--target", "mq-oracle serve", "--seed", "1", "--budget", "deep", "--json", str(report)]
    with subprocess.Popen(
        [*command, *arguments, "--select", "priority", "--select", "machine/*"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(4)
        try:
            output = interrupt(process)
        finally:
            process.kill()
    assert process.returncode == 130, output
    summary = json.loads(report.read_text())["summary"]
    assert summary["conforms"] >= 3
    assert summary["undecided"] >= 1
    assert "interrupted" in output
    assert "Traceback" not in output


def test_what_was_found_replays_and_compares(tmp_path: Path) -> None:
    wrong = f"{sys.executable} -m fixtures.miniatures lock_survives_unlock"
    found, results, page = (tmp_path / name for name in ("found.yaml", "r.json", "r.html"))
    result = on(wrong, "--select", "lock", "--found", str(found), "--json", str(results), "--html", str(page))
    assert result.exit_code == 1
    assert run("replay", str(found), "--target", wrong).exit_code == 1
    replayed = run("replay", str(found), "--target", SERVER)
    assert replayed.exit_code == 0
    assert "violates" not in replayed.output.splitlines()[-2]
    compared = run("compare", str(results), str(results))
    assert compared.exit_code == 0
    assert compared.output.startswith(" rule")
    assert "0 of" in compared.output
    alone = run("compare", str(results))
    assert (alone.exit_code, "give two or more" in alone.output) == (2, True)
    as_json = json.loads(run("compare", str(results), str(results), "--json").stdout)
    assert (as_json["differing"], as_json["rules"]) == (0, [])
    every = json.loads(run("compare", str(results), str(results), "--json", "--all").stdout)
    assert len(every["rules"]) == every["compared"] > 0
    verdicts = {rule["id"]: rule["verdict"] for rule in json.loads(results.read_text(encoding="utf-8"))["rules"]}
    assert {each["id"]: each["verdicts"] for each in every["rules"]} == {
        rule: [verdict, verdict] for rule, verdict in verdicts.items()
    }
    assert run("known", "--from", str(results)).output.startswith("deviations:\n- rule: LCK-")


def test_a_run_with_its_first_file_of_known_deviations_has_nothing_to_report(tmp_path: Path) -> None:
    wrong = f"{sys.executable} -m fixtures.miniatures lock_survives_unlock"
    results, known = tmp_path / "r.json", tmp_path / "known.yaml"
    assert on(wrong, "--select", "lock", "--json", str(results)).exit_code == 1
    assert run("known", "--from", str(results), "--output", str(known)).exit_code == 0
    excused = on(wrong, "--select", "lock", "--known", str(known))
    assert excused.exit_code == 0
    assert re.search(r"^Verdict: no new violation found, \d+ known deviations? still occurs?\b", excused.output, re.M)
    assert f"--known {known} --budget standard" in excused.output.splitlines()[-1]
    stale = on(SERVER, "--select", "lock", "--known", str(known))
    assert stale.exit_code == 1
    assert "Known deviation, no longer occurs" in stale.output
    assert re.search(r"^Verdict: no violation found, but \d+ known deviations? no longer occur", stale.output, re.M)


def test_a_run_that_tests_nothing_says_so_first_and_exits_with_2(script: Callable[[str], str]) -> None:
    hello = '{"seq": 1, "protocol": 1, "implementation": {"name": "n", "version": "1", "language": "l"}, '
    hello += '"platform": "distributed", "clock": "virtual", "features": ["fifo"]}'
    target = script(f"for line in sys.stdin: print('{hello}' if 'hello' in line else '{{}}', flush=True)")
    empty = on(target, "--select", "LCK-12")
    lines = empty.output.splitlines()
    assert (empty.exit_code, lines[1]) == (
        2,
        "Nothing was tested: no rule was exercised; no check applies to what the target claims",
    )
    assert lines[-1].startswith("Next: mq-conform doctor --target ")
    assert on(target, "--select", "LCK-12", "--allow-empty").exit_code == 0


def test_a_run_ends_with_the_verdict_the_reports_and_the_next_command(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    good = on(SERVER, "--select", "LCK-12", "--html", str(page)).output.splitlines()
    assert good[-3].startswith("Verdict: no violation found")
    assert good[-2] == f"HTML report: {page}"
    assert good[-1] == f"Next: mq-conform run --target {SERVER} --budget standard"
    wrong = f"{sys.executable} -m fixtures.miniatures lock_survives_unlock"
    bad = on(wrong, "--select", "lock").output.splitlines()
    assert re.match(r"Verdict: \d+ defects? found$", bad[-3])
    assert bad[-2] == "No report file was asked for: --html report.html writes one."
    assert bad[-1].startswith("Next: mq-oracle rules LCK-")


def test_the_list_has_every_rule_and_title_in_a_pipe() -> None:
    lines = run("list", "--select", "LCK-12").output.splitlines()
    assert all(len(line.split("\t")) == 3 for line in lines)
    assert any("LCK-12" in line.split("\t")[1] for line in lines)


def test_the_list_fits_a_terminal_of_80_columns() -> None:
    for check in all_checks():
        lines = list(lines_of(check, folded=True))
        assert all(len(line) <= 80 for line in lines[1:]), check.id  # an id stays whole
        shown = " ".join(" ".join(line.split()) for line in lines[1:])
        assert shown == " ".join(f"{check.title} {' '.join(check.rules) or 'every rule that it exercises'}".split())


@pytest.mark.parametrize("command", ["replay", "known", "compare"])
def test_a_file_of_another_kind_exits_with_2(command: str, tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    bad.write_text("{")
    arguments = {
        "replay": [str(bad), "--target", SERVER],
        "known": ["--from", str(bad)],
        "compare": [str(bad), str(bad)],
    }
    result = run(command, *arguments[command])
    assert result.exit_code == 2
    assert f"{bad}" in result.output
