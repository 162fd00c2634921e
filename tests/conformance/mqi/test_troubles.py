"""A queue manager that refuses a call or ends, and a missing authority: one sentence with what to do, no leftovers."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from conformance.checks.check import Check
from conformance.checks.selection import all_checks, select
from conformance.cli import main
from conformance.mqi.options import MqiOptions
from conformance.mqi.target import MqiTarget
from conformance.results.events import INTERRUPTED
from conformance.running.runner import Runner
from conformance.running.worker import Options, Worker
from conformance.sessions.session import History, Session, Setup
from oracle.errors import TargetGoneError, UsageError
from oracle.histories.notation import parse
from oracle.judging.verdicts import Verdict
from oracle.standin import commands
from oracle.standin.command_parts import Refused
from oracle.standin.library import build
from oracle.testing import QueueManager
from tests.conformance.mqi.stand_in import VirtualTarget, seat_maker, stand_in
from tests.conformance.mqi.test_target import left

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="the stand-in for the library needs a C compiler"
)

FAILED = 2


@pytest.fixture
def qm() -> Iterator[QueueManager]:
    with stand_in() as running:
        yield running


class Answering:
    """A library with one method that gives a prepared answer, from some call on."""

    def __init__(self, library: Any, method: str, values: tuple[Any, ...], after: int = 0) -> None:
        self._library, self._method, self._values, self._after = library, method, values, after

    def __getattr__(self, name: str) -> Any:
        if name == self._method:
            if self._after == 0:
                return lambda *arguments: self._values
            self._after -= 1
        return getattr(self._library, name)


def answering(method: str, *values: Any, after: int = 0) -> MqiTarget:
    return MqiTarget("mqi:QM1", None, seat_maker(lambda library: Answering(library, method, values, after)))


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        (2035, "2035 MQRC_NOT_AUTHORIZED.*--user.*MQORACLE_PASSWORD"),
        (2058, "2058 MQRC_Q_MGR_NAME_ERROR.*no queue manager of this name"),
        (2059, "2059 MQRC_Q_MGR_NOT_AVAILABLE.*start it and its listener"),
        (2538, "2538 MQRC_HOST_NOT_AVAILABLE.*check --host and --port"),
        (2540, "2540 MQRC_UNKNOWN_CHANNEL_NAME.*check --channel"),
        (2393, "2393 MQRC_SSL_INITIALIZATION_ERROR.*TLS"),
        (2161, "2161 MQRC_Q_MGR_QUIESCING.*quiescing"),
        (2012, "2012 MQRC_ENVIRONMENT_ERROR.*--library"),
        (2599, "2599 MQRC_AMQP_NOT_AVAILABLE.*look the reason up"),
    ],
)
def test_a_queue_manager_that_refuses(qm: QueueManager, reason: int, told: str) -> None:
    with pytest.raises(UsageError, match=told) as caught:
        Worker(answering("connect", -1, b"", FAILED, reason), Options()).started()
    assert "\n" not in str(caught.value)
    assert left(qm) == []


def test_a_process_of_its_own_tells_what_the_library_says() -> None:
    result = CliRunner().invoke(main, ["run", "--target", "mqi:QM1", "--library", str(build())])
    assert result.exit_code == 2
    assert result.output.startswith("mq-conform: QM1 cannot be connected to (2059 MQRC_Q_MGR_NOT_AVAILABLE)")
    assert result.output.count("\n") == 1


def refusing(command: int, reason: int, monkeypatch: pytest.MonkeyPatch, *, after: int = 0) -> None:
    """Let the command server refuse a command, from some time on."""
    perform, times = commands.COMMANDS[command], [after]

    def refuse(*arguments: Any) -> Any:
        if times[0] == 0:
            raise Refused(reason)
        times[0] -= 1
        return perform(*arguments)

    monkeypatch.setitem(commands.COMMANDS, command, refuse)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (11, "making the queue MQORACLE.* on QM1 did not work .2035 MQRC_NOT_AUTHORIZED.*--predefined"),
        (12, "removing the queue MQORACLE.* on QM1 did not work .2035"),
        (13, "looking for queues MQORACLE.* on QM1 did not work .2035"),
    ],
)
def test_a_right_is_missing_for_a_command(
    qm: QueueManager, command: int, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing(command, 2035, monkeypatch)
    with pytest.raises(UsageError, match=told) as caught:
        Worker(VirtualTarget(qm.running), Options()).started()
    assert "\n" not in str(caught.value)
    assert len(left(qm)) == (1 if command == 12 else 0), "what may not be removed has to stay"


def test_the_right_to_give_commands_is_missing(qm: QueueManager) -> None:
    refused = answering("open", -1, bytes(424), FAILED, 2035, after=1)
    with pytest.raises(UsageError, match=r"opening SYSTEM.ADMIN.COMMAND.QUEUE on QM1 did not work \(2035"):
        Worker(refused, Options()).started()
    assert left(qm) == []


def test_without_the_right_to_change_queues_checks_that_do_so_do_not_apply(
    qm: QueueManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing(8, 2035, monkeypatch)
    worker = Worker(VirtualTarget(qm.running), Options())
    result = worker.perform(select(all_checks(), ["priority/from-fifo-to-priority"])[0])
    assert result.verdict is Verdict.NOT_APPLICABLE
    assert "changing the queue" in result.missing
    worker.stop()
    assert left(qm) == []


def test_that_an_application_has_died_may_have_to_be_waited_for(
    qm: QueueManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing(85, 2035, monkeypatch)
    slept: list[float] = []
    monkeypatch.setattr("conformance.mqi.target._UNASKED_S", 7.5)
    # The clock of this module alone: threads of other tests may sleep meanwhile.
    clock = SimpleNamespace(sleep=slept.append, monotonic=time.monotonic)
    monkeypatch.setattr("conformance.mqi.target.time", clock)
    worker = Worker(VirtualTarget(qm.running), Options())
    text = "p = B.open Q OUTPUT; B.put p m1 SYNCPOINT; fail B; h = open Q INQUIRE; inq h CurrentQDepth"
    session = worker.rig().play(History(Setup(), parse(text)))
    assert session.departure is None
    assert slept == [7.5]
    worker.stop()


@pytest.mark.parametrize("reason", [2009, 2162, 2202])
def test_a_queue_manager_that_ends_in_mid_run(qm: QueueManager, reason: int) -> None:
    gone = answering("put1", b"", b"", FAILED, reason)
    text = "h = open Q INPUT_SHARED; put1 Q m1"
    check = Check("a/check", "Puts", "scenario", playing(text))
    with pytest.raises(TargetGoneError, match=f"QM1 ended during the run .{reason}.*repeat the run") as caught:
        Runner(gone, Options(jobs=1)).run([check, check])
    assert "\n" not in str(caught.value)
    assert left(qm) == []


def test_a_queue_manager_that_ends_ends_all_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    options = MqiOptions()

    def target_of(command: str, mqi: MqiOptions | None) -> MqiTarget:
        gone = seat_maker(lambda library: Answering(library, "put1", (b"", b"", FAILED, 2009), after=2))
        return MqiTarget(command, mqi, gone)

    checks = [Check(f"a/check-{number}", "Puts", "scenario", playing("put1 Q m1")) for number in range(12)]
    with stand_in("real") as qm:
        monkeypatch.setattr("conformance.running.own_target.target_for", target_of)
        with pytest.raises(TargetGoneError, match="ended during the run"):
            Runner(target_of("mqi:QM1", options), Options(jobs=3, mqi=options)).run(checks)
        assert left(qm) == []


def playing(text: str) -> Callable[[Any], Session | None]:
    def perform(rig: Any) -> Session | None:
        session: Session = rig.play(History(Setup(), parse(text)))
        return session if session.departure else None

    return perform


def test_ctrl_c_leaves_no_queue(qm: QueueManager) -> None:
    def interrupted(rig: Any) -> None:
        playing("h = open Q INPUT_SHARED+OUTPUT; put h m1 SYNCPOINT; g = B.open Q INPUT_SHARED; B.get g WAIT")(rig)
        assert left(qm) != []
        raise KeyboardInterrupt

    check = Check("a/check", "Is interrupted", "scenario", interrupted)
    finished = Runner(VirtualTarget(qm.running), Options()).run([check])
    assert finished.ended_early == INTERRUPTED
    assert left(qm) == []


def test_a_target_ended_while_a_thread_works_on_it_leaves_nothing(qm: QueueManager) -> None:
    target = VirtualTarget(qm.running)
    worker = Worker(target, Options())
    worker.perform(Check("a/check", "Puts", "scenario", playing("h = open Q OUTPUT; put h m1")))
    worker.abandon()
    for _ in range(2):
        again = worker.perform(Check("a/check", "Puts", "scenario", playing("h = open Q OUTPUT; put h m1")))
        assert again.verdict is Verdict.TARGET_ERROR
    assert left(qm) == []


@pytest.mark.parametrize(("seconds", "told"), [(60, r"(59|60)\.\d s ahead of"), (-60, r"[56]\d\.\d s behind")])
def test_clocks_that_lie_apart(seconds: int, told: str) -> None:
    with stand_in("real") as qm:
        qm.running.change(lambda state: setattr(state, "epoch_ms", state.epoch_ms + 1000 * seconds))
        with pytest.raises(UsageError, match=told):
            Worker(MqiTarget("mqi:QM1", None, seat_maker()), Options()).started()
        assert left(qm) == []


def test_the_library_may_be_a_folder(tmp_path: Path) -> None:
    shutil.copy(build(), tmp_path)
    result = CliRunner().invoke(main, ["run", "--target", "mqi:QM1", "--library", str(tmp_path)])
    assert "2059" in result.output


def test_the_password_is_never_shown() -> None:
    assert "geheim" not in repr(MqiOptions(user="alice", password="geheim"))
