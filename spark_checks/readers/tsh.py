"""Client-channel segments: the flows in the bytes of one direction of a channel.

A flow is one transmission of one side: an MQI request or its reply, a delivered message, a status. Short flows are one
segment, long ones several. A capture may begin anywhere and lack bytes, so bytes that are not a segment are skipped.
Nothing here depends on packets: the bytes may also come from a client's trace.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import attrgetter

from oracle.errors import BadInputError, Place
from oracle.wire.flows import Flow
from oracle.wire.headers import (
    CONTINUATION_HEADER,
    FIRST,
    LAST,
    LONGEST_HEADER,
    Header,
    Kind,
    may_become_header,
    read_header,
)

_since, _until = attrgetter("since_ns"), attrgetter("time_ns")
_EYECATCHER_LENGTH = 4
_EYECATCHER = re.compile(b"TSH[ CM]|\xe3\xe2\xc8[\x40\xc3\xd4]")


@dataclass(frozen=True, slots=True, order=True)
class Sighting:
    """The place and time at which bytes were seen."""

    line: int
    """A packet number or line. If several files are read as one, numbers continue from file to file."""
    time_ns: int
    """The time at which they were captured, in nanoseconds since 1970-01-01 UTC."""
    late_ns: int = 0
    """The most by which they may have passed earlier, in nanoseconds.

    A capture may show bytes after the answer to them.
    """
    place: Place | None = field(default=None, compare=False)
    """The file and the number in it, if several files are read as one. None if there is only one."""

    @property
    def since_ns(self) -> int:
        """The earliest time at which the bytes can have passed."""
        return self.time_ns - self.late_ns

    def where(self, source: str) -> Place:
        """Return the place to report to the user; `source` is the file if there is only one."""
        return self.place or Place(source, self.line)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenFlow(Flow):
    """A flow of a capture."""

    first: Sighting
    """Where the earliest of its bytes were seen."""
    last: Sighting
    """Where the latest of its bytes were seen."""


@dataclass(slots=True)
class _Begun:
    """A flow: at least its first segment has come."""

    header: Header
    parts: list[bytes]
    first: Sighting
    last: Sighting

    def flow(self, *, whole: bool) -> SeenFlow:
        head = self.header
        return SeenFlow(
            kind=head.kind,
            conversation=head.conversation,
            request=head.request,
            control=head.control,
            order=head.order,
            charset=head.charset,
            body=b"".join(self.parts),
            whole=whole,
            first=self.first,
            last=self.last,
        )


class FlowStream:
    """A parser of the flows in the bytes of one direction of a channel, in order.

    Bytes before the first header are skipped, because a capture may begin anywhere. With `may_lack` bytes may be
    missing where nobody knows it.
    """

    __slots__ = ("_begun", "_buffer", "_end", "_marks", "_may_lack", "_source", "aligned")

    def __init__(self, source: str, *, may_lack: bool = False) -> None:
        self._source = source
        self._may_lack = may_lack
        self._buffer = bytearray()
        self._end = 0
        self._marks: deque[tuple[int, Sighting]] = deque()
        self.aligned = False
        """Whether the bytes are known to be segments: from a header on until bytes are missing."""
        self._begun: dict[tuple[int, int, int], _Begun] = {}

    def feed(self, data: bytes, seen: Sighting) -> Iterator[SeenFlow | BadInputError]:
        """Take the next bytes, seen at one place, and yield the flows that they complete.

        Yields an error if a header is missing where one is due; reading continues at the next header.
        """
        self._buffer += data
        self._end += len(data)
        self._marks.append((self._end, seen))
        while self._buffer and (self.aligned or self._align()):
            head = bytes(self._buffer[:LONGEST_HEADER])
            header = read_header(head)
            if header is not None and len(self._buffer) >= header.length and self._is_followed_by_header(header):
                yield from self._take(header)
            elif header is not None and len(self._buffer) >= header.length:
                self.aligned = False
                yield BadInputError("a segment's bytes are not all there", self._place(seen))
                self._drop(_EYECATCHER_LENGTH)
            elif header is not None or may_become_header(head):
                return
            else:
                self.aligned = False
                yield BadInputError("no segment header where one is due", self._place(seen))

    def lose(self) -> Iterator[SeenFlow]:
        """Note that bytes are missing here: yield the unfinished flow, and look for the next header."""
        self._drop(len(self._buffer))
        self.aligned = False
        begun, self._begun = self._begun, {}
        yield from (flow.flow(whole=False) for flow in begun.values())

    def finish(self) -> Iterator[SeenFlow | BadInputError]:
        """Yield the unfinished flow at the end of the bytes, and an error if they end within a segment."""
        if self.aligned and self._buffer:
            yield BadInputError("a channel's bytes end within a segment", self._place(self._marks[-1][1]))
        yield from self.lose()

    def _is_followed_by_header(self, header: Header) -> bool:
        """Return whether a header, the beginning of one or nothing yet comes after a segment.

        If bytes within the segment are missing unnoticed, the next one's have taken their place.
        """
        if not self._may_lack:
            return True
        following = bytes(self._buffer[header.length : header.length + LONGEST_HEADER])
        return not following or read_header(following) is not None or may_become_header(following)

    def _place(self, seen: Sighting) -> Place:
        return seen.where(self._source)

    def _align(self) -> bool:
        """Drop bytes before a header or a possible beginning of one. Return false while it is not sure to be one."""
        data = bytes(self._buffer)
        for match in _EYECATCHER.finditer(data):
            head = data[match.start() : match.start() + LONGEST_HEADER]
            if may_become_header(head):
                self._drop(match.start())
                return False
            if read_header(head) is not None:
                self._drop(match.start())
                self.aligned = True
                return True
        self._drop(max(0, len(data) - 3))
        return False

    def _drop(self, count: int) -> None:
        del self._buffer[:count]
        start = self._end - len(self._buffer)
        while self._marks and self._marks[0][0] <= start:
            self._marks.popleft()

    def _take(self, header: Header) -> Iterator[SeenFlow | BadInputError]:
        """Take one segment out of the buffer, and yield the flow that it completes."""
        end = self._end - len(self._buffer) + header.length
        first = last = self._marks[0][1]
        for upto, seen in self._marks:
            first, last = min(first, seen, key=_since), max(last, seen, key=_until)
            if upto >= end:
                break
        body = bytes(self._buffer[header.size : header.length])
        self._drop(header.length)
        if header.compressed:
            yield BadInputError("compressed channel data are not read", self._place(first))
        elif header.splits:
            yield from self._join(header, body, first, last)
        else:
            yield _Begun(header, [body], first, last).flow(whole=True)

    def _join(self, header: Header, body: bytes, first: Sighting, last: Sighting) -> Iterator[SeenFlow]:
        """Add a segment to the flow that it continues; one whose beginning was not seen is skipped."""
        begun = self._begun.pop(header.key, None)
        if header.control & FIRST:
            if begun:
                yield begun.flow(whole=False)
            begun = _Begun(header, [body], first, last)
        elif begun:
            begun.parts.append(body[CONTINUATION_HEADER:] if header.kind == Kind.ASYNC_MESSAGE else body)
            begun.first, begun.last = min(begun.first, first, key=_since), max(begun.last, last, key=_until)
        else:
            return
        if header.control & LAST:
            yield begun.flow(whole=True)
        else:
            self._begun[header.key] = begun


KEPT = (FlowStream, _Begun, Sighting, Header)
"""The classes of a stream's state."""
