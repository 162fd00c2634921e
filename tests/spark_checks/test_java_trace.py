"""Traces of the MQ classes for Java: the same calls as a capture of the same conversation shows."""

from __future__ import annotations

import random
from datetime import datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixtures.captures import Talk, Wire, wire
from fixtures.channel_talks import EPOCH_US, connected, consumer_talk, put_talk, read
from fixtures.java_traces import dump, stamp, trace_text
from oracle.errors import BadInputError
from oracle.histories.event_log import Event, LogHeader
from spark_checks.readers.detect import Format, detect
from spark_checks.readers.java_dumps import Dump, DumpReader
from spark_checks.readers.java_trace import read_java_trace

SAMPLES = Path(__file__).parents[3] / "shared" / "samples" / "mq-java-client-trace"
NOT_SHARED = {"conn", "source", "line", "start_us", "end_us"}


def traced(tmp_path: Path, text: str) -> tuple[list[Event], list[str], LogHeader]:
    """Return the calls, the errors and the header of a trace."""
    path = tmp_path / "client.trc"
    path.write_text(text, encoding="utf-8")
    assert detect(path).format is Format.JAVA_TRACE
    records = list(read_java_trace([detect(path)]))
    (header,) = (record for record in records if isinstance(record, LogHeader))
    events = [record for record in records if isinstance(record, Event)]
    return events, [str(record) for record in records if isinstance(record, BadInputError)], header


TALKS = {
    "put": put_talk(),
    "put in many segments": put_talk(pieces=4, size=50),
    "consumer": consumer_talk(wire.deliver(2, b"data" * 50, {"MsgId": "01" * 24}, "APP.QUEUE", parts=3)),
}


@pytest.mark.parametrize("name", TALKS)
def test_a_trace_shows_what_a_capture_of_the_same_conversation_shows(tmp_path: Path, name: str) -> None:
    talk = TALKS[name]
    captured, _ = read(tmp_path, talk.packets)
    events, errors, _ = traced(tmp_path, trace_text(talk.packets))
    assert errors == []
    assert [each.model_dump(exclude=NOT_SHARED) for each in events] == [
        each.model_dump(exclude=NOT_SHARED) for each in captured
    ]
    for event, exact in zip(events, captured, strict=True):
        assert event.start_us <= exact.start_us <= event.start_us + 1000
        assert exact.end_us <= event.end_us <= exact.end_us + 1000


def test_records_lead_back_to_the_dumps_of_their_requests(tmp_path: Path) -> None:
    text = trace_text(put_talk().packets)
    events, _, _ = traced(tmp_path, text)
    lines = text.splitlines()
    assert events
    for event in events:
        assert event.line is not None
        assert "Sending data <data>" in lines[event.line - 1]


@pytest.mark.parametrize("name", ["UTC", "America/New_York", "Asia/Kolkata"])
def test_local_times_become_utc(tmp_path: Path, name: str) -> None:
    packets = put_talk().packets
    events, _, header = traced(tmp_path, trace_text(packets, zone=ZoneInfo(name), name=name))
    assert events[0].start_us == (EPOCH_US + 30) // 1000 * 1000
    assert header.clock_us == 0


def test_a_trace_of_an_unknown_zone_says_that_its_clock_cannot_be_trusted(tmp_path: Path) -> None:
    zone = timezone(timedelta(hours=-6), "CST")
    _, errors, header = traced(tmp_path, trace_text(put_talk().packets, zone=zone, name="CST"))
    assert errors == []
    assert header.clock_us >= 14 * 3600 * 10**6


def test_the_heading_tells_whether_the_day_or_the_month_comes_first(tmp_path: Path) -> None:
    text = trace_text(put_talk().packets)
    began = datetime.fromtimestamp(EPOCH_US // 10**6, timezone.utc).replace(month=3, day=9)
    heading, day_first = f"Date: {began:%a %b %d %H:%M:%S} UTC {began:%Y}\n", text[text.index("\n") :]
    for order in ("%d/%m/%y", "%m/%d/%y"):
        body = day_first.replace(
            f"{datetime.fromtimestamp(EPOCH_US // 10**6, timezone.utc):%d/%m/%y}", f"{began:{order}}"
        )
        events, _, _ = traced(tmp_path, heading + body)
        assert datetime.fromtimestamp(events[0].start_us // 10**6, timezone.utc).date() == began.date()


def test_dumps_of_several_threads_may_mix_and_connections_are_told_apart(tmp_path: Path) -> None:
    one, two = trace_text(put_talk().packets), trace_text(connected(identifier=b"AMQCQM1         other").packets)
    other = two.replace("@6404f418", "@11111111").replace("]  00000001", "]  00000002")
    mixed = []
    first, second = one.splitlines(), other.splitlines()[9:]
    for number, line in enumerate(first):
        mixed.append(line)
        if number > 9 and second:
            mixed.append(second.pop(0))
    events, errors, _ = traced(tmp_path, "\n".join([*mixed, *second]))
    assert errors == []
    assert [event.call for event in events if "@6404f418" in event.conn] == ["MQCONN", "MQOPEN", "MQPUT", "MQCLOSE"]
    assert [event.call for event in events if "@11111111" in event.conn] == ["MQCONN"]


def test_an_object_number_used_again_is_another_connection(tmp_path: Path) -> None:
    text = trace_text(put_talk().packets)
    again = trace_text(connected(qmgr="QM2", identifier=b"AMQCQM2         other").packets)
    events, _, _ = traced(tmp_path, text + again)
    assert len({(event.conn, event.qmgr) for event in events}) == 2


def test_a_dump_that_the_trace_cuts_is_counted_and_later_calls_are_read(tmp_path: Path) -> None:
    packets = [packet for packet in put_talk().packets if packet.data]
    whole = trace_text(packets)
    (put,) = (packet for packet in packets if b"the message data" in packet.data)
    number = packets.index(put)
    lines = whole.splitlines()
    at = next(i for i, line in enumerate(lines) if line == dump(stamp(put.time_ns, number), 0, put.data)[0])
    cut = dump(stamp(put.time_ns, number), 0, put.data, shown=96)
    lines[at : at + len(dump(stamp(put.time_ns, number), 0, put.data))] = cut
    events, errors, _ = traced(tmp_path, "\n".join(lines))
    assert len(errors) == 1
    assert f"client.trc:{at + 1}: " in errors[0]
    assert [event.call for event in events if event.call != "MQPUT"] == ["MQCONN", "MQOPEN", "MQCLOSE"]


def test_a_trace_without_channel_data_says_so(tmp_path: Path) -> None:
    heading = trace_text(put_talk().packets).split("[")[0]
    events, errors, _ = traced(tmp_path, heading)
    assert events == []
    assert len(errors) == 1


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), ways=st.integers(1, 3))
def test_a_garbled_trace_never_raises(tmp_path: Path, seed: int, ways: int) -> None:
    random_numbers = random.Random(seed)
    talk: Talk = put_talk(pieces=2)
    lines = trace_text(talk.packets).splitlines()
    for _ in range(ways):
        at = random_numbers.randrange(9, len(lines))
        garbled = [
            lines[at][: random_numbers.randrange(len(lines[at]) + 1)],
            lines[at].replace("0", random_numbers.choice(("9", "\0", "é", "f"))),
            lines[random_numbers.randrange(9, len(lines))],
        ]
        lines[at] = random_numbers.choice(garbled)
    path = tmp_path / "client.trc"
    path.write_text("\n".join(lines[: random_numbers.randrange(10, len(lines) + 1)]), encoding="utf-8")
    for record in read_java_trace([detect(path)]):
        if isinstance(record, Event):
            assert record.end_us >= record.start_us


@pytest.mark.skipif(not SAMPLES.exists(), reason="the samples are not beside this checkout")
def test_the_real_trace_is_read() -> None:
    (trace,) = SAMPLES.glob("*.trc.gz")
    records = list(read_java_trace([detect(trace)]))
    (event,) = (record for record in records if isinstance(record, Event))
    assert (event.call, event.reason, event.qmgr) == ("MQCONN", 2035, "QM1")
    assert not any(isinstance(record, BadInputError) for record in records)


HEADING = "|   com.ibm.msg.client.commonservices.trace.level       :-  {level}\n|   user.timezone   :-  UTC\n"
FAILED = (
    "[08/09/25 11:12:56.741.00]  00000001     static  c.i.m.c.w.common.internal.Reason   ----+--  {  "
    "createException(String,int,int) [JMSWMQ2020] [2538(0x9ea)] [2(0x2)]\n"
)
SAID = "[08/09/25 11:12:56.741.00]  00000001  JMSCMQ0001: call failed with compcode '2' ('MQCC_FAILED') reason '2538'\n"
THROWN = (
    "[08/09/25 11:12:55.387.03]  00000001  @351d0846  c.i.m.jmqi.local.LocalServer(LocalMQ)  ---  !  loadLib(String)"
    "<throwIndex 1>, CC=2;RC=2495;AMQ8598: Failed to load the IBM MQ native JNI library: 'mqjbnd'.\n"
    "[08/09/25 11:12:56.741.00]  00000001  @11111111  c.i.m.j.remote.impl.RemoteFAP  ----+---  !  jmqiConnect()"
    "<throwIndex 1>, CC=2;RC=2538;AMQ9204: Connection to host 'mq1(1414)' rejected.\n"
)


@pytest.mark.parametrize("how", [FAILED, SAID, THROWN])
def test_a_client_that_reached_no_queue_manager_is_told_with_its_reason(tmp_path: Path, how: str) -> None:
    path = tmp_path / "client.trc"
    path.write_text(HEADING.format(level=9) + how, encoding="utf-8")
    (error,) = (record for record in read_java_trace([detect(path)]) if isinstance(record, BadInputError))
    assert "never reached a queue manager" in str(error)
    assert "MQCONN failed with 2538" in str(error)
    assert "level" not in str(error)


def test_a_reason_that_a_queue_manager_gives_does_not_say_that_none_was_reached(tmp_path: Path) -> None:
    path = tmp_path / "client.trc"
    path.write_text(HEADING.format(level=5) + FAILED.replace("2538(0x9ea)", "2035(0x7f3)"), encoding="utf-8")
    (error,) = (record for record in read_java_trace([detect(path)]) if isinstance(record, BadInputError))
    assert "the client could not connect to a queue manager" in str(error)
    assert "MQCONN failed with 2035" in str(error)


@pytest.mark.parametrize(("level", "advised"), [(9, False), (5, True)])
def test_the_level_is_advised_only_where_it_is_not_the_highest(tmp_path: Path, level: int, advised: bool) -> None:
    path = tmp_path / "client.trc"
    path.write_text(HEADING.format(level=level), encoding="utf-8")
    (error,) = (record for record in read_java_trace([detect(path)]) if isinstance(record, BadInputError))
    assert ("highest level" in str(error)) is advised


def test_a_client_whose_channel_was_refused_has_reached_a_queue_manager(tmp_path: Path) -> None:
    talk = Talk()
    side = Wire("big", multiplexed=False)
    talk.client(side.initial("*", client=True), EPOCH_US)
    talk.server(side.initial("QM1", client=False), EPOCH_US + 20)
    refused = FAILED.replace("2538(0x9ea)", "2035(0x7f3)")
    _, errors, _ = traced(tmp_path, trace_text(talk.packets) + refused)
    assert [error.partition("client.trc: ")[2] for error in errors] == [
        "a queue manager answered the client, but no MQI call is in this trace: MQCONN failed with 2035 NOT_AUTHORIZED"
    ]


def test_equal_rows_after_missing_ones_are_not_those_before(tmp_path: Path) -> None:
    stamp = "[14/11/23 22:13:20.000.01]  00000001 "
    begin = "@6404f418  c.i.m.j.remote.impl.RemoteTCPConnection  d  send(byte [ ],int,int) Sending data <data>"
    texts = [
        begin,
        "Length = 0x7ff4 (32756) bytes start=0 count=40",
        "            offset    : 0 1 2 3  4 5 6 7  8 9 A B  C D E F",
        "0x00000000 (       0) : 5453484d 00000028 00000001 00000000 : TSHM....",
        "0x00000010 (      16) : 20202020 20202020 20202020 20202020 : ....",
        "0x00000000 (       0) : 5453484d 00000028 00000001 00000000 : TSHM....",
        "              1 duplicate line(s) suppressed",
    ]
    path = tmp_path / "client.trc"
    path.write_text("".join(f"{stamp}{text}\n" for text in texts), encoding="utf-8")
    dumps = [dump for dump in DumpReader([detect(path)]) if isinstance(dump, Dump)]
    assert [(len(dump.data), dump.missing) for dump in dumps] == [(32, 8)]
