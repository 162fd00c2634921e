"""Ctrl-C and SIGTERM: a run ends soon, reports its results, and leaves no target."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.checks.rig import Budget
from conformance.checks.selection import all_checks, select
from conformance.cli import main
from conformance.results.events import CheckFinished, Event
from conformance.running.interrupts import Interrupts
from conformance.running.runner import Runner
from conformance.running.worker import Options
from conformance.targets import target_for
from oracle.judging.verdicts import Verdict
from oracle.program import terminable
from tests.conformance.conftest import ANSWER, until

SIGNALS = [signal.SIGINT, signal.SIGTERM]


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


class Interrupting:
    """A listener that interrupts the run after a number of checks."""

    def __init__(self, number: signal.Signals, after: int = 1) -> None:
        self._number, self._left = number, after

    def notify(self, event: Event) -> None:
        """Send the signal to this process."""
        self._left -= isinstance(event, CheckFinished)
        if isinstance(event, CheckFinished) and self._left == 0:
            signal.raise_signal(self._number)


class Watched:
    """Targets that note their process numbers."""

    def __init__(self, folder: Path, script: Callable[[str], str]) -> None:
        self._folder, self._script = folder, script

    def target(self, body: str) -> str:
        """Return the command line of one."""
        return self._script(f"open(f'{self._folder}/{{os.getpid()}}', 'w').close()\n{body}")

    @property
    def pids(self) -> list[int]:
        """The numbers of those that were started."""
        return [int(path.name) for path in self._folder.iterdir()]

    @property
    def alive(self) -> list[int]:
        """The numbers of those that still run."""
        return [pid for pid in self.pids if alive(pid)]


@pytest.fixture
def watched(tmp_path: Path, script: Callable[[str], str]) -> Iterator[Watched]:
    """Return a function that watches targets, which are ended after the test."""
    tmp_path.joinpath("pids").mkdir()
    targets = Watched(tmp_path / "pids", script)
    yield targets
    for pid in targets.alive:
        os.kill(pid, signal.SIGKILL)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("number", SIGNALS)
def test_the_first_signal_is_noted_and_told(number: signal.Signals, capfd: pytest.CaptureFixture[str]) -> None:
    interrupts = Interrupts(Clock())
    with interrupts.noted():
        interrupts.look()
        signal.raise_signal(number)
        assert interrupts.asked
        with pytest.raises(KeyboardInterrupt):
            interrupts.look()
    assert capfd.readouterr().err == "ending after this call; Ctrl-C again ends at once\n"


def test_a_second_signal_ends_at_once_unless_it_is_the_first_one_sent_twice() -> None:
    clock = Clock()
    interrupts = Interrupts(clock)
    with interrupts.noted():
        signal.raise_signal(signal.SIGTERM)
        clock.seconds += 0.1
        signal.raise_signal(signal.SIGTERM)
        clock.seconds += 1
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        interrupts.hold()
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)


def test_a_call_that_does_not_end_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.running.interrupts._PATIENCE_S", 0.05)
    with Interrupts().noted():
        signal.raise_signal(signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            time.sleep(30)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_signals_are_handled_as_before_afterwards() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    with terminable(), Interrupts().noted():
        assert [signal.getsignal(number) for number in SIGNALS] != before
    assert [signal.getsignal(number) for number in SIGNALS] == before


@pytest.mark.parametrize("number", SIGNALS)
def test_a_run_keeps_the_results_until_then(number: signal.Signals) -> None:
    finished = Runner(target_for("python:oracle.serve:Server"), Options(), [Interrupting(number)]).run(
        select(all_checks(), ["priority"])
    )
    assert "interrupted" in finished.ended_early
    verdicts = [result.verdict for result in finished.results]
    assert verdicts[0] is Verdict.CONFORMS
    assert set(verdicts[1:]) == {Verdict.UNDECIDED}


@pytest.mark.parametrize("number", SIGNALS)
def test_checks_side_by_side_end_early_with_what_they_have(number: signal.Signals) -> None:
    checks = select(all_checks(), ["priority", "machine/delivery"])
    options = Options(Budget.DEEP, jobs=2, minutes=100)
    finished = Runner(target_for("mq-oracle serve"), options, [Interrupting(number, len(checks) - 1)]).run(checks)
    assert "interrupted" in finished.ended_early
    *scenarios, machine = finished.results
    assert {result.verdict for result in scenarios} == {Verdict.CONFORMS}
    assert (machine.check.id, machine.verdict) == ("machine/delivery", Verdict.UNDECIDED)
    assert machine.missing == "broken off: the run was interrupted"


def test_workers_and_targets_end_with_the_run_that_is_killed(watched: Watched) -> None:
    target = watched.target(ANSWER + "time.sleep(60)")  # it would continue after the end of its input
    arguments = ["--target", target, "--jobs", "2", "--budget", "deep", "--minutes", "9", "--select", "machine/*"]
    with subprocess.Popen(
        [sys.executable, "-m", "conformance", "run", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        until(lambda: len(watched.pids) == 3)  # the first says hello alone
        process.kill()
    until(lambda: not watched.alive)


@pytest.mark.parametrize("command", ["doctor", "run", "replay"])
@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("at", ["hello", "setup"])
def test_a_command_that_is_interrupted_ends_its_target(
    command: str, number: signal.Signals, at: str, watched: Watched, tmp_path: Path
) -> None:
    found = tmp_path / "found.yaml"
    found.write_text("area: a\nscenarios:\n  - {id: a/b, title: T, rules: [EXP-09], steps: put1 Q m1}\n")
    arguments = {"doctor": [], "run": ["--select", "priority"], "replay": [str(found)]}[command]
    silent = f"    if '\"{at}\"' in line:\n        os.kill(os.getppid(), {number.value}); time.sleep(60)\n"
    target = watched.target(ANSWER.replace("sys.stdin:\n", f"sys.stdin:\n{silent}"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("conformance.running.interrupts._PATIENCE_S", 0.05)
        result = CliRunner().invoke(main, [command, "--target", target, *arguments])
    assert result.exit_code == 130, result.output
    assert len(watched.pids) == 1
    assert not watched.alive
