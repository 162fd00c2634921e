"""Several capture files read as one: connections over files, copies, gaps between files, cut packets."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixtures import captures
from fixtures.captures import (
    MQBACK,
    MQCMIT,
    MQDISC,
    REPLY,
    Talk,
    TcpPacket,
    later,
    merged,
    pcap_bytes,
    translated,
    wire,
)
from fixtures.channel_talks import (
    DATA,
    EPOCH_US,
    MESSAGE,
    connected,
    consumer_talk,
    only,
    put_talk,
    with_queue,
)
from fixtures.channel_talks import read as read_talk
from oracle.errors import BadInputError
from oracle.histories.event_log import LONGEST_CLOCK_US, Event, LogHeader
from spark_checks.readers.detect import detect
from spark_checks.readers.merged_captures import MergedCaptures
from spark_checks.readers.pcap import read_captures
from spark_checks.readers.remarks import Remark, Topic
from spark_checks.readers.streams import STREAMED

SECOND_US = 1_000_000
QUEUE_MANAGER = ("10.0.0.9", 1414)
Records = tuple[list[Event], list[str], list[Remark]]


def joined(tmp_path: Path, files: Mapping[str, bytes], order: Iterable[str] | None = None) -> Records:
    """Return the calls, the errors without their places, and the remarks of captures that are read as one."""
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    records = list(read_captures([tmp_path / name for name in order or files]))
    errors = [
        str(record).removeprefix(f"{record.place}: ").replace(f"{tmp_path}/", "")
        for record in records
        if isinstance(record, BadInputError)
    ]
    events = [record for record in records if isinstance(record, Event)]
    return events, errors, [record for record in records if isinstance(record, Remark)]


def clock_us(tmp_path: Path, files: Mapping[str, Iterable[TcpPacket]]) -> int:
    """Return by how much the clocks of captures differ, as their headers say."""
    for name, packets in files.items():
        (tmp_path / name).write_bytes(pcap_bytes(packets, nanoseconds=True))
    records = read_captures([tmp_path / name for name in files])
    return max(record.clock_us for record in records if isinstance(record, LogHeader))


def told(remarks: Iterable[Remark], tmp_path: Path) -> list[str]:
    """Return remarks as they are shown, with the names of the files alone."""
    return [f"{each.place} {each.text}".replace(f"{tmp_path}/", "") for each in remarks]


def comparable(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Return records without the members that name their file, in the order of their calls."""
    plain = [event.model_dump(exclude={"source", "line"}) for event in events]
    for record in plain:
        record["conn"] = record["conn"].rpartition(".pcap:")[2]
    return sorted(plain, key=lambda record: (record["conn"], record["seq"]))


def busy(port: int, start_us: int, *, turns: int = 4, seqs: tuple[int, int] = (70_000, 4_294_967_000)) -> Talk:
    """Return a connection that puts, commits and backs out in turn, in several packets a call."""
    talk = Talk((("10.0.0.5", port), QUEUE_MANAGER), [(each + port * 99_991) % 2**32 for each in seqs])
    talk.handshake(start_us)
    talk.client(wire.connect(), start_us + 10)
    talk.server(wire.connected(f"AMQC            {port}{seqs[0] // 10**7:03}".encode()), start_us + 20)
    talk.client(wire.open("APP.QUEUE", 16 | 8192), start_us + 30)
    talk.server(wire.opened("APP.QUEUE", 2), start_us + 40)
    for turn in range(turns):
        at = start_us + 100 + 1000 * turn
        pmo: captures.Values = {"Options": 2}
        talk.client(wire.put(2, DATA * 9, pmo=pmo, pieces=2), at, 90)
        talk.server(wire.put_done(2, md={"MsgId": f"{port:08}{turn:040}"}, pmo=pmo, length=len(DATA) * 9), at + 300, 90)
        ended = MQCMIT if turn % 2 else MQBACK
        talk.client(wire.call(ended), at + 500)
        talk.server(wire.call(ended + REPLY), at + 600)
    return talk


def traffic() -> list[TcpPacket]:
    """Return what a capture may have: a port used twice, a connection from before it, a consumer, other traffic."""
    begun_before = Talk((("10.0.0.6", 50000), QUEUE_MANAGER))
    begun_before.client(wire.put(7, DATA), EPOCH_US + 15)
    begun_before.server(wire.put_done(7), EPOCH_US + 4015)
    begun_before.client(wire.call(MQDISC), EPOCH_US + 6015)
    web = Talk((("10.0.0.5", 40077), ("10.0.0.9", 80)))
    web.client(b"GET / HTTP/1.1\r\n\r\n" * 20, EPOCH_US + 5, size=90)
    deliveries = [wire.deliver(2, DATA, MESSAGE, "APP.QUEUE", parts=2)] * 3
    again = busy(41000, EPOCH_US + 9007, seqs=(2_500_000_000, 1_300_000_000))
    others = [busy(42000, EPOCH_US + 1001), consumer_talk(*deliveries), begun_before, web, again]
    return merged(busy(41000, EPOCH_US + 3), *others)


def test_a_connection_is_followed_from_file_to_file(tmp_path: Path) -> None:
    packets = put_talk(size=100).packets
    (whole, _, none) = joined(tmp_path, {"whole.pcap": pcap_bytes(packets)})
    assert none == []
    for at in range(1, len(packets)):
        files = {"b.pcap": pcap_bytes(packets[:at]), "a.pcap": pcap_bytes(packets[at:])}
        events, errors, remarks = joined(tmp_path, files)
        assert comparable(events) == comparable(whole)
        assert errors == []
        assert told(remarks, tmp_path) == ["a.pcap goes on with 1 connection of b.pcap"]
    requests = {packet.time_ns // 1000: packet for packet in packets}
    for event in events:
        name = "b.pcap" if packets.index(requests[event.start_us]) < at else "a.pcap"
        assert event.source == str(tmp_path / name)
        assert event.conn.startswith(f"{tmp_path / 'b.pcap'}:10.0.0.5:40000>10.0.0.9:1414/")
    assert [event.line for event in events][:2] == [6, 8]


@pytest.mark.parametrize("ahead_us", [-60_000, 60_000])
def test_each_direction_may_have_a_capture_of_its_own_whose_clock_differs(tmp_path: Path, ahead_us: int) -> None:
    """One whose clock is behind shows answers before their requests, and that to the SYN before the SYN."""
    packets = merged(busy(41000, EPOCH_US), busy(42000, EPOCH_US + 700))
    whole, _, _ = joined(tmp_path, {"whole.pcap": pcap_bytes(packets)})
    asked = [packet for packet in packets if packet.target == QUEUE_MANAGER]
    answered = later([packet for packet in packets if packet.source == QUEUE_MANAGER], ahead_us)
    events, errors, _ = joined(tmp_path, {"asked.pcap": pcap_bytes(asked), "answered.pcap": pcap_bytes(answered)})
    times = ("start_us", "end_us")
    timeless = [{name: value for name, value in each.items() if name not in times} for each in comparable(events)]
    assert timeless == [
        {name: value for name, value in each.items() if name not in times} for each in comparable(whole)
    ]
    assert errors == []


FORMS = (
    pcap_bytes,
    captures.pcapng_bytes,
    lambda packets: pcap_bytes(packets, link=captures.LINUX_COOKED, order="big"),
    lambda packets: gzip.compress(pcap_bytes(packets, nanoseconds=True)),
    lambda packets: captures.pcapng_bytes(packets, links=(captures.RAW_IP, captures.LINUX_COOKED_2)),
)


def cut_up(packets: list[TcpPacket], chance: random.Random) -> dict[str, bytes]:
    """Return a capture in several files, each in any form, some with packets of the next one."""
    files = {}
    cuts = [0, *sorted(chance.choices(range(len(packets) + 1), k=chance.randint(1, 6))), len(packets)]
    for number, (start, stop) in enumerate(pairwise(cuts)):
        overlap = chance.choice([0, 0, 3, 40])
        files[f"{chance.random():.6f}-{number}.pcap"] = chance.choice(FORMS)(packets[start : stop + overlap])
    return files


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), lossy=st.booleans())
def test_however_a_capture_is_cut_into_files_its_records_are_the_same(tmp_path: Path, seed: int, lossy: bool) -> None:
    chance = random.Random(seed)
    packets = [packet for packet in traffic() if not lossy or chance.random() > 0.05]
    whole, missed, _ = joined(tmp_path, {"whole.pcap": pcap_bytes(packets)})
    files = cut_up(packets, chance)
    order = list(files)
    chance.shuffle(order)
    events, errors, _ = joined(tmp_path, files, order)
    assert comparable(events) == comparable(whole)
    assert sorted(error for error in errors if "no MQ channel" not in error) == sorted(missed)
    assert lossy or missed == []


def test_what_the_order_of_files_and_directories_is_does_not_matter(tmp_path: Path) -> None:
    packets = traffic()
    third = len(packets) // 3
    files = {f"{name}.pcap": packets[at : at + third + 9] for name, at in (("c", 0), ("a", third), ("b", 2 * third))}
    content = {name: pcap_bytes(each) for name, each in files.items()}
    orders = [sorted(files), list(files), sorted(files, reverse=True)]
    first, *others = ([each.model_dump() for each in joined(tmp_path, content, order)[0]] for order in orders)
    assert all(other == first for other in others)


def test_copies_of_packets_count_once(tmp_path: Path) -> None:
    packets = traffic()
    whole, _, _ = joined(tmp_path, {"whole.pcap": pcap_bytes(packets)})
    elsewhere = pcap_bytes(later(packets, 350), link=captures.LINUX_COOKED)
    for files in (
        {"one.pcap": pcap_bytes(packets), "same.pcap": gzip.compress(pcap_bytes(packets))},
        {"one.pcap": pcap_bytes(packets), "elsewhere.pcap": elsewhere},
        {"one.pcap": pcap_bytes(packets[:90]), "elsewhere.pcap": elsewhere},
    ):
        events, errors, remarks = joined(tmp_path, files)
        assert errors == []
        names = ("call", "conn", "seq", "comp_code", "msg_id", "queue", "digest")
        assert [[each[name] for name in names] for each in comparable(events)] == [
            [each[name] for name in names] for each in comparable(whole)
        ]
        assert any("at the same time as" in remark.text for remark in remarks)


def test_each_capture_point_fills_what_the_other_missed(tmp_path: Path) -> None:
    packets = traffic()
    whole, _, _ = joined(tmp_path, {"whole.pcap": pcap_bytes(packets)})
    for seed in range(9):
        chance = random.Random(seed)
        here = [packet for packet in packets if chance.random() < 0.6]
        there = [packet for packet in packets if packet not in here or chance.random() < 0.5]
        events, errors, _ = joined(tmp_path, {"here.pcap": pcap_bytes(here), "there.pcap": pcap_bytes(there)})
        assert (comparable(events), errors) == (comparable(whole), [])


def test_a_compressed_capture_has_its_own_name_in_its_records(tmp_path: Path) -> None:
    path = tmp_path / "capture.pcap.gz"
    path.write_bytes(gzip.compress(pcap_bytes(put_talk().packets)))
    source = detect(path)
    first, again = (list(STREAMED[source.format](source)) for _ in range(2))
    assert first == again
    for event in first:
        if isinstance(event, Event):
            assert (event.source, event.conn.partition(":")[0]) == (str(path), str(path))


def test_one_direction_each_is_a_whole_capture(tmp_path: Path) -> None:
    packets = put_talk(size=100).packets
    whole, _, _ = joined(tmp_path, {"whole.pcap": pcap_bytes(packets)})
    sides = {
        f"{server}.pcap": pcap_bytes(packet for packet in packets if (packet.source == QUEUE_MANAGER) == server)
        for server in (False, True)
    }
    events, errors, _ = joined(tmp_path, sides)
    assert (comparable(events), errors) == (comparable(whole), [])


def test_what_is_lost_between_files_is_a_gap(tmp_path: Path) -> None:
    talk = put_talk()
    talk.client(wire.call(MQCMIT), EPOCH_US + 20 * SECOND_US)
    talk.server(wire.call(MQCMIT + REPLY), EPOCH_US + 20 * SECOND_US + 10)
    lost = [number for number, packet in enumerate(talk.packets) if 100 <= packet.time_ns // 1000 - EPOCH_US <= 300]
    files = {"1.pcap": talk.packets[: lost[0]], "2.pcap": talk.packets[lost[-1] + 1 :]}
    events, errors, remarks = joined(tmp_path, {name: pcap_bytes(packets) for name, packets in files.items()})
    assert [event.call for event in events] == ["MQCONN", "MQOPEN", "MQCLOSE", "MQCMIT"]
    assert len(errors) == 2
    assert all("bytes of a channel before this packet are not in the capture" in error for error in errors)
    assert {event.conn.rpartition("/")[2] for event in events} == {"1"}
    assert told(remarks, tmp_path) == ["2.pcap goes on with 1 connection of 1.pcap"]


def test_a_gap_that_cannot_be_counted_is_told_too(tmp_path: Path) -> None:
    packets = put_talk().packets
    close = [replace(each, seq=each.seq + 2**29, ack=each.ack + 2**29) for each in packets[-2:]]
    events, errors, _ = joined(tmp_path, {"1.pcap": pcap_bytes(packets[:-2]), "2.pcap": pcap_bytes(close)})
    assert [(event.call, event.conn.rpartition(":")[2]) for event in events[-2:]] == [
        ("MQPUT", "1414/1/1"),
        ("MQCLOSE", "1414#2/1/0"),
    ]
    assert errors == ["packets of a channel before this one are not in the capture, more than can be counted"]


def test_a_connection_seen_at_two_points_of_address_translation_is_read_once(tmp_path: Path) -> None:
    talk = put_talk()
    inside = captures.translated(talk, ("172.17.0.2", 1414))
    whole, _, _ = joined(tmp_path, {"whole.pcap": pcap_bytes(talk.packets)})
    files = {"outside.pcap": pcap_bytes(talk.packets), "inside.pcap": pcap_bytes(later(inside.packets, 15))}
    events, errors, _ = joined(tmp_path, files)
    assert (comparable(events), errors) == (comparable(whole), [])


@pytest.mark.parametrize("begins", range(3, 19))
@pytest.mark.parametrize("earlier", [0, 1])
def test_a_capture_that_begins_between_the_two_sightings_of_a_packet_reads_the_connection_once(
    tmp_path: Path, begins: int, earlier: int
) -> None:
    talk = put_talk(size=120)
    sightings = [
        talk.packets[begins + (earlier == 1) :],
        later(translated(talk, ("172.17.0.2", 1414)).packets[begins + (earlier == 0) :], 1),
    ]
    both = sorted((packet for packets in sightings for packet in packets), key=lambda packet: packet.time_ns)
    events, _ = read_talk(tmp_path, both)
    alone, _ = read_talk(tmp_path, talk.packets[begins + 1 :])
    longer, _ = read_talk(tmp_path, talk.packets[begins:])
    assert [event.call for event in events] in ([event.call for event in one] for one in (alone, longer))


def test_a_port_used_again_in_another_file_is_another_connection(tmp_path: Path) -> None:
    first = busy(41000, EPOCH_US, turns=1)
    again = busy(41000, EPOCH_US + 400 * SECOND_US, turns=1, seqs=(2_500_000_000, 1_300_000_000))
    for beginning in (0, 3, 5):
        files = {"1.pcap": pcap_bytes(first.packets), "2.pcap": pcap_bytes(again.packets[beginning:])}
        events, errors, remarks = joined(tmp_path, files)
        assert remarks == []
        assert ["more than can be counted" in error for error in errors] == [True] * (beginning > 0)
        of_files = [event.conn.rpartition(":")[2] for event in events]
        assert of_files == ["1414/1/1"] * 4 + [f"1414{'#2'}/1/{0 if beginning == 5 else 1}"] * (len(of_files) - 4)
        assert len(of_files) == (7 if beginning == 5 else 8)


def test_the_same_addresses_on_two_machines_are_two_connections(tmp_path: Path) -> None:
    """Every machine has a loopback address, so two captures may show other traffic between the same ends."""
    ends = (("127.0.0.1", 41000), ("127.0.0.1", 1414))
    talks = [busy(41000, EPOCH_US, turns=3), busy(41000, EPOCH_US + 37, turns=3, seqs=(2_500_000_000, 1_300_000_000))]
    for talk, qmgr in zip(talks, ("QM1", "QM2"), strict=True):
        talk.packets = [
            replace(each, source=ends[each.source == QUEUE_MANAGER], target=ends[each.target == QUEUE_MANAGER])
            for each in talk.packets
        ]
        talk.ends = ends
        talk.server(wire.initial(qmgr, client=False), EPOCH_US + 9000)
    files = {f"{number}.pcap": pcap_bytes(talk.packets) for number, talk in enumerate(talks)}
    alone = [joined(tmp_path, {name: content})[0] for name, content in files.items()]
    events, errors, remarks = joined(tmp_path, files)
    assert (errors, remarks) == ([], [])
    assert [
        (event.call, event.start_us, event.end_us, event.msg_id)
        for event in events
        if event.source and event.source.endswith("0.pcap")
    ] == [(event.call, event.start_us, event.end_us, event.msg_id) for event in alone[0]]
    assert len(events) == len(alone[0]) + len(alone[1])
    assert len({event.conn for event in events}) == 2


def test_a_clock_that_was_set_back_between_files_loses_nothing(tmp_path: Path) -> None:
    packets = busy(41000, EPOCH_US, turns=8).packets
    spread = [replace(each, time_ns=each.time_ns + number * 10**9) for number, each in enumerate(packets)]
    whole, _, _ = joined(tmp_path, {"whole.pcap": pcap_bytes(spread)})
    for back in (1, 4, 30):
        files = {
            "1.pcap": pcap_bytes(spread[:60]),
            "2.pcap": pcap_bytes(later(spread[60:], -back * SECOND_US)),
        }
        events, errors, _ = joined(tmp_path, files)
        assert errors == []
        names = ("call", "conn", "seq", "comp_code", "msg_id", "queue", "digest")
        assert [[each[name] for name in names] for each in comparable(events)] == [
            [each[name] for name in names] for each in comparable(whole)
        ]


def test_the_queue_manager_is_named_by_another_file(tmp_path: Path) -> None:
    begun_before = Talk((("10.0.0.6", 50000), QUEUE_MANAGER))
    begun_before.client(wire.call(MQCMIT), EPOCH_US - SECOND_US)
    begun_before.server(wire.call(MQCMIT + REPLY), EPOCH_US - SECOND_US + 5)
    files = {"1.pcap": pcap_bytes(begun_before.packets), "2.pcap": pcap_bytes(connected(qmgr="QM7").packets)}
    events, errors, remarks = joined(tmp_path, files)
    assert [(event.call, event.qmgr) for event in events] == [("MQCONN", "QM7"), ("MQCMIT", "QM7")]
    assert (errors, remarks) == ([], [])


def test_a_call_under_way_at_the_end_of_a_file_may_end_as_late_as_the_last_file_does(tmp_path: Path) -> None:
    waiting = with_queue()
    waiting.client(wire.get(2, 100), EPOCH_US + 100)
    other = busy(41000, EPOCH_US + SECOND_US)
    events, _, _ = joined(tmp_path, {"1.pcap": pcap_bytes(waiting.packets), "2.pcap": pcap_bytes(other.packets)})
    assert only(events, "MQGET").end_us == max(packet.time_ns for packet in other.packets) // 1000


def test_files_without_packets_and_files_that_cannot_be_read_cost_nothing_of_others(tmp_path: Path) -> None:
    whole = pcap_bytes(put_talk().packets)
    files = {"quiet.pcap": pcap_bytes([]), "header.pcap": whole[:20], "whole.pcap": whole}
    events, errors, remarks = joined(tmp_path, files)
    assert len(events) == 4
    assert errors == ["the capture ends within its header"]
    assert remarks == []


def test_a_file_without_channels_says_so_unless_it_goes_on_with_one_that_has(tmp_path: Path) -> None:
    hidden = Talk((("10.0.0.5", 40000), ("10.0.0.9", 1415)))
    hidden.handshake(EPOCH_US)
    hidden.client(b"\x16\x03\x01\x02\x00" + bytes(512), EPOCH_US + 10)
    files = {"tls.pcap": pcap_bytes(hidden.packets), "whole.pcap": pcap_bytes(put_talk().packets)}
    _, errors, _ = joined(tmp_path, files)
    assert errors == ["no MQ channel that can be read is in this capture; connections with TLS, which hides it: 1"]
    packets = put_talk().packets
    _, errors, _ = joined(tmp_path, {"1.pcap": pcap_bytes(packets), "2.pcap": pcap_bytes(packets[:3])})
    assert errors == []


def test_files_that_follow_each_other_are_open_one_at_a_time(tmp_path: Path) -> None:
    packets = busy(41000, EPOCH_US, turns=20).packets
    paths = [tmp_path / f"{at:04}.pcap" for at in range(0, len(packets), 4)]
    for number, path in enumerate(paths):
        path.write_bytes(pcap_bytes(packets[4 * number : 4 * number + 4]))
    merged_files = MergedCaptures(paths)
    most = max(len(merged_files.open) for _ in merged_files)
    assert (len(paths) > 50, most) == (True, 1)


@pytest.mark.parametrize("form", [pcap_bytes, captures.pcapng_bytes])
def test_cut_packets_are_told_as_such(tmp_path: Path, form: Any) -> None:
    packets = busy(41000, EPOCH_US, turns=3).packets
    events, errors, remarks = joined(tmp_path, {"cut.pcap": form(packets, snap_length=110)})
    assert {event.call for event in events} >= {"MQBACK", "MQCMIT"}
    assert errors
    assert all("cut off before this packet; capture whole ones (tcpdump -s 0)" in error for error in errors)
    cut = sum(len(packet.frame(captures.ETHERNET)) - 6 > 110 for packet in packets)
    assert [(each.topic, each.text) for each in remarks] == [
        (Topic.CUT_PACKETS, f"packets that are cut: {cut}; capture whole ones (tcpdump -s 0)")
    ]
    _, errors, remarks = joined(tmp_path, {"cut.pcap": form(put_talk(size=200).packets, snap_length=128)})
    assert len(errors) > 5
    assert all("cut off" in error for error in errors)
    assert [each.topic for each in remarks] == [Topic.CUT_PACKETS]
    lost = [packet for packet in packets if b"PUT" not in packet.data and packet.time_ns % 7]
    _, errors, _ = joined(tmp_path, {"lost.pcap": form(lost)})
    assert not any("cut off" in error for error in errors)


def test_a_capture_of_headers_alone_says_that_its_packets_are_cut(tmp_path: Path) -> None:
    packets = busy(41000, EPOCH_US, turns=1).packets
    for length in (54, 60, 40):
        events, errors, remarks = joined(tmp_path, {"cut.pcap": pcap_bytes(packets, snap_length=length)})
        assert events == []
        assert [error.partition(";")[0] for error in errors][-1] == "no MQ channel that can be read is in this capture"
        assert "tcpdump -s 0" in errors[-1]
        assert [each.topic for each in remarks] == [Topic.CUT_PACKETS]


def test_what_is_cut_in_one_capture_is_whole_in_another(tmp_path: Path) -> None:
    packets = traffic()
    whole, _, _ = joined(tmp_path, {"whole.pcap": pcap_bytes(packets)})
    files = {"cut.pcap": pcap_bytes(packets, snap_length=96), "full.pcap": pcap_bytes(later(packets, 1))}
    events, errors, remarks = joined(tmp_path, files)
    assert errors == []
    names = ("call", "conn", "seq", "msg_id", "digest")
    assert [[each[name] for name in names] for each in comparable(events)] == [
        [each[name] for name in names] for each in comparable(whole)
    ]
    assert {each.topic for each in remarks} == {Topic.JOINED, Topic.CUT_PACKETS}


def test_copies_show_how_far_clocks_differ(tmp_path: Path) -> None:
    packets = traffic()
    assert clock_us(tmp_path, {"1.pcap": packets[:80], "2.pcap": packets[50:]}) == 0
    for ahead in (-2 * SECOND_US, -7, 7, SECOND_US):
        assert clock_us(tmp_path, {"1.pcap": packets, "2.pcap": later(packets, ahead)}) == abs(ahead)
    way_us = 20
    there = [
        replace(each, time_ns=each.time_ns + (30 + way_us * (1 if each.target[0] == QUEUE_MANAGER[0] else -1)) * 1000)
        for each in packets
    ]
    assert clock_us(tmp_path, {"1.pcap": packets, "2.pcap": there}) == 30 + way_us


def test_a_clock_that_was_set_back_makes_times_uncertain(tmp_path: Path) -> None:
    packets = busy(41000, EPOCH_US, turns=8).packets
    spread = [replace(each, time_ns=each.time_ns + number * 10**9) for number, each in enumerate(packets)]
    found = clock_us(tmp_path, {"1.pcap": spread[:60], "2.pcap": later(spread[60:], -30 * SECOND_US)})
    assert 25 * SECOND_US < found <= 30 * SECOND_US
    assert clock_us(tmp_path, {"1.pcap": spread[:60], "2.pcap": spread[60:]}) == 0


def test_a_time_that_is_damaged_makes_times_as_uncertain_as_a_log_can_say(tmp_path: Path) -> None:
    packets = traffic()
    assert clock_us(tmp_path, {"1.pcap": packets, "2.pcap": later(packets, 3 * LONGEST_CLOCK_US)}) == LONGEST_CLOCK_US


@pytest.mark.parametrize(
    "first", [b"\x16\x03\x01\x02\x00", b"\x17\x03\x03\x01\x00"], ids=["from its beginning", "begun"]
)
def test_connections_with_tls_beside_a_channel_are_told(tmp_path: Path, first: bytes) -> None:
    """Nothing is reported of other servers: a connection with TLS need not be MQ."""
    packets = put_talk().packets
    for number, server in enumerate([QUEUE_MANAGER, QUEUE_MANAGER, ("10.0.0.9", 443)]):
        talk = Talk((("10.0.0.7", 50000 + number), server), [90_000 + number, 1_000_000 + number])
        talk.client(first + bytes(99), EPOCH_US + number)
        packets = [*packets, *talk.packets]
    events, errors, remarks = joined(tmp_path, {"one.pcap": pcap_bytes(packets)})
    assert (len(events), errors) == (4, [])
    told_of = "one.pcap 2 connections with TLS to queue managers: the calls on them are not read"
    assert told(remarks, tmp_path) == [told_of]
