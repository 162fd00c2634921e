"""The places of messages with an identifier, so that a search need not read the whole queue.

All containers that derive from one another share one of these, and each only adds to it. So a message with the
identifier may be at a place, or was there once, or is there in another state; the caller asks the container what is
there. This is cheap to maintain, and no state can observe that it is shared.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from oracle.mqi.constants import MQEI, NULL_ID

if TYPE_CHECKING:
    from oracle.model.messages.messages import Message, Position

_SPARE: Final = 512

Key = bytes | tuple[bytes, int]
"""A MsgId, CorrelId or GroupId, or a GroupId with a MsgSeqNumber: a logical message of the group."""


@dataclass(slots=True)
class Places:
    """The places noted for each key, and those of messages that may expire."""

    of: dict[Key, list[Position]] = field(default_factory=dict)
    """The places by key, in the order in which they were noted."""
    mortal: list[Position] = field(default_factory=list)
    """The places of messages that may expire, and of all that the queue manager made."""
    noted: int = 0
    """The number of places that have been noted."""

    def note(self, message: Message) -> None:
        """Note the place of a message."""
        md, position = message.descriptor, message.position
        for identifier in (md.msg_id, md.correl_id, md.group_id):
            if identifier != NULL_ID:
                self.of.setdefault(identifier, []).append(position)
                self.noted += 1
        if md.group_id != NULL_ID:
            self.of.setdefault((md.group_id, md.msg_seq_number), []).append(position)
            self.noted += 1
        if md.expiry != MQEI.UNLIMITED or message.made is not None:
            self.mortal.append(position)
            self.noted += 1

    def is_stale(self, count: int) -> bool:
        """Return whether so many places have been noted that starting anew is cheaper, for this number of messages."""
        return self.noted > 4 * count + _SPARE


def places_of(messages: Iterable[Message]) -> Places:
    """Return the places of some messages, and no others."""
    places = Places()
    for message in messages:
        places.note(message)
    return places
