"""The calls that the carried calls of a connection need around them, so that their effects are read as before.

- Of each connection of carried calls, and of those that have not ended: the calls that bound the others in time, the
  last that shows it alive, the last MQOPEN whose handle is not known, the last that may have ended what handles held,
  the last with MQGMO_MARK_SKIP_BACKOUT, those that begin the connection and register consumers, and those of unknown
  outcome.
- Of each carried call: the call that ends its unit of work; of its handle the last call that shows it alive; of a lock
  the calls that may have released it and that did.
- Of open handles the MQOPEN, the last call of each kind that the next call is judged by, and the last that may have
  released a lock; of others the MQCLOSE.
- Of all of these the next MQOPEN or MQCLOSE of their handle.

These calls move nothing on the later day, because the other calls of their messages may have been left behind.
"""

from __future__ import annotations

from oracle.model.requests.option_matrix import BROWSE, SCANS
from oracle.mqi.constants import MQGMO
from spark_checks.frames import Column, Frame, union
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import has, holds, if_few_sent
from spark_checks.preparation.connections import (
    alive,
    call_row,
    completed,
    has_unknown_effect,
    later_in_connection,
    later_of_handle,
    next_,
    opens_unseen,
    undoes,
)
from spark_checks.preparation.handles import returned
from spark_checks.preparation.keeping import kept
from spark_checks.preparation.locks import life, locks, may_end_all, may_release
from spark_checks.preparation.sweep import ROW

CONNECTION = ("qmgr", "conn")
_HANDLE = (*CONNECTION, "hobj")
_LOOKED_AT = (
    *_HANDLE, ROW, "seq", "call", "comp_code", "reason", "options", "length", "buffer_length", "start_us", "end_us",
    "lives_left", "unit_end", "lock_end",
)  # fmt: skip  # names
_KEPT_OF_CONNECTIONS = ("MQCONN", "MQCB", "MQCTL")


def lasting(calls: Frame) -> Frame:
    """Return the connections that have not ended."""
    ended = fn.max(fn.col("call") == "MQDISC").alias("ended")
    return calls.group_by(*CONNECTION).agg(ended).where(~fn.col("ended")).select(*CONNECTION)


def rows_around(calls: Frame, rows: Frame, live: Frame) -> Frame:
    """Return the rows of the given calls and of those that they need around them.

    `calls` have ROW, `live` are the connections that have not ended.
    """
    calls = calls.select(*_LOOKED_AT)
    marks = if_few_sent(rows.with_column("wanted", fn.lit(True)), rows.count())
    wanted = calls.join(marks, ROW, "left").with_column("wanted", holds(fn.col("wanted")))
    parts = [_of_connections(wanted, live), _of_calls(wanted), _of_lives(wanted), _of_handles(calls, live)]
    found = kept(union([rows, *parts]).distinct())
    return found.union_by_name(kept(_ends_of_lives(calls, found))).distinct()


def _last(where: Column, by: str = "seq") -> Column:
    """Return an aggregate: the last call, by some column, that meets a condition."""
    return fn.max(fn.when(where, fn.struct(by, ROW)))[ROW]


def _each(rows: Frame, *columns: str) -> Frame:
    """Return the rows that the given columns, or arrays of them, name."""
    return rows.select(fn.explode(fn.array_compact(fn.concat(*(fn.col(name) for name in columns)))).alias(ROW))


def _of_connections(wanted: Frame, live: Frame) -> Frame:
    """Return the calls that bound each connection that has not ended, or whose calls are wanted."""
    first = fn.min(fn.struct("seq", ROW))[ROW]
    last_ones = [_last(fn.lit(True), name) for name in ("seq", "start_us", "end_us")]
    begins = fn.collect_list(fn.when(fn.col("call").is_in(*_KEPT_OF_CONNECTIONS) | has_unknown_effect(), fn.col(ROW)))
    marks = (fn.col("call") == "MQGET") & holds(has("options", MQGMO.MARK_SKIP_BACKOUT)) & completed()
    bounds = fn.array(
        first,
        *last_ones,
        _last(undoes()),
        _last(opens_unseen()),
        _last(alive(), "start_us"),
        _last(may_end_all()),
        _last(marks),
    )
    connections = wanted.group_by(*CONNECTION).agg(
        fn.max("wanted").alias("has_wanted"), bounds.alias("bounds"), begins.alias("begins")
    )
    lasts = connections.join(live.with_column("lasts", fn.lit(True)), [*CONNECTION], "left")
    return _each(lasts.where(fn.col("has_wanted") | fn.col("lasts")), "bounds", "begins")


def _of_calls(wanted: Frame) -> Frame:
    """Return the calls that ended the units of work and the locks of wanted calls."""
    of_lock = fn.when(locks(), next_(may_release(), fn.col(ROW), later_of_handle()))
    of_all = fn.when(locks(), next_(may_end_all(), fn.col(ROW), later_in_connection()))
    ends = wanted.select("wanted", fn.array(call_row("unit_end"), call_row("lock_end"), of_lock, of_all).alias("ends"))
    return _each(ends.where("wanted"), "ends")


def _ends_of_lives(calls: Frame, rows: Frame) -> Frame:
    """Return the calls that closed or reopened the handles of the given rows."""
    changes = fn.col("call").is_in("MQOPEN", "MQCLOSE")
    of_handles = calls.where(fn.col("hobj").is_not_null())
    end = next_(changes, fn.col(ROW), later_of_handle())
    ends = of_handles.select(ROW, end.alias("end")).where(fn.col("end").is_not_null())
    return ends.join(rows, ROW, "left_semi").select(fn.col("end").alias(ROW))


def _of_lives(wanted: Frame) -> Frame:
    """Return the last call that shows alive each handle of a wanted call."""
    lives = (
        wanted.where(fn.col("hobj").is_not_null())
        .group_by(*_HANDLE, life().alias("life"))
        .agg(fn.max("wanted").alias("has_wanted"), _last(alive()).alias(ROW))
    )
    return lives.where(fn.col("has_wanted") & fn.col(ROW).is_not_null()).select(ROW)


def _of_handles(calls: Frame, live: Frame) -> Frame:
    """Return the MQOPEN of each open handle with what the next call is judged by, and the MQCLOSE of each closed one.

    What that is, spark_checks.preparation.handles says.
    """
    browses, returns = holds(has("options", BROWSE)), returned()
    opens, closes = ((fn.col("call") == name) & completed() for name in ("MQOPEN", "MQCLOSE"))
    kinds = [
        opens,
        returns & ~browses,
        returns & browses,
        (fn.col("call") == "MQGET") & browses,
        returns & holds(has("options", SCANS)),
        returns & holds(has("options", MQGMO.BROWSE_FIRST)),
        returns & holds(has("options", MQGMO.LOCK)),
        (fn.col("call") == "MQGET") & completed() & holds(has("options", MQGMO.UNLOCK)),
        (fn.col("call") == "MQGET") & completed() & holds(has("options", MQGMO.SET_SIGNAL)),
        may_release(),
        (fn.col("call") == "MQPUT") & completed(),
        alive(),
        fn.col("comp_code").is_null() | fn.col("options").is_null() | (fn.col("call") == "CALLBACK"),
    ]
    handles = (
        calls.where(fn.col("hobj").is_not_null())
        .join(live, [*CONNECTION], "left_semi")
        .group_by(*_HANDLE)
        .agg(
            fn.max(fn.when(holds(opens), fn.col("seq"))).alias("opened_at"),
            fn.max(fn.when(holds(closes), fn.col("seq"))).alias("closed_at"),
            fn.array(_last(holds(closes))).alias("close"),
            fn.array(*(_last(holds(kind)) for kind in kinds)).alias("context"),
        )
    )
    closed = holds(fn.col("closed_at") > fn.coalesce("opened_at", fn.lit(-1)))
    needed = fn.when(closed, fn.col("close")).otherwise(fn.col("context"))
    return _each(handles.select(needed.alias("needed")), "needed")
