"""Generator of lopsided event logs: very many calls of one thing, or very many things with few calls each.

    python -m bench.lopsided one-queue 1000000 /tmp/log

Each log is what a conforming queue manager did, except that of `findings`: there, one message in ten is returned to two
applications. Every message is put, waits until `BACKLOG` others have been put, and is got; calls do not overlap. So the
shapes differ in how calls are spread over queues, connections and identifiers, and in nothing else.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from oracle.mqi.constants import MQGMO, MQMO, MQOO, MQPMO, NULL_ID
from spark_checks.frames.schema import LOG_SCHEMA, arrow_types
from spark_checks.readers.inputs import HEADERS_FILE

QMGR: Final = "QM1"
BEGIN_US: Final = 1_767_225_600_000_000
BACKLOG: Final = 50
"""How many messages are put between the put of a message and its get."""
_CALL_US: Final = 10
_PIECE: Final = 100_000


@dataclass(frozen=True)
class Shape:
    """How the calls of a log are spread; a number that is 0 grows with the log, so that ten calls fall to each."""

    queues: int = 20
    """The number of queues."""
    connections: int = 100
    """The number of connections that put; as many others get. 1 means that one connection makes all calls."""
    identifiers: int = 0
    """The number of MsgIds; 0 for one for each message."""
    doubled: bool = False
    """Whether one message in ten is returned twice, each time to another connection."""


SHAPES: Final = {
    "even": Shape(),
    "one-queue": Shape(queues=1),
    "one-connection": Shape(connections=1),
    "one-msgid": Shape(queues=1, identifiers=1),
    "queues": Shape(queues=0),
    "connections": Shape(connections=0),
    "findings": Shape(doubled=True),
}
"""The shapes by the name that the command line and the table use."""


_OPEN: Final = int(MQOO.OUTPUT | MQOO.INPUT_SHARED)
_NULL: Final = NULL_ID.hex()
_PUT: Final = {"call": "MQPUT", "options": int(MQPMO.NO_SYNCPOINT)}
_GET: Final = {
    "call": "MQGET", "options": int(MQGMO.NO_SYNCPOINT), "match_options": int(MQMO.NONE), "wait_ms": 0,
    "buffer_length": 4096, "sel_msg_id": _NULL, "sel_correl_id": _NULL, "sel_group_id": _NULL, "group_status": " ",
    "segment_status": " ",
}  # fmt: skip  # pairs
_MESSAGE: Final = {
    "group_id": _NULL, "msg_seq_number": 1, "offset": 0, "msg_flags": 0, "original_length": -1, "priority": 0,
    "persistence": 0, "expiry": -1, "report": 0, "msg_type": 8, "feedback": 0, "backout_count": 0, "format": "MQSTR",
    "reply_to_q": "", "length": 100,
}  # fmt: skip  # pairs
_ATTRIBUTES: Final = {
    "MsgDeliverySequence": "FIFO", "DefPriority": 0, "DefPersistence": 1, "MaxQDepth": 999_999, "MaxMsgLength": 4096,
    "InhibitGet": 0, "InhibitPut": 0, "Usage": "NORMAL", "IndexType": "NONE", "CAPEXPRY": 0,
    "DefinitionType": "PREDEFINED", "Shareability": 1,
}  # fmt: skip  # pairs


class _Clients:
    """The connections of a log: the time, the calls of each so far, and its handles."""

    def __init__(self) -> None:
        self.now = BEGIN_US
        self._calls: Counter[str] = Counter()
        self._handles: dict[tuple[str, str], int] = {}
        self._opened: Counter[str] = Counter()

    def call(self, conn: str, **columns: Any) -> dict[str, Any]:
        """Return the next call of a connection."""
        self._calls[conn] += 1
        self.now += _CALL_US
        common = {"qmgr": QMGR, "conn": conn, "seq": self._calls[conn], "comp_code": 0, "reason": 0}
        return {**common, "start_us": self.now, "end_us": self.now + _CALL_US // 2, **columns}

    def on(self, conn: str, queue: str, **columns: Any) -> Iterator[dict[str, Any]]:
        """Yield a call with the handle of a queue, and before it the calls by which the connection comes to that."""
        if not self._calls[conn]:
            yield self.call(conn, call="MQCONN")
        of_queue = {"queue": queue, "object_name": queue}
        if (conn, queue) not in self._handles:
            self._opened[conn] += 1
            self._handles[conn, queue] = handle = 1 + self._opened[conn]
            yield self.call(conn, call="MQOPEN", options=_OPEN, hobj=handle, **of_queue)
        yield self.call(conn, hobj=self._handles[conn, queue], **of_queue, **columns)


def calls(shape: Shape, number: int) -> Iterator[dict[str, Any]]:
    """Yield the calls of a log with a number of puts and gets, as records of an event log."""
    clients = _Clients()
    messages = number // 2
    queues = shape.queues or messages // 5
    connections = shape.connections or messages // 5
    getter = "P{}" if connections == 1 else "G{}"
    put_us: dict[int, int] = {}

    def message(each: int) -> dict[str, Any]:
        own = 1 + (each % shape.identifiers if shape.identifiers else each)
        ids = {"msg_id": f"{own:048x}", "correl_id": f"{each + 1:048x}"}
        return {**_MESSAGE, **ids, "put_us": put_us[each]}

    for each in range(messages + BACKLOG):
        if each < messages:
            put_us[each] = clients.now // 10_000 * 10_000
            conn, queue = f"P{each % connections}", f"Q{each % queues}"
            yield from clients.on(conn, queue, **_PUT, **message(each))
        if (got := each - BACKLOG) >= 0:
            queue, returned = f"Q{got % queues}", message(got)
            for again in range(1 + (shape.doubled and got % 10 == 0)):
                conn = getter.format((got + again) % connections)
                yield from clients.on(conn, queue, **_GET, **returned)
            del put_us[got]


def headers(shape: Shape, number: int) -> Iterator[dict[str, Any]]:
    """Yield the headers of a log."""
    yield {"header": "log", "version": 1, "clock_us": 0, "complete": True, "platform": "distributed"}
    for each in range(shape.queues or number // 10):
        of_queue = {"qmgr": QMGR, "queue": f"Q{each}"}
        yield {"header": "queue", **of_queue, **_ATTRIBUTES}
        yield {"header": "depth", **of_queue, "at_us": BEGIN_US, "depth": 0}


def write_lopsided(name: str, number: int, directory: Path) -> None:
    """Write a log of a shape with a number of puts and gets, as Parquet with its headers."""
    directory.mkdir(parents=True, exist_ok=True)
    shape, types = SHAPES[name], arrow_types()
    schema = pa.schema([(column, types[column]) for column in LOG_SCHEMA if column not in ("source", "line")])
    with pq.ParquetWriter(directory / "part-0.parquet", schema, compression="zstd") as writer:
        left = calls(shape, number)
        while piece := list(islice(left, _PIECE)):
            writer.write_table(pa.Table.from_pylist(piece, schema=schema))
    lines = "".join(json.dumps(header) + "\n" for header in headers(shape, number))
    (directory / HEADERS_FILE).write_text(lines, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="Make a lopsided event log.")
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("calls", type=int, help="the number of puts and gets")
    parser.add_argument("directory", type=Path)
    given = parser.parse_args()
    write_lopsided(given.shape, given.calls, given.directory)


if __name__ == "__main__":
    main()
