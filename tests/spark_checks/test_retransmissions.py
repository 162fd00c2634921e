"""Packets of captures that are copies of others which the capture lacks: they were first sent long before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fixtures.captures import SYN, Talk, TcpPacket, Values, pcap_bytes, wire
from fixtures.channel_talks import DATA, EPOCH_US, only, put_talk, read, with_queue
from oracle.mqi.constants import MQCC, MQGMO, MQRC
from spark_checks.audit import audit
from spark_checks.frames import Engine

WAIT_MS = 5000
ASKED_US = EPOCH_US + 100
LATE_US = 400_000
"""The time after which a packet is sent again."""


def waiting_talk() -> Talk:
    """Return an MQGET that waits in vain as long as its WaitInterval says."""
    talk = with_queue()
    gmo: Values = {"Options": MQGMO.WAIT, "WaitInterval": WAIT_MS}
    talk.client(wire.get(2, 100, gmo=gmo), ASKED_US)
    failed = MQCC.FAILED, MQRC.NO_MSG_AVAILABLE
    talk.server(wire.got(2, b"", gmo=gmo, code=failed), ASKED_US + WAIT_MS * 1000 + 200)
    return talk


def sent_again(packets: Sequence[TcpPacket], number: int) -> list[TcpPacket]:
    """Return packets of which one is seen only when it is sent again."""
    late = replace(packets[number], time_ns=packets[number].time_ns + LATE_US * 1000)
    return sorted([*packets[:number], late, *packets[number + 1 :]], key=lambda packet: packet.time_ns)


def rules(engine: Engine, tmp_path: Path, packets: Sequence[TcpPacket]) -> list[str]:
    path = tmp_path / "audited.pcap"
    path.write_bytes(pcap_bytes(packets))
    return [row["rule"] for row in audit(engine, [path]).findings.collect()]


def test_a_wait_that_is_short_is_found(engine: Engine, tmp_path: Path) -> None:
    packets = sent_again(waiting_talk().packets, -2)
    assert rules(engine, tmp_path, packets) == ["WAI-01"]


def test_a_request_that_a_capture_with_losses_shows_late_may_have_been_sent_in_time(
    engine: Engine, tmp_path: Path
) -> None:
    packets = sent_again(waiting_talk().packets, -2)
    opened = next(at for at, packet in enumerate(packets) if b"APP.ALIAS" in packet.data)
    losing = [packet for at, packet in enumerate(packets) if at != opened]
    events, errors = read(tmp_path, losing)
    get = only(events, "MQGET")
    assert len(errors) == 1
    assert get.start_us == get.end_us - WAIT_MS * 1000
    assert rules(engine, tmp_path, losing) == []


def test_losses_of_another_connection_count_if_they_are_many_for_the_packets(tmp_path: Path) -> None:
    packets = sent_again(waiting_talk().packets, -2)
    other = [_elsewhere(packet) for packet in put_talk().packets]
    put = next(at for at, packet in enumerate(other) if DATA in packet.data)
    for acknowledgements, begins_us in ((0, ASKED_US + 200), (3000, ASKED_US + LATE_US)):
        more = [replace(packets[2], time_ns=packets[2].time_ns + 1 + at) for at in range(acknowledgements)]
        events, _ = read(tmp_path, [*packets[:3], *more, *packets[3:], *other[:put], *other[put + 1 :]])
        assert only(events, "MQGET").start_us == begins_us


def _elsewhere(packet: TcpPacket) -> TcpPacket:
    """Return a packet as one of another connection."""
    source, target = ((host, port + 5 * (port > 2000)) for host, port in (packet.source, packet.target))
    return replace(packet, source=source, target=target, seq=packet.seq + 10**6, ack=packet.ack + 10**6)


def test_bytes_that_come_long_after_later_ones_were_sent_before_these(tmp_path: Path) -> None:
    talk = with_queue()
    talk.client(wire.put(2, DATA), EPOCH_US + 100)
    talk.client(wire.get(2, 100), EPOCH_US + 150)
    talk.server(wire.put_done(2, length=len(DATA)), EPOCH_US + 100 + LATE_US + 50)
    put = len(talk.packets) - 3
    events, _ = read(tmp_path, sent_again(talk.packets, put))
    assert only(events, "MQPUT").start_us < EPOCH_US + 150
    swapped = replace(talk.packets[put], time_ns=talk.packets[put + 1].time_ns + 1000)
    events, _ = read(tmp_path, [*talk.packets[:put], talk.packets[put + 1], swapped, talk.packets[put + 2]])
    assert only(events, "MQPUT").start_us == EPOCH_US + 151


def test_packets_before_the_capture_are_no_loss(tmp_path: Path) -> None:
    packets = [packet for packet in waiting_talk().packets if not packet.flags & SYN]
    events, errors = read(tmp_path, sent_again(packets, -2))
    assert errors == []
    assert only(events, "MQGET").start_us == ASKED_US + LATE_US
