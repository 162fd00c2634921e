"""Connections that are not channels, or break off: bounded in time and memory, and logged in a line."""

from __future__ import annotations

import random
import resource
import socket
import ssl
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fixtures.captures import FIRST, LAST, MQPUT, SPI, Wire
from fixtures.channel_client import Client, Hello, Segments, connected, message_of
from oracle.mqi.constants import MQGMO, MQOO
from oracle.network import descriptors
from oracle.network.server import Limits, Server, tls_context
from oracle.testing import QueueManager, queue_manager
from tests.network.conftest import Connecting, port_of

BOTH = MQOO.INPUT_SHARED | MQOO.OUTPUT
WAIT = {"Options": MQGMO.WAIT, "WaitInterval": 60_000, "MatchOptions": 0}


@contextmanager
def listening(limits: Limits) -> Iterator[tuple[QueueManager, Server]]:
    with queue_manager(["Q"]) as qm:
        server = Server(qm.running, limits=limits)
        server.start()
        try:
            yield qm, server
        finally:
            server.stop()


def still_works(port: int) -> None:
    with connected(port) as client:
        client.open("SYSTEM.DEFAULT.LOCAL.QUEUE", BOTH)
        client.put(2, b"1")
        assert message_of(client.get(2))[1] == b"1"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 2, "not a channel"),
        (bytes(64), "not a channel"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64), "TLS hello"),
        (b"TSH " + (1 << 23).to_bytes(4, "big") + b"\1\1\x31\0" + bytes(32), "8388608 bytes"),
        (b"TSH " + (8).to_bytes(4, "big") + b"\1\1\x31\0" + bytes(32), "not a channel"),
        (Wire(multiplexed=False).segment(1, b"", 0x31), "initial data"),
        (Wire(multiplexed=False).call(0x81), "before the ends have agreed"),
    ],
    ids=["http", "nulls", "tls", "too long", "too short", "no initial data", "call first"],
)
def test_what_is_no_channel_is_closed_with_a_line_in_the_log(
    qm: QueueManager, data: bytes, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    client = Client(port_of(qm))
    client.send(data)
    assert client.at_end()
    still_works(port_of(qm))
    lines = [record.getMessage() for record in caplog.records if "closed" in record.getMessage()]
    assert len(lines) == 1
    assert told in lines[0]


@pytest.mark.parametrize(
    ("flow", "told"),
    [
        (Wire().segment(MQPUT, bytes(40), LAST), "continues nothing"),
        (Wire().segment(MQPUT, bytes(40000), FIRST | LAST), "40036 bytes"),
        (Wire(conversation=9).call(0x8A), "conversation 9"),
        (Wire().call(MQPUT, Wire().long(1), hobj=2), "MQMD is missing"),
        (Wire().put(2, b"1")[:-3], None),
        (Wire().segment(0x06, b""), "0x06"),
        (Wire().segment(0x0C, Wire().long(-3, 0, 1, 1, 1)), "not the number of a conversation"),
        (Wire().segment(0x0A, bytes(40)), "credentials"),
        (Wire().call(0x89, Wire().long(1 << 30, 0, 0)), "1073741824"),
        (Wire().call(0x89, Wire().long(3, 0, 0)), "ends after"),
        (Wire().call(SPI), "ends after"),
        (Wire().call(SPI, Wire().long(12)), "MQOD is missing"),
        (Wire().segment(0x0E, b""), "ends after"),
    ],
    ids=[
        "no beginning", "over the limit", "unknown conversation", "no structures", "half a segment", "unknown flow",
        "negative conversation",
        "no credentials", "a billion selectors", "too few selectors", "no verb", "no open", "no request",
    ],
)  # fmt: skip  # rows
def test_what_cannot_be_read_closes_its_channel_only(
    connecting: Connecting, qm: QueueManager, flow: bytes, told: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    client, other = connecting(), connecting()
    other.open("Q", BOTH)
    client.send(flow)
    if told is None:
        client.close()
    else:
        assert client.at_end()
        assert told in caplog.text
    assert other.put(2, b"1").codes == (0, 0)
    assert [each.data for each in qm.messages("Q")] == [b"1"]


def test_a_message_longer_than_agreed_is_not_kept(caplog: pytest.LogCaptureFixture) -> None:
    with queue_manager(["Q"], MaxMsgLength=100_000, listen=0) as qm, connected(port_of(qm)) as client:
        pieces = [Wire().segment(MQPUT, bytes(32_000), FIRST * (n == 0)) for n in range(4)]
        client.send(b"".join(pieces))
        assert client.at_end()
    assert "more than 100000 bytes" in caplog.text


def test_half_a_segment_and_silence_ends() -> None:
    with listening(Limits(patience_s=0.4)) as (_, server), connected(server.port) as client:
        client.send(Wire().put(2, b"1")[:20])
        assert client.at_end()
        still_works(server.port)


def test_half_a_flow_and_silence_ends() -> None:
    with listening(Limits(patience_s=0.4)) as (_, server), connected(server.port) as client:
        client.send(Wire().segment(MQPUT, bytes(40), FIRST))
        assert client.at_end()


def test_a_client_that_has_said_everything_may_be_silent() -> None:
    with listening(Limits(patience_s=0.4)) as (_, server), connected(server.port) as client:
        silent = Client(server.port)
        assert silent.at_end()
        assert client.open("Q", BOTH).codes == (0, 0)


def test_many_connections_that_say_nothing_end_and_hold_up_nobody() -> None:
    with listening(Limits(patience_s=0.5)) as (_, server):
        silent = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(300)]
        still_works(server.port)
        assert [each.recv(1) for each in silent] == [b""] * len(silent)
        for each in silent:
            each.close()


def test_a_client_without_tls_on_a_port_with_it_is_closed_with_a_line_in_the_log(
    certificate: tuple[Path, Path], caplog: pytest.LogCaptureFixture
) -> None:
    hello = Wire(multiplexed=False).segment(1, Hello().body(Wire(multiplexed=False)), 0x31)
    with queue_manager(["Q"]) as qm:
        server = Server(qm.running, tls=tls_context(*certificate), limits=Limits(patience_s=0.4))
        server.start()
        for data in (hello, b"", b"\x16\x03\x01"):
            client = Client(server.port)
            client.send(data)
            assert client.at_end()
            client.close()
        waits = Client(server.port)
        trusted = ssl.create_default_context(cafile=certificate[0])
        secured = Client(server.port, tls=trusted)
        secured.greet()
        assert secured.connect().codes == (0, 0)
        secured.close()
        server.stop()
        waits.close()
    lines = [each.getMessage() for each in caplog.records if "no TLS could be agreed on" in each.getMessage()]
    assert len(lines) == 3
    assert "WRONG_VERSION_NUMBER" in lines[0]
    assert "longer than 0.4 seconds" in lines[1]


def test_connections_on_which_tls_is_not_yet_agreed_on_count(
    certificate: tuple[Path, Path], caplog: pytest.LogCaptureFixture
) -> None:
    with queue_manager(["Q"]) as qm:
        server = Server(qm.running, tls=tls_context(*certificate), limits=Limits(connections=2))
        server.start()
        silent = [Client(server.port) for _ in range(2)]
        assert Client(server.port).at_end()
        assert "too many connections" in caplog.text
        for each in silent:
            each.close()
        server.stop()


def test_more_connections_than_there_may_be_are_refused(caplog: pytest.LogCaptureFixture) -> None:
    with listening(Limits(connections=2)) as (_, server):
        first, second = (Client(server.port) for _ in range(2))
        for each in (first, second):
            each.greet()
        third = Client(server.port)
        assert third.at_end()
        assert "too many connections" in caplog.text
        first.send(b"no channel" * 9)
        assert first.at_end()
        still_works(server.port)


def test_no_more_connections_are_taken_than_the_operating_system_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, 4096))
    assert descriptors.most_connections(2000) == 924
    assert descriptors.most_connections(50) == 50
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert descriptors.most_connections(2000) == 2000


@pytest.mark.parametrize(("hard", "made"), [(4096, [(2100, 4096)]), (1500, [(1500, 1500)]), (1024, [(1024, 1024)])])
def test_the_command_asks_the_operating_system_for_more(
    monkeypatch: pytest.MonkeyPatch, hard: int, made: list[tuple[int, int]]
) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: asked.append(limits))
    descriptors.make_room(2000)
    assert asked == made


def test_what_goes_wrong_beside_the_channels_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    with listening(Limits()) as (_, server):
        for _ in range(100):
            server.loop.call_exception_handler({"message": "accept", "exception": OSError(24, "Too many open files")})
        server.loop.call_exception_handler({"message": "another"})
    told = [each.getMessage() for each in caplog.records]
    assert told == ["accept: [Errno 24] Too many open files", "another: no reason is known"]


def test_too_much_behind_a_call_that_waits_ends_the_channel(client: Client, qm: QueueManager) -> None:
    client.open("Q", BOTH)
    client.send(client.side.get(2, 100, gmo=WAIT))
    qm.until_waiting()
    client.send(client.side.call(0x8A) * 30)
    assert client.at_end()


def test_a_client_that_takes_no_replies_does_not_fill_memory(qm: QueueManager) -> None:
    qm.put("Q", bytes(1 << 20))
    with connected(port_of(qm)) as client:
        client.open("Q", MQOO.BROWSE)
        asks = client.side.get(2, 1 << 20, gmo={"Options": MQGMO.BROWSE_FIRST, "MatchOptions": 0})
        tracemalloc.start()
        client.socket.settimeout(0.3)
        with pytest.raises(TimeoutError):
            send_for_ever(client, asks * 100)
        grown = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert grown < 32 << 20
        assert qm.depth("Q") == 1


def test_a_client_that_does_not_even_take_its_end_is_cut_off(caplog: pytest.LogCaptureFixture) -> None:
    with listening(Limits(patience_s=0.3)) as (qm, server):
        qm.put("Q", bytes(1 << 20))
        with connected(server.port) as client:
            client.open("Q", MQOO.BROWSE)
            asks = client.side.get(2, 1 << 20, gmo={"Options": MQGMO.BROWSE_FIRST, "MatchOptions": 0})
            with pytest.raises((ConnectionResetError, BrokenPipeError)):
                send_for_ever(client, asks * 100)
    assert "nothing complete has arrived for 0.3 seconds; its units of work are backed out" in caplog.text


def send_for_ever(client: Client, data: bytes) -> None:
    while True:
        client.send(data)


class Collecting(Client):
    """A client without a server: what it would send is in `said`."""

    def __init__(self, side: Wire) -> None:
        self.side = side
        self.said: list[bytes] = []

    def send(self, data: bytes) -> None:
        self.said.append(data)

    def receive(self) -> Segments:
        return Segments(0, 0, 0, 0, "little", "ascii", b"")


def conversation() -> list[bytes]:
    """Return what clients say: one of every kind of flow, of our own making."""
    side = Wire()
    plain = Wire(multiplexed=False)
    client = Collecting(side)
    client.be_user("ada")
    client.sign_on("ada", "secret")
    client.connect()
    client.open("Q", BOTH)
    client.service(1)
    client.service_open("Q", BOTH)
    client.inquire(2, 3, 2016, numbers=1, characters=48)
    client.set(2, 10, 0)
    client.put(2, b"x" * 50, md={"MsgFlags": 8})
    client.put1("Q", b"y")
    client.get(2)
    client.ask(4, 0, match=31, identifiers=bytes(88))
    client.tell_state(2, confirm=True)
    client.begin_conversation_without_answer(3)
    client.back()
    client.commit()
    client.close_handle(2)
    client.disconnect()
    hello = [plain.segment(1, Hello().body(plain), 0x31), side.segment(1, Hello().body(side), 0x31)]
    return [*hello, *client.said]


def damaged(flows: list[bytes], chance: random.Random) -> bytes:
    """Return a conversation with something wrong in it."""
    chosen = list(flows)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(chosen))
        flow = bytearray(chosen[place])
        kind = chance.randrange(6)
        if kind == 0:
            flow[chance.randrange(len(flow))] = chance.randrange(256)
        elif kind == 1:
            at = chance.randrange(0, max(1, len(flow) - 4))
            flow[at : at + 4] = chance.choice((b"\xff" * 4, b"\0" * 4, b"\x7f\xff\xff\xff", b"\0\0\0\x80"))
        elif kind == 2:
            del flow[chance.randrange(len(flow)) :]
        elif kind == 3:
            chosen.insert(place, bytes(flow))
        elif kind == 4:
            chosen[place], chosen[-1] = chosen[-1], bytes(flow)
            continue
        else:
            flow[29:36] = bytes(chance.randrange(256) for _ in range(7))
        chosen[place] = bytes(flow)
    return b"".join(chosen)


@pytest.mark.filterwarnings("ignore::oracle.testing.StandInWarning")
def test_damaged_conversations_end_or_are_answered_and_leave_nothing_behind(
    seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    chance = random.Random(seed)
    flows = conversation()
    with queue_manager(["Q"], listen=0) as qm:
        for _ in range(200):
            client = Client(port_of(qm))
            client.send(damaged(flows, chance))
            client.socket.shutdown(socket.SHUT_WR)
            assert client.at_end()
            client.close()
        with qm.running.changed:
            assert qm.running.changed.wait_for(lambda: len(qm.running.state.connections) == 2, timeout=20)
        assert qm.running.waiting() == 0
        still_works(port_of(qm))
    # The event loop reports what the server does not expect.
    assert "Fatal error" not in caplog.text
    assert "Exception" not in caplog.text
