"""Names: every queue of a check stands on the queue manager under a prefix, and nothing else is touched.

`Q` of a check is `MQORACLE.K3F9.2.Q` there: the prefix that the user gave, the run, the worker. The names are
replaced on their way out and put back on their way in, in members and in the headers that the queue manager makes.
A name that does not fit behind the prefix is passed as it is; no queue that the suite defines has one.
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
"""By the format of a message, the header that its data begin with and the names of queues in that."""

MANAGERS_IN_HEADERS: Final[Mapping[str, tuple[Layout, tuple[str, ...]]]] = {
    MQFMT.XMIT_Q_HEADER: (MQXQH, ("RemoteQMgrName", "MsgDesc.ReplyToQMgr")),
    MQFMT.DEAD_LETTER_HEADER: (MQDLH, ("DestQMgrName",)),
}


@dataclass
class Names:
    """Names outside and inside."""

    prefix: str
    """What the names of queues begin with on the queue manager."""
    queues: dict[str, str] = field(default_factory=dict)
    """The queues that stand elsewhere than under the prefix, by the check's name."""
    managers: dict[str, str] = field(default_factory=dict)
    """The queue manager's own name, by the name that the check has for it."""

    def out(self, name: str) -> str:
        """Return what a queue of a check is called on the queue manager."""
        if name in self.queues:
            return self.queues[name]
        return self.prefix + name if name and len(self.prefix + name) <= LONGEST else name

    def back(self, name: str) -> str:
        """Return what a queue of the queue manager is called in the check."""
        for inside, outside in self.queues.items():
            if outside == name:
                return inside
        return name.removeprefix(self.prefix)

    def manager_out(self, name: str) -> str:
        """Return what the queue manager of a check is called."""
        return self.managers.get(name, name)

    def manager_back(self, name: str) -> str:
        """Return what the check calls a queue manager."""
        return next((inside for inside, outside in self.managers.items() if outside == name), name)

    def data_out(self, data: bytes, message_format: str, ccsid: int) -> bytes:
        """Return the data of a message, whose text is in this character set, with the names as on the queue manager."""
        data = _renamed(data, message_format, codec(ccsid), IN_HEADERS, self.out)
        return _renamed(data, message_format, codec(ccsid), MANAGERS_IN_HEADERS, self.manager_out)

    def data_back(self, data: bytes, message_format: str, ccsid: int) -> bytes:
        """Return the data of a message, whose text is in this character set, with the names as in the check."""
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
