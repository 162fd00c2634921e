"""The parts of captures that are unfinished when their files end. Later files continue them.

A connection lasts for weeks, and a capture program begins another file in its middle. What the connection's calls
mean rests on what came before: which handles it has, what was asked for and not answered, bytes that wait for others.
That is kept as it is, and not the packets that it came from. A connection without a packet for a day is
taken to be over.

The bytes of calls that are under way are among what is kept, with the data of their messages.
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
"""After so long without a packet a connection is over, in nanoseconds."""


@dataclass(slots=True)
class BegunCaptures:
    """What was begun in captures that were read before. Times are nanoseconds since 1970-01-01 UTC."""

    names: list[str] = field(default_factory=list)
    """The files that the connections name: `Link.files` and `Link.copy_of` are positions in it."""
    links: list[Link] = field(default_factory=list)
    """The connections that are not over."""
    read: dict[str, int] = field(default_factory=dict)
    """By what tells a file from others, how many of its packets were read (spark_checks.readers.merged_captures)."""
    packets: int = 0
    """How many packets of all files were read."""
    first_ns: int | None = None
    """The time of the first packet of all. None if there was none."""
    last_ns: int = 0
    """The time of the latest packet of all. 0 if there was none."""
    counts: dict[tuple[Address, ...], int] = field(default_factory=dict)
    """By its two ends in their order, how many connections there were between them.

    Only ends that had a channel are here.
    """
    identifiers: dict[bytes, str] = field(default_factory=dict)
    """By the connection identifier that a queue manager gave, the name of the channel that was first seen with it."""
    qmgrs: dict[Address, list[str]] = field(default_factory=dict)
    """The queue managers' names by address, without loopback addresses."""

    def text(self) -> str:
        """Return this as text for another day."""
        return _keeper.text(self)

    @classmethod
    def of_text(cls, text: str) -> BegunCaptures:
        """Return what a text stands for, nothing for an empty one. Raises ValueError if it cannot be read."""
        found = _keeper.value(text) if text else cls()
        if not isinstance(found, cls):
            raise ValueError("it is damaged: no captures are in it")  # noqa: TRY004 - as for all that is damaged
        return found

    def keep(self, links: Sequence[Link], names: list[str]) -> None:
        """Take the connections to keep, each with the file that showed it last; `names` are those of all files."""
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
            del self.identifiers[known]  # and not another dictionary, for the channels have this one

    def learn(self, names: Mapping[Address, Mapping[str, object]]) -> None:
        """Take the queue managers' names by their addresses, but for those that every machine has."""
        self.qmgrs = {address: list(known) for address, known in names.items() if not is_loopback(address)}


def read_begun(file: Path, digest: str | None = None) -> str:
    """Return the text of what was begun, from a file that has it; nothing if there is none.

    With a `digest` the file must be there, with the text that has it.

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
