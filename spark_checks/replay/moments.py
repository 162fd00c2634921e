"""The moments of gets: narrower than their intervals, because a get that waits overlaps all that others do meanwhile.

In every order of the calls that conforms, a get comes after the call by which its message became visible. A get that
waited in vain would have been given what came during its interval, so it found nothing at the end of that either.

A get may release the lock of its handle when it begins to wait, so the gets of a connection that locks messages keep
their intervals.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from oracle.mqi.constants import MQGMO, MQRC
from spark_checks.frames import Column, Frame
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import has, holds
from spark_checks.preparation.connections import completed

AFTER_CONN, AFTER_SEQ, IN_VAIN = "after_conn", "after_seq", "in_vain"
"""Columns of a call: the connection and the `seq` of the call that made its message visible, and whether it waited in
vain, and its `lo` is the end of its WaitInterval. Null and false for most calls.
"""

BY_MOMENT: Final = ("lo", AFTER_SEQ, "conn", "seq")
"""The order of the calls on a queue: a get follows the call that it follows in any case, also at the same time."""

_KEY: Final = ("qmgr", "conn", "seq")


def at_their_moments(calls: Frame, moves: Frame) -> Frame:
    """Return the calls with a later `lo` where that is sure, and the columns above.

    `moves` are those of the log (`Log.moves`).
    """
    visible = fn.col("put.visible")
    by_others = (visible["conn"] != fn.col("conn")) & (visible["lo"] <= fn.col("hi")) & (fn.col("n_puts") == 1)
    gets = moves.where(fn.col("call").is_in("MQGET", "CALLBACK") & holds(completed() & by_others))
    seen = visible["lo"].alias("visible_lo"), visible["conn"].alias(AFTER_CONN), visible["seq"].alias(AFTER_SEQ)
    lockers = calls.where(holds(has("options", MQGMO.LOCK)) & (fn.col("call") == "MQGET")).select("qmgr", "conn")
    locks = lockers.distinct().with_column("locks", fn.lit(True))
    both = calls.join(gets.select(*_KEY, *seen).distinct(), [*_KEY], "left").join(locks, ["qmgr", "conn"], "left")
    free = fn.col("locks").is_null()
    in_vain = _in_vain() & free
    later = fn.greatest("lo", fn.when(free, fn.col("visible_lo")), fn.when(in_vain, _interval_ends()))
    return both.with_columns({IN_VAIN: in_vain, "lo": later}).drop("visible_lo", "locks")


def after_of(row: Mapping[str, Any]) -> tuple[str, int] | None:
    """Return the connection and the `seq` of the call that the call of a row follows in any case; None for most."""
    return None if row[AFTER_CONN] is None else (row[AFTER_CONN], row[AFTER_SEQ])


def _interval_ends() -> Column:
    return fn.col("start_us") + fn.col("wait_ms").cast("long") * 1000


def _in_vain() -> Column:
    """Return whether a get surely waited in vain until its interval had passed."""
    waited = (fn.col("call") == "MQGET") & has("options", MQGMO.WAIT) & (fn.col("wait_ms") > 0)
    return holds(waited & (fn.col("reason") == MQRC.NO_MSG_AVAILABLE) & (_interval_ends() <= fn.col("hi")))
