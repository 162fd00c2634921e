"""A shape: what is left of a call when everything is forgotten that no rule about a single call asks for.

Identifiers are forgotten but for whether they are equal, numbers but for how they compare. None is always: not
captured, or not known because a call before it was not.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum


class Expiry(str, Enum):
    """Which kind of value an Expiry is."""

    BELOW = "below -1"
    UNLIMITED = "unlimited"
    ZERO = "zero"
    LIMITED = "limited"
    ABOVE = "above 999999999"


class Identity(str, Enum):
    """How an identifier compares with another one."""

    NULL = "null"
    SAME = "same"
    OTHER = "other"


class Place(str, Enum):
    """Where the offset of a message stands, compared with the message that the handle returned before."""

    NEXT = "behind the one before"
    ZERO = "zero"
    ELSEWHERE = "elsewhere"


class Duration(str, Enum):
    """How long a call took, as far as the times tell: they may be further apart than the call was long."""

    SHORT = "surely shorter than its wait interval"
    OPEN = "perhaps as long"


class HandleState(str, Enum):
    """What the log tells of the handle, or of the connection of a call without one."""

    OPEN = "open"
    CLOSED = "closed"
    NEVER = "never opened"
    DISCONNECTED = "disconnected"


@dataclass(frozen=True, slots=True)
class Shape:
    """A call as the rules about single calls see it. The members that are no comparison are those of the event log.

    `wait` is the WaitInterval, cut to -2 (invalid), -1 (unlimited), 0 and 1 (limited); `opened` are the options of the
    MQOPEN of the handle. `fits`: the message is no longer than the buffer. `by_msg_id`, `by_correl_id` and
    `by_group_id` compare what a get asked for with what it returned, `by_seq_number` and `by_offset` likewise.

    `too_long`: longer than MaxMsgLength of the queue's definition; `sel_seq_valid`: the MsgSeqNumber asked for is in
    range. `original_length` is `undefined`, `short` (of the data) or `enough`.

    What the handle did before: `known` says that every call on it since its MQOPEN, and its outcome, is in the log.
    `cursor` compares the message that the last BROWSE_FIRST or BROWSE_NEXT returned with the one returned now, NULL
    where there was none; `cursor_offset` is whether that message's Offset was not zero. `first_order` and `last_order`
    are whether LOGICAL_ORDER was on at the last BROWSE_FIRST, and at the last browse of either kind.

    `got`, `browsed` and `put` are the MsgFlags of the last message that the handle removed, browsed, put, -1 if there
    was none; `..._logical` whether LOGICAL_ORDER was on, `..._unit` whether within a unit of work. `same_group`,
    `seq_step` (cut to -1, 0, 1, 2) and `place` compare the message returned now with the last one of the same kind.
    `may_hold_lock` is false if the handle surely holds no lock, `holds_lock` true if it surely holds one, and `handle`
    says whether it is open at all.
    """

    call: str
    comp_code: int | None = None
    reason: int | None = None
    options: int | None = None
    match_options: int | None = None
    opened: int | None = None
    index_type: str | None = None
    definition_type: str | None = None
    handle: str | None = None
    in_unit: bool | None = None
    wait: int | None = None
    duration: str | None = None
    fits: bool | None = None
    empty: bool | None = None
    short_buffer: bool | None = None
    priority: int | None = None
    persistence: int | None = None
    expiry: str | None = None
    msg_type: int | None = None
    msg_flags: int | None = None
    report: int | None = None
    transmission: bool | None = None
    reply_to_q: bool | None = None
    group_id: str | None = None
    first_in_group: bool | None = None
    seq_valid: bool | None = None
    offset_sign: int | None = None
    original_length: str | None = None
    too_long: bool | None = None
    sel_seq_valid: bool | None = None
    may_hold_lock: bool | None = None
    holds_lock: bool | None = None
    null_msg_id: bool | None = None
    group_status: str | None = None
    segment_status: str | None = None
    backout_count_sign: int | None = None
    by_msg_id: str | None = None
    by_correl_id: str | None = None
    by_group_id: str | None = None
    by_seq_number: bool | None = None
    by_offset: bool | None = None
    known: bool | None = None
    cursor: str | None = None
    cursor_offset: bool | None = None
    first_order: bool | None = None
    last_order: bool | None = None
    got: int | None = None
    got_logical: bool | None = None
    got_unit: bool | None = None
    browsed: int | None = None
    browsed_logical: bool | None = None
    put: int | None = None
    put_logical: bool | None = None
    put_unit: bool | None = None
    put_persistence: int | None = None
    same_group: bool | None = None
    seq_step: int | None = None
    place: str | None = None

    def asks(self, bits: int) -> bool:
        """Whether any of these bits is on in the options of the call; not if these were not captured."""
        return bool((self.options or 0) & bits)


MEMBERS = tuple(field.name for field in fields(Shape))
"""The members of a shape, which are the columns of the frame that Spark makes of them."""
