"""Recorded conversations of clients, replayed: the server answers as the recorded queue manager did.

The recording in this folder is one of IBM's Java client with this server, made with the program `Recorded` of
tests/java. Captures of real queue managers beside the checkout are replayed too.
"""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fixtures.captures import MQOPEN, RAW_IP, Wire, pcap_bytes, wire
from fixtures.channel_client import connected
from fixtures.channel_talks import EPOCH_US, with_queue
from fixtures.miniatures import MINIATURES
from fixtures.recordings import Said, read_recording
from fixtures.replay import Answered, replay
from oracle.errors import BadInputError
from oracle.mqi.layouts import EBCDIC
from oracle.network import calls
from oracle.wire.headers import REPLY, Kind
from tests.network.test_wire_honesty import captured, groups, priorities, request_and_reply, units_of_work

RECORDED = Path(__file__).parent / "recordings" / "java-client.pcap.gz"
FRAGILE = {"name": "FRAGILE", "BackoutThreshold": 2, "BackoutRequeueQName": "ASIDE"}
SAMPLES = Path(__file__).parents[3] / "shared" / "samples"
REAL = sorted(path for folder in ("mq-wire-pcap", "mq-java-client-trace") for path in SAMPLES.glob(f"{folder}/*"))
REAL = [path for path in REAL if path.suffix in (".pcap", ".gz")]


def problems(found: list[Answered]) -> list[Answered]:
    return [each for each in found if each.problem]


def test_a_recorded_java_client_is_answered_as_before() -> None:
    found = replay(read_recording(RECORDED), FRAGILE)
    assert problems(found) == []
    kinds = Counter(each.kind for each in found)
    verbs = [Kind.MQCONN, Kind.MQOPEN, Kind.MQPUT, Kind.MQGET, Kind.MQCMIT, Kind.MQBACK, Kind.MQINQ, Kind.SPI]
    assert all(kinds[verb + REPLY] >= 5 for verb in verbs)


@pytest.mark.skipif(not REAL, reason="the sample captures are not beside this checkout")
def test_recorded_clients_of_real_queue_managers_are_answered_as_by_these() -> None:
    found = [answer for path in REAL for answer in replay(read_recording(path))]
    assert problems(found) == []
    assert len(found) > 100


@pytest.fixture(params=[Wire(o, c) for o in ("little", "big") for c in ("ascii", EBCDIC)], ids=str)
def own(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a capture of this project's own client, in every way in which clients write."""
    path = tmp_path / "own.pcap"
    side: Wire = request.param
    with captured(path) as (_, port), connected(port, side) as client:
        priorities(client)
        units_of_work(client)
        groups(client)
        request_and_reply(client, port)
        client.disconnect()
    return path


FIFO = {"name": "FIFO", "MsgDeliverySequence": "FIFO"}


def test_this_project_s_own_client_is_answered_as_before(own: Path) -> None:
    found = replay(read_recording(own), FIFO)
    assert problems(found) == []
    assert len(found) > 40


@pytest.mark.parametrize("name", ["last_in_first_out", "second_backout_not_counted"])
def test_a_defect_of_the_model_behind_the_server_shows(name: str) -> None:
    recording = read_recording(RECORDED)
    with MINIATURES[name].change.applied():
        found = problems(replay(recording, FRAGILE))
    assert {each.kind for each in found} & {Kind.MQGET + REPLY, Kind.ASYNC_MESSAGE}


def test_an_answer_that_does_not_come_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fixtures.replay._PATIENCE_S", 0.2)
    carry_out = calls.carry_out
    monkeypatch.setattr(calls, "carry_out", lambda of, flow: None if flow.kind == Kind.MQCMIT else carry_out(of, flow))
    found = problems(replay(read_recording(RECORDED), FRAGILE))
    assert (found[0].kind, found[0].problem) == (Kind.MQCMIT + REPLY, "there is no answer")


def test_what_was_not_said_before_is_told() -> None:
    recording = read_recording(RECORDED)
    last = max(number for number, said in enumerate(recording) if said.server is not None)
    dropped = recording[last].server
    assert dropped is not None
    (found,) = problems(replay(recording[:last] + recording[last + 1 :], FRAGILE))
    assert (found.kind, found.problem) == (dropped.kind, "it was not said before")


def changed(recording: list[Said], kind: int, at: int) -> Iterator[Said]:
    """Yield a recording in which one byte of every answer of a kind is another."""
    for said in recording:
        flow = said.server
        if flow is None or flow.kind != kind:
            yield said
        else:
            body = bytearray(flow.body)
            body[at] ^= 1
            yield replace(said, server=replace(flow, body=bytes(body)))


@pytest.mark.parametrize(
    ("kind", "at"), [(Kind.INITIAL, 16), (Kind.MQCMIT + REPLY, 8), (Kind.MQPUT + REPLY, 60), (Kind.MQGET + REPLY, 384)]
)
def test_one_byte_that_is_another_is_told(kind: int, at: int) -> None:
    found = problems(replay(list(changed(read_recording(RECORDED), kind, at)), FRAGILE))
    assert found
    assert {each.kind for each in found} == {kind}
    assert all(each.problem.startswith(f"at {at // 4 * 4} it has ") for each in found)


def test_what_is_no_recording_is_told(tmp_path: Path) -> None:
    path = tmp_path / "nothing.pcap"
    path.write_bytes(b"\xd4\xc3\xb2\xa1")
    with pytest.raises(BadInputError, match=r"nothing\.pcap"):
        read_recording(path)


TSHARK = shutil.which("tshark")


@pytest.mark.skipif(TSHARK is None, reason="there is no tshark")
@pytest.mark.parametrize("path", [RECORDED, *REAL], ids=lambda path: path.name.split(".")[0][:20])
def test_wireshark_reads_every_answer(path: Path, tmp_path: Path) -> None:
    capture = tmp_path / "replayed.pcap"
    found = replay(read_recording(path), FRAGILE, capture=capture)
    assert problems(found) == []
    dissected = dissect(capture)
    assert [each for each in dissected if each[2]] == []
    seen = Counter(int(kind, 0) for from_server, kinds, _ in dissected if from_server for kind in kinds)
    answers = Counter(each.kind for each in found)
    assert seen.keys() == answers.keys()
    assert seen >= answers, "an answer may have several segments, and none may be missing"


@pytest.mark.skipif(TSHARK is None, reason="there is no tshark")
def test_an_answer_that_wireshark_cannot_read_shows(tmp_path: Path) -> None:
    talk = with_queue()
    talk.server(wire.segment(MQOPEN + REPLY, wire.opened("Q", 2)[36:120]), EPOCH_US + 100)
    capture = tmp_path / "short.pcap"
    capture.write_bytes(pcap_bytes(talk.packets, link=RAW_IP))
    assert [bool(malformed) for from_server, _, malformed in dissect(capture) if from_server][-1]


def dissect(capture: Path) -> list[tuple[bool, list[str], str]]:
    """Return for every packet with data whether the server sent it, the types of its segments, and what is wrong."""
    ports = server_ports(capture)
    assert TSHARK is not None
    decode = [word for port in ports for word in ("-d", f"tcp.port=={port},mq")]
    fields = ["tcp.srcport", "mq.tsh.type", "_ws.malformed", "tcp.len"]
    shown = ["-T", "fields", "-E", "occurrence=a", *(word for field in fields for word in ("-e", field))]
    done = subprocess.run([TSHARK, "-r", str(capture), *decode, *shown], capture_output=True, text=True, check=True)
    found = []
    for line in done.stdout.splitlines():
        port, kinds, malformed, length = line.split("\t")
        if int(length):
            assert kinds, "a packet is not dissected"
            found.append((int(port) in ports, kinds.split(","), malformed))
    return found


def server_ports(capture: Path) -> set[int]:
    return {int.from_bytes(data[22:24], "big") for data in first_packets(capture)}


def first_packets(capture: Path) -> Iterator[bytes]:
    """Yield the packets that open connections."""
    data = capture.read_bytes()
    at = 24
    while at < len(data):
        length = int.from_bytes(data[at + 8 : at + 12], "little")
        packet = data[at + 16 : at + 16 + length]
        if packet[33] == 0x02:
            yield packet
        at += 16 + length
