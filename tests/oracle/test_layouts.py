"""Structure layouts: round trips, positions and lengths as documented, and refusal of invalid data."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.errors import BadInputError
from oracle.mqi import connection_layouts as layouts
from oracle.mqi.layouts import (
    ASCII,
    EBCDIC,
    LAYOUTS,
    MQDLH,
    MQGMO,
    MQMD,
    MQMDE,
    MQOD,
    MQPMO,
    MQTM,
    MQXQH,
    NATIVE_64,
    WIRE,
    ByteOrder,
    Layout,
    PointerSize,
    Values,
    byte_order,
    codec,
)

VERSIONS = [(layout, version) for layout in (*LAYOUTS, *layouts.LAYOUTS) for version in layout.versions]
ORDERS: tuple[ByteOrder, ...] = get_args(ByteOrder)
NAME_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789./_%"

IDENTIFIERS = {"MsgId", "CorrelId", "GroupId", "AccountingToken", "MsgToken", "MsgDesc.MsgId"}

INTEGERS = {"long": 31, "int64": 63, "pointer": 32}


def member_values(kind: str, size: int) -> st.SearchStrategy[int | str]:
    if kind in INTEGERS:
        bits = INTEGERS[kind]
        return st.integers(0 if kind == "pointer" else -(2**bits), 2**bits - 1)
    if kind == "byte":
        return st.binary(min_size=size, max_size=size).map(bytes.hex)
    return st.text(NAME_CHARACTERS, min_size=1 if size == 1 else 0, max_size=size)


def structures(layout: Layout, version: int) -> st.SearchStrategy[Values]:
    members = {field.name: member_values(field.kind, field.size) for field in layout.members(version)}
    return st.fixed_dictionaries({"Version": st.just(version), **members})


@pytest.mark.parametrize(("layout", "version"), VERSIONS, ids=lambda value: getattr(value, "name", str(value)))
@given(data=st.data())
def test_what_was_encoded_is_decoded(layout: Layout, version: int, data: st.DataObject) -> None:
    values = data.draw(structures(layout, version))
    order = data.draw(st.sampled_from(ORDERS))
    pointers = data.draw(st.sampled_from(get_args(PointerSize)))
    charset = data.draw(st.sampled_from([ASCII, EBCDIC]))
    encoded = layout.encode(values, order, charset, pointer_size=pointers)
    assert len(encoded) == layout.length(version, pointers)
    assert layout.decode(encoded + b"more", order, charset, pointer_size=pointers) == values


@pytest.mark.parametrize(
    ("layout", "native", "wire"),
    [
        (MQMD, [324, 364], [324, 364]),
        (MQMDE, [72], [72]),
        (MQGMO, [72, 80, 100, 112], [72, 80, 100, 112]),
        (MQPMO, [128, 160, 184], [128, 152, 176]),
        (MQOD, [168, 208, 344, 424], [168, 200, 336, 400]),
        (MQXQH, [428], [428]),
        (MQDLH, [172], [172]),
        (MQTM, [684], [684]),
        (layouts.MQCNO, [12, 24, 152, 200, 224, 256, 272], [12, 20, 148, 188, 208, 240, 252]),
        (layouts.MQCSP, [56, 80, 104], [48, 68, 88]),
        (layouts.MQBO, [12], [12]),
        (layouts.MQCMHO, [12], [12]),
        (layouts.MQSMPO, [20], [20]),
        (layouts.MQIMPO, [64], [60]),
        (layouts.MQPD, [24], [24]),
        (layouts.MQSTS, [224, 280], [224, 272]),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_lengths_are_those_of_the_c_header(layout: Layout, native: list[int], wire: list[int]) -> None:
    assert [layout.length(version, NATIVE_64) for version in layout.versions] == native
    assert [layout.length(version, WIRE) for version in layout.versions] == wire


@pytest.mark.parametrize(
    ("layout", "version", "member", "offset"),
    [
        (MQMD, 1, "Report", 8),
        (MQMD, 1, "Encoding", 24),
        (MQMD, 1, "Priority", 40),
        (MQMD, 1, "BackoutCount", 96),
        (MQMD, 1, "PutApplType", 272),
        (MQMD, 2, "MsgSeqNumber", 348),
        (MQMD, 2, "Offset", 352),
        (MQMD, 2, "MsgFlags", 356),
        (MQMD, 2, "OriginalLength", 360),
        (MQGMO, 1, "WaitInterval", 12),
        (MQGMO, 2, "MatchOptions", 72),
        (MQGMO, 3, "ReturnedLength", 96),
        (MQGMO, 4, "MsgHandle", 104),
        (MQPMO, 1, "Options", 8),
        (MQMDE, 2, "StrucLength", 8),
        (MQMDE, 2, "MsgSeqNumber", 56),
        (MQXQH, 1, "MsgDesc.Version", 108),
        (MQXQH, 1, "MsgDesc.Expiry", 120),
        (MQDLH, 1, "PutApplType", 124),
    ],
)
def test_integers_lie_where_the_documents_say(layout: Layout, version: int, member: str, offset: int) -> None:
    plain = layout.encode({"Version": version, member: 0}, "big")
    marked = layout.encode({"Version": version, member: 0x01020304}, "big")
    size = 8 if member == "MsgHandle" else 4
    assert marked[offset : offset + size] == (0x01020304).to_bytes(size, "big")
    assert marked[:offset] == plain[:offset]
    assert marked[offset + size :] == plain[offset + size :]


@pytest.mark.parametrize(
    ("layout", "version", "member", "place"),
    [
        (MQMD, 1, "Format", (32, 8)),
        (MQMD, 1, "MsgId", (48, 24)),
        (MQMD, 1, "CorrelId", (72, 24)),
        (MQMD, 1, "ReplyToQ", (100, 48)),
        (MQMD, 1, "ReplyToQMgr", (148, 48)),
        (MQMD, 1, "UserIdentifier", (196, 12)),
        (MQMD, 1, "AccountingToken", (208, 32)),
        (MQMD, 1, "PutApplName", (276, 28)),
        (MQMD, 1, "PutDate", (304, 8)),
        (MQMD, 1, "PutTime", (312, 8)),
        (MQMD, 2, "GroupId", (324, 24)),
        (MQGMO, 1, "ResolvedQName", (24, 48)),
        (MQGMO, 2, "GroupStatus", (76, 1)),
        (MQGMO, 2, "SegmentStatus", (77, 1)),
        (MQGMO, 3, "MsgToken", (80, 16)),
        (MQPMO, 1, "ResolvedQName", (32, 48)),
        (MQPMO, 1, "ResolvedQMgrName", (80, 48)),
        (MQOD, 1, "ObjectName", (12, 48)),
        (MQOD, 1, "DynamicQName", (108, 48)),
        (MQXQH, 1, "RemoteQName", (8, 48)),
        (MQXQH, 1, "MsgDesc.MsgId", (152, 24)),
        (MQDLH, 1, "DestQName", (12, 48)),
        (MQTM, 1, "TriggerData", (104, 64)),
    ],
)
def test_names_and_identifiers_lie_where_the_documents_say(
    layout: Layout, version: int, member: str, place: tuple[int, int]
) -> None:
    offset, size = place
    plain = layout.encode({"Version": version}, "big")
    marked = layout.encode({"Version": version, member: "ab" * size if member in IDENTIFIERS else "y" * size}, "big")
    assert marked[offset : offset + size] in (b"y" * size, b"\xab" * size)
    assert (marked[:offset], marked[offset + size :]) == (plain[:offset], plain[offset + size :])


@pytest.mark.parametrize(("pointers", "offset"), [(WIRE, 152), (NATIVE_64, 160)])
def test_members_after_pointers_move_with_their_size(pointers: PointerSize, offset: int) -> None:
    encoded = MQPMO.encode({"Version": 3, "OriginalMsgHandle": -1}, "little", pointer_size=pointers)
    assert encoded[offset : offset + 8] == b"\xff" * 8


def test_members_left_out_have_their_initial_values() -> None:
    descriptor = MQMD.decode(MQMD.encode({"Version": 2}, "big"), "big")
    documented = {
        "Version": 2, "Report": 0, "MsgType": 8, "Expiry": -1, "Encoding": 546, "Format": "", "Priority": -1,
        "Persistence": 2, "MsgId": "00" * 24, "ReplyToQ": "", "MsgSeqNumber": 1, "OriginalLength": -1,
    }  # fmt: skip  # pairs
    assert documented.items() <= descriptor.items()
    options = MQGMO.decode(MQGMO.encode({"Version": 4}, "big"), "big")
    assert {"MatchOptions": 3, "GroupStatus": " ", "ReturnedLength": -1}.items() <= options.items()
    assert MQOD.decode(MQOD.encode({}, "big"), "big")["DynamicQName"] == "AMQ.*"
    assert [layout.encode({}, "big")[4:8] for layout in (MQMD, MQMDE)] == [b"\0\0\0\1", b"\0\0\0\2"]


def test_text_is_padded_with_blanks_of_its_character_set() -> None:
    assert MQTM.encode({"QName": "ORDERS"}, "big")[8:56] == b"ORDERS".ljust(48)
    ebcdic = MQTM.encode({"QName": "ORDERS"}, "big", EBCDIC)
    assert ebcdic[:4] == b"\xe3\xd4\x40\x40"
    assert ebcdic[8:56] == b"\xd6\xd9\xc4\xc5\xd9\xe2".ljust(48, b"\x40")


def test_text_ends_at_a_binary_zero_as_in_c() -> None:
    data = bytearray(MQTM.encode({"QName": "ORDERS"}, "big"))
    data[12] = 0
    assert MQTM.decode(bytes(data), "big")["QName"] == "ORDE"


def test_members_of_later_versions_are_left_out() -> None:
    assert "MsgSeqNumber" not in MQMD.decode(MQMD.encode({"Version": 1, "MsgSeqNumber": 9}, "big"), "big")


@pytest.mark.parametrize("data", [b"", b"MD", b"GMO \0\0\0\1", b"XXXX" + bytes(400)])
def test_data_that_begin_with_something_else_are_refused(data: bytes) -> None:
    with pytest.raises(BadInputError, match="not an MQMD"):
        MQMD.decode(data, "big")


@pytest.mark.parametrize(("layout", "version"), VERSIONS, ids=lambda value: getattr(value, "name", str(value)))
def test_data_that_end_too_early_are_refused(layout: Layout, version: int) -> None:
    encoded = layout.encode({"Version": version}, "little")
    for size in (4, 7, 8, len(encoded) - 1):
        with pytest.raises(BadInputError, match=layout.name):
            layout.decode(encoded[:size], "little")


@pytest.mark.parametrize("version", [-1, 0, 3])
def test_unknown_versions_are_refused(version: int) -> None:
    encoded = b"MD  " + version.to_bytes(4, "big", signed=True) + bytes(400)
    with pytest.raises(BadInputError, match=f"no version {version}"):
        MQMD.decode(encoded, "big")
    with pytest.raises(BadInputError, match=f"no version {version}"):
        MQMD.encode({"Version": version}, "big")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"Colour": 1}, "no member Colour"),
        ({"Report": 2**32}, "Report cannot hold"),
        ({"Report": "many"}, "Report cannot hold"),
        ({"Format": 7}, "Format cannot hold"),
        ({"Format": "LONGER THAN 8"}, "Format holds 8 characters"),
        ({"Format": "\u20ac"}, "Format has a character"),
        ({"MsgId": "xyz"}, "MsgId is not hexadecimal"),
        ({"MsgId": "00ff"}, "MsgId is 48 hexadecimal characters"),
        ({"Version": "2"}, "no version '2'"),
    ],
)
def test_values_that_do_not_fit_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        MQMD.encode(values, "big")


def test_an_option_may_be_given_without_its_sign() -> None:
    assert MQMD.decode(MQMD.encode({"Report": 0xEFE000FF}, "big"), "big")["Report"] == 0xEFE000FF - 2**32


def test_an_empty_byte_field_is_one_of_zeros() -> None:
    assert MQMD.decode(MQMD.encode({"MsgId": ""}, "big"), "big")["MsgId"] == "00" * 24


@given(st.binary(max_size=500), st.sampled_from(LAYOUTS), st.sampled_from(ORDERS))
def test_nothing_but_a_clear_error_comes_of_garbage(data: bytes, layout: Layout, order: ByteOrder) -> None:
    for garbage in (data, layout.struc_id.encode() + data):
        with suppress(BadInputError):
            layout.decode(garbage, order)


def test_encodings_tell_the_byte_order() -> None:
    assert [byte_order(encoding) for encoding in (546, 273, 785)] == ["little", "big", "big"]


def test_character_sets_have_codecs() -> None:
    assert "A".encode(codec(1208)) == b"A"
    assert [b"\xc1".decode(codec(ccsid)) for ccsid in (37, 500, 1047)] == ["A", "A", "A"]
    assert codec(99999) == ASCII
