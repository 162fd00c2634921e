"""The calls that earlier days read, by their numbers: a call that the logs of two days have is one call.

Calls that are carried are known by name. Of all others only the numbers are kept, as runs of successive ones: a row for
each stretch of a connection that was read without a gap.
"""

from __future__ import annotations

from spark_checks.frames import Column, Frame, Window
from spark_checks.frames import functions as fn
from spark_checks.preparation.keeping import kept
from spark_checks.readers.trace_connections import CALLS_IN_A_MESSAGE

RUN = ("qmgr", "conn", "first_seq", "last_seq")
"""The columns of a run: a connection, and the first and the last of successive numbers of its calls."""

_CONNECTION = ("qmgr", "conn")


def without_seen(calls: Frame, seen: Frame | None, horizon_us: int) -> Frame:
    """Return the calls of a day without those that an earlier day read and that are not carried by name.

    All calls that ended at `horizon_us` or later are carried.
    """
    if seen is None:
        return calls
    early = kept(calls.where(fn.col("end_us") < horizon_us).select(*_CONNECTION, "seq"))
    if early.is_empty():
        return calls
    within = (fn.col("first_seq") <= fn.col("seq")) & (fn.col("seq") <= fn.col("last_seq"))
    again = early.join(seen, [*_CONNECTION]).where(within).select(*_CONNECTION, "seq").distinct()
    marked = calls.join(again.with_column("again", fn.lit(True)), [*_CONNECTION, "seq"], "left")
    copied = fn.coalesce("again", fn.lit(False)) & (fn.col("end_us") < horizon_us)
    return marked.where(~copied).select(*calls.columns)


def with_read(seen: Frame | None, calls: Frame) -> Frame:
    """Return the runs of all calls that were read, those of a day included."""
    single = calls.select(*_CONNECTION, fn.col("seq").alias("first_seq"), fn.col("seq").alias("last_seq"))
    runs = single if seen is None else single.union_by_name(seen.select(*RUN))
    in_order = Window.partition_by(*_CONNECTION).order_by("first_seq")
    before = fn.max("last_seq").over(in_order.range_between(Window.unbounded, -1))
    marked = runs.with_column("before", before).with_column("begins", ~_follows("before"))
    number = fn.sum(fn.when(fn.col("begins"), 1).otherwise(0)).over(in_order.range_between(Window.unbounded, 0))
    found = marked.with_column("run", number).group_by(*_CONNECTION, "run")
    return found.agg(fn.min("first_seq").alias("first_seq"), fn.max("last_seq").alias("last_seq")).select(*RUN)


def _follows(before: str) -> Column:
    """Return whether a run goes on where those before it end, in the same trace message or at the start of the next."""
    first, last = fn.col("first_seq"), fn.col(before)
    size = fn.lit(CALLS_IN_A_MESSAGE)
    starts = fn.pmod(first, size) == 0
    next_message = last - fn.pmod(last, size) + size
    return fn.coalesce((first <= last + 1) | (starts & (first == next_message)), fn.lit(False))
