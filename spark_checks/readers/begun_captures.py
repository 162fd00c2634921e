"""The unfinished parts of captures at the end of their files, which later files continue.

A connection lasts for weeks, and a capture program begins another file in its middle. The meaning of the connection's
calls depends on what came before: its handles, unanswered requests, bytes that wait for others. This state is kept, and
not the packets that it came from. A connection without a packet for a day counts as ended. The state includes the bytes
of calls in progress, with the data of their messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from oracle.errors import BadInputError, Place
from spark_checks.readers import mqi_calls, tcp, tsh
from spark_checks.readers.kept_objects import Keeper, digest_of
from spark_checks.readers.links import Link, Shown
from spark_checks.readers.segments import Address, is_loopback

SILENT_NS = 24 * 3600 * 10**9
"""The time without a packet after which a connection counts as ended, in nanoseconds."""


@dataclass(slots=True)
class BegunCaptures:
    """The unfinished parts of captures that were read before. Times are nanoseconds since 1970-01-01 UTC."""

    names: list[str] = field(default_factory=list)
    """The files that the connections name: `Link.files` and `Link.copy_of` are positions in it."""
    links: list[Link] = field(default_factory=list)
    """The connections that have not ended."""
    read: dict[str, int] = field(default_factory=dict)
    """The number of packets read of each file, by its identity (spark_checks.readers.merged_captures)."""
    packets: int = 0
    """The number of packets of all files that were read."""
    first_ns: int | None = None
    """The time of the first packet of all. None if there was none."""
    last_ns: int = 0
    """The time of the latest packet of all. 0 if there was none."""
    counts: dict[tuple[Address, ...], int] = field(default_factory=dict)
    """The number of connections between two ends, by the ends in order. Only ends that had a channel are included."""
    identifiers: dict[bytes, str] = field(default_factory=dict)
    """By the connection identifier that a queue manager gave, the name of the channel that was first seen with it."""
    qmgrs: dict[Address, list[str]] = field(default_factory=dict)
    """The queue managers' names by address, without loopback addresses."""

    def text(self) -> str:
        """Return this as text for another day."""
        return _keeper.text(self)

    @classmethod
    def of_text(cls, text: str) -> BegunCaptures:
        """Return the value that a text stands for; nothing for an empty text.

        Raises ValueError if it cannot be read.
        """
        found = _keeper.value(text) if text else cls()
        if not isinstance(found, cls):
            raise ValueError("it is damaged: no captures are in it")  # noqa: TRY004 - as for all that is damaged
        return found

    def keep(self, links: Sequence[Link], names: list[str]) -> None:
        """Take the connections to keep, each with the file that showed it last. `names` are those of all files."""
        files: dict[int, int] = {}
        for link in links:
            last = max(link.files, key=lambda file, link=link: (link.files[file].last_ns, file))  # type: ignore[misc]  # a lambda with a default
            number = files.setdefault(last, len(files))
            link.files = {number: link.files[last]}
            link.copy_of = None if link.copy_of is None else number
            self.links.append(link)
        self.names = [names[file] for file in files]
        kept = {link.channel.name for link in self.links}
        for known in [known for known, name in self.identifiers.items() if name not in kept]:
            del self.identifiers[known]  # and not another dictionary, because the channels share this one

    def learn(self, names: Mapping[Address, Mapping[str, object]]) -> None:
        """Take the queue managers' names by their addresses, without loopback addresses."""
        self.qmgrs = {address: list(known) for address, known in names.items() if not is_loopback(address)}


def read_begun(file: Path, digest: str | None = None) -> str:
    """Return the text of unfinished captures from a file; nothing if there is no file.

    With a `digest` the file must exist, and its text must have that digest.

    Raises BadInputError if it is damaged or of another version.
    """
    try:
        text = file.read_text(encoding="utf-8") if digest or file.exists() else ""
        if digest and digest_of(text) != digest:
            raise ValueError("it is damaged")  # noqa: TRY301 - told with the other mistakes
        BegunCaptures.of_text(text)
    except (OSError, ValueError) as error:
        raise BadInputError(f"what was begun in captures cannot be read: {error}", Place(str(file))) from error
    return text


_keeper = Keeper(BegunCaptures, Link, Shown, Place, *tcp.KEPT, *tsh.KEPT, *mqi_calls.KEPT)
