"""MQCTL, and the calls with which consumption begins and ends."""

from __future__ import annotations

import threading

import pytest

from oracle.mqi.connection_layouts import MQCTLO
from oracle.mqi.constants import MQCC, MQGMO, MQRC
from oracle.standin import callback_verbs, connections, verbs
from oracle.standin.answers import UNUSABLE
from oracle.standin.callbacks import CallType, Request
from oracle.standin.warning import StandInWarning
from oracle.testing import QueueManager
from tests.standin.conftest import pack
from tests.standin.consumer import (
    ALL_CALLS,
    DEREGISTER,
    OK,
    REGISTER,
    RESUME,
    START,
    START_WAIT,
    STOP,
    SUSPEND,
    Consumer,
    failed,
)

# Calls at the beginning and at the end.


def test_the_calls_at_the_beginning_and_at_the_end(qm: QueueManager, consumer: Consumer) -> None:
    hobj = consumer.consume("Q", {"Options": ALL_CALLS, "CallbackArea": 77})
    qm.put("Q", b"x")
    consumer.control(START, ConnectionArea=99)
    qm.until_waiting()
    consumer.control(STOP)
    assert consumer.manage(DEREGISTER, hobj) == OK
    assert [call for call, _, _ in consumer.seen] == [
        CallType.REGISTER_CALL,
        CallType.START_CALL,
        CallType.MSG_REMOVED,
        CallType.STOP_CALL,
        CallType.DEREGISTER_CALL,
    ]
    assert {(each["CallbackArea"], each["ConnectionArea"], each["Hobj"]) for each in consumer.contexts} == {
        (77, 99, hobj)
    }
    assert consumer.manage(DEREGISTER, hobj) == failed(MQRC.CALLBACK_NOT_REGISTERED)


def test_a_function_that_replaces_another_gets_no_calls_at_the_beginning(qm: QueueManager, consumer: Consumer) -> None:
    hobj, other = consumer.consume("Q"), Consumer(consumer.program)
    consumer.then = lambda data: other.manage(REGISTER, hobj, {"Options": ALL_CALLS})
    consumer.control(START)
    qm.put("Q", b"1")
    qm.put("Q", b"2")
    qm.until_waiting()
    assert (consumer.data, other.seen) == ([b"1"], [(CallType.MSG_REMOVED, MQRC.NONE, b"2")])


def test_a_consumer_that_a_callback_registers_begins_when_it_returns(qm: QueueManager, consumer: Consumer) -> None:
    other = Consumer(consumer.program)
    consumer.then = lambda data: other.consume("R", {"Options": ALL_CALLS}) and None
    consumer.consume("Q")
    qm.put("R", b"of R")
    qm.put("Q", b"of Q")
    consumer.control(START)
    qm.until_waiting()
    assert [call for call, _, _ in other.seen] == [CallType.REGISTER_CALL, CallType.START_CALL, CallType.MSG_REMOVED]


def test_closing_the_queue_deregisters(qm: QueueManager, consumer: Consumer) -> None:
    hobj = consumer.consume("Q", {"Options": ALL_CALLS})
    assert verbs.close(consumer.program.hconn, hobj, 0).reason == MQRC.NONE
    assert consumer.seen[-1][0] == CallType.DEREGISTER_CALL
    assert consumer.contexts[-1]["Hobj"] == UNUSABLE
    assert consumer.manage(DEREGISTER, hobj) == failed(MQRC.CALLBACK_NOT_REGISTERED)


def test_disconnecting_stops_and_deregisters(qm: QueueManager, consumer: Consumer) -> None:
    consumer.consume("Q", {"Options": ALL_CALLS}, MQGMO.SYNCPOINT)
    qm.put("Q", b"x")
    consumer.control(START)
    qm.until_waiting()
    assert verbs.disconnect(consumer.program.hconn).reason == MQRC.NONE
    assert [call for call, _, _ in consumer.seen[-2:]] == [CallType.STOP_CALL, CallType.DEREGISTER_CALL]
    assert consumer.commit() == failed(MQRC.HCONN_ERROR)


def test_a_callback_that_disconnects_does_so_when_it_returns(qm: QueueManager, consumer: Consumer) -> None:
    program, codes = consumer.program, []
    consumption = None

    def leave(data: bytes | None) -> None:
        if data is not None:
            codes.append(verbs.disconnect(program.hconn).reason)
            codes.append(verbs.commit(program.hconn).reason)

    consumer.then = leave
    consumer.consume("Q", {"Options": ALL_CALLS}, MQGMO.SYNCPOINT)
    consumption = connections.find(program.hconn).consumption
    qm.put("Q", b"1")
    qm.put("Q", b"2")
    consumer.control(START)
    assert consumption is not None
    consumption.finish()
    assert codes == [MQRC.NONE, MQRC.NONE]
    assert consumer.data == [b"1"]
    assert [call for call, _, _ in consumer.seen[-2:]] == [CallType.STOP_CALL, CallType.DEREGISTER_CALL]
    assert consumer.commit() == failed(MQRC.HCONN_ERROR)
    assert [each.data for each in qm.messages("Q")] == [b"2"]


# What MQCTL allows.


def test_what_mqctl_allows_in_each_state(qm: QueueManager, consumer: Consumer) -> None:
    consumer.consume("Q")
    not_allowed, active = failed(MQRC.OPERATION_NOT_ALLOWED), failed(MQRC.HCONN_ASYNC_ACTIVE)
    for operation, codes in ((SUSPEND, not_allowed), (RESUME, not_allowed), (STOP, OK)):
        assert consumer.control(operation) == codes
    assert consumer.control(START) == OK
    for operation, codes in ((START, active), (START_WAIT, not_allowed), (RESUME, active)):
        assert consumer.control(operation) == codes
    assert consumer.control(SUSPEND) == OK
    for operation, codes in ((START, not_allowed), (START_WAIT, not_allowed), (SUSPEND, OK), (RESUME, OK)):
        assert consumer.control(operation) == codes
    assert consumer.control(SUSPEND) == OK
    assert consumer.control(STOP) == OK
    assert consumer.control(START) == OK


@pytest.mark.parametrize(
    ("operation", "ctlo", "reason"),
    [
        (8, {}, MQRC.OPERATION_ERROR),
        (256, {}, MQRC.OPERATION_ERROR),
        (1 | 4, {}, MQRC.OPERATION_ERROR),
        (1, {"Options": 64}, MQRC.OPTIONS_ERROR),
    ],
)
def test_what_mqctl_refuses(consumer: Consumer, operation: int, ctlo: dict[str, int], reason: int) -> None:
    assert consumer.control(operation, **ctlo) == failed(reason)


def test_what_is_no_structure_is_refused(consumer: Consumer) -> None:
    hconn = consumer.program.hconn
    assert callback_verbs.control_callbacks(hconn, START, b"x").reason == MQRC.CTLO_ERROR
    request = Request(b"CBD ", 1, b"", b"", consumer.called)
    assert callback_verbs.manage_callback(hconn, REGISTER, request).reason == MQRC.CBD_ERROR
    assert callback_verbs.control_callbacks(99999, START, pack(MQCTLO)).reason == MQRC.HCONN_ERROR


def test_a_callback_stops_when_it_returns_and_may_think_better_of_it(qm: QueueManager, consumer: Consumer) -> None:
    def stop(data: bytes | None) -> None:
        assert consumer.control(STOP) == OK
        if data == b"1":
            assert consumer.control(START) == OK

    consumer.then = stop
    consumer.consume("Q")
    for number in (b"1", b"2", b"3"):
        qm.put("Q", number)
    consumer.control(START)
    consumer.control(STOP)
    assert consumer.data == [b"1", b"2"][: len(consumer.data)]
    consumer.then = lambda data: None
    consumer.control(START)
    qm.until_waiting()
    assert consumer.data == [b"1", b"2", b"3"]


def test_a_start_that_a_callback_stops_fails(consumer: Consumer) -> None:
    consumer.then = lambda data: consumer.control(STOP)
    consumer.consume("Q", {"Options": 1})
    assert consumer.control(START) == failed(MQRC.CONNECTION_STOPPED)


# On the thread of the program.


def test_start_wait_returns_when_a_callback_stops_it(qm: QueueManager, consumer: Consumer) -> None:
    threads: list[int] = []
    consumer.then = lambda data: threads.append(threading.get_ident())
    consumer.consume("Q")
    for number in range(3):
        qm.put("Q", str(number))
    last = Consumer(consumer.program)
    last.then = lambda data: last.control(STOP)
    last.consume("R", {"Options": 4}, MQGMO.WAIT, WaitInterval=5000)
    assert consumer.control(START_WAIT) == OK
    assert consumer.data == [b"0", b"1", b"2"]
    assert set(threads) == {threading.get_ident()}
    assert [reason for _, reason, _ in last.seen] == [MQRC.NO_MSG_AVAILABLE, MQRC.NONE]
    assert qm.seconds == 5  # nobody else could act, so the clock jumped to the end of the interval
    assert consumer.commit() == OK


def test_start_wait_ends_when_no_consumer_is_left(qm: QueueManager, consumer: Consumer) -> None:
    nobody = failed(MQRC.NO_CALLBACKS_ACTIVE)
    assert consumer.control(START_WAIT) == nobody
    hobj = consumer.consume("Q")
    consumer.then = lambda data: consumer.manage(SUSPEND, hobj)
    qm.put("Q", b"x")
    assert consumer.control(START_WAIT) == nobody
    consumer.then = lambda data: consumer.manage(DEREGISTER, hobj)
    consumer.manage(RESUME, hobj)
    qm.put("Q", b"y")
    assert consumer.control(START_WAIT) == nobody
    assert consumer.data == [b"x", b"y"]


def test_start_wait_returns_when_it_is_suspended_and_resuming_waits_again(qm: QueueManager, consumer: Consumer) -> None:
    consumer.then = lambda data: consumer.control(STOP if data == b"2" else SUSPEND)
    consumer.consume("Q", {"Options": 1 | 4})
    qm.put("Q", b"1")
    qm.put("Q", b"2")
    suspended = (MQCC.WARNING, MQRC.CONNECTION_SUSPENDED)
    assert consumer.control(START_WAIT) == suspended  # by the call at the start
    assert consumer.control(RESUME) == suspended
    assert consumer.control(RESUME) == OK
    assert consumer.control(RESUME) == failed(MQRC.OPERATION_NOT_ALLOWED)
    assert [data for call, _, data in consumer.seen if call == CallType.MSG_REMOVED] == [b"1", b"2"]
    assert consumer.seen[-1][0] == CallType.STOP_CALL


def test_start_wait_that_has_been_suspended_can_be_stopped(qm: QueueManager, consumer: Consumer) -> None:
    consumer.then = lambda data: consumer.control(SUSPEND) if data else None
    consumer.consume("Q", {"Options": 4})
    qm.put("Q", b"1")
    assert consumer.control(START_WAIT)[1] == MQRC.CONNECTION_SUSPENDED
    assert consumer.control(STOP) == OK
    assert consumer.seen[-1][0] == CallType.STOP_CALL
    assert consumer.control(RESUME) == failed(MQRC.OPERATION_NOT_ALLOWED)


def test_start_wait_within_a_callback_is_refused(qm: QueueManager, consumer: Consumer) -> None:
    codes: list[tuple[int, int]] = []
    consumer.then = lambda data: codes.append(consumer.control(START_WAIT))
    consumer.consume("Q")
    qm.put("Q")
    consumer.control(START)
    qm.until_waiting()
    assert codes == [failed(MQRC.ENVIRONMENT_ERROR)]


def test_a_wait_that_nobody_can_end_is_told_of(consumer: Consumer) -> None:
    consumer.consume("Q")
    with pytest.warns(StandInWarning, match="without limit"):
        assert consumer.control(START_WAIT) == failed(MQRC.CONNECTION_BROKEN)
