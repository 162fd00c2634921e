"""Messages in tests: reading them, putting them, and the rules behind them."""

from __future__ import annotations

import copy
import pickle
import threading

import pytest

from oracle.errors import BadInputError, NotModelledError
from oracle.mqi.constants import MQAT, MQGMO, MQMF, MQOO, MQRO
from oracle.mqi.layouts import MQMD
from oracle.standin import message_handles as handles
from oracle.standin import verbs
from oracle.testing import QueueManager, StoredMessage, queue_manager
from tests.standin.conftest import Program, unpack

BOTH = MQOO.INPUT_SHARED | MQOO.OUTPUT
VALUES = {"colour": "blå & <new>", "count": -7, "ratio": 0.5, "urgent": True, "raw": b"\0\xff", "none": None}


def put_by_program(program: Program, hobj: int, data: bytes, **properties: str) -> None:
    hmsg = handles.create(program.hconn)
    for name, value in properties.items():
        handles.find(program.hconn, hmsg).set(name, handles.STRING, value.encode())
    program.put(hobj, data, {"OriginalMsgHandle": hmsg}, Format="MQSTR", Priority=3)


def test_data_are_without_the_header_and_properties_have_their_names(qm: QueueManager, program: Program) -> None:
    put_by_program(program, program.open("Q", BOTH), b"body", colour="blue", **{"usr.size": "L", "shop.till": "4"})
    for message in (*qm.messages("Q"), qm.get("Q")):
        assert message is not None
        assert (message.data, message.format) == (b"body", "MQSTR")
        assert message.properties == {"colour": "blue", "size": "L", "shop.till": "4"}
        assert message.header.startswith(b"RFH ")


def test_a_header_of_the_programs_own_that_holds_no_properties_is_data(qm: QueueManager) -> None:
    """Folders that hold no properties stay with MQGMO_NO_PROPERTIES, and so does what cannot be read."""
    folder = b"<shop><till>4</till></shop>".ljust(28)
    header = b"RFH " + b"".join(n.to_bytes(4, "little") for n in (2, 68, 546, 1208)) + b"MQSTR   "
    header += b"".join(n.to_bytes(4, "little") for n in (0, 1208, 28)) + folder
    for data in (header + b"body", b"RFH damaged"):
        qm.put("Q", data, format="MQHRF2", encoding=546, coded_char_set_id=1208)
        message = qm.get("Q")
        assert message is not None
        assert (message.data, message.format, message.properties) == (data, "MQHRF2", {})


def test_a_message_with_two_headers_is_refused_and_stays(qm: QueueManager, program: Program) -> None:
    folder = b"<shop><till>4</till></shop>".ljust(28)
    header = b"RFH " + b"".join(n.to_bytes(4, "little") for n in (2, 68, 546, 1208)) + b"MQSTR   "
    header += b"".join(n.to_bytes(4, "little") for n in (0, 1208, 28)) + folder
    qm.put("Q", header, properties={"a": "b"}, format="MQHRF2", encoding=546, coded_char_set_id=1208)
    for look in (qm.messages, qm.get):
        with pytest.raises(NotModelledError, match="two MQRFH2"):
            look("Q")
    assert qm.depth("Q") == 1


def test_members_of_the_descriptor_are_attributes(qm: QueueManager, program: Program) -> None:
    hobj = program.open("Q", BOTH)
    program.put(hobj, b"1", MsgFlags=MQMF.LAST_MSG_IN_GROUP, GroupId=(b"g" * 24).hex(), MsgSeqNumber=2)
    for _ in range(3):
        program.get(hobj, {"Options": MQGMO.SYNCPOINT})
        verbs.back(program.hconn)
    (message,) = qm.messages("Q")
    assert (message.backout_count, message.msg_seq_number, message.group_id) == (3, 2, b"g" * 24)
    assert {"backout_count", "data", "properties"} <= set(dir(message))
    with pytest.raises(AttributeError, match="a message has no 'backoutcount'; do you mean backout_count"):
        assert message.backoutcount
    with pytest.raises(AttributeError, match=r"a message has no 'zzz'$"):
        assert message.zzz


def test_a_message_can_be_copied_and_is_hashable(qm: QueueManager) -> None:
    qm.put("Q", b"x", properties={"a": "b"})
    (message,) = qm.messages("Q")
    assert copy.deepcopy(message) == message == pickle.loads(pickle.dumps(message))
    assert len({message, copy.copy(message)}) == 1


def test_properties_that_a_test_puts(qm: QueueManager, program: Program) -> None:
    qm.put("Q", "text", properties=VALUES)
    (message,) = qm.messages("Q")
    assert (message.data, dict(message.properties)) == (b"text", VALUES)
    assert [type(each) for each in message.properties.values()] == [str, int, float, bool, bytes, type(None)]
    hobj, hmsg = program.open("Q", BOTH), handles.create(program.hconn)
    assert program.get(hobj, {"Options": MQGMO.PROPERTIES_IN_HANDLE, "MsgHandle": hmsg}) == b"text"
    assert unpack(MQMD, program.last.md)["Format"] == "MQSTR"
    assert handles.find(program.hconn, hmsg).properties["count"].kind == handles.INT64


@pytest.mark.parametrize(
    ("properties", "told"),
    [
        ({"a b": "x"}, "'a b'.*2442"),
        ({"a": [1]}, "property a must be text, bytes, a number"),
        ({"a": 2**63}, "64 bits"),
    ],
)
def test_properties_that_cannot_be_are_refused(qm: QueueManager, properties: dict[str, object], told: str) -> None:
    with pytest.raises(BadInputError, match=told):
        qm.put("Q", properties=properties)
    assert qm.depth("Q") == 0


def test_the_rules_are_those_of_the_programs_last_call(qm: QueueManager, program: Program) -> None:
    hobj = program.open("Q", BOTH)
    program.get(hobj)
    (refused, others) = qm.rules, set()
    assert refused
    qm.put("Q", b"1")
    others |= set(qm.rules)
    qm.messages("Q")
    qm.depth("Q")
    qm.get("Q")
    qm.define("R")
    qm.alter("R", InhibitPut=1)
    qm.advance(seconds=1)
    qm.quiesce()
    assert qm.rules == refused
    assert others == set(refused)


def test_the_rules_of_a_wait_are_those_of_its_end() -> None:
    with queue_manager(["Q"], clock="manual") as qm:
        ended: list[int] = []

        def wait() -> None:
            program = Program.connected()
            program.get(program.open("Q", MQOO.INPUT_SHARED), {"Options": MQGMO.WAIT, "WaitInterval": 1000})
            ended.append(program.last.reason)

        thread = threading.Thread(target=wait)
        thread.start()
        qm.until_waiting()
        begun = qm.rules
        qm.advance(seconds=2)
        thread.join()
        assert ended == [2033]
        assert qm.rules != begun


def test_a_message_is_what_it_says(qm: QueueManager) -> None:
    qm.put("Q", b"x")
    (message,) = qm.messages("Q")
    assert isinstance(message, StoredMessage)
    assert (message.header, message.properties) == (b"", {})


def test_what_the_queue_manager_puts_has_its_name_as_the_program() -> None:
    triggered = {"name": "W", "TriggerControl": 1, "InitiationQName": "INIT", "ProcessName": "P"}
    name = "A.NAME.OF.MORE.THAN.28.CHARACTERS"
    with queue_manager(["INIT", "REPLIES", triggered], name=name) as qm:
        Program.connected(name).open("INIT", MQOO.INPUT_SHARED)
        qm.put("W", b"", report=int(MQRO.COA), reply_to_q="REPLIES")
        for message in (*qm.messages("REPLIES"), *qm.messages("INIT")):
            assert (message.put_appl_type, message.put_appl_name) == (MQAT.QMGR, name[:28])
            assert message.reply_to_q_mgr == name
        assert (qm.depth("REPLIES"), qm.depth("INIT")) == (1, 1)


def test_on_a_transmission_queue_the_outer_descriptor_is_the_queue_managers() -> None:
    remote = {"name": "FAR", "type": "remote", "RemoteQName": "T", "RemoteQMgrName": "QM2", "XmitQName": "XQ"}
    with queue_manager([{"name": "XQ", "Usage": "TRANSMISSION"}, remote, "REPLIES"]) as qm:
        qm.put("FAR", b"", msg_type=1, reply_to_q="REPLIES")
        (message,) = qm.messages("XQ")
        assert (message.put_appl_type, message.put_appl_name) == (MQAT.QMGR, "QM1")
        assert (message.reply_to_q, message.reply_to_q_mgr) == ("REPLIES", "QM1")
        assert message.user_identifier
