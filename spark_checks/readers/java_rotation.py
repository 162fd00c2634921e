"""Traces of the MQ classes for Java that continue from file to file.

A program that is traced for long writes one file after another. The next file continues connections of the one before;
it may lack the heading with the time zone. Connections and times show which files belong together, whatever their names
are: a connection whose first dump in a file does not begin a channel was there before.

A file may begin with lines that end the one before, as copies of a trace that is still written do: they are read once.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from oracle.errors import BadInputError, Place
from oracle.wire.headers import Kind, read_header
from spark_checks.readers.detect import Source
from spark_checks.readers.java_dumps import ROW, STAMP, TraceClock, begins
from spark_checks.readers.pieces import whole_lines
from spark_checks.readers.remarks import Remark, Topic

_LONGEST_SILENCE_NS = 24 * 3600 * 10**9
"""The greatest distance between the last line of a file and the first of one that continues its connections."""

_LONGEST_PAUSE_NS = 300 * 10**9
"""The same for a file that has no heading and no connection of the other."""

_SURELY_NEARER_NS = 60 * 10**9
"""How much nearer the end of a file must be than that of another which may also be the predecessor.

Programs that run twice use the same object numbers.
"""


@dataclass(slots=True)
class Outline:
    """The outline of a file. Times are local, in nanoseconds as if they were UTC."""

    first_ns: int | None = None
    """The time of its first line. None if it has none."""
    last_ns: int = 0
    """The time of its last line."""
    heading: bool = False
    """Whether it has the heading of a trace."""
    used: set[str] = field(default_factory=set)
    """The client's objects for connections that it has dumps of."""
    older: set[str] = field(default_factory=set)
    """Those that existed before."""
    lines: int = 0
    """The number of its lines that have a time."""
    head: list[tuple[int, int]] = field(default_factory=list)
    """Its first lines that have a time, about as many as another file may repeat: the number and a hash of each."""
    tail: deque[tuple[int, int]] = field(default_factory=deque)
    """The same of its last lines: the time and a hash of each."""

    def line(self, number: int, time_ns: int, text: str) -> None:
        """Note a line that has a time."""
        self.first_ns = time_ns if self.first_ns is None else min(self.first_ns, time_ns)
        self.last_ns = max(self.last_ns, time_ns)
        if len(self.head) == self.lines < _MOST_REPEATED and time_ns <= self.first_ns + _OUT_OF_ORDER_NS:
            self.head.append((number, hash(text)))
        self.lines += 1
        self.tail.append((time_ns, hash(text)))
        while self.tail[0][0] < self.last_ns - _OUT_OF_ORDER_NS or len(self.tail) > _MOST_REPEATED:
            self.tail.popleft()


_OUT_OF_ORDER_NS = 20 * 10**6
"""The greatest disorder of lines of several threads."""

_MOST_REPEATED = 10_000
"""The most lines at the end of a file that are looked for at the beginning of the next one."""


Chain = list[tuple[Source, Outline]]
"""Files that continue each other."""


def outline_of(source: Source) -> Outline:
    """Read the outline of a file."""
    found, clock = Outline(), TraceClock()
    begun: dict[str, str] = {}
    for number, line in whole_lines(source):
        if isinstance(line, BadInputError):
            continue
        stamp = STAMP.match(line)
        if stamp is None:
            found.heading = found.heading or line.startswith("|")
            continue
        parts = stamp.groups()
        time_ns = clock.time_ns(parts[:6], parts[6])
        if time_ns is None:
            continue
        found.line(number, time_ns, line)
        thread, text = parts[7], parts[8]
        if (row := ROW.match(text)) and thread in begun:
            connection = begun.pop(thread)
            if not _opens_a_channel(row):
                found.older.add(connection)
        elif (dump := begins(text)) and dump[0] not in found.used:
            found.used.add(dump[0])
            begun[thread] = dump[0]
    return found


def _opens_a_channel(row: re.Match[str]) -> bool:
    """Return whether the first row of a dump is that of initial data."""
    digits = row[2].replace(" ", "")
    header = read_header(bytes.fromhex(digits[: len(digits) // 2 * 2]).ljust(36, b"\0"))
    return header is not None and header.kind == Kind.INITIAL


def chains(sources: Sequence[Source]) -> list[list[Source]]:
    """Return files of traces in sets that continue each other, each in order of time."""
    if len(sources) < 2:
        return [[source] for source in sources]
    outlines = [(source, _outlined(source)) for source in sources]
    found: list[Chain] = []
    for source, outline in sorted(outlines, key=_begins):
        before = _before(found, outline)
        if before is None:
            found.append([(source, outline)])
            continue
        repeated = _repeated(before[-1][1], outline)
        if repeated == outline.lines:  # it adds nothing, so the file before it is still the last
            before.insert(len(before) - 1, (replace(source, from_line=None), outline))
            continue
        from_line = outline.head[repeated - 1][0] + 1 if repeated else 1
        before.append((replace(source, from_line=from_line), outline))
    return [[source for source, _ in chain] for chain in found]


def _begins(file: tuple[Source, Outline]) -> tuple[int, int, bool, str]:
    source, outline = file
    return outline.first_ns or 0, outline.last_ns, not outline.heading, source.name


def _outlined(source: Source) -> Outline:
    try:
        return outline_of(source)
    except OSError:  # its reader tells
        return Outline()


def _before(chains: Sequence[Chain], later: Outline) -> Chain | None:
    """Return the files that a file continues; None if there are none or that is not sure."""
    pauses = [(_pause_ns(chain, later), chain) for chain in chains]
    with_connections = [
        (pause, chain) for pause, chain in pauses if pause <= _LONGEST_SILENCE_NS and _shared(chain, later)
    ]
    others = [(pause, chain) for pause, chain in pauses if pause <= _LONGEST_PAUSE_NS and not later.heading]
    nearest = sorted(with_connections or others, key=lambda each: each[0])[:2]
    if not nearest or (len(nearest) == 2 and nearest[1][0] < nearest[0][0] + _SURELY_NEARER_NS):
        return None
    return nearest[0][1]


def _pause_ns(chain: Chain, later: Outline) -> float:
    """Return how much later a file begins than the others end; infinity if it begins before that."""
    last = chain[-1][1]
    if later.first_ns is None or last.first_ns is None or later.first_ns < last.last_ns - _OUT_OF_ORDER_NS:
        return float("inf")
    return max(0, later.first_ns - last.last_ns)


def _repeated(earlier: Outline, later: Outline) -> int:
    """Return how many of a file's first lines are the last ones of another, or within these if it has no others."""
    head, tail = [text for _, text in later.head], [text for _, text in earlier.tail]
    for at in (at for at, text in enumerate(tail) if head and text == head[0]):
        count = min(len(head), len(tail) - at)
        if count in (len(tail) - at, later.lines) and tail[at : at + count] == head[:count]:
            return count
    return 0


def _shared(chain: Chain, later: Outline) -> bool:
    return any(later.older & outline.used for _, outline in chain)


def joins(sources: Sequence[Source]) -> Iterator[Remark]:
    """Yield the remarks on files that are read as one trace."""
    for source in sources:
        if source.from_line is None:
            yield Remark(Topic.JOINED, "repeats lines of another trace, which count once", Place(source.name))
    for earlier, later in pairwise(source for source in sources if source.from_line is not None):
        text = f"goes on with the trace in {earlier.name}"
        if later.from_line != 1:
            text += ", whose last lines it repeats"
        yield Remark(Topic.JOINED, text, Place(later.name))
