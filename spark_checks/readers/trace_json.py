"""The JSON form of application activity trace: what `amqsevt -o json`, `json_compact` and `json_array` print.

A record is an event: one object, wherever it begins and whatever separates it from the next. Older versions print
negative numbers as strings, and byte strings of digits as numbers, which is not valid JSON. The Go version of the
program prints other forms of options, in any order. Configuration events in the same stream are definitions of queues;
events of other kinds are skipped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from oracle.errors import BadInputError, Place
from oracle.histories.event_log import QueueHeader
from oracle.text.json_text import is_unicode
from spark_checks.readers.config_events import ACTIVITY_TRACE, CONFIG_EVENT, definition_in, quoted_numbers
from spark_checks.readers.trace_marks import JSON_CALL, lines_of, lost_calls
from spark_checks.readers.trace_messages import Fields, Operation, TraceMessage, field_name, within_64_bits
from spark_checks.readers.trace_records import Chunk

_CALLS = re.compile(r'"activityTrace"\s*:\s*\[')
_BETWEEN = re.compile(r"[\s,\]\[]*")
_NEXT_CALL = re.compile(r"\}\s*,\s*(?=\{)")
_DECODER = json.JSONDecoder(strict=False)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object. Raises ValueError if damage has merged two calls into one."""
    if [name for name, _ in pairs].count("operationId") > 1:
        raise ValueError("two calls in one")
    return dict(pairs)


_CALL_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_once)

Read = Iterator[TraceMessage | QueueHeader | BadInputError]


def read_json(chunk: Chunk, source: str) -> Read:
    """Read one event. If it is damaged, its undamaged calls are read, and each other call is an error."""
    place = Place(source, chunk.line)
    printed = chunk.data.decode("utf-8", errors="replace").removeprefix("\ufeff")
    if not chunk.begins:
        if _BETWEEN.fullmatch(printed) is None:
            yield from lost_calls(printed, place, "text before the first event is not read")
        return
    printed = quoted_numbers(printed)
    try:
        event, end = _DECODER.raw_decode(printed)
    except (ValueError, RecursionError):
        yield from _damaged(printed, chunk, source)
        return
    yield from _found(event, printed[:end], chunk, source)
    if _BETWEEN.fullmatch(printed, end) is None:
        after = Place(source, chunk.line + printed.count("\n", 0, end))
        yield from lost_calls(printed[end:], after, "text after the event is not read")


def _found(event: Any, printed: str, chunk: Chunk, source: str) -> Read:
    place = Place(source, chunk.line)
    kind = _number(_part(event, "eventType").get("value"))
    if kind == ACTIVITY_TRACE:
        yield from _messages(event, printed, chunk, source)
    elif kind is None or JSON_CALL.search(printed):
        yield from lost_calls(printed, place, "an event whose type cannot be read")
    elif kind == CONFIG_EVENT:
        yield from definition_in(event, place)


def _messages(event: Any, printed: str, chunk: Chunk, source: str) -> Iterator[TraceMessage | BadInputError]:
    place = Place(source, chunk.line)
    data = event.get("eventData")
    calls = data.get("activityTrace") if isinstance(data, dict) else None
    if not isinstance(calls, list):
        yield from lost_calls(printed, place, "an activity trace without its calls")
        return
    lines = lines_of(printed, JSON_CALL, chunk.line)
    if len(lines) > len(calls):
        yield from _damaged(printed, chunk, source)
        return
    if len(lines) < len(calls):
        lines = [chunk.line] * len(calls)
    operations: list[Operation | None] = []
    for line, call in zip(lines, calls, strict=True):
        operation = _operation(call, line)
        if operation is None:
            yield BadInputError(_NO_CALL, Place(source, line))
        if not _repeats(operation, operations):
            operations.append(operation)
    if operations:
        yield from _message(event, operations, chunk, source)


def _repeats(operation: Operation | None, before: list[Operation | None]) -> bool:
    """Return whether a call is a copy of the one before it, as lines that were copied twice have it.

    No two calls of a thread have the same time to the microsecond.
    """
    last = before[-1] if before else None
    return bool(operation and last and "highrestime" in operation.fields and operation.fields == last.fields)


_NO_CALL = "the call has no operation identifier, or text with half a character"


def _operation(call: Any, line: int) -> Operation | None:
    """Return a call; None if it is not one or has text with half of a surrogate pair."""
    fields = _fields(call) if isinstance(call, dict) else {}
    return Operation(line, fields) if "operationid" in fields and _legible(fields) else None


def _legible(fields: Fields) -> bool:
    """Return whether all texts are Unicode: JSON can escape half of a surrogate pair, which no encoding can hold."""
    return all(is_unicode(value) for value in fields.values() if isinstance(value, str))


def _message(
    event: Any, operations: list[Operation | None], chunk: Chunk, source: str
) -> Iterator[TraceMessage | BadInputError]:
    """Yield a trace message, or an error for each call of one with an unreadable header."""
    header = _fields({**_part(event, "eventSource"), **_part(event, "eventData")})
    if not _legible(header):
        for one in filter(None, operations):
            reason = "the header of its trace message has text with half a character"
            yield BadInputError(reason, Place(source, one.line))
        return
    epoch = _number(_part(event, "eventCreation").get("epoch"))
    given = (event.get("correlationID"), header.get("connectionid"))
    known = next((str(one).lower() for one in given if re.fullmatch("[0-9a-fA-F]{48}", str(one))), None)
    created = None if epoch is None else within_64_bits(epoch * 1_000_000)
    yield TraceMessage(source, chunk.line, header, tuple(operations), known, created)


def _part(event: Any, name: str) -> dict[str, Any]:
    part = event.get(name)
    return part if isinstance(part, dict) else {}


def _number(value: Any) -> int | None:
    if type(value) is int:
        return value
    return int(value) if isinstance(value, str) and re.fullmatch(r"-?\d{1,18}", value) else None


def _fields(members: dict[str, Any]) -> Fields:
    """Return parameters by name; an object with a number and its meaning becomes the number."""
    found: Fields = {}
    for name, value in members.items():
        plain = value
        if isinstance(value, dict):
            plain = next((value[one] for one in ("value", "options", "valueHex") if one in value), None)
        if isinstance(plain, (int, str)) and not isinstance(plain, bool):
            found[field_name(name)] = plain
    return found


def _damaged(printed: str, chunk: Chunk, source: str) -> Iterator[TraceMessage | BadInputError]:
    """Read the undamaged parts of an event that is not JSON: its head, if the calls come after it, and the calls."""
    place = Place(source, chunk.line)
    calls = _CALLS.search(printed)
    head = _head(printed[: calls.start()]) if calls else None
    if calls is None or head is None:
        yield from lost_calls(printed, place, "not an event in JSON")
        return
    operations: list[Operation | None] = []
    line, at = chunk.line, 0
    begins = [calls.end(), *(found.end() for found in _NEXT_CALL.finditer(printed, calls.end()))]
    for begin, end in zip(begins, [*begins[1:], len(printed)], strict=True):
        line += printed.count("\n", at, begin)
        at = begin
        text = printed[begin:end]
        call, rest = _first_call(text)
        where = Place(source, line + text.count("\n", 0, len(text) - len(text.lstrip())))
        operation = _operation(call, where.line or 1)
        if operation is None and not (begin == begins[-1] and _BETWEEN.fullmatch(text)):
            yield from lost_calls(text, where, "this call of the trace is not JSON or has no operation identifier")
            operations.append(None)
            continue
        operations.append(operation)
        if JSON_CALL.search(rest):
            yield from lost_calls(rest, where, "text after this call is not read")
            operations.append(None)
    if not any(one is None for one in operations):
        yield BadInputError("the event is not whole", place)
    if any(operations):
        yield from _message(head, [*operations, None], chunk, source)


def _first_call(text: str) -> tuple[Any, str]:
    """Return the object at the beginning of a text, None if there is none, and the rest of the text."""
    plain = text.lstrip()
    try:
        call, end = _CALL_DECODER.raw_decode(plain)
    except (ValueError, RecursionError):
        return None, ""
    return call, plain[end:]


def _head(printed: str) -> Any:
    """Return the event up to its calls; None if that is damaged too or is another kind of event."""
    try:
        event = _DECODER.decode(printed.rstrip().rstrip(",") + "}}")
    except (ValueError, RecursionError):
        return None
    return event if _number(_part(event, "eventType").get("value")) == ACTIVITY_TRACE else None
