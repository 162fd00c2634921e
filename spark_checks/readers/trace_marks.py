"""Patterns that identify application activity trace and the beginnings of its records."""

from __future__ import annotations

import re
from collections.abc import Iterator

from oracle.errors import BadInputError, Place

JSON_EVENT = re.compile(rb'\{\s*"(?:eventSource|eventType|eventReason|eventCreation|eventData|correlationID)"\s*:')
"""The beginning of an event in the output of `amqsevt`: these members occur only at its top."""

JSON_TRACE = re.compile(rb'"eventType"\s*:\s*\{[^{}]{0,200}?(?:"Activity Trace"|:\s{0,20}"?209\b)')
"""The member that identifies an event as activity trace, in the output of `amqsevt`."""

TEXT_MESSAGE = re.compile(rb"^MonitoringType:", re.MULTILINE)
"""The beginning of a trace message in the output of `amqsact -v`."""

JSON_CALL = re.compile(r'"operationId"\s*:')
_TIMED = re.compile(r'"operationTime"\s*:')
TEXT_CALLS = (
    re.compile(r"^[ \t]*MQI Operation:", re.MULTILINE),
    re.compile(r"^[ \t]*Operation ?Id:", re.MULTILINE | re.IGNORECASE),
)
"""The label of each call of a trace message, by which calls are counted if nothing else can be read."""


def lines_of(text: str, marks: re.Pattern[str], first: int) -> list[int]:
    """Return the lines at which a pattern is found in a text that begins on the line `first`."""
    lines, line, at = [], first, 0
    for found in marks.finditer(text):
        line += text.count("\n", at, found.start())
        at = found.start()
        lines.append(line)
    return lines


def lost_calls(text: str, place: Place, reason: str) -> Iterator[BadInputError]:
    """Yield an error for each call that seems to be in an unreadable text; one error if there seems to be none.

    `place` is the beginning of the text.
    """
    lines = max((lines_of(text, calls, place.line or 1) for calls in (JSON_CALL, _TIMED)), key=len)
    if not lines:
        yield BadInputError(reason, place)
    for line in lines:
        yield BadInputError(f"{reason}: this call", Place(place.source, line))
