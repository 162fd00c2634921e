"""Inputs of every format read as one log: the facts from listings and definitions, and bad input."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fixtures.captures import pcap_bytes
from fixtures.channel_talks import put_talk
from fixtures.java_traces import trace_text
from fixtures.side_inputs import CONFIG, QLOCAL, Shown, amqsbcg, config_event, dmpmqmsg, mqsc, mqsc_commands
from oracle.errors import BadInputError
from oracle.histories.event_log import PADDED, DepthHeader, LogHeader, QueueHeader
from oracle.mqi.constants import MQGMO
from spark_checks.audit import audit
from spark_checks.frames import Engine
from spark_checks.preparation.facts import log_facts
from spark_checks.readers.detect import Format, detect
from spark_checks.readers.inputs import Inputs
from spark_checks.readers.load import read_log
from spark_checks.readers.remarks import Topic

FIRST, SECOND, THIRD = ("0a" * 24, "0b" * 24, "0c" * 24)
CALL = {"qmgr": "QM1", "queue": "APP.QUEUE", "comp_code": 0, "reason": 0}


def calls() -> list[dict[str, Any]]:
    """Return a log without group fields: FIRST and SECOND are got, THIRD is put."""
    found = [
        {**CALL, "conn": "G", "call": "MQGET", "options": 4, "match_options": 0, "msg_id": FIRST},
        {**CALL, "conn": "G", "call": "MQGET", "options": 4, "match_options": 0, "msg_id": SECOND},
        {**CALL, "conn": "P", "call": "MQPUT", "options": 4, "msg_id": THIRD},
    ]
    more = {"msg_type": 8, "format": "MQSTR", "persistence": 1, "priority": 4, "segment_status": " "}
    return [{**each, **more, "seq": n, "start_us": 1000 * n, "end_us": 1000 * n + 5} for n, each in enumerate(found, 1)]


def lines(records: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def parquet() -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(calls()), sink)
    return bytes(sink.getvalue())


SHOWN = [Shown(FIRST, group_id="0d" * 24, seq=1, flags=8), Shown(SECOND, group_id="0d" * 24, seq=2, flags=24)]
WHOLE: dict[Format, Callable[[], bytes]] = {
    Format.EVENT_LOG: lambda: lines(calls()),
    Format.PARQUET: parquet,
    Format.PCAP: lambda: pcap_bytes(put_talk().packets),
    Format.JAVA_TRACE: lambda: trace_text(put_talk().packets).encode(),
    Format.MQSC: lambda: mqsc(QLOCAL).encode(),
    Format.MQSC_SCRIPT: lambda: mqsc_commands(QLOCAL).encode(),
    Format.CONFIG_EVENTS: lambda: json.dumps(config_event(CONFIG), indent=2).encode(),
    Format.DMPMQMSG: lambda: dmpmqmsg("APP.QUEUE", SHOWN).encode(),
    Format.AMQSBCG: lambda: amqsbcg("APP.QUEUE", SHOWN).encode(),
}
"""By format: a small file of it."""

TRACES = {Format.TRACE_JSON, Format.TRACE_TEXT}
"""The formats that tests/spark_checks/test_activity_trace.py has files of, whole, cut and damaged."""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    path.write_bytes(lines(calls()))
    return path


def written(tmp_path: Path, content: bytes, name: str = "input") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


def test_every_format_has_a_file_here() -> None:
    assert set(WHOLE) | TRACES == set(Format)


@pytest.mark.parametrize("form", WHOLE)
def test_a_format_is_known_by_its_content_also_with_gzip(tmp_path: Path, form: Format) -> None:
    plain = detect(written(tmp_path, WHOLE[form](), "one.dat"))
    assert (plain.format, plain.compressed) == (form, False)
    if form is not Format.PARQUET:
        packed = detect(written(tmp_path, gzip.compress(WHOLE[form]()), "two.dat"))
        assert (packed.format, packed.compressed) == (form, True)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("form", [Format.EVENT_LOG, Format.MQSC, Format.JAVA_TRACE])
def test_text_in_utf_16_is_called_so(tmp_path: Path, form: Format, encoding: str) -> None:
    path = tmp_path / "log"
    path.write_bytes(WHOLE[form]().decode().encode(encoding))
    with pytest.raises(BadInputError, match="log:1: looks like UTF-16"):
        detect(path)


def test_all_formats_together_are_one_log(engine: Engine, tmp_path: Path) -> None:
    for form, content in WHOLE.items():
        data = content()
        packed = data if form is Format.PARQUET else gzip.compress(data)
        written(tmp_path, packed, form.name)
    read = read_log(engine, [tmp_path])
    assert read.unreadable == 0
    assert {row["source"].rsplit("/", 1)[1] for row in read.calls.select("source").distinct().collect()} == {
        "EVENT_LOG",
        "PARQUET",
        "PCAP",
        "JAVA_TRACE",
    }
    assert [header.queue for header in read.headers if isinstance(header, QueueHeader)] == ["APP.QUEUE"] * 3


@pytest.mark.parametrize("form", [Format.EVENT_LOG, Format.PARQUET])
@pytest.mark.parametrize("pad", ["   ", "\0\0\0", "\0xy"])
def test_padded_names_are_the_names_that_they_pad(engine: Engine, tmp_path: Path, form: Format, pad: str) -> None:
    put = {**CALL, "conn": "P", "call": "MQPUT", "options": 4, "msg_id": FIRST, "format": "MQSTR", "reply_to_q": "R"}
    get = {**put, "conn": "G", "call": "MQGET", "match_options": 0, "start_us": 30, "end_us": 40}
    put |= {name: str(put.get(name, "APP.QUEUE")) + pad for name in PADDED}
    nothing = {**CALL, "conn": "G", "call": "MQGET", "options": 4, "match_options": 0, "comp_code": 2, "reason": 2033}
    records = [
        {"seq": 1, "start_us": 10, "end_us": 20, "object_name": "APP.QUEUE", **put},
        {"seq": 1, "object_name": "APP.QUEUE", **get},
        {"seq": 2, "start_us": 50, "end_us": 60, **nothing},
    ]
    headers = [
        {"header": "log", "complete": True},
        {"header": "depth", "qmgr": "QM1" + pad, "queue": "APP.QUEUE" + pad, "at_us": 0, "depth": 0},
    ]
    if form is Format.PARQUET:
        pq.write_table(pa.Table.from_pylist(records), tmp_path / "log.parquet")
        (tmp_path / "_headers.jsonl").write_bytes(lines(headers))
    else:
        (tmp_path / "log.jsonl").write_bytes(lines(headers + records))
    found = audit(engine, [tmp_path])
    assert [row["rule"] for row in found.findings.collect()] == []
    assert found.log.facts.complete


@pytest.mark.parametrize("write", [dmpmqmsg, amqsbcg])
def test_listings_fill_group_fields_that_a_capture_lacks(
    engine: Engine, tmp_path: Path, log: Path, write: Callable[..., str]
) -> None:
    listing = written(tmp_path, write("APP.QUEUE", SHOWN).encode())
    rows = {row["msg_id"]: row for row in read_log(engine, [log, listing]).calls.collect()}
    for shown in SHOWN:
        row = rows[shown.msg_id]
        assert (row["group_id"], row["msg_seq_number"], row["msg_flags"]) == (shown.group_id, shown.seq, shown.flags)
    assert rows[THIRD]["group_id"] is None


def test_listings_never_replace_what_was_captured_and_never_fill_other_queues(engine: Engine, tmp_path: Path) -> None:
    records = calls()
    records[0]["msg_seq_number"] = 7
    records[1]["queue"] = "OTHER"
    captured = written(tmp_path, lines(records), "log.jsonl")
    listing = written(tmp_path, dmpmqmsg("APP.QUEUE", SHOWN).encode())
    rows = {row["msg_id"]: row for row in read_log(engine, [captured, listing]).calls.collect()}
    assert (rows[FIRST]["msg_seq_number"], rows[FIRST]["group_id"]) == (7, SHOWN[0].group_id)
    assert rows[SECOND]["group_id"] is None


def test_listings_that_contradict_each_other_fill_nothing(engine: Engine, tmp_path: Path, log: Path) -> None:
    other = [Shown(FIRST, group_id="0d" * 24, seq=9, flags=8)]
    listings = [
        written(tmp_path, dmpmqmsg("APP.QUEUE", messages).encode(), f"listing{number}")
        for number, messages in enumerate((SHOWN, other))
    ]
    rows = {row["msg_id"]: row for row in read_log(engine, [log, *listings]).calls.collect()}
    assert rows[FIRST]["msg_seq_number"] is None
    assert rows[SECOND]["msg_seq_number"] == 2


def test_contents_before_the_log_are_puts_on_a_queue_that_was_empty(engine: Engine, tmp_path: Path, log: Path) -> None:
    listing = written(tmp_path, amqsbcg("APP.QUEUE", SHOWN).encode())
    read = read_log(engine, Inputs([log], before=[listing]))
    puts = [row for row in read.calls.collect() if row["source"] == str(listing)]
    assert [(row["call"], row["qmgr"], row["msg_id"]) for row in sorted(puts, key=lambda row: row["seq"])] == [
        ("MQPUT", "QM1", FIRST),
        ("MQPUT", "QM1", SECOND),
    ]
    assert all(row["end_us"] < 1000 for row in puts)
    (depth,) = (header for header in read.headers if isinstance(header, DepthHeader))
    assert (depth.qmgr, depth.queue, depth.depth) == ("QM1", "APP.QUEUE", 0)
    assert all(depth.at_us <= row["start_us"] for row in puts)


def test_contents_after_the_log_tell_its_depth_at_the_end(engine: Engine, tmp_path: Path, log: Path) -> None:
    listing = written(tmp_path, amqsbcg("APP.QUEUE", SHOWN).encode())
    read = read_log(engine, Inputs([log], after=[listing]))
    (depth,) = (header for header in read.headers if isinstance(header, DepthHeader))
    assert (depth.queue, depth.depth) == ("APP.QUEUE", 2)
    assert depth.at_us > 3005
    assert read.calls.count() == 3


def test_a_listing_that_is_not_whole_tells_no_depth(engine: Engine, tmp_path: Path, log: Path) -> None:
    listing = written(tmp_path, amqsbcg("APP.QUEUE", SHOWN, ended=False).encode())
    read = read_log(engine, Inputs([log], before=[listing]))
    assert not any(isinstance(header, DepthHeader) for header in read.headers)


def test_contents_before_a_complete_log_show_which_message_came_from_nowhere(engine: Engine, tmp_path: Path) -> None:
    complete = written(tmp_path, lines([{"header": "log", "complete": True}, *calls()]), "log.jsonl")
    for shown, found in ((SHOWN, 0), (SHOWN[:1], 1)):
        listing = written(tmp_path, amqsbcg("APP.QUEUE", shown).encode())
        judged = {rule.rule: rule for rule in audit(engine, Inputs([complete], before=[listing])).rules}
        assert judged["DLV-01"].violations == found


@pytest.mark.parametrize("write", [amqsbcg, dmpmqmsg])
def test_contents_before_a_log_keep_what_happened_to_them_before(
    engine: Engine, tmp_path: Path, write: Callable[..., str]
) -> None:
    """They were put and backed out before, they triggered before, and their Expiry is shown approximately (EXP-08)."""
    trigger = {"TriggerControl": 1, "TriggerType": 2, "InitiationQName": "INIT", "ProcessName": "P"}
    headers = [
        {"header": "log", "complete": True},
        {"header": "queue", "qmgr": "QM1", "queue": "APP.QUEUE", **trigger},
        {"header": "depth", "qmgr": "QM1", "queue": "INIT", "at_us": 0, "depth": 0},
    ]
    monitor = {**CALL, "conn": "M", "queue": "INIT", "hobj": 1}
    found = {**CALL, "conn": "G", "call": "MQGET", "options": 4, "match_options": 0, "msg_id": FIRST}
    more = {"put_us": 1_700_000_000_120_000, "backout_count": 2, "expiry": 29, "msg_type": 8, "persistence": 1}
    made = [
        {**monitor, "call": "MQOPEN", "options": 2, "object_name": "INIT"},
        {**monitor, "call": "MQGET", "options": 4, "match_options": 0, "comp_code": 2, "reason": 2033},
        {**found, **more, "priority": 4, "format": "MQSTR"},
    ]
    numbered: list[dict[str, Any]] = [
        {**one, "seq": n, "start_us": 1000 * n, "end_us": 1000 * n + 5} for n, one in enumerate(made, 1)
    ]
    log = written(tmp_path, lines([*headers, *numbered]), "log.jsonl")

    def broken(shown: Shown) -> list[str]:
        listing = written(tmp_path, write("APP.QUEUE", [shown]).encode())
        return sorted(row["rule"] for row in audit(engine, Inputs([log], before=[listing])).findings.collect())

    assert broken(Shown(FIRST, expiry=25, backouts=2)) == []
    assert broken(Shown(FIRST, expiry=15, backouts=3)) == ["BOC-01", "EXP-07"]
    numbered[-1]["put_us"] = 1_700_000_000_000_000
    written(tmp_path, lines([*headers, *numbered]), "log.jsonl")
    assert broken(Shown(FIRST, expiry=25, backouts=2)) == ["PUT-24"]


def test_a_listing_of_a_queue_manager_without_calls_is_an_error(engine: Engine, tmp_path: Path, log: Path) -> None:
    other = written(tmp_path, dmpmqmsg("APP.QUEUE", SHOWN, qmgr="QM2").encode())
    read = read_log(engine, Inputs([log], before=[other]))
    (fault,) = read.faults.collect()
    why = "the log has no calls on queue manager QM2, all are on QM1; a listing without a name is of that one"
    assert fault["reason"] == f"this listing is not used: {why}"
    two = written(tmp_path, lines([*calls(), {**calls()[0], "qmgr": "QM2"}]), "two.jsonl")
    nameless = written(tmp_path, amqsbcg("APP.QUEUE", SHOWN).encode())
    read = read_log(engine, Inputs([two], after=[nameless]))
    assert [(row["source"], row["reason"]) for row in read.faults.collect()] == [
        (str(nameless), "this listing does not name its queue manager, and the log has calls of 2")
    ]
    assert read.unreadable == 1


@pytest.mark.parametrize(("waited_us", "found"), [(5, ["EXP-07"]), (4_000_000, [])])
def test_contents_before_a_log_that_may_have_begun_later_may_live_longer(
    engine: Engine, tmp_path: Path, waited_us: int, found: list[str]
) -> None:
    """The request of a wait may not be in the log: its call may have begun when it was sent, or just now."""
    more = {"msg_id": FIRST, "put_us": 1_700_000_000_120_000, "expiry": 95, "msg_type": 8, "persistence": 1}
    numbered: list[dict[str, Any]] = [
        {**CALL, "conn": "H", "call": "MQGET", "queue": "OTHER", "hobj": 1, "options": 1, "wait_ms": 4000,
         "match_options": 0, "comp_code": 2, "reason": 2033, "seq": 1, "start_us": 1000, "end_us": 1000 + waited_us},
        {**CALL, **more, "conn": "G", "call": "MQGET", "options": 4, "match_options": 0, "priority": 4,
         "format": "MQSTR", "seq": 1, "start_us": 4_001_000, "end_us": 4_001_005},
    ]  # fmt: skip  # a call each
    log = written(tmp_path, lines([{"header": "log", "complete": True}, *numbered]), "log.jsonl")
    listing = written(tmp_path, amqsbcg("APP.QUEUE", [Shown(FIRST, expiry=100)]).encode())
    rows = audit(engine, Inputs([log], before=[listing])).findings.collect()
    assert [row["rule"] for row in rows if row["rule"].startswith("EXP")] == found


@pytest.mark.parametrize("browsed", [False, True])
def test_contents_before_a_log_may_have_been_locked_then(engine: Engine, tmp_path: Path, browsed: bool) -> None:
    """Another handle may hold a lock that it took before the log, unless a call has shown the message since."""
    shown = {"msg_id": FIRST, "expiry": -1, "priority": 4, "persistence": 1, "msg_type": 8, "format": "MQSTR"}
    get = {**CALL, "call": "MQGET", "match_options": 0}
    browse = {**get, **shown, "hobj": 1, "options": MQGMO.BROWSE_FIRST, "put_us": 1_700_000_000_120_000}
    made: list[dict[str, Any]] = [
        *([{**browse, "conn": "B"}] if browsed else []),
        {**CALL, "conn": "G", "call": "MQCONN", "queue": None, "hobj": None},
        {**CALL, "conn": "G", "call": "MQOPEN", "hobj": 2, "options": 2, "object_name": "APP.QUEUE"},
        {**get, "conn": "G", "hobj": 2, "options": 4, "comp_code": 2, "reason": 2033},
    ]
    numbered = [{**one, "seq": n, "start_us": 1000 * n, "end_us": 1000 * n + 5} for n, one in enumerate(made, 1)]
    log = written(tmp_path, lines([{"header": "log", "complete": True}, *numbered]), "log.jsonl")
    listing = written(tmp_path, amqsbcg("APP.QUEUE", [Shown(FIRST)]).encode())
    (row,) = audit(engine, Inputs([log], before=[listing])).findings.collect()
    told = (row["rule"], row["verdict"])
    assert told == (("BRW-02", "violation") if browsed else ("DLV-03", "suspicion"))
    assert ("an application had locked it before the log began" in row["explanation"]) is not browsed


def test_contents_before_a_log_may_be_marked_and_made_by_the_queue_manager(engine: Engine, tmp_path: Path) -> None:
    unmarked = {"call": "MQGET", "options": MQGMO.BROWSE_FIRST | MQGMO.UNMARKED_BROWSE_MSG, "match_options": 0}
    made = [
        {**CALL, "conn": "G", "call": "MQOPEN", "options": 8, "hobj": 1},
        {**CALL, **unmarked, "conn": "G", "hobj": 1, "comp_code": 2, "reason": 2033},
    ]
    numbered = [{**one, "seq": n, "start_us": 1000 * n, "end_us": 1000 * n + 5} for n, one in enumerate(made, 1)]
    log = written(tmp_path, lines([{"header": "log", "complete": True}, *numbered]), "log.jsonl")
    shown = [Shown(FIRST), Shown(SECOND, data=b"", group_id="0d" * 24, flags=2)]
    listing = written(tmp_path, amqsbcg("APP.QUEUE", shown).encode())
    assert audit(engine, Inputs([log], before=[listing])).findings.collect() == []


def test_only_a_listing_can_be_contents(engine: Engine, log: Path) -> None:
    with pytest.raises(BadInputError, match="no listing"):
        read_log(engine, Inputs([log], before=[log]))


def test_captures_are_read_as_one_whatever_else_is_read(engine: Engine, tmp_path: Path, log: Path) -> None:
    packets = put_talk().packets
    first = written(tmp_path, gzip.compress(pcap_bytes(packets[:9])), "2.pcap.gz")
    second = written(tmp_path, pcap_bytes(packets[7:]), "1.pcap")
    read = read_log(engine, [second, log, first])
    rows = read.calls.where("qmgr = 'QM1' AND source LIKE '%pcap%'").order_by("seq").collect()
    assert [(row["call"], row["source"]) for row in rows] == [
        ("MQCONN", str(first)),
        ("MQOPEN", str(first)),
        ("MQPUT", str(second)),
        ("MQCLOSE", str(second)),
    ]
    assert {row["conn"].partition(":")[0] for row in rows} == {str(first)}
    assert read.unreadable == 0
    assert [(remark.place.source, remark.topic) for remark in read.remarks] == [(str(second), Topic.JOINED)]


@pytest.mark.parametrize("form", [Format.PCAP, Format.JAVA_TRACE])
def test_a_header_beside_a_capture_says_its_platform(engine: Engine, tmp_path: Path, form: Format) -> None:
    said = tmp_path / "zos.jsonl"
    said.write_text('{"header":"log","version":1,"platform":"zos"}\n', encoding="utf-8")
    alone, told = (read_log(engine, [written(tmp_path, WHOLE[form]()), *more]) for more in ([], [said]))
    assert log_facts(alone.headers).platform == "distributed"
    assert log_facts(told.headers).platform == "zos"
    other = LogHeader(platform="ibmi")
    with pytest.raises(BadInputError, match="different platforms: ibmi, zos"):
        log_facts([*told.headers, other])


def test_what_is_no_input_is_counted_with_its_file_and_alone_refused(engine: Engine, tmp_path: Path, log: Path) -> None:
    with pytest.raises(BadInputError, match="missing: no such file"):
        read_log(engine, [log, tmp_path / "missing"])
    bad = [
        written(tmp_path, b"", "empty"),
        written(tmp_path, gzip.compress(b""), "empty.gz"),
        written(tmp_path, b"\x89PNG\r\n\x1a\n" + bytes(500), "picture"),
        written(tmp_path, b"a diary\nof a day\n", "text"),
    ]
    for path in bad:
        with pytest.raises(BadInputError, match=path.name):
            read_log(engine, [path])
    read = read_log(engine, [log, *bad])
    assert read.records == 3
    assert read.unreadable == len(bad)
    assert {row["source"] for row in read.faults.collect()} == {str(path) for path in bad}


def test_every_truncated_gzip_is_counted_and_what_is_whole_is_read(engine: Engine, tmp_path: Path, log: Path) -> None:
    (tmp_path / "cut").mkdir()
    forms = [form for form in WHOLE if form is not Format.PARQUET]
    for form in forms:
        packed = gzip.compress(WHOLE[form]())
        written(tmp_path / "cut", packed[: len(packed) - 12], form.name)
    read = read_log(engine, [log, tmp_path / "cut"])
    assert read.calls.where(f"source = '{log}'").count() == 3
    told = {row["source"].rsplit("/", 1)[1] for row in read.faults.collect() if "truncated gzip" in row["reason"]}
    assert told == {form.name for form in forms}


def test_damaged_parquet_costs_what_is_damaged(engine: Engine, tmp_path: Path, log: Path) -> None:
    rows = [{**each, "seq": number, "conn": f"c{number}"} for number in range(100) for each in calls()[:1]]
    for name in ("whole", "part", "foot"):
        path = tmp_path / f"{name}.parquet"
        pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=50, use_dictionary=False)
        data = bytearray(path.read_bytes())
        names = [pq.read_metadata(path).row_group(1).column(n).path_in_schema for n in range(5)]
        start = pq.read_metadata(path).row_group(1).column(names.index("conn")).data_page_offset
        at = {"whole": 0, "part": start, "foot": len(data) - 200}[name]
        data[at : at + 30 * (at > 0)] = b"\xff" * 30 * (at > 0)
        path.write_bytes(bytes(data))
    read = read_log(engine, [log, *tmp_path.glob("*.parquet")])
    by_file = Counter(row["source"].rsplit("/", 1)[1] for row in read.calls.collect())
    assert by_file == {"log.jsonl": 3, "whole.parquet": 100, "part.parquet": 50}
    lost = Counter(row["source"].rsplit("/", 1)[1] for row in read.faults.collect())
    assert lost == {"part.parquet": 50, "foot.parquet": 1}


def test_text_in_parquet_that_is_not_utf_8_makes_its_record_unreadable(
    engine: Engine, tmp_path: Path, log: Path
) -> None:
    table = pa.Table.from_pylist([{**each, "reply_to_q": "XYZZY"} for each in calls()[:2]])
    path = tmp_path / "log.parquet"
    pq.write_table(table, path, use_dictionary=False, compression="none", write_statistics=False)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"XYZZY", b"XY\xe9ZY", 1))
    read = read_log(engine, [log, path])
    assert (read.records, read.unreadable) == (4, 1)
    assert "not UTF-8" in read.faults.collect()[0]["reason"]


def test_a_definition_of_the_default_queue_manager_is_of_the_only_one_in_the_log(
    engine: Engine, tmp_path: Path, log: Path
) -> None:
    definition = written(tmp_path, mqsc(QLOCAL, qmgr="").encode(), "definition")
    read = read_log(engine, [log, definition])
    assert [(one.qmgr, one.queue) for one in read.headers if isinstance(one, QueueHeader)] == [("QM1", "APP.QUEUE")]
    other = written(tmp_path, lines([{**calls()[0], "qmgr": "QM2"}]), "other.jsonl")
    read = read_log(engine, [log, other, definition])
    assert not [one for one in read.headers if isinstance(one, QueueHeader)]
    (fault,) = read.faults.collect()
    assert (fault["source"], read.unreadable) == (str(definition), 1)
    assert "the definition of APP.QUEUE does not name its queue manager" in fault["reason"]


@pytest.mark.parametrize("form", WHOLE)
def test_a_garbled_file_never_costs_the_records_of_another(
    engine: Engine, tmp_path: Path, form: Format, log: Path
) -> None:
    chance = random.Random(form.value)
    data = bytearray(WHOLE[form]())
    for _ in range(max(3, len(data) // 200)):
        data[chance.randrange(len(data) // 3, len(data))] = chance.randrange(256)
    path = written(tmp_path, bytes(data), "garbled")
    read = read_log(engine, [log, path])
    assert read.calls.where(f"source = '{log}'").count() == 3
    assert all(row["source"] == str(path) for row in read.faults.collect())


@pytest.mark.parametrize(
    "form", [Format.JAVA_TRACE, Format.MQSC, Format.CONFIG_EVENTS, Format.DMPMQMSG, Format.AMQSBCG]
)
def test_a_truncated_text_is_read_as_far_as_it_goes(engine: Engine, tmp_path: Path, form: Format, log: Path) -> None:
    data = WHOLE[form]()
    path = written(tmp_path, data[: len(data) * 2 // 3], "cut")
    assert read_log(engine, [log, path]).calls.where(f"source = '{log}'").count() == 3
