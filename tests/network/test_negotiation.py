"""The agreement of both ends of a channel, and the permission to connect."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.captures import HEARTBEAT, Wire
from fixtures.channel_client import NEWEST, Client, Hello, Segments
from oracle.mqi.constants import MQOO, MQRC
from oracle.mqi.layouts import EBCDIC
from oracle.network.server import Server, tls_context
from oracle.testing import QueueManager, queue_manager
from tests.network.conftest import Connecting, port_of

OK = (0, 0)
REFUSED = (2, MQRC.NOT_AUTHORIZED)
SECRETS = {"ada": "secret"}


def level_of(answer: Segments) -> int:
    return answer.body[4]


def greeting(qm: QueueManager, hello: Hello = NEWEST, side: Wire = Wire()) -> Segments:
    client = Client(port_of(qm), side)
    answer = client.greet(hello)
    client.close()
    return answer


@pytest.mark.parametrize("side", [Wire(o, c) for o in ("little", "big") for c in ("ascii", EBCDIC)], ids=str)
def test_the_answer_names_the_queue_manager_in_the_client_s_characters(qm: QueueManager, side: Wire) -> None:
    answer = greeting(qm, side=side)
    assert answer.body[48:96].decode(side.charset) == "QM1".ljust(48)
    assert answer.order == "little"
    assert not answer.control & 0x02


def test_what_the_server_lacks_it_names(qm: QueueManager) -> None:
    client = Client(port_of(qm))
    first = client.side.segment(1, Hello(flags1=0xFF, flags2=0xFF, flags3=0xFF, conversations=99).body(client.side), 1)
    answer = client.call(first)
    client.close()
    assert answer.control & 0x02
    flags = [(answer.body[at], answer.body[at + 1]) for at in (5, 44, 132)]
    assert flags == [(0x26, 0xD9), (0x40, 0xBF), (0x28, 0xD7)]
    assert answer.long(128) == 10


@pytest.mark.parametrize(
    ("hello", "at", "agreed"),
    [
        (Hello(segment=4096), 12, 4096),
        (Hello(segment=1 << 20), 12, 32748),
        (Hello(message=1000), 16, 1000),
        (Hello(message=104857600), 16, 4194304),
        (Hello(heartbeat=1), 96, 300),
        (Hello(heartbeat=999), 96, 999),
        (Hello(conversations=0), 128, 0),
        (Hello(conversations=3), 128, 3),
    ],
)
def test_the_smaller_size_and_the_longer_interval_are_agreed_on(
    qm: QueueManager, hello: Hello, at: int, agreed: int
) -> None:
    assert greeting(qm, hello, Wire(multiplexed=hello.conversations > 0)).long(at) == agreed


@pytest.mark.parametrize(("asked", "agreed"), [(17, 17), (12, 12), (99, 17)])
def test_the_lower_level_is_agreed_on(qm: QueueManager, asked: int, agreed: int) -> None:
    assert level_of(greeting(qm, Hello(level=asked))) == agreed


def test_segments_are_as_short_as_agreed(connecting: Connecting) -> None:
    client = connecting(hello=Hello(segment=1000))
    client.open("Q", MQOO.OUTPUT | MQOO.INPUT_SHARED)
    assert client.call(client.side.put(2, bytes(5000), pieces=10)).codes == OK
    assert client.get(2).count == 6


def test_a_heartbeat_is_answered(client: Client) -> None:
    answer = client.call(Wire(multiplexed=False).segment(HEARTBEAT, b"", 0x31))
    assert (answer.kind, answer.control) == (HEARTBEAT, 0x30), "as IBM's Java client answers one"


def test_conversations_share_a_connection_up_to_their_number(connecting: Connecting) -> None:
    client = connecting(hello=Hello(conversations=2))
    other = client.begin_conversation(3)
    assert other.connect().codes == OK
    assert other.open("Q", MQOO.OUTPUT).hobj == 2
    assert client.open("Q", MQOO.OUTPUT).hobj == 2
    other.end_conversation()
    assert client.begin_conversation(5).connect().codes == OK
    client.begin_conversation_without_answer(7)
    assert client.at_end()


def test_the_last_conversation_closes_the_connection(client: Client) -> None:
    client.disconnect()
    client.end_conversation(closes=True)
    assert client.at_end()


@pytest.fixture
def guarded() -> Iterator[QueueManager]:
    with queue_manager(["Q"], credentials=SECRETS, listen=0) as manager:
        yield manager


@pytest.mark.parametrize(
    ("credentials", "codes"),
    [(("ada", "secret"), OK), (("ada", "wrong"), REFUSED), (("bob", "secret"), REFUSED), (None, REFUSED)],
)
@pytest.mark.parametrize("token", [False, True])
def test_only_who_has_the_secret_connects(
    guarded: QueueManager, credentials: tuple[str, str] | None, codes: tuple[int, int], *, token: bool
) -> None:
    client = Client(port_of(guarded))
    client.greet()
    client.be_user("somebody")
    if credentials is not None:
        answer = client.sign_on(*credentials, token=token)
        assert (answer.kind, answer.body) == (0x05, b"")
    assert client.connect().codes == codes
    client.close()


def test_where_passwords_are_looked_at_a_level_is_agreed_on_that_does_not_protect_them(guarded: QueueManager) -> None:
    assert level_of(greeting(guarded)) == 12


def test_a_message_has_the_user_who_has_signed_on(guarded: QueueManager) -> None:
    client = Client(port_of(guarded))
    client.greet()
    client.be_user("somebody")
    client.sign_on("ada", "secret")
    client.connect()
    client.put1("Q", b"")
    client.close()
    assert [each.descriptor.user_identifier for each in guarded.messages("Q")] == ["ada"]


def test_a_message_has_the_user_whom_the_client_names_for_all_its_conversations(
    client: Client, qm: QueueManager
) -> None:
    client.be_user("grace")
    other = client.begin_conversation(3)
    other.connect()
    other.put1("Q", b"")
    assert [each.descriptor.user_identifier for each in qm.messages("Q")] == ["grace"]


def test_a_channel_has_tls_and_then_the_newest_level_although_passwords_are_looked_at(
    certificate: tuple[Path, Path],
) -> None:
    with queue_manager(["Q"], credentials=SECRETS) as qm:
        server = Server(qm.running, tls=tls_context(*certificate))
        server.start()
        client = Client(server.port, tls=ssl.create_default_context(cafile=certificate[0]))
        assert level_of(client.greet()) == 17
        client.sign_on("ada", "secret")
        assert client.connect().codes == OK
        client.open("Q", MQOO.OUTPUT)
        assert client.put(2, bytes(100_000)).codes == OK
        client.close()
        server.stop()
