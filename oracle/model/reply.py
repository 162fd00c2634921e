"""The reply of a call, and the freedom that a queue manager has in returning it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final, Literal, Protocol

from oracle.mqi.constants import MQCC, MQRC
from oracle.mqi.structures import GMO_SINCE_VERSION, GetMessageOptions, MessageDescriptor
from oracle.values import quickly_made, replace


@dataclass(frozen=True, slots=True)
class Between:
    """Any integer from `low` to `high`, both included."""

    low: int
    """The least."""
    high: int
    """The largest."""

    def admits(self, value: object) -> bool:
        """Return whether the value is one of those allowed."""
        return isinstance(value, int) and self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{self.low} to {self.high}"


@quickly_made
@dataclass(frozen=True, slots=True)
class OneOf:
    """Any of a few values."""

    values: tuple[object, ...]
    """The values."""

    def admits(self, value: object) -> bool:
        """Return whether the value is one of those allowed."""
        return value in self.values

    def __str__(self) -> str:
        return " or ".join(map(repr, self.values))


@dataclass(frozen=True, slots=True)
class Anything:
    """Any value: the documents leave it to the queue manager, or the model does not contain it."""

    def admits(self, value: object) -> bool:
        """Return whether the value is one of those allowed: always."""
        return value is not None

    def __str__(self) -> str:
        return "any value"


@dataclass(frozen=True, slots=True)
class NumberAt:
    """A number within data that may differ."""

    place: range
    """Its place, in bytes."""
    order: Literal["little", "big"]
    """Its byte order."""
    allowed: Latitude
    """The allowed values."""

    def admits(self, data: bytes) -> bool:
        """Return whether the number in these data is one of those allowed; a truncated number is."""
        if len(data) < self.place.stop:
            return True
        return self.allowed.admits(int.from_bytes(data[self.place.start : self.place.stop], self.order, signed=True))


@dataclass(frozen=True, slots=True)
class BytesLike:
    """Data that may differ in places."""

    expected: bytes
    """Data that are allowed, which stand for all others."""
    free: tuple[range, ...] = ()
    """The ranges of bytes that may be any."""
    numbers: tuple[NumberAt, ...] = ()
    """The numbers that may differ within limits."""

    def admits(self, value: object) -> bool:
        """Return whether the value is equal outside the free ranges and the numbers are within their limits."""
        if not isinstance(value, bytes) or len(value) != len(self.expected):
            return False
        unlike = {place for place, pair in enumerate(zip(value, self.expected, strict=True)) if pair[0] != pair[1]}
        open_places = {place for places in (*self.free, *(each.place for each in self.numbers)) for place in places}
        return unlike <= open_places and all(each.admits(value) for each in self.numbers)

    def __str__(self) -> str:
        text = self.expected.hex()
        if self.free:
            text += ", with any bytes at " + ", ".join(f"{each.start} to {each.stop - 1}" for each in self.free)
        return text + "".join(f", and at {each.place.start} the number {each.allowed}" for each in self.numbers)


@dataclass(frozen=True, slots=True)
class Including:
    """A mapping with these entries; other entries do not matter."""

    entries: Mapping[str, object]
    """The entries that it must have."""

    def admits(self, value: object) -> bool:
        """Return whether the value is a mapping that has these entries."""
        return isinstance(value, Mapping) and all(
            name in value and value[name] == entry for name, entry in self.entries.items()
        )

    def __str__(self) -> str:
        return f"{dict(self.entries)} and anything else"


@dataclass(frozen=True, slots=True)
class BeginningOf:
    """The beginning of data, with null bytes after it."""

    whole: BytesLike
    """The data."""
    shortest: int
    """The least number of its bytes."""
    longest: int
    """The greatest number of bytes, null bytes included."""

    def admits(self, value: object) -> bool:
        """Return whether the value is such a beginning."""
        if not isinstance(value, bytes) or not self.shortest <= len(value) <= self.longest:
            return False
        length = max(self.shortest, len(value.rstrip(b"\0")))
        if length > len(self.whole.expected):
            return False
        begun = replace(self.whole, expected=self.whole.expected[:length])
        return begun.admits(value[:length])

    def __str__(self) -> str:
        return f"{self.shortest} to {self.longest} bytes of {self.whole}, then nulls"


class Latitude(Protocol):
    """The allowed values of a member; as text, it says so in a report."""

    def admits(self, value: object) -> bool:
        """Return whether the value is one of those allowed."""


@quickly_made
@dataclass(frozen=True, slots=True)
class GetOutputs:
    """The members of MQGMO that MQGET sets."""

    resolved_q_name: str
    """ResolvedQName."""
    group_status: str
    """GroupStatus."""
    segment_status: str
    """SegmentStatus."""
    segmentation: str
    """Segmentation."""
    msg_token: bytes
    """MsgToken."""
    returned_length: int
    """ReturnedLength, in bytes."""
    version: int = 4
    """The version of the caller's structure; members of later versions are not set (GST-08)."""

    def members(self) -> dict[str, Any]:
        """Return the members that a structure of this version has, by C name."""
        return {c_name: getattr(self, name) for name, c_name, _ in _outputs_of_version(self.version)}


_MQMD: Final = tuple(f"MQMD.{c_name}" for c_name in MessageDescriptor.c_names().values())
_MEMBERS_OF_MQMD: Final = attrgetter(*MessageDescriptor.c_names())
_OUTPUTS_OF_MQGMO: Final = tuple(
    (name, c_name, f"MQGMO.{c_name}")
    for name, c_name in GetMessageOptions.c_names().items()
    if name in GetOutputs.__dataclass_fields__ and name != "version"
)


@lru_cache(maxsize=64)
def _outputs_of_version(version: int) -> tuple[tuple[str, str, str], ...]:
    """Return the outputs that a structure of a version has: the name here, the C name, and that within a reply."""
    return tuple(each for each in _OUTPUTS_OF_MQGMO if version >= GMO_SINCE_VERSION.get(each[1], 1))


@quickly_made
@dataclass(frozen=True, slots=True)
class Reply:
    """The outcome of a call: codes and outputs, one possible value each."""

    comp_code: int = MQCC.OK
    """CompCode (MQCC)."""
    reason: int = MQRC.NONE
    """Reason (MQRC)."""
    pending: bool = False
    """Whether it is an MQGET that waits."""
    hobj: int | None = None
    """The handle that MQOPEN returned."""
    object_name: str | None = None
    """The name that MQOPEN gave a dynamic queue."""
    descriptor: MessageDescriptor | None = None
    """The message descriptor after the call."""
    options: GetOutputs | None = None
    """The MQGMO after an MQGET."""
    data: bytes | None = None
    """The data that MQGET put into the buffer."""
    data_length: int | None = None
    """DataLength of MQGET, in bytes."""
    values: Mapping[str, Any] | None = None
    """The attributes that MQINQ returned."""
    latitude: Mapping[str, Latitude] = field(default_factory=dict)
    """The values of single members, named as `MQMD.Expiry`, that are as good as the one shown."""
    behind: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The rules behind single members, if they are not those of every call."""

    @property
    def failed(self) -> bool:
        """Whether the call failed: nothing was returned and nothing changed (CHK-01)."""
        return self.comp_code == MQCC.FAILED

    def members(self) -> dict[str, Any]:
        """Return every output by name, such as `MQMD.MsgId`."""
        members: dict[str, Any] = {}
        if self.hobj is not None:
            members["Hobj"] = self.hobj
        if self.object_name is not None:
            members["ObjectName"] = self.object_name
        if self.descriptor is not None:
            members.update(zip(_MQMD, _MEMBERS_OF_MQMD(self.descriptor), strict=True))
        if self.options is not None:
            for name, _, member in _outputs_of_version(self.options.version):
                members[member] = getattr(self.options, name)
        if self.data is not None:
            members.update(data=self.data, DataLength=self.data_length)
        if self.values is not None:
            members["values"] = dict(self.values)
        return members

    def __str__(self) -> str:
        if self.pending:
            return "pending"
        return f"{MQCC.name_of(self.comp_code)} {MQRC.describe(self.reason)}"


def failure(reason: int) -> Reply:
    """Return the reply of a call that failed."""
    return Reply(MQCC.FAILED, reason)


def warning(reason: int) -> Reply:
    """Return the reply of a call that completed with a warning and no further outputs."""
    return Reply(MQCC.WARNING, reason)


@dataclass(frozen=True, slots=True)
class Completion:
    """The end of an MQGET that waited."""

    conn: str
    """Its connection."""
    identity: int
    """The identity of the MQGET."""
    reply: Reply
    """Its reply."""
    rules: tuple[str, ...]
    """The rules by which it ended."""


@dataclass(frozen=True, slots=True)
class Posted:
    """The end of a signal."""

    conn: str
    """Its connection."""
    hobj: int
    """The handle that it was outstanding on."""
    identity: int
    """The identity of the MQGET that had set it."""
    code: int
    """The completion code that the ECB is posted with, one of MQEC (SIG-20)."""
    rules: tuple[str, ...]
    """The rules by which it ended."""
