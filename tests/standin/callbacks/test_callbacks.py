"""MQCB: the functions that are called, their arguments, and the use of the connection meanwhile."""

from __future__ import annotations

import threading

import pytest

from oracle.mqi.constants import MQCC, MQGMO, MQOO, MQPMO, MQRC
from oracle.standin import connections, message_handles, verbs
from oracle.standin.answers import UNUSABLE
from oracle.standin.callbacks import CallType, ConsumerState, Function
from oracle.standin.warning import StandInWarning
from oracle.testing import QueueManager, queue_manager
from tests.standin.conftest import Program
from tests.standin.consumer import (
    DEREGISTER,
    OK,
    REGISTER,
    RESUME,
    START,
    STOP,
    SUSPEND,
    Consumer,
    failed,
)


def test_messages_come_to_the_function_in_their_order(qm: QueueManager, consumer: Consumer) -> None:
    consumer.consume("Q")
    qm.put("Q", b"ordinary", priority=0)
    qm.put("Q", b"urgent", priority=9)
    assert consumer.seen == []
    assert consumer.control(START) == OK
    qm.until_waiting()
    qm.put("Q", b"later")
    qm.until_waiting()
    assert consumer.data == [b"urgent", b"ordinary", b"later"]
    assert {call for call, _, _ in consumer.seen} == {CallType.MSG_REMOVED}
    assert [each["Priority"] for each in consumer.descriptors] == [9, 0, 0]
    assert qm.depth("Q") == 0


def test_a_commit_in_one_callback_commits_all_that_is_in_flight(qm: QueueManager, consumer: Consumer) -> None:
    """The unit of work is the connection's: what other callbacks have got without committing goes with it."""
    for name in ("Q", "R"):
        consumer.consume(name, options=MQGMO.SYNCPOINT)
    consumer.then = lambda data: consumer.commit() if data == b"of R" else None
    qm.put("Q", b"of Q")
    consumer.control(START)
    qm.until_waiting()
    assert qm.messages("Q") == []  # it has been got, and could be backed out
    qm.put("R", b"of R")
    qm.until_waiting()
    consumer.control(STOP)
    verbs.back(consumer.program.hconn)
    assert [qm.messages(name) for name in ("Q", "R")] == [[], []]
    assert consumer.data == [b"of Q", b"of R"]


def test_what_a_callback_backs_out_comes_again(qm: QueueManager, consumer: Consumer) -> None:
    def until_third(data: bytes | None) -> None:
        if len(consumer.seen) < 3:
            verbs.back(consumer.program.hconn)
        else:
            consumer.commit()

    consumer.then = until_third
    consumer.consume("Q", options=MQGMO.SYNCPOINT)
    qm.put("Q", b"fragile")
    consumer.control(START)
    qm.until_waiting()
    assert [each["BackoutCount"] for each in consumer.descriptors] == [0, 1, 2]
    assert qm.depth("Q") == 0


def test_a_callback_may_use_the_connection_and_nobody_else_may(qm: QueueManager, consumer: Consumer) -> None:
    program, replies = consumer.program, Program(consumer.program.hconn)
    codes: list[tuple[int, int]] = []

    def reply(data: bytes | None) -> None:
        replies.put(replies.open("R", MQOO.OUTPUT), b"re: " + (data or b""))
        codes.append(replies.codes)

    consumer.then = reply
    hobj = consumer.consume("Q")
    qm.put("Q", b"question")
    consumer.control(START)
    qm.until_waiting()
    assert codes == [OK]
    assert [each.data for each in qm.messages("R")] == [b"re: question"]
    active = failed(MQRC.HCONN_ASYNC_ACTIVE)
    assert consumer.commit() == active
    assert program.open("Q", MQOO.OUTPUT) == UNUSABLE
    assert program.codes == active
    program.get(hobj)
    assert program.codes == active
    assert consumer.manage(DEREGISTER, hobj) == active
    assert consumer.control(SUSPEND) == OK
    assert consumer.commit() == OK
    assert consumer.control(RESUME) == OK
    assert consumer.commit() == active
    assert consumer.control(STOP) == OK
    assert consumer.commit() == OK


def test_a_connection_of_one_thread_is_for_the_thread_of_callbacks_meanwhile(
    qm: QueueManager, consumer: Consumer
) -> None:
    """MQCNO_HANDLE_SHARE_NONE; a third thread has no such connection (2018), whatever the callbacks do."""
    codes: list[tuple[int, int]] = []
    consumer.then = lambda data: codes.append(consumer.commit())
    consumer.consume("Q")
    qm.put("Q")
    consumer.control(START)
    qm.until_waiting()
    for act in (consumer.commit, lambda: consumer.control(STOP)):
        thread = threading.Thread(target=lambda act=act: codes.append(act()))
        thread.start()
        thread.join()
    assert codes == [OK, failed(MQRC.HCONN_ERROR), failed(MQRC.HCONN_ERROR)]


def test_suspended_nothing_comes_and_resumed_it_does(qm: QueueManager, consumer: Consumer) -> None:
    consumer.consume("Q")
    consumer.control(START)
    consumer.control(SUSPEND)
    qm.put("Q", b"meanwhile")
    assert consumer.data == []
    consumer.control(RESUME)
    qm.until_waiting()
    assert consumer.data == [b"meanwhile"]


def test_one_of_two_consumers_is_suspended_by_itself(qm: QueueManager, consumer: Consumer) -> None:
    first, _ = consumer.consume("Q"), consumer.consume("R")
    assert consumer.manage(SUSPEND, first) == OK
    qm.put("Q", b"of Q")
    qm.put("R", b"of R")
    consumer.then = lambda data: consumer.manage(RESUME, first) if data == b"of R" else None
    consumer.control(START)
    qm.until_waiting()
    assert consumer.data == [b"of R", b"of Q"]


def test_consumers_take_turns(qm: QueueManager, consumer: Consumer) -> None:
    for name in ("Q", "R"):
        for number in range(3):
            qm.put(name, f"{name}{number}")
        consumer.consume(name)
    consumer.control(START)
    qm.until_waiting()
    assert consumer.data == [b"Q0", b"R0", b"Q1", b"R1", b"Q2", b"R2"]


def test_selection_is_by_the_descriptor_of_mqcb(qm: QueueManager, consumer: Consumer) -> None:
    hobj = consumer.program.open("Q", MQOO.INPUT_SHARED)
    wanted = {"CorrelId": (b"w" * 24).hex()}
    assert consumer.manage(REGISTER, hobj, None, {"MatchOptions": 2}, **wanted) == OK
    qm.put("Q", b"other")
    qm.put("Q", b"mine", correl_id=b"w" * 24)
    qm.put("Q", b"mine too", correl_id=b"w" * 24)
    consumer.control(START)
    qm.until_waiting()
    assert consumer.data == [b"mine", b"mine too"]


# What is told when there is no message.


def test_after_each_interval_there_is_a_call_without_a_message(qm: QueueManager, consumer: Consumer) -> None:
    consumer.consume("Q", options=MQGMO.WAIT, WaitInterval=4000)
    consumer.control(START)
    qm.until_waiting()
    for _ in range(2):
        qm.advance(seconds=4)
        qm.until_waiting()
    assert consumer.seen == [(CallType.EVENT_CALL, MQRC.NO_MSG_AVAILABLE, None)] * 2
    assert {(each["CompCode"], each["State"]) for each in consumer.contexts} == {(MQCC.FAILED, ConsumerState.NONE)}


def test_a_message_does_not_begin_the_interval_anew(qm: QueueManager, consumer: Consumer) -> None:
    consumer.consume("Q", options=MQGMO.WAIT, WaitInterval=4000)
    consumer.control(START)
    qm.until_waiting()
    qm.advance(seconds=3)
    qm.put("Q", b"x")
    qm.until_waiting()
    qm.advance(seconds=1)
    qm.until_waiting()
    assert [reason for _, reason, _ in consumer.seen] == [MQRC.NONE, MQRC.NO_MSG_AVAILABLE]


def test_without_an_interval_it_is_told_once_when_the_messages_end(qm: QueueManager, consumer: Consumer) -> None:
    consumer.consume("Q", options=MQGMO.WAIT, WaitInterval=0)
    consumer.control(START)
    qm.until_waiting()
    qm.put("Q", b"x")
    qm.until_waiting()
    qm.advance(seconds=99)
    qm.until_waiting()
    assert [reason for _, reason, _ in consumer.seen] == [2033, 0, 2033]


@pytest.mark.parametrize(("options", "interval"), [(0, 0), (MQGMO.WAIT, -1)])
def test_else_it_is_not_told(qm: QueueManager, consumer: Consumer, options: int, interval: int) -> None:
    consumer.consume("Q", options=options, WaitInterval=interval)
    consumer.control(START)
    qm.until_waiting()
    qm.advance(seconds=1000)
    qm.until_waiting()
    assert consumer.seen == []


# What is told when something is wrong.


def test_gets_that_are_inhibited_are_told_of_once(qm: QueueManager, consumer: Consumer) -> None:
    consumer.consume("Q")
    consumer.control(START)
    qm.alter("Q", InhibitGet=1)
    qm.until_waiting()
    qm.put("Q", b"x")
    qm.until_waiting()
    assert consumer.seen == [(CallType.EVENT_CALL, MQRC.GET_INHIBITED, None)]
    assert consumer.contexts[0]["State"] == ConsumerState.SUSPENDED_TEMPORARY
    qm.alter("Q", InhibitGet=0)
    qm.until_waiting()
    assert consumer.data == [b"x"]


def test_quiescing_is_told_to_the_event_handler_and_to_who_asked(qm: QueueManager, consumer: Consumer) -> None:
    handler = Consumer(consumer.program)
    handler.handle_events()
    asked = consumer.consume("Q", options=MQGMO.FAIL_IF_QUIESCING)
    consumer.consume("R")
    consumer.control(START)
    qm.quiesce()
    qm.until_waiting()
    qm.advance(seconds=1)
    qm.until_waiting()
    assert handler.seen == consumer.seen == [(CallType.EVENT_CALL, MQRC.Q_MGR_QUIESCING, None)]
    assert [each["Hobj"] for each in (*handler.contexts, *consumer.contexts)] == [UNUSABLE, asked]
    assert consumer.control(STOP) == OK
    assert consumer.control(START, Options=8192) == failed(MQRC.Q_MGR_QUIESCING)


def test_a_broken_connection_ends_it(qm: QueueManager, consumer: Consumer) -> None:
    handler = Consumer(consumer.program)
    handler.handle_events()
    consumer.consume("Q", {"Options": 4})
    consumer.control(START)
    consumption = connections.find_to_control(consumer.program.hconn).consumption
    assert consumption is not None
    connections.fail(consumer.program.hconn)
    consumption.finish()
    assert handler.seen == [(CallType.EVENT_CALL, MQRC.CONNECTION_BROKEN, None)]
    assert consumer.seen == [(CallType.STOP_CALL, MQRC.CONNECTION_BROKEN, None)]
    assert handler.contexts[0]["State"] == consumer.contexts[0]["State"] == ConsumerState.STOPPED


def test_with_the_queue_manager_the_thread_ends() -> None:
    before = threading.active_count()
    with queue_manager(["Q"]) as qm:
        consumer = Consumer(Program.connected())
        consumer.consume("Q", {"Options": 4})
        consumer.control(START)
        qm.until_waiting()
        assert threading.active_count() == before + 1
    assert threading.active_count() == before
    assert [reason for _, reason, _ in consumer.seen] == [MQRC.CONNECTION_BROKEN]


def test_after_an_exception_in_a_callback_the_next_message_comes(
    qm: QueueManager, consumer: Consumer, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(data: bytes | None) -> None:
        raise ValueError(data)

    consumer.then = fails
    consumer.consume("Q")
    qm.put("Q", b"1")
    qm.put("Q", b"2")
    consumer.control(START)
    qm.until_waiting()
    assert consumer.data == [b"1", b"2"]
    assert capsys.readouterr().err.count("\nValueError: b'") == 2


# What MQCB takes.


@pytest.mark.parametrize(
    ("cbd", "gmo", "reason"),
    [
        ({"CallbackType": 3}, {}, MQRC.CALLBACK_TYPE_ERROR),
        ({"Options": 2}, {}, MQRC.CBD_OPTIONS_ERROR),
        ({"MaxMsgLength": -2}, {}, MQRC.MAX_MSG_LENGTH_ERROR),
        ({}, {"Options": MQGMO.SYNCPOINT | MQGMO.NO_SYNCPOINT}, MQRC.OPTIONS_ERROR),
        ({}, {"Options": MQGMO.SET_SIGNAL}, MQRC.OPTIONS_ERROR),
        ({}, {"Options": MQGMO.BROWSE_NEXT}, MQRC.NOT_OPEN_FOR_BROWSE),
        ({}, {"Options": MQGMO.WAIT, "WaitInterval": -5}, MQRC.WAIT_INTERVAL_ERROR),
    ],
)
def test_what_mqcb_refuses(consumer: Consumer, cbd: dict[str, int], gmo: dict[str, int], reason: int) -> None:
    hobj = consumer.program.open("Q", MQOO.INPUT_SHARED)
    assert consumer.manage(REGISTER, hobj, cbd, gmo) == failed(reason)
    assert consumer.manage(DEREGISTER, hobj) == failed(MQRC.CALLBACK_NOT_REGISTERED)


def test_handles_and_operations_that_are_none_are_refused(qm: QueueManager, consumer: Consumer) -> None:
    assert consumer.manage(REGISTER, 4711) == failed(MQRC.HOBJ_ERROR)
    output = consumer.program.open("Q", MQOO.OUTPUT)
    assert consumer.manage(REGISTER, output) == failed(MQRC.NOT_OPEN_FOR_INPUT)
    assert consumer.manage(START, output) == failed(MQRC.OPERATION_ERROR)
    for operation in (DEREGISTER, SUSPEND, RESUME):
        assert consumer.manage(operation, 0) == failed(MQRC.CALLBACK_NOT_REGISTERED)
    qm.quiesce()
    hobj = consumer.program.open("Q", MQOO.INPUT_SHARED)
    assert consumer.manage(REGISTER, hobj, {"Options": 8192}) == failed(MQRC.Q_MGR_QUIESCING)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (MQGMO.BROWSE_FIRST | MQGMO.BROWSE_NEXT, "MQGMO_BROWSE_FIRST and MQGMO_BROWSE_NEXT"),
        (MQGMO.BROWSE_FIRST | MQGMO.MARK_BROWSE_HANDLE, "marks"),
        (MQGMO.MSG_UNDER_CURSOR, "under the cursor"),
    ],
)
def test_what_is_left_out_is_refused_by_name(consumer: Consumer, options: int, told: str) -> None:
    hobj = consumer.program.open("Q", MQOO.INPUT_SHARED | MQOO.BROWSE)
    with pytest.warns(StandInWarning, match=told):
        assert consumer.manage(REGISTER, hobj, None, {"Options": options}) == failed(MQRC.FUNCTION_NOT_SUPPORTED)


def test_browsed_messages_stay(qm: QueueManager, consumer: Consumer) -> None:
    consumer.consume("Q", options=MQGMO.BROWSE_NEXT)
    qm.put("Q", b"1")
    qm.put("Q", b"2")
    consumer.control(START)
    qm.until_waiting()
    assert consumer.seen == [(CallType.MSG_NOT_REMOVED, MQRC.NONE, each) for each in (b"1", b"2")]
    assert qm.depth("Q") == 2


def test_a_message_that_is_too_long_is_cut(qm: QueueManager, consumer: Consumer) -> None:
    consumer.consume("Q", {"MaxMsgLength": 4}, MQGMO.ACCEPT_TRUNCATED_MSG)
    qm.put("Q", b"0123456789")
    consumer.control(START)
    qm.until_waiting()
    assert consumer.seen == [(CallType.MSG_REMOVED, MQRC.TRUNCATED_MSG_ACCEPTED, b"0123")]
    context = consumer.contexts[0]
    assert (context["CompCode"], context["DataLength"], context["BufferLength"]) == (MQCC.WARNING, 10, 4)


def test_one_that_may_not_be_cut_stays_and_the_callback_can_get_it(qm: QueueManager, consumer: Consumer) -> None:
    hobj = consumer.program.open("Q", MQOO.INPUT_SHARED)
    assert consumer.manage(REGISTER, hobj, {"MaxMsgLength": 4}) == OK
    consumer.then = lambda data: consumer.program.get(hobj)
    qm.put("Q", b"0123456789")
    consumer.control(START)
    qm.until_waiting()
    assert consumer.seen == [(CallType.MSG_NOT_REMOVED, MQRC.TRUNCATED_MSG_FAILED, b"0123")]
    assert consumer.program.last.data == b"0123456789"


def test_properties_come_in_the_message_handle(qm: QueueManager, consumer: Consumer) -> None:
    hmsg = message_handles.create(consumer.program.hconn)
    colours: list[bytes] = []
    handle = message_handles.find(consumer.program.hconn, hmsg)
    consumer.then = lambda data: colours.append(handle.properties["colour"].value)
    consumer.consume("Q", options=MQGMO.PROPERTIES_IN_HANDLE, MsgHandle=hmsg)
    for colour in ("blue", "red"):
        qm.put("Q", b"body", properties={"colour": colour})
    consumer.control(START)
    qm.until_waiting()
    assert (consumer.data, colours) == ([b"body"] * 2, [b"blue", b"red"])


def test_rules_are_those_of_what_the_callback_got(qm: QueueManager, consumer: Consumer) -> None:
    consumer.consume("Q")
    consumer.control(START)
    qm.until_waiting()
    qm.put("Q", b"x")
    qm.until_waiting()
    assert qm.rules


def test_a_put_by_another_program_wakes_a_consumer_that_waits(qm: QueueManager, consumer: Consumer) -> None:
    """The virtual clock stands still meanwhile: the thread of the test could still act."""
    consumer.consume("Q", options=MQGMO.WAIT, WaitInterval=60_000)
    consumer.control(START)
    qm.until_waiting()

    def put() -> None:
        other = Program.connected()
        other.put(other.open("Q", MQOO.OUTPUT), b"x", {"Options": MQPMO.NO_SYNCPOINT})

    thread = threading.Thread(target=put)
    thread.start()
    thread.join()
    qm.until_waiting()
    assert (consumer.data, qm.seconds) == ([b"x"], 0)


def test_the_function_type_is_what_is_called() -> None:
    function: Function = Consumer(Program(1)).called
    assert callable(function)
