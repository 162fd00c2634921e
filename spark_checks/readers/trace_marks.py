"""By what application activity trace is known, and where its records begin."""

from __future__ import annotations

import re
from collections.abc import Iterator

from oracle.errors import BadInputError, Place

JSON_EVENT = re.compile(rb'\{\s*"(?:eventSource|eventType|eventReason|eventCreation|eventData|correlationID)"\s*:')
"""Where an event begins as `amqsevt` prints it: these members stand nowhere but at its top."""

JSON_TRACE = re.compile(rb'"eventType"\s*:\s*\{[^{}]{0,200}?(?:"Activity Trace"|:\s{0,20}"?209\b)')
"""What says that an event is activity trace, as `amqsevt` prints it."""

TEXT_MESSAGE = re.compile(rb"^MonitoringType:", re.MULTILINE)
"""Where a trace message begins as `amqsact -v` prints it."""

JSON_CALL = re.compile(r'"operationId"\s*:')
_TIMED = re.compile(r'"operationTime"\s*:')
TEXT_CALLS = (
    re.compile(r"^[ \t]*MQI Operation:", re.MULTILINE),
    re.compile(r"^[ \t]*Operation ?Id:", re.MULTILINE | re.IGNORECASE),
)
"""What each call of a trace message has, so that calls can be counted where nothing else can be read."""


def lines_of(text: str, marks: re.Pattern[str], first: int) -> list[int]:
    """Return the lines at which a pattern is found in a text that begins on the line `first`."""
    lines, line, at = [], first, 0
    for found in marks.finditer(text):
        line += text.count("\n", at, found.start())
        at = found.start()
        lines.append(line)
    return lines


def lost_calls(text: str, place: Place, reason: str) -> Iterator[BadInputError]:
    """Yield an error for each call that seems to be in a text which cannot be read, one if there seems to be none.

    `place` is where the text begins.
    """
    lines = max((lines_of(text, calls, place.line or 1) for calls in (JSON_CALL, _TIMED)), key=len)
    if not lines:
        yield BadInputError(reason, place)
    for line in lines:
        yield BadInputError(f"{reason}: this call", Place(place.source, line))
