"""Calls that wait, of one thread and of several, and the clock that they wait by."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from oracle.mqi.connection_layouts import MQCNO
from oracle.mqi.constants import MQCC, MQGMO, MQOO, MQRC
from oracle.standin import connections, verbs
from oracle.standin.warning import StandInWarning
from oracle.testing import QueueManager, UsageError, queue_manager
from tests.standin.conftest import Program, pack

WAIT_30 = {"Options": MQGMO.WAIT, "WaitInterval": 30_000}
PATIENCE = 20


def program_that_waits(interval: int = 30_000) -> tuple[bytes, tuple[int, int]]:
    """Connect, get with a wait, and return the result."""
    program = Program.connected()
    hobj = program.open("Q", MQOO.INPUT_SHARED)
    data = program.get(hobj, {"Options": MQGMO.WAIT, "WaitInterval": interval})
    return data, program.codes


Elsewhere = Callable[..., "Future[Any]"]


@pytest.fixture
def elsewhere() -> Iterator[Elsewhere]:
    with ThreadPoolExecutor(4) as pool:
        yield pool.submit


def test_the_clock_jumps_where_nobody_else_can_act(qm: QueueManager, program: Program) -> None:
    program.get(program.open("Q", MQOO.INPUT_SHARED), WAIT_30)
    assert program.codes == (MQCC.FAILED, MQRC.NO_MSG_AVAILABLE)
    assert qm.seconds == 30


def test_a_message_ends_the_wait_of_another_thread(qm: QueueManager, elsewhere: Elsewhere) -> None:
    waiting = elsewhere(program_that_waits)
    qm.until_waiting()
    qm.put("Q", b"here it is")
    assert waiting.result(PATIENCE) == (b"here it is", (MQCC.OK, MQRC.NONE))
    assert qm.seconds == 0


def test_the_test_moves_the_clock_of_another_thread(qm: QueueManager, elsewhere: Elsewhere) -> None:
    waiting = elsewhere(program_that_waits)
    qm.until_waiting()
    qm.advance(seconds=29)
    qm.until_waiting()
    assert not waiting.done()
    qm.advance(seconds=2)
    assert waiting.result(PATIENCE) == (b"", (MQCC.FAILED, MQRC.NO_MSG_AVAILABLE))


def test_a_wait_ends_when_its_interval_has_passed_in_real_time(qm: QueueManager, elsewhere: Elsewhere) -> None:
    assert elsewhere(program_that_waits, 50).result(PATIENCE) == (b"", (MQCC.FAILED, MQRC.NO_MSG_AVAILABLE))
    assert qm.seconds == 0.05


def test_a_manual_clock_stands_still(elsewhere: Elsewhere) -> None:
    with queue_manager(["Q"], clock="manual") as qm:
        waiting = elsewhere(program_that_waits, 1)
        qm.until_waiting()
        with pytest.raises(TimeoutError):
            waiting.result(0.1)
        qm.advance(tenths=1)
        assert waiting.result(PATIENCE)[1] == (MQCC.FAILED, MQRC.NO_MSG_AVAILABLE)


def test_a_real_clock_goes_by_itself() -> None:
    with queue_manager(["Q"], clock="real") as qm:
        assert program_that_waits(30) == (b"", (MQCC.FAILED, MQRC.NO_MSG_AVAILABLE))
        assert qm.seconds >= 0.03


def test_the_end_of_the_queue_manager_ends_waits(elsewhere: Elsewhere) -> None:
    with queue_manager(["Q"]) as qm:
        waiting = elsewhere(program_that_waits)
        qm.until_waiting()
    assert waiting.result(PATIENCE)[1] == (MQCC.FAILED, MQRC.CONNECTION_BROKEN)


def test_the_death_of_a_program_ends_its_wait(qm: QueueManager, elsewhere: Elsewhere) -> None:
    waiting = elsewhere(program_that_waits)
    qm.until_waiting()
    connections.fail(connections.of(qm.running)[0].hconn)
    assert waiting.result(PATIENCE)[1] == (MQCC.FAILED, MQRC.CONNECTION_BROKEN)


def test_an_unlimited_wait_of_a_single_thread_fails_instead_of_hanging(program: Program) -> None:
    hobj = program.open("Q", MQOO.INPUT_SHARED)
    with pytest.warns(StandInWarning, match="waits without limit"):
        program.get(hobj, {"Options": MQGMO.WAIT, "WaitInterval": -1})
    assert program.codes == (MQCC.FAILED, MQRC.CONNECTION_BROKEN)


def test_quiescing_ends_waits_that_ask_for_it(qm: QueueManager, elsewhere: Elsewhere) -> None:
    def waits() -> tuple[bytes, tuple[int, int]]:
        program = Program.connected()
        hobj = program.open("Q", MQOO.INPUT_SHARED)
        options = MQGMO.WAIT | MQGMO.FAIL_IF_QUIESCING
        return program.get(hobj, {"Options": options, "WaitInterval": -1}), program.codes

    waiting = elsewhere(waits)
    qm.until_waiting()
    qm.quiesce()
    assert waiting.result(PATIENCE)[1] == (MQCC.FAILED, MQRC.Q_MGR_QUIESCING)


def test_threads_that_all_wait_let_the_clock_jump(elsewhere: Elsewhere) -> None:
    with queue_manager(["Q"]) as qm:
        other = elsewhere(program_that_waits, 60_000)
        qm.until_waiting()
        assert program_that_waits(30_000)[1] == (MQCC.FAILED, MQRC.NO_MSG_AVAILABLE)
        assert qm.seconds == 30
        assert not other.done()


def test_a_thread_that_has_disconnected_is_not_waited_for(qm: QueueManager, elsewhere: Elsewhere) -> None:
    def puts() -> int:
        program = Program.connected()
        program.put(program.open("SYSTEM.DEFAULT.LOCAL.QUEUE", MQOO.OUTPUT), b"")
        return verbs.disconnect(program.hconn).comp_code

    assert elsewhere(puts).result(PATIENCE) == MQCC.OK
    assert program_that_waits(3_600_000)[1] == (MQCC.FAILED, MQRC.NO_MSG_AVAILABLE)
    assert qm.seconds == 3600


def test_until_waiting_gives_up(qm: QueueManager) -> None:
    with pytest.raises(UsageError, match="0 threads wait in MQGET, not 1"):
        qm.until_waiting(timeout=0.01)


def test_a_handle_is_for_its_thread_unless_it_is_shared(qm: QueueManager, elsewhere: Elsewhere) -> None:
    own = Program.connected()
    shared = Program.connected(cno=pack(MQCNO, Version=1, Options=connections.SHARE_BLOCK))
    assert elsewhere(lambda: verbs.commit(own.hconn).reason).result(PATIENCE) == MQRC.HCONN_ERROR
    assert elsewhere(lambda: verbs.commit(shared.hconn).reason).result(PATIENCE) == MQRC.NONE


def test_a_shared_handle_has_one_call_at_a_time(qm: QueueManager, elsewhere: Elsewhere) -> None:
    shared = Program.connected(cno=pack(MQCNO, Version=1, Options=connections.SHARE_NO_BLOCK))
    hobj = shared.open("Q", MQOO.INPUT_SHARED)
    waiting = elsewhere(lambda: shared.get(hobj, WAIT_30))
    qm.until_waiting()
    assert verbs.commit(shared.hconn).reason == MQRC.CALL_IN_PROGRESS
    qm.put("Q", b"x")
    assert waiting.result(PATIENCE) == b"x"
    assert verbs.commit(shared.hconn).reason == MQRC.NONE


def test_a_call_on_a_shared_handle_waits_for_the_one_before(qm: QueueManager, elsewhere: Elsewhere) -> None:
    shared = Program.connected(cno=pack(MQCNO, Version=1, Options=connections.SHARE_BLOCK))
    hobj = shared.open("Q", MQOO.INPUT_SHARED)
    waiting = elsewhere(lambda: shared.get(hobj, WAIT_30))
    qm.until_waiting()
    begun = threading.Event()

    def commits() -> int:
        begun.set()
        return verbs.commit(shared.hconn).reason

    second = elsewhere(commits)
    assert begun.wait(PATIENCE)
    assert not second.done()
    qm.put("Q", b"x")
    assert waiting.result(PATIENCE) == b"x"
    assert second.result(PATIENCE) == MQRC.NONE


def test_each_message_goes_to_one_of_many_threads(qm: QueueManager, elsewhere: Elsewhere) -> None:
    programs = [elsewhere(program_that_waits) for _ in range(4)]
    qm.until_waiting(4)
    for number in range(4):
        qm.put("Q", bytes([number]))
    assert sorted(each.result(PATIENCE)[0] for each in programs) == [bytes([number]) for number in range(4)]
