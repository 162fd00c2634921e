"""Activity trace is read back as the history from which it was written, as far as a trace can carry it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixtures.activity_traces import HIGH, LOW, MEDIUM, Tracing, amqsact, amqsevt, batches, joined, json_of, text_of
from fixtures.side_inputs import CONFIG, config_event
from oracle.errors import BadInputError
from oracle.histories.event_log import Event, LogHeader, QueueHeader
from oracle.mqi.constants import MQMO, MQRC
from oracle.mqi.layouts import EBCDIC
from spark_checks.frames import Engine
from spark_checks.frames import functions as fn
from spark_checks.readers.activity_trace import trace_messages
from spark_checks.readers.detect import Format, detect
from spark_checks.readers.load import read_log
from spark_checks.readers.other_events import without_calls
from spark_checks.readers.pieces import Piece, count_line_ends, cut
from spark_checks.readers.trace_connections import assemble, sorting
from spark_checks.readers.trace_messages import TraceMessage
from tests.spark_checks.traced_history import carried, conn_of, played
from tests.spark_checks.whole_trace import read_trace

HISTORY = played()
Form = Literal["text", "json", "json_compact", "json_array", "go"]
FORMS: tuple[Form, ...] = get_args(Form)
_OF_HANDLE = ("MQOPEN", "MQGET", "MQCLOSE", "MQOPEN", "MQGET")
PLACE = ("conn", "seq", "start_us", "end_us", "source", "line")


def printed(form: Form, tracing: Tracing, history: list[Event] = HISTORY) -> str:
    return amqsact(history, tracing) if form == "text" else amqsevt(history, tracing, form)


def read(tmp_path: Path, content: str | bytes) -> tuple[list[Event], list[str]]:
    path = tmp_path / "trace"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    records = list(read_trace(path))
    assert isinstance(records[0], LogHeader)
    assert not records[0].complete
    events = [record for record in records if isinstance(record, Event)]
    return events, [str(record).replace(str(path), "trace") for record in records if isinstance(record, BadInputError)]


def without_place(columns: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in columns.items() if name not in PLACE}


def by_connection(events: list[Event]) -> list[Event]:
    return sorted(events, key=lambda event: (event.conn, event.seq))


def expected(tracing: Tracing) -> list[dict[str, Any]]:
    ordered = sorted(HISTORY, key=lambda event: (conn_of(event), event.seq))
    return [without_place(carried(event, tracing)) for event in ordered]


TRACINGS = [
    Tracing(),
    Tracing(batch=3, zone_minutes=-330, order="big", early=False),
    Tracing(dumps="before", time_at="start", zone_minutes=0),
    Tracing(charset=EBCDIC, order="big", channel="APP.CHANNEL"),
    Tracing(level=MEDIUM, batch=1),
    Tracing(level=LOW, batch=7),
]


@pytest.mark.parametrize("tracing", TRACINGS)
@pytest.mark.parametrize("form", FORMS)
def test_what_a_trace_can_carry_comes_back(tmp_path: Path, form: Form, tracing: Tracing) -> None:
    events, errors = read(tmp_path, printed(form, tracing))
    assert errors == []
    assert [without_place(event.model_dump()) for event in by_connection(events)] == expected(tracing)
    assert {event.conn for event in events} == {conn_of(event) for event in HISTORY}
    assert len({(event.conn, event.seq) for event in events}) == len(events)


@pytest.mark.parametrize("tracing", [*TRACINGS, Tracing(time_at="start"), Tracing(level=MEDIUM, batch=2)])
def test_every_call_took_effect_within_the_times_that_are_read(tmp_path: Path, tracing: Tracing) -> None:
    events, _ = read(tmp_path, printed("json", tracing))
    true = sorted(HISTORY, key=lambda event: (conn_of(event), event.seq))
    for event, of in zip(by_connection(events), true, strict=True):
        assert event.start_us <= of.start_us
        assert of.end_us <= event.end_us
        if tracing.level >= MEDIUM and event.call in ("MQPUT", "MQGET"):
            assert event.end_us - event.start_us == 2 * (of.end_us - of.start_us)


@pytest.mark.parametrize("zone", [-720, -90, 0, 345, 840])
def test_local_time_is_aligned_by_calls_with_both_clocks(tmp_path: Path, zone: int) -> None:
    events, _ = read(tmp_path, printed("text", Tracing(zone_minutes=zone)))
    commits = [event for event in events if event.call == "MQCMIT"]
    assert commits
    assert all(event.end_us - event.start_us < 1_100_000 for event in commits)


def test_without_such_calls_every_time_zone_is_possible(tmp_path: Path) -> None:
    events, _ = read(tmp_path, printed("text", Tracing(level=LOW)))
    assert min(event.end_us - event.start_us for event in events) >= 26 * 3600 * 10**6


def test_around_a_change_of_the_clocks_both_times_are_possible(tmp_path: Path) -> None:
    puts = [event for event in HISTORY if event.conn == "ann" and event.call in ("MQPUT", "MQCMIT")]
    (commit,) = (index for index, event in enumerate(puts) if event.call == "MQCMIT")
    early, late = Tracing(zone_minutes=120), Tracing(zone_minutes=60)
    (one,), (two,) = batches(puts, early), batches(puts, late)
    for clock in (one, two):
        calls = [*one.calls[:commit], clock.calls[commit], *two.calls[commit + 1 :]]
        events, _ = read(tmp_path, text_of(replace(one, calls=calls)))
        assert events[commit].start_us <= puts[commit].start_us
        assert puts[commit].end_us <= events[commit].end_us
        assert events[commit].end_us - events[commit].start_us > 3600 * 10**6


@pytest.mark.parametrize("form", FORMS)
def test_lost_trace_is_reported_and_ends_what_is_known_of_the_connection(tmp_path: Path, form: Form) -> None:
    tracing = Tracing(batch=4)
    kept = [batch for batch in batches(HISTORY, tracing) if batch.header["number"] not in (1, 2)]
    if form == "text":
        content = "".join(map(text_of, kept))
    else:
        content = joined([json_of(batch, tracing, form) for batch in kept], form)
    events, errors = read(tmp_path, content)
    assert len(errors) == 2
    assert all("trace was lost before this trace message: number 1 to 2 of connection" in error for error in errors)
    assert sum(event.conn.endswith("+3") for event in events) > 4
    assert len({event.conn for event in events}) == 4


def test_a_log_may_begin_in_the_middle_of_a_connection(tmp_path: Path) -> None:
    later = [batch for batch in batches(HISTORY, Tracing(batch=4)) if batch.header["number"] != 0]
    events, errors = read(tmp_path, "".join(map(text_of, later)))
    assert errors == []
    assert {event.conn for event in events} == {conn_of(event) for event in HISTORY}


def test_trace_messages_out_of_order_are_put_in_order(tmp_path: Path) -> None:
    found = batches(HISTORY, Tracing(batch=3))
    events, errors = read(tmp_path, "".join(map(text_of, reversed(found))))
    assert errors == []
    assert [without_place(event.model_dump()) for event in by_connection(events)] == expected(Tracing(batch=3))


@pytest.mark.parametrize("form", FORMS)
def test_a_trace_message_that_is_there_twice_counts_once(tmp_path: Path, form: Form) -> None:
    content = printed(form, Tracing(batch=5))
    once, _ = read(tmp_path, content)
    twice, errors = read(tmp_path, content + content)
    assert errors == []
    assert [event.model_dump(exclude={"line"}) for event in twice] == [
        event.model_dump(exclude={"line"}) for event in once
    ]


def test_two_connections_of_a_thread_at_a_time_are_not_taken_for_one(tmp_path: Path) -> None:
    tracing = Tracing(batch=4)
    shared = [replace(one, header=one.header | {"pid": 1}) for one in batches(HISTORY, tracing)]
    events, errors = read(tmp_path, joined([json_of(batch, tracing, "json") for batch in shared], "json"))
    assert errors == []
    assert len(events) == len(HISTORY)
    true = {(event.call, event.start_us, event.end_us): event.conn for event in HISTORY if event.call[2:] in "PUTGET"}
    seen: dict[str, set[str]] = {}
    for event in events:
        for (call, start, end), conn in true.items():
            if event.call == call and event.start_us <= start and end <= event.end_us < end + 1000:
                seen.setdefault(event.conn, set()).add(conn)
    assert all(len(conns) == 1 for conns in seen.values())


def test_connections_of_a_thread_one_after_the_other_are_told_apart(tmp_path: Path) -> None:
    one = [event for event in HISTORY if event.conn == "ann"]
    later = [
        event.model_copy(update={"conn": "eve", "start_us": event.start_us + 10**10, "end_us": event.end_us + 10**10})
        for event in one
    ]
    tracing = Tracing(batch=4)
    shared = [replace(each, header=each.header | {"pid": 1}) for each in batches([*one, *later], tracing)]
    events, errors = read(tmp_path, joined([json_of(batch, tracing, "json") for batch in shared], "json"))
    assert errors == []
    assert {event.conn for event in events} == {conn_of(one[0]), conn_of(later[0])}


def parts_of(form: Form) -> list[tuple[bytes, int]]:
    """Return the trace messages of the history as printed, each with the number of its calls."""
    found = batches(HISTORY, Tracing(batch=4))
    if form == "text":
        return [(text_of(one).encode(), len(one.calls)) for one in found]
    return [(json_of(one, Tracing(), form).encode(), len(one.calls)) for one in found]


def told(events: list[Event]) -> set[tuple[tuple[str, Any], ...]]:
    """Return what records say, also as they are where the MQOPEN is not there."""
    blank = {"queue": None, "object_name": None}
    columns = [without_place(event.model_dump()) for event in events]
    return {tuple(one.items()) for one in columns} | {tuple((one | blank).items()) for one in columns}


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0.1, 1))
def test_a_truncated_trace_gives_its_whole_trace_messages(tmp_path: Path, form: Form, share: float) -> None:
    parts = parts_of(form)
    content = b"\n".join(part for part, _ in parts)
    size = int(share * len(content))
    complete, _ = read(tmp_path, content)
    events, errors = read(tmp_path, content[:size])
    assert told(events) <= told(complete)
    whole = [calls for part, calls in parts if content.index(part) + len(part.rstrip()) <= size]
    assert len(events) >= sum(whole)
    assert errors or len(events) in (sum(whole), len(complete))


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0, 1), noise=st.binary(min_size=1, max_size=40))
def test_damage_costs_one_trace_message_at_most(tmp_path: Path, form: Form, share: float, noise: bytes) -> None:
    parts = parts_of(form)
    target, calls = parts[3]
    at = int(share * (len(target) - len(noise)))
    damaged = target[:at] + noise + target[at + len(noise) :]
    before = b"\n".join([*(part for part, _ in parts[:3]), b""])
    events, errors = read(tmp_path, before + b"\n".join([damaged, *(part for part, _ in parts[4:])]))
    first = before.count(b"\n") + 1
    untouched = [event for event in events if not first <= (event.line or 0) <= first + damaged.count(b"\n")]
    assert len(untouched) == len(HISTORY) - calls
    assert all(error.startswith("trace:") for error in errors)


@pytest.mark.parametrize("form", FORMS)
def test_a_call_that_cannot_be_read_is_counted_and_the_others_stay(tmp_path: Path, form: Form) -> None:
    content = printed(form, Tracing(early=False))
    name = "Operation Id: MQXF_CMIT" if form == "text" else '"operationId": "Cmit"'
    events, errors = read(tmp_path, content.replace(name, name.upper().replace("OPERATION", "OOO"), 1))
    (error,) = errors
    assert "the call has no operation identifier" in error
    assert len(events) == len(HISTORY) - 1
    assert len({event.conn for event in events}) == 3


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_dump_that_cannot_be_decoded_is_counted_and_its_call_stays(tmp_path: Path, form: Form) -> None:
    content = printed(form, Tracing())
    mark = "4D44 2020 02" if form == "text" else "4D44202002"
    events, errors = read(tmp_path, content.replace(mark, mark[:-1] + "7", 1))
    (error,) = errors
    assert "this dump is not read: MQMD has no version 7" in error
    assert len(events) == len(HISTORY)


@pytest.mark.parametrize("form", FORMS)
def test_a_compressed_trace_is_read(tmp_path: Path, form: Form) -> None:
    plain, _ = read(tmp_path, printed(form, Tracing()))
    events, errors = read(tmp_path, gzip.compress(printed(form, Tracing()).encode()))
    assert (events, errors) == (plain, [])


def test_a_truncated_gzip_gives_what_comes_before_and_then_says_so(tmp_path: Path) -> None:
    path = tmp_path / "trace.gz"
    whole = gzip.compress(printed("json", Tracing(batch=2)).encode(), compresslevel=1)
    path.write_bytes(whole[: len(whole) * 2 // 3])
    found = list(read_trace(path))
    assert [str(one) for one in found if isinstance(one, BadInputError) and "truncated gzip" in str(one)]
    assert sum(isinstance(one, Event) for one in found) > 10


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("before", [True, False])
def test_configuration_events_in_the_same_stream_are_definitions(
    tmp_path: Path, pack: Callable[[bytes], bytes], before: bool
) -> None:
    trace = printed("json_compact", Tracing())
    events = (json.dumps(config_event(CONFIG)) + "\n") * 100
    path = tmp_path / "events"
    path.write_bytes(pack((events + trace if before else trace + events).encode()))
    assert detect(path).format is Format.TRACE_JSON
    plain, _ = read(tmp_path, trace)
    records = list(read_trace(path))
    assert not [record for record in records if isinstance(record, BadInputError)]
    assert sum(isinstance(record, Event) for record in records) == len(plain)
    assert [record.queue for record in records if isinstance(record, QueueHeader)] == ["APP.QUEUE"] * 100


def test_definitions_in_a_trace_reach_the_log(engine: Engine, tmp_path: Path) -> None:
    events = (json.dumps(config_event(CONFIG)) + "\n") * 50
    path = tmp_path / "events"
    path.write_text(events + printed("json_compact", Tracing()), encoding="utf-8")
    found = read_log(engine, [path])
    assert found.records == len(HISTORY)
    assert found.unreadable == 0
    assert sum(isinstance(header, LogHeader) for header in found.headers) == 1
    assert sum(isinstance(header, QueueHeader) for header in found.headers) == 50


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="empty"):
        read(tmp_path, "")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [333, 5000, 20_000])
def test_pieces_together_hold_every_trace_message_once(tmp_path: Path, form: Form, size: int) -> None:
    whole, _ = read(tmp_path, printed(form, Tracing(batch=3)))
    source = detect(tmp_path / "trace")
    before, messages = 0, []
    for piece in cut(source, size):
        numbered = Piece(source, piece.start, piece.stop, before)
        for found in trace_messages(numbered):
            assert isinstance(found, TraceMessage)
            messages.append(TraceMessage.from_json(found.to_json()))
        before += count_line_ends(piece)
    assert list(assemble(sorted(messages, key=sorting))) == whole


def test_a_record_begins_at_the_beginning_of_a_line_wherever_a_piece_does(tmp_path: Path) -> None:
    content = printed("text", Tracing()).replace("tester's", "MonitoringType: x").encode()
    (tmp_path / "trace").write_bytes(content)
    source = detect(tmp_path / "trace")
    inside = content.index(b"MonitoringType: x")
    assert [found for found in trace_messages(Piece(source, inside, inside + 100)) if found] == []


@pytest.mark.parametrize("form", ["text", "json"])
def test_each_call_names_its_line(tmp_path: Path, form: Form) -> None:
    content = printed(form, Tracing(batch=5))
    events, _ = read(tmp_path, content)
    lines = content.split("\n")
    for event in events:
        assert event.line
        shown = "\n".join(lines[event.line - 1 : event.line + 1])
        assert event.call.removeprefix("MQ").lower() in shown.lower()


def test_events_of_other_kinds_are_passed_over(tmp_path: Path) -> None:
    other = '{ "eventSource" : { "queueMgr" : "QM1" }, "eventType" : { "name" : "Perfm Event", "value" : 45 } }\n'
    plain, _ = read(tmp_path, printed("json", Tracing()))
    events, errors = read(tmp_path, other + printed("json", Tracing()) + other)
    assert (len(events), errors) == (len(plain), [])
    events, errors = read(tmp_path, other)
    assert (events, errors) == ([], [f"trace:1: {without_calls('Perfm Event')}"])


def test_units_of_work_of_a_transaction_manager_have_no_options(tmp_path: Path) -> None:
    content = printed("text", Tracing()).replace("MQXF_CMIT", "MQXF_XACOMMIT")
    events, errors = read(tmp_path, content)
    assert errors == []
    assert all(event.options is None for event in events)


@pytest.mark.parametrize(("handle", "recorded"), [("Hobj", None), ("Hsub", None), ("Other", 2)])
def test_a_handle_that_a_subscription_returned_is_none_of_the_log(
    tmp_path: Path, handle: str, recorded: int | None
) -> None:
    (one, *_) = (event for event in HISTORY if event.call == "MQGET" and event.comp_code == 0)
    calls = [one.model_copy(update={"seq": number, "call": call, "hobj": 2}) for number, call in enumerate(_OF_HANDLE)]
    subscribed = amqsact(calls, Tracing(level=LOW)).replace("MQXF_OPEN", "MQXF_SUB", 1).replace("Hobj", handle, 1)
    events, errors = read(tmp_path, subscribed)
    assert errors == []
    assert [event.hobj for event in events] == [recorded, recorded, 2, 2]


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(("string", "known"), [("", True), ("colour = 'red'", False)])
def test_what_a_get_asks_for_is_unknown_where_its_handle_has_a_selection_string(
    tmp_path: Path, form: Form, string: str, *, known: bool
) -> None:
    (one, *_) = (event for event in HISTORY if event.call == "MQGET" and event.reason == MQRC.NO_MSG_AVAILABLE)
    asked, done = {"match_options": MQMO.NONE, "hobj": 2}, {"comp_code": 0, "reason": 0, "hobj": 2}
    calls = [
        one.model_copy(update={"seq": number, "call": call, **(asked if call == "MQGET" else done)})
        for number, call in enumerate(_OF_HANDLE)
    ]
    name, shown = f'"objectName": "{one.object_name}"', f'"selectionString": "{string}", '
    if form == "text":
        name, shown = f"  Object_name: '{one.object_name}'", f"  Selection_string: '{string}'\n"
    content = printed(form, Tracing(), calls)
    events, errors = read(tmp_path, content.replace(name, shown + name, 1))
    assert errors == []
    gets = [event for event in events if event.call == "MQGET"]
    assert [event.match_options for event in gets] == [MQMO.NONE if known else None, MQMO.NONE]
    assert [event.sel_msg_id for event in gets] == ["00" * 24 if known else None, "00" * 24]


@pytest.mark.parametrize(("channel", "known"), [("APP.CHANNEL", True), (None, False)])
def test_the_options_of_a_consumer_count_only_where_its_calls_are_in_order(
    tmp_path: Path, channel: str | None, *, known: bool
) -> None:
    (one, *_) = (event for event in HISTORY if event.call == "MQGET" and event.comp_code == 0)
    consumed = one.model_copy(update={"call": "CALLBACK"})
    (event,), _ = read(tmp_path, amqsact([consumed], Tracing(channel=channel)))
    assert event.call == "CALLBACK"
    assert event.msg_id == one.msg_id
    assert event.options == (one.options if known else None)


def test_what_a_put_leaves_to_the_queue_is_kept_as_such(tmp_path: Path) -> None:
    (one, *_) = (event for event in HISTORY if event.call == "MQPUT")
    passed = one.model_copy(update={"priority": -1, "persistence": 2, "msg_id": "0" * 48})
    (event,), _ = read(tmp_path, amqsact([passed], Tracing(level=MEDIUM)))
    assert (event.priority, event.persistence, event.msg_id) == (-1, 2, None)


def test_high_and_low_traces_differ_in_what_they_carry() -> None:
    def filled(level: int) -> int:
        columns = [carried(event, Tracing(level=level)) for event in HISTORY]
        return sum(value is not None for each in columns for value in each.values())

    assert filled(LOW) < filled(MEDIUM) < filled(HIGH)


def test_a_trace_in_several_files_is_one_log(tmp_path: Path, engine: Engine, monkeypatch: Any) -> None:
    monkeypatch.setattr("spark_checks.readers.load.cut", partial(cut, piece_bytes=9000))
    parts = [json_of(one, Tracing(), "json") for one in batches(HISTORY, Tracing(batch=4))]
    (tmp_path / "one").write_text("".join(parts[1::2]))
    (tmp_path / "two").write_bytes(gzip.compress("".join(parts[:-2:2]).encode() + b'{"eventSource": '))
    log = read_log(engine, [tmp_path])
    calls = {row["source"]: row["n"] for row in log.calls.group_by("source").agg(fn.count("*").alias("n")).collect()}
    sizes = [len(one.calls) for one in batches(HISTORY, Tracing(batch=4))]
    assert calls == {str(tmp_path / "one"): sum(sizes[1::2]), str(tmp_path / "two"): sum(sizes[:-2:2])}
    assert {row["conn"] for row in log.calls.collect()} == {conn_of(event) for event in HISTORY}
    assert [row["reason"] for row in log.faults.collect()] == ["not an event in JSON"]
    assert {(header.complete, header.clock_us) for header in log.headers if isinstance(header, LogHeader)} == {
        (False, 1000)
    }
