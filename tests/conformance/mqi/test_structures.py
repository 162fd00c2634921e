"""Structures of requests as bytes: they survive a round trip, with names under the prefix on the way."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.mqi import structures
from conformance.mqi.names import Names
from oracle.errors import BadInputError, InapplicableError, UntoldError
from oracle.mqi.binary import Values, codec
from oracle.mqi.connection_layouts import MQCNO, MQCSP, NATIVE_ORDER, NATIVE_POINTERS
from oracle.mqi.layouts import MQGMO, MQMD, MQMDE, MQOD, MQPMO, MQTM, MQXQH, Layout
from oracle.mqi.structures import GetMessageOptions, MessageDescriptor, PutMessageOptions, Structure

PREFIX = "MQORACLE.ABCD.1."
WORDS = ("secret", "words")
QUEUES = st.text("ABCQX.", min_size=1, max_size=20)
LONGS = st.integers(-(2**31), 2**31 - 1)
BITS = st.integers(0, 2**32 - 1)
TOO_LONG = {"GroupStatus": 1, "SegmentStatus": 1, "Segmentation": 1}
LENGTHS = {
    "Format": 8,
    "UserIdentifier": 12,
    "ApplIdentityData": 32,
    "PutApplName": 28,
    "PutDate": 8,
    "PutTime": 8,
    "ApplOriginData": 4,
}


def names() -> Names:
    return Names(PREFIX, managers={"QM1": "REAL"})


def value_of(name: str, initial: object) -> st.SearchStrategy[Any]:
    if isinstance(initial, bytes):
        return st.binary(min_size=len(initial), max_size=len(initial)).map(bytes.hex)
    if name in TOO_LONG:
        return st.sampled_from([" ", "G", "L", "S", "A"])
    if name.endswith(("QMgr", "QMgrName")):
        return st.sampled_from(["", "QM1", "QM2"])
    if isinstance(initial, str):
        return st.text("ABC", max_size=LENGTHS[name]) if name in LENGTHS else st.one_of(st.just(""), QUEUES)
    return BITS if name in ("Report", "MsgFlags", "Options", "MatchOptions") else LONGS


def members(kind: type[Structure], version: int, layout: Layout) -> st.SearchStrategy[dict[str, Any]]:
    known = {field.name for field in layout.members(version)}
    initial = kind()
    found = {
        c_name: value_of(c_name, getattr(initial, name)) for name, c_name in kind.c_names().items() if c_name in known
    }
    return st.fixed_dictionaries({}, optional=found).map(lambda given: {**given, "Version": version})


CASES = [
    (MQMD, MessageDescriptor, 1),
    (MQMD, MessageDescriptor, 2),
    (MQGMO, GetMessageOptions, 1),
    (MQGMO, GetMessageOptions, 4),
    (MQPMO, PutMessageOptions, 1),
    (MQPMO, PutMessageOptions, 3),
]


@pytest.mark.parametrize(("layout", "kind", "version"), CASES)
@given(data=st.data())
def test_what_goes_out_comes_back(layout: Layout, kind: type[Structure], version: int, data: st.DataObject) -> None:
    request = data.draw(members(kind, version, layout))
    packed = structures.pack(layout, request, names())
    assert len(packed) == layout.length(version, NATIVE_POINTERS)
    assert structures.unpack(layout, packed, names()).items() >= request.items()


@given(version=LONGS.filter(lambda value: value not in MQMD.versions))
def test_of_a_structure_with_a_wrong_version_only_that_is_wrong(version: int) -> None:
    right, wrong = (structures.pack(MQMD, {"Version": each, "Priority": 7}, names()) for each in (2, version))
    assert struct.unpack_from("=i", wrong, 4) == (version,)
    assert (wrong[:4], wrong[8:]) == (right[:4], right[8:])


def test_a_structure_without_a_version_has_the_newest() -> None:
    versions = {layout.name: structures.pack(layout, {}, names())[4:8] for layout in (MQMD, MQGMO, MQPMO, MQOD)}
    newest = {"MQMD": 2, "MQGMO": 4, "MQPMO": 3, "MQOD": 4}
    assert versions == {name: struct.pack("=i", version) for name, version in newest.items()}


def test_names_of_queues_stand_under_the_prefix_out_there() -> None:
    packed = structures.descriptor({"ReplyToQ": "R", "ReplyToQMgr": "QM1"}, names())
    outside = MQMD.decode(packed, NATIVE_ORDER, pointer_size=NATIVE_POINTERS)
    assert (outside["ReplyToQ"], outside["ReplyToQMgr"]) == (f"{PREFIX}R", "REAL")
    od = structures.object_descriptor("Q", {}, names())
    outside = MQOD.decode(od, NATIVE_ORDER, pointer_size=NATIVE_POINTERS)
    assert (outside["ObjectName"], outside["DynamicQName"]) == (f"{PREFIX}Q", f"{PREFIX}AMQ.*")
    assert structures.object_name(od, names()) == "Q"


def test_the_queue_manager_itself_has_no_prefix() -> None:
    od = structures.object_descriptor("QM1", {"ObjectType": 5}, names())
    assert MQOD.decode(od, NATIVE_ORDER, pointer_size=NATIVE_POINTERS)["ObjectName"] == "REAL"


@pytest.mark.parametrize("name", ["D" * 16 + "*", "AB*C", "D" * 33 + "*", "D" * 32, "D" * 49, "*", ""])
def test_a_dynamic_name_that_fits_or_is_refused_anyway_is_passed(name: str) -> None:
    outside = names().dynamic_out(name)
    assert outside in (name, PREFIX + name)
    assert outside == PREFIX + name or len(name) in (0, 34, 49)


@pytest.mark.parametrize("name", ["D" * 17 + "*", "D" * 32 + "*", "D" * 33, "D" * 48])
def test_a_dynamic_name_without_room_for_the_prefix_cannot_be_expressed(name: str) -> None:
    with pytest.raises(InapplicableError, match="does not fit behind the prefix"):
        structures.object_descriptor("M", {"DynamicQName": name}, names())


@pytest.mark.parametrize("name", ["", "N" * 40])
def test_a_name_that_is_blank_or_does_not_fit_stays_as_it_is(name: str) -> None:
    assert names().out(name) == name


def test_a_name_too_long_for_its_member_is_refused() -> None:
    with pytest.raises(BadInputError, match="48 characters"):
        structures.object_descriptor("N" * 49, {}, names())


@given(
    name=QUEUES,
    manager=st.sampled_from(["QM1", "QM2"]),
    order=st.sampled_from(["little", "big"]),
    ccsid=st.sampled_from([0, 437, 500, 1208]),
)
def test_names_in_headers_come_back_as_the_check_has_them(name: str, manager: str, order: Any, ccsid: int) -> None:
    outside = names().manager_out(manager)
    inside_values: Values = {"RemoteQName": name, "RemoteQMgrName": manager, "MsgDesc.ReplyToQ": "R"}
    inside = MQXQH.encode(inside_values, order, codec(ccsid)) + b"data"
    encoding = 546 if order == "little" else 273
    sent = names().data_out(inside, "MQXMIT", ccsid, encoding)
    values = MQXQH.decode(sent, order, codec(ccsid))
    assert values["RemoteQName"] == PREFIX + name
    assert (values["RemoteQMgrName"], values["MsgDesc.ReplyToQ"]) == (outside, f"{PREFIX}R")
    assert names().data_back(sent, "MQXMIT", ccsid, encoding) == inside


@given(length=st.integers(0, 683), message_format=st.sampled_from(["MQTRIG", "MQXMIT", "MQDEAD", "MQSTR", ""]))
def test_data_that_only_begin_like_a_header_keep_their_length(length: int, message_format: str) -> None:
    data = MQTM.encode({"QName": "OTHERS"}, "big")[:length]
    assert names().data_back(data, message_format, 0, 273) == data


@given(length=st.integers(0, 683))
def test_a_name_at_the_end_of_the_data_comes_back_if_it_is_whole(length: int) -> None:
    inside = MQTM.encode({"QName": "Q", "ProcessName": "P"}, "big")
    sent = names().data_out(inside, "MQTRIG", 0, 273)[:length]
    begun = length - 8
    if 0 < begun <= len(PREFIX + "Q"):
        with pytest.raises(UntoldError, match="the data end in 'M"):
            names().data_back(sent, "MQTRIG", 0, 273)
    else:
        assert names().data_back(sent, "MQTRIG", 0, 273) == inside[:length]


@given(order=st.sampled_from(["little", "big"]), ccsid=st.sampled_from([-2, 437, 500]))
def test_names_behind_other_headers_come_back(order: Any, ccsid: int) -> None:
    encoding = 546 if order == "little" else 273
    following: Values = {"Format": "MQXMIT", "CodedCharSetId": ccsid, "Encoding": encoding}
    inner: Values = {"MsgDesc.Format": "MQTRIG", "MsgDesc.CodedCharSetId": ccsid, "MsgDesc.Encoding": encoding}
    charset = codec(437 if ccsid == -2 else ccsid)
    inside = (
        MQMDE.encode(following, "big")
        + MQXQH.encode({"RemoteQName": "R", **inner}, order, charset)
        + MQTM.encode({"QName": "Q"}, order, charset)
    )
    sent = names().data_out(inside, "MQHMDE", 437, 273)
    assert sent[-684:] == MQTM.encode({"QName": f"{PREFIX}Q"}, order, charset)
    assert names().data_back(sent, "MQHMDE", 437, 273) == inside


def test_the_name_of_a_queue_manager_that_is_cut_is_not_told() -> None:
    sent = names().data_out(MQXQH.encode({"RemoteQMgrName": "QM1"}, "big"), "MQXMIT", 0, 273)
    with pytest.raises(UntoldError, match="the data end in 'RE'"):
        names().data_back(sent[:58], "MQXMIT", 0, 273)


def test_user_and_password_follow_mqcno_without_an_address() -> None:
    asked = structures.connect_options(client=True, user="alice", password=" ".join(WORDS))
    cno = MQCNO.decode(asked, NATIVE_ORDER, pointer_size=NATIVE_POINTERS)
    csp_data = asked[int(cno["SecurityParmsOffset"]) :]
    csp = MQCSP.decode(csp_data, NATIVE_ORDER, pointer_size=NATIVE_POINTERS)
    assert cno["SecurityParmsPtr"] == csp["CSPUserIdPtr"] == csp["CSPPasswordPtr"] == 0
    texts = [
        csp_data[int(csp[f"{what}Offset"]) :][: int(csp[f"{what}Length"])] for what in ("CSPUserId", "CSPPassword")
    ]
    assert texts == [b"alice", b"secret words"]
    assert csp["AuthenticationType"] == 1


def test_nobody_is_named_unless_a_user_is() -> None:
    asked = structures.connect_options(client=False, user="", password="")
    assert MQCNO.decode(asked, NATIVE_ORDER, pointer_size=NATIVE_POINTERS)["SecurityParmsOffset"] == 0
    assert len(asked) == MQCNO.length(5, NATIVE_POINTERS)
