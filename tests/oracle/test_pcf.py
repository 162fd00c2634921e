"""Command messages: they survive a round trip, and invalid data are refused."""

from __future__ import annotations

import struct
from contextlib import suppress
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.errors import BadInputError
from oracle.mqi.binary import ASCII, EBCDIC, ByteOrder
from oracle.mqi.pcf import Command, CommandMessage, Kind, Parameter

NAMES = st.text("ABCXYZ0189._%/", max_size=48)
LONGS = st.integers(-(2**31), 2**31 - 1)
VALUES: st.SearchStrategy[Parameter] = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    NAMES,
    st.binary(max_size=40),
    st.lists(LONGS, min_size=1).map(tuple),
    st.lists(NAMES.filter(bool), min_size=1).map(tuple),
)
ORDERS = st.sampled_from(get_args(ByteOrder))
MESSAGES = st.builds(
    CommandMessage,
    st.sampled_from(Command),
    st.dictionaries(st.integers(1, 9000), VALUES, max_size=6),
    st.sampled_from(Kind),
    st.integers(0, 2),
    LONGS,
    st.integers(1, 99),
    st.booleans(),
    st.sampled_from([1, 3]),
)


@given(MESSAGES, ORDERS, st.sampled_from([ASCII, EBCDIC]))
def test_what_was_written_is_read(message: CommandMessage, order: ByteOrder, charset: str) -> None:
    assert CommandMessage.decode(message.encode(order, charset), order, charset) == message


def test_a_command_has_the_form_of_the_c_header() -> None:
    data = CommandMessage(Command.DELETE_Q, {2016: "ABCDE", 1007: 1}).encode("big")
    assert data == struct.pack(">9i", 1, 36, 1, 12, 1, 1, 0, 0, 2) + struct.pack(
        ">5i8s4i", 4, 28, 2016, 0, 5, b"ABCDE", 3, 16, 1007, 1
    )


def test_filters_and_groups_are_skipped() -> None:
    group = struct.pack("<4i", 20, 16, 8001, 1)
    data = struct.pack("<9i", 2, 36, 3, 13, 1, 1, 0, 0, 2) + group + struct.pack("<4i", 3, 16, 20, 1)
    assert CommandMessage.decode(data, "little").parameters == {20: 1}


@given(MESSAGES, ORDERS, st.data())
def test_a_message_cut_short_is_refused(message: CommandMessage, order: ByteOrder, data: st.DataObject) -> None:
    encoded = message.encode(order)
    length = data.draw(st.integers(0, len(encoded) - 1))
    with pytest.raises(BadInputError, match=r"ends after|cut short|lacks a parameter|message has \d+ bytes"):
        CommandMessage.decode(encoded[:length], order)


@given(st.binary(max_size=200), ORDERS)
def test_no_bytes_end_in_another_error(data: bytes, order: ByteOrder) -> None:
    with suppress(BadInputError):
        CommandMessage.decode(struct.pack("<9i", 1, 36, 1, 1, 1, 1, 0, 0, 3) + data, order)
