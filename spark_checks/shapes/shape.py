"""A shape: a call reduced to what rules about single calls need.

Of identifiers only their equality is kept, and of numbers how they compare. None always means not captured, or not
known because an earlier call was not captured.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum


class Expiry(str, Enum):
    """The kind of an Expiry value."""

    BELOW = "below -1"
    UNLIMITED = "unlimited"
    ZERO = "zero"
    LIMITED = "limited"
    ABOVE = "above 999999999"


class Identity(str, Enum):
    """The comparison of an identifier with another one."""

    NULL = "null"
    SAME = "same"
    OTHER = "other"


class OffsetPlace(str, Enum):
    """The offset of a message compared with the message that the handle returned before."""

    NEXT = "behind the one before"
    ZERO = "zero"
    ELSEWHERE = "elsewhere"


class Duration(str, Enum):
    """The duration of a call, as far as its times show it: they may be further apart than the call was long."""

    SHORT = "surely shorter than its wait interval"
    OPEN = "perhaps as long"


class HandleState(str, Enum):
    """The known state of the handle, or of the connection of a call without one."""

    OPEN = "open"
    CLOSED = "closed"
    NEVER = "never opened"
    DISCONNECTED = "disconnected"


@dataclass(frozen=True, slots=True)
class Shape:
    """A call reduced to what rules about single calls need.

    Values are those of the event log unless stated otherwise. Members that no rule needs for a call are None too
    (spark_checks.shapes.features).
    """

    call: str
    """The name of the call."""
    comp_code: int | None = None
    """CompCode."""
    reason: int | None = None
    """Reason."""
    options: int | None = None
    """The options of the call."""
    match_options: int | None = None
    """MatchOptions of a get."""
    opened: int | None = None
    """The options of the MQOPEN of the handle."""
    by_default_asynchronous: bool | None = None
    """Whether DEFPRESP of its queue is ASYNC, so that an MQPUT without an option for it does not await its outcome."""
    index_type: str | None = None
    """IndexType of the queue's definition."""
    definition_type: str | None = None
    """DefinitionType of the queue's definition."""
    handle: str | None = None
    """The state of the handle: a value of HandleState."""
    in_unit: bool | None = None
    """Whether the call is within a unit of work."""
    wait: int | None = None
    """WaitInterval of a get, limited: -2 for an invalid one, -1 for unlimited, 0 for none, 1 for a limited one."""
    duration: str | None = None
    """The duration of a get that waited and found nothing: a value of Duration."""
    fits: bool | None = None
    """Whether the message is no longer than the buffer of the get."""
    empty: bool | None = None
    """Whether the message has no data."""
    short_buffer: bool | None = None
    """Whether the length of a get's buffer is below zero."""
    priority: int | None = None
    """Priority, limited to the range from -4 to 10."""
    persistence: int | None = None
    """Persistence, limited to the range from -1 to 3."""
    expiry: str | None = None
    """The kind of Expiry: a value of Expiry."""
    msg_type: int | None = None
    """MsgType of a put."""
    msg_flags: int | None = None
    """MsgFlags, with only the bits that rules need."""
    report: int | None = None
    """Report of a put.

    None also if it has unknown bits that are accepted if the message leaves for another queue manager.
    """
    transmission: bool | None = None
    """Whether Format is that of a message with a transmission queue header.

    None also for another on a transmission queue, which may want that header (XMQ-03).
    """
    reply_to_q: bool | None = None
    """Whether ReplyToQ of a put names a queue."""
    group_id: str | None = None
    """Whether GroupId is null: `null` or `given`."""
    first_in_group: bool | None = None
    """Whether MsgSeqNumber is 1."""
    seq_valid: bool | None = None
    """Whether MsgSeqNumber is in its range."""
    offset_sign: int | None = None
    """The sign of Offset: -1, 0 or 1."""
    original_length: str | None = None
    """How OriginalLength of a put compares with the length of its data: `undefined`, `short` or `enough`."""
    too_long: bool | None = None
    """Whether the message is longer than MaxMsgLength of the queue's definition."""
    sel_seq_valid: bool | None = None
    """Whether the MsgSeqNumber that a get asked for is in its range."""
    may_hold_lock: bool | None = None
    """False if the handle surely holds no lock."""
    holds_lock: bool | None = None
    """Whether the handle surely holds a lock. False means only that it may hold none."""
    null_msg_id: bool | None = None
    """Whether MsgId of a put is null after the call."""
    group_status: str | None = None
    """GroupStatus that a get returned."""
    segment_status: str | None = None
    """SegmentStatus that a get returned."""
    backout_count_sign: int | None = None
    """The sign of BackoutCount: -1, 0 or 1."""
    by_msg_id: str | None = None
    """How the MsgId that a get asked for compares with the one it returned: a value of Identity."""
    by_correl_id: str | None = None
    """How the CorrelId that a get asked for compares with the one it returned: a value of Identity."""
    by_group_id: str | None = None
    """How the GroupId that a get asked for compares with the one it returned: a value of Identity."""
    by_seq_number: bool | None = None
    """Whether the MsgSeqNumber that a get asked for is the one it returned."""
    by_offset: bool | None = None
    """Whether the Offset that a get asked for is the one it returned."""
    known: bool | None = None
    """Whether the log has all calls of the handle since its MQOPEN, with outcomes, and none of them was backed out.

    If not, the members below are None.
    """
    cursor: str | None = None
    """How the message under the browse cursor compares with the one returned now: a value of Identity.

    It is `null` if there is no cursor. The cursor is where the last BROWSE_FIRST or BROWSE_NEXT left it.
    """
    cursor_offset: bool | None = None
    """Whether Offset of the message under the browse cursor is not zero."""
    first_order: bool | None = None
    """Whether LOGICAL_ORDER was on at the last BROWSE_FIRST of the handle.

    None also if a call since may have set the order that BROWSE_NEXT keeps.
    """
    last_order: bool | None = None
    """Whether LOGICAL_ORDER was on at the last BROWSE_FIRST or BROWSE_NEXT of the handle."""
    got: int | None = None
    """MsgFlags of the last message that the handle removed, -1 if there was none."""
    got_logical: bool | None = None
    """Whether LOGICAL_ORDER was on at that get."""
    got_unit: bool | None = None
    """Whether that get was within a unit of work."""
    browsed: int | None = None
    """MsgFlags of the last message that the handle browsed, -1 if there was none."""
    browsed_logical: bool | None = None
    """Whether LOGICAL_ORDER was on at that browse."""
    put: int | None = None
    """MsgFlags of the last message that the handle put, -1 if there was none."""
    put_logical: bool | None = None
    """Whether LOGICAL_ORDER was on at that put."""
    put_unit: bool | None = None
    """Whether that put was within a unit of work."""
    put_persistence: int | None = None
    """Persistence of the message of that put."""
    same_group: bool | None = None
    """Whether GroupId is that of the handle's last message of the same kind: removed, browsed or put."""
    seq_step: int | None = None
    """The difference of MsgSeqNumber from that of this last message, limited to the range from -1 to 2."""
    place: str | None = None
    """The position of Offset compared with the end of this last message: a value of OffsetPlace."""

    def asks(self, bits: int) -> bool:
        """Return whether any of these bits is set in the options of the call; false if they were not captured."""
        return bool((self.options or 0) & bits)


MEMBERS = tuple(field.name for field in fields(Shape))
"""The members of a shape: the columns of the frame that an engine makes of them."""
