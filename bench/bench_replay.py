"""Benchmark of following the calls of a log with the oracle, without reading the log.

    python -m bench.bench_replay [CALLS]

The calls are those of two applications on a queue that is conforming and often empty: one puts messages of a few kinds,
the other gets them. They go through what a process of the audit does with its pieces of a queue: rows become calls,
and these are followed. Times are those of the processor; "of a million" is how long two processes then take for a
million calls, without the rest of the audit.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any, Final

import pyarrow as pa

from oracle.histories.event_log import COLUMNS, LogHeader
from oracle.mqi.constants import MQGMO, MQMO, MQOO
from oracle.mqi.definitions import QueueDefinition, define
from spark_checks.preparation.connections import IN_OPEN_UNIT
from spark_checks.replay.circumstances import Circumstances
from spark_checks.replay.moments import AFTER_CONN, AFTER_SEQ, IN_VAIN
from spark_checks.replay.pieces import BEFORE, CUT, JUDGED, LEFT_OUT, PIECE, PIECE_CALLS, RESTED
from spark_checks.replay.queues import FOLLOWED, follow_pieces

CALLS: Final = 20_000
AT_ONCE: Final = 8
"""The number of messages that are put before the first of them is got."""

ROUNDS: Final = 5
BEGUN_US: Final = 1_700_000_000_000_000
APART_US: Final = 20_000
NULL: Final = "00" * 24
_END: Final = BEGUN_US + 10**12

_MESSAGE: Final = {
    "correl_id": NULL, "group_id": NULL, "msg_seq_number": 1, "offset": 0, "msg_flags": 0, "original_length": -1,
    "persistence": 0, "expiry": -1, "report": 0, "msg_type": 8, "feedback": 0, "format": "MQSTR", "reply_to_q": "",
    "length": 100, "digest": "ab" * 16,
}  # fmt: skip  # pairs
_GET: Final = {"options": int(MQGMO.NO_SYNCPOINT), "match_options": int(MQMO.NONE), "buffer_length": 4096}
_OUTCOME: Final = {"comp_code": 0, "reason": 0, "qmgr": "QM", "queue": "Q"}


def calls_of_piece() -> Iterator[dict[str, Any]]:
    """Yield the marks of each call of a piece: two applications open the queue, then puts and gets take turns."""
    for conn, options in (("P", MQOO.OUTPUT), ("G", MQOO.INPUT_SHARED)):
        yield {"call": "MQCONN", "conn": conn}
        yield {"call": "MQOPEN", "conn": conn, "hobj": 1, "object_name": "Q", "options": int(options)}
    number = 0
    while number < PIECE_CALLS // 2:
        members = [{**_MESSAGE, "msg_id": f"{number + each:048x}", "priority": 0} for each in range(1, AT_ONCE + 1)]
        for message in members:
            yield {**message, "call": "MQPUT", "conn": "P", "hobj": 1, "options": 0}
        for message in members:
            yield {**message, **_GET, "call": "MQGET", "conn": "G", "hobj": 1, "backout_count": 0}
        number += AT_ONCE


def batches(calls: int) -> list[pa.RecordBatch]:
    """Return rows as the audit passes them to a process, sorted by piece and time."""
    rows: list[dict[str, Any]] = []
    piece = 0
    while len(rows) < calls:
        for place, call in enumerate(calls_of_piece()):
            at = BEGUN_US + place * APART_US
            row = {**dict.fromkeys(COLUMNS), **_OUTCOME, **call, "seq": place, "start_us": at, "end_us": at + 100}
            row |= {"lo": at, "hi": at + 100, "since": BEGUN_US, "until_lo": _END}
            row |= {CUT: place == 0, JUDGED: True, IN_OPEN_UNIT: False, BEFORE: False}
            row |= {PIECE: piece, LEFT_OUT: 0, RESTED: None, AFTER_CONN: None, AFTER_SEQ: None, IN_VAIN: False}
            rows.append(row)
        piece += 1
    made: list[pa.RecordBatch] = pa.Table.from_pylist(rows).to_batches(max_chunksize=2_000)
    return made


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else CALLS
    given = batches(count)
    number = sum(batch.num_rows for batch in given)
    header = LogHeader.model_validate({"header": "log", "platform": "distributed", "clock_us": 0})
    judged = {("QM", "Q"): Circumstances(header, define(QueueDefinition, {"name": "Q"}), reports_possible=False)}
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        told = [row for batch in follow_pieces(judged, given) for row in batch.to_pylist()]
        best = min(best, time.process_time() - start)
    followed = sum(row["number"] for row in told if row["kind"] == FOLLOWED)
    found = sum(row["kind"] == "finding" for row in told)
    print(f"{number:,} calls, {followed:,} followed, {found} findings")
    print(f"{1e6 * best / number:.0f} us a call, {best / number * 1e6 / 2:.0f} s of a million in two processes")


if __name__ == "__main__":
    main()
