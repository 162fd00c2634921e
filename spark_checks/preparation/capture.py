"""A summary of a log's calls: its span of time, its connections, and how far each column was captured."""

from __future__ import annotations

from dataclasses import dataclass

from oracle.histories.event_log import COLUMNS
from oracle.mqi.constants import MQCC
from spark_checks.frames import Column, Frame
from spark_checks.frames import functions as fn

PUTS, GETS = ("MQPUT", "MQPUT1"), ("MQGET", "CALLBACK")
_OPENED = ("MQOPEN", "MQCLOSE", *PUTS, *GETS)
_ALWAYS = ("qmgr", "conn", "seq", "start_us", "end_us", "call")

_OF_CALLS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("hobj", "queue", "object_name", "options"), _OPENED),
    **dict.fromkeys(("match_options", "wait_ms", "buffer_length"), GETS),
}
"""By column, the calls that can have it. Message columns belong to puts, and to gets that returned a message."""

_ONLY_IF_ASKED = ("sel_msg_id", "sel_correl_id", "sel_group_id", "sel_seq_number", "sel_offset", "sel_token")
"""Columns whose absence shows nothing: an MQGET that selects by something else does not have them."""

_OF_RETURNED = ("group_status", "segment_status", "backout_count")
_COUNTED = [name for name in COLUMNS if name not in (*_ALWAYS, *_ONLY_IF_ASKED)]


@dataclass(frozen=True)
class Captured:
    """The summary of calls. Times are microseconds since 1970-01-01 UTC."""

    first_us: int | None
    """The time at which the first call began. None if there are no calls."""
    last_us: int | None
    """The time at which the last call ended. None if there are no calls."""
    connections: int
    """The number of connections that made them."""
    columns: dict[str, float]
    """By column, the share of records in which it was captured, from 0 to 1, among those that can have it.

    A column that no record can have is left out.
    """


def captured(calls: Frame) -> Captured:
    """Summarize calls in one pass."""
    can = [fn.count(fn.when(_can_have(name), 1)).alias(f"all_{name}") for name in _COUNTED]
    do = [fn.count(fn.when(_can_have(name) & fn.col(name).is_not_null(), 1)).alias(f"has_{name}") for name in _COUNTED]
    bounds = [fn.min("start_us").alias("first"), fn.max("end_us").alias("last")]
    row = calls.agg(*bounds, fn.count_distinct("qmgr", "conn").alias("connections"), *can, *do).collect()[0]
    return Captured(
        row["first"],
        row["last"],
        int(row["connections"]),
        {name: row[f"has_{name}"] / row[f"all_{name}"] for name in _COUNTED if row[f"all_{name}"]},
    )


def _can_have(column: str) -> Column:
    call = fn.col("call")
    if column in _OF_CALLS:
        return call.is_in(*_OF_CALLS[column])
    returned = call.is_in(*GETS) & fn.coalesce(fn.col("comp_code") != MQCC.FAILED, fn.lit(True))
    if column in _OF_RETURNED:
        return returned
    if column in ("comp_code", "reason", "source", "line"):
        return fn.lit(True)
    return returned | call.is_in(*PUTS)
