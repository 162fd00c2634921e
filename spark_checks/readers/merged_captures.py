"""Several capture files as one: their packets in the order of time.

A program that captures for long writes one file after another, and a network is captured at several points. A file is
opened when its first time is reached, so only one of several consecutive files is open at a time. The packets of a file
keep their order, whatever their times are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from heapq import heappop, heappush
from pathlib import Path

from oracle.errors import BadInputError
from oracle.text.text_files import shown
from spark_checks.readers.capture_files import Packet, read_packets


class MergedCaptures:
    """An iterator over the packets of capture files, each with the position of its file in `names`.

    `names` are in the order in which the files begin, whatever the order in which they are given. `first_ns` is the
    time of the first packet of all, None if there is none, and `open` are the files that are being read. `read` has the
    number of packets that were read of each file, by the file's identity.
    """

    def __init__(self, paths: Sequence[Path], most: int | None = None, read: Mapping[str, int] | None = None) -> None:
        """Look at the first packet of each file.

        At most `most` bytes of a compressed file are read. `read` is its value from an earlier reading: a file that has
        grown since continues after those packets, whatever its name is now. Raises BadInputError if the only file
        cannot be opened, is empty, is no capture or ends in its header.
        """
        self._most = most
        self._unopened: list[BadInputError] = []
        self._read_before = dict(read or {})
        begun: list[tuple[float, str, Path, str]] = []
        for path in paths:
            first = _first(path, most)
            if not isinstance(first, BadInputError):
                begun.append((first[0], shown(path), path, first[1]))
            elif len(paths) == 1:
                raise first
            else:
                self._unopened.append(first)
        begun.sort()
        self._begins = [at for at, _, _, _ in begun]
        self._paths = [path for _, _, path, _ in begun]
        self.names = [name for _, name, _, _ in begun]
        self._identities = [identity for _, _, _, identity in begun]
        self.read = dict(self._read_before)
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
            before = self._read_before.get(self._identities[file], 0)
            for found in self._reading[file]:
                if isinstance(found, Packet):
                    if found.number <= before:
                        continue
                    self.read[self._identities[file]] = found.number
                    heappush(self._next, (max(reached_ns, found.time_ns), file, found))
                    return
                yield found
        except BadInputError as error:  # it could be opened a moment ago
            yield error
        del self._reading[file]
        self.open.discard(file)


_NEVER = float("inf")


def _first(path: Path, most: int | None) -> tuple[float, str] | BadInputError:
    """Return the time of a file's first packet and the file's identity, or the error why it cannot be read.

    A file without packets has the time infinity.
    """
    try:
        first = next((packet for packet in read_packets(path, most) if isinstance(packet, Packet)), None)
    except BadInputError as error:
        return error
    if first is None:
        return _NEVER, ""
    return first.time_ns, sha256(b"%d " % first.time_ns + first.data).hexdigest()[:16]
