"""Requests: calls from JSON objects, as a target reads them, and back, as the runner writes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, cast

from oracle.errors import NotModelledError
from oracle.model.duration import LONGEST_TENTHS
from oracle.mqi import calls
from oracle.mqi.structures import (
    GetMessageOptions,
    MessageDescriptor,
    ObjectDescriptor,
    PutMessageOptions,
    Structure,
)
from oracle.protocol.members import INITIAL, RequestError, S, bytes_of, parse_structure, plain, take


def parse_call(request: Mapping[str, Any]) -> calls.Call:
    """Make a call from a request with the op `call`, `alter`, `advance`, `quiesce`, `fail` or `scan_expired`.

    Raises RequestError if an argument is missing or has a wrong type, or the op or verb is unknown.
    """
    op = take(request, "op", str)
    if op != "call":
        if op not in _OPS:
            raise RequestError(f"unknown op {op!r}")
        return _OPS[op](request)
    verb = take(request, "verb", str)
    if verb not in _VERBS:
        raise RequestError(f"unknown verb {verb!r}")
    return _VERBS[verb](request)


def _structure(request: Mapping[str, Any], name: str, kind: type[S]) -> S:
    return parse_structure(kind, take(request, name, dict, {}))


def _conn(request: Mapping[str, Any]) -> str:
    return cast("str", take(request, "conn", str))


def _open(request: Mapping[str, Any]) -> calls.Call:
    name, options = take(request, "ObjectName", str), take(request, "Options", int)
    return calls.Open(_conn(request), name, options, _structure(request, "MQOD", ObjectDescriptor))


def _close(request: Mapping[str, Any]) -> calls.Call:
    return calls.Close(_conn(request), take(request, "Hobj", int), take(request, "Options", int))


def _put(request: Mapping[str, Any]) -> calls.Call:
    return calls.Put(
        _conn(request),
        take(request, "Hobj", int),
        _structure(request, "MQMD", MessageDescriptor),
        _structure(request, "MQPMO", PutMessageOptions),
        bytes_of(request.get("data", ""), "data"),
    )


def _put1(request: Mapping[str, Any]) -> calls.Call:
    return calls.Put1(
        _conn(request),
        take(request, "ObjectName", str),
        _structure(request, "MQMD", MessageDescriptor),
        _structure(request, "MQPMO", PutMessageOptions),
        bytes_of(request.get("data", ""), "data"),
        _structure(request, "MQOD", ObjectDescriptor),
    )


def _get(request: Mapping[str, Any]) -> calls.Call:
    return calls.Get(
        _conn(request),
        take(request, "Hobj", int),
        _structure(request, "MQMD", MessageDescriptor),
        _structure(request, "MQGMO", GetMessageOptions),
        take(request, "BufferLength", int),
        take(request, "seq", int, 0),
    )


def _inquire(request: Mapping[str, Any]) -> calls.Call:
    names = take(request, "attributes", list)
    if not all(isinstance(name, str) for name in names):
        raise RequestError("attributes must be a list of names")
    return calls.Inquire(_conn(request), take(request, "Hobj", int), tuple(names))


def _set(request: Mapping[str, Any]) -> calls.Call:
    return calls.Set(_conn(request), take(request, "Hobj", int), take(request, "values", dict))


def _advance(request: Mapping[str, Any]) -> calls.Call:
    tenths = take(request, "tenths", int)
    if not 0 <= tenths <= LONGEST_TENTHS:
        raise RequestError(f"tenths must be between 0 and {LONGEST_TENTHS}")
    return calls.Advance(tenths * 100)


def _alter(request: Mapping[str, Any]) -> calls.Call:
    queue = None if request.get("qmgr") is True else take(request, "queue", str)
    return calls.Alter(queue, take(request, "attributes", dict))


def _scan(request: Mapping[str, Any]) -> calls.Call:
    queues = request.get("queues")
    if queues is None:
        return calls.ScanExpired(None)
    if not isinstance(queues, list) or not all(isinstance(name, str) for name in queues):
        raise RequestError("queues must be a list of names or null")
    return calls.ScanExpired(tuple(queues))


_OPS: dict[str, Callable[[Mapping[str, Any]], calls.Call]] = {
    "advance": _advance,
    "alter": _alter,
    "quiesce": lambda _request: calls.Quiesce(),
    "fail": lambda request: calls.Fail(_conn(request)),
    "scan_expired": _scan,
}

_READERS: Mapping[type[calls.MqiCall], Callable[[Mapping[str, Any]], calls.Call]] = {
    calls.Connect: lambda request: calls.Connect(_conn(request)),
    calls.Disconnect: lambda request: calls.Disconnect(_conn(request)),
    calls.Open: _open,
    calls.Close: _close,
    calls.Put: _put,
    calls.Put1: _put1,
    calls.Get: _get,
    calls.Commit: lambda request: calls.Commit(_conn(request)),
    calls.Back: lambda request: calls.Back(_conn(request)),
    calls.Inquire: _inquire,
    calls.Set: _set,
}

_VERBS: Mapping[str, Callable[[Mapping[str, Any]], calls.Call]] = {
    verb: _READERS[kind] for kind, verb in calls.VERBS.items()
}


def format_call(call: calls.Call) -> dict[str, Any]:
    """Return the request for a call, without its `seq`; members with their initial values are left out.

    Raises NotModelledError for a step of a channel, which the protocol does not contain, and UsageError for a time that
    is not a whole number of tenths of a second.
    """
    if isinstance(call, calls.ChannelStep):
        raise NotModelledError("the target protocol has no request for what a channel does")
    if isinstance(call, calls.Happening):
        return _format_happening(call)
    request: dict[str, Any] = {"op": "call", "conn": call.conn, "verb": calls.VERBS[type(call)]}
    for member in fields(call):
        value = getattr(call, member.name)
        if member.name in _ARGUMENTS:
            request[_ARGUMENTS[member.name]] = plain(list(value) if isinstance(value, tuple) else value)
        elif isinstance(value, Structure):
            changed = _changed_members(value)
            if changed:
                request[_STRUCTURES[type(value)]] = changed
    if isinstance(call, (calls.Open, calls.Close)):
        request["Options"] = call.options
    return request


def _format_happening(call: calls.Happening) -> dict[str, Any]:
    if isinstance(call, calls.Advance):
        return {"op": "advance", "tenths": call.tenths()}
    if isinstance(call, calls.Alter):
        target = {"qmgr": True} if call.queue is None else {"queue": call.queue}
        return {"op": "alter", **target, "attributes": dict(call.attributes)}
    if isinstance(call, calls.Fail):
        return {"op": "fail", "conn": call.conn}
    if isinstance(call, calls.ScanExpired):
        return {"op": "scan_expired", "queues": None if call.queues is None else list(call.queues)}
    return {"op": "quiesce"}


def _changed_members(structure: Structure) -> dict[str, Any]:
    initial = INITIAL[type(structure)]
    if structure == initial:
        return {}
    return {
        c_name: plain(value)
        for name, c_name in structure.c_names().items()
        if (value := getattr(structure, name)) != getattr(initial, name)
    }


_ARGUMENTS = {
    "hobj": "Hobj",
    "object_name": "ObjectName",
    "data": "data",
    "buffer_length": "BufferLength",
    "attributes": "attributes",
    "values": "values",
}
_STRUCTURES = {
    MessageDescriptor: "MQMD",
    GetMessageOptions: "MQGMO",
    PutMessageOptions: "MQPMO",
    ObjectDescriptor: "MQOD",
}
