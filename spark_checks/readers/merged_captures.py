"""Several capture files as one: their packets in the order of time.

A program that captures for long writes one file after another, and a network is captured at several points. Files
are opened when the time comes at which they begin, so that of files that follow each other one is open at a time. The
packets of a file keep their order, whatever their times are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from pathlib import Path

from oracle.errors import BadInputError
from oracle.text.text_files import shown
from spark_checks.readers.capture_files import Packet, read_packets


class MergedCaptures:
    """Goes through the packets of capture files, each with the position of its file in `names`.

    `names` are in the order in which the files begin, whatever the order in which they are given. `first_ns` is the
    time of the first packet of all, None if there is none, and `open` are the files that are being read.
    """

    def __init__(self, paths: Sequence[Path], most: int | None = None) -> None:
        """Look at the first packet of each file.

        Of a compressed file at most `most` bytes are read.
        Raises BadInputError if the only file cannot be opened, is empty, is no capture or ends in its header.
        """
        self._most = most
        self._unopened: list[BadInputError] = []
        begun: list[tuple[float, str, Path]] = []
        for path in paths:
            at = _first_ns(path, most)
            if not isinstance(at, BadInputError):
                begun.append((at, shown(path), path))
            elif len(paths) == 1:
                raise at
            else:
                self._unopened.append(at)
        begun.sort()
        self._begins = [at for at, _, _ in begun]
        self._paths = [path for _, _, path in begun]
        self.names = [name for _, name, _ in begun]
        self.first_ns = int(begun[0][0]) if begun and begun[0][0] != _NEVER else None
        self.open: set[int] = set()
        self._reading: dict[int, Iterator[Packet | BadInputError]] = {}
        self._next: list[tuple[float, int, Packet]] = []

    def __iter__(self) -> Iterator[tuple[int, Packet] | BadInputError]:
        yield from self._unopened
        waiting = deque(range(len(self._paths)))
        while waiting or self._next:
            if waiting and (not self._next or self._begins[waiting[0]] <= self._next[0][0]):
                file = waiting.popleft()
                self.open.add(file)
                self._reading[file] = read_packets(self._paths[file], self._most)
                yield from self._advance(file, 0)
                continue
            at, file, packet = heappop(self._next)
            yield file, packet
            yield from self._advance(file, at)

    def _advance(self, file: int, reached_ns: float) -> Iterator[BadInputError]:
        """Read a file's next packet, and yield the errors before it."""
        try:
            for found in self._reading[file]:
                if isinstance(found, Packet):
                    heappush(self._next, (max(reached_ns, found.time_ns), file, found))
                    return
                yield found
        except BadInputError as error:  # it could be opened a moment ago
            yield error
        del self._reading[file]
        self.open.discard(file)


_NEVER = float("inf")


def _first_ns(path: Path, most: int | None) -> float | BadInputError:
    """Return the time of a file's first packet, infinity if it has none, or why the file cannot be read."""
    try:
        return next((packet.time_ns for packet in read_packets(path, most) if isinstance(packet, Packet)), _NEVER)
    except BadInputError as error:
        return error
