"""What a call returns, and how much freedom a queue manager has in returning it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from oracle.constants import MQCC, MQRC
from oracle.structures import MessageDescriptor


@dataclass(frozen=True, slots=True)
class Between:
    """Any integer from `low` to `high`, both included."""

    low: int
    high: int

    def admits(self, value: object) -> bool:
        """Whether the value is one of those allowed."""
        return isinstance(value, int) and self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{self.low} to {self.high}"


@dataclass(frozen=True, slots=True)
class OneOf:
    """Any of a few values."""

    values: tuple[object, ...]

    def admits(self, value: object) -> bool:
        """Whether the value is one of those allowed."""
        return value in self.values

    def __str__(self) -> str:
        return " or ".join(map(repr, self.values))


@dataclass(frozen=True, slots=True)
class Anything:
    """Any value: the documents leave it to the queue manager, or the model does not contain it."""

    def admits(self, value: object) -> bool:
        """Whether the value is one of those allowed: always."""
        return value is not None

    def __str__(self) -> str:
        return "any value"


@dataclass(frozen=True, slots=True)
class BytesLike:
    """Data like these: in the ranges of bytes that `free` gives they may differ."""

    expected: bytes
    free: tuple[range, ...] = ()

    def admits(self, value: object) -> bool:
        """Whether the value is equal outside the free ranges."""
        if not isinstance(value, bytes) or len(value) != len(self.expected):
            return False
        unlike = {place for place, pair in enumerate(zip(value, self.expected, strict=True)) if pair[0] != pair[1]}
        return unlike <= {place for places in self.free for place in places}

    def __str__(self) -> str:
        free = ", ".join(f"{places.start} to {places.stop - 1}" for places in self.free)
        return f"{self.expected.hex()}, with any bytes at {free}" if free else self.expected.hex()


Latitude = Between | OneOf | Anything | BytesLike


@dataclass(frozen=True, slots=True)
class GetOutputs:
    """The members of MQGMO that MQGET sets."""

    resolved_q_name: str
    group_status: str
    segment_status: str
    segmentation: str
    msg_token: bytes
    returned_length: int


@dataclass(frozen=True, slots=True)
class Reply:
    """The outcome of a call: codes and outputs, one possible value each.

    `latitude` widens single members, named as `MQMD.Expiry`: any value that it admits is as good as the one
    shown; `behind` names the rules behind single members where they are not those of every call. `pending` is an
    MQGET that waits. `hobj` and, of a dynamic queue, `object_name` are outputs of MQOPEN, `values` of MQINQ.
    """

    comp_code: int = MQCC.OK
    reason: int = MQRC.NONE
    pending: bool = False
    hobj: int | None = None
    object_name: str | None = None
    descriptor: MessageDescriptor | None = None
    options: GetOutputs | None = None
    data: bytes | None = None
    data_length: int | None = None
    values: Mapping[str, Any] | None = None
    latitude: Mapping[str, Latitude] = field(default_factory=dict)
    behind: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether the call failed: nothing was returned and nothing changed (CHK-01)."""
        return self.comp_code == MQCC.FAILED

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
    """The end of an MQGET that waited: which one (its `identity`) and how it ended."""

    conn: str
    identity: int
    reply: Reply
    rules: tuple[str, ...]
