"""The JSON form of application activity trace: what `amqsevt -o json`, `json_compact` and `json_array` print.

A record is an event: one object, wherever it begins and whatever stands between it and the next. Older versions print
negative numbers as strings and byte strings of digits only as numbers, which is no JSON; the Go version of the program
prints other forms of options, in any order. Configuration events in the same stream tell definitions of queues; events
of other kinds are passed over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from oracle.errors import BadInputError, Place
from oracle.event_log import QueueHeader
from spark_checks.readers.config_events import ACTIVITY_TRACE, CONFIG_EVENT, definition_in
from spark_checks.readers.trace_messages import Fields, Operation, TraceMessage, field_name
from spark_checks.readers.trace_records import Chunk

_STRING_OR_LONG_NUMBER = re.compile(r'"(?:[^"\\]|\\.)*"|(?<![\w.+-])\d{20,}(?![\w.])', re.DOTALL)
_CALLS = re.compile(r'"activityTrace"\s*:\s*\[')
_CALL = re.compile(r'"operationId"\s*:')
_BETWEEN = re.compile(r"[\s,\]\[]*")
_NEXT_CALL = re.compile(r"\}\s*,\s*(?=\{)")
_DECODER = json.JSONDecoder(strict=False)


def read_json(chunk: Chunk, source: str) -> Iterator[TraceMessage | QueueHeader | BadInputError]:
    """Read one event; of a damaged one the calls that are whole are read, and the others are errors."""
    place = Place(source, chunk.line)
    printed = chunk.data.decode("utf-8", errors="replace").removeprefix("\ufeff")
    if not chunk.begins:
        if _BETWEEN.fullmatch(printed) is None:
            yield BadInputError("text before the first event is not read", place)
        return
    printed = _STRING_OR_LONG_NUMBER.sub(_quoted, printed)
    try:
        event, end = _DECODER.raw_decode(printed)
    except (ValueError, RecursionError):
        yield from _damaged(printed, chunk, source)
        return
    yield from _found(event, printed[:end], chunk, source)
    if _BETWEEN.fullmatch(printed, end) is None:
        line = chunk.line + printed.count("\n", 0, end)
        yield BadInputError("text after the event is not read", Place(source, line))


def _quoted(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith('"') else f'"{found[0]}"'


def _found(event: Any, printed: str, chunk: Chunk, source: str) -> Iterator[TraceMessage | QueueHeader | BadInputError]:
    kind = _number(_part(event, "eventType").get("value"))
    if kind == CONFIG_EVENT:
        yield from definition_in(event, Place(source, chunk.line))
    elif kind == ACTIVITY_TRACE:
        yield from _messages(event, printed, chunk, source)


def _messages(event: Any, printed: str, chunk: Chunk, source: str) -> Iterator[TraceMessage | BadInputError]:
    place = Place(source, chunk.line)
    data = event.get("eventData")
    calls = data.get("activityTrace") if isinstance(data, dict) else None
    if not isinstance(calls, list):
        yield BadInputError("an activity trace without its calls", place)
        return
    lines = [chunk.line + printed.count("\n", 0, at.start()) for at in _CALL.finditer(printed)]
    if len(lines) != len(calls):
        lines = [chunk.line] * len(calls)
    operations: list[Operation | None] = []
    for line, call in zip(lines, calls, strict=True):
        fields = _fields(call) if isinstance(call, dict) else {}
        if "operationid" not in fields:
            yield BadInputError("the call has no operation identifier", Place(source, line))
        operations.append(Operation(line, fields) if "operationid" in fields else None)
    if operations:
        yield _message(event, operations, chunk, source)


def _message(event: Any, operations: list[Operation | None], chunk: Chunk, source: str) -> TraceMessage:
    header = _fields({**_part(event, "eventSource"), **_part(event, "eventData")})
    epoch = _number(_part(event, "eventCreation").get("epoch"))
    given = (event.get("correlationID"), header.get("connectionid"))
    known = next((str(one).lower() for one in given if re.fullmatch("[0-9a-fA-F]{48}", str(one))), None)
    created = None if epoch is None else epoch * 1_000_000
    return TraceMessage(source, chunk.line, header, tuple(operations), known, created)


def _part(event: Any, name: str) -> dict[str, Any]:
    part = event.get(name)
    return part if isinstance(part, dict) else {}


def _number(value: Any) -> int | None:
    if type(value) is int:
        return value
    return int(value) if isinstance(value, str) and re.fullmatch(r"-?\d{1,18}", value) else None


def _fields(members: dict[str, Any]) -> Fields:
    """Return parameters by their names; of an object with a number in it and its meaning, the number."""
    found: Fields = {}
    for name, value in members.items():
        plain = value
        if isinstance(value, dict):
            plain = next((value[one] for one in ("value", "options", "valueHex") if one in value), None)
        if isinstance(plain, (int, str)) and not isinstance(plain, bool):
            found[field_name(name)] = plain
    return found


def _damaged(printed: str, chunk: Chunk, source: str) -> Iterator[TraceMessage | BadInputError]:
    """Read what is whole in an event that is not JSON: its head, if the calls come after it, and the calls."""
    calls = _CALLS.search(printed)
    head = _head(printed[: calls.start()]) if calls else None
    if calls is None or head is None:
        yield BadInputError("not an event in JSON", Place(source, chunk.line))
        return
    operations: list[Operation | None] = []
    at = calls.end()
    while True:
        at = _BETWEEN.match(printed, at).end()  # type: ignore[union-attr]  # it matches the empty string
        if not printed.startswith("{", at):
            break
        line = chunk.line + printed.count("\n", 0, at)
        try:
            call, end = _DECODER.raw_decode(printed, at)
        except (ValueError, RecursionError):
            call, end = None, -1
        fields = _fields(call) if isinstance(call, dict) else {}
        whole = "operationid" in fields
        operations.append(Operation(line, fields) if whole else None)
        if not whole:
            yield BadInputError(
                "this call of the trace is not JSON or has no operation identifier", Place(source, line)
            )
        if end < 0:
            following = _NEXT_CALL.search(printed, at)
            if following is None:
                break
            end = following.end()
        at = end
    if not any(one is None for one in operations):
        yield BadInputError("the event is not whole", Place(source, chunk.line))
    if any(operations):
        yield _message(head, [*operations, None], chunk, source)


def _head(printed: str) -> Any:
    """Return the event as far as it comes before its calls, None if that is damaged too or another kind of event."""
    try:
        event = _DECODER.decode(printed.rstrip().rstrip(",") + "}}")
    except (ValueError, RecursionError):
        return None
    return event if _number(_part(event, "eventType").get("value")) == ACTIVITY_TRACE else None
