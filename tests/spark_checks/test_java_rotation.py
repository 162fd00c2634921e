"""Traces of the MQ classes for Java in several files: the calls are those of one trace."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from fixtures.captures import Talk, wire
from fixtures.channel_talks import EPOCH_US, connected, consumer_talk, put_talk, with_queue
from fixtures.java_traces import trace_text
from oracle.errors import BadInputError
from oracle.histories.event_log import Event, LogHeader
from spark_checks.readers.detect import detect
from spark_checks.readers.java_rotation import chains
from spark_checks.readers.java_trace import read_java_trace
from spark_checks.readers.remarks import Remark

PUT = put_talk(pieces=2, size=400)
CONSUMER = consumer_talk(wire.deliver(2, b"data" * 50, {"MsgId": "01" * 24}, "APP.QUEUE", parts=3))
for talk in (PUT, CONSUMER):  # each dump in a millisecond of its own
    talk.packets = [replace(each, time_ns=each.time_ns + 10**7 * n) for n, each in enumerate(talk.packets)]
Read = tuple[list[dict[str, Any]], list[str], list[str], int]


def read(tmp_path: Path, *files: str) -> Read:
    """Return the calls without their places, the errors, the remarks, and how far clocks may be wrong."""
    sources = []
    for number, text in enumerate(files):
        path = tmp_path / f"client.trc.{len(files) - number}"
        path.write_text(text, encoding="utf-8")
        sources.append(detect(path))
    random.Random(1).shuffle(sources)
    records = [record for chain in chains(sources) for record in read_java_trace(chain)]
    events = [record.model_dump(exclude={"source", "line"}) for record in records if isinstance(record, Event)]
    for event in events:
        event["conn"] = event["conn"].partition(":")[2]
    errors = [str(record) for record in records if isinstance(record, BadInputError)]
    remarks = [f"{each.place} {each.text}" for each in records if isinstance(each, Remark)]
    clock = max(record.clock_us for record in records if isinstance(record, LogHeader))
    return events, errors, [remark.replace(f"{tmp_path}/", "") for remark in remarks], clock


def cut(text: str, at: Sequence[int]) -> list[str]:
    lines = text.splitlines(keepends=True)
    bounds = [0, *at, len(lines)]
    return ["".join(lines[start:stop]) for start, stop in pairwise(bounds)]


@pytest.mark.parametrize("talk", [PUT, CONSUMER], ids=["put", "consumer"])
def test_wherever_a_trace_is_cut_its_calls_are_the_same(tmp_path: Path, talk: Talk) -> None:
    text = trace_text(talk.packets, zone=ZoneInfo("Asia/Kolkata"), name="Asia/Kolkata")
    whole = read(tmp_path, text)
    lines = text.splitlines()
    heading = next(number for number, line in enumerate(lines) if line.startswith("["))
    for at in range(heading + 1, len(lines), 3):
        events, errors, remarks, clock_us = read(tmp_path, *cut(text, [at]))
        assert (events, errors, clock_us) == (whole[0], whole[1], 0)
        assert remarks == ["client.trc.1 goes on with the trace in client.trc.2"]


@pytest.mark.parametrize("talk", [PUT, CONSUMER], ids=["put", "consumer"])
@pytest.mark.parametrize("heading", [False, True])
def test_lines_that_two_files_have_count_once(tmp_path: Path, talk: Talk, *, heading: bool) -> None:
    text = trace_text(talk.packets)
    whole = read(tmp_path, text)
    lines = text.splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if line.startswith("["))
    head = lines[:first] if heading else []
    last_dump = max(number for number, line in enumerate(lines) if " data <data> " in line)
    for at in range(first + (20 if heading else 23), last_dump, 7):
        for repeated in (1, 2, 7, 15):
            files = ["".join(lines[:at]), "".join(head + lines[at - repeated :])]
            events, errors, remarks, _ = read(tmp_path, *files)
            assert (events, errors) == (whole[0], whole[1]), (at, repeated)
            assert remarks == ["client.trc.1 goes on with the trace in client.trc.2, whose last lines it repeats"]


@pytest.mark.parametrize("cut_off", [0, 3])
def test_a_copy_of_the_last_lines_adds_nothing(tmp_path: Path, cut_off: int) -> None:
    text = trace_text(PUT.packets)
    whole = read(tmp_path, text)
    lines = text.splitlines(keepends=True)
    last, later = cut(text, [len(lines) - 8])
    copy = "".join(lines[len(lines) - 20 : len(lines) - 8 - cut_off])
    events, errors, remarks, _ = read(tmp_path, last, copy, later)
    assert (events, errors) == (whole[0], whole[1])
    assert sorted(remarks) == [
        "client.trc.1 goes on with the trace in client.trc.3",
        "client.trc.2 repeats lines of another trace, which count once",
    ]


def test_a_trace_may_be_in_many_files_each_with_the_heading(tmp_path: Path) -> None:
    text = trace_text(PUT.packets)
    heading = text[: text.index("[")]
    dumps = [number for number, line in enumerate(text.splitlines()) if " data <data> " in line]
    first, *others = cut(text, dumps[3::2])
    whole = read(tmp_path, text)
    assert read(tmp_path, first, *(heading + other for other in others))[:2] == whole[:2]


def test_a_program_that_runs_again_with_the_same_object_numbers_is_another(tmp_path: Path) -> None:
    runs = [trace_text(connected(qmgr=qmgr, identifier=f"AMQC{qmgr}".encode()).packets) for qmgr in ("QM1", "QM2")]
    alone = [read(tmp_path, run)[0][0] for run in runs]
    events, errors, remarks, _ = read(tmp_path, *runs)
    assert sorted(events, key=lambda event: event["qmgr"]) == alone
    assert (errors, remarks) == ([], [])


def test_of_two_traces_that_may_come_before_none_is_taken(tmp_path: Path) -> None:
    text = trace_text(PUT.packets)
    first, second = cut(text, [len(text.splitlines()) * 2 // 3])
    events, _, remarks, _ = read(tmp_path, first, first, second)
    assert remarks == []
    assert [event["comp_code"] for event in events if event["call"] == "MQPUT"].count(0) <= 1


def test_a_call_whose_request_is_not_whole_at_the_end_is_kept(tmp_path: Path) -> None:
    talk = with_queue()
    request = wire.put(2, b"the message data" * 100, pieces=2)
    talk.client(request, EPOCH_US + 100, len(request) // 2 + 40)
    del talk.packets[-1]
    events, _, _, _ = read(tmp_path, trace_text(talk.packets))
    (put,) = (event for event in events if event["call"] == "MQPUT")
    assert put["comp_code"] is None
