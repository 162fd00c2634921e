"""Initial data: the statements of both ends of a channel about who they are and what they can do.

The client sends them first; the server answers with what both can do, and its flags show what it has lowered. Names of
members are those of public protocol analysers.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from oracle.errors import BadInputError
from oracle.mqi.layouts import ByteOrder
from oracle.wire.flows import Flow

MQ_REQUEST, SPLIT, CONVERTS = 0x20, 0x04, 0x02
"""Capability flags 1: an application's channel, messages in several segments, conversion."""

SPI_REQUEST, XA_REQUEST, DISTRIBUTION_LISTS = 0x40, 0x10, 0x01
"""Capability flags 2: the service interface, transaction managers, distribution lists."""

CONNECTION_TAG, PROTECTION, MULTIPLEXED_SYNC_GET = 0x20, 0x10, 0x08
"""Capability flags 3: generated connection tags, protected passwords, plain MQGET on shared conversations."""

LOWERED_HEARTBEAT, LOWERED_MESSAGE, LOWERED_LEVEL, LOWERED_SEGMENT = 0x80, 0x10, 0x08, 0x04
"""Error flags 1: values of the client that the server does not accept."""

SHARES_FROM_LEVEL: Final = 9
"""The first level at which conversations share a connection: MQ V7."""

NO_ALGORITHM: Final = -1
PLAIN: Final = 0
PROTECTED: Final = 1
"""Algorithms for protecting passwords: the end of the list, none, and the usual one."""

_LENGTH: Final = 240
_SHORTEST: Final = 102
_ALGORITHMS: Final = 10
_FORM: Final = "4sBBBB2sHiii20sBBH48siHBB2s16sHiiBBHiii12s48s10h12s"
_STRUCT: Final[dict[ByteOrder, struct.Struct]] = {
    "little": struct.Struct("<" + _FORM),
    "big": struct.Struct(">" + _FORM),
}
_NO_COMPRESSION: Final = b"\x00\xff"


@dataclass(frozen=True, slots=True, kw_only=True)
class InitialData:
    """Initial data."""

    level: int
    """The level of the channel protocol."""
    flags1: int = MQ_REQUEST | SPLIT | CONVERTS
    """The capabilities of an end: capability flags 1, as a sum."""
    refused1: int = 0
    """The capabilities of `flags1` that the server lacks."""
    errors: int = 0
    """The other values that the server has changed."""
    batch: int = 0
    """The greatest number of messages in a batch, for channels between queue managers."""
    segment: int = 32748
    """The length in bytes of the longest segment."""
    message: int = 4194304
    """The length in bytes of the longest message."""
    wrap: int = 0
    """The message number after which numbers restart, for channels between queue managers."""
    channel: str = ""
    """The name of the channel."""
    flags2: int = 0
    """The capabilities of an end: capability flags 2, as a sum."""
    refused2: int = 0
    """The capabilities of `flags2` that the server lacks."""
    ccsid: int = 819
    """The character set of the sending end, by number."""
    name: str = ""
    """The name of the queue manager."""
    heartbeat: int = 300
    """The heartbeat interval in seconds."""
    conversations: int = 0
    """The number of conversations that may share the channel; 0 if segments name none."""
    flags3: int = 0
    """The capabilities of an end: capability flags 3, as a sum."""
    refused3: int = 0
    """The capabilities of `flags3` that the server lacks."""
    process: int = 0
    """The number of the client's process."""
    thread: int = 0
    """The number of the client's thread."""
    trace: int = 0
    """A number that distinguishes the channel from others in traces."""
    product: str = ""
    """The product of the end: four letters for its kind, and its version."""
    identifier: str = ""
    """The identifier of the queue manager, which is unique among queue managers of its name."""
    algorithms: tuple[int, ...] = ()
    """The algorithms for passwords that it accepts. NO_ALGORITHM ends the list."""
    random: bytes = bytes(12)
    """Random bytes, which the protection of a password uses."""
    length: int = _LENGTH
    """The length of the received form: older ends send less."""


def read_initial(flow: Flow) -> InitialData:
    """Read initial data.

    Raises BadInputError for anything else.
    """
    code, body = flow.charset, flow.body
    if body[:2] != "ID".encode(code) or len(body) < _SHORTEST:
        raise BadInputError("the initial data of the channel have an unknown form")
    values = _STRUCT[flow.order].unpack(body[:_LENGTH].ljust(_LENGTH, b"\0"))

    def text(value: bytes) -> str:
        return value.decode(code, errors="replace").partition("\0")[0].rstrip(" ")

    return InitialData(
        level=values[1],
        flags1=values[2],
        refused1=values[3],
        errors=values[4],
        batch=values[6],
        segment=values[7],
        message=values[8],
        wrap=values[9],
        channel=text(values[10]),
        flags2=values[11],
        refused2=values[12],
        ccsid=values[13],
        name=text(values[14]),
        heartbeat=values[15],
        conversations=values[23],
        flags3=values[24],
        refused3=values[25],
        process=values[27],
        thread=values[28],
        trace=values[29],
        product=text(values[30]),
        identifier=text(values[31]),
        algorithms=tuple(values[32 : 32 + _ALGORITHMS]),
        random=values[32 + _ALGORITHMS],
        length=min(len(body), _LENGTH),
    )


def initial_bytes(data: InitialData, order: ByteOrder, charset: str) -> bytes:
    """Write initial data."""

    def text(value: str, size: int) -> bytes:
        return value.ljust(size).encode(charset)[:size]

    algorithms = (*data.algorithms, *[NO_ALGORITHM] * _ALGORITHMS)[:_ALGORITHMS]
    written = _STRUCT[order].pack(
        text("ID", 4), data.level, data.flags1, data.refused1, data.errors, bytes(2), data.batch, data.segment,
        data.message, data.wrap, text(data.channel, 20), data.flags2, data.refused2, data.ccsid, text(data.name, 48),
        data.heartbeat, 0, 0, 0, _NO_COMPRESSION, _NO_COMPRESSION.ljust(16, b"\xff"), 0, 0, data.conversations,
        data.flags3, data.refused3, 0, data.process, data.thread, data.trace, text(data.product, 12),
        text(data.identifier, 48), *algorithms, data.random,
    )  # fmt: skip  # a line of the structure each
    return written[: data.length]
