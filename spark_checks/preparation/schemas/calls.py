"""Facts about calls from their connection: the columns of `Log.calls` besides those of the event log."""

from __future__ import annotations

from spark_checks.frames.described import Boolean, Columns, Long, String


class NamedCall(Columns):
    """A call as others refer to it."""

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
    """Whether its times do not determine its order within the connection, so that only `seq` does."""


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
    """Whether that call's times do not determine its order within the connection, so that only `seq` does."""
    why: String
    """The rule by which that call releases it."""


class OfConnection(Columns):
    """The facts of a call from the calls before and after it in its connection."""

    carried: String
    """How a call of an earlier log takes part: IN_CONTEXT, SETTLED or ASKS. Null for a call of the log itself."""
    lo: Long
    """The earliest time at which it can have taken effect: no earlier than the start of any call before it."""
    hi: Long
    """The latest time at which it can have taken effect: no later than the end of any call after it."""
    loose: Boolean
    """Whether its times do not determine its order within the connection, so that only `seq` does."""
    since: Long
    """The start of the last MQCONN up to and including the call itself.

    BEFORE_THE_LOG if the log has none. A call of unknown outcome counts as an MQCONN, because the connection may be
    another one from then on.
    """
    until_lo: Long
    """The start of the last call that shows the connection alive, or of the call itself if an MQCONN came before that.

    A call of unknown outcome counts as an MQCONN here too.
    """
    connected: Boolean
    """Whether the log has an MQCONN of the connection, at the call or before it."""
    unit_begun: Boolean
    """Whether the log has an MQCONN of the connection before the call, or an end of a unit of work.

    If not, the connection may have put messages in a unit of work that it opened before the log began.
    """
    undone_before: Long
    """The `seq` of the last call before it that backed out a unit of work, or may have. Null if there is none."""
    unseen_before: Long
    """The `seq` of the last call before it that may have opened a handle of unknown number. Null if there is none."""
    put_unseen_before: Long
    """The `seq` of the last MQPUT before it with a handle of unknown number. Null if there is none."""
    gone: Boolean
    """Whether the call before it disconnected."""
    unit_end: UnitEnd
    """The end of the unit of work around it. Null if the log has none."""
    open_until: Long
    """The time until which the call's unit of work was surely open.

    That is the start of the call that ended it, or else, in a complete log, of the last call that shows the connection
    alive. Null if the unit of work may have ended before.
    """


class OfLock(Columns):
    """The end of the lock that a call made, and the life of its handle (spark_checks.preparation.locks)."""

    lives_left: Long
    """The number of later calls that open or close the handle, or may have changed any handle of the connection.

    Two calls with one `hobj` have the same handle, and no call between them is missing from it, if this is the same.
    """
    lock_until: Long
    """The start of the first later call that may have released the lock.

    If there is none, the start of the last call that shows the connection alive. BEFORE_THE_LOG if the connection may
    have broken before. Null for a call that locked nothing.
    """
    lock_end: LockEnd
    """The first later call that surely released the lock. Null if the log has none, or the call locked nothing."""
    unlocks_at: Long
    """The `seq` of the first later call that may have released the lock. Null if there is none, or no lock."""
