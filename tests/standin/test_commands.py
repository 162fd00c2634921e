"""The command server: PCF messages in, queues made and responses out."""

from __future__ import annotations

import pytest

from oracle.mqi.connection_layouts import MQCNO, NATIVE_ORDER
from oracle.mqi.constants import MQCC, MQEI, MQGMO, MQMT, MQOO, MQPMO, MQRC, MQRO
from oracle.mqi.layouts import MQMD, MQOD
from oracle.mqi.layouts import MQPMO as PMO
from oracle.mqi.pcf import COMMAND_QUEUE, Command, CommandMessage, Failed, Filter, Kind, Operator, Selector
from oracle.standin import connections, verbs
from oracle.standin.warning import StandInWarning
from oracle.testing import QueueManager, queue_manager
from tests.standin.administrator import Administrator
from tests.standin.conftest import Program, pack, unpack

NAME, KIND, DEPTH, MAX_DEPTH, DESCRIPTION, THRESHOLD = 2016, 20, 3, 15, 2013, 22


def test_a_queue_is_made_inquired_and_deleted(administrator: Administrator, qm: QueueManager) -> None:
    wanted = {NAME: "NEW", KIND: 1, MAX_DEPTH: 9, DESCRIPTION: "made by command", THRESHOLD: 5}
    assert administrator.reason(Command.CREATE_Q, wanted) == MQRC.NONE
    (answer,) = administrator.ask(Command.INQUIRE_Q, {NAME: "NEW"})
    assert {selector: answer.parameters[selector] for selector in wanted} == wanted
    qm.put("NEW", b"x")
    assert administrator.ask(Command.INQUIRE_Q, {NAME: "NEW"})[0].parameters[DEPTH] == 1
    assert administrator.reason(Command.DELETE_Q, {NAME: "NEW"}) == MQRC.Q_NOT_EMPTY
    assert administrator.reason(Command.DELETE_Q, {NAME: "NEW", Selector.PURGE: 1}) == MQRC.NONE
    assert administrator.reason(Command.INQUIRE_Q, {NAME: "NEW"}) == MQRC.UNKNOWN_OBJECT_NAME


def test_an_existing_queue_is_replaced_only_on_request_and_keeps_its_messages(
    administrator: Administrator, qm: QueueManager
) -> None:
    qm.put("Q", b"kept")
    create = {NAME: "Q", KIND: 1, MAX_DEPTH: 4}
    assert administrator.reason(Command.CREATE_Q, create) == Failed.OBJECT_ALREADY_EXISTS
    assert administrator.reason(Command.CREATE_Q, {**create, Selector.REPLACE: 1}) == MQRC.NONE
    assert administrator.reason(Command.CREATE_Q, {NAME: "Q", KIND: 2, Selector.REPLACE: 1}) == Failed.OBJECT_WRONG_TYPE
    assert [message.data for message in qm.messages("Q")] == [b"kept"]
    assert administrator.ask(Command.INQUIRE_Q, {NAME: "Q"})[0].parameters[MAX_DEPTH] == 4


def test_changing_takes_effect(administrator: Administrator, program: Program) -> None:
    assert administrator.reason(Command.CHANGE_Q, {NAME: "Q", KIND: 1, 10: 1}) == MQRC.NONE
    program.put(program.open("Q", MQOO.OUTPUT), b"")
    assert program.codes == (MQCC.FAILED, MQRC.PUT_INHIBITED)
    assert administrator.reason(Command.CHANGE_Q, {NAME: "Q", KIND: 1, 10: 7}) == Failed.ATTR_VALUE_ERROR
    assert administrator.reason(Command.CHANGE_Q, {NAME: "Q", KIND: 1, 9999: 7}) == Failed.CFIN_PARM_ID_ERROR
    assert administrator.reason(Command.CHANGE_Q, {NAME: "NONE"}) == MQRC.UNKNOWN_OBJECT_NAME


def test_copying_and_clearing(administrator: Administrator, qm: QueueManager) -> None:
    qm.define("SOURCE", MaxQDepth=3, BackoutThreshold=2)
    copy = {Selector.FROM_Q_NAME: "SOURCE", Selector.TO_Q_NAME: "COPY", KIND: 1}
    assert administrator.reason(Command.COPY_Q, copy) == MQRC.NONE
    (answer,) = administrator.ask(Command.INQUIRE_Q, {NAME: "COPY"})
    assert (answer.parameters[MAX_DEPTH], answer.parameters[THRESHOLD]) == (3, 2)
    qm.put("COPY", b"x")
    assert administrator.reason(Command.CLEAR_Q, {NAME: "COPY"}) == MQRC.NONE
    assert qm.depth("COPY") == 0


def test_a_queue_in_use_is_neither_cleared_nor_deleted(administrator: Administrator, program: Program) -> None:
    program.open("Q", MQOO.OUTPUT)
    assert administrator.reason(Command.CLEAR_Q, {NAME: "Q"}) == MQRC.OBJECT_IN_USE
    assert administrator.reason(Command.DELETE_Q, {NAME: "Q", Selector.PURGE: 1}) == MQRC.OBJECT_IN_USE


def test_messages_of_a_unit_of_work_are_not_discarded(administrator: Administrator, program: Program) -> None:
    od = pack(MQOD, Version=1, ObjectName="Q")
    pmo = pack(PMO, Options=MQPMO.SYNCPOINT)
    assert verbs.put1(program.hconn, od, pack(MQMD, Version=2), pmo, b"x").comp_code == MQCC.OK
    assert administrator.reason(Command.DELETE_Q, {NAME: "Q", Selector.PURGE: 1}) == MQRC.Q_NOT_EMPTY


def test_inquiring_by_the_beginning_of_a_name_and_with_filters(administrator: Administrator, qm: QueueManager) -> None:
    for number, name in enumerate(("APP.A", "APP.B", "APP.C")):
        qm.define(name, QDesc=f"queue {name}")
        for _ in range(number):
            qm.put(name, b"")
    found = administrator.ask(Command.INQUIRE_Q, {NAME: "APP.*", Selector.Q_ATTRS: (DEPTH,)})
    assert [(each.parameters[NAME], each.parameters[DEPTH]) for each in found] == [
        ("APP.A", 0),
        ("APP.B", 1),
        ("APP.C", 2),
    ]
    assert all(set(each.parameters) == {NAME, KIND, DEPTH} for each in found)
    names = administrator.ask(Command.INQUIRE_Q_NAMES, {NAME: "APP.*"})[0].parameters[Selector.Q_NAMES]
    assert names == ("APP.A", "APP.B", "APP.C")
    assert administrator.reason(Command.INQUIRE_Q, {NAME: "NO.*"}) == MQRC.UNKNOWN_OBJECT_NAME


def _filtered(administrator: Administrator, form: int, body: bytes) -> list[object]:
    message = bytearray(CommandMessage(Command.INQUIRE_Q, {NAME: "APP.*"}).encode(NATIVE_ORDER))
    message[32:36] = (2).to_bytes(4, NATIVE_ORDER)
    message += form.to_bytes(4, NATIVE_ORDER) + (8 + len(body)).to_bytes(4, NATIVE_ORDER) + body
    return [answer.parameters.get(NAME) for answer in administrator.send(bytes(message))]


def _numbers(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(4, NATIVE_ORDER) for number in numbers)


def test_filters_choose_queues(administrator: Administrator, qm: QueueManager) -> None:
    for name in ("APP.A", "APP.B"):
        qm.define(name, QDesc=f"queue {name}")
    qm.put("APP.B", b"")
    assert _filtered(administrator, 13, _numbers(DEPTH, Operator.GREATER, 0)) == ["APP.B"]
    assert _filtered(administrator, 13, _numbers(DEPTH, Operator.NOT_GREATER, 0)) == ["APP.A"]
    pattern = b"queue APP.A*"
    like = _numbers(DESCRIPTION, Operator.LIKE, 0, len(pattern)) + pattern
    assert _filtered(administrator, 14, like) == ["APP.A"]
    with pytest.warns(StandInWarning, match="operator 99"):
        (answer,) = _filtered(administrator, 13, _numbers(DEPTH, 99, 0))
    assert answer is None


@pytest.mark.parametrize(
    ("operator", "admitted"),
    [(Operator.LESS, [1]), (Operator.EQUAL, [2]), (Operator.NOT_EQUAL, [1, 3]), (Operator.NOT_LESS, [2, 3])],
)
def test_a_filter_compares(operator: int, admitted: list[int]) -> None:
    assert [value for value in (1, 2, 3) if Filter(DEPTH, operator, 2).admits(value)] == admitted


def test_the_queue_manager_is_inquired_changed_and_pinged(administrator: Administrator, qm: QueueManager) -> None:
    assert administrator.reason(Command.PING_Q_MGR, {}) == MQRC.NONE
    assert administrator.reason(Command.CHANGE_Q_MGR, {33: 5, 2014: "described"}) == MQRC.NONE
    (answer,) = administrator.ask(Command.INQUIRE_Q_MGR, {1001: (33, 2014)})
    assert answer.parameters == {2015: "QM1", 33: 5, 2014: "described"}
    assert qm.running.state.definition.max_uncommitted_msgs == 5


@pytest.mark.parametrize("command", [0, 43, 999])
def test_what_is_no_command_is_unknown(administrator: Administrator, command: int) -> None:
    assert administrator.reason(command, {}) == Failed.CFH_COMMAND_ERROR


def test_what_is_no_command_fails(administrator: Administrator) -> None:
    for data in (b"", b"not a command", CommandMessage(Command.PING_Q_MGR, kind=2).encode(NATIVE_ORDER)):
        (answer,) = administrator.send(data)
        assert answer.reason == Failed.COMMAND_FAILED
    assert administrator.reason(Command.CREATE_Q, {KIND: 1}) == Failed.PARM_MISSING
    assert administrator.reason(Command.CREATE_Q, {NAME: "X", KIND: 77}) == Failed.ATTR_VALUE_ERROR
    assert administrator.reason(Command.CREATE_Q, {NAME: "X Y", KIND: 1}) == Failed.OBJECT_NAME_ERROR


def test_a_command_in_a_unit_of_work_waits_for_its_end(program: Program, qm: QueueManager) -> None:
    hobj = program.open(COMMAND_QUEUE, MQOO.OUTPUT)
    command = CommandMessage(Command.CREATE_Q, {NAME: "LATER", KIND: 1}).encode(NATIVE_ORDER)
    program.put(hobj, command, {"Options": MQPMO.SYNCPOINT})
    assert not qm.running.state.is_defined("LATER")
    verbs.commit(program.hconn)
    assert qm.running.state.is_defined("LATER")


def test_responses_take_over_the_expiry(administrator: Administrator, program: Program) -> None:
    command = CommandMessage(Command.PING_Q_MGR).encode(NATIVE_ORDER)
    administrator.send(command, Expiry=600, Report=MQRO.PASS_DISCARD_AND_EXPIRY)
    assert unpack(MQMD, program.last.md)["Expiry"] == 600
    administrator.send(command, Expiry=600)
    assert unpack(MQMD, program.last.md)["Expiry"] == MQEI.UNLIMITED


def test_a_response_that_cannot_be_put_leaves_the_command_done(program: Program, qm: QueueManager) -> None:
    command = CommandMessage(Command.CREATE_Q, {NAME: "MADE", KIND: 1}).encode(NATIVE_ORDER)
    for reply_queue in ("NOT.THERE", "SYSTEM.DEFAULT.MODEL.QUEUE"):
        program.put(program.open(COMMAND_QUEUE, MQOO.OUTPUT), command, MsgType=MQMT.REQUEST, ReplyToQ=reply_queue)
        assert program.codes == (MQCC.OK, MQRC.NONE)
    assert qm.depth("MADE") == 0


def test_connections_are_listed_and_stopped(administrator: Administrator, qm: QueueManager) -> None:
    other = Program.connected(cno=pack(MQCNO, Version=1, Options=connections.SHARE_BLOCK), cd=b"CHANNEL.1".ljust(20))
    identifier = other.last.data
    wanted = {Selector.CONNECTION_ID: identifier}
    (found,) = administrator.ask(Command.INQUIRE_CONNECTION, wanted)
    assert found.parameters[3501] == "CHANNEL.1"
    assert administrator.reason(Command.STOP_CONNECTION, wanted) == MQRC.NONE
    assert verbs.commit(other.hconn).reason == MQRC.CONNECTION_BROKEN
    assert administrator.reason(Command.INQUIRE_CONNECTION, wanted) == Failed.CONNECTION_ID_ERROR
    assert administrator.reason(Command.STOP_CONNECTION, wanted) == Failed.CONNECTION_ID_ERROR


def test_namelists_are_kept(administrator: Administrator) -> None:
    assert administrator.reason(34, {2010: "LIST", 2020: ("A", "B")}) == MQRC.NONE
    (answer,) = administrator.ask(36, {2010: "L*"})
    assert (answer.parameters[2020], answer.parameters[19]) == (("A", "B"), 2)
    assert administrator.reason(34, {2010: "LIST", 2020: ()}) == Failed.OBJECT_ALREADY_EXISTS
    assert administrator.reason(35, {2010: "LIST"}) == MQRC.NONE
    assert administrator.reason(36, {2010: "LIST"}) == MQRC.UNKNOWN_OBJECT_NAME


def test_a_cap_on_expiry_that_is_none_is_shown_as_none(administrator: Administrator, qm: QueueManager) -> None:
    assert administrator.ask(Command.INQUIRE_Q, {NAME: "Q"})[0].parameters[276] == -1
    assert administrator.reason(Command.CHANGE_Q, {NAME: "Q", 276: 50}) == MQRC.NONE
    qm.put("Q", b"short-lived")
    qm.advance(seconds=10)
    assert qm.messages("Q") == []
    assert administrator.reason(Command.CHANGE_Q, {NAME: "Q", 276: -1}) == MQRC.NONE
    assert administrator.ask(Command.INQUIRE_Q, {NAME: "Q"})[0].parameters[276] == -1


def test_zos_gives_extended_responses_to_those_who_ask_for_them() -> None:
    with queue_manager(["Q1", "Q2"], platform="zos"):
        administrator = Administrator(Program.connected())

        def kinds(command: int, parameters: dict[int, str], kind: int = Kind.COMMAND_XR) -> list[tuple[int, int]]:
            data = CommandMessage(command, parameters, kind, version=3).encode(NATIVE_ORDER)
            answers = administrator.send(data)
            assert [answer.number for answer in answers] == [*range(1, len(answers) + 1)]
            return [(answer.kind, answer.reason) for answer in answers]

        summary = (Kind.XR_SUMMARY, MQRC.NONE)
        assert kinds(Command.INQUIRE_Q, {NAME: "Q*"}) == [(Kind.XR_ITEM, MQRC.NONE)] * 2 + [summary]
        assert kinds(Command.DELETE_Q, {NAME: "Q1"}) == [summary]
        failed = [(Kind.XR_MSG, MQRC.UNKNOWN_OBJECT_NAME), (Kind.XR_SUMMARY, Failed.COMMAND_FAILED)]
        assert kinds(Command.DELETE_Q, {NAME: "Q1"}) == failed
        assert kinds(Command.INQUIRE_Q, {NAME: "Q*"}, Kind.COMMAND) == [(Kind.RESPONSE, MQRC.NONE)]


def test_the_command_server_does_not_hide_the_rules_of_the_call(qm: QueueManager, program: Program) -> None:
    hobj = program.open("Q", MQOO.INPUT_SHARED)
    program.get(hobj, {"Options": MQGMO.NO_SYNCPOINT})
    assert qm.rules
