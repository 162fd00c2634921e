"""Messages that clients have asked for in advance."""

from __future__ import annotations

import pytest

from fixtures.captures import Wire
from fixtures.channel_client import NOTIFICATION, Client, Segments
from oracle.mqi.constants import MQGMO, MQMO, MQOO, MQPMO, MQRC
from oracle.mqi.layouts import EBCDIC, MQMD
from oracle.testing import QueueManager, StandInWarning
from tests.network.conftest import Connecting

MESSAGE = 0x0D
CHECK_MESSAGE, STREAMING_FAILURE = 11, 14
BOTH = MQOO.INPUT_SHARED | MQOO.OUTPUT
WAITS = MQGMO.WAIT | MQGMO.NO_SYNCPOINT


def data_of(message: Segments) -> bytes:
    at = message.body.index("MD  ".encode(message.charset))
    return message.body[at + MQMD.length(int(message.structure(MQMD)["Version"])) :]


@pytest.mark.parametrize("side", [Wire(o, c) for o in ("little", "big") for c in ("ascii", EBCDIC)], ids=str)
def test_a_message_that_is_there_is_sent_at_once(connecting: Connecting, qm: QueueManager, side: Wire) -> None:
    qm.put("Q", b"the data", correl_id=b"\7" * 24)
    client = connecting(side)
    client.open("Q", BOTH)
    client.ask(2, WAITS, 1000, match=0)
    message = client.receive()
    assert (message.kind, message.request, message.long(4)) == (MESSAGE, 1, 2)
    assert message.structure(MQMD)["CorrelId"] == "07" * 24
    assert data_of(message) == b"the data"
    assert message.body[55:57] == "Q ".encode(side.charset)
    assert qm.depth("Q") == 0


def test_a_message_that_comes_is_sent_then(client: Client, qm: QueueManager) -> None:
    client.open("Q", BOTH)
    client.ask(2, WAITS, 30_000, match=0)
    qm.until_waiting()
    qm.put("Q", b"1")
    assert data_of(client.receive()) == b"1"
    client.ask(2, WAITS, 30_000)
    qm.until_waiting()
    qm.put("Q", b"2")
    message = client.receive()
    assert data_of(message) == b"2"
    assert message.body[54] == 0
    assert [message.long(at) for at in (8, 12)] == [2, 2]


def test_one_byte_asks_for_one_message_and_more_for_as_many_as_fit(client: Client, qm: QueueManager) -> None:
    for number in range(4):
        qm.put("Q", bytes([number]))
    client.open("Q", BOTH)
    client.ask(2, WAITS, 1000, match=0)
    assert data_of(client.receive()) == b"\0"
    assert qm.depth("Q") == 3
    client.ask(2, WAITS, 1000, length=500)
    assert [data_of(client.receive()) for _ in range(2)] == [b"\1", b"\2"]
    assert qm.depth("Q") == 1


def test_a_selection_holds_until_the_next(client: Client, qm: QueueManager) -> None:
    for number in (1, 2, 1):
        qm.put("Q", bytes([number]), correl_id=bytes([number]) * 24)
    client.open("Q", BOTH)
    client.ask(2, WAITS, 1000, match=MQMO.MATCH_CORREL_ID, identifiers=b"\1" * 24)
    assert data_of(client.receive()) == b"\1"
    client.ask(2, WAITS, 1000)
    assert data_of(client.receive()) == b"\1"
    client.ask(2, WAITS, 1000, match=0)
    assert data_of(client.receive()) == b"\2"


def test_who_asks_whether_there_is_a_message_is_answered_in_any_case(client: Client, qm: QueueManager) -> None:
    client.open("Q", BOTH)
    client.ask(2, MQGMO.NO_SYNCPOINT, match=0, confirm=True)
    answer = client.receive()
    assert (answer.kind, answer.request, answer.long(4), answer.long(8)) == (NOTIFICATION, 3, 2, CHECK_MESSAGE)
    qm.put("Q", b"1")
    client.ask(2, MQGMO.NO_SYNCPOINT, match=0, confirm=True)
    message = client.receive()
    assert (message.kind, message.request, data_of(message)) == (MESSAGE, 1, b"1")
    answer = client.receive()
    assert (answer.kind, answer.request, answer.long(8)) == (NOTIFICATION, 3, CHECK_MESSAGE)


def test_after_its_interval_a_request_is_over(client: Client, qm: QueueManager) -> None:
    client.open("Q", BOTH)
    client.ask(2, WAITS, 5_000, match=0)
    qm.until_waiting()
    qm.advance(seconds=5)
    qm.put("Q", b"1")
    client.ask(2, MQGMO.NO_SYNCPOINT, confirm=True)
    assert data_of(client.receive()) == b"1"
    assert client.receive().request == 3


def test_a_request_that_does_not_wait_stays_until_there_is_a_message(client: Client, qm: QueueManager) -> None:
    client.open("Q", BOTH)
    client.tell_state(2)
    client.ask(2, MQGMO.NO_SYNCPOINT, match=0)
    qm.until_waiting()
    qm.advance(seconds=1000)
    qm.put("Q", b"1")
    assert data_of(client.receive()) == b"1"


def test_a_request_that_waits_for_no_time_stays_too(client: Client, qm: QueueManager) -> None:
    """A connection consumer of JMS asks so: it browses what is to come, in pieces of no length."""
    client.open("Q", MQOO.INPUT_SHARED | MQOO.BROWSE)
    client.ask(2, MQGMO.WAIT | MQGMO.BROWSE_FIRST | MQGMO.ACCEPT_TRUNCATED_MSG, 0, match=0)
    qm.until_waiting()
    qm.advance(seconds=1000)
    qm.put("Q", b"1")
    assert data_of(client.receive()) == b"1"


def test_consumers_that_are_stopped_get_nothing_until_they_ask_anew(client: Client, qm: QueueManager) -> None:
    client.open("Q", BOTH)
    client.ask(2, MQGMO.NO_SYNCPOINT, match=0)
    qm.until_waiting()
    client.tell_state(3, confirm=True)
    answer = client.receive()
    assert (answer.kind, answer.request, answer.long(8)) == (NOTIFICATION, 3, 4)
    qm.put("Q", b"1")
    assert client.put(2, b"2").codes == (0, 0)
    client.tell_state(2)
    client.ask(2, MQGMO.NO_SYNCPOINT)
    assert data_of(client.receive()) == b"1"


def test_a_message_in_a_unit_of_work_comes_again_after_a_backout(client: Client, qm: QueueManager) -> None:
    qm.put("Q", b"1")
    client.open("Q", BOTH)
    client.ask(2, MQGMO.SYNCPOINT | MQGMO.WAIT, 1000, match=0)
    assert client.receive().structure(MQMD)["BackoutCount"] == 0
    client.back()
    client.ask(2, MQGMO.SYNCPOINT | MQGMO.WAIT, 1000)
    assert client.receive().structure(MQMD)["BackoutCount"] == 1
    client.commit()
    assert qm.depth("Q") == 0


def test_an_uncommitted_message_is_sent_when_it_is_committed(connecting: Connecting, qm: QueueManager) -> None:
    client, other = connecting(), connecting()
    client.open("Q", BOTH)
    client.ask(2, WAITS, 30_000, match=0)
    qm.until_waiting()
    other.open("Q", BOTH)
    other.put(2, b"1", pmo={"Options": MQPMO.SYNCPOINT})
    assert qm.running.waiting() == 1
    other.commit()
    assert data_of(client.receive()) == b"1"


def test_a_message_that_is_unlocked_is_sent(connecting: Connecting, qm: QueueManager) -> None:
    qm.put("Q", b"1")
    client, other = connecting(), connecting()
    other.open("Q", MQOO.BROWSE)
    other.get(2, {"Options": MQGMO.BROWSE_FIRST | MQGMO.LOCK})
    client.open("Q", MQOO.INPUT_SHARED)
    client.ask(2, WAITS, 30_000, match=0)
    qm.until_waiting()
    other.get(2, {"Options": MQGMO.UNLOCK})
    assert data_of(client.receive()) == b"1"


def test_several_consumers_of_a_connection_are_served(client: Client, qm: QueueManager) -> None:
    for name in ("Q", "OTHER"):
        client.open(name, MQOO.INPUT_SHARED)
    client.ask(2, WAITS, 30_000, match=0)
    client.ask(4, WAITS, 30_000, match=0)
    qm.until_waiting(2)
    qm.put("OTHER", b"2")
    assert client.receive().long(4) == 4
    qm.put("Q", b"1")
    assert client.receive().long(4) == 2


def test_a_browsing_consumer_leaves_the_messages(client: Client, qm: QueueManager) -> None:
    for number in range(2):
        qm.put("Q", bytes([number]))
    client.open("Q", MQOO.BROWSE)
    client.ask(2, MQGMO.BROWSE_NEXT, match=0, length=10_000)
    assert [data_of(client.receive()) for _ in range(2)] == [b"\0", b"\1"]
    assert qm.depth("Q") == 2


def test_a_long_message_is_sent_in_several_segments(client: Client, qm: QueueManager) -> None:
    data = bytes(range(256)) * 1000
    qm.put("Q", data)
    client.open("Q", BOTH)
    client.ask(2, WAITS, 1000, match=0)
    message = client.receive()
    assert message.count == 8
    assert data_of(message) == data
    assert (message.long(28), message.long(32)) == (len(data), len(data))
    assert message.long(16) + sum(message.lengths) == len(data)


def test_a_handle_on_which_messages_were_asked_for_comes_back_when_it_is_closed(
    client: Client, qm: QueueManager
) -> None:
    client.open("Q", BOTH)
    client.ask(2, WAITS, 30_000, match=0)
    qm.until_waiting()
    closed = client.close_handle(2)
    assert (closed.codes, closed.hobj) == ((0, 0), 2)
    assert qm.running.waiting() == 0
    qm.put("Q", b"1")
    assert client.open("Q", BOTH).hobj == 2


@pytest.mark.parametrize(
    ("options", "hobj", "reason"),
    [(MQOO.OUTPUT, 2, MQRC.NOT_OPEN_FOR_INPUT), (BOTH, 8, MQRC.HOBJ_ERROR)],
    ids=["not for input", "no handle"],
)
def test_a_request_that_cannot_be_served_is_told(client: Client, options: int, hobj: int, reason: int) -> None:
    client.open("Q", options)
    client.ask(hobj, WAITS, 1000, match=0)
    told = client.receive()
    assert (told.kind, told.long(4), told.long(8), told.long(12)) == (NOTIFICATION, hobj, STREAMING_FAILURE, reason)


def test_a_signal_cannot_be_asked_for(client: Client) -> None:
    client.open("Q", BOTH)

    def asked() -> int:
        client.ask(2, MQGMO.SET_SIGNAL, match=0)
        return client.receive().long(12)

    with pytest.warns(StandInWarning, match="SET_SIGNAL"):
        assert asked() == MQRC.FUNCTION_NOT_SUPPORTED


def test_a_consumer_that_wants_version_1_gets_group_fields_before_the_data(client: Client) -> None:
    client.open("Q", BOTH)
    client.put(2, b"1", md={"MsgFlags": 24, "GroupId": "05" * 24, "MsgSeqNumber": 3})
    body = client.side.long(1, 2, 0, 1, -1, MQGMO.NO_SYNCPOINT, 0, 0, 0x10, 0) + b"\1\0\1\0"
    client.send(client.side.segment(0x0E, body + client.side.long(819, 546, 1, 0, 0), request=1))
    message = client.receive()
    assert message.structure(MQMD)["Version"] == 1
    assert data_of(message)[:4] == b"MDE "
