"""The calls around findings: of the same connections just before and after, and of others on the same queue.

Only calls next to one that a finding names are looked up, so one pass over the log is enough.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spark_checks.frames import Frame, Window
from spark_checks.frames import functions as fn
from spark_checks.reports.results import CallRef, Finding

_BESIDE = 3
"""The number of a connection's calls shown before and after a call."""
_ON_QUEUE = 4
"""The number of other calls on the queue that are shown, the nearest in time to each call."""
_SLOT_US = 100_000
"""How near in time such a call must be: in the same slot or in an adjacent one."""
_AT_MOST = 30

Calls = tuple[Mapping[str, Any], ...]
"""Calls as members of the event log, in the order of their beginnings. Values that were not captured are left out."""


def calls_around(calls: Frame, findings: Sequence[Finding]) -> dict[int, Calls]:
    """Return the calls of each finding, by its number, and those around them."""
    if not findings:
        return {}
    near = _of_connections(calls, findings).union_by_name(_on_queue(calls, findings))
    members = fn.json_of(*calls.columns).alias("members")
    rows = near.drop_duplicates(["finding", "qmgr", "conn", "seq"]).select("finding", members).collect()
    by_finding: dict[int, list[dict[str, Any]]] = {finding.number: [] for finding in findings}
    for row in rows:
        by_finding[row["finding"]].append(json.loads(row["members"]))
    return {finding.number: _nearest(by_finding[finding.number], finding.calls) for finding in findings}


def _of_connections(calls: Frame, findings: Sequence[Finding]) -> Frame:
    wanted = {
        (finding.number, finding.qmgr, call.conn, call.seq + step)
        for finding in findings
        for call in finding.calls
        for step in range(-_BESIDE, _BESIDE + 1)
    }
    schema = "finding int, qmgr string, conn string, seq long"
    keys = calls.engine.frame(sorted(wanted, key=str), schema)
    return calls.join(fn.broadcast(keys), ["qmgr", "conn", "seq"])


def _on_queue(calls: Frame, findings: Sequence[Finding]) -> Frame:
    wanted = {
        (finding.number, finding.qmgr, finding.queue, call.start_us, call.start_us // _SLOT_US + step)
        for finding in findings
        for call in finding.calls
        for step in (-1, 0, 1)
    }
    schema = "finding int, qmgr string, queue string, beside_us long, slot long"
    keys = calls.engine.frame(sorted(wanted, key=str), schema)
    slotted = calls.with_column("slot", fn.floor(fn.col("start_us") / _SLOT_US).cast("long"))
    near = slotted.join(fn.broadcast(keys), ["qmgr", "queue", "slot"])
    nearest = Window.partition_by("finding", "beside_us").order_by(
        fn.abs(fn.col("start_us") - fn.col("beside_us")), "conn", "seq"
    )
    return (
        near.with_column("nth", fn.row_number().over(nearest))
        .where(fn.col("nth") <= _ON_QUEUE)
        .drop("nth", "slot", "beside_us")
    )


def _nearest(calls: Iterable[Mapping[str, Any]], named: Sequence[CallRef]) -> Calls:
    """Return the calls in order; if there are too many, those that begin nearest to a named call."""

    def distance(call: Mapping[str, Any]) -> int:
        return min((abs(int(call["start_us"]) - each.start_us) for each in named), default=0)

    def order(call: Mapping[str, Any]) -> tuple[int, str, int]:
        return int(call["start_us"]), str(call["conn"]), int(call["seq"])

    return tuple(sorted(sorted(calls, key=lambda call: (distance(call), order(call)))[:_AT_MOST], key=order))
