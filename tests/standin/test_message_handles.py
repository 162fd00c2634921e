"""Properties of messages by message handles, and as the MQRFH2 on the queue."""

from __future__ import annotations

import struct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle.mqi.connection_layouts import MQDMPO, MQIMPO, MQPD, MQSMPO
from oracle.mqi.constants import MQCC, MQGMO, MQOO, MQRC
from oracle.mqi.layouts import MQGMO as GMO
from oracle.mqi.layouts import MQMD
from oracle.standin import extension, options
from oracle.standin import message_handles as handles
from oracle.standin.answers import Failed
from oracle.testing import QueueManager, queue_manager
from tests.standin.conftest import Program, pack, unpack

BOTH = MQOO.INPUT_SHARED | MQOO.OUTPUT
NEXT, QUERY_LENGTH, UNDER_CURSOR = (
    options.INQUIRE_PROPERTY[name].value for name in ("INQ_NEXT", "QUERY_LENGTH", "INQ_PROP_UNDER_CURSOR")
)


def sent(program: Program, properties: dict[str, handles.Property], data: bytes = b"body") -> int:
    """Put a message with properties; return the handle of the queue."""
    handle = handles.create(program.hconn)
    for name, each in properties.items():
        handles.find(program.hconn, handle).set(name, each.kind, each.value)
    hobj = program.open("Q", BOTH)
    program.put(hobj, data, {"OriginalMsgHandle": handle}, Format="MQSTR", CodedCharSetId=1208)
    return hobj


def received(program: Program, hobj: int, asked: int = 0, length: int = 1000) -> handles.MessageHandle:
    handle = handles.create(program.hconn)
    gmo = {"Options": MQGMO.PROPERTIES_IN_HANDLE | asked, "MsgHandle": handle, "WaitInterval": 5000}
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
    assert b'<usr><colour dt="string">blue</colour></usr>' in message.header
    assert program.get(hobj, {"Options": MQGMO.PROPERTIES_FORCE_MQRFH2}) == message.header + b"body"
    assert unpack(MQMD, program.last.md)["Format"] == "MQHRF2"


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


def test_a_wait_whose_connection_breaks_ends(qm: QueueManager) -> None:
    def waits() -> int:
        program = Program.connected()
        received(program, program.open("Q", MQOO.INPUT_SHARED), MQGMO.WAIT)
        return program.last.reason

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(waits)
        qm.until_waiting()
        qm.break_connections()
        assert waiting.result(20) == MQRC.CONNECTION_BROKEN


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
        "one",
        "two",
        "group.three",
    ]
    with pytest.raises(Failed) as ended:
        handle.find("%", after=True)
    assert ended.value.reason == MQRC.PROPERTY_NOT_AVAILABLE
    assert handle.find("group.%")[0] == "group.three"
    handle.delete("two")
    with pytest.raises(Failed) as ended:
        handle.delete("two")
    assert ended.value.reason == MQRC.PROPERTY_NOT_AVAILABLE


def reason_of(call: Callable[[], object]) -> int:
    with pytest.raises(Failed) as ended:
        call()
    return ended.value.reason


def test_a_value_too_big_is_inquired_again_under_the_cursor(program: Program) -> None:
    """As in IBM's sample programs: the length is returned, the buffer is made bigger, the cursor stays."""
    hmsg = handles.create(program.hconn)
    for name, value in (("first", b"1"), ("second", b"long value"), ("third", b"3")):
        handles.find(program.hconn, hmsg).set(name, handles.STRING, value)

    def inquire(options: int, length: int = 4) -> tuple[Any, int, str | None, int, int]:
        return extension.MQINQMP(program.hconn, hmsg, pack(MQIMPO, Options=options), b"%", pack(MQPD), 0, length)

    assert inquire(0) == ("1", 1, "first", MQCC.OK, MQRC.NONE)
    assert inquire(NEXT)[1:] == (10, "second", MQCC.FAILED, MQRC.PROPERTY_VALUE_TOO_BIG)
    assert inquire(UNDER_CURSOR, 10) == ("long value", 10, "second", MQCC.OK, MQRC.NONE)
    assert inquire(QUERY_LENGTH | NEXT) == (None, 1, None, MQCC.OK, MQRC.NONE)
    assert inquire(UNDER_CURSOR)[0] == "3"
    assert inquire(NEXT)[4] == MQRC.PROPERTY_NOT_AVAILABLE
    assert inquire(UNDER_CURSOR)[4] == MQRC.PROPERTY_NOT_AVAILABLE


def test_what_is_under_the_cursor_is_set_and_deleted(program: Program) -> None:
    hmsg = handles.create(program.hconn)
    handle = handles.find(program.hconn, hmsg)
    for name in ("one", "two", "three"):
        handle.set(name, handles.STRING, name.encode())
    handle.find("two")
    ours = (program.hconn, hmsg)
    assert extension.MQSETMP(*ours, pack(MQSMPO, Options=1), b"ignored", pack(MQPD), 1024, "2", -1) == (0, 0)
    assert handle.properties["two"].value == b"2"
    assert extension.MQDLTMP(*ours, pack(MQDMPO, Options=1), b"ignored") == (0, 0)
    assert list(handle.properties) == ["one", "three"]
    assert extension.MQDLTMP(*ours, pack(MQDMPO, Options=1), b"ignored") == (2, MQRC.PROPERTY_NOT_AVAILABLE)
    assert handle.find("%", after=True)[0] == "three"  # the next one is that after the deleted one


def test_the_cursor_is_gone_when_the_handle_has_been_used_for_a_message(program: Program) -> None:
    hobj = sent(program, {"a": handles.Property(handles.STRING, b"x")})
    hmsg = handles.create(program.hconn)
    handle = handles.find(program.hconn, hmsg)
    handle.set("a", handles.STRING, b"y")
    handle.find("a")
    program.put(hobj, b"", {"OriginalMsgHandle": hmsg})
    assert reason_of(handle.under_cursor) == MQRC.PROPERTY_NOT_AVAILABLE
    handle.find("a")
    program.get(hobj, {"Options": MQGMO.PROPERTIES_IN_HANDLE, "MsgHandle": hmsg})
    assert program.last.reason == MQRC.NONE
    assert reason_of(handle.under_cursor) == MQRC.PROPERTY_NOT_AVAILABLE


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
