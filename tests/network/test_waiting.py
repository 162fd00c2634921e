"""MQGETs that wait: what ends them, and that they block nobody else."""

from __future__ import annotations

import pytest

from fixtures.captures import SPI
from fixtures.channel_client import Client, Segments, connected, message_of
from oracle.mqi.constants import MQGMO, MQOO, MQPMO, MQRC
from oracle.mqi.layouts import MQGMO as GMO
from oracle.mqi.layouts import MQMD, MQRFH2
from oracle.standin.connections import known_handles
from oracle.testing import QueueManager, queue_manager
from tests.network.conftest import Connecting, port_of

BOTH = MQOO.INPUT_SHARED | MQOO.OUTPUT
WAITS = {"Options": MQGMO.WAIT, "WaitInterval": 30_000, "MatchOptions": 0}


def begin_to_wait(client: Client, qm: QueueManager, **gmo: int) -> None:
    """Send an MQGET that waits, and return when it does."""
    client.send(client.side.get(2, 100, gmo={**WAITS, **gmo}))
    qm.until_waiting()


def test_a_message_of_another_client_ends_a_wait(connecting: Connecting, qm: QueueManager) -> None:
    waiting, other = connecting(), connecting()
    waiting.open("Q", BOTH)
    begin_to_wait(waiting, qm)
    assert other.put1("Q", b"1").codes == (0, 0)
    assert message_of(waiting.receive())[1] == b"1"


def test_a_message_of_this_process_ends_a_wait(client: Client, qm: QueueManager) -> None:
    client.open("Q", BOTH)
    begin_to_wait(client, qm)
    qm.put("Q", b"1")
    assert message_of(client.receive())[1] == b"1"


def test_the_clock_ends_a_wait(client: Client, qm: QueueManager) -> None:
    client.open("Q", BOTH)
    begin_to_wait(client, qm)
    qm.advance(seconds=30)
    assert client.receive().codes == (2, MQRC.NO_MSG_AVAILABLE)


def test_a_clock_that_only_the_test_moves_ends_no_wait_by_itself() -> None:
    with queue_manager(["Q"], clock="manual", listen=0) as qm:
        client = Client(port_of(qm))
        client.greet()
        client.connect()
        client.open("Q", BOTH)
        begin_to_wait(client, qm, WaitInterval=1)
        assert qm.running.waiting() == 1
        qm.advance(tenths=1)
        assert client.receive().codes == (2, MQRC.NO_MSG_AVAILABLE)
        client.close()


def test_a_wait_ends_when_its_time_has_really_passed(client: Client, qm: QueueManager) -> None:
    client.open("Q", BOTH)
    assert client.get(2, {**WAITS, "WaitInterval": 20}).codes == (2, MQRC.NO_MSG_AVAILABLE)
    assert qm.seconds == 0.02


def test_a_real_clock_ends_a_wait_too() -> None:
    with queue_manager(["Q"], clock="real", listen=0) as qm:
        client = Client(port_of(qm))
        client.greet()
        client.connect()
        client.open("Q", BOTH)
        assert client.get(2, {**WAITS, "WaitInterval": 20}).codes == (2, MQRC.NO_MSG_AVAILABLE)
        assert qm.seconds >= 0.02
        client.close()


def test_a_wait_holds_up_no_other_conversation_of_its_connection(client: Client, qm: QueueManager) -> None:
    other = client.begin_conversation(3)
    other.connect()
    client.open("Q", BOTH)
    begin_to_wait(client, qm)
    reply = other.put1("OTHER", b"1")
    assert (reply.codes, reply.conversation) == ((0, 0), 3)
    qm.put("Q", b"2")
    reply = client.receive()
    assert (message_of(reply)[1], reply.conversation) == (b"2", 1)


def test_what_is_sent_behind_a_wait_is_carried_out_after_it(client: Client, qm: QueueManager) -> None:
    client.open("Q", BOTH)
    begin_to_wait(client, qm)
    client.send(client.side.put(2, b"later"))
    qm.put("Q", b"1")
    assert message_of(client.receive())[1] == b"1"
    assert client.receive().codes == (0, 0)
    assert [each.data for each in qm.messages("Q")] == [b"later"]


def test_a_client_that_is_gone_waits_no_more_and_is_backed_out(
    connecting: Connecting, qm: QueueManager, caplog: pytest.LogCaptureFixture
) -> None:
    before = known_handles()
    gone = connecting()
    gone.open("Q", BOTH)
    gone.put(2, b"1", pmo={"Options": MQPMO.SYNCPOINT})
    gone.open("OTHER", MQOO.INPUT_EXCLUSIVE)
    gone.send(gone.side.get(4, 100, gmo=WAITS))
    qm.until_waiting()
    gone.close()
    with qm.running.changed:
        assert qm.running.changed.wait_for(lambda: len(qm.running.state.connections) == 2, timeout=20)
    assert qm.running.waiting() == 0
    assert known_handles() == before
    assert qm.depth("Q") == 0
    assert connecting().open("OTHER", MQOO.INPUT_EXCLUSIVE).codes == (0, 0)
    (line,) = (record.getMessage() for record in caplog.records)
    assert line.endswith("the client has gone without MQDISC; its units of work are backed out")


def test_a_conversation_that_ends_without_mqdisc_is_backed_out(client: Client, qm: QueueManager) -> None:
    other = client.begin_conversation(3)
    other.connect()
    other.open("Q", BOTH)
    other.put(2, b"1", pmo={"Options": MQPMO.SYNCPOINT})
    other.end_conversation()
    client.open("OTHER", BOTH)
    assert qm.depth("Q") == 0


def test_the_end_of_the_queue_manager_ends_connections() -> None:
    with queue_manager(["Q"], listen=0) as qm:
        client = Client(port_of(qm))
        client.greet()
        client.connect()
        client.open("Q", BOTH)
        begin_to_wait(client, qm)
    assert client.at_end()
    client.close()


def test_a_priority_handle_and_a_group_are_kept(client: Client) -> None:
    client.open("Q", BOTH)
    grouped = {"Options": MQPMO.LOGICAL_ORDER}
    client.put(2, b"1", md={"MsgFlags": 8}, pmo=grouped)
    client.put(2, b"2", md={"MsgFlags": 16}, pmo=grouped)
    in_order = {"Options": MQGMO.LOGICAL_ORDER | MQGMO.ALL_MSGS_AVAILABLE, "Version": 2}
    found = [message_of(client.get(2, in_order)) for _ in range(2)]
    assert [(data, each["MsgSeqNumber"]) for each, data in found] == [(b"1", 1), (b"2", 2)]


def test_a_message_with_properties_that_is_too_long_for_a_buffer_is_told_as_any_other(
    client: Client, qm: QueueManager
) -> None:
    folder = b"<usr><colour>red</colour></usr> "
    header = MQRFH2.encode({"StrucLength": 36 + 4 + len(folder), "Format": "MQSTR"}, "little")
    data = header + len(folder).to_bytes(4, "little") + folder + bytes(100)
    client.open("Q", BOTH)
    begin_to_wait(client, qm)
    assert connected_put(qm, data) == (0, 0)
    refused = client.receive()
    assert refused.codes == (1, MQRC.TRUNCATED_MSG_FAILED)
    assert refused.data(MQMD, GMO) == (len(data), data[:100])
    assert message_of(client.get(2))[1] == data


def connected_put(qm: QueueManager, data: bytes) -> tuple[int, int]:
    with connected(port_of(qm)) as client:
        return client.put1("Q", data, md={"Format": "MQHRF2"}).codes


def connection_id(reply: Segments) -> bytes:
    """Return the identifier of a connection from the reply to its MQCONN."""
    return reply.body[148:172]


def cancel(client: Client, identifier: bytes, reason: int = 2107) -> Segments:
    """Cancel the call of a connection as Java clients do when they close a consumer."""
    return client.service(11, client.side.long(1, reason) + identifier)


def test_a_program_ends_a_wait_of_its_own_from_another_conversation(client: Client, qm: QueueManager) -> None:
    other = client.begin_conversation(3)
    identifier = connection_id(other.connect())
    other.open("Q", BOTH)
    begin_to_wait(other, qm)
    reply = cancel(client, identifier)
    assert (reply.codes, reply.conversation, len(reply.body)) == ((0, 0), 1, 16 + 24 + 12)
    ended = client.receive()
    assert (ended.codes, ended.conversation) == ((2, 2107), 3)
    assert qm.running.waiting() == 0
    qm.put("Q", b"1")
    assert qm.depth("Q") == 1, "nobody waits for it any more"
    assert other.put(2, b"2").codes == (0, 0)


def test_the_end_of_a_wait_that_is_none_changes_nothing(client: Client, qm: QueueManager) -> None:
    other = client.begin_conversation(3)
    identifier = connection_id(other.connect())
    other.open("Q", BOTH)
    assert cancel(client, identifier).codes == (0, 0)
    assert cancel(client, bytes(24)).codes == (0, 0)
    begin_to_wait(other, qm)
    assert cancel(client, bytes(24)).codes == (0, 0)
    assert qm.running.waiting() == 1
    qm.put("Q", b"1")
    assert message_of(client.receive())[1] == b"1"


def test_who_does_not_say_whose_wait_is_to_end_is_no_client(client: Client) -> None:
    client.send(client.side.call(SPI, client.side.long(11, 1, 12)))
    assert client.at_end()
