"""Reader of configuration events as amqsevt prints them, in text or in any of its JSON layouts: queues' definitions.

A refresh (REFRESH QMGR TYPE(CONFIGEV)) has all queues; a change has the queue before and after it. Both are definitions
of the log, and an attribute in which they differ is unknown. Events of other kinds are skipped. Each call of an
activity trace is an error, because this reader does not read it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from oracle.errors import BadInputError, Place
from oracle.histories.event_log import QueueHeader
from spark_checks.readers.attributes import OF_KIND, Value, definition, read_attribute, read_queue_manager
from spark_checks.readers.detect import Source
from spark_checks.readers.other_events import without_calls
from spark_checks.readers.pieces import whole_lines
from spark_checks.readers.trace_marks import JSON_CALL, lost_calls

CONFIG_EVENT, ACTIVITY_TRACE = 43, 209

# An unterminated string extends to the end of the text, so that nothing is scanned twice.
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)', re.DOTALL)
_STRING_OR_LONG_NUMBER = re.compile(rf"{_STRING.pattern}|(?<![\w.+-])\d{{20,}}(?![\w.])", re.DOTALL)
_JSON_BEGIN = re.compile(r'[\s,\[]*\{\s*(?:"event\w+"|"correlationID"|$)')
_TEXT_BEGIN = re.compile(r"\*{4} Message #\d+ ")
_TEXT_CALL = re.compile(r"[ \t]*Operation Id[ \t]*:", re.IGNORECASE)
_TEXT_LINE = re.compile(r"\s*([A-Za-z][\w ]*):(?: (.*))?")
_LONGEST_EVENT = 10_000

_NUMBER = re.compile(r"-?\d{1,18}")
_NUMBERED = re.compile(r"\[\d{1,18}\]")
_NO_TYPE = "an event whose type cannot be read"

Fields = Mapping[str, str]


def quoted_numbers(text: str) -> str:
    """Return JSON with its long numbers as strings.

    Older versions of amqsevt print byte strings of digits as numbers, which is not valid JSON.
    """
    return _STRING_OR_LONG_NUMBER.sub(lambda found: found[0] if found[0][0] == '"' else f'"{found[0]}"', text)


def _plain(name: str) -> str:
    return re.sub(r"\W|_", "", name).upper()


def _header(fields: Fields, place: Place) -> Iterator[QueueHeader | BadInputError]:
    """Yield the definition of a local, model or alias queue or of a queue manager in an event's fields, and errors."""
    qmgr, queue = fields.get("EVENTQUEUEMGR", "").strip(), fields.get("QUEUENAME", "").strip()
    of_queue_manager, errors = _attributes(fields, read_queue_manager, place)
    yield from errors
    if qmgr and of_queue_manager:
        yield definition(qmgr, "", of_queue_manager, place)
    kind = fields.get("QUEUETYPE", "").split(" [")[0].strip().upper().removesuffix(" QUEUE")
    if kind not in OF_KIND:
        return
    if not qmgr or not queue:
        yield BadInputError("an event that names no queue or no queue manager", place)
        return
    attributes, errors = _attributes(fields, read_attribute, place)
    yield from errors
    yield definition(qmgr, queue, {**attributes, **OF_KIND[kind]}, place)


def _attributes(
    fields: Fields, read: Callable[[str, str], dict[str, Value]], place: Place
) -> tuple[dict[str, Value], list[BadInputError]]:
    """Return the attributes among an event's fields, and errors for those that cannot be read."""
    attributes: dict[str, Value] = {}
    errors: list[BadInputError] = []
    for name, value in fields.items():
        try:
            attributes |= read(name, _named(value))
        except BadInputError as error:  # the others are kept
            errors.append(BadInputError(str(error), place))
    return attributes, errors


def definition_in(event: Mapping[str, Any], place: Place) -> Iterator[QueueHeader | BadInputError]:
    """Yield the definition in a configuration event in JSON, if it is of a local, model or alias queue, and errors."""
    source, data = _part(event, "eventSource"), _part(event, "eventData")
    given = {"EVENTQUEUEMGR": str(source.get("queueMgr", ""))}
    yield from _header({**given, **{_plain(name): _value(each) for name, each in data.items()}}, place)


class _Events:
    """A parser of events by lines; an unterminated event is given up where the next one begins."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.found = False
        """Whether something of use was found, or a reason why there is none."""
        self.other = ""
        """The reason why the first event of another kind cannot be used. Empty if there is none."""

    def read(self) -> Iterator[QueueHeader | BadInputError]:
        """Yield the definitions and the errors of the file."""
        lines: list[str] = []
        first, depth, room = 0, 0, 0
        for number, text in whole_lines(self._source):
            if isinstance(text, BadInputError):
                yield from self._event(lines, first)
                yield text
                lines, first, depth = [], 0, 0
                continue
            in_text = _TEXT_BEGIN.match(text)
            # Within an event no brace is alone on a line, so one that is begins the next event, whatever is open.
            alone = text.strip() == "{" or not text[0].isspace()
            if in_text or (_JSON_BEGIN.match(text) and (depth <= 0 or alone)):
                yield from self._event(lines, first)
                lines, first, depth, room = [], number, 0, self._source.limits.record_bytes
            if not first and JSON_CALL.search(text):
                yield from lost_calls(text, Place(self._source.name, number), "text outside an event is not read")
            room -= len(text)
            if first and len(lines) < _LONGEST_EVENT and room > 0:
                lines.append(text)
            bare = _STRING.sub("", text)
            depth += bare.count("{") - bare.count("}")
        yield from self._event(lines, first)

    def _event(self, lines: list[str], first: int) -> Iterator[QueueHeader | BadInputError]:
        if not lines:
            return
        place = Place(self._source.name, first)
        if _TEXT_BEGIN.match(lines[0]):
            members = (_TEXT_LINE.fullmatch(line) for line in lines[1:])
            fields = {_plain(each[1]): each[2] or "" for each in members if each}
            kind = fields.get("EVENTTYPE", "")
            if f"[{CONFIG_EVENT}]" in kind:
                self.found = True
                yield from _header(fields, place)
            elif f"[{ACTIVITY_TRACE}]" in kind:
                self.found = True
                yield from self._trace_in_text(lines, first)
            elif _NUMBERED.search(kind) is None:
                yield BadInputError(_NO_TYPE, place)
            else:
                self.other = self.other or without_calls(_named(kind), _named(fields.get("REASON", "")))
            return
        text = "\n".join(lines)
        try:
            event = self._decoded(text)
        except (ValueError, RecursionError):
            yield from lost_calls(text, place, "not an event in JSON")
            return
        kind = _value(event.get("eventType"))
        if kind == str(ACTIVITY_TRACE):
            reason = "activity trace in one file with configuration events is not read; split it"
            yield from lost_calls(text, place, reason)
        elif not _NUMBER.fullmatch(kind) or JSON_CALL.search(text):
            yield from lost_calls(text, place, _NO_TYPE)
        elif kind == str(CONFIG_EVENT):
            self.found = True
            yield from definition_in(event, place)

    def _trace_in_text(self, lines: list[str], first: int) -> Iterator[BadInputError]:
        """Yield an error for each call of a trace message in this form, one if there is none."""
        reason = "activity trace as amqsevt prints it in text is not read; print it with -o json"
        calls = [number for number, line in enumerate(lines, first) if _TEXT_CALL.match(line)]
        for number in calls or [first]:
            yield BadInputError(reason, Place(self._source.name, number))

    def _decoded(self, text: str) -> dict[str, Any]:
        event, _ = json.JSONDecoder(strict=False).raw_decode(quoted_numbers(text).lstrip(" ,[\t\n"))
        if not isinstance(event, dict):
            raise ValueError("an event is an object")  # noqa: TRY004 - told like other damage
        return event


def _named(value: str) -> str:
    """Return the name of a value that is printed with its number behind it, such as `Perfm Event [45]`."""
    return value.partition(" [")[0].strip()


def _part(event: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = event.get(name)
    return part if isinstance(part, dict) else {}


def _value(value: Any) -> str:
    return str(value.get("value", "")) if isinstance(value, dict) else str(value)


def read_config_events(source: Source) -> Iterator[QueueHeader | BadInputError]:
    """Yield the local queues of configuration events, and an error for each thing that cannot be read."""
    events = _Events(source)
    yield from events.read()
    if not events.found:
        yield BadInputError(events.other or "no configuration event is among these events", Place(source.name))
