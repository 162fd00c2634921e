"""The JSON Schemas of the protocol: the suite's requests and the reference server's answers fit them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from oracle.mqi.calls import VERBS
from oracle.protocol import RequestError, parse_call
from oracle.protocol.schemas import schemas
from oracle.serve import Server

REQUEST, REPLY = (Draft202012Validator(schemas()[name]) for name in ("request", "reply"))

CONVERSATION: list[dict[str, Any]] = [
    {"op": "hello", "protocol": 1},
    {"op": "setup", "queues": [{"name": "Q", "MaxQDepth": 9}], "qmgr": {"MaxPriority": 7}},
    {"op": "call", "conn": "A", "verb": "MQCONN"},
    {"op": "call", "conn": "A", "verb": "MQOPEN", "ObjectName": "Q", "Options": 2 | 8 | 16 | 32},
    {"op": "call", "conn": "A", "verb": "MQPUT", "Hobj": 1, "MQMD": {"MsgId": "ab" * 24}, "MQPMO": {}, "data": "00"},
    {"op": "call", "conn": "A", "verb": "MQGET", "Hobj": 1, "MQMD": {}, "MQGMO": {"Options": 4}, "BufferLength": 9},
    {"op": "call", "conn": "A", "verb": "MQGET", "Hobj": 1, "MQMD": {}, "MQGMO": {"Options": 4}, "BufferLength": 9},
    {"op": "call", "conn": "A", "verb": "MQINQ", "Hobj": 1, "attributes": ["CurrentQDepth"]},
    {"op": "call", "conn": "A", "verb": "MQCMIT"},
    {"op": "alter", "queue": "Q", "attributes": {"InhibitGet": 1}},
    {
        "op": "call",
        "conn": "A",
        "verb": "MQGET",
        "Hobj": 1,
        "MQMD": {},
        "MQGMO": {"Options": 5, "WaitInterval": 100},
        "BufferLength": 9,
    },
    {"op": "alter", "queue": "Q", "attributes": {"InhibitGet": 0}},
    {"op": "advance", "tenths": 10},
    {"op": "fail", "conn": "A"},
    {"op": "quiesce"},
    {"op": "scan_expired", "queues": None},
    {"op": "dance"},
    {"op": "bye"},
]


def test_a_conversation_is_of_the_schemas() -> None:
    server = Server()
    for seq, members in enumerate(CONVERSATION, start=1):
        request = {"seq": seq, **members}
        reply = server.answer(json.dumps(request))
        assert REQUEST.is_valid(request) == (members["op"] != "dance"), request
        assert REPLY.is_valid(reply), reply


@pytest.mark.parametrize(
    "request_members",
    [
        {"op": "hello", "protocol": 2},
        {"op": "setup", "queues": [{"MaxQDepth": 9}]},
        {"op": "advance", "tenths": -1},
        {"op": "call", "conn": "A", "verb": "MQSUB"},
        {"op": "call", "verb": "MQCMIT"},
        {"op": "call", "conn": "A", "verb": "MQGET", "Hobj": 1},
        {"op": "call", "conn": "A", "verb": "MQPUT", "Hobj": 1, "MQMD": {"MsgId": "ABC"}},
    ],
)
def test_what_is_no_request_is_refused(request_members: dict[str, Any]) -> None:
    assert not REQUEST.is_valid({"seq": 1, **request_members})


VALUES: dict[str, Any] = {
    "seq": 1,
    "conn": "A",
    "ObjectName": "Q",
    "Options": 0,
    "Hobj": 1,
    "BufferLength": 0,
    "attributes": [],
    "values": {},
    "queue": "Q",
    "tenths": 1,
}
"""A value for every argument that some request needs."""


def least(kind: dict[str, Any]) -> dict[str, Any]:
    """Return the least request of a kind: what its schema requires, and a queue where one is altered."""
    members = {name: kind["properties"].get(name, {}).get("const", VALUES.get(name)) for name in kind["required"]}
    return {**members, "attributes": {}, "queue": "Q"} if members["op"] == "alter" else members


LEAST = [least(kind) for kind in schemas()["request"]["oneOf"]]
READ = [request for request in LEAST if request["op"] not in ("hello", "setup", "bye")]
"""The requests for calls and events, which `parse_call` reads."""


@pytest.mark.parametrize("request_", READ, ids=lambda request: request.get("verb", request["op"]))
def test_what_the_schema_requires_is_what_the_reader_needs(request_: dict[str, Any]) -> None:
    assert REQUEST.is_valid(request_)
    parse_call(request_)
    for name in request_.keys() - {"seq"}:
        less = {member: value for member, value in request_.items() if member != name}
        assert not REQUEST.is_valid(less), name
        with pytest.raises(RequestError, match=f"{name} must be"):
            parse_call(less)


def test_every_verb_and_op_has_a_schema() -> None:
    assert {request["verb"] for request in LEAST if "verb" in request} == set(VERBS.values())
    assert {request["op"] for request in LEAST} == {request["op"] for request in CONVERSATION} - {"dance"}


def test_the_queue_manager_is_altered_in_place_of_a_queue() -> None:
    for members, valid in (({"qmgr": True}, True), ({"qmgr": False}, False), ({"qmgr": False, "queue": "Q"}, True)):
        request = {"seq": 1, "op": "alter", "attributes": {}, **members}
        assert REQUEST.is_valid(request) == valid
        if valid:
            parse_call(request)
        else:
            with pytest.raises(RequestError, match="queue must be text"):
                parse_call(request)


@pytest.mark.parametrize(
    "members",
    [
        {"seq": 1},
        {"ok": True},
        {"seq": 1, "ok": False},
        {"seq": 1, "CompCode": 3, "Reason": 0},
        {"seq": 1, "CompCode": 0, "Reason": 0, "data": "xyz"},
        {"seq": 1, "CompCode": 0, "Reason": 0, "MQMD": {"Priority": "high"}},
        {"seq": 1, "error": 7},
    ],
)
def test_what_is_no_reply_is_refused(members: dict[str, Any]) -> None:
    assert not REPLY.is_valid(members)
