"""Records of the event log from captures."""

from __future__ import annotations

import gzip
import random
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixtures import captures
from fixtures.captures import (
    MQCMIT,
    MQDISC,
    REPLY,
    Talk,
    Wire,
    pcap_bytes,
    pcapng_bytes,
    wire,
)
from fixtures.channel_talks import (
    CORREL_ID,
    DATA,
    EPOCH_US,
    MESSAGE,
    MSG_ID,
    columns,
    connected,
    consumer_talk,
    only,
    put_talk,
    read,
    with_queue,
    written,
)
from oracle.errors import BadInputError
from oracle.histories.event_log import Event, LogHeader
from oracle.mqi.layouts import ByteOrder
from oracle.wire.headers import Kind
from spark_checks.readers.pcap import looks_like_pcap, read_calls, read_pcap

SAMPLES = Path(__file__).parents[3] / "shared" / "samples" / "mq-wire-pcap"


def test_a_capture_never_claims_to_be_complete(tmp_path: Path) -> None:
    first, *others = read_pcap(written(tmp_path, pcap_bytes(put_talk().packets)))
    assert first == LogHeader(complete=False, clock_us=0)
    assert not any(isinstance(record, LogHeader) for record in others)


def test_records_lead_back_to_their_packets(tmp_path: Path) -> None:
    talk = put_talk()
    events, _ = read(tmp_path, talk.packets)
    requests = {packet.time_ns // 1000: number for number, packet in enumerate(talk.packets, start=1)}
    assert [event.line for event in events] == [requests[event.start_us] for event in events]
    assert {event.source for event in events} == {str(tmp_path / "capture.pcap")}
    assert [event.seq for event in events] == sorted({event.seq for event in events})


@pytest.mark.parametrize("pieces", [1, 2, 7])
@pytest.mark.parametrize("size", [0, 1, 100])
def test_segments_and_packets_need_not_agree(tmp_path: Path, pieces: int, size: int) -> None:
    whole, _ = read(tmp_path, put_talk().packets)
    split, errors = read(tmp_path, put_talk(pieces=pieces, size=size).packets)
    assert errors == []
    assert columns(only(split, "MQPUT"), "digest", "msg_id", "queue", "length", "start_us") == columns(
        only(whole, "MQPUT"), "digest", "msg_id", "queue", "length", "start_us"
    )


def test_several_calls_may_come_in_one_packet(tmp_path: Path) -> None:
    talk = with_queue()
    talk.client(wire.put(2, DATA) + wire.call(MQCMIT), EPOCH_US + 100)
    talk.server(wire.put_done(2, md={"MsgId": MSG_ID}) + wire.call(MQCMIT + REPLY), EPOCH_US + 200)
    events, errors = read(tmp_path, talk.packets)
    assert errors == []
    put, commit = events[-2:]
    assert (put.call, commit.call) == ("MQPUT", "MQCMIT")
    assert put.seq < commit.seq
    assert (put.line, commit.line) == (put.line, put.line)


FORMS: list[tuple[dict[str, Any], str]] = [
    ({"link": link, "order": order, "nanoseconds": nano}, f"{link} {order} {nano}")
    for link in captures.LINKS
    for order in ("little", "big")
    for nano in (False, True)
]


@pytest.mark.parametrize("form", [form for form, _ in FORMS], ids=[name for _, name in FORMS])
def test_every_form_of_pcap_gives_the_same_records(tmp_path: Path, form: dict[str, Any]) -> None:
    packets = put_talk().packets
    expected, _ = read(tmp_path, packets)
    content = pcap_bytes(packets, **form)
    assert looks_like_pcap(content[:24])
    assert list(read_pcap(written(tmp_path, content)))[1:] == expected


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("links", [(captures.ETHERNET,), (captures.LINUX_COOKED, captures.RAW_IP, captures.ETHERNET)])
def test_pcapng_gives_the_same_records(tmp_path: Path, order: ByteOrder, links: tuple[int, ...]) -> None:
    packets = put_talk().packets
    expected, _ = read(tmp_path, packets)
    content = pcapng_bytes(packets, links=links, order=order)
    assert looks_like_pcap(content[:24])
    assert list(read_pcap(written(tmp_path, content)))[1:] == expected


@pytest.mark.parametrize(("resolution", "tick_us"), [(9, 0), (6, 0), (3, 1000), (0, 10**6), (0x8A, 976)])
def test_coarse_times_widen_the_interval(tmp_path: Path, resolution: int, tick_us: int) -> None:
    packets = put_talk().packets
    ticks = 2 ** (resolution & 0x7F) if resolution & 0x80 else 10**resolution
    true, _ = read(tmp_path, packets)
    path = written(tmp_path, pcapng_bytes(packets, first_ticks=(resolution, ticks)))
    events = [record for record in read_pcap(path) if isinstance(record, Event)]
    assert len(events) == len(true)
    for event, exact in zip(events, true, strict=True):
        assert exact.start_us - tick_us - 1 <= event.start_us <= exact.start_us
        assert exact.end_us <= event.end_us <= exact.end_us + tick_us + 1


def test_a_capture_may_be_compressed(tmp_path: Path) -> None:
    packets = put_talk().packets
    expected, _ = read(tmp_path, packets)
    compressed = gzip.compress(pcap_bytes(packets))
    assert list(read_pcap(written(tmp_path, compressed)))[1:] == expected
    cut = list(read_pcap(written(tmp_path, compressed[:-20])))
    assert any("breaks off" in str(record) for record in cut if isinstance(record, BadInputError))


def test_internet_protocol_version_6_is_read(tmp_path: Path) -> None:
    talk = Talk((("fe80::1", 40000), ("fe80::2", 1414)))
    talk.client(wire.close(2), EPOCH_US)
    for link in (captures.ETHERNET, captures.RAW_IP, captures.IPV6, captures.LOOPBACK):
        records = list(read_pcap(written(tmp_path, pcap_bytes(talk.packets, link=link))))
        assert [record.qmgr for record in records if isinstance(record, Event)] == ["[fe80::2]:1414"]


def test_nanoseconds_widen_the_interval(tmp_path: Path) -> None:
    talk = connected()
    talk.client(wire.call(MQCMIT), EPOCH_US + 100)
    talk.server(wire.call(MQCMIT + REPLY), EPOCH_US + 200)
    late = [replace(packet, time_ns=packet.time_ns + 1) for packet in talk.packets]
    records = list(read_pcap(written(tmp_path, pcap_bytes(late, nanoseconds=True))))
    commit = only([record for record in records if isinstance(record, Event)], "MQCMIT")
    assert (commit.start_us, commit.end_us) == (EPOCH_US + 100, EPOCH_US + 201)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_repeated_and_swapped_packets_change_no_call(tmp_path: Path, seed: int) -> None:
    talk = put_talk(pieces=3, size=200)
    chance = random.Random(seed)
    packets = [packet for packet in talk.packets for _ in range(chance.choice([1, 1, 2]))]
    for at in range(3, len(packets) - 1):
        if chance.random() < 0.3:
            packets[at], packets[at + 1] = packets[at + 1], packets[at]
    expected, _ = read(tmp_path, talk.packets)
    events, errors = read(tmp_path, packets)
    assert errors == []
    names = ("call", "conn", "comp_code", "msg_id", "digest", "queue")
    assert [columns(event, *names) for event in events] == [columns(event, *names) for event in expected]
    assert all(a.start_us <= b.start_us for a, b in zip(events, expected, strict=True))


def test_a_refused_connection_has_its_reason(tmp_path: Path) -> None:
    talk = Talk()
    talk.handshake(EPOCH_US)
    talk.client(wire.connect(), EPOCH_US + 10)
    talk.server(wire.connected(code=(2, 2035)), EPOCH_US + 20)
    (event,), errors = read(tmp_path, talk.packets)
    assert errors == []
    assert columns(event, "call", "comp_code", "reason", "hobj") == ("MQCONN", 2, 2035, None)
    assert event.qmgr == "10.0.0.9:1414"


def test_connections_follow_each_other_on_one_conversation(tmp_path: Path) -> None:
    talk = connected()
    for at, kind in ((50, MQDISC), (70, captures.MQCONN), (90, MQCMIT)):
        talk.client(wire.connect() if kind == captures.MQCONN else wire.call(kind), EPOCH_US + at)
        talk.server(wire.call(kind + REPLY), EPOCH_US + at + 10)
    talk.client(Wire(conversation=3).call(MQCMIT), EPOCH_US + 200)
    talk.server(Wire(conversation=3).call(MQCMIT + REPLY), EPOCH_US + 210)
    events, _ = read(tmp_path, talk.packets)
    assert [(event.call, event.conn.rpartition(":1414/")[2]) for event in events] == [
        ("MQCONN", "1/1"),
        ("MQDISC", "1/1"),
        ("MQCONN", "1/2"),
        ("MQCMIT", "1/2"),
        ("MQCMIT", "3/0"),
    ]


def test_a_port_used_again_is_another_connection(tmp_path: Path) -> None:
    first = connected()
    refused = Talk(seqs=[9_000_000, 1])
    refused.handshake(EPOCH_US - 1000)
    later = Talk(seqs=[5_000_000, 7_000_000])
    later.handshake(EPOCH_US + 1000)
    later.client(wire.connect(), EPOCH_US + 1010)
    later.server(wire.connected(b"AMQCQM1         87654321"), EPOCH_US + 1020)
    events, errors = read(tmp_path, refused.packets[:1] + first.packets + later.packets)
    assert errors == []
    assert [event.conn.rpartition(":")[2] for event in events] == ["1414/1/1", "1414#2/1/1"]


def test_the_queue_manager_is_named_by_another_channel_to_its_address(tmp_path: Path) -> None:
    begun_before = Talk((("10.0.0.6", 50000), ("10.0.0.9", 1414)))
    begun_before.client(wire.put(2, DATA), EPOCH_US - 5)
    begun_before.server(wire.put_done(2), EPOCH_US - 4)
    elsewhere = Talk((("10.0.0.6", 50000), ("10.0.0.8", 1414)))
    elsewhere.client(wire.call(MQCMIT), EPOCH_US - 3)
    elsewhere.server(wire.call(MQCMIT + REPLY), EPOCH_US - 2)
    events, _ = read(tmp_path, captures.merged(begun_before, elsewhere, connected(qmgr="QM7")))
    assert [(event.call, event.qmgr) for event in events] == [
        ("MQCONN", "QM7"),
        ("MQPUT", "QM7"),
        ("MQCMIT", "10.0.0.8:1414"),
    ]


def test_channels_without_a_name_to_an_address_of_several_queue_managers_are_not_taken_for_one(tmp_path: Path) -> None:
    talks = []
    for place, qmgr in enumerate((None, None, "QM1", "QM2")):
        talk = Talk((("10.0.0.6", 50000 + place), ("10.0.0.9", 1414)), [1000 * place, 5000 * place])
        if qmgr:
            talk.client(wire.connect(), EPOCH_US)
            talk.server(wire.initial(qmgr, client=False), EPOCH_US + 1)
            talk.server(wire.connected(qmgr.encode() * 8), EPOCH_US + 2)
        else:
            talk.client(wire.put(2, DATA), EPOCH_US)
            talk.server(wire.put_done(2), EPOCH_US + 2)
        talks.append(talk)
    events, _ = read(tmp_path, captures.merged(*talks))
    assert len({event.qmgr for event in events}) == 4


def test_a_capture_that_begins_in_the_middle_shows_what_it_has(tmp_path: Path) -> None:
    packets = put_talk(pieces=3, size=200).packets
    replied = next(number for number, packet in enumerate(packets) if packet.time_ns >= (EPOCH_US + 200) * 1000)
    events, _ = read(tmp_path, packets[replied:])
    put, close = events
    assert columns(put, "call", "msg_id", "comp_code", "length", "digest") == ("MQPUT", MSG_ID, 0, len(DATA), None)
    assert put.start_us == EPOCH_US + 200
    assert columns(close, "call", "options", "queue") == ("MQCLOSE", 1, None)
    middle, _ = read(tmp_path, packets[replied - 3 :])
    assert [event.call for event in middle] == ["MQPUT", "MQCLOSE"]


def test_a_call_without_a_reply_has_no_outcome_and_ends_with_the_capture(tmp_path: Path) -> None:
    talk = with_queue()
    talk.client(wire.put(2, DATA, md={"CorrelId": CORREL_ID}), EPOCH_US + 100)
    other = Talk((("10.0.0.6", 50000), ("10.0.0.9", 1414)))
    other.client(wire.call(MQCMIT), EPOCH_US + 9000)
    events, _ = read(tmp_path, captures.merged(talk, other))
    put = only(events, "MQPUT")
    assert columns(put, "comp_code", "reason", "msg_id", "put_us") == (None, None, None, None)
    assert columns(put, "correl_id", "queue", "digest") == (CORREL_ID, "APP.QUEUE", sha256(DATA).hexdigest())
    assert (put.start_us, put.end_us) == (EPOCH_US + 100, EPOCH_US + 9000)


def test_a_gap_is_reported_and_reading_goes_on(tmp_path: Path) -> None:
    talk = put_talk()
    lost = [packet for packet in talk.packets if not EPOCH_US + 100 <= packet.time_ns // 1000 <= EPOCH_US + 200]
    events, errors = read(tmp_path, lost)
    assert [event.call for event in events] == ["MQCONN", "MQOPEN", "MQCLOSE"]
    assert len(errors) == 2
    assert all("bytes of a channel before this packet are not in the capture" in error for error in errors)


def test_a_connection_seen_at_two_points_is_read_once(tmp_path: Path) -> None:
    talk = put_talk()
    inside = captures.translated(talk, ("172.17.0.2", 1414))
    expected, _ = read(tmp_path, talk.packets)
    events, errors = read(tmp_path, captures.merged(talk, inside))
    assert errors == []
    assert [event.call for event in events] == [event.call for event in expected]
    proxied = connected()
    proxied.ends = (("172.17.0.1", 60000), ("172.17.0.2", 1414))
    moved = Talk(proxied.ends, [77, 88])
    for packet in connected().packets[3:]:
        (moved.client if packet.source == talk.ends[0] else moved.server)(packet.data, packet.time_ns // 1000 + 1)
    moved.client(wire.call(MQCMIT), EPOCH_US + 400)
    moved.server(wire.call(MQCMIT + REPLY), EPOCH_US + 410)
    events, errors = read(tmp_path, captures.merged(talk, moved))
    assert [event.call for event in events] == [event.call for event in expected]
    assert len(errors) == 1
    assert "captured twice" in errors[0]


def test_channels_between_queue_managers_are_reported(tmp_path: Path) -> None:
    talk = connected()
    talk.client(wire.segment(0x04, b"MSH " + bytes(60)) * 2, EPOCH_US + 100)
    _, errors = read(tmp_path, talk.packets)
    assert ["between queue managers" in error for error in errors] == [True]


def test_a_capture_without_a_readable_channel_says_so(tmp_path: Path) -> None:
    talk = Talk()
    talk.handshake(EPOCH_US)
    talk.client(b"\x16\x03\x01\x02\x00" + bytes(512), EPOCH_US + 10)
    events, errors = read(tmp_path, talk.packets)
    assert events == []
    assert [error.partition(": ")[2] for error in errors] == [
        "no MQ channel that can be read is in this capture; connections with TLS, which hides it: 1"
    ]


def test_other_traffic_is_passed_over(tmp_path: Path) -> None:
    web = Talk((("10.0.0.5", 40001), ("10.0.0.9", 80)))
    web.client(b"GET / HTTP/1.1\r\n\r\n" * 100, EPOCH_US, size=90)
    del web.packets[5]
    events, errors = read(tmp_path, captures.merged(web, put_talk()))
    assert len(events) == 4
    assert errors == []


def test_unknown_links_are_reported_once(tmp_path: Path) -> None:
    records = list(read_pcap(written(tmp_path, pcap_bytes(put_talk().packets, link=105))))
    errors = [str(record).partition(": ")[2] for record in records if isinstance(record, BadInputError)]
    assert errors == ["packets of link type 105 are not read", "no MQ channel that can be read is in this capture"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b'{"call": "MQGET"}\n' * 9, "no packet capture"),
        (bytes(4096), "no packet capture"),
        (pcap_bytes([])[:23], "ends within its header"),
        (pcapng_bytes([])[:30], "ends within a block"),
        (pcapng_bytes([])[:12] + bytes(100), "damaged"),
    ],
)
def test_a_file_that_is_no_capture_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(BadInputError, match=message) as refused:
        list(read_pcap(path))
    assert str(refused.value).startswith(str(path))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.pcap", tmp_path):
        with pytest.raises(BadInputError, match=r"No such file|Is a directory"):
            list(read_pcap(path))


@pytest.mark.parametrize("form", [pcap_bytes, pcapng_bytes])
def test_a_capture_cut_within_a_packet_keeps_what_stands_before(tmp_path: Path, form: Any) -> None:
    content = form(put_talk().packets)
    expected = [record for record in read_pcap(written(tmp_path, content)) if isinstance(record, Event)]
    records = list(read_pcap(written(tmp_path, content[:-30])))
    assert [record for record in records if isinstance(record, Event)][:3] == expected[:3]
    errors = [record for record in records if isinstance(record, BadInputError)]
    assert len(errors) == 1
    assert "ends within" in str(errors[0])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_damage_raises_anything_else(tmp_path: Path, data: st.DataObject) -> None:
    packets = captures.merged(put_talk(pieces=2, size=300), consumer_talk(wire.deliver(2, DATA, MESSAGE, "Q")))
    content = bytearray(pcap_bytes(packets) if data.draw(st.booleans()) else pcapng_bytes(packets))
    for _ in range(data.draw(st.integers(0, 20))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    with suppress(BadInputError):
        list(read_pcap(written(tmp_path, bytes(content[:cut] if data.draw(st.booleans()) else content))))


def test_the_message_data_are_in_no_record(tmp_path: Path) -> None:
    events, _ = read(tmp_path, put_talk().packets)
    assert all(DATA.decode() not in event.model_dump_json() for event in events)
    assert all(DATA.hex() not in event.model_dump_json() for event in events)


def test_reading_captures_loads_neither_spark_nor_arrow() -> None:
    code = "import sys, spark_checks.readers.pcap; print({'pyspark', 'pyarrow', 'pandas'} & set(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert loaded.stdout.strip() == "set()"


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample captures are not beside this checkout")
def test_a_real_capture() -> None:
    (path,) = SAMPLES.glob("*.pcap")
    records = list(read_pcap(path))
    events = [record for record in records if isinstance(record, Event)]
    assert Counter(event.call for event in events) == {
        "MQCONN": 13,
        "MQOPEN": 20,
        "MQINQ": 12,
        "MQPUT": 8,
        "MQCLOSE": 20,
        "MQDISC": 9,
    }
    kinds = Counter(call.kind for call in read_calls(path) if not isinstance(call, BadInputError))
    assert (kinds[Kind.MQOPEN], kinds[Kind.SPI]) == (12, 8)
    assert [event.reason for event in events if event.comp_code != 0] == [2035] * 3
    puts = [event for event in events if event.call == "MQPUT"]
    assert {(put.comp_code, put.queue, put.length) for put in puts} == {(0, "UNIFORM.QUEUE", 444)}
    assert len({put.msg_id for put in puts}) == len({put.digest for put in puts}) == 8
    assert all((put.msg_id or "").startswith(b"AMQ QM".hex()) for put in puts)
    assert all(put.put_us is not None and put.start_us - 10_000 <= put.put_us <= put.end_us for put in puts)
    assert {event.qmgr for event in events} == {"QM1", "QM2", "QM3"}
    errors = [str(record) for record in records if isinstance(record, BadInputError)]
    assert len(errors) == 2
    assert all("not in the capture" in error for error in errors)
