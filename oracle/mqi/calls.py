"""The inputs of a queue manager: the MQI calls of applications, and the events around them.

A call names its connection. `identity` distinguishes calls that are otherwise equal, so that the end of a waiting MQGET
can be matched to it (the protocol's `seq`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from oracle.errors import UsageError
from oracle.mqi.structures import GetMessageOptions, MessageDescriptor, ObjectDescriptor, PutMessageOptions
from oracle.values import quickly_made


@dataclass(frozen=True, slots=True)
class HandleOf:
    """An object handle and the connection that it belongs to."""

    conn: str
    """The name of the connection."""
    hobj: int
    """The number of the handle, by which its connection knows it."""


@dataclass(frozen=True, slots=True)
class Connect:
    """MQCONN."""

    conn: str
    """The name of the new connection."""
    user: str = ""
    """The user who signs on; empty if not known."""
    program: str = ""
    """The name of the application; empty if not known."""
    kind: int = 0
    """The application's type (MQAT); 0 for the platform's usual one."""


@dataclass(frozen=True, slots=True)
class Disconnect:
    """MQDISC."""

    conn: str
    """The connection that ends."""


@dataclass(frozen=True, slots=True)
class Open:
    """MQOPEN of a queue."""

    conn: str
    """The connection that calls."""
    object_name: str
    """The name of the queue, or of a definition that leads to one."""
    options: int
    """The options: a sum of MQOO."""
    descriptor: ObjectDescriptor = ObjectDescriptor()
    """The MQOD without the name."""


@dataclass(frozen=True, slots=True)
class Close:
    """MQCLOSE."""

    conn: str
    """The connection that calls."""
    hobj: int
    """The handle."""
    options: int = 0
    """The options: a sum of MQCO."""


@quickly_made
@dataclass(frozen=True, slots=True)
class Put:
    """MQPUT."""

    conn: str
    """The connection that calls."""
    hobj: int
    """The handle of the queue."""
    descriptor: MessageDescriptor = MessageDescriptor()
    """The MQMD that is passed."""
    options: PutMessageOptions = PutMessageOptions()
    """The MQPMO that is passed."""
    data: bytes = b""
    """The message data."""


@quickly_made
@dataclass(frozen=True, slots=True)
class Put1:
    """MQPUT1: open, put and close in one call."""

    conn: str
    """The connection that calls."""
    object_name: str
    """The name of the queue, or of a definition that leads to one."""
    descriptor: MessageDescriptor = MessageDescriptor()
    """The MQMD that is passed."""
    options: PutMessageOptions = PutMessageOptions()
    """The MQPMO that is passed."""
    data: bytes = b""
    """The message data."""
    object_descriptor: ObjectDescriptor = ObjectDescriptor()
    """The MQOD without the name."""


@quickly_made
@dataclass(frozen=True, slots=True)
class Get:
    """MQGET."""

    conn: str
    """The connection that calls."""
    hobj: int
    """The handle of the queue."""
    descriptor: MessageDescriptor = MessageDescriptor()
    """The MQMD that is passed: the selection, and the form that conversion is to make."""
    options: GetMessageOptions = GetMessageOptions()
    """The MQGMO that is passed."""
    buffer_length: int = 4096
    """The length of the buffer in bytes."""
    identity: int = 0
    """The number that distinguishes a waiting call from others; the completion names it."""


@dataclass(frozen=True, slots=True)
class Commit:
    """MQCMIT."""

    conn: str
    """The connection whose unit of work is committed."""


@dataclass(frozen=True, slots=True)
class Back:
    """MQBACK."""

    conn: str
    """The connection whose unit of work is backed out."""


@dataclass(frozen=True, slots=True)
class Inquire:
    """MQINQ."""

    conn: str
    """The connection that calls."""
    hobj: int
    """The handle of the queue."""
    attributes: tuple[str, ...]
    """The names of the attributes, as the target protocol writes them."""


@dataclass(frozen=True, slots=True)
class Set:
    """MQSET."""

    conn: str
    """The connection that calls."""
    hobj: int
    """The handle of the queue."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """The new values by the attributes' names, as the target protocol writes them."""


@dataclass(frozen=True, slots=True)
class Advance:
    """Time passes."""

    milliseconds: int
    """The length of time, on the virtual clock."""

    def tenths(self) -> int:
        """Return the time in tenths of a second, in which the protocol and the notation write it.

        Raises UsageError if it is not a whole number of them.
        """
        tenths, rest = divmod(self.milliseconds, 100)
        if rest:
            raise UsageError(f"{self.milliseconds} milliseconds are not a whole number of tenths of a second")
        return tenths


@dataclass(frozen=True, slots=True)
class Alter:
    """An administrator changes attributes of a queue or of the queue manager."""

    queue: str | None
    """The queue; None for the queue manager."""
    attributes: Mapping[str, Any]
    """The new values by the attributes' names, as the target protocol writes them."""


@dataclass(frozen=True, slots=True)
class Quiesce:
    """The queue manager begins to quiesce."""


@dataclass(frozen=True, slots=True)
class Fail:
    """The application behind a connection dies."""

    conn: str
    """The connection."""


@dataclass(frozen=True, slots=True)
class ScanExpired:
    """An explicit request to discard expired messages."""

    queues: tuple[str, ...] | None = None
    """The queues that are scanned. None for all."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A message between two queue managers."""

    descriptor: MessageDescriptor
    """The descriptor that it had on the transmission queue, with the remaining Expiry."""
    data: bytes
    """Its data there: the MQXQH with its own descriptor, and the data that were put."""


@dataclass(frozen=True, slots=True)
class Transmit:
    """A message channel sends the next message of a transmission queue."""

    queue: str
    """The name of the transmission queue."""
    fast: bool = True
    """Whether the channel has NPMSPEED(FAST)."""
    max_msg_length: int = 0
    """The limit in bytes that both ends have agreed on; 0 for none (SIZ-11)."""
    segments: bool = True
    """Whether both ends split longer messages."""
    convert: bool = False
    """Whether the channel has CONVERT(YES)."""
    fails: bool = False
    """Whether the channel fails on the message."""


@dataclass(frozen=True, slots=True)
class Deliver:
    """A message channel brings a message that another queue manager has sent."""

    sent: Sent
    """The message."""
    transit_ms: int = 0
    """The time that it was on the way."""
    fast: bool = True
    """Whether the channel has NPMSPEED(FAST)."""


MqiCall = Connect | Disconnect | Open | Close | Put | Put1 | Get | Commit | Back | Inquire | Set
Happening = Advance | Alter | Quiesce | Fail | ScanExpired
ChannelStep = Transmit | Deliver
Call = MqiCall | Happening | ChannelStep

Verb = Literal[
    "MQCONN", "MQDISC", "MQOPEN", "MQCLOSE", "MQPUT", "MQPUT1", "MQGET", "MQCMIT", "MQBACK", "MQINQ", "MQSET",
]  # fmt: skip  # names

VERBS: Final[Mapping[type[MqiCall], Verb]] = {
    Connect: "MQCONN",
    Disconnect: "MQDISC",
    Open: "MQOPEN",
    Close: "MQCLOSE",
    Put: "MQPUT",
    Put1: "MQPUT1",
    Get: "MQGET",
    Commit: "MQCMIT",
    Back: "MQBACK",
    Inquire: "MQINQ",
    Set: "MQSET",
}


def name_of(call: Call) -> str:
    """Return the verb of an MQI call, or a word for another event."""
    return VERBS[type(call)] if isinstance(call, MqiCall) else type(call).__name__.lower()


_IN_WORDS: Final = {
    "advance": "The passing of time",
    "alter": "The change of attributes",
    "deliver": "The arrival of messages",
    "fail": "The end of the application",
    "quiesce": "Quiescing",
    "scanexpired": "The scan for expired messages",
    "transmit": "The transmission of messages",
}


def in_words(name: str) -> str:
    """Return the call as the subject of a sentence: an MQI verb, or the event in words."""
    return _IN_WORDS.get(name, name)
