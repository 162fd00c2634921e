"""The relations between capture files: connections that continue from one to another, or are in both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from oracle.errors import BadInputError, Place
from spark_checks.readers.capture_files import Packet
from spark_checks.readers.links import Link
from spark_checks.readers.remarks import Remark, Topic
from spark_checks.readers.segments import Address, Ends

_TLS_HANDSHAKE = b"\x16\x03"
_TLS = (_TLS_HANDSHAKE, b"\x17\x03")
"""The first bytes of connections with TLS, and of later pieces."""


class Joined:
    """The relations between the files of a capture; files are positions in `names`.

    `tls` counts the connections with TLS that begin in a file. The first files, `earlier` in number, are those of
    earlier days: nothing more is reported about them.
    """

    def __init__(self, names: Sequence[str], earlier: int = 0) -> None:
        self._names = names
        self._new = range(earlier, len(names))
        self.tls: Counter[int] = Counter()
        self._hidden: Counter[tuple[int, Address]] = Counter()
        self._servers: set[Address] = set()
        self._packets: Counter[int] = Counter()
        self._unread: Counter[int] = Counter()
        self._cut: Counter[int] = Counter()
        self._cut_of_channels: Counter[int] = Counter()
        self._with_channels: set[int] = set()
        self._first = list(range(len(names)))
        self._goes_on: Counter[tuple[int, int]] = Counter()
        self._overlaps: Counter[tuple[int, int]] = Counter()

    def begins(self, file: int, ends: Ends, data: bytes) -> None:
        """Look at the first bytes of a connection that a file shows first: whether it has TLS."""
        self.tls[file] += data.startswith(_TLS_HANDSHAKE)
        if data.startswith(_TLS):
            self._hidden[file, min(ends, key=lambda end: end[1])] += 1  # a server has the lower port

    def packet(self, file: int, packet: Packet, *, read: bool) -> None:
        """Count a packet; `read` is false if no TCP segment was found in it, although its link type is known."""
        self._packets[file] += 1
        self._unread[file] += not read
        self._cut[file] += packet.cut > 0

    def link(self, link: Link) -> None:
        """Take a connection that has been read to its end."""
        order = sorted(link.files, key=lambda file: (link.files[file].first_ns, file))
        if link.copy_of is not None:
            self._join(link.copy_of, order[0])
        for earlier, later in pairwise(order):
            self._join(earlier, later)
            if link.is_channel:
                overlap = link.files[later].first_ns <= link.files[earlier].last_ns
                (self._overlaps if overlap else self._goes_on)[later, earlier] += 1
        if link.readable:
            self._with_channels |= link.files.keys()
            self._servers.add(link.server)
        if link.is_channel:
            self._cut_of_channels.update({file: shown.cut for file, shown in link.files.items()})

    def _join(self, earlier: int, later: int) -> None:
        self._first[self._group(later)] = self._group(earlier)

    def _group(self, file: int) -> int:
        """Return the file that stands for all that share connections with a file, directly or indirectly."""
        while self._first[file] != file:
            file = self._first[file]
        return file

    def share(self, some: Iterable[int], others: Iterable[int]) -> bool:
        """Return whether files share connections with others."""
        return not {self._group(file) for file in some}.isdisjoint(self._group(file) for file in others)

    def without_channels(self) -> Iterator[BadInputError]:
        """Yield an error for files with packets but without a readable channel, in themselves or in related files.

        That is one error for each set of files that share connections. Files without packets are reported if all are
        such.
        """
        readable = {self._group(file) for file in self._with_channels}
        settled = set(readable)
        for file in self._new:
            name, group = self._names[file], self._group(file)
            if group in settled or (not self._packets[file] and len(self._packets) > 0):
                continue
            settled.add(group)
            files = [each for each in self._new if self._group(each) == group]
            yield BadInputError(self._why(files), Place(name))
            if not self._packets:
                return

    def _why(self, files: Sequence[int]) -> str:
        tls, cut, unread = (sum(count[file] for file in files) for count in (self.tls, self._cut, self._unread))
        message = "no MQ channel that can be read is in this capture"
        message += f"; connections with TLS, which hides it: {tls}" if tls else ""
        message += f"; packets in which no TCP was found: {unread:,}" if unread else ""
        return message + (f"; packets that are cut: {cut}, capture whole ones (tcpdump -s 0)" if cut else "")

    def remarks(self) -> Iterator[Remark]:
        """Yield the remarks on the files when everything has been read."""
        for (later, earlier), count in self._of_new(self._goes_on):
            text = f"goes on with {_connections(count)} of {self._names[earlier]}"
            yield Remark(Topic.JOINED, text, Place(self._names[later]))
        for (later, earlier), count in self._of_new(self._overlaps):
            text = f"shows {_connections(count)} at the same time as {self._names[earlier]}; what both have counts once"
            yield Remark(Topic.JOINED, text, Place(self._names[later]))
        for file in self._new:
            name = self._names[file]
            cut = self._cut_of_channels[file] or (0 if self._with_channels else self._cut[file])
            if cut:
                text = f"packets that are cut: {cut}; capture whole ones (tcpdump -s 0)"
                yield Remark(Topic.CUT_PACKETS, text, Place(name))

        for file in self._new:
            hidden = sum(self._hidden[file, server] for server in self._servers)
            if hidden:
                text = f"{_connections(hidden)} with TLS to queue managers: the calls on them are not read"
                yield Remark(Topic.HIDDEN, text, Place(self._names[file]))

    def _of_new(self, counts: Counter[tuple[int, int]]) -> Iterator[tuple[tuple[int, int], int]]:
        return ((files, count) for files, count in sorted(counts.items()) if files[0] in self._new)


def _connections(count: int) -> str:
    return "1 connection" if count == 1 else f"{count:,} connections"
