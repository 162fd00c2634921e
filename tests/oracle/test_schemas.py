"""The JSON Schemas of the protocol: what the suite sends and the reference server answers is of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

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
