"""Captures that lack packets, and Java traces that lack lines: whatever is missing, no record says what was not so."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from fixtures.captures import TcpPacket, pcap_bytes
from fixtures.java_traces import trace_text
from oracle.errors import BadInputError
from oracle.histories.event_log import Event
from spark_checks.readers.detect import detect
from spark_checks.readers.java_dumps import STAMP, TraceClock
from spark_checks.readers.java_trace import read_java_trace
from spark_checks.readers.pcap import read_pcap
from tests.spark_checks.random_client import false_columns, made


def damaged(packets: Sequence[TcpPacket], chance: random.Random) -> list[TcpPacket]:
    """Return a capture of packets that lacks some: single ones, many in a row, one direction for a time."""
    found = list(packets)
    for _ in range(chance.randrange(1, 4)):
        begin = chance.randrange(len(found))
        end = begin + chance.choice((1, 2, 5, 20, 60))
        side = chance.choice((None, found[0].source, found[0].target))
        lost = range(begin, end)
        found = [packet for at, packet in enumerate(found) if at not in lost or side not in (None, packet.source)]
    return found or list(packets)


@pytest.mark.parametrize("first", [0, 40, 80, 980])
def test_whatever_is_missing_no_record_says_what_was_not_so(tmp_path: Path, first: int) -> None:
    for seed in range(first, first + 40):
        client = made(seed)
        packets = damaged(client.talk.packets, random.Random(seed))
        (tmp_path / "capture.pcap").write_bytes(pcap_bytes(packets, nanoseconds=True))
        begun, ended = packets[0].time_ns // 1000, packets[-1].time_ns // 1000
        for event in read_pcap(tmp_path / "capture.pcap"):
            if isinstance(event, Event) and event.call != "MQCONN":
                true = client.truth[packets[(event.line or 0) - 1].time_ns]
                assert false_columns(event, true, begun, ended) == {}, (seed, event.line)


def without_lines(lines: Sequence[str], chance: random.Random) -> list[str]:
    """Return a trace that lacks single lines, or many in a row."""
    found = list(lines)
    for _ in range(chance.randrange(1, 4)):
        begin = chance.randrange(len(found) - 1)
        del found[begin : begin + chance.choice((1, 1, 2, 20, 100))]
    return found


@pytest.mark.parametrize("first", [0, 20, 40])
def test_whatever_lines_of_a_java_trace_are_missing_no_record_says_what_was_not_so(tmp_path: Path, first: int) -> None:
    for seed in range(first, first + 12):
        client = made(seed)
        lines = without_lines(trace_text(client.talk.packets).splitlines(), random.Random(seed))
        path = tmp_path / "client.trc"
        path.write_text("\n".join(lines), encoding="utf-8")
        by_ms = {at // 10**6: true for at, true in client.truth.items()}
        begun, *_, ended = (at for line in lines if (at := ms_of(line)) is not None)
        for event in read_java_trace([detect(path)]):
            if isinstance(event, Event) and event.call != "MQCONN":
                true = by_ms[ms_of(lines[(event.line or 0) - 1]) or 0]
                assert false_columns(event, true, begun * 1000, ended * 1000) == {}, (seed, event.line)


def ms_of(line: str) -> int | None:
    """Return the time of a line in milliseconds; None if it has none."""
    stamp = STAMP.match(line)
    at_ns = TraceClock().time_ns(stamp.groups()[:6], stamp[7]) if stamp else None
    return None if at_ns is None else at_ns // 10**6


def test_a_java_trace_reports_where_lines_are_missing(tmp_path: Path) -> None:
    lines = trace_text(made(1).talk.packets).splitlines()
    title = next(at for at, line in enumerate(lines) if at > len(lines) // 2 and "offset    :" in line)
    path = tmp_path / "client.trc"
    path.write_text("\n".join(lines[: title - 2] + lines[title:]), encoding="utf-8")
    errors = [str(each) for each in read_java_trace([detect(path)]) if isinstance(each, BadInputError)]
    assert [error.partition(": ")[2] for error in errors] == [
        "lines of a dump of channel data are missing before this one"
    ]
