"""Small histories of calls for the tests, and their audit; many histories share one audit to save time."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from oracle.histories.event_log import COLUMNS
from oracle.mqi.constants import MQGMO, MQPMO, MQRC
from spark_checks.audit import Audit, audit
from spark_checks.frames import Engine

QUEUE = "Q"
SYNC, PLAIN = MQGMO.SYNCPOINT, MQGMO.NO_SYNCPOINT
COMPLETE: dict[str, Any] = {"header": "log", "complete": True}

Record = dict[str, Any]


def ident(name: str) -> str:
    """Return an identifier of 24 bytes that stands for a name."""
    return name.encode().hex().ljust(48, "0")[:48]


NO_ID = "0" * 48
GENERATED = "414d5120514d31202020202020202020" + "0123456789abcdef"
"""An identifier as queue managers generate them."""


@dataclass
class History:
    """The calls on one queue manager; each method records one call and times are microseconds."""

    qmgr: str
    records: list[Record] = field(default_factory=list)
    seqs: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def header(self, kind: str, **members: Any) -> None:
        """Add a header of a queue: `queue` or `depth`."""
        self.records.append({"header": kind, "qmgr": self.qmgr, "queue": QUEUE, **members})

    def starts_empty(self, at: int = 0) -> None:
        """Say that the queue was empty when the log began."""
        self.header("depth", at_us=at, depth=0)

    def call(self, conn: str, call: str, start: int, end: int, **columns: Any) -> None:
        """Record any call; the connection's name is made unique, `seq` counts by itself."""
        name = f"{self.qmgr}/{conn}"
        self.seqs[name] += 1
        members: Record = {
            "qmgr": self.qmgr,
            "conn": name,
            "seq": self.seqs[name],
            "start_us": start,
            "end_us": end,
            "call": call,
            "comp_code": 0,
            "reason": 0,
        }
        self.records.append({name: value for name, value in (members | columns).items() if value is not None})

    def open(self, conn: str, start: int, end: int, options: int, hobj: int = 1, **columns: Any) -> None:
        """Record a successful MQOPEN of the queue."""
        usual: Record = {"queue": QUEUE, "object_name": QUEUE, "options": int(options), "hobj": hobj}
        self.call(conn, "MQOPEN", start, end, **(usual | columns))

    def put(self, conn: str, message: str, start: int, end: int, **columns: Any) -> None:
        """Record a successful put outside a unit of work.

        Besides columns there may be a `verb`, if not MQPUT, and the option for its `response`.
        """
        verb, response = columns.pop("verb", "MQPUT"), columns.pop("response", 0)
        usual: Record = {
            "queue": QUEUE,
            "object_name": QUEUE,
            "options": MQPMO.NO_SYNCPOINT,
            "msg_id": ident(message),
            "priority": 0,
            "persistence": 1,
            "expiry": -1,
            "msg_type": 8,
            "msg_flags": 0,
            "format": "MQSTR",
        }
        members = usual | columns
        if members["options"] is not None:
            members["options"] |= response
        self.call(conn, verb, start, end, **members)

    def get(self, conn: str, message: str, start: int, end: int, **columns: Any) -> None:
        """Record a successful MQGET outside a unit of work, without selection."""
        usual: Record = {
            "queue": QUEUE,
            "options": MQGMO.NO_SYNCPOINT,
            "match_options": 0,
            "msg_id": ident(message),
            "priority": 0,
            "persistence": 1,
            "expiry": -1,
            "msg_type": 8,
            "msg_flags": 0,
            "format": "MQSTR",
        }
        self.call(conn, "MQGET", start, end, **(usual | columns))

    def browse(self, conn: str, message: str, start: int, end: int, **columns: Any) -> None:
        """Record a successful browse."""
        self.get(conn, message, start, end, **({"options": MQGMO.BROWSE_FIRST} | columns))

    def nothing(self, conn: str, start: int, end: int, **columns: Any) -> None:
        """Record an MQGET without selection that found no message."""
        usual: Record = {
            "queue": QUEUE,
            "options": MQGMO.NO_SYNCPOINT,
            "match_options": 0,
            "comp_code": 2,
            "reason": MQRC.NO_MSG_AVAILABLE,
        }
        self.call(conn, "MQGET", start, end, **(usual | columns))

    def commit(self, conn: str, start: int, end: int, **columns: Any) -> None:
        """Record an MQCMIT."""
        self.call(conn, "MQCMIT", start, end, **columns)

    def backout(self, conn: str, start: int, end: int, **columns: Any) -> None:
        """Record an MQBACK."""
        self.call(conn, "MQBACK", start, end, **columns)

    def disconnect(self, *conns: str, start: int, end: int) -> None:
        """Record an MQDISC of each connection."""
        for conn in conns:
            self.call(conn, "MQDISC", start, end)


def write_log(path: Path, records: Iterable[Mapping[str, Any]]) -> Path:
    """Write records as a JSON Lines log."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


@dataclass(frozen=True)
class Found:
    """A finding, as the tests look at it."""

    rule: str
    verdict: str
    calls: tuple[tuple[str, int, str], ...]
    msg_id: str | None
    explanation: str


def findings_by_qmgr(result: Audit) -> dict[str, list[Found]]:
    """Return the findings of an audit by queue manager."""
    found: dict[str, list[Found]] = defaultdict(list)
    for row in result.findings.collect():
        calls = tuple(
            (call["conn"].removeprefix(f"{row['qmgr']}/"), call["seq"], call["call"]) for call in row["calls"]
        )
        found[row["qmgr"]].append(Found(row["rule"], row["verdict"], calls, row["msg_id"], row["explanation"]))
    return found


def audit_records(engine: Engine, path: Path, records: Iterable[Mapping[str, Any]]) -> Audit:
    """Write records to a file and audit it."""
    return audit(engine, [write_log(path, records)])


def without(records: Iterable[Record], columns: Iterable[str]) -> list[Record]:
    """Return the records as a capture would show them that lacks some columns."""
    missing = set(columns) & set(COLUMNS)
    return [
        record if "header" in record else {name: value for name, value in record.items() if name not in missing}
        for record in records
    ]
