"""The runner: one check after the other, with any behaviour of the target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from conformance.checks.check import Check
from conformance.checks.rig import Rig
from conformance.checks.scenarios import parse_scenarios
from conformance.results.events import CheckFinished, CheckStarted, Event, RunFinished, RunStarted
from conformance.running.runner import Runner
from conformance.running.worker import Options
from conformance.sessions.session import Session
from conformance.sessions.shrink import Shrinker
from fixtures.miniatures import MINIATURES
from oracle.errors import NotModelledError, TargetError, UsageError
from oracle.judging.verdicts import Verdict
from oracle.serve import Server
from tests.conformance.conftest import CannedTarget, ClaimingServer, target_of

STEPS = {
    "good": "h = open Q OUTPUT+INPUT_SHARED\n      put h m1\n      get h",
    "priority": "h = open Q OUTPUT+INPUT_SHARED\n      put h m1\n      put h m2 Priority=5\n      get h",
    "quiesce": "h = open Q OUTPUT\n      quiesce\n      put h m1",
    "waits": "h = open Q INPUT_SHARED\n      w = get h WAIT WaitInterval=-1\n      cmit",
}


def check(name: str, rules: str = "PRI-03", features: str = "", platforms: str = "distributed, zos, ibmi") -> Check:
    text = f"""
area: test
scenarios:
  - id: test/{name}
    title: A title
    rules: [{rules}]
    features: [{features}]
    platforms: [{platforms}]
    steps: |
      {STEPS[name]}
"""
    return parse_scenarios(text, "test")[0].check()


class Recorder:
    """A listener that remembers."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def notify(self, event: Event) -> None:
        """Remember an event."""
        self.events.append(event)


class WithoutQuiesce(Server):
    """A target whose interface lacks a request."""

    def answer(self, line: str) -> dict[str, Any]:
        """Return the reply, or that the request cannot be expressed."""
        reply = super().answer(line)
        return {"seq": reply["seq"], "unsupported": "quiescing"} if '"quiesce"' in line else reply


class Falling(Server):
    """A target that crashes on a quiesce."""

    starts = 0

    def __init__(self) -> None:
        super().__init__()
        type(self).starts += 1

    def answer(self, line: str) -> dict[str, Any]:
        """Return the reply, if it does not crash."""
        if "quiesce" in line:
            raise OSError("out of memory")
        return super().answer(line)


def run(*checks: Check, make: Callable[[], Server] = Server, fail_fast: bool = False) -> RunFinished:
    return Runner(target_of(make), Options(fail_fast=fail_fast)).run(checks)


def verdicts(finished: RunFinished) -> list[str]:
    return [result.verdict.value for result in finished.results]


def test_a_check_does_not_apply_to_a_target_that_cannot_express_it() -> None:
    finished = Runner(target_of(WithoutQuiesce), Options()).run([check("quiesce"), check("good")])
    left_out, other = finished.results
    assert (left_out.verdict, other.verdict) == (Verdict.NOT_APPLICABLE, Verdict.CONFORMS)
    assert left_out.missing == "the target's interface cannot express quiescing"


def test_the_listeners_are_told_in_order() -> None:
    recorder = Recorder()
    finished = Runner(target_of(), Options(seed=4), [recorder]).run([check("good")])
    kinds = [type(event) for event in recorder.events]
    assert kinds == [RunStarted, CheckStarted, CheckFinished, RunFinished]
    assert recorder.events[-1] is finished
    assert isinstance(recorder.events[0], RunStarted)
    assert (recorder.events[0].seed, recorder.events[0].hello.platform) == (4, "distributed")


def test_a_violation_has_a_counterexample_and_names_the_rule() -> None:
    finished = run(check("priority"), check("good", "TRN-08"), make=MINIATURES["priority_ignored"].server)
    assert verdicts(finished) == ["violates", "conforms"]
    violated = [rule.rule.id for rule in finished.rules if rule.verdict is Verdict.VIOLATES]
    assert violated == ["PRI-03"]
    assert finished.results[0].counterexample is not None
    assert finished.results[0].blamed == ("PRI-03",)


def test_the_target_is_started_anew_after_an_error_and_the_run_goes_on() -> None:
    Falling.starts = 0
    finished = run(check("good"), check("quiesce"), check("good"), make=Falling)
    assert verdicts(finished) == ["conforms", "target_error", "conforms"]
    assert "out of memory" in finished.results[1].error
    assert Falling.starts == 2


def test_a_target_that_cannot_be_started_again_breaks_the_remaining_checks() -> None:
    made = iter([Falling()])
    finished = run(check("quiesce"), check("good"), check("good"), make=lambda: next(made))
    assert verdicts(finished) == ["target_error"] * 3
    assert "could not be started again" in finished.results[2].error


def test_a_target_that_always_breaks_is_given_up() -> None:
    finished = run(*[check("quiesce")] * 30, make=Falling)
    assert verdicts(finished) == ["target_error"] * 10 + ["undecided"] * 20
    assert "10 checks one after the other" in finished.ended_early


def test_fail_fast_stops_at_the_first_violation() -> None:
    finished = run(
        check("good"), check("priority"), check("good"), make=MINIATURES["priority_ignored"].server, fail_fast=True
    )
    assert verdicts(finished) == ["conforms", "violates", "undecided"]
    assert "first violation" in finished.results[2].missing


def test_checks_that_do_not_apply_are_not_run() -> None:
    claims = {"features": ["priority"]}
    finished = run(
        check("good", features="priority"),
        check("good", features="priority, lock"),
        check("good", platforms="zos"),
        make=lambda: ClaimingServer(claims),
    )
    assert verdicts(finished) == ["conforms", "not_applicable", "not_applicable"]
    assert finished.results[1].missing == "the target does not claim lock"
    assert "distributed" in finished.results[2].missing
    assert [result.steps for result in finished.results] == [4, 0, 0]


def test_a_check_that_no_step_of_which_rests_on_its_rules_is_undecided() -> None:
    finished = run(check("good", rules="EXP-09"))
    assert verdicts(finished) == ["undecided"]
    assert "not exercised" in finished.results[0].missing


def test_a_history_that_cannot_go_on_is_undecided() -> None:
    finished = run(check("waits"))
    assert verdicts(finished) == ["undecided"]
    assert "waiting MQGET" in finished.results[0].missing


def _interrupt(rig: Rig) -> Session | None:
    raise KeyboardInterrupt


def _stumble(rig: Rig) -> Session | None:
    raise RuntimeError("a defect of the suite")


def _puzzle(rig: Rig) -> Session | None:
    raise NotModelledError("message properties are not modelled")


def test_what_the_oracle_cannot_follow_is_undecided_with_the_reason() -> None:
    finished = run(check("good"), Check("test/puzzle", "A title", "scenario", _puzzle), check("good"))
    assert verdicts(finished) == ["conforms", "undecided", "conforms"]
    assert finished.results[1].missing == "message properties are not modelled"


def test_ctrl_c_keeps_the_results_until_then() -> None:
    recorder = Recorder()
    interrupting = Check("test/interrupt", "A title", "scenario", _interrupt)
    finished = Runner(target_of(), Options(), [recorder]).run([check("good"), interrupting, check("good")])
    assert verdicts(finished) == ["conforms", "undecided", "undecided"]
    assert "interrupted" in finished.ended_early
    assert recorder.events[-1] is finished


def test_ctrl_c_while_shrinking_keeps_the_violation(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(self: Shrinker) -> Session:
        raise KeyboardInterrupt

    monkeypatch.setattr(Shrinker, "shrink", interrupt)
    finished = run(check("priority"), check("good"), make=MINIATURES["priority_ignored"].server)
    assert verdicts(finished) == ["violates", "undecided"]
    assert "interrupted" in finished.ended_early


def test_a_check_that_breaks_does_not_take_the_results_with_it() -> None:
    recorder = Recorder()
    stumbling = Check("test/stumble", "A title", "scenario", _stumble)
    with pytest.raises(RuntimeError):
        Runner(target_of(), Options(), [recorder]).run([check("good"), stumbling])
    finished = recorder.events[-1]
    assert isinstance(finished, RunFinished)
    assert verdicts(finished) == ["conforms", "undecided"]


def test_a_report_that_cannot_be_written_does_not_keep_others_from_theirs() -> None:
    class Full:
        def notify(self, event: Event) -> None:
            if isinstance(event, RunFinished):
                raise UsageError("no space left")

    recorder = Recorder()
    with pytest.raises(UsageError, match="no space"):
        Runner(target_of(), Options(), [Full(), recorder]).run([check("good")])
    assert isinstance(recorder.events[-1], RunFinished)


def test_a_target_without_hello_cannot_be_run() -> None:
    with pytest.raises(TargetError, match="not a JSON object: Hi"):
        Runner(CannedTarget(["Hi"]), Options())
