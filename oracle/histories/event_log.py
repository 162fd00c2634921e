"""Event log 1: the canonical record of what applications did to a queue manager.

One record per MQI call, in any order. Readers of foreign formats produce these records, the conformance suite writes
its own histories as these records, and audit rules read only these. A column that was not captured is null, and null is
never a value.

>>> event = Event(qmgr="QM1", conn="A", seq=1, start_us=0, end_us=9, call="MQCMIT", comp_code=0, reason=0)
>>> parse_line(to_line(event), Place("example.jsonl", 1)) == event
True
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from oracle.errors import BadInputError, Place
from oracle.mqi.definitions import QueueDefinition
from oracle.mqi.profile import PlatformName
from oracle.text.json_text import parse_json
from oracle.text.mistakes import first_mistake
from oracle.text.text_files import UTF_16

VERSION = 1

Call = Literal[
    "MQCONN", "MQDISC", "MQOPEN", "MQCLOSE", "MQPUT", "MQPUT1", "MQGET", "MQCMIT", "MQBACK",
    "MQINQ", "MQSET", "MQCB", "MQCTL", "CALLBACK",
]  # fmt: skip  # names
CALLS: tuple[str, ...] = get_args(Call)

Long = Annotated[int, Field(strict=True, ge=-(2**63), lt=2**63)]
Int = Annotated[int, Field(strict=True, ge=-(2**31), lt=2**31)]
MOST_US = 2**60
"""The latest time, some 36,000 years after 1970: sums of a few times stay within 64 bits."""
LONGEST_CLOCK_US = 366 * 86_400_000_000
Time = Annotated[int, Field(strict=True, ge=-MOST_US, le=MOST_US)]
Name = Annotated[str, Field(strict=True)]
PADDED: Final = ("qmgr", "queue", "object_name", "format", "reply_to_q")
"""The columns with names from fields of fixed length, which a record may have with padding."""


def unpadded(name: str) -> str:
    """Return a name without its padding: blanks, or a null character and everything after it.

    >>> unpadded("MQSTR   "), unpadded("MQSTR" + chr(0) + "xy")
    ('MQSTR', 'MQSTR')
    """
    return name.partition("\0")[0].rstrip(" ")


Unpadded = Annotated[str, Field(strict=True), AfterValidator(unpadded)]
Identifier = Annotated[str, Field(strict=True, pattern=r"^[0-9a-f]{48}$")]
Token = Annotated[str, Field(strict=True, pattern=r"^[0-9a-f]{32}$")]
Digest = Annotated[str, Field(strict=True, pattern=r"^[0-9a-f]{64}$")]


class _Record(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Event(_Record):
    """One MQI call as the log shows it; docs/event-log.md says more of the columns.

    Times are microseconds since 1970-01-01 UTC; identifiers are lowercase hexadecimal text. None means that a column
    was not captured or, if its description says so, that the call has no such value.
    """

    qmgr: Name
    """The queue manager; for shared queues, one name of all queue managers of the group."""
    conn: Name
    """The connection: a name that is unique in the log."""
    seq: Long
    """The number of the call among those of its connection. Numbers increase; gaps have no meaning."""
    start_us: Time
    """The time at which the call began. It took effect at one moment between this and `end_us`."""
    end_us: Time
    """The time at which the call ended."""
    call: Call
    """The name of the call. CALLBACK is a message handed to a consumer, and counts as an MQGET."""
    comp_code: Int | None = None
    """The completion code."""
    reason: Int | None = None
    """The reason code."""
    hobj: Long | None = None
    """The object handle that MQOPEN returned or the call used. None for a call without one."""
    queue: Name | None = None
    """The local queue, with aliases and remote definitions resolved."""
    object_name: Name | None = None
    """The name that the application gave."""
    options: Long | None = None
    """The options of the call: the sum of those of MQOPEN, MQCLOSE, MQPMO or MQGMO."""
    match_options: Int | None = None
    """MQGMO.MatchOptions. None also for an MQGMO of version 1, which selects by MsgId and CorrelId."""
    wait_ms: Int | None = None
    """The wait interval in milliseconds."""
    sel_msg_id: Identifier | None = None
    """The MsgId that a get passed to select by."""
    sel_correl_id: Identifier | None = None
    """The CorrelId that a get passed to select by."""
    sel_group_id: Identifier | None = None
    """The GroupId that a get passed to select by."""
    sel_seq_number: Int | None = None
    """The MsgSeqNumber that a get passed to select by."""
    sel_offset: Int | None = None
    """The Offset that a get passed to select by."""
    sel_token: Token | None = None
    """The MsgToken that a get passed to select by."""
    msg_id: Identifier | None = None
    """The MsgId of the message that was put or got. None, like all that follow, for a get that failed."""
    correl_id: Identifier | None = None
    """Its CorrelId."""
    group_id: Identifier | None = None
    """Its GroupId."""
    msg_seq_number: Int | None = None
    """Its MsgSeqNumber, from 1."""
    offset: Int | None = None
    """Its Offset in bytes."""
    msg_flags: Long | None = None
    """Its MsgFlags: those passed for a put, and for a get also the bits that others imply."""
    original_length: Int | None = None
    """Its OriginalLength in bytes, -1 for undefined."""
    priority: Int | None = None
    """Its Priority after the call. For a put it may be -1: the default of the queue was asked for."""
    persistence: Int | None = None
    """Its Persistence after the call. For a put it may be 2: the default of the queue was asked for."""
    expiry: Int | None = None
    """MQMD.Expiry, in tenths of a second."""
    report: Long | None = None
    """Its Report: the reports that it asks for."""
    msg_type: Int | None = None
    """Its MsgType: 1 a request, 2 a reply, 4 a report, 8 a datagram, or an application-defined number."""
    feedback: Int | None = None
    """Its Feedback: in a report, the event."""
    backout_count: Int | None = None
    """Its BackoutCount: how often a get of it was backed out before."""
    format: Name | None = None
    """Its Format, with or without padding blanks."""
    reply_to_q: Name | None = None
    """Its ReplyToQ: the queue for replies and reports."""
    put_us: Time | None = None
    """Its PutDate and PutTime as one time. It has hundredths of a second, so it can be before the put began."""
    length: Long | None = None
    """The length of all of its data in bytes, even if the buffer was too small for them."""
    buffer_length: Long | None = None
    """The length of a get's buffer in bytes."""
    group_status: Name | None = None
    """MQGMO.GroupStatus as a get returned it: one character, a blank included."""
    segment_status: Name | None = None
    """MQGMO.SegmentStatus as a get returned it: one character, a blank included."""
    digest: Digest | None = None
    """The SHA-256 of the message's data in hexadecimal digits."""
    source: Name | None = None
    """The file from which the record was made. None: the file that contains it."""
    line: Long | None = None
    """The line, or the number of the record, in that file. None: that of the record itself."""

    @model_validator(mode="after")
    def _interval(self) -> Event:
        if self.end_us < self.start_us:
            raise ValueError("end_us lies before start_us")
        return self


MESSAGE_COLUMNS: Final = (
    "msg_id", "correl_id", "group_id", "msg_seq_number", "offset", "msg_flags", "original_length", "priority",
    "persistence", "expiry", "report", "msg_type", "feedback", "backout_count", "format", "reply_to_q",
)  # fmt: skip  # names
"""The columns of an event that contain members of the message's MQMD."""


class LogHeader(_Record):
    """Facts about the whole log: how exact its times are, and whether it has every call."""

    header: Literal["log"] = "log"
    """The kind of header."""
    version: Literal[1] = 1
    """The version of the event log's form."""
    clock_us: Annotated[int, Field(strict=True, ge=0, le=LONGEST_CLOCK_US)] = 0
    """The greatest difference between a time in the log and the true time, in microseconds."""
    complete: Annotated[bool, Field(strict=True)] = False
    """Whether the log has every call of its time."""
    platform: PlatformName | None = None
    """The platform of the queue managers. None if the header does not name it, as that of a capture."""

    @property
    def known_platform(self) -> PlatformName:
        """The platform, `distributed` if no header names it."""
        return self.platform or "distributed"


_NAMES = ("InitiationQName", "ProcessName")
_WORDS = ("MsgDeliverySequence", "IndexType", "Usage", "DefinitionType", "DefPutResponse")
_NUMBERS = (
    "CAPEXPRY", "MaxMsgLength", "InhibitGet", "InhibitPut", "MaxQDepth", "DefPriority", "DefPersistence",
    "Shareability", "TriggerControl", "TriggerType", "TriggerDepth", "TriggerMsgPriority", "MarkBrowseInterval",
)  # fmt: skip  # names
_PERHAPS_WITHOUT_LIMIT = ("CAPEXPRY", "MarkBrowseInterval")
"""The numbers that can be -1, which means no limit."""


def _mistake_in(attributes: Mapping[str, object]) -> str | None:
    """Return the mistake in the first attribute with an invalid value."""
    for name, value in attributes.items():
        if name in (*_NAMES, *_WORDS) and not isinstance(value, str):
            return f"{name} must be text"
        if name in _NUMBERS and not (type(value) is int and -(2**31) <= value < 2**31):
            return f"{name} must be a whole number of 32 bits"
        if name in (*_WORDS, *_NUMBERS) and not (name in _PERHAPS_WITHOUT_LIMIT and value == -1):
            try:
                QueueDefinition.model_validate({"name": "Q", name: value})
            except ValidationError as error:
                return first_mistake(error).about(name)
    return None


class QueueHeader(BaseModel):
    """A queue's definition; attributes besides the names are those of the target protocol.

    Without the name of a queue it is about the queue manager itself, and has the queue manager's attributes.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    header: Literal["queue"] = "queue"
    """The kind of header."""
    qmgr: Unpadded
    """The queue manager."""
    queue: Unpadded
    """The queue; empty for the queue manager itself."""

    @model_validator(mode="after")
    def _types(self) -> QueueHeader:
        if mistake := _mistake_in(self.attributes):
            raise ValueError(mistake)
        return self

    @property
    def of_queue_manager(self) -> bool:
        """Whether it is about the queue manager, and not about a queue."""
        return not self.queue

    @property
    def kind(self) -> str:
        """The type of the queue: `local`, `model`, `alias` or `remote`."""
        return str(self.attributes.get("type", "local"))

    @property
    def attributes(self) -> dict[str, Any]:
        """The attributes by their field names, as far as the log has them."""
        given = dict(self.model_extra or {})
        return given | {name: unpadded(given[name]) for name in _NAMES if isinstance(given.get(name), str)}


class DepthHeader(_Record):
    """The depth of a queue at one time."""

    header: Literal["depth"] = "depth"
    """The kind of header."""
    qmgr: Unpadded
    """The queue manager."""
    queue: Unpadded
    """The queue."""
    at_us: Time
    """The time, in microseconds since 1970-01-01 UTC."""
    depth: Annotated[int, Field(strict=True, ge=0, lt=2**31)]
    """The number of messages on the queue, as CurrentQDepth counts them."""


Header = LogHeader | QueueHeader | DepthHeader
Record = Event | LogHeader | QueueHeader | DepthHeader

_HEADERS: dict[str, type[LogHeader] | type[QueueHeader] | type[DepthHeader]] = {
    "log": LogHeader,
    "queue": QueueHeader,
    "depth": DepthHeader,
}

COLUMNS: tuple[str, ...] = tuple(Event.model_fields)
"""The columns of the log, in the order of the format."""


def parse_record(members: object, place: Place) -> Record:
    """Make a record from a decoded JSON object.

    Raises BadInputError, naming file, line and member, if it is neither a call nor a header.
    """
    if not isinstance(members, dict):
        raise BadInputError("a record is a JSON object", place)
    model: type[Record] = Event
    if "header" in members:
        kind = members["header"]
        if not isinstance(kind, str) or kind not in _HEADERS:
            raise BadInputError(f"unknown header {kind!r}; there are log, queue and depth", place)
        model = _HEADERS[kind]
    try:
        return model.model_validate(members)
    except ValidationError as error:
        mistake = first_mistake(error)
        raise BadInputError(mistake.about(mistake.member or "the record"), place) from error


def parse_line(line: str, place: Place) -> Record:
    """Read one line of a JSON Lines log.

    Raises BadInputError, naming file and line, if the line is not JSON or not a record.
    """
    return parse_record(parse_json(line, place, _wrong(line)), place)


def _wrong(line: str) -> str:
    """Return what is said of a line that is not JSON."""
    if "\0" in line:
        return UTF_16
    text = line.strip()
    if text in {"[", "{"} or (text.startswith(("{", "[{")) and text.endswith("},")):
        return "not a line of JSON: an event log has one whole object on each line, without a list around them"
    return "not a line of JSON"


def read_lines(lines: Iterable[str], source: str) -> Iterator[Record | BadInputError]:
    """Yield the records of a JSON Lines log, and an error for each line that cannot be read.

    Blank lines are skipped. A record without a `source` gets this file and its line. Names lose their padding.
    """
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = parse_line(line, Place(source, number))
        except BadInputError as error:
            yield error
            continue
        yield _placed(record, source, number) if isinstance(record, Event) else record


def _placed(event: Event, source: str, number: int) -> Event:
    """Return a call with its place, if it has none, and with its names without padding."""
    names = {column: getattr(event, column) for column in PADDED}
    changes: dict[str, Any] = {
        column: plain for column, name in names.items() if name is not None and (plain := unpadded(name)) != name
    }
    if event.source is None:
        changes |= {"source": source, "line": number}
    return event.model_copy(update=changes) if changes else event


def to_line(record: Record) -> str:
    """Write a record as one line of JSON; columns that were not captured are left out."""
    return json.dumps(record.model_dump(exclude_none=True), separators=(",", ":"))
