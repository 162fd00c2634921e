"""Readers of queue contents: files of dmpmqmsg (qload), and the output of amqsbcg.

Neither gives the time of the listing, except a local time that may be later than the contents; the user gives it to the
audit. Every message is what MQGET with a browse option returned, so its Expiry is what remained. Message data are read
only for their length and digest. A listing is whole if nothing in it is damaged, its messages are numbered without gaps
and, for amqsbcg, it has its proper end. A file of dmpmqmsg that was cut between two messages looks whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from oracle.errors import BadInputError, Place
from oracle.mqi.put_times import put_time_us
from spark_checks.readers.detect import Source
from spark_checks.readers.pieces import whole_lines


@dataclass(frozen=True, slots=True)
class Listed:
    """A message on a queue, as a listing shows it."""

    place: Place
    """The place in the listing where the message begins."""
    qmgr: str | None
    """The queue manager. None if the listing does not name it."""
    queue: str
    """The queue."""
    columns: Mapping[str, Any]
    """The columns of the event log that the listing has, as an MQGET would show them."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A listing of a queue."""

    place: Place
    """The place where the listing of the queue begins."""
    qmgr: str | None
    """The queue manager. None if the listing does not name it."""
    queue: str
    """The queue."""
    count: int
    """The number of messages that were read of it."""
    whole: bool
    """Whether these are all messages that were on the queue."""


Contents = Iterator[Listed | Listing | BadInputError]

_NUMBERS = {
    "MSQ": "msg_seq_number",
    "OFF": "offset",
    "MSF": "msg_flags",
    "ORL": "original_length",
    "PRI": "priority",
    "PER": "persistence",
    "EXP": "expiry",
    "RPT": "report",
    "MST": "msg_type",
    "FDB": "feedback",
    "BOC": "backout_count",
}
_IDENTIFIERS = {"MSI": "msg_id", "COI": "correl_id", "GRP": "group_id"}
_NAMES = {"FMT": "format", "RTQ": "reply_to_q"}
_LABELS = {
    "MsgSeqNumber": "MSQ", "Offset": "OFF", "MsgFlags": "MSF", "OriginalLength": "ORL", "Priority": "PRI",
    "Persistence": "PER", "Expiry": "EXP", "Report": "RPT", "MsgType": "MST", "Feedback": "FDB",
    "BackoutCount": "BOC", "MsgId": "MSI", "CorrelId": "COI", "GroupId": "GRP", "Format": "FMT", "ReplyToQ": "RTQ",
    "PutDate": "PTD", "PutTime": "PTT",
}  # fmt: skip  # pairs
"""The attribute of dmpmqmsg for each label of amqsbcg."""

_INT = range(-(2**31), 2**31)


@dataclass(slots=True)
class _Message:
    """A message as far as it has been read: attributes under their names in dmpmqmsg, and its data."""

    line: int
    values: dict[str, str] = field(default_factory=dict)
    length: int | None = None
    digest: Any = field(default_factory=sha256)
    seen: int = 0
    opaque: bool = False
    described: bool = False

    def data(self, digits: str) -> None:
        """Take data in hexadecimal."""
        part = bytes.fromhex(digits)
        self.digest.update(part)
        self.seen += len(part)

    def columns(self) -> dict[str, Any]:
        """Return the columns of the message. Raises BadInputError for an impossible value."""
        found: dict[str, Any] = {}
        for name, value in self.values.items():
            if name in _NUMBERS:
                if not re.fullmatch(r"-?\d{1,10}", value.strip()) or int(value) not in _INT:
                    raise BadInputError(f"{_NUMBERS[name]} cannot be {value!r}")
                found[_NUMBERS[name]] = int(value)
            elif name in _IDENTIFIERS:
                if not re.fullmatch(r"[0-9A-Fa-f]{48}", value.strip()):
                    raise BadInputError(f"{_IDENTIFIERS[name]} cannot be {value!r}")
                found[_IDENTIFIERS[name]] = value.strip().lower()
            elif name in _NAMES:
                found[_NAMES[name]] = value.rstrip()
        if "msg_id" not in found:
            raise BadInputError("a message without its identifier")
        found["put_us"] = put_time_us(self.values.get("PTD", ""), self.values.get("PTT", ""))
        if not self.opaque and self.length in (None, self.seen):
            found |= {"length": self.seen, "digest": self.digest.hexdigest()}
        elif self.length is not None:
            found["length"] = self.length
        return found


class _Contents:
    """The common part of both formats: it goes from message to message and from queue to queue."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.qmgr: str | None = None
        self.queue: str | None = None
        self.message: _Message | None = None
        self.damaged = False
        self._line = 1
        self.count = 0

    def at(self, number: int) -> Place:
        """Return the place of a line."""
        return Place(self.source, number)

    def damage(self, number: int, reason: str) -> BadInputError:
        """Note damage, and return the error."""
        self.damaged = True
        return BadInputError(reason, self.at(number))

    def unread(self, error: BadInputError) -> Contents:
        """Note that lines are missing, and yield the error; the message before them is not whole."""
        self.damaged = True
        self.message = None
        yield error

    def end_message(self) -> Contents:
        """Yield the complete message, or the error if it cannot be used."""
        message, self.message = self.message, None
        if message is None:
            return
        try:
            columns = message.columns()
        except BadInputError as error:
            yield self.damage(message.line, str(error))
            return
        if self.queue is None:
            yield self.damage(message.line, "the listing does not name the queue of this message")
            return
        self.count += 1
        yield Listed(self.at(message.line), self.qmgr, self.queue, columns)

    def end_queue(self, *, whole: bool) -> Contents:
        """Yield the last message and the listing."""
        yield from self.end_message()
        if self.queue is not None:
            yield Listing(self.at(self._line), self.qmgr, self.queue, self.count, whole and not self.damaged)
        self.queue = None

    def begin_queue(self, number: int, queue: str) -> None:
        """Note the queue that is listed from here on."""
        self.queue, self._line, self.count, self.damaged = queue, number, 0, False


_HEADER = re.compile(r"\*\s*(Qmgr|Queue)\s*=\s*(\S+)")
_ATTRIBUTE = re.compile(r"A ([A-Z]{3})(?: (.*))?")
_HEX = re.compile(r"X ((?:[0-9A-Fa-f]{2})+)(?:\s.*)?")


def read_dmpmqmsg(source: Source) -> Contents:
    """Yield the messages in a file of dmpmqmsg, then the listings, and an error for each unreadable thing."""
    contents = _Contents(source.name)
    for number, text in whole_lines(source):
        if isinstance(text, BadInputError):
            yield from contents.unread(text)
        elif header := _HEADER.match(text):
            if header[1] == "Qmgr":
                yield from contents.end_queue(whole=True)
                contents.qmgr = header[2]
            else:
                yield from contents.end_queue(whole=True)
                contents.begin_queue(number, header[2])
        elif not text.startswith("*"):
            yield from _dumped(contents, number, text)
    # A file without messages looks like one that was cut, so nothing follows from it.
    empty = contents.message is None and not contents.count
    yield from contents.end_queue(whole=not empty)


def _dumped(contents: _Contents, number: int, text: str) -> Contents:
    """Take one line of a message."""
    attribute = _ATTRIBUTE.fullmatch(text)
    if text.strip() == "N" or (attribute and attribute[1] == "VER"):
        yield from contents.end_message()
        if text.strip() == "N":
            yield contents.damage(number, "a message without its descriptor, which dmpmqmsg -d left out")
        else:
            contents.message = _Message(number)
        return
    message = contents.message
    if attribute and message:
        message.values[attribute[1]] = attribute[2] or ""
    elif (data := _HEX.fullmatch(text)) and message:
        message.data(data[1])
    elif text.startswith(("S ", "T ")) and message:
        message.opaque = True
    elif text[:2] not in ("X ", "S ", "T ") or message:
        yield contents.damage(number, "not a line of dmpmqmsg, or one outside a message")
        contents.message = None


_MEMBER = re.compile(r"(?<!\w)(\w+)\s*:\s*(?:X?'([^']*)'|(-?\d+))")
_OPEN = re.compile(r"\s*MQOPEN - '([^']+)'")
_LENGTH = re.compile(r"\s*length - (\d{1,10}) (?:of (\d{1,10}) )?bytes")
_DATA = re.compile(r"[0-9A-Fa-f]{8}:\s{1,2}((?:[0-9A-Fa-f]{2,4} ?){1,8})\s")
_DESCRIPTOR = re.compile(r"\s*StrucId\s*:\s*'MD")
_QUOTES = {0x2018: "'", 0x2019: "'", 0x201A: "'", 0x2032: "'"}
"""The quotes that word processors make."""


def read_amqsbcg(source: Source) -> Contents:
    """Yield the messages in a listing of amqsbcg, then the listings, and an error for each unreadable thing."""
    contents = _Contents(source.name)
    whole = False
    for number, line in whole_lines(source):
        if isinstance(line, BadInputError):
            yield from contents.unread(line)
            continue
        text = line.translate(_QUOTES)
        if opened := _OPEN.match(text):
            yield from contents.end_queue(whole=whole)
            contents.begin_queue(number, opened[1].strip())
            whole = False
        elif _DESCRIPTOR.match(text):
            yield from contents.end_message()
            contents.message = _Message(number)
        elif text.strip() == "No more messages":
            yield from contents.end_message()
            whole = True
        if contents.message:
            yield from _shown(contents, number, text)
    yield from contents.end_queue(whole=whole)


def _shown(contents: _Contents, number: int, text: str) -> Contents:
    """Take one line of a message."""
    message = contents.message
    if message is None:
        return
    if length := _LENGTH.match(text):
        message.length = int(length[2] or length[1])
    elif text.startswith("****"):
        message.described = True  # properties follow, with any names, or the data
    elif message.length is None and not message.described:
        for label, quoted, plain in _MEMBER.findall(text):
            if label in _LABELS:
                message.values[_LABELS[label]] = quoted or plain
    elif message.length is not None and (data := _DATA.match(text)):
        digits = data[1].replace(" ", "")
        room = message.length - message.seen
        if len(digits) % 2:
            yield contents.damage(number, "a damaged line of message data")
            message.opaque = True
        else:
            message.data(digits[: 2 * max(0, room)])
