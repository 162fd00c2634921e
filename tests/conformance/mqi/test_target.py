"""The suite on the stand-in: everything conforms through packing and back, and nothing is left behind."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from random import Random

import pytest

from conformance.checks.selection import all_checks, select
from conformance.mqi.options import MqiOptions
from conformance.mqi.target import MqiTarget
from conformance.results.events import RunFinished
from conformance.running import own_target
from conformance.running.doctor import Health, examine
from conformance.running.runner import Runner
from conformance.running.worker import Options, Worker
from conformance.sessions.session import History, Session, Setup
from oracle.errors import InapplicableError, UntoldError, UsageError
from oracle.histories.notation import parse
from oracle.judging.verdicts import Verdict
from oracle.testing import QueueManager
from tests.conformance.mqi.stand_in import VirtualTarget, seat_maker, stand_in

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="the stand-in for the library needs a C compiler"
)

SCENARIOS = [check for check in all_checks() if check.kind == "scenario" and "distributed" in check.platforms]
CHECKS = all_checks() if "WHOLE_SUITE" in os.environ else Random(6).sample(SCENARIOS, 120)
QUICK = MqiOptions(token="T1")


@pytest.fixture
def qm() -> Iterator[QueueManager]:
    with stand_in() as running:
        yield running


def left(qm: QueueManager) -> list[str]:
    """Return the queues that the suite has left, and the connections, as names."""
    state = qm.running.state
    own = ("test", "command server")
    return [name for name in (*state.queues, *state.definitions) if name.startswith("MQORACLE")] + [
        conn for conn in state.connections if conn not in own
    ]


def accused(finished: RunFinished) -> list[tuple[str, str]]:
    wrong = (Verdict.VIOLATES, Verdict.TARGET_ERROR, Verdict.UNDECIDED)
    return [(result.check.id, result.error or result.missing) for result in finished.results if result.verdict in wrong]


def test_the_suite_conforms_through_packing_and_back(qm: QueueManager) -> None:
    finished = Runner(VirtualTarget(qm.running), Options(seed=1)).run(CHECKS)
    assert accused(finished) == []
    assert sum(result.verdict is Verdict.CONFORMS for result in finished.results) > len(CHECKS) * 0.8
    assert left(qm) == []


def test_the_suite_conforms_on_zos() -> None:
    checks = [check for check in all_checks() if check.kind == "scenario" and "zos" in check.platforms]
    others = select(all_checks(), ["machine/zos", "example/DYN-02"])
    with stand_in(platform="zos") as qm:
        finished = Runner(VirtualTarget(qm.running), Options(seed=1)).run((*Random(7).sample(checks, 60), *others))
        assert accused(finished) == []
        assert sum(result.verdict is Verdict.CONFORMS for result in finished.results) > len(finished.results) * 0.7
        assert left(qm) == []


def test_a_transmission_queue_has_the_name_of_its_queue_manager(qm: QueueManager) -> None:
    checks = select(all_checks(), ["meetings/far-away-by-its-queue-manager"])
    finished = Runner(VirtualTarget(qm.running), Options(seed=1)).run(checks)
    assert [result.verdict for result in finished.results] == [Verdict.CONFORMS]


def test_a_queue_whose_name_does_not_fit_behind_the_prefix_is_not_made(qm: QueueManager) -> None:
    there = set(qm.running.state.queues)
    checks = select(all_checks(), ["content/long-texts-of-a-trigger-message"])
    (result,) = Runner(VirtualTarget(qm.running), Options(seed=1)).run(checks).results
    assert result.verdict is Verdict.NOT_APPLICABLE
    assert "does not fit behind the prefix" in result.missing
    assert set(qm.running.state.queues) == there


def test_a_dynamic_queue_whose_name_has_no_room_for_the_prefix_is_not_made(qm: QueueManager) -> None:
    there = set(qm.running.state.queues)
    checks = select(all_checks(), ["open-close/a-dynamic-name-without-room"])
    (result,) = Runner(VirtualTarget(qm.running, QUICK), Options(seed=1)).run(checks).results
    assert result.verdict is Verdict.NOT_APPLICABLE
    assert "does not fit behind the prefix" in result.missing
    assert set(qm.running.state.queues) == there


def test_no_cap_is_not_an_attribute_that_the_object_lacks(qm: QueueManager) -> None:
    """Of a remote queue MQINQ returns -1 for OpenInputCount, which it lacks, and for CAPEXPRY, which has no limit."""
    checks = select(all_checks(), ["meetings/definition-asked-beside-counts"])
    assert accused(Runner(VirtualTarget(qm.running), Options(seed=1)).run(checks)) == []


def played(worker: Worker, text: str) -> Session:
    session = worker.rig().play(History(Setup(), parse(text)))
    assert session.departure is None, session.departure
    return session


def test_waits_and_expiry_pass_in_real_time() -> None:
    text = """
        h = open Q INPUT_SHARED+OUTPUT
        get h WAIT WaitInterval=500 -> pending
        advance 7t
        p = B.open Q OUTPUT
        get h WAIT WaitInterval=20000 -> pending
        B.put p m1
        put h m2 Expiry=3
        advance 2s
        get h
    """
    with stand_in("real") as qm:
        worker = Worker(MqiTarget("mqi:QM1", QUICK, seat_maker()), Options())
        session = played(worker, text)
        worker.stop()
        in_lines = [done.reason for exchange in session.exchanges for done in exchange.ended.values()]
        in_replies = [done["Reason"] for each in session.exchanges for done in each.reply.get("completed", [])]
        assert sorted(in_lines + in_replies) == [0, 2033]
        assert session.exchanges[-1].reply["Reason"] == 2033
        assert left(qm) == []


def test_two_targets_work_side_by_side_on_one_queue_manager(qm: QueueManager) -> None:
    workers = [Worker(VirtualTarget(qm.running, QUICK), Options()) for _ in range(2)]
    benches = [worker.started() for worker in workers]
    assert all(rig.hello.platform == "distributed" for rig in benches)
    check = select(all_checks(), ["priority/first-in-first-out"])[0]
    assert [worker.perform(check).verdict for worker in workers for _ in range(2)] == [Verdict.CONFORMS] * 4
    for worker in workers:
        worker.stop()
    assert left(qm) == []


TRIGGERED = ({"name": "Q", "TriggerControl": 1, "InitiationQName": "IQ", "ProcessName": "P"}, {"name": "IQ"})


def test_names_behind_the_mqmde_of_a_version_1_get_come_back(qm: QueueManager) -> None:
    text = """
        h = open X INPUT_SHARED+OUTPUT
        put h m1 Format=MQXMIT MQXQH.RemoteQName=T MQXQH.RemoteQMgrName=QM2 MsgFlags=MSG_IN_GROUP
        get h Version=1
    """
    worker = Worker(VirtualTarget(qm.running), Options())
    session = worker.rig().play(History(Setup(({"name": "X", "Usage": "TRANSMISSION"},)), parse(text)))
    assert session.departure is None, session.departure
    worker.stop()


def test_a_call_that_cuts_a_name_is_not_judged(qm: QueueManager) -> None:
    text = "h = open Q OUTPUT; i = open IQ INPUT_SHARED; put h m1; get i BufferLength=10"
    worker = Worker(VirtualTarget(qm.running), Options())
    with pytest.raises(UntoldError, match="the data end in 'MQ', perhaps the beginning of a name"):
        worker.rig().play(History(Setup(TRIGGERED), parse(text)))
    session = played(worker, "h = open Q INPUT_SHARED+OUTPUT; put h m1; get h")
    assert session.exchanges[-1].reply["data"] == b"m1".hex()
    worker.stop()
    assert left(qm) == []


def test_an_application_that_dies_is_backed_out(qm: QueueManager) -> None:
    text = """
        p = B.open Q OUTPUT
        B.put p m1 SYNCPOINT
        fail B
        h = open Q INPUT_SHARED+INQUIRE
        inq h CurrentQDepth -> OK CurrentQDepth=0
    """
    worker = Worker(VirtualTarget(qm.running), Options())
    session = played(worker, text)
    assert session.exchanges[-1].reply["values"] == {"CurrentQDepth": 0}
    worker.stop()


def test_attributes_of_a_dynamic_queue_are_changed_too(qm: QueueManager) -> None:
    text = """
        d = open MODEL INPUT_SHARED+OUTPUT DynamicQName=D.1
        alter D.1 InhibitPut=1
        put d m1
    """
    worker = Worker(VirtualTarget(qm.running), Options())
    history = History(Setup(({"name": "MODEL", "type": "model"},)), parse(text))
    session = worker.rig().play(history)
    assert session.departure is None
    assert session.exchanges[-1].reply["Reason"] == 2051
    worker.stop()
    assert left(qm) == []


@pytest.mark.parametrize(
    ("setup", "told"),
    [
        (Setup(qmgr={"MaxMsgLength": 32768}), "the suite does not change the queue manager"),
        (Setup(qmgr={"EnforceMaxExpiryError": True}), "EnforceMaxExpiryError True"),
        (Setup(({"name": "Q", "QSGDISP": "SHARED"},)), "coupling facility"),
        (Setup(({"name": "Q", "DefinitionType": "TEMPORARY_DYNAMIC"},)), "opening a model queue"),
    ],
)
def test_what_cannot_be_had_makes_a_check_not_applicable(qm: QueueManager, setup: Setup, told: str) -> None:
    worker = Worker(VirtualTarget(qm.running), Options())
    dialogue = worker.started()
    with pytest.raises(InapplicableError, match=told):
        dialogue.ask({"seq": dialogue.next_seq(), **setup.request()})
    worker.stop()


def test_the_attributes_that_the_queue_manager_has_are_those_of_the_model(qm: QueueManager) -> None:
    qm.alter(None, MaxUncommittedMsgs=1)
    text = "h = open Q OUTPUT; put h m1 SYNCPOINT; put h m2 SYNCPOINT"
    worker = Worker(VirtualTarget(qm.running), Options())
    session = played(worker, text)
    assert session.exchanges[-1].reply["Reason"] == 2024
    worker.stop()


def test_queues_of_another_run_are_not_touched(qm: QueueManager) -> None:
    qm.define("MQORACLE.OTHR.1.Q")
    with pytest.raises(UsageError, match=r"MQORACLE\.OTHR\.1\.Q already.*another --queue-prefix"):
        Worker(VirtualTarget(qm.running), Options()).started()
    assert qm.depth("MQORACLE.OTHR.1.Q") == 0
    qm.define("OURS.X")
    worker = Worker(VirtualTarget(qm.running, MqiOptions(queue_prefix="MINE")), Options())
    worker.started()
    worker.stop()
    assert left(qm) == ["MQORACLE.OTHR.1.Q"]


def test_the_doctor_finds_nothing(qm: QueueManager) -> None:
    diagnoses = list(examine(VirtualTarget(qm.running), 20.0))
    assert [each.step for each in diagnoses if each.health is not Health.OK] == []
    assert len(diagnoses) > 10
    assert left(qm) == []


def test_several_workers_share_a_queue_manager_in_real_time(monkeypatch: pytest.MonkeyPatch) -> None:
    checks = select(all_checks(), ["priority/*"])
    with stand_in("real") as qm:

        def target_of(command: str, mqi: MqiOptions | None) -> MqiTarget:
            return MqiTarget(command, mqi, seat_maker())

        monkeypatch.setattr(own_target, "target_for", target_of)
        finished = Runner(target_of("mqi:QM1", QUICK), Options(jobs=3, mqi=QUICK)).run(checks)
        assert accused(finished) == []
        assert left(qm) == []
