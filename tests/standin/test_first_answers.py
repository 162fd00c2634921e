"""The model's first answers as a program sees them: users of messages, reply queues, triggers, names, handles."""

from __future__ import annotations

import getpass

import pytest

from oracle.mqi.connection_layouts import MQCNO
from oracle.mqi.constants import MQGMO, MQOO, MQPMO
from oracle.mqi.layouts import MQMD, MQOD
from oracle.standin import applications, verbs
from oracle.testing import QueueManager, queue_manager
from tests.standin.conftest import Program, pack, unpack

BOTH = MQOO.INPUT_SHARED | MQOO.OUTPUT
TRIGGERED = {"TriggerControl": 1, "InitiationQName": "INIT", "ProcessName": "P"}


def _got(program: Program, hobj: int) -> dict[str, int | str]:
    program.get(hobj)
    return dict(unpack(MQMD, program.last.md))


def test_a_message_shows_the_user_and_the_program_that_put_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(applications, "_own_user", lambda: "a-user-of-many-letters")
    with queue_manager(["Q"]):
        program = Program.connected(cno=pack(MQCNO, Version=7, ApplName="orders"))
        hobj = program.open("Q", BOTH)
        program.put(hobj, b"")
        got = _got(program, hobj)
        assert (got["UserIdentifier"], got["PutApplName"], got["PutApplType"]) == ("a-user-of-ma", "orders", 6)


def test_without_a_sign_on_it_is_the_user_of_the_process() -> None:
    assert applications.user_of() == getpass.getuser()[:12]
    assert applications.user_of("alice") == "alice"


def test_a_process_without_a_name_for_its_user(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise KeyError

    monkeypatch.setattr(getpass, "getuser", nobody)
    assert applications.user_of() == ""


def test_the_reply_queue_is_filled_in_for_who_gets_and_not_for_who_puts() -> None:
    far = {"name": "FAR", "type": "remote", "rname": "THERE", "rqmname": "QM2", "xmitq": "X"}
    with queue_manager(["Q", far, {"name": "X", "Usage": "TRANSMISSION"}]):
        program = Program.connected()
        hobj = program.open("Q", BOTH)
        for given, seen in (("", ("", "QM1")), ("R", ("R", "QM1")), ("FAR", ("THERE", "QM2"))):
            put = program.put(hobj, b"", ReplyToQ=given)
            assert (put["ReplyToQ"], put["ReplyToQMgr"]) == (given, "")
            got = _got(program, hobj)
            assert (got["ReplyToQ"], got["ReplyToQMgr"]) == seen


def test_a_reply_queue_manager_that_was_given_stays() -> None:
    with queue_manager(["Q"]):
        program = Program.connected()
        hobj = program.open("Q", BOTH)
        program.put(hobj, b"", ReplyToQ="R", ReplyToQMgr="QM9")
        assert _got(program, hobj)["ReplyToQMgr"] == "QM9"


@pytest.mark.parametrize("kind", [1, 2, 3])
def test_the_monitor_that_opens_the_initiation_queue_is_told(kind: int) -> None:
    with queue_manager([{"name": "Q", **TRIGGERED, "TriggerType": kind}, "INIT"]) as qm:
        qm.put("Q")
        Program.connected().open("INIT", MQOO.INPUT_SHARED)
        assert qm.depth("INIT") == 1


def test_a_command_that_switches_triggering_on_triggers() -> None:
    with queue_manager([{"name": "Q", **TRIGGERED, "TriggerControl": 0}, "INIT"]) as qm:
        monitor = Program.connected()
        hobj = monitor.open("INIT", MQOO.INPUT_SHARED)
        qm.put("Q")
        qm.alter("Q", TriggerControl=1)
        assert qm.depth("INIT") == 1
        assert len(monitor.get(hobj, {"Options": int(MQGMO.CONVERT)})) == 684


def test_the_backout_of_a_first_put_triggers() -> None:
    with queue_manager([{"name": "Q", **TRIGGERED}, "INIT"]) as qm:
        program = Program.connected()
        program.open("INIT", MQOO.INPUT_SHARED)
        hobj = program.open("Q", MQOO.OUTPUT)
        program.put(hobj, b"", {"Options": int(MQPMO.SYNCPOINT)})
        qm.put("Q")
        assert qm.depth("INIT") == 0
        verbs.back(program.hconn)
        assert qm.depth("INIT") == 1


def test_a_connection_has_as_many_handles_as_max_handles(qm: QueueManager) -> None:
    program = Program.connected()
    handles = [program.open("Q", MQOO.OUTPUT) for _ in range(256)]
    assert program.codes == (0, 0)
    program.open("Q", MQOO.OUTPUT)
    assert program.codes == (2, 2017)
    qm.alter(None, MaxHandles=257)
    assert program.open("Q", MQOO.OUTPUT) not in handles


def test_names_that_cannot_be_opened() -> None:
    aliases = [{"name": "ONE", "type": "alias", "target": "Q"}, {"name": "TWO", "type": "alias", "target": "ONE"}]
    with queue_manager(["Q", *aliases, {"name": "MODEL", "type": "model"}]):
        program = Program.connected()
        program.open("TWO", MQOO.OUTPUT)
        assert program.codes == (2, 2001)
        for name, reason in (("A" * 33 + "*", 2011), ("A*B", 2011), ("A" * 32 + "*", 0)):
            program.open("MODEL", MQOO.OUTPUT, DynamicQName=name)
            assert program.codes[1] == reason
        assert len(str(unpack(MQOD, program.last.od)["ObjectName"])) <= 48
