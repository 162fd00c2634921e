"""The dumps of channel data in a trace of the MQ classes for Java or JMS.

The trace shows, as lines of text, each block of bytes that the client sends or receives on its connection to a queue
manager. A line begins with its time and thread, so lines of several threads may be interleaved. Equal rows of a dump
are omitted and counted. Everything else in the trace is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from oracle.errors import BadInputError, Place
from oracle.wire.headers import MAX_SEGMENT
from spark_checks.readers.detect import Source
from spark_checks.readers.java_failures import Failures
from spark_checks.readers.pieces import whole_lines
from spark_checks.readers.tsh import Sighting

CLIENT, SERVER = 0, 1
"""The sides of a connection: the sender of the bytes."""

_TICK_NS = 1_000_000
STAMP = re.compile(r"\[(\d\d)/(\d\d)/(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{3})(?:\.\w+)?\]\s+([0-9A-Fa-f]{8})\s(.*)", re.S)
_BEGIN = re.compile(r"\s*@(\w+)\s+\S*RemoteTCPConnection\b")
_METHOD = re.compile(r"\b(?:(send)|receive)\(")
_DATA = re.compile(r"\) (?:Sending|Received) data <data>")
_SIZE = re.compile(r"\s*Length = 0x[0-9a-f]+ \(\d+\) bytes start=\d+ count=(\d{1,10})\b", re.I)
ROW = re.compile(r"\s*0x([0-9a-f]{8}) \(\s*\d+\) : ([0-9a-f ]{1,36}): ", re.I)
_SAME = re.compile(r"\s*(\d{1,9}) duplicate line\(s\) suppressed")
_TITLE = re.compile(r"\s*offset\s+: 0 1 2 3")
_DATE = re.compile(r"Date: \w{3} (\w{3}) (\d{1,2}) [\d:]{8} (\S+) (\d{4})")
_ZONE = re.compile(r"\|\s+user\.timezone\s+:-\s+(\S+)")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True, slots=True)
class Dump:
    """Bytes that one side of a connection sent, as a trace shows them."""

    connection: str
    """The name that the trace gives the client's object for the connection."""
    side: int
    """The sender: CLIENT or SERVER."""
    data: bytes
    """The bytes, as far as the trace has them."""
    missing: int
    """The number of further bytes that were sent after these and that the trace lacks."""
    seen: Sighting
    """The place and time at which the trace shows them."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A place at which lines of a trace are missing, perhaps whole dumps: those of a dump do not follow each other."""

    place: Place | None
    """The first line after it, or that of a dump which lacks lines."""
    message: str = "lines of a dump of channel data are missing before this one"
    """What is wrong there."""


class TraceClock:
    """A converter of a trace's times to nanoseconds since 1970-01-01 UTC.

    They are local times in whole milliseconds, with the day before the month unless the trace's heading says otherwise;
    the heading has the time zone too. `zone` is None while it is unknown; UTC is used then.
    """

    def __init__(self) -> None:
        self.zone: tzinfo | None = None
        self._month_first = False
        self._heading: date | None = None
        self._known: dict[tuple[str, ...], int] = {}

    def heading(self, line: str) -> None:
        """Read a line of the heading."""
        if found := _DATE.match(line):
            month, day, zone, year = found.groups()
            if month in _MONTHS and int(day) in range(1, 32) and int(year) > 0:
                self._heading = date(int(year), _MONTHS.index(month) + 1, min(int(day), 28))
            self._learn(zone)
        elif found := _ZONE.match(line):
            self._learn(found[1])

    def _learn(self, name: str) -> None:
        if name in ("UTC", "GMT", "Etc/UTC", "Z"):
            self.zone = timezone.utc
            return
        try:
            self.zone = ZoneInfo(name)
        except (KeyError, OSError, ValueError):
            return  # an abbreviation such as CST, which several zones have

    def time_ns(self, parts: tuple[str, ...], milliseconds: str) -> int | None:
        """Return the time of two digits each of day, month, year, hour, minute and second; None if there is none."""
        if parts not in self._known:
            if len(self._known) > 100_000:
                self._known.clear()
            found = self._second(parts)
            if found is None:
                return None
            self._known[parts] = found
        return self._known[parts] * 10**9 + int(milliseconds) * _TICK_NS

    def _second(self, parts: tuple[str, ...]) -> int | None:
        first, second, year, *time = map(int, parts)
        day_first, month_first = self._moment(year, second, first, time), self._moment(year, first, second, time)
        if self._heading and day_first and month_first:
            began = datetime(self._heading.year, self._heading.month, self._heading.day, tzinfo=timezone.utc)
            self._month_first = abs(month_first - began) + timedelta(days=3) < abs(day_first - began)
        preferred = month_first if self._month_first else day_first
        found = preferred or day_first or month_first
        return None if found is None else int(found.timestamp())

    def _moment(self, year: int, month: int, day: int, time: list[int]) -> datetime | None:
        hour, minute, second = time
        try:
            return datetime(2000 + year, month, day, hour, minute, second, tzinfo=self.zone or timezone.utc)
        except ValueError:
            return None


@dataclass(slots=True)
class _Begun:
    connection: str
    side: int
    seen: Sighting
    count: int | None = None
    base: int = 0
    data: bytearray = field(default_factory=bytearray)
    damaged: bool = False
    last: str = ""

    @property
    def whole(self) -> bool:
        return self.count is not None and len(self.data) >= self.count

    def take(self, text: str) -> bool:
        """Take one line of the dump. Return false if the line is not part of it."""
        again, self.last = text == self.last, text
        if again:
            return True  # the line is there twice
        if found := _SIZE.match(text):
            self.count = min(int(found[1]), MAX_SEGMENT) if self.count is None else self.count
        elif found := ROW.match(text):
            self._row(int(found[1], 16), found[2])
        elif found := _SAME.match(text):
            room = 0 if self.damaged else (self.count or 0) - len(self.data)  # it may be equal to a row that is missing
            self.data += (bytes(self.data[-16:]) * min(int(found[1]), max(0, room) // 16 + 1))[: max(0, room)]
        else:
            return bool(_TITLE.match(text))
        return True

    def _row(self, offset: int, text: str) -> None:
        digits = text.replace(" ", "")
        self.base = self.base if self.data else offset
        self.damaged = self.damaged or len(digits) % 2 > 0 or offset - self.base != len(self.data)
        if not self.damaged:
            self.data += bytes.fromhex(digits)

    def dump(self) -> Dump:
        count = len(self.data) if self.count is None else self.count
        data = bytes(self.data[:count])
        return Dump(self.connection, self.side, data, count - len(data), self.seen)


class DumpReader:
    """A reader of the dumps of one trace, which may be in several files, in order, and of the holes in it.

    `first_ns` and `last_ns` bound what it shows, once it has been read.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources
        self.clock = TraceClock()
        self.failures = Failures()
        self.first_ns: int | None = None
        self.last_ns = 0
        self._before: dict[str, tuple[str, str]] = {}

    def __iter__(self) -> Iterator[Dump | Hole | BadInputError]:
        begun: dict[str, _Begun] = {}
        count = 0
        for source in self._sources:
            number = 0
            for number, line in whole_lines(source):
                if isinstance(line, BadInputError):
                    yield line
                elif not line.startswith("[") or (source.from_line is not None and number >= source.from_line):
                    yield from self._line(count + number, Place(source.name, number), line, begun)
            count += number
        for each in begun.values():
            yield from self._closed(each)

    def _closed(self, begun: _Begun) -> Iterator[Dump | Hole]:
        yield begun.dump()
        if begun.count is None:
            yield Hole(begun.seen.place, "a dump of channel data is damaged")

    def _line(
        self, number: int, place: Place, line: str, begun: dict[str, _Begun]
    ) -> Iterator[Dump | Hole | BadInputError]:
        stamp = STAMP.match(line)
        if stamp is None:
            if not line.startswith("["):
                self.clock.heading(line)
                self.failures.line(line)
            return
        parts = stamp.groups()
        time_ns = self.clock.time_ns(parts[:6], parts[6])
        if time_ns is None:
            return
        self.first_ns = time_ns if self.first_ns is None else min(self.first_ns, time_ns)
        self.last_ns = max(self.last_ns, time_ns + _TICK_NS)
        thread, text = parts[7], parts[8]
        if self._lacks_lines(thread, text, line[: line.find("]")]):
            if thread in begun:
                yield from self._closed(begun.pop(thread))
            yield Hole(place)
        open_dump = begun.get(thread)
        if open_dump and open_dump.take(text):
            if open_dump.whole:
                yield begun.pop(thread).dump()
            return
        if open_dump:
            yield from self._closed(begun.pop(thread))
        if found := begins(text):
            # Times are truncated to milliseconds: the bytes passed at some time within this one.
            begun[thread] = _Begun(*found, Sighting(number, time_ns + _TICK_NS, _TICK_NS, place))
            return
        self.failures.line(text)

    def _lacks_lines(self, thread: str, text: str, stamp: str) -> bool:
        """Return whether the lines of a dump do not follow each other, in a thread that was there before.

        All lines of a dump have the same time.
        """
        now = _line_kind(text)
        before, at = self._before.get(thread, (None, stamp))
        self._before[thread] = now, stamp
        if before is None:
            return False
        if now in _FOLLOWS and (before not in _FOLLOWS[now] or at != stamp):
            return True
        return now not in _LEADS.get(before, (now,))


def _line_kind(text: str) -> str:
    """Return what a line is in a dump; `other` if it is in none."""
    patterns = (("row", ROW), ("same", _SAME), ("title", _TITLE), ("size", _SIZE))
    found = next((kind for kind, pattern in patterns if pattern.match(text)), None)
    return found or ("data" if "<data>" in text else "other")


_FOLLOWS = {
    "size": ("data", "size"),
    "title": ("size", "title"),
    "row": ("title", "row", "same"),
    "same": ("row", "same"),
}
"""The lines of a dump by what may come before; each may be there twice."""
_LEADS = {"data": ("data", "size"), "size": ("size", "title")}
"""The lines of a dump by what must come after."""


def begins(text: str) -> tuple[str, int] | None:
    """Return the connection and side of the dump that begins after this line; None if there is none."""
    connection = _BEGIN.match(text)
    data = connection and _DATA.search(text, connection.end())
    method = data and connection and _METHOD.search(text, connection.end(), data.start())
    return (connection[1], CLIENT if method[1] else SERVER) if connection and method else None
