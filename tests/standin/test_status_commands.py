"""PCF commands of monitors and tools: answered, or refused by name; and the form of the responses."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from oracle.mqi.connection_layouts import NATIVE_ORDER
from oracle.mqi.constants import MQCC, MQENC, MQGMO, MQMO, MQMT, MQOO, MQPMO, MQRC, MQRO
from oracle.mqi.layouts import MQMD
from oracle.mqi.pcf import COMMAND_QUEUE, Command, CommandMessage, Failed, Filter, Operator, Selector
from oracle.standin import command_numbers, commands, connections
from oracle.standin.warning import StandInWarning
from oracle.testing import QueueManager, queue_manager
from tests.standin.administrator import Administrator
from tests.standin.conftest import Program, unpack

NAME, DEPTH, INPUTS, OUTPUTS = 2016, 3, 17, 18
UNCOMMITTED, OLDEST, LAST_PUT_DATE = 1027, 1227, 3128
ANSWERED = commands.COMMANDS


def test_every_command_of_the_client_has_a_name_here() -> None:
    header = vars(pytest.importorskip("ibmmq").CMQCFC)
    named = {name.removeprefix("MQCMD_"): value for name, value in header.items() if name.startswith("MQCMD_")}
    assert named == {**command_numbers.COMMANDS, **command_numbers.RECORDS}
    assert not set(command_numbers.COMMANDS.values()) & set(command_numbers.RECORDS.values())
    assert set(ANSWERED) <= set(command_numbers.COMMANDS.values())


@pytest.mark.parametrize(
    ("name", "number"), [(name, each) for name, each in command_numbers.COMMANDS.items() if each not in ANSWERED]
)
def test_a_command_that_is_not_carried_out_is_refused_by_name(
    administrator: Administrator, name: str, number: int
) -> None:
    name = "CHANGE_PROT_POLICY" if name == "SET_PROT_POLICY" else name  # they have one number
    with pytest.warns(StandInWarning, match=f"2298.*the command MQCMD_{name}$"):
        assert administrator.reason(number, {NAME: "Q"}) == MQRC.FUNCTION_NOT_SUPPORTED


@pytest.mark.parametrize("number", [*command_numbers.RECORDS.values(), 999])
def test_what_is_no_command_is_called_invalid(administrator: Administrator, number: int) -> None:
    assert administrator.reason(number, {}) == Failed.CFH_COMMAND_ERROR


def test_the_status_of_queues(administrator: Administrator, program: Program, qm: QueueManager) -> None:
    for name in ("APP.A", "APP.B"):
        qm.define(name)
    output = program.open("APP.A", MQOO.OUTPUT)
    program.open("APP.A", MQOO.INPUT_SHARED)
    program.put(output, b"", {"Options": MQPMO.NO_SYNCPOINT})
    program.put(output, b"", {"Options": MQPMO.SYNCPOINT})
    one, other = administrator.ask(Command.INQUIRE_Q_STATUS, {NAME: "APP.*"})
    assert one.parameters[NAME] == "APP.A"
    assert [one.parameters[each] for each in (DEPTH, INPUTS, OUTPUTS, UNCOMMITTED)] == [2, 1, 1, 1]
    assert (other.parameters[NAME], other.parameters[DEPTH], other.parameters[UNCOMMITTED]) == ("APP.B", 0, 0)
    assert (one.parameters[OLDEST], one.parameters[LAST_PUT_DATE]) == (-1, "")
    (asked,) = administrator.ask(Command.INQUIRE_Q_STATUS, {NAME: "APP.A", 1026: (DEPTH,)})
    assert set(asked.parameters) == {NAME, 1103, DEPTH}


def test_a_status_that_there_is_not(administrator: Administrator, qm: QueueManager) -> None:
    qm.define("ALIAS", type="alias", BaseQName="Q")
    assert administrator.reason(Command.INQUIRE_Q_STATUS, {NAME: "NONE"}) == MQRC.UNKNOWN_OBJECT_NAME
    assert administrator.reason(Command.INQUIRE_Q_STATUS, {NAME: "ALIAS"}) == Failed.Q_TYPE_ERROR
    with pytest.warns(StandInWarning, match="another type than MQIACF_Q_STATUS"):
        assert administrator.reason(Command.INQUIRE_Q_STATUS, {NAME: "Q", 1103: 1104}) == MQRC.FUNCTION_NOT_SUPPORTED


def test_the_status_of_the_queue_manager() -> None:
    with queue_manager(["Q"], name="QM7", began=datetime(2031, 5, 6, 7, 8, 9, tzinfo=timezone.utc)) as qm:
        administrator = Administrator(Program.connected("QM7"))
        (answer,) = administrator.ask(Command.INQUIRE_Q_MGR_STATUS, {})
        name, running, count, server = (answer.parameters[each] for each in (2015, 1149, 1230, 1233))
        assert (name, running, count, server) == ("QM7", 2, 1, 2)
        assert (answer.parameters[3175], answer.parameters[3176]) == ("2031-05-06", "07.08.09")
        qm.quiesce()
        (answer,) = administrator.ask(Command.INQUIRE_Q_MGR_STATUS, {1229: (1230,)})
        assert answer.parameters == {2015: "QM7", 1149: 3, 1230: 1}


def _response(program: Program, report: int, gmo: int = 0, **members: object) -> CommandMessage:
    """Send a command as the Java agent does, which selects the answer by its own CorrelId."""
    own = b"chosen by the agent".ljust(24).hex()
    replies = program.open("Q", MQOO.INPUT_SHARED)
    command = CommandMessage(Command.INQUIRE_Q_NAMES, {NAME: "Q*"}).encode(NATIVE_ORDER)
    program.put(
        program.open(COMMAND_QUEUE, MQOO.OUTPUT),
        command,
        MsgType=MQMT.REQUEST,
        ReplyToQ="Q",
        Report=report,
        CorrelId=own,
    )
    options = {"Options": MQGMO.NO_SYNCPOINT | gmo, "MatchOptions": MQMO.MATCH_CORREL_ID}
    data = program.get(replies, options, 10_000, CorrelId=own, **members)
    assert program.codes == (MQCC.OK, MQRC.NONE)
    return CommandMessage.decode(data, "big" if members else NATIVE_ORDER, "cp500" if members else "ascii")


def test_a_response_passes_the_correlation_identifier(program: Program) -> None:
    assert _response(program, MQRO.PASS_CORREL_ID).parameters[Selector.Q_NAMES] == ("Q",)


def test_a_response_passes_the_message_identifier(program: Program) -> None:
    _response(program, MQRO.PASS_CORREL_ID | MQRO.PASS_MSG_ID)
    got = str(unpack(MQMD, program.last.md)["MsgId"])
    _response(program, MQRO.PASS_CORREL_ID)
    assert got != str(unpack(MQMD, program.last.md)["MsgId"])


def test_a_response_is_converted(program: Program) -> None:
    answer = _response(program, MQRO.PASS_CORREL_ID, MQGMO.CONVERT, Encoding=MQENC.NORMAL, CodedCharSetId=500)
    assert answer.parameters[Selector.Q_NAMES] == ("Q",)
    got = unpack(MQMD, program.last.md)
    assert (got["Encoding"], got["CodedCharSetId"], got["Format"]) == (MQENC.NORMAL, 500, "MQADMIN")


@pytest.mark.parametrize(
    ("command", "parameters", "told"),
    [
        (Command.CREATE_Q, {NAME: "NEW", 2138: "COPY"}, "StreamQName of NEW .* messages are not copied"),
        (Command.CHANGE_Q, {NAME: "Q", 2029: "CLUS"}, "ClusterName of Q .* there are no clusters"),
        (Command.CHANGE_Q_MGR, {53: 1}, "PerformanceEvent of QM1 .* no event messages"),
        (Command.DELETE_Q, {NAME: "Q", 1310: 1}, "parameter 1310 of MQCMD_DELETE_Q has no effect"),
        (Command.INQUIRE_Q, {NAME: "Q", 1002: (3, 2004)}, "attribute 2004 of IBM MQ"),
        (Command.INQUIRE_Q_MGR, {1001: (2072,)}, "attribute 2072 of IBM MQ"),
    ],
)
def test_what_has_no_effect_is_warned_of(
    administrator: Administrator, command: int, parameters: dict[int, object], told: str
) -> None:
    with pytest.warns(StandInWarning, match=told):
        assert administrator.reason(command, parameters) == MQRC.NONE


def test_attributes_that_cannot_be_given(administrator: Administrator) -> None:
    with pytest.warns(StandInWarning, match="attribute 2072 of IBM MQ"):
        assert administrator.reason(Command.CHANGE_Q, {NAME: "Q", 2072: "X"}) == Failed.CFST_PARM_ID_ERROR
    assert administrator.reason(Command.CHANGE_Q, {NAME: "Q", DEPTH: 5}) == Failed.CFIN_PARM_ID_ERROR
    assert administrator.reason(Command.CHANGE_Q, {NAME: "Q", 188: 9}) == Failed.ATTR_VALUE_ERROR
    assert administrator.reason(Command.CHANGE_Q_MGR, {31: 800}) == Failed.CFIN_PARM_ID_ERROR
    assert administrator.reason(Command.DELETE_Q, {NAME: "Q", 20: 3}) == Failed.Q_WRONG_TYPE


def test_connections_by_a_filter_and_by_the_beginning_of_their_identifier(
    administrator: Administrator, program: Program
) -> None:
    (mine,) = connections.of(connections.find(program.hconn).manager)
    every = Command.INQUIRE_CONNECTION
    assert len(administrator.ask(every, {Selector.GENERIC_CONNECTION_ID: mine.identifier[:16]})) == 1
    assert administrator.reason(every, {Selector.GENERIC_CONNECTION_ID: b"OTHER"}) == Failed.NONE_FOUND
    for value, reason in ((mine.identifier, MQRC.NONE), (bytes(24), Failed.NONE_FOUND)):
        numbers = (15, 20 + len(value), Selector.CONNECTION_ID, Operator.EQUAL, len(value))
        command = bytearray(CommandMessage(every).encode(NATIVE_ORDER))
        command[32:36] = (1).to_bytes(4, NATIVE_ORDER)
        command += b"".join(int(number).to_bytes(4, NATIVE_ORDER) for number in numbers) + value
        (answer,) = administrator.send(bytes(command))
        assert answer.reason == reason
    assert Filter(Selector.CONNECTION_ID, Operator.NOT_EQUAL, b"a").admits(b"b")
