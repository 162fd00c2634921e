"""Where the messages with an identifier may stand, so that a search need not read the whole queue.

All containers that come one from another share one of these, and each only adds to it. So a place that it gives is one
where such a message may stand, or once stood, or stands in another state; who looks it up asks the container what is
there. That makes it cheap to keep, and no state can tell that it is shared.
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
    """The places by key, each key's in the order in which they were noted."""
    mortal: list[Position] = field(default_factory=list)
    """The places of messages that may expire, and of all that the queue manager made."""
    noted: int = 0
    """How many places have been noted altogether."""

    def note(self, message: Message) -> None:
        """Note where a message stands."""
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
        """Whether so much has been noted that, for that many messages, it pays to begin anew."""
        return self.noted > 4 * count + _SPARE


def places_of(messages: Iterable[Message]) -> Places:
    """Return the places of some messages, and no others."""
    places = Places()
    for message in messages:
        places.note(message)
    return places
