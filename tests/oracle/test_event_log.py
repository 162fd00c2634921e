"""The event log: records survive a round trip, and an unreadable record is reported with place and reason."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.errors import BadInputError, Place
from oracle.histories.event_log import (
    CALLS,
    COLUMNS,
    DepthHeader,
    Event,
    LogHeader,
    QueueHeader,
    parse_line,
    read_lines,
    to_line,
)

CALL = {"qmgr": "QM1", "conn": "A", "seq": 1, "start_us": 5, "end_us": 9, "call": "MQPUT", "comp_code": 0, "reason": 0}
PLACE = Place("log.jsonl", 3)

events = st.builds(
    Event,
    qmgr=st.text(),
    conn=st.text(),
    seq=st.integers(0, 2**63 - 1),
    start_us=st.integers(0, 10**15),
    end_us=st.integers(10**15, 2**60),
    call=st.sampled_from(CALLS),
    comp_code=st.none() | st.integers(0, 2),
    msg_id=st.none() | st.binary(min_size=24, max_size=24).map(bytes.hex),
    length=st.none() | st.integers(0, 10**9),
    group_status=st.sampled_from([None, " ", "G", "L"]),
)


@given(events)
def test_a_call_survives_being_written_and_read(event: Event) -> None:
    assert parse_line(to_line(event), PLACE) == event


def test_the_columns_are_those_of_the_contract() -> None:
    assert COLUMNS[:6] == ("qmgr", "conn", "seq", "start_us", "end_us", "call")
    assert len(COLUMNS) == len(set(COLUMNS)) == 44


def test_headers_are_read() -> None:
    log, queue, depth = (
        parse_line(json.dumps(header), PLACE)
        for header in (
            {"header": "log", "version": 1, "clock_us": 7, "complete": True},
            {"header": "queue", "qmgr": "QM1", "queue": "Q", "MsgDeliverySequence": "FIFO"},
            {"header": "depth", "qmgr": "QM1", "queue": "Q", "at_us": 0, "depth": 0},
        )
    )
    assert log == LogHeader(clock_us=7, complete=True)
    assert isinstance(queue, QueueHeader)
    assert queue.attributes == {"MsgDeliverySequence": "FIFO"}
    assert isinstance(depth, DepthHeader)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"call": "MQSUB"}, "call"),
        ({"seq": "1"}, "seq"),
        ({"seq": True}, "seq"),
        ({"seq": 2**63}, "seq"),
        ({"qmgr": None}, "qmgr"),
        ({"end_us": 1}, "end_us lies before start_us"),
        ({"msg_id": "AB" * 24}, "msg_id"),
        ({"msg_id": "ab"}, "msg_id"),
        ({"priority": 2.5}, "priority"),
        ({"header": "weather"}, "unknown header"),
        ({"header": "log", "version": 2}, "version"),
        ({"header": "depth", "queue": "Q", "at_us": 0, "depth": -1}, "depth"),
        ({"header": "depth", "queue": "Q", "at_us": 0, "depth": 2**31}, "depth must be less than"),
        ({"header": "depth", "queue": "Q", "at_us": 2**62, "depth": 0}, "at_us must be at most"),
        ({"header": "log", "version": 1, "clock_us": 2**62}, "clock_us must be at most"),
        ({"header": "queue", "queue": "Q", "MaxQDepth": "x"}, "MaxQDepth must be a whole number of 32 bits"),
        ({"header": "queue", "queue": "Q", "MaxMsgLength": 2**70}, "MaxMsgLength must be a whole number of 32 bits"),
        ({"header": "queue", "queue": "Q", "InhibitGet": True}, "InhibitGet must be a whole number of 32 bits"),
        ({"header": "queue", "queue": "Q", "MsgDeliverySequence": 5}, "MsgDeliverySequence must be text"),
        ({"header": "queue", "queue": "Q", "MsgDeliverySequence": "fifo"}, "MsgDeliverySequence must be 'PRIORITY' or"),
        ({"header": "queue", "queue": "Q", "DefPriority": 99}, "DefPriority must be at most 9"),
        ({"header": "queue", "queue": "Q", "MaxQDepth": -1}, "MaxQDepth must be at least 0"),
        ({"end_us": 2**63 - 1}, "end_us must be at most"),
        ({"put_us": -(2**63)}, "put_us must be at least"),
    ],
)
def test_a_bad_record_is_refused_with_file_line_and_member(change: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInputError, match=rf"log\.jsonl:3: .*{message}"):
        parse_line(json.dumps({**CALL, **change}), PLACE)


@pytest.mark.parametrize("line", ["{", "[1]", "7", "null", "[" * 100_000])
def test_what_is_no_record_is_refused(line: str) -> None:
    with pytest.raises(BadInputError, match=r"log\.jsonl:3"):
        parse_line(line, PLACE)


@pytest.mark.parametrize("line", ["[", '[{"qmgr":"QM1"},', '{"qmgr":"QM1"},\r\n', "{"])
def test_a_list_of_records_and_records_over_several_lines_are_named(line: str) -> None:
    with pytest.raises(BadInputError, match="x:1: not a line of JSON: an event log has one whole object on each line"):
        parse_line(line, Place("x", 1))


def test_a_member_that_stands_twice_is_refused() -> None:
    line = json.dumps(CALL).replace("}", ', "seq": 5}')
    with pytest.raises(BadInputError, match=r"log\.jsonl:3: seq is given twice"):
        parse_line(line, PLACE)


def test_good_lines_survive_bad_ones_and_know_where_they_stood() -> None:
    records = list(read_lines([json.dumps(CALL), "noise", "", json.dumps(CALL)], "log.jsonl"))
    assert [type(record) for record in records] == [Event, BadInputError, Event]
    assert isinstance(records[2], Event)
    assert (records[2].source, records[2].line) == ("log.jsonl", 4)
