"""Properties of messages by message handles, and as the MQRFH2 that they are on the queue."""

from __future__ import annotations

import struct
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle.mqi.constants import MQCC, MQGMO, MQOO, MQRC
from oracle.mqi.layouts import MQGMO as GMO
from oracle.mqi.layouts import MQMD
from oracle.standin import message_handles as handles
from oracle.standin.answers import Failed
from oracle.testing import QueueManager, queue_manager
from tests.standin.conftest import Program, unpack

BOTH = MQOO.INPUT_SHARED | MQOO.OUTPUT


def sent(program: Program, properties: dict[str, handles.Property], data: bytes = b"body") -> int:
    """Put a message with properties; return the handle of the queue."""
    handle = handles.create(program.hconn)
    for name, each in properties.items():
        handles.find(program.hconn, handle).set(name, each.kind, each.value)
    hobj = program.open("Q", BOTH)
    program.put(hobj, data, {"OriginalMsgHandle": handle}, Format="MQSTR", CodedCharSetId=1208)
    return hobj


def received(program: Program, hobj: int, options: int = 0, length: int = 1000) -> handles.MessageHandle:
    handle = handles.create(program.hconn)
    gmo = {"Options": MQGMO.PROPERTIES_IN_HANDLE | options, "MsgHandle": handle, "WaitInterval": 5000}
    program.get(hobj, gmo, length)
    return handles.find(program.hconn, handle)


_VALUES = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=["Cc", "Cs"])).map(
        lambda text: handles.Property(handles.STRING, text.encode())
    ),
    st.binary().map(lambda value: handles.Property(handles.BYTE_STRING, value)),
    st.booleans().map(lambda value: handles.Property(handles.BOOLEAN, struct.pack("=i", value))),
    st.integers(-(2**63), 2**63 - 1).map(lambda value: handles.Property(handles.INT64, struct.pack("=q", value))),
    st.integers(-128, 127).map(lambda value: handles.Property(handles.INT8, struct.pack("=b", value))),
    st.floats(allow_nan=False).map(lambda value: handles.Property(handles.FLOAT64, struct.pack("=d", value))),
    st.just(handles.Property(handles.NULL, b"")),
)
_NAMES = st.from_regex(r"[a-z][a-z0-9]{0,8}(\.[a-z][a-z0-9]{0,8})?", fullmatch=True).filter(
    lambda name: not name.startswith(("usr.", "mq", "jms"))
)


@settings(max_examples=40)
@given(st.dictionaries(_NAMES, _VALUES, min_size=1, max_size=4))
def test_properties_arrive_as_they_were_set(properties: dict[str, handles.Property]) -> None:
    with queue_manager(["Q"]):
        program = Program.connected()
        hobj = sent(program, properties)
        assert received(program, hobj).properties == properties
        assert program.last.data == b"body"
        assert unpack(MQMD, program.last.md)["Format"] == "MQSTR"


def test_on_the_queue_properties_are_a_header(program: Program, qm: QueueManager) -> None:
    hobj = sent(program, {"colour": handles.Property(handles.STRING, b"blue")})
    assert unpack(MQMD, program.last.md)["Format"] == "MQSTR"
    (message,) = qm.messages("Q")
    assert message.descriptor.format == "MQHRF2"
    assert b'<usr><colour dt="string">blue</colour></usr>' in message.data
    assert program.get(hobj, {"Options": MQGMO.PROPERTIES_FORCE_MQRFH2}) == message.data


def test_without_a_handle_other_options_hold(program: Program) -> None:
    hobj = sent(program, {"colour": handles.Property(handles.STRING, b"blue")})
    assert program.get(hobj, {"Options": MQGMO.NO_PROPERTIES}) == b"body"


def test_a_message_too_long_for_its_buffer_stays(program: Program) -> None:
    hobj = sent(program, {"a": handles.Property(handles.STRING, b"x")}, b"0123456789")
    received(program, hobj, length=4)
    assert program.codes == (MQCC.WARNING, MQRC.TRUNCATED_MSG_FAILED)
    assert (program.last.data, program.last.data_length) == (b"0123", 10)
    assert received(program, hobj).properties["a"].value == b"x"
    assert program.last.data == b"0123456789"


def test_waiting_for_a_message_with_properties(qm: QueueManager) -> None:
    def waits() -> tuple[bytes, bytes]:
        program = Program.connected()
        handle = received(program, program.open("Q", MQOO.INPUT_SHARED), MQGMO.WAIT)
        return handle.properties["a"].value, program.last.data

    with ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(waits) for _ in range(2)]
        qm.until_waiting(2)
        program = Program.connected()
        for _ in waiting:
            sent(program, {"a": handles.Property(handles.STRING, b"x")})
        assert [each.result(20) for each in waiting] == [(b"x", b"body")] * 2


def test_a_thread_for_which_a_message_has_come_does_not_count_as_waiting(qm: QueueManager) -> None:
    def waits() -> None:
        program = Program.connected()
        received(program, program.open("Q", MQOO.INPUT_SHARED), MQGMO.WAIT)

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(waits)
        qm.until_waiting()
        with qm.running.changed:
            sent(Program.connected(), {})
            assert qm.running.waiting() == 0
        waiting.result(20)


def test_a_wait_without_a_message_ends(qm: QueueManager, program: Program) -> None:
    received(program, program.open("Q", MQOO.INPUT_SHARED), MQGMO.WAIT)
    assert program.codes == (MQCC.FAILED, MQRC.NO_MSG_AVAILABLE)
    assert qm.seconds == 5


def test_a_handle_that_is_none_is_refused(program: Program) -> None:
    hobj = program.open("Q", BOTH)
    program.get(hobj, {"Options": MQGMO.PROPERTIES_IN_HANDLE, "MsgHandle": 999999})
    assert program.codes == (MQCC.FAILED, MQRC.HMSG_ERROR)
    program.put(hobj, b"", {"OriginalMsgHandle": 999999})
    assert program.codes == (MQCC.FAILED, MQRC.HMSG_ERROR)
    with pytest.raises(Failed, match="HMSG"):
        handles.delete(program.hconn, 999999)


def test_inquiring_and_deleting_by_name(program: Program) -> None:
    handle = handles.find(program.hconn, handles.create(program.hconn))
    for name in ("one", "two", "group.three"):
        handle.set(name, handles.STRING, name.encode())
    assert handle.find("usr.one")[1].value == b"one"
    assert [handle.find("%")[0], handle.find("%", after=True)[0], handle.find("%", after=True)[0]] == [
        "one", "two", "group.three",
    ]  # fmt: skip
    with pytest.raises(Failed) as ended:
        handle.find("%", after=True)
    assert ended.value.reason == MQRC.PROPERTY_NOT_AVAILABLE
    assert handle.find("group.%")[0] == "group.three"
    handle.delete("two")
    with pytest.raises(Failed) as ended:
        handle.delete("two")
    assert ended.value.reason == MQRC.PROPERTY_NOT_AVAILABLE


@pytest.mark.parametrize(
    ("name", "kind", "value", "reason"),
    [
        ("1st", handles.STRING, b"", MQRC.PROPERTY_NAME_ERROR),
        ("a b", handles.STRING, b"", MQRC.PROPERTY_NAME_ERROR),
        ("a", 3, b"", MQRC.PROPERTY_TYPE_ERROR),
        ("a", handles.INT32, b"x", MQRC.PROPERTY_TYPE_ERROR),
    ],
)
def test_names_and_types_that_are_none(program: Program, name: str, kind: int, value: bytes, reason: int) -> None:
    handle = handles.find(program.hconn, handles.create(program.hconn))
    with pytest.raises(Failed) as ended:
        handle.set(name, kind, value)
    assert ended.value.reason == reason


def test_the_options_of_a_get_into_a_handle_are_returned(program: Program) -> None:
    hobj = sent(program, {"a": handles.Property(handles.STRING, b"x")})
    received(program, hobj)
    assert unpack(GMO, program.last.gmo)["Options"] == MQGMO.PROPERTIES_IN_HANDLE
