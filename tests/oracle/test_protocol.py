"""The protocol's requests and replies: well-formed ones survive a round trip, others are refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.errors import UsageError
from oracle.model.reply import Completion, Reply, failure
from oracle.mqi import calls
from oracle.mqi.structures import GetMessageOptions, MessageDescriptor, ObjectDescriptor, PutMessageOptions
from oracle.protocol import RequestError, format_call, format_reply, parse_call, parse_reply

ids = st.binary(min_size=24, max_size=24)
longs = st.integers(-(2**31), 2**31 - 1)
texts = st.text(st.characters(codec="ascii", exclude_characters="\x00 "), max_size=8)
descriptors = st.builds(
    MessageDescriptor, priority=longs, expiry=longs, msg_id=ids, group_id=ids, format=texts, msg_flags=longs
)
names = st.text("ABC.", min_size=1, max_size=8)
requests = st.one_of(
    st.builds(calls.Connect, names),
    st.builds(calls.Disconnect, names),
    st.builds(calls.Open, names, names, longs, st.builds(ObjectDescriptor, dynamic_q_name=texts)),
    st.builds(calls.Close, names, longs, longs),
    st.builds(calls.Put, names, longs, descriptors, st.builds(PutMessageOptions, options=longs), st.binary()),
    st.builds(calls.Put1, names, names, descriptors, st.builds(PutMessageOptions, options=longs), st.binary()),
    st.builds(calls.Get, names, longs, descriptors, st.builds(GetMessageOptions, options=longs, version=longs), longs),
    st.builds(calls.Commit, names),
    st.builds(calls.Back, names),
    st.builds(calls.Inquire, names, longs, st.lists(names).map(tuple)),
    st.builds(calls.Set, names, longs, st.dictionaries(names, longs)),
    st.builds(calls.Advance, st.integers(0, 10**6).map(lambda tenths: tenths * 100)),
    st.builds(calls.Alter, st.one_of(st.none(), names), st.dictionaries(names, longs)),
    st.builds(calls.Quiesce),
    st.builds(calls.Fail, names),
    st.builds(calls.ScanExpired, st.one_of(st.none(), st.lists(names).map(tuple))),
)


@given(requests)
def test_a_call_survives_the_way_to_a_target(call: calls.Call) -> None:
    assert parse_call({"seq": 0, **format_call(call)}) == call


def test_a_time_that_a_request_cannot_say_is_refused() -> None:
    with pytest.raises(UsageError, match="250 milliseconds are not a whole number of tenths"):
        format_call(calls.Advance(250))


def test_members_left_out_have_the_documented_initial_values() -> None:
    call = parse_call({"seq": 7, "op": "call", "conn": "A", "verb": "MQGET", "Hobj": 1, "BufferLength": 0})
    assert isinstance(call, calls.Get)
    assert (call.descriptor.version, call.options.version, call.options.match_options) == (2, 4, 3)
    assert (call.descriptor.encoding, call.descriptor.expiry, call.identity) == (546, -1, 7)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"op": "dance"}, "unknown op"),
        ({"op": "call", "conn": "A", "verb": "MQSUB"}, "unknown verb"),
        ({"op": "call", "conn": 5, "verb": "MQCONN"}, "conn must be text"),
        ({"op": "call", "conn": "A", "verb": "MQGET", "Hobj": 1}, "BufferLength must be an integer"),
        ({"op": "call", "conn": "A", "verb": "MQGET", "Hobj": True, "BufferLength": 1}, "Hobj must be an integer"),
        ({"op": "call", "conn": "A", "verb": "MQPUT", "Hobj": 1, "data": "xyz"}, "data must be hexadecimal"),
        ({"op": "call", "conn": "A", "verb": "MQPUT", "Hobj": 1, "MQMD": {"MsgId": "00"}}, "MsgId.*24 bytes"),
        ({"op": "call", "conn": "A", "verb": "MQPUT", "Hobj": 1, "MQMD": {"Priority": "high"}}, "Priority"),
        ({"op": "call", "conn": "A", "verb": "MQPUT", "Hobj": 1, "MQMD": []}, "MQMD must be an object"),
        ({"op": "call", "conn": "A", "verb": "MQINQ", "Hobj": 1, "attributes": [1]}, "attributes"),
        ({"op": "advance", "tenths": -1}, "between 0 and"),
        ({"op": "scan_expired", "queues": [1]}, "queues"),
        ({}, "op must be text"),
    ],
)
def test_a_request_of_another_form_is_refused(request_: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        parse_call(request_)


def test_a_failed_call_returns_only_its_codes() -> None:
    assert format_reply(failure(2033), calls.Commit("A")) == {"CompCode": 2, "Reason": 2033}


def test_a_version_1_descriptor_has_no_version_2_members() -> None:
    members = format_reply(Reply(descriptor=MessageDescriptor(version=1)), calls.Put("A", 1))["MQMD"]
    assert "Priority" in members
    assert "GroupId" not in members


def test_completions_are_reported_with_the_seq_of_the_call_that_waited() -> None:
    done = Completion("B", 12, failure(2033), ())
    members = format_reply(Reply(), calls.Advance(100), (done,))
    assert members == {"ok": True, "completed": [{"seq": 12, "CompCode": 2, "Reason": 2033}]}
    assert parse_reply(members).completed[12].reason == 2033


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ({}, "CompCode must be an integer"),
        ({"CompCode": 0}, "Reason must be an integer"),
        ({"CompCode": "0", "Reason": 0}, "CompCode must be an integer"),
        ({"CompCode": 0, "Reason": 0, "data": 5}, "data must be hexadecimal text"),
        ({"CompCode": 0, "Reason": 0, "MQMD": {"MsgId": "zz"}}, "MsgId must be hexadecimal text of 24 bytes"),
        ({"ok": True, "completed": [5]}, "completed must be a list of objects"),
    ],
)
def test_a_reply_of_another_form_is_refused(reply: dict[str, Any], told: str) -> None:
    with pytest.raises(RequestError, match=told):
        parse_reply(reply)


def test_a_structure_keeps_the_blank_of_a_status() -> None:
    reply = parse_reply({"CompCode": 0, "Reason": 0, "MQGMO": {"GroupStatus": " ", "ResolvedQName": "Q   "}})
    assert reply.members == {"MQGMO.GroupStatus": " ", "MQGMO.ResolvedQName": "Q"}
