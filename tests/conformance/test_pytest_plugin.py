"""The checks as pytest items, run by a pytest of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

WRONG = f"{sys.executable} -m fixtures.miniatures lock_survives_unlock"
ROOT = Path(__file__).parents[2]


def run(*arguments: str, target: str = "mq-oracle serve") -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--pyargs",
        "conformance",
        "--mq-target",
        target,
        "-p",
        "no:cacheprovider",
    ]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, check=False, cwd=ROOT, timeout=120)


@pytest.fixture(scope="module")
def by_one(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    """Return a run of the scenarios about UNLOCK on a conforming target, and its report."""
    report = tmp_path_factory.mktemp("by one") / "report.xml"
    return run("-q", "-k", "lock/unlock", f"--junitxml={report}"), report


def test_a_conforming_target_passes(by_one: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    done, _ = by_one
    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout
    assert "failed" not in done.stdout


def test_a_departure_fails_with_its_calls_and_no_traceback() -> None:
    done = run("-q", "-x", "-k", "LCK-17", target=WRONG)
    assert done.returncode == 1
    assert "LCK-17 UNLOCK without a lock must end with a warning" in done.stdout
    assert "get h UNLOCK -> OK" in done.stdout
    assert "Traceback" not in done.stdout
    assert "1 failed" in done.stdout


def test_two_workers_have_a_target_each_and_junit_has_every_check(
    by_one: tuple[subprocess.CompletedProcess[str], Path], tmp_path: Path
) -> None:
    one, two = by_one[1], tmp_path / "two.xml"
    assert run("-q", "-k", "lock/unlock", "-n", "2", f"--junitxml={two}").returncode == 0

    def cases(report: Path) -> set[str | None]:
        return {case.get("name") for case in ET.parse(report).iter("testcase")}

    assert cases(one) == cases(two)
    assert "lock/unlock-without-a-lock" in cases(one)


def test_what_does_not_apply_is_skipped_and_never_passes(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    done = run("-q", "-k", "ZOS", f"--junitxml={report}")
    assert done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED
    assert "mq-conform: nothing was tested: no rule was exercised" in done.stdout
    cases = list(ET.parse(report).iter("testcase"))
    assert "group-status/blank-on-zos" in {case.get("name") for case in cases}
    for case in cases:
        skipped = case.find("skipped")
        assert skipped is not None, case.get("name")
        assert skipped.get("message") == "not applicable: it applies to zos, the target is distributed"


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("-n", "2"), pytest.ExitCode.NO_TESTS_COLLECTED),
        (("--mq-allow-empty",), pytest.ExitCode.OK),
        (("-k", "group-status/blank-on-zos or lock/unlock-without-a-lock"), pytest.ExitCode.OK),
    ],
    ids=["two workers", "allowed", "one that applies"],
)
def test_a_run_in_which_no_check_applies_is_no_success_unless_that_is_allowed(
    arguments: tuple[str, ...], status: pytest.ExitCode
) -> None:
    done = run("-q", "-k", "group-status/blank-on-zos", *arguments)
    assert done.returncode == status, done.stdout
    assert ("nothing was tested" in done.stdout) == (status != pytest.ExitCode.OK)


def test_a_target_that_cannot_be_started_ends_the_run() -> None:
    done = run("-q", target="/no/such/program")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "cannot be started" in done.stdout + done.stderr


@pytest.mark.parametrize("number", ["inf", "nan", "1e300", "0", "soon"])
def test_the_time_limit_is_a_number_above_0_and_not_without_end(number: str) -> None:
    result = run(f"--mq-time-limit={number}")
    assert result.returncode == pytest.ExitCode.USAGE_ERROR
    told = "is not a number of seconds" if number == "soon" else f"{number} is not in the range 0<x<=86400"
    assert told in result.stderr
    assert "Traceback" not in result.stderr


def test_without_a_target_nothing_is_collected() -> None:
    command = [sys.executable, "-m", "pytest", "--pyargs", "conformance", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=120)
    assert done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_target_that_cannot_be_started_is_no_crash_of_two_workers() -> None:
    done = run("-q", "-k", "lock/unlock-without-a-lock", "-n", "2", target=f"{sys.executable} -c exit(3)")
    assert done.returncode != 0
    assert "mq-conform: the target ended early with exit status 3" in done.stdout
    assert "INTERNALERROR" not in done.stdout + done.stderr
