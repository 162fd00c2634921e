"""Connections from trace messages, and records of the event log from their calls.

`amqsact` prints the connection identifier with every trace message, `amqsevt` only with the MQCONN. For `amqsevt`,
process, thread and channel identify the connection, as long as they belong to one connection at a time. A trace message
for which that is not sure is a connection of its own, so that no order is claimed that the trace does not show.

Trace messages of a connection are numbered. Where numbers are missing, trace was lost: that is an error record, so the
log is not complete, and the calls after the gap are those of another connection in the log, because handles, units of
work and cursors may have changed in between. The same holds for a call that cannot be read. `seq` is the number of the
trace message and the place of the call in it, so a trace message that is read twice is the same one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from oracle.errors import BadInputError, Place
from oracle.histories.event_log import Event
from oracle.mqi.layouts import Layout
from oracle.text.mistakes import first_mistake
from spark_checks.readers.trace_events import DUMPS, Opened, columns_of
from spark_checks.readers.trace_messages import Operation, TraceMessage, identifier, structure, text
from spark_checks.readers.trace_times import Clock, Span, spans

CALLS_IN_A_MESSAGE = 2**20
"""A number above that of the calls of any trace message."""

_NOT_IN_THE_LOG = {"BEGIN", "STAT", "SUBRQ"}
"""Calls without a record in the event log, besides MQSUB and those of transaction managers (XA)."""


@dataclass
class _Stretch:
    """Calls of one connection without a gap between them: a connection of the event log."""

    name: str
    qmgr: str
    conn: str = ""
    clock: Clock = field(default_factory=Clock)
    opened: Opened = field(init=False)
    foreign_units: bool = False

    def __post_init__(self) -> None:
        self.conn = self.conn or self.name
        self.opened = Opened(self.qmgr)

    def after_gap(self, at: str) -> None:
        """Continue as another connection: handles and units of work are no longer known."""
        self.conn = f"{self.name}+{at}"
        self.opened = Opened(self.qmgr)


class _Connection:
    """The connection, or the connections one after the other, of the trace messages with one key."""

    def __init__(self) -> None:
        self._stretch = _Stretch("", "")
        self._last: int | None = None
        self._ended = False
        self._ambiguous = False
        self._seen: set[int] = set()

    def read(self, message: TraceMessage) -> Iterator[Event | BadInputError]:
        """Return the records of the next trace message; none for one that was read before."""
        fingerprint = hash(repr((message.number, [one and one.fields for one in message.operations])))
        if fingerprint in self._seen:
            return
        self._seen.add(fingerprint)
        number, place = message.number, f"{message.source}:{message.line}"
        first = number == 0 and not message.connection_id
        begins = self._last is None or (first and self._ended)
        if not begins and (self._ended or number <= (self._last or 0)):
            self._ambiguous = True
        if self._ambiguous or number < 0 or not _tells_its_connection(message):
            yield from _records(message, _Stretch(place, message.qmgr))
            return
        if begins:
            name = message.connection_id or _connected(message) or f"{message.application}@{place}"
            self._stretch = _Stretch(name, message.qmgr)
        elif self._last is not None and number > self._last + 1:
            missing = f"{self._last + 1} to {number - 1}" if number > self._last + 2 else str(number - 1)
            reason = f"trace was lost before this trace message: number {missing} of connection {self._stretch.name}"
            yield BadInputError(reason, Place(message.source, message.line))
            self._stretch.after_gap(str(number))
        self._last = number
        final = message.operations[-1]
        self._ended = final is not None and final.call == "MQDISC"
        yield from _records(message, self._stretch)


def assemble(messages: Iterable[TraceMessage]) -> Iterator[Event | BadInputError]:
    """Return the records of trace messages sorted by `sorting`, and an error for each unreadable thing."""
    key: tuple[str, str] | None = None
    connection = _Connection()
    for message in messages:
        if not message.qmgr:
            reason = "the trace message of this call does not name its queue manager"
            for one in filter(None, message.operations):
                yield BadInputError(reason, Place(message.source, one.line))
            continue
        if message.key != key:
            key, connection = message.key, _Connection()
        yield from connection.read(message)


def sorting(message: TraceMessage) -> tuple[tuple[str, str], int, str, int]:
    """Return the key by which trace messages are sorted before they are assembled."""
    return message.key, message.order, message.source, message.line


def _tells_its_connection(message: TraceMessage) -> bool:
    return message.connection_id is not None or "processid" in message.header


def _connected(message: TraceMessage) -> str | None:
    """Return the connection identifier from the MQCONN that the trace message begins with."""
    first = message.operations[0]
    return identifier(first.fields, "connectionid") if first and first.call == "MQCONN" else None


def _records(message: TraceMessage, stretch: _Stretch) -> Iterator[Event | BadInputError]:
    remote = text(message.header, "channelname") is not None
    if any(one and one.verb.startswith("XA") for one in message.operations):
        stretch.foreign_units = True
    for index, (one, span) in enumerate(zip(message.operations, spans(message, stretch.clock), strict=True)):
        found: Event | BadInputError | None = None
        if one is not None:
            place = Place(message.source, one.line)
            if span is None:
                found = BadInputError("the call has no time", place)
            elif one.call:
                dumps, errors = _readable(one, place)
                yield from errors
                seq = max(message.number, 0) * CALLS_IN_A_MESSAGE + index
                found = _record(dumps, stretch, seq, span, place, remote=remote)
            elif one.verb == "SUB":
                stretch.opened.subscribe(one)
            elif one.verb not in _NOT_IN_THE_LOG and not one.verb.startswith(("XA", "AX")):
                found = BadInputError(f"unknown call {one.fields.get('operationid', '')!r:.40}", place)
        if one is None or isinstance(found, BadInputError):
            stretch.after_gap(f"{message.number}.{index}")
        if found:
            yield found


def _readable(one: Operation, place: Place) -> tuple[Operation, list[BadInputError]]:
    """Return a call without the dumps that cannot be decoded, and the errors of those."""
    found = {name: _why_unread(one, name, layout, place) for name, layout in DUMPS.items()}
    errors = {name: error for name, error in found.items() if error}
    fields = {name: value for name, value in one.fields.items() if name not in errors}
    return Operation(one.line, fields), list(errors.values())


def _why_unread(one: Operation, name: str, layout: Layout, place: Place) -> BadInputError | None:
    try:
        structure(one.fields, name, layout)
    except BadInputError as error:
        return BadInputError(f"this dump is not read: {error}", place)
    return None


def _record(
    one: Operation, stretch: _Stretch, seq: int, span: Span, place: Place, *, remote: bool
) -> Event | BadInputError:
    foreign = stretch.foreign_units
    columns: dict[str, Any] = columns_of(one, stretch.opened, span, remote=remote, foreign_units=foreign)
    try:
        return Event(
            qmgr=stretch.qmgr,
            conn=stretch.conn,
            seq=seq,
            start_us=span[0],
            end_us=span[1],
            call=one.call,
            source=place.source,
            line=place.line,
            **columns,
        )
    except ValidationError as error:
        mistake = first_mistake(error)
        return BadInputError(mistake.about(mistake.member), place)
