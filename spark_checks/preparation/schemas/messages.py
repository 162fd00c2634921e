"""The facts of the message of a put or get: columns of `Log.moves`."""

from __future__ import annotations

from spark_checks.frames.described import Boolean, Columns, Int, Long, String
from spark_checks.preparation.schemas.calls import BoundedCall, NamedCall, UnitEnd


class PutCall(NamedCall):
    """A put of a message. Other columns have the meaning that they have in the event log."""

    start_us: Long
    """The time at which it began."""
    lo: Long
    """The earliest time at which it can have taken effect."""
    hi: Long
    """The latest time at which it can have taken effect."""
    until_lo: Long
    """The time until which its connection surely lived; see `OfConnection`."""
    options: Int
    """The options of the call."""
    object_name: String
    """The name by which the application opened the queue."""
    correl_id: String
    """CorrelId."""
    priority: Int
    """Priority. Below zero if it was left to the queue."""
    persistence: Int
    """Persistence."""
    expiry: Int
    """Expiry in tenths of a second, -1 for unlimited."""
    msg_flags: Int
    """MsgFlags."""
    in_unit: Boolean
    """Whether it was within a unit of work."""
    unit_end: UnitEnd
    """The end of its unit of work. Null also outside a unit of work."""
    open_until: Long
    """The time until which its unit of work was surely open. Null also outside a unit of work."""
    msg_type: Int
    """MsgType."""
    format: String
    """Format."""
    digest: String
    """The SHA-256 of the data, in hexadecimal."""
    group_id: String
    """GroupId."""
    msg_seq_number: Int
    """MsgSeqNumber."""
    offset: Int
    """Offset in bytes."""
    length: Int
    """The number of bytes of data that it has."""
    report: Int
    """Report."""
    feedback: Int
    """Feedback."""
    put_us: Long
    """PutDate and PutTime."""
    reply_to_q: String
    """The ReplyToQ of a message that asks for a reply or a report. Null for others."""
    visible: BoundedCall
    """The call by which the message became visible to all. Null if it never did, or that is not known."""


class PutPlace(Columns):
    """A put, by its place in the order of the message's calls."""

    lo: Long
    """The earliest time at which it can have taken effect."""
    conn: String
    """Its connection."""
    seq: Long
    """Its number in the order of the connection's calls."""
    call: String
    """The name of the call."""


class Deadline(Columns):
    """The end of a message's lifetime."""

    us: Long
    """The latest possible time of the end."""
    conn: String
    """The connection of the call that showed it."""
    seq: Long
    """The number of that call in the order of the connection's calls."""
    call: String
    """The name of that call."""


class HighestCount(Columns):
    """A BackoutCount that a call showed."""

    backout_count: Int
    """BackoutCount."""
    hi: Long
    """The latest time at which the call that showed it can have taken effect."""
    conn: String
    """The connection of that call."""
    seq: Long
    """The number of that call in the order of the connection's calls."""
    call: String
    """The name of that call."""


class FinalTake(Columns):
    """A get that removed its message for good."""

    hi: Long
    """The latest time at which the removal can have become final."""
    at_seq: Long
    """The `seq` of the call that made it final."""
    by: BoundedCall
    """The call that made it final: the get itself, or the end of its unit of work."""
    take: NamedCall
    """The get."""
    in_unit: Boolean
    """Whether the get was within a unit of work."""
    options: Int
    """The options of the get."""
    reason: Int
    """The reason of the get."""
    wait_ms: Int
    """The WaitInterval of the get in milliseconds, -1 for unlimited."""
    lo: Long
    """The earliest time at which the get can have taken effect."""
    put_us: Long
    """PutDate and PutTime of the message."""


class Release(Columns):
    """A call that left a returned message on the queue, or brought it back."""

    at: Long
    """The latest time at which the message was back."""
    why: String
    """The rule by which it was back."""
    by: BoundedCall
    """The call: a browse itself, or the end of the unit of work or lock of a get."""


class OfMessage(Columns):
    """The facts of the message of a put or get, from all calls on it.

    A *gap* is a time in which the message was surely available: committed, and neither got nor locked. The row of a
    call that returned the message stands for the gap before it. The row of the put stands for the last gap, which ends
    at an unknown time. So does the row of one of several puts with one MsgId, if fewer calls held such a message than
    put one. A browse takes nothing off the queue (BRW-02), so the gaps before and after it begin at the same time. The
    gaps of a message without a put in the log begin with `given_back` and `shown`.

    *Before* a row are the calls on the message with an earlier `lo`. NEVER is a time or a number that is never reached.
    """

    put: PutCall
    """The put, if it is the only one (`n_puts`). Null also on the row of a put itself that has no gap.

    On a row that stands for the gap of one of several puts, it is one of them, with the shortest life of them all.
    """
    n_puts: Long
    """The number of puts, including those that the log lacks and something shows."""
    alike: Boolean
    """Whether all puts with its MsgId have one CorrelId, GroupId and MsgFlags: a get suits all of them, or none."""
    n_returned: Long
    """The number of calls that returned it."""
    n_held: Long
    """The number of calls that returned it and kept it from others, or may have."""
    first_put: PutPlace
    """The earliest put. Null if the log has none."""
    put_since: Long
    """The time since which all messages with this identifier were put. Null if the log has no put, or one that was put
    before it was returned before the first."""
    n_final: Long
    """The number of calls that removed it for good. Removals of reports do not count."""
    alone: Boolean
    """Whether one connection made all calls that returned it. Null if none did."""
    all_backouts: Long
    """The number of gets of it that were surely backed out."""
    all_perhaps_backouts: Long
    """The number of gets of it that may have been backed out."""
    deadline: Deadline
    """The earliest end of its lifetime that some call showed. Null if none did, or the log has a put of it."""
    highest_count: HighestCount
    """The largest BackoutCount that a call showed. Null if none showed one, or only one call returned it."""
    expires_us: Long
    """The latest time at which it expires. NEVER if some put had unlimited expiry, or its expiry was not captured.

    Null if the log has no put of it, and nothing shows one.
    """
    largest_expiry: Long
    """Its largest Expiry, in tenths of a second. NEVER if some put had unlimited expiry, or it was not captured.

    Null if the log has no put of it, and nothing shows one.
    """
    put_unlimited: Boolean
    """Whether all puts of it had unlimited expiry. Null if the log has none."""
    first_final: FinalTake
    """The earliest removal for good. Null if there was none, or only one call returned it."""
    rank: Int
    """Its priority in the queue, by default that of the queue.

    If several messages have one MsgId, only some have it. Null also if the put may have a highest priority that is not
    known.
    """
    gap_from: Long
    """The beginning of the gap: the put, its commit and the backouts of all earlier gets had surely taken effect.

    Null if the row stands for no gap.
    """
    gap_first: Boolean
    """Whether the gap begins with the put."""
    given_back: Release
    """The end of a unit of work or a lock that gave it back last, of the gets before the row.

    On the row of a put all gets of it count. Null if there was none, or if one of them is not known to have given it
    back.
    """
    shown: Release
    """The last call before the row that returned it and left it on the queue. On the row of a put all calls count.

    Null if there was none.
    """
    backouts: Long
    """The number of gets before the row that were surely backed out."""
    perhaps_backouts: Long
    """The number of gets before the row that may have been backed out."""
    next_lo: Long
    """The `lo` of the next call on it. Null if there is none."""
    perhaps_marked: Boolean
    """Whether a browse before the row may have marked it. On the row of a put all calls count."""
