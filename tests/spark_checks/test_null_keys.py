"""Nulls in each column by which frames are joined, grouped or windowed: no row is lost, and none is a finding.

`qmgr`, `conn` and `seq` are keys that no call lacks: a record without one is no record. All others may be null.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from oracle.histories.event_log import Event
from oracle.mqi.constants import MQGMO, MQMO, MQOO
from spark_checks.audit import audit
from spark_checks.frames import Engine
from spark_checks.preparation.facts import log_facts
from spark_checks.readers.load import read_log
from tests.spark_checks.cases.groups import IN, LAST, PART, WHOLE, member, segment
from tests.spark_checks.histories import (
    COMPLETE,
    QUEUE,
    SYNC,
    Found,
    History,
    Record,
    findings_by_qmgr,
    ident,
    write_log,
)

KEYS = (
    "queue",
    "hobj",
    "msg_id",
    "correl_id",
    "group_id",
    "msg_seq_number",
    "offset",
    "sel_msg_id",
    "sel_correl_id",
    "object_name",
)
"""The columns that are keys of joins, groups or windows, alone or within what is made of them."""
NEVER_NULL = ("qmgr", "conn", "seq")
HANDLE: dict[str, Any] = {"hobj": 5}


def _browse(h: History, message: str, start: int, options: int, **columns: Any) -> None:
    h.browse("C", message, start, start + 2, **({"options": options} | HANDLE | columns))


def _lawful(h: History) -> None:
    """Record what has to do with every key: handles, cursors, locks, selections, groups, segments and units of work."""
    h.header("queue", MsgDeliverySequence="FIFO", CAPEXPRY=0, DefinitionType="PREDEFINED", MaxQDepth=100)
    h.starts_empty()
    h.open("C", 1, 2, MQOO.BROWSE | MQOO.INPUT_SHARED, **HANDLE)
    h.open("P", 1, 2, MQOO.OUTPUT, hobj=7)
    alike = {"correl_id": ident("c"), "hobj": 7}
    for number in (1, 2, 3):
        h.put("P", f"m{number}", 10 * number, 10 * number + 2, **alike)
    _browse(h, "m1", 40, MQGMO.BROWSE_FIRST, correl_id=ident("c"))
    _browse(h, "m2", 44, MQGMO.BROWSE_NEXT | MQGMO.LOCK, correl_id=ident("c"))
    _browse(h, "m1", 48, MQGMO.BROWSE_FIRST, correl_id=ident("c"))
    _browse(h, "m2", 52, MQGMO.BROWSE_NEXT, correl_id=ident("c"))
    by_id = {"match_options": MQMO.MATCH_MSG_ID, "sel_msg_id": ident("m2"), "correl_id": ident("c")}
    h.get("C", "m2", 60, 62, options=SYNC, **by_id, **HANDLE)
    h.backout("C", 64, 66)
    by_correl = {"match_options": MQMO.MATCH_CORREL_ID, "sel_correl_id": ident("c"), "correl_id": ident("c")}
    for number, count in ((1, 0), (2, 1), (3, 0)):
        h.get("C", f"m{number}", 60 + 10 * number, 62 + 10 * number, backout_count=count, **by_correl, **HANDLE)
    h.put("P", "g1", 100, 102, hobj=7, **member(1, IN))
    h.put("P", "g2", 104, 106, hobj=7, **member(2, LAST))
    for number, flags in ((1, IN), (2, LAST)):
        in_order = MQGMO.LOGICAL_ORDER | MQGMO.ALL_MSGS_AVAILABLE | MQGMO.NO_SYNCPOINT
        h.get(
            "C", f"g{number}", 110 + 10 * number, 112 + 10 * number, options=in_order, **member(number, flags), **HANDLE
        )
    h.put("P", "s1", 140, 142, hobj=7, **segment(0, PART))
    h.put("P", "s2", 144, 146, hobj=7, **segment(10, PART | LAST_SEGMENT))
    h.get("C", "s1", 150, 152, options=WHOLE, **(segment(0, PART | LAST_SEGMENT) | {"length": 20}), **HANDLE)
    h.nothing("C", 160, 162, **HANDLE)
    h.call("C", "MQCLOSE", 170, 172, queue=QUEUE, options=0, **HANDLE)


LAST_SEGMENT = 4


def _records(name: str, write: Callable[[History], None]) -> list[Record]:
    history = History(name)
    write(history)
    return history.records


def _without(records: list[Record], key: str, which: int | None) -> list[Record]:
    """Return the records without a column in one of the calls that have it, by number, or in all."""
    have = [number for number, record in enumerate(records) if "call" in record and key in record]
    robbed = have if which is None else [have[which]]
    return [
        {name: value for name, value in record.items() if name != key or number not in robbed}
        for number, record in enumerate(records)
    ]


def _having(key: str) -> int:
    return sum("call" in record and key in record for record in _records("", _lawful))


def _robbed(key: str) -> Iterator[tuple[str, list[Record]]]:
    """Yield the lawful history without the key in all calls, and in each of them, with names."""
    for which in (None, *range(_having(key))):
        name = f"{key} {'all' if which is None else which}"
        yield name, _without(_records(name, _lawful), key, which)


@dataclass(frozen=True)
class Seen:
    """The results of an audit, by queue manager."""

    calls: Mapping[str, int]
    moves: Mapping[str, int]
    findings: Mapping[str, list[Found]]


def _seen(engine: Engine, log: Path) -> Seen:
    result = audit(engine, [log])
    calls, moves = (
        {row["qmgr"]: row["count"] for row in rows.group_by("qmgr").count().collect()}
        for rows in (result.log.calls, result.log.moves)
    )
    return Seen(calls, moves, findings_by_qmgr(result))


@pytest.fixture(scope="module")
def robbed(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Callable[[bool], Seen]:
    """Return what an audit makes of the lawful history without each of the keys, in a complete log or another."""

    @cache
    def of_log(complete: bool) -> Seen:
        log = [{**COMPLETE, "complete": complete}]
        log += [record for key in KEYS for _, records in _robbed(key) for record in records]
        return _seen(engine, write_log(tmp_path_factory.mktemp("robbed") / "log.jsonl", log))

    return of_log


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("complete", [True, False])
def test_no_call_is_lost_and_none_is_accused_where_a_key_is_null(
    key: str, robbed: Callable[[bool], Seen], *, complete: bool
) -> None:
    seen, histories = robbed(complete), dict(_robbed(key))
    for name, records in histories.items():
        made = [record["call"] for record in records if "call" in record]
        assert seen.calls[name] == len(made), name
        assert seen.moves[name] == sum(call in ("MQPUT", "MQGET") for call in made), name
    assert {name: found for name, found in seen.findings.items() if name in histories} == {}


def _wrong(h: History) -> None:
    every = {"hobj": 5, "correl_id": ident("c"), "sel_msg_id": ident("m1"), "sel_correl_id": ident("c")}
    h.get("C", "m1", 10, 12, priority=-3, object_name=QUEUE, **every, **member(1, LAST))


def _twice(h: History) -> None:
    every = {"hobj": 5, "correl_id": ident("c"), "object_name": QUEUE, **member(1, LAST)}
    h.starts_empty()
    h.put("P", "m1", 10, 12, **every)
    for conn, at in (("C", 20), ("D", 30)):
        h.get(conn, "m1", at, at + 2, sel_msg_id=ident("m1"), sel_correl_id=ident("c"), **every)


@pytest.fixture(scope="module")
def without_key(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Mapping[str, list[Found]]]:
    """Return what is found in a log without keys of calls: in a call that is wrong, and in a message got twice."""

    @cache
    def of_key(key: str) -> Mapping[str, list[Found]]:
        histories = [_without(_records(write.__name__, write), key, None) for write in (_wrong, _twice)]
        log = [COMPLETE, *(record for records in histories for record in records)]
        return _seen(engine, write_log(tmp_path_factory.mktemp("without") / "log.jsonl", log)).findings

    return of_key


@pytest.mark.parametrize("key", KEYS)
def test_what_a_call_shows_by_itself_is_found_where_a_key_is_null(
    key: str, without_key: Callable[[str], Mapping[str, list[Found]]]
) -> None:
    ours = [one for one in without_key(key)["_wrong"] if one.rule == "PRI-01"]
    assert [(one.verdict, one.calls) for one in ours] == [("violation", (("C", 1, "MQGET"),))]


@pytest.mark.parametrize("key", sorted({*KEYS} - {"queue", "msg_id"}))
def test_what_a_message_shows_is_found_where_another_key_is_null(
    key: str, without_key: Callable[[str], Mapping[str, list[Found]]]
) -> None:
    assert "SYN-08 violation" in [f"{one.rule} {one.verdict}" for one in without_key(key)["_twice"]]


def _swept(h: History, key: str) -> None:
    """Record a browse without a key that has put the cursor back from the last message."""
    h.header("queue", MsgDeliverySequence="FIFO", CAPEXPRY=0)
    h.starts_empty()
    for number in (1, 2):
        h.put("P", f"m{number}", 10 * number, 10 * number + 2)
    for message, options, at in (("m1", MQGMO.BROWSE_FIRST, 40), ("m2", MQGMO.BROWSE_NEXT, 44)):
        _browse(h, message, at, options)
    _browse(h, "m1", 48, MQGMO.BROWSE_FIRST, **{key: None})
    _browse(h, "m2", 52, MQGMO.BROWSE_NEXT)


def _moved(h: History) -> None:
    """Record a browse without a handle that has moved what is under the cursor."""
    h.starts_empty()
    h.open("C", 1, 2, MQOO.BROWSE | MQOO.INPUT_SHARED, **HANDLE)
    for number in (1, 2):
        h.put("P", f"m{number}", 10 * number, 10 * number + 2)
    _browse(h, "m1", 40, MQGMO.BROWSE_FIRST)
    _browse(h, "m2", 44, MQGMO.BROWSE_NEXT, hobj=None)
    h.get("C", "m2", 50, 52, options=MQGMO.MSG_UNDER_CURSOR | MQGMO.NO_SYNCPOINT, **HANDLE)


def test_a_browse_without_a_key_may_have_moved_the_cursor(engine: Engine, tmp_path: Path) -> None:
    """It is not known on which queue or with which handle it was made."""
    ways: dict[str, Callable[[History], None]] = {
        "swept, no queue": partial(_swept, key="queue"),
        "swept, no handle": partial(_swept, key="hobj"),
        "moved, no handle": _moved,
    }
    records = [record for name, write in ways.items() for record in _records(name, write)]
    assert _seen(engine, write_log(tmp_path / "log.jsonl", [COMPLETE, *records])).findings == {}


@pytest.mark.parametrize("key", NEVER_NULL)
def test_a_record_without_its_name_is_none(key: str, engine: Engine, tmp_path: Path) -> None:
    assert Event.model_fields[key].is_required()
    records = _without(_records("QM", _lawful), key, 3)
    read = read_log(engine, [write_log(tmp_path / "log.jsonl", [COMPLETE, *records])])
    assert read.unreadable == 1
    assert not log_facts(read.headers, read.unreadable).complete
