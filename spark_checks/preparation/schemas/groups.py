"""Groups and logical messages as wholes: the columns that `of_groups` adds to moves of messages with a GroupId."""

from __future__ import annotations

from spark_checks.frames.described import Boolean, Columns, Int, Long, String


class PartGone(Columns):
    """A get that removed a part for good."""

    hi: Long
    """The latest time at which the removal can have become final."""
    until: Long
    """The `seq` of the call that made it final."""
    conn: String
    """The connection of the get."""
    seq: Long
    """The number of the get in the order of the connection's calls."""
    call: String
    """The name of the get."""
    msg_id: String
    """The MsgId of the part."""


class PartsCommitted(Columns):
    """The end of a unit of work in which parts were put."""

    available_lo: Long
    """The earliest time at which a part put in it can have been available to connections other than the putter's."""
    conn: String
    """The connection of the call that ended it."""
    seq: Long
    """The number of that call in the order of the connection's calls."""
    call: String
    """The name of that call."""


class WholeTaken(Columns):
    """A get of a complete logical message."""

    hi: Long
    """The latest time at which the removal can have become final."""
    lo: Long
    """The earliest time at which the get can have taken effect."""
    conn: String
    """The connection of the get."""
    seq: Long
    """The number of the get in the order of the connection's calls."""
    call: String
    """The name of the get."""
    msg_id: String
    """The MsgId that it returned."""
    length: Int
    """The number of bytes of data that it returned."""
    reason: Int
    """The reason of the get."""
    in_unit: Boolean
    """Whether it was within a unit of work."""


class PutAvailable(Columns):
    """The availability of the message that a row put."""

    available_lo: Long
    """The earliest time at which the message can have been available to connections other than its putter's.

    NEVER if it was not. A unit of work without an explicit end may have been ended before by a transaction manager.
    """


class OfGroup(Columns):
    """The facts of the group that a message belongs to. Its parts are the messages that were put in it."""

    g_last_lo: Long
    """The start of the first put that can have put the last message. Null if the log has no such put."""
    g_hole: Boolean
    """Whether a message before the last one was never put."""
    g_all_lo: Long
    """The start of the latest put of a message. Null if the log does not have the last message."""
    g_once: Boolean
    """Whether each message was put exactly once, only one as the last, and none in one piece beside segments."""
    g_gone: PartGone
    """The first removal of a message that was final. Null if there was none."""
    g_last_from: Long
    """The earliest time at which the last message can have been available to others than the putter, or NEVER."""
    g_all_from: Long
    """The earliest time at which all messages can have been available to others than the putter, or NEVER."""
    g_putter: String
    """The only connection that put messages in units of work. Null if none did, or several."""
    g_ended: PartsCommitted
    """The call that ended the last of these units of work. Null if there is none."""


class OfLogicalMessage(Columns):
    """The facts of the logical message that a message belongs to. Its parts are its segments."""

    m_last_lo: Long
    """The start of the first put that can have put the last segment. Null if the log has no such put."""
    m_hole: Boolean
    """Whether a segment before the last one was never put. Null if the log does not have the last segment, or has one
    behind it."""
    m_all_lo: Long
    """The start of the latest put of a segment. Null if the log does not have the last segment."""
    m_once: Boolean
    """Whether each segment was put exactly once, only one as the last, and all in a group or none."""
    m_gone: PartGone
    """The first removal of a segment that was final. Null if there was none."""
    m_last_from: Long
    """The earliest time at which the last segment can have been available to others than the putter, or NEVER."""
    m_all_from: Long
    """The earliest time at which all segments can have been available to others than the putter, or NEVER."""
    m_putter: String
    """The only connection that put segments in units of work. Null if none did, or several."""
    m_ended: PartsCommitted
    """The call that ended the last of these units of work. Null if there is none."""
    m_cut: Boolean
    """Whether the application itself put it in segments."""
    m_whole: Boolean
    """Whether its segments make up one message without holes, whose data stay as long as they were put."""
    m_length: Long
    """The number of bytes of data of all its segments. Null if it is not known for each."""
    m_taken: WholeTaken
    """The first final get with COMPLETE_MSG that returned it from its first byte, not converted. Null if none did."""
