"""Traces of the MQ classes for Java that continue from file to file.

A program that is traced for long writes one file after another. The next file continues connections of the one before;
it may lack the heading with the time zone. Connections and times show which files belong together, whatever their names
are: a connection whose first dump in a file does not begin a channel was there before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
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


_OUT_OF_ORDER_NS = 20 * 10**6
"""The greatest disorder of lines of several threads."""


Chain = list[tuple[Source, Outline]]
"""Files that continue each other."""


def outline_of(source: Source) -> Outline:
    """Read the outline of a file."""
    found, clock = Outline(), TraceClock()
    begun: dict[str, str] = {}
    for _, line in whole_lines(source):
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
        found.first_ns = time_ns if found.first_ns is None else min(found.first_ns, time_ns)
        found.last_ns = max(found.last_ns, time_ns)
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
        else:
            before.append((source, outline))
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


def _shared(chain: Chain, later: Outline) -> bool:
    return any(later.older & outline.used for _, outline in chain)


def joins(sources: Sequence[Source]) -> Iterator[Remark]:
    """Yield the remarks on files that are read as one trace."""
    for earlier, later in pairwise(sources):
        yield Remark(Topic.JOINED, f"goes on with the trace in {earlier.name}", Place(later.name))
