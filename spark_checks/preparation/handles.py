"""The state of the handle before each call: its MQOPEN, and the last call of each kind that affects later calls.

One window over the calls of each handle, in the order of `seq`, finds all of this. Nothing counts from before the
handle was opened anew.
"""

from __future__ import annotations

from oracle.model.requests.option_matrix import BROWSE, SCANS
from oracle.mqi.constants import MQCC, MQEI, MQGMO, MQPMO
from oracle.mqi.without_outputs import WITHOUT_OUTPUTS
from spark_checks.frames import Column, Frame, Window
from spark_checks.frames import functions as fn
from spark_checks.frames.described import schema_of
from spark_checks.preparation.capture import GETS
from spark_checks.preparation.columns import has, holds, unknown_or
from spark_checks.preparation.connections import REF_FIELDS, completed, cut_short, has_unknown_effect, unit_by_options
from spark_checks.preparation.locks import locks as surely_locks
from spark_checks.preparation.schemas.handles import LastCall

OPENED, GOT, BROWSED, PUT, CURSOR, LOCK = "opened", "got", "browsed", "put", "cursor", "lock"
PRECEDING = (OPENED, GOT, BROWSED, PUT, CURSOR, LOCK)
"""The earlier calls by which a call is judged, under the names of their columns."""

WITHOUT_SUBSCRIPTION = ("MQPUT", "MQSET")
"""The calls that fail with a handle of MQSUB: a subscription's, or that of a queue managed for one."""
_RESERVED = "SYSTEM."
"""The beginning of the names of queues that the queue manager makes for subscriptions."""

HANDLE = ("qmgr", "conn", "hobj")
"""The columns that name a handle."""
_FIRST_SEQ = -1
"""A number less than any `seq`."""
_LAST_CALL = tuple(schema_of(LastCall))


def returned() -> Column:
    """Return whether a call returned a message and did with it what was requested."""
    unlocks = holds(has("options", MQGMO.UNLOCK))
    stayed = fn.col("reason").is_in(*WITHOUT_OUTPUTS) | holds(cut_short())
    return fn.col("call").is_in(*GETS) & completed() & ~stayed & ~unlocks


def in_unit(platform: str) -> Column:
    """Return whether a put or get was within a unit of work; null if it is not known. A browse never is."""
    get = fn.col("call").is_in(*GETS)
    return fn.when(get & has("options", BROWSE), False).otherwise(unit_by_options(platform, get))


def _logical() -> Column:
    bit = fn.when(fn.col("call") == "MQPUT", has("options", MQPMO.LOGICAL_ORDER))
    return bit.otherwise(has("options", MQGMO.LOGICAL_ORDER))


def opens() -> Column:
    """Return whether a call opened its handle."""
    return (fn.col("call") == "MQOPEN") & completed() & fn.col("hobj").is_not_null()


def perhaps_closes() -> Column:
    """Return whether a call closed its handle, or may have."""
    return (fn.col("call") == "MQCLOSE") & (~holds(fn.col("comp_code") == MQCC.FAILED) | has_unknown_effect())


def last(where: Column, *values: str | Column) -> Column:
    """Return the values of the last earlier call of the handle that meets a condition; null if there is none."""
    before = Window.partition_by(*HANDLE).order_by("seq").rows_between(Window.unbounded, -1)
    return fn.last(fn.when(where, fn.struct(*values)), ignorenulls=True).over(before)


def _with_last_calls(calls: Frame) -> Frame:
    """Add to each call the last earlier ones of its handle, of each kind that affects later calls."""
    browses, scans = returned() & has("options", BROWSE), returned() & has("options", SCANS)
    sets = returned() & has("options", MQGMO.BROWSE_FIRST)
    removes = returned() & ~holds(has("options", BROWSE))
    goes_on = has("options", MQGMO.BROWSE_NEXT)
    perhaps_sets = (fn.col("call") == "MQGET") & has("options", BROWSE) & ~goes_on | removes
    puts = (fn.col("call") == "MQPUT") & completed()
    locks = (unknown_or(returned()) | has_unknown_effect()) & holds(has("options", MQGMO.LOCK))
    frees = (returned() & holds(has("options", BROWSE))) | (
        (fn.col("call") == "MQGET") & completed() & holds(has("options", MQGMO.UNLOCK))
    )
    unclear = fn.col("comp_code").is_null() | fn.col("reason").is_null()
    unclear |= fn.col("options").is_null() & fn.col("call").is_in("MQGET", "MQPUT")
    unclear |= has_unknown_effect() | (returned() & cut_short().is_null())
    unclear |= puts & holds(has("options", MQPMO.ASYNC_RESPONSE))
    return calls.select(
        "*",
        last(opens(), *REF_FIELDS, "options", "lives_left").alias(OPENED),
        last(removes, *_LAST_CALL).alias(GOT),
        last(browses, *_LAST_CALL).alias(BROWSED),
        last(puts, *_LAST_CALL).alias(PUT),
        last(scans, *_LAST_CALL).alias(CURSOR),
        last(perhaps_sets, "seq", fn.when(sets, fn.col("logical")).alias("logical")).alias("first_order"),
        last(scans, "seq", "logical").alias("last_order"),
        last(locks | frees, "seq", locks.alias("locks")).alias("locked"),
        last(has("options", SCANS) & completed() & holds(cut_short()), "seq").alias("cut_at"),
        last(surely_locks(), *REF_FIELDS, "msg_id", "unlocks_at", "expiry").alias(LOCK),
        last(holds(unclear | (fn.col("call") == "CALLBACK")), "seq").alias("unclear"),
        last((fn.col("call") == "MQCLOSE") & completed(), "seq").alias("closed"),
        last(perhaps_closes(), "seq").alias("perhaps_closed"),
    )


def _still_locked() -> Column:
    """Return the call that locked a message which its handle surely still holds; null if there is none.

    A message that expires may be gone whether it is locked or not. So may one after a backout, which undoes its put if
    its own connection had locked it uncommitted.
    """
    lasts = unknown_or(fn.col(f"{LOCK}.unlocks_at") >= fn.col("seq"))
    unlimited = holds(fn.col(f"{LOCK}.expiry") == MQEI.UNLIMITED)
    undone = holds(fn.col("undone_before") > fn.col(f"{LOCK}.seq"))
    return fn.when(lasts & unlimited & ~undone, fn.col(LOCK))


def _handle_state(complete: bool) -> Column:
    """Return whether a handle is open, closed or was never opened; null if it is not known.

    In an incomplete log the MQOPEN may be missing. No program uses a handle that no call returned.
    """
    subscribed = ~fn.col("call").is_in(*WITHOUT_SUBSCRIPTION) & unknown_or(fn.col("queue").startswith(_RESERVED))
    closed_at = fn.coalesce("closed.seq", fn.lit(_FIRST_SEQ))
    return (
        fn.when(fn.col("hobj").is_null() & fn.col("gone"), "disconnected")
        .when(fn.col("hobj").is_null() | (fn.col("call") == "MQOPEN"), None)
        .when(fn.col(OPENED).is_not_null(), "open")
        .when((fn.greatest("perhaps_closed.seq", "unseen_before") > closed_at) | subscribed, None)
        .when(fn.col("closed").is_not_null(), "closed")
        .when(fn.col("connected") & complete, "never opened")
    )


def _known() -> Column:
    """Return whether everything that a handle did since its MQOPEN is known, and none of it was backed out.

    A put or get whose handle was not captured may belong to this handle.
    """
    latest = fn.greatest(f"{GOT}.seq", f"{BROWSED}.seq", f"{PUT}.seq")
    undone = holds(fn.col("undone_before") > fn.greatest(f"{OPENED}.seq", fn.lit(_FIRST_SEQ))) & ~holds(
        fn.least(f"{GOT}.seq", f"{PUT}.seq") > fn.col("undone_before")
    )
    alone = fn.col(f"{OPENED}.lives_left") == fn.col("lives_left")
    alone &= unknown_or(fn.col("put_unseen_before") < fn.col(f"{OPENED}.seq"))
    return fn.col(OPENED).is_not_null() & ~fn.col("unclear") & (latest.is_null() | ~undone) & holds(alone)


def with_handles(calls: Frame, platform: str, *, complete: bool) -> Frame:
    """Add to each call the facts of its handle from the calls before it.

    The columns are those of spark_checks.preparation.schemas.handles.OfHandle.
    """
    in_order = calls.arranged(HANDLE, "seq")
    context = _with_last_calls(in_order.with_columns({"unit": in_unit(platform), "logical": _logical()}))
    stays_open = ~holds(fn.col("perhaps_closed.seq") > fn.col(f"{OPENED}.seq"))
    opened_at = fn.when(~holds(opens()), fn.coalesce(f"{OPENED}.seq", fn.lit(_FIRST_SEQ)))

    def still(name: str, value: Column | None = None) -> Column:
        """Return the last call of a kind, unless the handle was opened after it; an MQOPEN itself has none."""
        return fn.when(fn.col(f"{name}.seq") > opened_at, fn.col(name) if value is None else value)

    of_handle = context.with_columns(
        {
            OPENED: fn.when(~holds(opens()) & stays_open, fn.col(OPENED)),
            **{name: still(name) for name in (GOT, BROWSED, PUT, CURSOR)},
            "first_order": still("first_order", fn.col("first_order.logical")),
            "last_order": still("last_order", fn.col("last_order.logical")),
            "may_hold_lock": holds(still("locked", fn.col("locked.locks"))),
            LOCK: still(LOCK, _still_locked()),
            "cut_since": holds(still("cut_at", fn.col("cut_at.seq") > fn.col(f"{LOCK}.seq"))),
            "unclear": still("unclear").is_not_null(),
        }
    )
    with_state = of_handle.with_columns({"known": _known(), "handle": _handle_state(complete)})
    return with_state.drop("unclear", "cut_at", "locked", "closed", "perhaps_closed")
