"""Locks and lives of handles: how long a lock lasted, and when the handle was opened or closed.

The documents list what releases a lock (LCK-09 to LCK-16); neither a commit nor a backout does (LCK-22). A lock was
surely held until the first call that may have released it, and surely gone after the first that must have.
"""

from __future__ import annotations

from oracle.model.requests.option_matrix import BROWSE, SCANS
from oracle.mqi.constants import MQCC, MQGMO, MQRC
from spark_checks.frames import Column, Frame
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import has, holds
from spark_checks.preparation.connections import (
    BEFORE_THE_LOG,
    REF_FIELDS,
    alive,
    completed,
    cut_short,
    has_unknown_effect,
    later_in_connection,
    later_of_handle,
    next_,
)

_WAITS = MQGMO.WAIT | MQGMO.SET_SIGNAL


def locks() -> Column:
    """Return whether a call locked the message that it returned (LCK-08: not one that ended with 2080)."""
    done = completed() & ~cut_short() & (fn.col("reason") != MQRC.SIGNAL_REQUEST_ACCEPTED)
    return (fn.col("call") == "MQGET") & has("options", MQGMO.LOCK) & done


def _keeps() -> Column:
    """Return whether an MQGET surely left a lock of its handle in place.

    One that locks the message under the cursor again begins a lock of its own, perhaps of less than was locked before.
    """
    failed, truncated = fn.col("comp_code") == MQCC.FAILED, completed() & cut_short()
    waits, scans, under_cursor = has("options", _WAITS), has("options", SCANS), has("options", BROWSE & ~SCANS)
    nothing = fn.col("reason") == MQRC.NO_MSG_AVAILABLE
    return ~has_unknown_effect() & (
        (scans & ~waits & ((failed & ~nothing) | truncated))
        | (under_cursor & (failed | truncated))
        | (~has("options", BROWSE | MQGMO.UNLOCK) & failed)
    )


def _why() -> Column:
    """Return the rule by which a call surely released its handle's lock; null if it may not have."""
    get, scans = fn.col("call").is_in("MQGET", "CALLBACK"), has("options", SCANS)
    found = completed() & ~cut_short() & (fn.col("reason") != MQRC.SIGNAL_REQUEST_ACCEPTED)
    nothing = (fn.col("comp_code") == MQCC.FAILED) & (fn.col("reason") == MQRC.NO_MSG_AVAILABLE)
    return (
        fn.when(get & scans & found, "LCK-09")
        .when(get & scans & nothing, "LCK-12")
        .when(get & has("options", MQGMO.BROWSE_MSG_UNDER_CURSOR) & ~has("options", MQGMO.LOCK) & found, "LCK-14")
        .when(get & has("options", MQGMO.UNLOCK) & found, "LCK-15")
        .when(fn.col("call").is_in("MQCLOSE", "MQDISC") & completed(), "LCK-16")
    )


def may_end_all() -> Column:
    """Return whether a call may have ended everything that the handles of its connection held."""
    call, get = fn.col("call"), fn.col("call").is_in("MQGET", "CALLBACK")
    nameless = fn.col("hobj").is_null() & (get | call.is_in("MQCLOSE", "MQOPEN"))
    return call.is_in("MQDISC", "MQCONN") | nameless | has_unknown_effect()


def may_release() -> Column:
    """Return whether a call may have released the lock that its handle had."""
    call, get = fn.col("call"), fn.col("call").is_in("MQGET", "CALLBACK")
    return may_end_all() | call.is_in("MQCLOSE", "MQOPEN") | (get & ~holds(_keeps()))


def life() -> Column:
    """Return the life of its handle to which a call belongs, counted by later lives; an MQCLOSE ends its own."""
    return fn.col("lives_left") + (fn.col("call") == "MQCLOSE").cast("int")


def with_locks(calls: Frame) -> Frame:
    """Add to each call that locked a message how long the lock lasted, and to all calls the life of their handle.

    The columns are those of spark_checks.preparation.schemas.calls.OfLock; `alive_lo` is dropped.
    """
    connection, handle = later_in_connection(), later_of_handle()
    call = fn.col("call")
    anyone = may_end_all()
    ending = fn.struct("seq", *(name for name in REF_FIELDS if name != "seq"), "lo", "hi", "loose", _why().alias("why"))
    certain, of_connection = (
        _why().is_not_null() & fn.col("hobj").is_not_null(),
        _why().is_not_null() & (call == "MQDISC"),
    )
    ends_at = fn.when(alive() & (call != "MQCONN"), fn.col("lo")).otherwise(fn.lit(BEFORE_THE_LOG))
    by_connection = calls.select(
        "*",
        fn.count(fn.when(anyone, 1)).over(connection).alias("lives_of_all"),
        next_(anyone, ends_at, connection).alias("all_until"),
        next_(of_connection, ending, connection).alias("end_of_all"),
        next_(anyone, fn.col("seq"), connection).alias("all_at"),
    )
    lives = fn.count(fn.when(call.is_in("MQOPEN", "MQCLOSE"), 1)).over(handle) + fn.col("lives_of_all")
    until = fn.least(next_(may_release(), ends_at, handle), "all_until")
    end = fn.least(next_(certain, ending, handle), "end_of_all")
    unlocks_at = fn.least(next_(may_release(), fn.col("seq"), handle), "all_at")
    known = locks() & fn.col("hobj").is_not_null()
    return by_connection.select(
        "*",
        lives.alias("lives_left"),
        fn.when(known, fn.coalesce(until, "alive_lo")).alias("lock_until"),
        fn.when(known, end).alias("lock_end"),
        fn.when(known, unlocks_at).alias("unlocks_at"),
    ).drop("alive_lo", "lives_of_all", "all_until", "end_of_all", "all_at")
