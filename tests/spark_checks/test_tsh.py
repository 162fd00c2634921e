"""Channel segments to flows, packets to ordered bytes, flows to calls: all without a capture file."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures import captures
from fixtures.captures import MQCMIT, MQPUT, REPLY, Wire, wire
from oracle.errors import BadInputError
from oracle.mqi.layouts import EBCDIC
from oracle.wire.headers import Kind
from spark_checks.readers.mqi_calls import Call, Channel
from spark_checks.readers.tcp import PATIENCE_NS, Connection, Piece
from spark_checks.readers.tsh import FlowStream, SeenFlow, Sighting

WIRES = [
    Wire(order, charset, multiplexed=m)
    for order in ("little", "big")
    for charset in ("ascii", EBCDIC)
    for m in (True, False)
]


def fed(chunks: Iterable[bytes]) -> list[SeenFlow | BadInputError]:
    stream = FlowStream("trace")
    return [
        flow for line, chunk in enumerate(chunks, start=1) for flow in stream.feed(chunk, Sighting(line, line * 1000))
    ]


def flows(items: Iterable[SeenFlow | BadInputError]) -> list[SeenFlow]:
    return [item for item in items if isinstance(item, SeenFlow)]


@pytest.mark.parametrize("side", WIRES, ids=str)
def test_a_segment_tells_how_it_is_written(side: Wire) -> None:
    (flow,) = flows(fed([side.call(MQCMIT, side.long(7))]))
    assert flow.kind == Kind.MQCMIT
    assert flow.order == side.order
    assert "X".encode(flow.charset) == "X".encode(side.charset)
    assert flow.conversation == (1 if side.multiplexed else 0)
    assert flow.long(16) == 7


@given(data=st.data())
def test_however_the_bytes_are_cut_the_flows_are_the_same(data: st.DataObject) -> None:
    side = data.draw(st.sampled_from(WIRES))
    pieces = data.draw(st.integers(1, 9))
    sent = side.put(2, b"first", pieces=pieces) + side.close(2) + side.put(3, b"second" * 40, pieces=pieces)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(sent) - 1))))
    chunks = [sent[a:b] for a, b in zip([0, *cuts], [*cuts, len(sent)], strict=True)]
    whole = flows(fed([sent]))
    cut = fed(chunks)
    assert [(flow.kind, flow.body, flow.whole) for flow in flows(cut)] == [
        (each.kind, each.body, True) for each in whole
    ]
    assert len(cut) == len(whole) == 3


def test_a_flow_is_seen_from_its_first_to_its_last_byte() -> None:
    sent = wire.put(2, b"data", pieces=3)
    (flow,) = flows(fed([sent[:10], sent[10:100], sent[100:-1], sent[-1:] + wire.close(2)[:5]]))
    assert (flow.first, flow.last) == (Sighting(1, 1000), Sighting(4, 4000))


def test_flows_of_several_conversations_may_interleave() -> None:
    other = Wire(conversation=3)
    one, two = wire.put(2, b"a" * 100, pieces=2), other.put(2, b"b" * 100, pieces=2)
    middle_one, middle_two = (each.index(b"TSHM", 4) for each in (one, two))
    mixed = one[:middle_one] + two[:middle_two] + one[middle_one:] + two[middle_two:]
    assert [(flow.conversation, flow.body[-1:]) for flow in flows(fed([mixed]))] == [(1, b"a"), (3, b"b")]


def test_bytes_before_the_first_segment_are_passed_over() -> None:
    rest_of_a_message = b"TSH TSHM and other text" * 50
    items = fed([rest_of_a_message[:30], rest_of_a_message[30:] + wire.close(2)])
    assert [type(item) for item in items] == [SeenFlow]


def test_reading_goes_on_after_bytes_that_are_no_segment() -> None:
    items = fed([wire.close(2) + b"damaged bytes of more than a header's length" + wire.close(3)])
    assert [type(item) for item in items] == [SeenFlow, BadInputError, SeenFlow]
    assert flows(items)[1].long(12) == 3


def test_an_impossible_length_is_not_waited_for() -> None:
    damaged = bytearray(wire.close(2))
    damaged[4:8] = b"\x7f\xff\xff\xff"
    assert [flow.long(12) for flow in flows(fed([bytes(damaged) + wire.close(3)]))] == [3]


def test_missing_bytes_leave_what_was_begun_and_the_next_segment() -> None:
    sent = wire.put(2, b"x" * 400, pieces=3)
    third = sent.rindex(b"TSHM")
    stream = FlowStream("trace")
    assert list(stream.feed(sent[:third], Sighting(1, 1))) == []
    (begun,) = stream.lose()
    assert not begun.whole
    (after,) = flows(stream.feed(b"rest of a segment" + wire.close(2), Sighting(2, 2)))
    assert after.kind == Kind.MQCLOSE


def test_bytes_that_end_within_a_segment_are_an_error() -> None:
    stream = FlowStream("trace")
    list(stream.feed(wire.close(2)[:-1], Sighting(9, 1)))
    (error,) = stream.finish()
    assert isinstance(error, BadInputError)
    assert str(error) == "trace:9: a channel's bytes end within a segment"


def test_compressed_segments_are_an_error() -> None:
    segment = bytearray(wire.close(2))
    segment[19] = 2
    (error,) = fed([bytes(segment)])
    assert "compressed" in str(error)


@given(st.binary(max_size=400), st.integers(0, 200))
def test_no_bytes_break_the_reading_of_segments(garbage: bytes, at: int) -> None:
    sent = wire.put(2, b"data", pieces=2)
    fed([sent[:at], garbage, sent[at:], wire.close(2) * 2])


def ordered(packets: Iterable[captures.TcpPacket]) -> list[Piece]:
    """Reassemble packets of one connection; numbers are positions, times are the packets'."""
    connection = Connection()
    pieces: list[Piece] = []
    first = None
    for number, packet in enumerate(packets, start=1):
        first = first or packet.source
        side = 0 if packet.source == first else 1
        ack = packet.ack if packet.flags & captures.ACK else None
        seen = Sighting(number, packet.time_ns)
        syn = bool(packet.flags & captures.SYN)
        pieces += connection.packet(side, packet.seq & 0xFFFFFFFF, ack, packet.data, seen, syn=syn)
    return pieces + list(connection.finish())


def said(pieces: Iterable[Piece]) -> tuple[bytes, bytes]:
    sides = [b"".join(piece.data for piece in pieces if piece.side == side) for side in (0, 1)]
    return sides[0], sides[1]


def conversation(turns: int) -> captures.Talk:
    """Return a connection in which client and server speak in turn, over the wrap of the sequence numbers."""
    talk = captures.Talk()
    talk.handshake(1)
    for turn in range(turns):
        talk.client(f"<request {turn}>".encode(), 100 * turn + 10, size=5)
        talk.server(f"<reply {turn}>".encode(), 100 * turn + 50, size=7)
    return talk


@given(st.integers(0, 2**32))
def test_repeated_and_swapped_packets_change_nothing(seed: int) -> None:
    talk = conversation(9)
    chance = random.Random(seed)
    packets = [packet for packet in talk.packets for _ in range(chance.choice([1, 1, 2]))]
    for at in range(3, len(packets) - 1):
        if chance.random() < 0.3:
            packets[at], packets[at + 1] = packets[at + 1], packets[at]
    pieces = ordered(packets)
    assert not any(piece.missing for piece in pieces)
    assert said(pieces) == said(ordered(talk.packets))


def test_a_reply_never_comes_before_the_request_that_was_captured_late() -> None:
    talk = conversation(2)
    replies = [packet for packet in talk.packets if packet.data and packet.source == talk.ends[1]]
    late = [*talk.packets[:3], *replies, *(packet for packet in talk.packets[3:] if packet not in replies)]
    turns = "".join(str(piece.side) for piece in ordered(late))
    assert turns == "".join(str(piece.side) for piece in ordered(talk.packets))
    first_request, first_reply = (next(p for p in ordered(late) if p.side == side) for side in (0, 1))
    assert first_request.seen.since_ns < first_reply.seen.time_ns


@given(st.integers(0, 2**32))
def test_the_order_of_both_sides_is_that_of_their_acknowledgements(seed: int) -> None:
    talk = conversation(6)
    rest = talk.packets[3:]
    random.Random(seed).shuffle(rest)
    pieces = ordered([*talk.packets[:3], *rest])
    assert b"".join(piece.data for piece in pieces) == b"".join(packet.data for packet in talk.packets)


def test_a_request_that_was_sent_again_after_its_reply_comes_before_it() -> None:
    talk = conversation(1)
    requests = [packet for packet in talk.packets if packet.data and packet.source == talk.ends[0]]
    again = [replace(packet, ack=talk.seqs[1]) for packet in requests]
    captured = [*(packet for packet in talk.packets if packet not in requests), *again]
    assert b"".join(piece.data for piece in ordered(captured)) == b"<request 0><reply 0>"


def test_late_requests_in_one_packet_come_before_their_own_replies() -> None:
    talk = conversation(2)
    requests = [packet for packet in talk.packets if packet.data and packet.source == talk.ends[0]]
    resent = replace(requests[0], data=b"".join(packet.data for packet in requests))
    late = [*(packet for packet in talk.packets if packet not in requests), resent]
    text = b"".join(piece.data for piece in ordered(late))
    assert text == b"<request 0><reply 0><request 1><reply 1>"


def test_bytes_not_captured_are_a_gap_before_the_packet_that_shows_it() -> None:
    talk = conversation(3)
    lost = [packet for packet in talk.packets if not 100 <= packet.time_ns // 1000 < 200]
    pieces = ordered(lost)
    gaps = [piece for piece in pieces if piece.missing]
    assert sorted((piece.side, piece.missing) for piece in gaps) == [(0, len("<request 1>")), (1, len("<reply 1>"))]
    after = [piece for piece in pieces[pieces.index(gaps[-1]) :] if piece.data]
    assert b"".join(piece.data for piece in after if piece.side == 0) == b"<request 2>"


def test_parts_of_a_gap_are_where_acknowledgements_show_them() -> None:
    talk = conversation(4)
    lost = [packet for packet in talk.packets if packet.source == talk.ends[0] or b"reply 3" in packet.data]
    pieces = ordered(lost)
    told = [piece.missing for piece in pieces if not piece.data]
    assert told == [3 * len("<reply 0>"), 0, 0]
    sides = [(piece.side, bool(piece.data)) for piece in pieces if piece.data[:1] in (b"<", b"")]
    assert sides == [(0, True), (1, False)] * 3 + [(0, True)]


def test_an_acknowledgement_alone_shows_that_bytes_are_missing() -> None:
    talk = conversation(2)
    last = max(talk.packets, key=lambda packet: packet.time_ns).time_ns
    lost = [
        packet
        for packet in talk.packets
        if not (packet.data and packet.source == talk.ends[0] and packet.time_ns > 100_000)
    ]
    pieces = ordered(lost)
    assert [(piece.side, piece.missing) for piece in pieces if piece.missing] == [(0, len("<request 1>"))]
    assert pieces[-1].seen.time_ns == last
    assert [piece.side for piece in pieces if piece.missing or b"reply 1" in piece.data or b"<reply" in piece.data][
        -2:
    ] == [0, 1]


def test_a_hole_is_given_up_after_a_while() -> None:
    talk = conversation(2)
    lost = [packet for packet in talk.packets if b"quest 0" not in packet.data and b"<requ" not in packet.data]
    assert any(piece.missing for piece in ordered(lost))
    connection = Connection()
    assert list(connection.packet(0, 0, None, b"a", Sighting(1, 0))) != []
    assert list(connection.packet(0, 5, None, b"b", Sighting(2, 1))) == []
    assert list(connection.packet(0, 5, None, b"b", Sighting(3, PATIENCE_NS))) == []
    late = list(connection.packet(0, 6, None, b"c", Sighting(4, PATIENCE_NS + 2)))
    assert [(piece.data, piece.missing) for piece in late] == [(b"", 4), (b"b", 0), (b"c", 0)]


def work_behind_a_hole(packets: int) -> int:
    """Return the number of function calls that ordering packets takes if the second comes last."""
    connection = Connection()
    sent = [Sighting(number, number) for number in range(packets + 2)]
    calls_made = 0

    def count(_: object, event: str, __: object) -> None:
        nonlocal calls_made
        calls_made += event in {"call", "c_call"}

    pieces = list(connection.packet(0, 0, None, b"a", sent[0]))
    sys.setprofile(count)
    try:
        for number in range(2, packets + 1):
            pieces += connection.packet(0, number, None, b"b", sent[number])
        pieces += connection.packet(0, 1, None, b"c", sent[packets + 1])
    finally:
        sys.setprofile(None)
    assert b"".join(piece.data for piece in pieces) == b"ac" + b"b" * (packets - 1)
    return calls_made


def test_what_waits_behind_a_lost_packet_costs_no_more_for_being_many() -> None:
    assert work_behind_a_hole(4000) < 9 * work_behind_a_hole(500)


def test_the_end_of_a_connection_is_no_gap() -> None:
    talk = conversation(1)
    end = talk.packets[-1]
    fin = replace(end, seq=end.seq + len(end.data), data=b"", flags=captures.FIN_ACK)
    answer = replace(talk.packets[2], seq=talk.seqs[0], ack=fin.seq + 1, time_ns=fin.time_ns)
    assert not any(piece.missing for piece in ordered([*talk.packets, fin, answer]))


def calls(*turns: tuple[int, bytes]) -> list[Call | BadInputError]:
    """Return the calls of a channel in which the sides say that; an empty text is a gap."""
    channel = Channel("trace", "c", {})
    streams = (FlowStream("trace"), FlowStream("trace"))
    found: list[Call | BadInputError] = []
    for line, (side, data) in enumerate(turns, start=1):
        if not data:
            channel.gap(side)
        for flow in flows(streams[side].feed(data, Sighting(line, line * 1000))):
            found += channel.flow(side, flow)
    return [*found, *channel.finish()]


def outcomes(found: Iterable[Call | BadInputError]) -> list[tuple[str, int | None, int | None, int | None]]:
    """Return each call's name, first and last line, and reason."""
    return [
        (
            call.kind.name,
            call.began.line if call.began else None,
            call.ended.line if call.ended else None,
            call.reply.reason if call.reply else None,
        )
        for call in found
        if isinstance(call, Call)
    ]


def reply(kind: int, reason: int = 0) -> bytes:
    return wire.call(kind + REPLY, code=(2 if reason else 0, reason))


def test_requests_find_their_replies() -> None:
    found = calls((0, wire.call(MQCMIT)), (1, reply(MQCMIT)), (0, wire.call(MQCMIT)), (1, reply(MQCMIT, 2003)))
    assert outcomes(found) == [("MQCMIT", 1, 2, 0), ("MQCMIT", 3, 4, 2003)]


def test_conversations_and_request_numbers_keep_calls_apart() -> None:
    other = Wire(conversation=3)
    found = calls(
        (0, wire.call(MQCMIT)),
        (0, other.call(MQCMIT)),
        (1, other.call(MQCMIT + REPLY, code=(2, 2003))),
        (1, wire.call(MQCMIT + REPLY)),
    )
    assert outcomes(found) == [("MQCMIT", 2, 3, 2003), ("MQCMIT", 1, 4, 0)]
    numbered = wire.segment(MQCMIT + REPLY, wire.call(MQCMIT + REPLY)[36:], request=5)
    assert outcomes(calls((0, wire.call(MQCMIT)), (1, numbered))) == [("MQCMIT", 1, 2, None), ("MQCMIT", None, 2, 0)]


def test_a_call_without_a_reply_is_over_when_a_later_one_is() -> None:
    found = calls(
        (0, wire.call(MQCMIT)), (0, wire.close(2)), (1, wire.call(captures.MQCLOSE + REPLY)), (0, wire.close(3))
    )
    assert outcomes(found) == [("MQCMIT", 1, 3, None), ("MQCLOSE", 2, 3, 0), ("MQCLOSE", 4, None, None)]


def test_an_asynchronous_put_leaves_the_reply_to_the_synchronous_one() -> None:
    asynchronous = wire.put(2, b"a", pmo={"Options": 65536})
    found = calls((0, wire.put(2, b"s")), (0, asynchronous), (1, wire.put_done(2)))
    assert outcomes(found) == [("MQPUT", 1, 3, 0), ("MQPUT", 2, None, None)]


def test_a_reply_after_gaps_on_both_sides_may_be_another_call_s() -> None:
    request, answer = (0, wire.call(MQCMIT)), (1, reply(MQCMIT))
    apart = [("MQCMIT", 1, 4, None), ("MQCMIT", None, 4, 0)]
    assert outcomes(calls(request, (1, b""), (0, b""), answer)) == apart
    assert outcomes(calls(request, (1, b""), (1, b""), answer)) == [("MQCMIT", 1, 4, 0)]
    assert outcomes(calls(request, (0, b""), (0, b""), answer)) == [("MQCMIT", 1, 4, 0)]


def test_a_reply_is_not_that_of_a_request_before_gaps_whose_parts_lie_apart() -> None:
    """The client alone is captured up to a request, and the queue manager alone after it."""
    talk = captures.Talk()
    talk.handshake(1)
    for turn in range(6):
        talk.client(wire.get(2, 10 + turn), 100 * turn + 10)
        talk.server(wire.got(2, b"data"), 100 * turn + 50)
    half = [packet for packet in talk.packets if packet.source == talk.ends[packet.time_ns >= 300_000]]
    channel, streams = Channel("capture", "channel", {}), (FlowStream("capture"), FlowStream("capture"))
    found: list[Call] = []
    for piece in ordered(half):
        if not piece.data:
            streams[piece.side].lose()
            channel.gap(piece.side)
        for flow in streams[piece.side].feed(piece.data, piece.seen):
            if isinstance(flow, SeenFlow):
                found += [call for call in channel.flow(piece.side, flow) if isinstance(call, Call)]
    assert [(call.request is None, call.reply is None) for call in found] == [(False, True)] * 3 + [(True, False)] * 3


def test_a_reply_alone_is_a_call_that_may_have_begun_before() -> None:
    assert outcomes(calls((1, wire.put_done(2)))) == [("MQPUT", None, 1, 0)]


def test_the_service_interface_opens_queues_too() -> None:
    found = calls(
        (0, wire.service_open("APP.QUEUE", 8208)), (1, wire.service_opened("APP.QUEUE", 7)), (0, wire.close(7))
    )
    opened, closed = (call for call in found if isinstance(call, Call))
    assert opened.kind == Kind.SPI
    assert opened.request is not None
    assert opened.request.number == 8208
    assert closed.handle is not None
    assert closed.handle.queue == "APP.QUEUE"


def test_other_verbs_of_the_service_interface_are_reported_once() -> None:
    put = wire.call(captures.SPI, wire.long(2, 1, 0))
    query = wire.call(captures.SPI, wire.long(1, 1, 0))
    found = calls((0, query), (0, put), (0, put))
    assert [str(error) for error in found] == ["trace:2: calls of the service interface with verb 2 are not read"]


def test_an_unreadable_call_is_an_error_with_its_place() -> None:
    damaged = wire.put(2, b"data").replace(b"PMO \x02", b"PMO \x09")
    found = calls((0, wire.close(1)), (0, damaged), (1, wire.call(captures.MQCLOSE + REPLY)))
    assert [str(error) for error in found if isinstance(error, BadInputError)] == [
        "trace:2: MQPMO has no version 9; known: 1, 2, 3"
    ]
    assert outcomes(found) == [("MQCLOSE", 1, 3, 0)]


def test_a_put_that_lost_its_end_is_still_a_put() -> None:
    sent = wire.put(2, b"x" * 4000, pieces=2)
    stream = FlowStream("trace")
    list(stream.feed(sent[: sent.index(b"TSHM", 4)], Sighting(1, 1)))
    channel = Channel("trace", "c", {})
    (flow,) = stream.lose()
    assert list(channel.flow(0, flow)) == []
    (call,) = channel.finish()
    assert call.kind == MQPUT
    assert call.request is not None
    assert (call.request.number, call.request.whole) == (4000, False)


def test_a_distribution_list_is_refused() -> None:
    found = calls((0, wire.open("", 16, RecsPresent=2)))
    assert [str(error) for error in found] == ["trace:1: a distribution list is not read"]
