"""Names: every queue of a check exists on the queue manager under a prefix, and nothing else is touched.

`Q` of a check is `MQORACLE.K3F9.2.Q` there: the prefix that the user gave, the run, the worker. The names are replaced
in requests and restored in replies, in members and in the headers that the queue manager makes. A name that does not
fit behind the prefix is passed unchanged, and no queue is defined with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from oracle.mqi.binary import codec
from oracle.mqi.constants import MQFMT
from oracle.mqi.layouts import MQDLH, MQTM, MQXQH, Layout

LONGEST: Final = 48

IN_HEADERS: Final[Mapping[str, tuple[Layout, tuple[str, ...]]]] = {
    MQFMT.XMIT_Q_HEADER: (MQXQH, ("RemoteQName", "MsgDesc.ReplyToQ")),
    MQFMT.DEAD_LETTER_HEADER: (MQDLH, ("DestQName",)),
    MQFMT.TRIGGER: (MQTM, ("QName",)),
}
"""By the format of a message, the header at the beginning of its data, and the queue names in it."""

MANAGERS_IN_HEADERS: Final[Mapping[str, tuple[Layout, tuple[str, ...]]]] = {
    MQFMT.XMIT_Q_HEADER: (MQXQH, ("RemoteQMgrName", "MsgDesc.ReplyToQMgr")),
    MQFMT.DEAD_LETTER_HEADER: (MQDLH, ("DestQMgrName",)),
}


@dataclass
class Names:
    """A mapping between names of a check and names on the queue manager."""

    prefix: str
    """The prefix of the names of queues on the queue manager."""
    queues: dict[str, str] = field(default_factory=dict)
    """The queues that do not have the prefix, by the check's name."""
    managers: dict[str, str] = field(default_factory=dict)
    """The queue manager's own name, by the check's name for it."""
    transmission: frozenset[str] = frozenset()
    """The check's transmission queues: messages to a queue manager go to the one of its name, so it is named so too."""

    def out(self, name: str) -> str:
        """Return the name on the queue manager of a queue of the check."""
        if name in self.queues:
            return self.queues[name]
        return self.prefix + name if name and self.fits(name) else name

    def fits(self, name: str) -> bool:
        """Return whether a name fits behind the prefix."""
        return len(self.prefix + name) <= LONGEST

    def back(self, name: str) -> str:
        """Return the name in the check of a queue of the queue manager."""
        for inside, outside in self.queues.items():
            if outside == name:
                return inside
        return name.removeprefix(self.prefix)

    def manager_out(self, name: str) -> str:
        """Return the name on the queue manager of a queue manager of the check."""
        if name in self.transmission:
            return self.out(name)
        return self.managers.get(name, name)

    def manager_back(self, name: str) -> str:
        """Return the check's name of a queue manager."""
        carrier = self.back(name)
        if carrier in self.transmission:
            return carrier
        return next((inside for inside, outside in self.managers.items() if outside == name), name)

    def data_out(self, data: bytes, message_format: str, ccsid: int) -> bytes:
        """Return the data of a message, whose text is in this character set, with the names on the queue manager."""
        data = _renamed(data, message_format, codec(ccsid), IN_HEADERS, self.out)
        return _renamed(data, message_format, codec(ccsid), MANAGERS_IN_HEADERS, self.manager_out)

    def data_back(self, data: bytes, message_format: str, ccsid: int) -> bytes:
        """Return the data of a message, whose text is in this character set, with the names in the check."""
        data = _renamed(data, message_format, codec(ccsid), IN_HEADERS, self.back)
        return _renamed(data, message_format, codec(ccsid), MANAGERS_IN_HEADERS, self.manager_back)


def _renamed(
    data: bytes,
    message_format: str,
    charset: str,
    table: Mapping[str, tuple[Layout, tuple[str, ...]]],
    rename: Callable[[str], str],
) -> bytes:
    if message_format not in table:
        return data
    layout, members = table[message_format]
    if not layout.starts(data, charset):
        return data
    blank = " ".encode(charset)
    for place in layout.places(*members):
        found = data[place.start : place.stop]
        name = found.decode(charset, errors="replace").partition("\0")[0].rstrip(" ")
        if len(found) == len(place) and rename(name) != name:
            data = data[: place.start] + rename(name).encode(charset).ljust(len(place), blank) + data[place.stop :]
    return data
