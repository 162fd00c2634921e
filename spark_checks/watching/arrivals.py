"""The arrival of files in a directory: those that are no longer written to and were not read before.

A file is identified by device and inode, so a file that is renamed in rotation is the same. A file that has grown since
it was read is read again, and the lines that were read before are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from spark_checks.readers.detect import bytes_as_text
from spark_checks.readers.inputs import files_of


@dataclass(frozen=True)
class Arrival:
    """A file to read."""

    path: Path
    """Its path."""
    identity: str
    """Its identity even if it is renamed: device and inode."""
    size: int
    """Its size in bytes."""
    changed_ns: int
    """The time of its last change, in nanoseconds since 1970-01-01 UTC."""
    read_lines: int = 0
    """The line up to which it was read before. 0 if it was not."""

    def entry(self, lines: int) -> list[int]:
        """Return the entry for the file once it was read: its size, its time, and its last line."""
        return [self.size, self.changed_ns, lines]


Known = Mapping[str, Sequence[int]]
"""The size, time of change and last line of the files that were read, by identity."""


@dataclass(frozen=True)
class Arrived:
    """The files of a directory that are there to be read."""

    now: tuple[Arrival, ...]
    """The files to read now, the oldest first."""
    backlog: int
    """The number of further files that have arrived."""
    unsettled: int
    """The number of files that are still being written."""


def arrived(directory: Path, known: Known, name: str, settled_ns: int, most_bytes: int) -> Arrived:
    """Return the files that have arrived and are not known in their present state.

    `name` is a pattern of their names. Those changed after `settled_ns` are still being written. Of the others, at
    least one is taken, and as many as have at most `most_bytes` together, counted as text.
    """
    ripe: list[Arrival] = []
    unsettled = 0
    for path in _files(directory):
        if not fnmatch(path.name, name):
            continue
        try:
            status = path.stat()
        except OSError:
            continue  # rotated away just now
        identity = f"{status.st_dev}:{status.st_ino}"
        size, changed_ns, lines = known.get(identity, (-1, -1, 0))
        if not status.st_size or (status.st_size, status.st_mtime_ns) == (size, changed_ns):
            continue
        if status.st_mtime_ns > settled_ns:
            unsettled += 1
            continue
        before = lines if status.st_size > size else 0
        ripe.append(Arrival(path, identity, status.st_size, status.st_mtime_ns, before))
    ripe.sort(key=lambda one: (one.changed_ns, str(one.path)))
    taken = _first(ripe, most_bytes)
    return Arrived(tuple(taken), len(ripe) - len(taken), unsettled)


def _files(directory: Path) -> Iterable[Path]:
    return (path for path in files_of([directory]) if isinstance(path, Path))


def _first(ripe: Sequence[Arrival], most_bytes: int) -> list[Arrival]:
    taken: list[Arrival] = []
    total = 0
    for one in ripe:
        total += bytes_as_text(one.path)
        if taken and total > most_bytes:
            break
        taken.append(one)
    return taken
