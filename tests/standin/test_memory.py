"""Structures in memory: read member by member, and written only as far as a call has changed them."""

from __future__ import annotations

import ctypes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.errors import BadInputError
from oracle.mqi.binary import Layout
from oracle.mqi.layouts import MQGMO, MQMD, MQOD, MQPMO
from oracle.mqi.structures import GetMessageOptions, MessageDescriptor
from oracle.standin.memory import bytes_at, member, places, structure, text, variable_string, version_of, written
from tests.standin.conftest import pack, unpack

LAYOUTS = st.sampled_from([(layout, version) for layout in (MQMD, MQGMO, MQPMO, MQOD) for version in layout.versions])


@given(LAYOUTS, st.data())
def test_writing_a_member_changes_that_member_only(kind: tuple[Layout, int], data: st.DataObject) -> None:
    layout, version = kind
    name = data.draw(st.sampled_from(sorted(places(layout, version))))
    field = places(layout, version)[name][0]
    value: object = data.draw(st.integers(0, 2**31 - 1))
    if field.kind == "char":
        value = data.draw(st.text("ABC", min_size=1, max_size=field.size))
    elif field.kind == "byte":
        value = data.draw(st.binary(min_size=field.size, max_size=field.size))
    before = pack(layout, Version=version) + b"behind"
    after = written(layout, before, {name: value, "NoSuchMember": 1})
    seen = unpack(layout, after)
    assert {**unpack(layout, before), name: value.hex() if isinstance(value, bytes) else value} == seen
    assert after.endswith(b"behind")
    if field.kind == "char":
        assert field.size == 1 or text(layout, after, name) == value
    elif field.kind != "byte":
        assert member(layout, after, name) == value


def test_structures_are_read_as_the_model_has_them() -> None:
    found = structure(MQGMO, pack(MQGMO, Version=3, GroupStatus="L", MsgToken="0f" * 16), GetMessageOptions)
    assert (found["version"], found["group_status"], found["segment_status"]) == (3, "L", " ")
    assert found["msg_token"] == b"\x0f" * 16
    data = pack(MQMD, Version=1, Format="MQSTR", ReplyToQ="BACK").replace(b"BACK  ", b"BACK\0x")
    descriptor = MessageDescriptor(**structure(MQMD, data, MessageDescriptor))  # type: ignore[arg-type]  # by layout
    assert descriptor == MessageDescriptor(version=1, format="MQSTR", reply_to_q="BACK")


@pytest.mark.parametrize("data", [b"", b"MD", b"OD  " + bytes(400), pack(MQMD, Version=2)[:-1], b"MD  " + bytes(400)])
def test_what_is_no_structure(data: bytes) -> None:
    with pytest.raises(BadInputError):
        version_of(MQMD, data)


def test_members_that_a_version_lacks() -> None:
    assert member(MQGMO, pack(MQGMO, Version=1), "MsgHandle", 5) == 5
    assert text(MQOD, pack(MQOD, Version=1), "ResolvedQName") == ""


def test_strings_by_pointer_by_offset_and_by_their_end() -> None:
    buffer = ctypes.create_string_buffer(b"0123456789")
    address = ctypes.addressof(buffer)
    assert variable_string(address, 0, 4) == b"0123"
    assert variable_string(0, 3, 2, address) == b"34"
    assert variable_string(address, 0, -1) == b"0123456789"
    assert variable_string(0, 0, 5) == b""
    assert bytes_at(0, 5) == bytes_at(address, 0) == b""
