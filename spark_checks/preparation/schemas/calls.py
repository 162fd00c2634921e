"""What the calls of a connection tell of each other: the columns of `Log.calls` beside those of the event log."""

from __future__ import annotations

from spark_checks.frames.described import Boolean, Columns, Long, String


class NamedCall(Columns):
    """A call as others name it."""

    conn: String
    """The connection."""
    seq: Long
    """Its number in the order of the connection's calls."""
    call: String
    """The name of the call."""


class BoundedCall(NamedCall):
    """A call that ended something."""

    lo: Long
    """The earliest time at which it can have taken effect."""
    hi: Long
    """The latest time at which it can have taken effect."""
    loose: Boolean
    """Whether its times do not tell its order within the connection, so that `seq` alone tells it."""


class UnitEnd(BoundedCall):
    """The end of a unit of work: MQCMIT, MQBACK, MQDISC, or an MQCONN, before which the connection must have ended."""

    outcome: String
    """COMMITTED, BACKED_OUT or UNKNOWN of spark_checks.preparation.connections."""


class LockEnd(Columns):
    """The end of a lock."""

    seq: Long
    """The number of the call that released it, in the order of the connection's calls."""
    conn: String
    """The connection of that call."""
    call: String
    """The name of that call."""
    lo: Long
    """The earliest time at which that call can have taken effect."""
    hi: Long
    """The latest time at which that call can have taken effect."""
    loose: Boolean
    """Whether the times of that call do not tell its order within the connection, so that `seq` alone tells it."""
    why: String
    """The rule by which that call releases it."""


class OfConnection(Columns):
    """What the calls before and after a call in its connection tell of it."""

    carried: String
    """How a call of an earlier log takes part: IN_CONTEXT, SETTLED or ASKS. Null for a call of the log itself."""
    lo: Long
    """The earliest time at which it can have taken effect: no earlier than the start of any call before it."""
    hi: Long
    """The latest time at which it can have taken effect: no later than the end of any call after it."""
    loose: Boolean
    """Whether its times do not tell its order within the connection, so that `seq` alone tells it."""
    since: Long
    """When the last MQCONN began, of the call itself and those before it. BEFORE_THE_LOG if the log has none.

    A call of unknown outcome counts as an MQCONN: the connection may be another one since.
    """
    until_lo: Long
    """When the connection's last call began that shows it alive, or the call itself if an MQCONN came before that.

    A call of unknown outcome counts as an MQCONN here too.
    """
    connected: Boolean
    """Whether the log has an MQCONN of the connection, at the call or before it."""
    undone_before: Long
    """The `seq` of the last call before it that backed out a unit of work, or may have. Null if there is none."""
    unseen_before: Long
    """The `seq` of the last call before it that may have opened a handle of unknown number. Null if there is none."""
    gone: Boolean
    """Whether the call before it disconnected."""
    unit_end: UnitEnd
    """The end of the unit of work around it. Null if the log has none."""
    open_until: Long
    """Until when a unit of work that the call is part of was surely open.

    That is the start of the call that ended it, or else of the connection's last call that shows it alive. Null if the
    unit of work may have been backed out before.
    """


class OfLock(Columns):
    """What became of the lock of a call that locked a message, and of its handle (spark_checks.preparation.locks)."""

    lives_left: Long
    """How many later calls open or close the handle, or may have left any handle of the connection otherwise.

    Two calls with one `hobj` have the same handle, and no call between them is missing from it, if this is the same.
    """
    lock_until: Long
    """When the first later call began that may have released the lock.

    If there is none, when the connection's last call began that shows it alive. BEFORE_THE_LOG if the connection may
    have broken before. Null for a call that locked nothing.
    """
    lock_end: LockEnd
    """The first later call that surely released the lock. Null if the log has none, or the call locked nothing."""
    unlocks_at: Long
    """The `seq` of the first later call that may have released the lock. Null if there is none, or no lock."""
