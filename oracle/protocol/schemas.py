"""JSON Schemas of the protocol's messages: the requests to an adapter, and its possible answers.

Structures, attributes and features are those that read and write the messages. The arguments of verbs and ops are
stated here and in `oracle/protocol/requests.py`, and tests keep the two in step. The reader accepts a little more than
is ever sent: hexadecimal text in upper case or with blanks. An unknown member of an object is ignored by both sides, so
none is forbidden.

>>> sorted(schemas())
['reply', 'request']
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from oracle.model.duration import LONGEST_TENTHS
from oracle.mqi.definitions import QueueDefinition, QueueManagerDefinition
from oracle.mqi.profile import PLATFORMS
from oracle.mqi.structures import (
    GetMessageOptions,
    MessageDescriptor,
    ObjectDescriptor,
    PutMessageOptions,
    Structure,
)
from oracle.protocol import CLAIMED_DETAILS, FEATURES, FOUND_QMGR, VERSION

Schema = dict[str, Any]

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_INTEGER: Final[Schema] = {"type": "integer"}
_TEXT: Final[Schema] = {"type": "string"}
_TRUE: Final[Schema] = {"const": True}
_HEX: Final[Schema] = {"type": "string", "pattern": "^([0-9a-f]{2})*$"}
_NAMES: Final[Schema] = {"type": "array", "items": _TEXT}
_OBJECT: Final[Schema] = {"type": "object"}

_STRUCTURES: Final[Mapping[str, type[Structure]]] = {
    "MQMD": MessageDescriptor,
    "MQGMO": GetMessageOptions,
    "MQPMO": PutMessageOptions,
    "MQOD": ObjectDescriptor,
}

_VERBS: Final[Mapping[str, tuple[Schema, tuple[str, ...]]]] = {
    "MQCONN": ({}, ()),
    "MQDISC": ({}, ()),
    "MQOPEN": ({"ObjectName": _TEXT, "Options": _INTEGER, "MQOD": _OBJECT}, ("ObjectName", "Options")),
    "MQCLOSE": ({"Hobj": _INTEGER, "Options": _INTEGER}, ("Hobj", "Options")),
    "MQPUT": ({"Hobj": _INTEGER, "MQMD": _OBJECT, "MQPMO": _OBJECT, "data": _HEX}, ("Hobj",)),
    "MQPUT1": (
        {"ObjectName": _TEXT, "MQOD": _OBJECT, "MQMD": _OBJECT, "MQPMO": _OBJECT, "data": _HEX},
        ("ObjectName",),
    ),
    "MQGET": (
        {"Hobj": _INTEGER, "MQMD": _OBJECT, "MQGMO": _OBJECT, "BufferLength": _INTEGER},
        ("Hobj", "BufferLength"),
    ),
    "MQCMIT": ({}, ()),
    "MQBACK": ({}, ()),
    "MQINQ": ({"Hobj": _INTEGER, "attributes": _NAMES}, ("Hobj", "attributes")),
    "MQSET": ({"Hobj": _INTEGER, "values": _OBJECT}, ("Hobj", "values")),
}
"""The arguments of each verb, and the required ones."""

_OPS: Final[Mapping[str, tuple[Schema, tuple[str, ...]]]] = {
    "hello": ({"protocol": {"const": VERSION}}, ("protocol",)),
    "setup": (
        {
            "queues": {"type": "array", "items": {"$ref": "#/$defs/queue"}},
            "qmgr": {"$ref": "#/$defs/queue_manager"},
        },
        (),
    ),
    "alter": ({"queue": _TEXT, "qmgr": {"type": "boolean"}, "attributes": _OBJECT}, ("attributes",)),
    "advance": ({"tenths": {"type": "integer", "minimum": 0, "maximum": LONGEST_TENTHS}}, ("tenths",)),
    "quiesce": ({}, ()),
    "fail": ({"conn": _TEXT}, ("conn",)),
    "scan_expired": ({"queues": {"anyOf": [_NAMES, {"type": "null"}]}}, ()),
    "bye": ({}, ()),
}
"""The members of each op except `call`, and the required ones."""

_EITHER: Final[Mapping[str, Schema]] = {
    "alter": {"anyOf": [{"required": ["queue"]}, {"properties": {"qmgr": _TRUE}, "required": ["qmgr"]}]},
}
"""The ops that need one member or another."""


def schemas() -> dict[str, Schema]:
    """Return the schemas by name: of every `request`, and of every `reply`."""
    return {"request": _request(), "reply": _reply()}


def _request() -> Schema:
    ops = [
        {**_message({"op": {"const": op}, **members}, ("op", *always)), **_EITHER.get(op, {})}
        for op, (members, always) in _OPS.items()
    ]
    calls = [
        _message(
            {"op": {"const": "call"}, "verb": {"const": verb}, "conn": _TEXT, **_with_structures(members)},
            ("op", "verb", "conn", *always),
        )
        for verb, (members, always) in _VERBS.items()
    ]
    return {
        "$schema": _DIALECT,
        "title": "Target protocol 1: a request",
        "oneOf": [*ops, *calls],
        "$defs": {
            **_structure_schemas(),
            "queue": QueueDefinition.model_json_schema(by_alias=True),
            "queue_manager": QueueManagerDefinition.model_json_schema(by_alias=True),
        },
    }


def _reply() -> Schema:
    hello = {
        "protocol": {"const": VERSION},
        "implementation": {
            "type": "object",
            "properties": {"name": {"type": "string", "minLength": 1}, "version": _TEXT, "language": _TEXT},
            "required": ["name"],
        },
        "platform": {"enum": list(PLATFORMS)},
        "clock": {"enum": ["virtual", "real"]},
        "features": {"type": "array", "items": {"enum": list(FEATURES)}},
    }
    needed = tuple(hello)
    hello[CLAIMED_DETAILS] = {"type": "array", "items": _TEXT}
    hello[FOUND_QMGR] = {"$ref": "#/$defs/queue_manager"}
    ended = {"type": "array", "items": _message(_outputs(), ("CompCode", "Reason"))}
    outcome = {**_outputs(), "completed": ended}
    return {
        "$schema": _DIALECT,
        "title": "Target protocol 1: a reply",
        "anyOf": [
            _message(hello, needed),
            _message({"ok": _TRUE, "completed": ended}, ("ok",)),
            _message({"pending": _TRUE, "completed": ended}, ("pending",)),
            _message(outcome, ("CompCode", "Reason")),
            _message({"error": _TEXT}, ("error",)),
            _message({"unsupported": _TEXT, "completed": ended}, ("unsupported",)),
            {"type": "object", "properties": {"completed": ended}, "required": ["completed"], "maxProperties": 1},
        ],
        "$defs": {
            **_structure_schemas(),
            "queue_manager": QueueManagerDefinition.model_json_schema(by_alias=True),
        },
    }


def _outputs() -> Schema:
    return {
        "CompCode": {"enum": [0, 1, 2]},
        "Reason": _INTEGER,
        "Hobj": _INTEGER,
        "ObjectName": _TEXT,
        "data": _HEX,
        "DataLength": _INTEGER,
        "values": _OBJECT,
        **_with_structures({"MQMD": _OBJECT, "MQGMO": _OBJECT, "MQPMO": _OBJECT}),
    }


def _message(properties: Schema, required: tuple[str, ...]) -> Schema:
    return {"type": "object", "properties": {"seq": _INTEGER, **properties}, "required": ["seq", *required]}


def _with_structures(members: Schema) -> Schema:
    return {name: {"$ref": f"#/$defs/{name}"} if name in _STRUCTURES else kind for name, kind in members.items()}


def _structure_schemas() -> Schema:
    return {
        name: {
            "type": "object",
            "properties": {member.metadata["c"]: _kind(member.default) for member in fields(structure)},  # type: ignore[arg-type]  # dataclasses all
        }
        for name, structure in _STRUCTURES.items()
    }


def _kind(initial: object) -> Schema:
    if isinstance(initial, bytes):
        return {"type": "string", "pattern": f"^[0-9a-f]{{{2 * len(initial)}}}$"}
    return _INTEGER if isinstance(initial, int) else _TEXT
