"""The negotiation of a channel's properties.

The client states what it can do; the server answers with what both can do, and states what it has lowered. When nothing
is lowered any more, the channel is established.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from oracle.wire.initial import (
    CONNECTION_TAG,
    CONVERTS,
    LOWERED_HEARTBEAT,
    LOWERED_LEVEL,
    LOWERED_MESSAGE,
    LOWERED_SEGMENT,
    MQ_REQUEST,
    MULTIPLEXED_SYNC_GET,
    PLAIN,
    PROTECTED,
    SHARES_FROM_LEVEL,
    SPI_REQUEST,
    SPLIT,
    InitialData,
)

LEVEL: Final = 17
"""The highest level of the channel protocol that is supported here."""

LEVEL_BEFORE_PROTECTION: Final = 12
"""The last level at which clients send passwords unprotected on any channel: MQ V7.5."""

PRODUCT: Final = "MQMM09000000"
"""The server's product identifier: a queue manager of version 9."""

_LONGEST_SEGMENT: Final = 32748
_SHORTEST_SEGMENT: Final = 512
_CONVERSATIONS: Final = 10
_FLAGS1: Final = MQ_REQUEST | SPLIT | CONVERTS
_FLAGS2: Final = SPI_REQUEST
_FLAGS3: Final = CONNECTION_TAG | MULTIPLEXED_SYNC_GET
HEARTBEAT: Final = 300
"""The default heartbeat interval of a server's channel, in seconds."""

LONGEST_HEARTBEAT: Final = 999_999


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreed properties of a channel."""

    channel: str
    """Its name."""
    level: int
    """The level of the channel protocol."""
    segment: int
    """The length in bytes of the longest segment."""
    message: int
    """The length in bytes of the longest message."""
    heartbeat: int
    """The heartbeat interval in seconds."""
    conversations: int
    """The number of conversations that may share it. 0: segments name none."""

    @property
    def shares(self) -> bool:
        """Whether segments name conversations, that is, whether the channel is that of MQ V7 or later."""
        return self.level >= SHARES_FROM_LEVEL and self.conversations > 0


@dataclass(frozen=True, slots=True)
class Offer:
    """The server's offer."""

    name: str
    """The name of the queue manager."""
    identifier: str
    """The identifier of the queue manager, which is unique among queue managers of its name."""
    longest_message: int
    """The length in bytes of the longest message."""
    reads_passwords: bool = False
    """Whether the server checks passwords."""
    protected: bool = False
    """Whether the channel itself protects passwords."""
    heartbeat: int = HEARTBEAT
    """The heartbeat interval of its channels in seconds; 0 if it begins no heartbeats."""


def answer(asked: InitialData, offer: Offer) -> tuple[InitialData, bool]:
    """Return the server's initial data, and whether the client has to propose again.

    A client may protect its password in a way that cannot be read here. It does not if the channel has TLS, nor below a
    certain level. If passwords are not checked, it may do so.
    """
    level = min(asked.level, LEVEL_BEFORE_PROTECTION if offer.reads_passwords and not offer.protected else LEVEL)
    segment = max(_SHORTEST_SEGMENT, min(asked.segment, _LONGEST_SEGMENT))
    message = min(asked.message, offer.longest_message)
    heartbeat = max(asked.heartbeat, offer.heartbeat)
    errors = (
        LOWERED_LEVEL * (level != asked.level)
        | LOWERED_SEGMENT * (segment != asked.segment)
        | LOWERED_MESSAGE * (message != asked.message)
        | LOWERED_HEARTBEAT * (heartbeat != asked.heartbeat)
    )
    flags = (asked.flags1 & _FLAGS1, asked.flags2 & _FLAGS2, asked.flags3 & _FLAGS3)
    refused = (asked.flags1 & ~_FLAGS1, asked.flags2 & ~_FLAGS2, asked.flags3 & ~_FLAGS3)
    conversations = min(asked.conversations, _CONVERSATIONS)
    reply = replace(
        asked,
        level=level,
        segment=segment,
        message=message,
        heartbeat=heartbeat,
        errors=errors,
        flags1=flags[0],
        flags2=flags[1],
        flags3=flags[2],
        refused1=refused[0],
        refused2=refused[1],
        refused3=refused[2],
        conversations=conversations,
        name=offer.name,
        identifier=offer.identifier,
        product=PRODUCT,
        algorithms=(PLAIN,) if offer.reads_passwords or offer.protected else (PROTECTED, PLAIN),
    )
    return reply, bool(errors or any(refused) or conversations != asked.conversations)


def agreed(data: InitialData) -> Agreement:
    """Return the agreement after this answer of the server."""
    return Agreement(data.channel, data.level, data.segment, data.message, data.heartbeat, data.conversations)
