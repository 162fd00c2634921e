"""`oracle.testing`: a queue manager for the length of a block."""

from __future__ import annotations

import subprocess
import sys
import threading
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from oracle.errors import BadInputError
from oracle.mqi.constants import MQGMO, MQOO, MQPMO, MQRC
from oracle.mqi.definitions import QueueDefinition, define
from oracle.mqi.layouts import MQMD
from oracle.testing import QueueManager, UsageError, queue_manager
from tests.standin.conftest import Program, unpack

ROOT = Path(__file__).parents[2]


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_messages_go_from_the_test_to_the_program_and_back(qm: QueueManager, program: Program) -> None:
    hobj = program.open("Q", MQOO.INPUT_SHARED | MQOO.OUTPUT)
    msg_id = qm.put("Q", "text", priority=5)
    assert program.get(hobj) == b"text"
    got = unpack(MQMD, program.last.md)
    assert (got["MsgId"], got["Format"], got["Priority"]) == (msg_id.hex(), "MQSTR", 5)
    program.put(hobj, b"back")
    assert qm.depth("Q") == 1
    assert [message.data for message in qm.messages("Q")] == [b"back"]
    taken = qm.get("Q")
    assert taken is not None
    assert taken.data == b"back"
    assert qm.get("Q") is None


def test_queues_by_name_by_attributes_and_by_definition() -> None:
    made = define(QueueDefinition, {"name": "C", "MaxQDepth": 1})
    with queue_manager(["A", {"name": "B", "MaxQDepth": 1}, made]) as qm:
        for name in "ABC":
            qm.put(name)
        qm.put("A")
        for name in "BC":
            with pytest.raises(UsageError, match="2053"):
                qm.put(name)


def test_the_platform_and_attributes_of_the_queue_manager() -> None:
    with queue_manager(["Q"], name="ZOS1", platform="zos", MaxUncommittedMsgs=1) as qm:
        assert qm.name == "ZOS1"
        program = Program.connected("ZOS1")
        hobj = program.open("Q", MQOO.OUTPUT)
        program.put(hobj, b"")
        assert qm.messages("Q") == []  # on z/OS a put is within a unit of work unless it says otherwise
        program.put(hobj, b"")
        assert program.last.reason == 2024


def test_time_passes_as_the_test_says(qm: QueueManager) -> None:
    qm.put("Q", b"fleeting", expiry=50)
    qm.advance(seconds=7)
    assert qm.messages("Q") == []
    qm.advance(tenths=5)
    assert qm.seconds == 7.5


@pytest.mark.parametrize(
    "time",
    [
        {"seconds": -1},
        {"seconds": 1e300},
        {"seconds": float("nan")},
        {"seconds": "1"},
        {"tenths": 1.5},
        {"tenths": 2**31},
    ],
)
def test_a_time_that_is_none_is_refused(qm: QueueManager, time: dict[str, Any]) -> None:
    with pytest.raises(BadInputError, match=next(iter(time))):
        qm.advance(**time)
    assert qm.seconds == 0


def test_the_clock_ends_with_the_year_9999() -> None:
    with queue_manager(["Q"], began=datetime(9999, 12, 30, tzinfo=timezone.utc)) as qm:
        with pytest.raises(BadInputError, match="9999"):
            qm.advance(seconds=100_000)
        qm.put("Q")


def test_the_time_of_day() -> None:
    with queue_manager(["Q"], began=datetime(2031, 5, 6, 7, 8, 9, tzinfo=timezone.utc)) as qm:
        qm.advance(seconds=1)
        qm.put("Q")
        (message,) = qm.messages("Q")
    assert (message.descriptor.put_date, message.descriptor.put_time) == ("20310506", "07081000")


def test_altering_and_the_rules_behind(qm: QueueManager, program: Program) -> None:
    qm.alter("Q", InhibitPut=1, BackoutThreshold=4)
    program.put(program.open("Q", MQOO.OUTPUT), b"")
    assert program.last.reason == 2051
    assert qm.rules
    assert qm.running.beside["Q"] == {22: 4}


@pytest.mark.parametrize("queues", [["Q", "Q"], [{"name": "Q", "MaxQDepth": -1}], [{"name": ""}]])
def test_wrong_queues_are_refused(queues: list[object]) -> None:
    with pytest.raises(BadInputError), queue_manager(queues):  # type: ignore[arg-type]  # on purpose
        pass
    assert Program.connected().last.reason == 2059


@pytest.mark.parametrize(
    ("queues", "arguments", "told"),
    [
        ("ORDERS", {}, "queues must be a list of names.* not 'ORDERS'"),
        ({"name": "ORDERS"}, {}, "queues must be a list of names"),
        (7, {}, "queues must be a list of names.* not 7"),
        ([7], {}, "queues must be a list of names.* 7 is none of these"),
        ([{"MaxQDepth": 1}], {}, "must have its name"),
        ([{"name": "Q", "MaxDepth": 1}], {}, "a queue has no attribute 'MaxDepth'; do you mean MaxQDepth"),
        (["OR DERS"], {}, "name of OR DERS: 'OR DERS' is no name that IBM MQ allows"),
        (["A" * 49], {}, "must not be longer than 48 characters"),
        ([{"name": "AL", "type": "alias", "BaseQName": "Q-1"}], {}, "'Q-1' is no name that IBM MQ allows"),
        ([], {"name": "Q M"}, "'Q M' is no name that IBM MQ allows"),
        ([], {"platform": "z/OS"}, "platform must be one of distributed, zos, ibmi, not 'z/OS'"),
        ([], {"clock": "x"}, "clock must be one of virtual, real, manual, not 'x'"),
        ([], {"began": "now"}, "began must be a datetime.* not 'now'"),
        ([], {"credentials": ["ada"]}, "credentials must be passwords by user"),
        ([], {"Colour": 1}, "a queue manager has no attribute 'Colour'; there are .*MaxUncommittedMsgs"),
        ([], {"MaxPriority": "high"}, "attribute MaxPriority of QM1"),
    ],
)
def test_a_wrong_argument_is_refused_where_it_is_given(queues: Any, arguments: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInputError, match=told), queue_manager(queues, **arguments):
        pass
    assert Program.connected().last.reason == 2059


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"priority": "a"}, "priority must be a whole number of 32 bits, not 'a'"),
        ({"expiry": 2.5}, "expiry must be a whole number of 32 bits"),
        ({"expiry": 2**31}, "expiry must be a whole number of 32 bits"),
        ({"msg_id": b"x"}, "msg_id must be 24 bytes, not b'x'"),
        ({"reply_to_q": b"Q"}, "reply_to_q must be text"),
        ({"data": 42}, "data must be bytes or text, not 42"),
        ({"queue": None}, "queue must be a name, not None"),
    ],
)
def test_a_message_that_cannot_be_is_refused(qm: QueueManager, arguments: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInputError, match=told):
        qm.put(**{"queue": "Q", **arguments})
    assert qm.depth("Q") == 0


def test_an_attribute_that_there_is_not_is_refused(qm: QueueManager) -> None:
    with pytest.raises(BadInputError, match="a queue has no attribute 'MaxDepth'"):
        qm.define("R", MaxDepth=1)
    with pytest.raises(BadInputError, match="a queue has no attribute 'MaxDepth'"):
        qm.alter("Q", MaxDepth=1)
    with pytest.raises(BadInputError, match="a queue manager has no attribute 'MaxQDepth'"):
        qm.alter(None, MaxQDepth=1)


def test_two_queue_managers_need_two_names(qm: QueueManager) -> None:
    with pytest.raises(UsageError, match="QM1 runs already"), queue_manager():
        pass
    with queue_manager(["Q"], name="QM2") as other:
        other.put("Q", b"there")
        assert qm.messages("Q") == []
    assert Program.connected("QM2").last.reason == 2058


def test_broken_connections_are_backed_out_and_can_be_made_again(qm: QueueManager, program: Program) -> None:
    hobj = program.open("Q", MQOO.INPUT_SHARED | MQOO.OUTPUT)
    qm.put("Q", b"got")
    program.get(hobj, {"Options": MQGMO.SYNCPOINT})
    program.put(hobj, b"put", {"Options": MQPMO.SYNCPOINT})
    ended: list[int] = []

    def wait() -> None:
        other = Program.connected()
        other.get(other.open("Q", MQOO.INPUT_SHARED), {"Options": MQGMO.WAIT, "WaitInterval": -1})
        ended.append(other.last.reason)

    thread = threading.Thread(target=wait)
    thread.start()
    qm.until_waiting()
    assert qm.break_connections() == 2
    thread.join()
    assert ended == [MQRC.CONNECTION_BROKEN]
    program.put(hobj, b"")
    assert program.last.reason == MQRC.CONNECTION_BROKEN
    assert [(each.data, each.backout_count) for each in qm.messages("Q")] == [(b"got", 1)]
    assert Program.connected().last.reason == MQRC.NONE
    assert qm.break_connections() == 1


def test_what_cannot_be_done_is_said(qm: QueueManager) -> None:
    with pytest.raises(UsageError, match="NOWHERE"):
        qm.put("NOWHERE", b"")
    with pytest.raises(UsageError, match="NOWHERE could not be opened"):
        qm.depth("NOWHERE")
    with pytest.raises(UsageError, match="no member 'priorty'"):
        qm.put("Q", priorty=1)


def test_an_error_in_the_block_ends_the_queue_manager() -> None:
    with pytest.raises(KeyError), queue_manager():
        raise KeyError
    assert Program.connected().last.reason == 2059


def test_importing_it_loads_neither_hypothesis_nor_spark() -> None:
    heavy = "{'hypothesis', 'pyspark', 'pytest', 'conformance'}"
    assert run(f"import sys, oracle.testing; print({heavy} & set(sys.modules))") == "set()"


def test_the_fixture_and_its_marker(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import pytest\n"
        "@pytest.mark.mq_queue_manager('A', {'name': 'B', 'MaxQDepth': 1}, platform='zos', name='Z')\n"
        "def test_with_marker(mq_queue_manager):\n"
        "    assert (mq_queue_manager.name, mq_queue_manager.depth('A')) == ('Z', 0)\n"
        "    mq_queue_manager.put('B')\n"
        "def test_without(mq_queue_manager):\n"
        "    assert mq_queue_manager.name == 'QM1'\n"
        "    with pytest.raises(Exception, match='A could not be opened'):\n"
        "        mq_queue_manager.depth('A')\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "--strict-markers", "-p", "oracle.testing.plugin", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert "2 passed" in done.stdout, done.stdout


def test_the_extension_is_offered_where_there_is_none() -> None:
    code = (
        "import importlib.metadata, oracle.testing\n"
        "importlib.metadata.version = lambda name: '9.9'\n"
        "import ibmmqc\n"
        "print(ibmmqc.__version__, ibmmqc.MQCONN(b'QM1'))\n"
        "with oracle.testing.queue_manager(): print(ibmmqc.MQCONN(b'QM1')[1:])\n"
        "print(ibmmqc.MQCONN(b'QM1')[1:])"
    )
    assert run(code).splitlines() == ["9.9 (-1, 2, 2059)", "(0, 0)", "(2, 2059)"]


def test_without_it_nothing_is_offered() -> None:
    assert run("import importlib.util as u, oracle; print(u.find_spec('ibmmqc'))") == "None"


def test_an_extension_that_is_there_gets_its_functions_back() -> None:
    code = (
        "import sys, types\n"
        "theirs, package = types.ModuleType('ibmmq.ibmmqc'), types.ModuleType('ibmmq')\n"
        "theirs.MQCONN, package.ibmmqc = 'as it was', theirs\n"
        "sys.modules['ibmmq'] = package\n"
        "import oracle.testing\n"
        "with oracle.testing.queue_manager(): print(theirs.MQCONN(b'QM1')[1:])\n"
        "print(theirs.MQCONN, sorted(name for name in vars(theirs) if name.startswith('MQ')))"
    )
    assert run(code).splitlines() == ["(0, 0)", "as it was ['MQCONN']"]
