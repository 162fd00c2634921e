"""The state of the handle before a call: the columns that `with_handles` adds to calls."""

from __future__ import annotations

from spark_checks.frames.described import Boolean, Columns, Int, Long, String
from spark_checks.preparation.schemas.calls import NamedCall


class HandleOpen(NamedCall):
    """The MQOPEN of a handle."""

    options: Int
    """Its options."""
    lives_left: Long
    """The life of the handle that it began; see spark_checks.preparation.schemas.calls.OfLock."""


class LastCall(NamedCall):
    """The last call of a kind that a handle made. Other columns have the meaning that they have in the event log."""

    options: Int
    """The options of the call."""
    msg_id: String
    """The MsgId of its message."""
    group_id: String
    """The GroupId of its message."""
    msg_seq_number: Int
    """The MsgSeqNumber of its message."""
    offset: Int
    """The Offset of its message in bytes."""
    msg_flags: Int
    """The MsgFlags of its message."""
    length: Int
    """The number of bytes of data of its message."""
    persistence: Int
    """The Persistence of its message."""
    logical: Boolean
    """Whether LOGICAL_ORDER was on."""
    unit: Boolean
    """Whether it was within a unit of work."""
    msg_type: Int
    """The MsgType of its message."""
    format: String
    """The Format of its message."""


class HandleLock(NamedCall):
    """A call that locked a message for its handle."""

    msg_id: String
    """The MsgId of the message."""
    unlocks_at: Long
    """The `seq` of the first later call that may have released the lock. Null if there is none."""
    expiry: Int
    """The Expiry of the message in tenths of a second, -1 for unlimited."""


class OfHandle(Columns):
    """The facts of a call's handle from the calls before it.

    Nothing counts from before the handle was opened anew. An MQOPEN itself has none of these. An MQOPEN whose handle
    was not captured may have opened any handle that was not open. So may an MQSUB, where the call fits one: there are
    no records of MQSUB.
    """

    unit: Boolean
    """Whether the call is a put or get within a unit of work. Browsing never is."""
    logical: Boolean
    """Whether LOGICAL_ORDER is on in its options."""
    opened: HandleOpen
    """The MQOPEN of the handle. Null if there is none in the log, or the handle may be closed."""
    got: LastCall
    """The last call of the handle that removed a message. Null if there was none."""
    browsed: LastCall
    """The last call of the handle that browsed a message. Null if there was none."""
    put: LastCall
    """The last call of the handle that put a message. Null if there was none."""
    cursor: LastCall
    """The last BROWSE_FIRST or BROWSE_NEXT of the handle that returned a message. Null if there was none."""
    first_order: Boolean
    """Whether LOGICAL_ORDER was on at the last BROWSE_FIRST. Null if there was none.

    Null also if a call since may have set the order that BROWSE_NEXT keeps: a BROWSE_FIRST that returned
    nothing (AMB-78), a browse of the message under the cursor, or a get that removed a message (S6).
    """
    last_order: Boolean
    """Whether LOGICAL_ORDER was on at the last browse that moved the cursor. Null if there was none."""
    lock: HandleLock
    """The call that locked a message, if the handle surely still holds it. Null if not."""
    cut_since: Boolean
    """Whether a browse of the handle returned 2080 since the call in `lock`."""
    may_hold_lock: Boolean
    """False if the last call that locks or releases a lock on the handle released it, or there was none."""
    known: Boolean
    """Whether the columns above cover everything that the handle did since its MQOPEN.

    If so, the log has the MQOPEN and all later calls with their outcomes, and no unit of work has been backed out since
    the last get or put.
    """
    handle: String
    """`open`, `closed` or `never opened`. For a call without a handle: `disconnected` if its connection is."""
