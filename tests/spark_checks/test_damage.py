"""Damaged files: undamaged parts are read, the rest is counted with place and reason, and memory is bounded."""

from __future__ import annotations

import gzip
import json
import os
import struct
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fixtures.activity_traces import Tracing, amqsevt
from fixtures.captures import pcap_bytes, pcapng_bytes
from fixtures.channel_talks import put_talk
from fixtures.side_inputs import CONFIG, config_event
from oracle.errors import BadInputError
from oracle.histories.event_log import Event
from spark_checks.readers.capture_files import Packet, read_packets
from spark_checks.readers.detect import detect
from spark_checks.readers.inputs import find_sources
from spark_checks.readers.limits import Limits
from spark_checks.readers.packed import Damage, unpacked
from spark_checks.readers.parquet_rows import is_damaged, read_damaged_parquet
from spark_checks.readers.pieces import Piece, numbered_lines
from tests.fuzz.reading import counted
from tests.spark_checks.traced_history import played
from tests.spark_checks.whole_trace import read_trace

CALL = {"qmgr": "QM1", "conn": "A", "seq": 1, "start_us": 1, "end_us": 2, "call": "MQCMIT"}
LINE = json.dumps(CALL).encode() + b"\n"


def written(tmp_path: Path, content: bytes, name: str = "input") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


def lines_of(path: Path, limits: Limits) -> tuple[list[bytes], list[str]]:
    """Return the lines that are read, and the errors of the others."""
    found = [line for _, line in numbered_lines(whole(path, limits))]
    return [line for line in found if isinstance(line, bytes)], [
        str(line).removeprefix(str(path)) for line in found if isinstance(line, BadInputError)
    ]


def whole(path: Path, limits: Limits) -> Piece:
    source = detect(path, limits)
    return Piece(source, 0, source.size)


def test_what_comes_before_damage_in_gzip_is_read_to_the_last_byte(tmp_path: Path) -> None:
    text = b"".join(b"line %d of many\n" % number for number in range(50_000))
    packed = bytearray(gzip.compress(text))
    packed[len(packed) // 2 : len(packed) // 2 + 8] = bytes(8)
    blocks = list(unpacked(written(tmp_path, bytes(packed))))
    data = b"".join(block for block in blocks if isinstance(block, bytes))
    assert next(str(block) for block in blocks if isinstance(block, Damage)).startswith("damaged gzip")
    assert data[: len(text) // 3] == text[: len(text) // 3]


def test_after_damage_reading_goes_on_with_the_next_gzip_file(tmp_path: Path) -> None:
    first = bytearray(gzip.compress(LINE * 1000))
    first[30] ^= 0xFF
    path = written(tmp_path, bytes(first) + gzip.compress(LINE * 7))
    lines, errors = lines_of(path, Limits())
    assert lines[-7:] == [LINE] * 7
    assert len(errors) == 1


def test_zeros_after_gzip_are_padding_and_other_bytes_are_told(tmp_path: Path) -> None:
    packed = gzip.compress(LINE)
    assert lines_of(written(tmp_path, packed + bytes(512)), Limits()) == ([LINE], [])
    assert "other bytes" in lines_of(written(tmp_path, packed + b"rest"), Limits())[1][0]


def test_a_file_that_holds_too_much_is_read_as_far_as_the_limit(tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress(LINE * 200_000))
    lines, errors = lines_of(path, Limits(unpacked_bytes=2**20))
    assert 2**20 - len(LINE) <= sum(map(len, lines)) < 3 * 2**20
    assert ["--unpacked" in error for error in errors] == [True]


def test_a_line_that_is_too_long_is_counted_and_the_next_is_read(tmp_path: Path) -> None:
    for pack in (bytes, gzip.compress):
        path = written(tmp_path, pack(LINE + b"x" * 5000 + b"\n" + LINE))
        lines, errors = lines_of(path, Limits(record_bytes=4000))
        assert lines == [LINE, LINE]
        assert errors == [":2: a line of 5,001 bytes; lines of up to 4,000 are read (--longest-record)"]


def test_a_trace_message_that_is_too_long_is_counted_and_the_next_is_read(tmp_path: Path) -> None:
    history = played()
    text = amqsevt(history, Tracing(batch=10), "json")
    path = written(tmp_path, text.replace('"applName": "', '"applName": "' + "x" * 200_000, 1).encode())
    source = detect(path, Limits(record_bytes=100_000))
    from spark_checks.readers.activity_trace import trace_messages
    from spark_checks.readers.trace_messages import TraceMessage

    found = list(trace_messages(Piece(source, 0, source.size)))
    errors = [str(one) for one in found if isinstance(one, BadInputError)]
    assert len(errors) == 1
    assert "--longest-record" in errors[0]
    calls = [one for message in found if isinstance(message, TraceMessage) for one in message.operations]
    assert len(calls) == len(history) - 10


def test_half_of_a_character_makes_its_record_unreadable_and_no_other(tmp_path: Path) -> None:
    bad = json.dumps({**CALL, "conn": "\ud800"}).encode() + b"\n"
    assert counted(written(tmp_path, LINE + bad + LINE)) == {"call": 2, "fault": 1}
    history = played()
    whole_trace = amqsevt(history, Tracing(batch=100), "json")
    in_a_call = whole_trace.replace('"objectName": "Q"', '"objectName": "\\udfff"', 1)
    found = counted(written(tmp_path, in_a_call.encode()))
    assert (found["call"], found["fault"]) == (len(history) - 1, 1)
    in_the_header = whole_trace.replace('"applName": "', '"applName": "\\udfff', 1)
    found = counted(written(tmp_path, in_the_header.encode()))
    assert found["call"] + found["fault"] == len(history)
    assert found["fault"] > 1


def test_numbers_of_any_length_end_nothing(tmp_path: Path) -> None:
    text = amqsevt(played(), Tracing(batch=100), "json")
    for name in ("epoch", "sequenceNumber", "highresTime", "qmgrOpDuration", "hobj", "threadId"):
        for number in ("9" * 19, "9" * 400, "-" + "9" * 25):
            at = text.index(f'"{name}": ') + len(name) + 4
            end = min(text.index(mark, at) for mark in (",", "}"))
            found = counted(written(tmp_path, (text[:at] + number + text[end:]).encode()))
            assert found["call"] + found["fault"] >= len(played())


def test_calls_of_an_event_of_no_legible_type_are_counted(tmp_path: Path) -> None:
    text = amqsevt(played(), Tracing(batch=100), "json")
    for damaged in (text.replace('"eventType"', '"eventTyp#"', 1), text.replace('"value": 209', '"value": 45', 1)):
        records = list(read_trace(written(tmp_path, damaged.encode())))
        events = [one for one in records if isinstance(one, Event)]
        errors = [one for one in records if isinstance(one, BadInputError)]
        assert len(events) + len(errors) == len(played())
        assert len({error.place for error in errors}) == len(errors)


def test_two_calls_that_damage_made_one_are_not_read_as_one(tmp_path: Path) -> None:
    text = amqsevt(played(), Tracing(batch=100), "json_compact")
    first = text.index("}, ", text.index('"operationId"'))
    joined = text.replace("},              {", ",", 1) if "},              {" in text else None
    records = list(read_trace(written(tmp_path, (joined or text[:first] + text[first + 3 :]).encode())))
    events = [one for one in records if isinstance(one, Event)]
    assert len(events) + sum(isinstance(one, BadInputError) for one in records) >= len(played())


def with_length(capture: bytes, packet: int, length: int) -> bytes:
    """Return a pcap file in which one packet has another length."""
    at = 24
    for _ in range(packet):
        at += 16 + int(struct.unpack_from("<I", capture, at + 8)[0])
    return capture[: at + 8] + struct.pack("<I", length) + capture[at + 12 :]


@pytest.mark.parametrize("length", [2**31, 10**6, 5000])
def test_a_wrong_length_of_a_packet_costs_that_packet_only(tmp_path: Path, length: int) -> None:
    capture = pcap_bytes(put_talk().packets)
    packets = list(read_packets(written(tmp_path, capture)))
    for wrong in (0, 2, len(packets) - 2):
        found = list(read_packets(written(tmp_path, with_length(capture, wrong, length))))
        errors = [one for one in found if isinstance(one, BadInputError)]
        assert [one.place.line for one in errors if one.place] == [wrong + 1]
        data = [one.data for one in found if isinstance(one, Packet)]
        assert data == [one.data for one in packets[:wrong] + packets[wrong + 1 :] if isinstance(one, Packet)]


def test_a_wrong_length_of_a_block_costs_that_block_only(tmp_path: Path) -> None:
    capture = pcapng_bytes(put_talk().packets)
    packets = list(read_packets(written(tmp_path, capture)))
    at = capture.index(b"\6\0\0\0", 60)
    for length in (0, 13, 2**31, 5000):
        damaged = capture[: at + 4] + struct.pack("<I", length) + capture[at + 8 :]
        found = list(read_packets(written(tmp_path, damaged)))
        assert sum(isinstance(one, Packet) for one in found) == len(packets) - 1
        assert sum(isinstance(one, BadInputError) for one in found) == 1


def test_a_flipped_byte_in_a_compressed_capture_keeps_the_packets_before_it(tmp_path: Path) -> None:
    packets = put_talk().packets * 20
    packed = bytearray(gzip.compress(pcap_bytes(packets)))
    packed[len(packed) * 2 // 3] ^= 0x10
    found = list(read_packets(written(tmp_path, bytes(packed))))
    assert sum(isinstance(one, Packet) for one in found) > len(packets) // 4
    assert any(isinstance(one, BadInputError) for one in found)


def test_a_damaged_row_group_of_parquet_is_counted_and_the_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    rows = [{**CALL, "seq": number, "conn": f"connection {number}"} for number in range(300)]
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=100, compression="snappy", use_dictionary=False)
    source = detect(path)
    assert not is_damaged(source)
    start = pq.read_metadata(path).row_group(1).column(1).data_page_offset
    data = bytearray(path.read_bytes())
    data[start : start + 40] = b"\xff" * 40
    path.write_bytes(bytes(data))
    assert is_damaged(source)
    found = list(read_damaged_parquet(source))
    seqs = [one.seq for one in found if isinstance(one, Event)]
    assert seqs == [*range(100), *range(200, 300)]
    places = [one.place.line for one in found if isinstance(one, BadInputError) and one.place]
    assert places == list(range(101, 201))


def test_files_are_found_once_whatever_links_lead_to_them(tmp_path: Path) -> None:
    log = tmp_path / "log"
    (log / "below").mkdir(parents=True)
    written(log / "below", LINE, "one.jsonl")
    for name in ("self", "again"):
        (log / name).symlink_to(log, target_is_directory=True)
        (log / "below" / name).symlink_to(log, target_is_directory=True)
    (log / "same.jsonl").symlink_to(log / "below" / "one.jsonl")
    sources, refused = find_sources([log, log / "self", log / "same.jsonl"])
    assert len(sources) == 1
    assert refused == []


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """Return a directory with 1,200 others, each within the other; pytest could not remove them."""
    here = [os.open(tmp_path, os.O_RDONLY)]
    for _ in range(1200):
        os.mkdir("d", dir_fd=here[-1])
        here.append(os.open("d", os.O_RDONLY, dir_fd=here[-1]))
        os.close(here[-2])
    os.close(here[-1])
    yield tmp_path
    subprocess.run(["rm", "-r", str(tmp_path / "d")], check=True)


def test_directories_may_be_nested_deeper_than_a_program_recurses(deep: Path) -> None:
    written(deep, LINE, "one.jsonl")
    sources, _ = find_sources([deep])
    assert [Path(source.path).name for source in sources] == ["one.jsonl"]


def test_pipes_are_refused_by_name_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInputError, match=r"pipe: is a pipe, .* write it to a file"):
        find_sources([tmp_path / "pipe"])
    written(tmp_path, LINE, "one.jsonl")
    sources, refused = find_sources([tmp_path])
    assert len(sources) == 1
    assert "is a pipe" in str(refused[0])
    with pytest.raises(BadInputError, match="is a device"):
        find_sources([Path("/dev/zero")])


def test_names_that_are_not_utf_8_are_shown_in_ascii(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.jsonl"))
    path.write_bytes(LINE + b"{\n")
    (source,), _ = find_sources([tmp_path])
    assert source.name.endswith("/caf\\xe9.jsonl")
    assert source.path == str(path)
    assert counted(path) == {"call": 1, "fault": 1}


def test_a_file_without_a_reader_is_counted_beside_one_that_has_one(tmp_path: Path) -> None:
    good = written(tmp_path, LINE, "one.jsonl")
    bad = [written(tmp_path, b"", "empty"), written(tmp_path, b"a diary\n", "text"), tmp_path / "gone"]
    sources, refused = find_sources([good, *bad[:2]])
    assert len(sources) == 1
    assert [error.place.source for error in refused if error.place] == [str(path) for path in bad[:2]]
    with pytest.raises(BadInputError, match="gone: no such file"):
        find_sources([good, *bad])
    with pytest.raises(BadInputError, match="empty: the file is empty"):
        find_sources([bad[0]])


def test_a_line_that_lost_its_end_counts_each_of_its_calls(tmp_path: Path) -> None:
    joined = LINE + LINE.rstrip() + LINE + LINE
    assert counted(written(tmp_path, joined)) == {"call": 2, "fault": 2}


def test_a_call_is_counted_also_where_its_own_name_is_damaged_in_an_event_that_is_not_json(tmp_path: Path) -> None:
    text = amqsevt(played(), Tracing(batch=100), "go").replace('{"operationId"', '{operationId"', 1)
    found = counted(written(tmp_path, text.encode()))
    assert found["call"] + found["fault"] >= len(played())


def test_half_of_a_character_in_a_definition_costs_that_definition(tmp_path: Path) -> None:
    events = [config_event({**CONFIG, "queueName": "\ud800"}), config_event(CONFIG)]
    path = written(tmp_path, "".join(json.dumps(one) + "\n" for one in events).encode())
    assert counted(path) == {"header": 1, "fault": 1}


def test_parquet_whose_columns_have_no_names_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    pq.write_table(pa.Table.from_pylist([CALL]), path)
    path.write_bytes(path.read_bytes().replace(b"qmgr", b"qm\xe9r"))
    found = list(read_damaged_parquet(detect(path)))
    assert found
    assert all(isinstance(one, BadInputError) for one in found)


def test_a_capture_of_nothing_but_zeros_is_given_up_soon(tmp_path: Path) -> None:
    path = written(tmp_path, pcap_bytes(put_talk().packets) + bytes(4 * 2**20))
    begun = time.process_time()
    found = list(read_packets(path))
    assert time.process_time() - begun < 5
    assert sum(isinstance(one, BadInputError) for one in found) == 1
