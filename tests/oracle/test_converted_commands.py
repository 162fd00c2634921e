"""MQGMO_CONVERT of messages in programmable command format."""

from __future__ import annotations

import struct

import pytest

from oracle.errors import NotModelledError
from oracle.model.conversion.commands import convert_commands
from oracle.mqi.binary import ByteOrder
from oracle.mqi.constants import MQENC
from oracle.mqi.pcf import CommandMessage

LITTLE, BIG = MQENC.REVERSED, MQENC.NORMAL
EBCDIC, UTF8 = 500, 1208

RESPONSE = CommandMessage(
    13,
    {
        2016: "ORDERS".ljust(48),
        15: 5000,
        1026: (3, 17, 18),
        3011: ("ONE ", "OTHER"),
        7006: bytes(range(24)),
        1227: 2**40,
    },
    kind=2,
)


def of_type(kind: int, *numbers: int, rest: bytes = b"", order: str = "<") -> bytes:
    """Return a structure of PCF: its type, its length, other integers, and what follows."""
    length = 8 + 4 * len(numbers) + len(rest)
    return struct.pack(f"{order}{2 + len(numbers)}i", kind, length, *numbers) + rest


def header(order: str = "<") -> bytes:
    return struct.pack(f"{order}9i", 2, 36, 1, 13, 1, 1, 0, 0, 1)


def test_integers_and_strings_are_written_anew() -> None:
    for before, after in (((UTF8, LITTLE), (EBCDIC, BIG)), ((EBCDIC, BIG), (UTF8, LITTLE))):
        orders: dict[int, ByteOrder] = {LITTLE: "little", BIG: "big"}
        pages = {UTF8: "utf-8", EBCDIC: "cp500"}
        data = RESPONSE.encode(orders[before[1]], pages[before[0]])
        converted = convert_commands(data, before, after)
        assert converted is not None
        padding = CommandMessage.decode(converted[0], orders[after[1]], pages[after[0]])
        assert (padding.parameters, padding.command) == (
            {**RESPONSE.parameters, 2016: "ORDERS", 3011: ("ONE", "OTHER")},
            13,
        )


def test_only_the_byte_order_differs() -> None:
    data = RESPONSE.encode("little")
    assert convert_commands(data, (UTF8, LITTLE), (UTF8, BIG)) == (RESPONSE.encode("big"), ())
    assert convert_commands(data, (UTF8, LITTLE), (UTF8, LITTLE)) == (data, ())


def test_a_string_with_a_character_set_of_its_own() -> None:
    data = header() + of_type(4, 2016, UTF8, 4, rest=b"NAME")
    converted = convert_commands(data, (819, LITTLE), (EBCDIC, BIG))
    assert converted is not None
    name = "NAME".encode("cp500")
    assert converted[0] == header(">") + of_type(4, 2016, EBCDIC, 4, rest=name, order=">")
    assert converted[1] == (range(48, 52),)


def test_filters_and_groups() -> None:
    little = header() + of_type(13, 3, 4, 7) + of_type(20, 8001, 1) + of_type(15, 7006, 2, 4, rest=b"\1\2\3\4")
    big = (
        header(">")
        + of_type(13, 3, 4, 7, order=">")
        + of_type(20, 8001, 1, order=">")
        + of_type(15, 7006, 2, 4, rest=b"\1\2\3\4", order=">")
    )
    assert convert_commands(little, (UTF8, LITTLE), (UTF8, BIG)) == (big, ())


@pytest.mark.parametrize(
    "data",
    [
        b"not a command",
        header()[:20],
        of_type(3, 1, 2),
        header() + of_type(99, 1, 2),
        header() + of_type(4, 2016, 0, 40, rest=b"NAME"),
        header() + of_type(3, 1, 2)[:12],
        header() + of_type(9, rest=b"\0\0\0\0"),
    ],
)
def test_what_is_no_command_is_not_converted(data: bytes) -> None:
    assert convert_commands(data, (UTF8, LITTLE), (EBCDIC, BIG)) is None


def test_a_string_that_changes_its_length_is_not_modelled() -> None:
    name = "Z\u00fcge".encode()
    data = header() + of_type(4, 2016, 0, len(name), rest=name.ljust(8, b"\0"))
    with pytest.raises(NotModelledError, match="length"):
        convert_commands(data, (UTF8, LITTLE), (EBCDIC, BIG))
    with pytest.raises(NotModelledError, match="4711"):
        convert_commands(header() + of_type(4, 2016, 4711, 4, rest=b"NAME"), (UTF8, LITTLE), (EBCDIC, BIG))
