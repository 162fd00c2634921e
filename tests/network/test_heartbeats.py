"""Heartbeats: an idle client is asked for a sign of life, and one that does not answer is dead."""

from __future__ import annotations

from collections.abc import Iterator
from select import select

import pytest

from fixtures.captures import FIRST, HEARTBEAT, LAST, Wire
from fixtures.channel_client import STATUS, Client, Hello, Segments
from oracle.mqi.constants import MQGMO, MQOO, MQPMO, MQRC
from oracle.network.heartbeats import Heartbeat, Pulse
from oracle.network.server import Limits, Server
from oracle.testing import QueueManager, queue_manager

BOTH = MQOO.INPUT_SHARED | MQOO.OUTPUT
WAITS = {"Options": MQGMO.WAIT, "WaitInterval": -1, "MatchOptions": 0}
ASKS, ANSWERS = FIRST | LAST | 1, FIRST | LAST


class Clock:
    """The real time of a server, which a test moves."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def qm() -> Iterator[QueueManager]:
    with queue_manager(["Q", "OTHER"]) as manager:
        yield manager


@pytest.fixture
def server(qm: QueueManager, clock: Clock) -> Iterator[Server]:
    """Return a server whose heartbeat interval is that of the tests' clients, 300 seconds."""
    server = Server(qm.running, limits=Limits(patience_s=0.1), clock=clock)
    server.start()
    yield server
    server.stop()


def connected(server: Server, hello: Hello = Hello()) -> Client:
    client = Client(server.port, Wire(multiplexed=hello.conversations > 0))
    client.greet(hello)
    client.connect()
    client.open("Q", BOTH)
    return client


def answer(client: Client) -> None:
    """Answer a heartbeat as IBM's Java client does, and return when the server has taken the answer."""
    for control in (ANSWERS, ASKS):
        segment = Wire(multiplexed=False).segment(HEARTBEAT, b"", control)
        client.send(b"TSHC" + segment[4:] if client.side.multiplexed else segment)
    assert kind_of(client.receive()) == (HEARTBEAT, ANSWERS)


def kind_of(flow: Segments) -> tuple[int, int]:
    return flow.kind, flow.control


def test_an_idle_client_is_asked_after_the_interval_and_some_seconds(server: Server, clock: Clock) -> None:
    client = connected(server)
    clock.seconds += 304
    assert client.inquire(2, 20, numbers=1, characters=0).kind == 0x99, "nothing has come before this"
    clock.seconds += 305
    assert kind_of(client.receive()) == (HEARTBEAT, ASKS)
    answer(client)
    clock.seconds += 100
    assert client.put(2, b"1").codes == (0, 0)
    client.close()


def test_a_client_that_does_not_answer_is_dead(
    server: Server, clock: Clock, qm: QueueManager, caplog: pytest.LogCaptureFixture
) -> None:
    client = connected(server)
    client.put(2, b"1", pmo={"Options": MQPMO.SYNCPOINT})
    client.open("OTHER", MQOO.INPUT_EXCLUSIVE)
    client.send(client.side.get(4, 100, gmo=WAITS))
    qm.until_waiting()
    clock.seconds += 305
    assert client.receive().kind == HEARTBEAT
    clock.seconds += 60
    assert client.at_end()
    assert qm.running.waiting() == 0
    assert qm.depth("Q") == 0
    other = connected(server)
    assert other.open("OTHER", MQOO.INPUT_EXCLUSIVE).codes == (0, 0)
    other.close()
    lines = [each.getMessage() for each in caplog.records if "heartbeat" in each.getMessage()]
    assert len(lines) == 1
    assert lines[0].endswith("no answer to a heartbeat for 60 seconds; its units of work are backed out")


def test_a_client_that_waits_is_asked_and_goes_on_waiting(server: Server, clock: Clock, qm: QueueManager) -> None:
    client = connected(server)
    client.send(client.side.get(2, 100, gmo=WAITS))
    qm.until_waiting()
    for _ in range(3):
        clock.seconds += 305
        assert kind_of(client.receive()) == (HEARTBEAT, ASKS)
        answer(client)
    qm.put("Q", b"1")
    assert client.receive().codes == (0, 0)
    client.close()


BEFORE_V7 = Hello(level=8, conversations=0)


def test_a_client_of_before_v7_is_asked_only_while_it_waits_and_then_at_once(
    server: Server, clock: Clock, qm: QueueManager
) -> None:
    client = connected(server, BEFORE_V7)
    clock.seconds += 5000
    assert client.put(2, b"1").kind == 0x96
    assert client.get(2).codes == (0, 0)
    client.send(client.side.get(2, 100, gmo=WAITS))
    qm.until_waiting()
    clock.seconds += 300
    assert kind_of(client.receive()) == (HEARTBEAT, ASKS)
    answer(client)
    qm.put("Q", b"1")
    assert client.receive().codes == (0, 0)
    client.close()


@pytest.mark.parametrize(("hello", "at_once"), [(BEFORE_V7, False), (Hello(), True)], ids=["before v7", "v7"])
def test_on_a_channel_of_before_v7_the_reply_waits_for_the_answer_to_the_heartbeat(
    server: Server, clock: Clock, qm: QueueManager, hello: Hello, at_once: bool
) -> None:
    client = connected(server, hello)
    client.send(client.side.get(2, 100, gmo=WAITS))
    qm.until_waiting()
    clock.seconds += 305
    assert kind_of(client.receive()) == (HEARTBEAT, ASKS)
    qm.put("Q", b"1")
    assert bool(select([client.socket], [], [], 10 if at_once else 0.1)[0]) == at_once
    client.send(Wire(multiplexed=False).segment(HEARTBEAT, b"", ANSWERS))
    assert client.receive().codes == (0, 0)
    client.close()


def test_a_client_that_asks_is_answered_and_counts_as_there(server: Server, clock: Clock) -> None:
    client = connected(server)
    for _ in range(3):
        clock.seconds += 300
        assert kind_of(client.call(Wire(multiplexed=False).segment(HEARTBEAT, b"", ASKS))) == (HEARTBEAT, ANSWERS)
    client.close()


def test_who_wants_no_heartbeats_begins_none(clock: Clock, qm: QueueManager) -> None:
    server = Server(qm.running, limits=Limits(patience_s=0.1, heartbeat_s=0), clock=clock)
    server.start()
    client = connected(server)
    clock.seconds += 100_000
    assert client.put(2, b"1").kind == 0x96
    client.close()
    server.stop()


def test_the_longer_interval_is_that_of_both(qm: QueueManager, clock: Clock) -> None:
    server = Server(qm.running, limits=Limits(patience_s=0.1, heartbeat_s=7), clock=clock)
    server.start()
    client = Client(server.port)
    assert client.greet(Hello(heartbeat=1)).long(96) == 7
    client.close()
    server.stop()


def test_it_works_in_real_time(qm: QueueManager) -> None:
    server = Server(qm.running, limits=Limits(patience_s=0.1, heartbeat_s=1))
    server.start()
    client = connected(server, Hello(level=8, heartbeat=1, conversations=0))
    client.send(client.side.get(2, 100, gmo=WAITS))
    assert client.receive().kind == HEARTBEAT
    assert client.at_end()
    server.stop()


@pytest.mark.parametrize(("interval", "patience"), [(0, 0), (1, 1), (59, 59), (300, 60)])
def test_an_answer_has_as_long_as_the_interval_and_at_most_a_minute(interval: int, patience: int) -> None:
    assert Heartbeat(interval, shares=True, last=0).patience_s == patience


def test_what_passes_puts_the_next_heartbeat_off() -> None:
    beat = Heartbeat(10, shares=True, last=0)
    assert beat.look(14.9, waits=False) is Pulse.FINE
    beat.sent(10)
    assert beat.look(24.9, waits=False) is Pulse.FINE
    assert beat.look(25, waits=False) is Pulse.ASK
    beat.ask(25)
    beat.sent(30)
    assert beat.look(34.9, waits=False) is Pulse.FINE
    assert beat.look(35, waits=False) is Pulse.DEAD, "what is sent to a client is no sign of it"
    beat.heard(35)
    assert beat.look(49, waits=False) is Pulse.FINE


def test_a_client_may_end_its_channel_by_a_status(
    server: Server, qm: QueueManager, caplog: pytest.LogCaptureFixture
) -> None:
    client = connected(server, BEFORE_V7)
    client.disconnect()
    client.send(client.side.segment(STATUS, b"", ANSWERS | 0x08))
    assert client.at_end()
    assert caplog.records == []
    other = connected(server, BEFORE_V7)
    other.put(2, b"1", pmo={"Options": MQPMO.SYNCPOINT})
    other.send(other.side.segment(STATUS, other.side.long(12, 20, MQRC.NOT_AUTHORIZED), ANSWERS | 0x0A))
    assert other.at_end()
    assert "ends the channel with an error (code 20)" in caplog.text
    assert qm.depth("Q") == 0
