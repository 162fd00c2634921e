"""IBM's Python client on the oracle: the difficulties of its users."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oracle.testing import QueueManager, StandInWarning, queue_manager

mq: Any = pytest.importorskip("ibmmq", reason="IBM's Python client is not installed")

ROOT = Path(__file__).parents[2]


@pytest.fixture
def manager() -> Iterator[Any]:
    with queue_manager(["Q"], credentials={"app": "secret"}):
        yield mq.connect("QM1", "APP.SVRCONN", "localhost(1414)", "app", "secret")


def test_codes_come_as_exceptions(manager: Any) -> None:
    with pytest.raises(mq.MQMIError) as failed:
        mq.Queue(manager, "Q").get()
    assert failed.value.reason == mq.CMQC.MQRC_NO_MSG_AVAILABLE
    with pytest.raises(mq.MQMIError) as failed:
        mq.connect("QM1", "APP.SVRCONN", "localhost(1414)", "app", "wrong")
    assert failed.value.reason == mq.CMQC.MQRC_NOT_AUTHORIZED


def test_an_identifier_that_is_not_reset_matches_only_itself(manager: Any) -> None:
    queue = mq.Queue(manager, "Q", mq.CMQC.MQOO_INPUT_SHARED | mq.CMQC.MQOO_OUTPUT)
    queue.put(b"1")
    queue.put(b"2")
    md = mq.MD()
    assert queue.get(None, md) == b"1"
    with pytest.raises(mq.MQMIError) as failed:
        queue.get(None, md)
    assert failed.value.reason == mq.CMQC.MQRC_NO_MSG_AVAILABLE
    md.MsgId = md.CorrelId = b""
    assert queue.get(None, md) == b"2"


def test_units_of_work(manager: Any) -> None:
    queue = mq.Queue(manager, "Q", mq.CMQC.MQOO_INPUT_SHARED | mq.CMQC.MQOO_OUTPUT)
    queue.put(b"x", mq.MD(), mq.PMO(Options=mq.CMQC.MQPMO_SYNCPOINT))
    manager.backout()
    queue.put(b"y", mq.MD(), mq.PMO(Options=mq.CMQC.MQPMO_SYNCPOINT))
    manager.commit()
    assert queue.get() == b"y"


def test_setting_and_inquiring(manager: Any) -> None:
    queue = mq.Queue(manager, "Q", mq.CMQC.MQOO_INQUIRE | mq.CMQC.MQOO_SET)
    queue.set(mq.CMQC.MQIA_INHIBIT_GET, mq.CMQC.MQQA_GET_INHIBITED)
    assert queue.inquire(mq.CMQC.MQIA_INHIBIT_GET) == mq.CMQC.MQQA_GET_INHIBITED
    queue.set({mq.CMQC.MQCA_TRIGGER_DATA: "data"})
    assert queue.inquire(mq.CMQC.MQCA_TRIGGER_DATA).strip() == b"data"


@pytest.mark.parametrize(
    ("kind", "value", "length"),
    [
        ("STRING", "blue", 4),
        ("BOOLEAN", True, 4),
        ("INT64", -9, 8),
        ("FLOAT64", 2.5, 8),
        ("BYTE_STRING", b"\1", 1),
    ],
)
def test_properties(manager: Any, kind: str, value: object, length: int) -> None:
    handle = mq.MessageHandle(manager)
    handle.properties.set("colour", value, getattr(mq.CMQC, f"MQTYPE_{kind}"), length)
    pmo = mq.PMO(OriginalMsgHandle=handle.msg_handle)
    queue = mq.Queue(manager, "Q", mq.CMQC.MQOO_INPUT_SHARED | mq.CMQC.MQOO_OUTPUT)
    queue.put(b"data", mq.MD(), pmo)
    there = mq.MessageHandle(manager)
    gmo = mq.GMO(Options=mq.CMQC.MQGMO_PROPERTIES_IN_HANDLE, MsgHandle=there.msg_handle)
    assert queue.get(None, mq.MD(), gmo) == b"data"
    assert there.properties.get("colour") == value
    assert there.properties.get("%")[0] == value
    there.properties.dlt("colour")
    with pytest.raises(mq.MQMIError):
        there.properties.get("colour")
    there.dlt()


CALLS = (
    "from oracle.testing import queue_manager\n"
    "with queue_manager(['Q'], library={library}) as qm:\n"
    "    import ibmmq as mq\n"
    "    C, seen = mq.CMQC, []\n"
    "    def called(queue_manager, queue, md, gmo, msg, cbc):\n"
    "        areas = cbc.CallbackArea, cbc.ConnectionArea\n"
    "        seen.append((cbc.CallType, cbc.Reason, queue and queue.get_name(), msg, *areas))\n"
    "        if msg: queue_manager.commit()\n"
    "    manager = mq.connect('QM1', 'CHANNEL', 'localhost(1414)')\n"
    "    queue = mq.Queue(manager, 'Q', C.MQOO_INPUT_SHARED)\n"
    "    cbd = mq.CBD(CallbackFunction=called, CallbackArea=b'area', Options=C.MQCBDO_START_CALL)\n"
    "    queue.cb(cbd=cbd, gmo=mq.GMO(Options=C.MQGMO_SYNCPOINT | C.MQGMO_WAIT, WaitInterval=3000))\n"
    "    manager.cb(cbd=mq.CBD(CallbackFunction=called, CallbackType=C.MQCBT_EVENT_HANDLER))\n"
    "    manager.ctl(C.MQOP_START, mq.CTLO(ConnectionArea=b'conn'))\n"
    "    qm.put('Q', b'x')\n"
    "    qm.until_waiting()\n"
    "    qm.advance(seconds=3)\n"
    "    qm.until_waiting()\n"
    "    qm.quiesce()\n"
    "    qm.until_waiting()\n"
    "    manager.ctl(C.MQOP_STOP, mq.CTLO(ConnectionArea=b'conn'))\n"
    "    queue.cb(operation=C.MQOP_DEREGISTER)\n"
    "    manager.disconnect()\n"
    "    print(*seen, qm.depth('Q'), sep='\\n')\n"
)


@pytest.mark.parametrize("library", [False, True])
def test_the_clients_callbacks(tmp_path: Path, library: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CALLS.format(library=library)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
    )
    assert done.stdout.splitlines() == [
        "(1, 0, 'Q', None, b'area', b'conn')",
        "(6, 0, 'Q', b'x', b'area', b'conn')",
        "(5, 2033, 'Q', None, b'area', b'conn')",
        "(5, 2161, None, None, 0, b'conn')",
        "0",
    ], done.stderr


def test_publish_subscribe_is_refused_with_its_reason(manager: Any) -> None:
    with pytest.warns(StandInWarning, match="MQSUB is not modelled"), pytest.raises(mq.MQMIError) as failed:
        mq.Subscription(manager).sub(topic_string="a/b")
    assert failed.value.reason == mq.CMQC.MQRC_FUNCTION_NOT_SUPPORTED


def test_commands(manager: Any) -> None:
    pcf = mq.PCFExecute(manager)
    pcf.MQCMD_CREATE_Q({mq.CMQC.MQCA_Q_NAME: "NEW", mq.CMQC.MQIA_Q_TYPE: mq.CMQC.MQQT_LOCAL})
    (found,) = pcf.MQCMD_INQUIRE_Q({mq.CMQC.MQCA_Q_NAME: "NEW"})
    assert found[mq.CMQC.MQIA_CURRENT_Q_DEPTH] == 0
    pcf.MQCMD_PING_Q_MGR()
    with pytest.raises(mq.MQMIError) as failed:
        pcf.MQCMD_INQUIRE_Q({mq.CMQC.MQCA_Q_NAME: "NOT.THERE"})
    assert failed.value.reason == mq.CMQC.MQRC_UNKNOWN_OBJECT_NAME


def test_the_status_of_queues_in_the_manner_of_ibms_example(manager: Any) -> None:
    pcf = mq.PCFExecute(manager)
    asked = [
        mq.CFST(Parameter=mq.CMQC.MQCA_Q_NAME, String="Q*"),
        mq.CFIL(Parameter=mq.CMQCFC.MQIACF_Q_STATUS_ATTRS, Values=[mq.CMQCFC.MQIACF_ALL]),
    ]
    mq.Queue(manager, "Q").put(b"x")
    (found,) = pcf.MQCMD_INQUIRE_Q_STATUS(asked)
    assert found[mq.CMQC.MQIA_CURRENT_Q_DEPTH] == 1
    assert mq.to_string(found[mq.CMQCFC.MQCACF_LAST_PUT_DATE]) == ""


def test_a_command_that_is_not_there_is_refused_by_name(manager: Any) -> None:
    pcf = mq.PCFExecute(manager)
    with pytest.warns(StandInWarning, match="MQCMD_INQUIRE_CHANNEL"), pytest.raises(mq.MQMIError) as failed:
        pcf.MQCMD_INQUIRE_CHANNEL({mq.CMQCFC.MQCACH_CHANNEL_NAME: "SYSTEM.*"})
    assert failed.value.reason == mq.CMQC.MQRC_FUNCTION_NOT_SUPPORTED


def test_after_the_block_the_client_finds_nothing() -> None:
    with queue_manager(["Q"]):
        before = mq.connect("QM1", "CHANNEL", "localhost(1414)")
    with pytest.raises(mq.MQMIError) as failed:
        mq.connect("QM1", "CHANNEL", "localhost(1414)")
    assert failed.value.reason == mq.CMQC.MQRC_Q_MGR_NOT_AVAILABLE
    with pytest.raises(mq.MQMIError):
        before.commit()


def test_the_clients_own_extension_comes_through_the_library(tmp_path: Path) -> None:
    """It runs where the package is found as it is installed, and compiles the source that is in it."""
    code = (
        "from oracle.testing import queue_manager\n"
        "with queue_manager(['Q'], library=True) as qm:\n"
        "    import ibmmq as mq\n"
        "    queue = mq.Queue(mq.connect('QM1', 'CHANNEL', 'localhost(1414)'), 'Q')\n"
        "    queue.put(b'through C')\n"
        "    print(mq.ibmmqc.__file__.endswith('.so'), qm.messages('Q')[0].data)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
    )
    assert done.stdout.split(maxsplit=1) == ["True", "b'through C'\n"], done.stderr


@pytest.mark.parametrize("library", [True, False])
def test_what_is_left_open_does_no_harm_at_the_end_of_the_process(library: bool) -> None:
    code = (
        "from oracle.testing import queue_manager\n"
        f"block = queue_manager(['Q'], library={library}); block.__enter__()\n"
        "import ibmmq as mq\n"
        "queue = mq.Queue(mq.connect('QM1', 'CHANNEL', 'localhost(1414)'), 'Q')\n"
        "queue.put(b'x')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")


def test_qm_is_the_default_queue_manager() -> None:
    with queue_manager(["Q"]) as qm:
        assert isinstance(qm, QueueManager)
        mq.Queue(mq.QueueManager(""), "Q").put(b"x")
        assert qm.depth("Q") == 1
