"""Several targets side by side give the same results as one."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing import active_children
from multiprocessing.pool import ThreadPool
from threading import Barrier, Thread
from typing import Literal

import pytest

from conformance.checks.check import Check
from conformance.checks.rig import Budget, Rig
from conformance.checks.selection import all_checks, select
from conformance.results.document import results_of
from conformance.results.events import CheckFinished, Event, RunFinished
from conformance.running.jobs import JOBS, jobs_for, order_of
from conformance.running.processes import check_processes
from conformance.running.runner import Runner
from conformance.running.worker import Options
from conformance.sessions.clock import Time
from conformance.sessions.dialogue import Hello
from conformance.sessions.session import History, Session, Setup
from conformance.targets import target_for
from oracle.errors import ProcessEndedError
from oracle.histories.notation import parse
from oracle.judging.verdicts import Verdict
from oracle.protocol import FEATURES
from tests.conformance.conftest import HELLO, ClaimingServer

CHECKS = select(all_checks(), ["lock", "priority"])


def run(target: str, jobs: int, *, fail_fast: bool = False) -> RunFinished:
    return Runner(target_for(target), Options(jobs=jobs, fail_fast=fail_fast)).run(CHECKS)


def test_the_results_are_the_same_in_the_same_order() -> None:
    one, two = (results_of(run("mq-oracle serve", jobs)) for jobs in (1, 2))
    assert [(check.id, check.verdict, check.steps) for check in one.checks] == [
        (check.id, check.verdict, check.steps) for check in two.checks
    ]
    assert one.rules == two.rules
    assert not two.ended_early


@pytest.mark.skipif(sys.platform == "win32", reason="no signal is sent to a group there")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_worker_that_is_still_being_imported_leaves_signals_to_the_run(
    number: signal.Signals, capfd: pytest.CaptureFixture[str]
) -> None:
    """Check a signal to the whole group: the process continues, and no traceback is printed."""
    with check_processes(2) as (processes, _, end):
        for child in active_children():
            assert child.pid is not None
            os.kill(child.pid, number)
        for process in processes:
            performed = process.perform((7, "mq-oracle serve", Options(), CHECKS[0]))
            assert performed is not None
            assert (performed[0], performed[1].verdict) == (7, Verdict.CONFORMS)
        end()
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("busy", [False, True])
def test_processes_end_at_once_with_the_run(*, busy: bool) -> None:
    deep = Options(Budget.DEEP, minutes=100)
    machine = next(check for check in all_checks() if check.id == "machine/delivery")
    with check_processes(1) as ((process,), _, end), ThreadPool(1) as threads:
        assert process.perform((0, "mq-oracle serve", Options(), CHECKS[0]))
        answer = threads.apply_async(process.perform, [(1, "mq-oracle serve", deep, machine)])
        if not busy:
            end()
        else:
            Thread(target=end).start()
        with pytest.raises(ProcessEndedError):
            answer.get()
    assert not active_children()


class Killing:
    """A listener that kills one of the processes when the first check has ended, and notes the end of the run."""

    finished: RunFinished | None = None
    killed = False

    def notify(self, event: Event) -> None:
        if isinstance(event, CheckFinished) and not self.killed:
            self.killed = True
            active_children()[0].kill()
        if isinstance(event, RunFinished):
            self.finished = event


def test_a_process_that_is_killed_is_told_and_loses_no_result() -> None:
    killing = Killing()
    runner = Runner(target_for("mq-oracle serve"), Options(jobs=2), [killing])
    with pytest.raises(ProcessEndedError, match="ended with status -9, and its check has no result"):
        runner.run(CHECKS)
    assert killing.finished is not None
    assert Verdict.CONFORMS in {result.verdict for result in killing.finished.results}
    assert not active_children()


def test_the_first_violation_ends_them_all() -> None:
    finished = run("python -m fixtures.miniatures lock_survives_unlock", 2, fail_fast=True)
    assert "first violation" in finished.ended_early
    assert any(result.counterexample is not None for result in finished.results)


ASLEEP = Barrier(6)


def sleep_together(_: float) -> None:
    ASLEEP.wait(60)


@dataclass(frozen=True)
class TimeInCommon(Time):
    """A shared time in which a sleep ends when as many checks sleep as may at once: nothing here waits for a clock."""

    sleep: Callable[[float], None] = field(default=sleep_together)


def server_with_a_real_clock() -> ClaimingServer:
    return ClaimingServer({"clock": "real"})


def sleeps(rig: Rig) -> Session | None:
    session = rig.play(History(Setup(), parse("advance 60s")))
    return session if session.departure else None


def test_checks_that_let_time_pass_sleep_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.sessions.clock.Time", TimeInCommon)
    checks = [Check(f"sleep/{number}", "Sleeps", "scenario", sleeps) for number in range(ASLEEP.parties)]
    target = target_for("python:tests.conformance.test_jobs:server_with_a_real_clock")
    finished = Runner(target, Options(jobs=0)).run(checks)
    assert {result.verdict for result in finished.results} == {Verdict.CONFORMS}


@pytest.mark.parametrize(("clock", "jobs", "expected"), [("virtual", 0, 1), ("real", 0, JOBS["real"]), ("real", 3, 3)])
def test_how_many_run_side_by_side_depends_on_the_clock(
    clock: Literal["virtual", "real"], jobs: int, expected: int
) -> None:
    hello = Hello.model_validate({**HELLO, "clock": clock, "features": FEATURES})
    assert jobs_for(Options(jobs=jobs), hello, CHECKS) == expected
    assert ASLEEP.parties <= JOBS["real"]


@pytest.mark.parametrize(("features", "expected"), [(["priority"], 2), ([], 1)])
def test_no_more_run_side_by_side_than_there_are_checks_that_apply(features: list[str], expected: int) -> None:
    hello = Hello.model_validate({**HELLO, "features": features})
    priority = [check for check in all_checks() if check.features == ("priority",)][:2]
    locking = [check for check in all_checks() if "lock" in check.features][:50]
    assert jobs_for(Options(jobs=100_000), hello, [*priority, *locking]) == expected


@pytest.mark.parametrize("jobs", [2, 3, 12, 64])
def test_half_of_the_targets_begin_with_what_takes_longest(jobs: int) -> None:
    checks = all_checks()
    begun = [checks[number] for number in order_of(checks, jobs)]
    machines = [check for check in begun if check.kind == "machine"]
    short = [check for check in begun if check.kind == "scenario"]
    assert begun == [*machines[: jobs // 2], *short, *machines[jobs // 2 :]]
    assert [check.id for check in machines[:3]] == ["machine/zos", "machine/objects", "machine/everything"]
    asleep = ["wait" in check.features for check in short]
    assert asleep.index(True) < asleep.index(False)
    assert sorted(order_of(checks, jobs)) == list(range(len(checks)))
