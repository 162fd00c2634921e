"""Names: every queue of a check exists on the queue manager under a prefix, and nothing else is touched.

`Q` of a check is `MQORACLE.K3F9.2.Q` there: the prefix that the user gave, the run, the worker. The names are replaced
in requests and restored in replies, in members and in the headers that the queue manager makes. A name that does not
fit behind the prefix is passed unchanged, and no queue is defined with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from oracle.errors import InapplicableError, UntoldError
from oracle.mqi.binary import byte_order, codec
from oracle.mqi.constants import MQCCSI, MQFMT
from oracle.mqi.layouts import MQDLH, MQMDE, MQTM, MQXQH, Layout
from oracle.mqi.structures import INITIAL_DYNAMIC_Q_NAME

LONGEST: Final = 48

_LONGEST_STEM: Final = 32
"""The number of characters that may stand before the asterisk of a DynamicQName."""


@dataclass(frozen=True)
class Header:
    """A header in the data of a message, which names queues or tells the format of what follows it."""

    layout: Layout
    """Its layout."""
    queues: tuple[str, ...] = ()
    """Its members that name a queue."""
    managers: tuple[str, ...] = ()
    """Its members that name a queue manager."""
    following: tuple[str, ...] = ()
    """The members with the format, the character set and the encoding of what follows it, if headers may."""


_FOLLOWING: Final = ("Format", "CodedCharSetId", "Encoding")

HEADERS: Final[Mapping[str, Header]] = {
    MQFMT.XMIT_Q_HEADER: Header(
        MQXQH,
        ("RemoteQName", "MsgDesc.ReplyToQ"),
        ("RemoteQMgrName", "MsgDesc.ReplyToQMgr"),
        tuple(f"MsgDesc.{name}" for name in _FOLLOWING),
    ),
    MQFMT.DEAD_LETTER_HEADER: Header(MQDLH, ("DestQName",), ("DestQMgrName",), _FOLLOWING),
    MQFMT.MD_EXTENSION: Header(MQMDE, following=_FOLLOWING),
    MQFMT.TRIGGER: Header(MQTM, ("QName",)),
}
"""The headers by the format of a message, or of what follows another header."""


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

    dynamic_q_name: str = INITIAL_DYNAMIC_Q_NAME
    """The initial value of DynamicQName, which differs on z/OS."""

    def out(self, name: str) -> str:
        """Return the name on the queue manager of a queue of the check."""
        if name in self.queues:
            return self.queues[name]
        return self.prefix + name if name and self.fits(name) else name

    def fits(self, name: str) -> bool:
        """Return whether a name fits behind the prefix."""
        return len(self.prefix + name) <= LONGEST

    def dynamic_out(self, name: str) -> str:
        """Return the DynamicQName on the queue manager for one of the check.

        Raises InapplicableError if there is no room for the prefix: the name would be refused for that, or be used
        without it.
        """
        stem, asterisk, _ = name.partition("*")
        longest = _LONGEST_STEM if asterisk else LONGEST
        if len(stem) <= longest < len(self.prefix + stem):
            raise InapplicableError(f"the dynamic name {name} does not fit behind the prefix {self.prefix}")
        return self.out(name)

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

    def data_out(self, data: bytes, message_format: str, ccsid: int, encoding: int) -> bytes:
        """Return the data of a message, with this character set and encoding, with the names on the queue manager."""
        for name in _names(data, message_format, ccsid, encoding):
            if name.is_whole:
                data = name.renamed(data, self.manager_out if name.of_manager else self.out)
        return data

    def data_back(self, data: bytes, message_format: str, ccsid: int, encoding: int) -> bytes:
        """Return the data of a message, with this character set and encoding, with the names in the check.

        Raises UntoldError if the data end in a name that may begin with the prefix.
        """
        for name in _names(data, message_format, ccsid, encoding):
            if not name.is_cut:
                data = name.renamed(data, self.manager_back if name.of_manager else self.back)
            elif self._may_begin_manager(name.text) if name.of_manager else self._may_begin_queue(name.text):
                raise UntoldError(
                    f"the data end in {name.text!r}, perhaps the beginning of a name that differs in the check"
                )
        return data

    def _may_begin_queue(self, text: str) -> bool:
        """Return whether the name of a queue that has another one in the check may begin so."""
        of_prefix = self.prefix.startswith(text) or text.startswith(self.prefix)
        return of_prefix or any(name.startswith(text) for name in self.queues.values())

    def _may_begin_manager(self, text: str) -> bool:
        """Return whether the name of a queue manager that has another one in the check may begin so."""
        others = (outside for inside, outside in self.managers.items() if inside != outside)
        carrier = bool(self.transmission) and self._may_begin_queue(text)
        return carrier or any(name.startswith(text) for name in others)


@dataclass(frozen=True)
class _Name:
    """A name in a header, or its beginning if the data end there."""

    place: range
    """The bytes of the data that are there of it."""
    text: str
    """Those bytes as text."""
    charset: str
    """The codec of the text."""
    of_manager: bool
    """Whether it names a queue manager."""
    is_whole: bool
    """Whether the data have all bytes of the member."""

    @property
    def name(self) -> str:
        """The name without what fills the member."""
        return self.text.partition("\0")[0].rstrip(" ")

    @property
    def is_cut(self) -> bool:
        """Whether the data may end within the name."""
        return not self.is_whole and self.name == self.text

    def renamed(self, data: bytes, rename: Callable[[str], str]) -> bytes:
        """Return the data with another name in this place."""
        name = rename(self.name)
        if name == self.name:
            return data
        filled = name.encode(self.charset).ljust(len(self.place), " ".encode(self.charset))
        return data[: self.place.start] + filled + data[self.place.stop :]


def _names(data: bytes, message_format: str, ccsid: int, encoding: int) -> Iterator[_Name]:
    """Yield the names in the headers at the beginning of data, each of which tells what follows it."""
    start = 0
    while (header := HEADERS.get(message_format)) is not None:
        layout, charset, order = header.layout, codec(ccsid), byte_order(encoding)
        if not layout.starts(data[start:], charset):
            return
        for of_manager, members in ((False, header.queues), (True, header.managers)):
            for place in layout.places(*members):
                found = data[start + place.start : start + place.stop]
                if found:
                    there = range(start + place.start, start + place.start + len(found))
                    text = found.decode(charset, errors="replace")
                    yield _Name(there, text, charset, of_manager, len(found) == len(place))
        length = layout.length(layout.versions[0])
        if not header.following or len(data) < start + length:
            return
        name, *numbers = (data[start + place.start : start + place.stop] for place in layout.places(*header.following))
        message_format = name.decode(charset, errors="replace").rstrip(" \0")
        stated, encoding = (int.from_bytes(number, order, signed=True) for number in numbers)
        ccsid = ccsid if stated == MQCCSI.INHERIT else stated
        start += length
