"""The calls of the MQI over a channel, however the client writes them."""

from __future__ import annotations

import pytest

from fixtures.captures import Wire
from fixtures.channel_client import Client, Hello, message_of
from oracle.mqi.constants import MQGMO, MQOO, MQPMO, MQRC
from oracle.mqi.layouts import EBCDIC
from oracle.mqi.layouts import MQGMO as GMO
from oracle.mqi.layouts import MQMD as MD
from oracle.mqi.layouts import MQOD as OD
from oracle.mqi.layouts import MQPMO as PMO
from oracle.testing import QueueManager, StandInWarning
from tests.network.conftest import Connecting

SIDES = [Wire(order, charset) for order in ("little", "big") for charset in ("ascii", EBCDIC)]
BOTH = MQOO.INPUT_SHARED | MQOO.OUTPUT
OK = (0, 0)


def failed(reason: int) -> tuple[int, int]:
    return (2, reason)


@pytest.mark.parametrize("side", SIDES, ids=str)
def test_a_message_passes_through_a_queue(connecting: Connecting, side: Wire) -> None:
    client = connecting(side)
    opened = client.open("Q", BOTH)
    assert (opened.codes, opened.hobj, opened.charset, opened.order) == (OK, 2, side.charset, side.order)
    put = client.put(2, b"the data", md={"Format": "MQSTR", "CorrelId": "07" * 24, "Priority": 3})
    assert put.codes == OK
    assert put.structure(PMO)["ResolvedQName"] == "Q"
    assert put.structure(PMO)["ResolvedQMgrName"] == "QM1"
    descriptor, data = message_of(client.get(2))
    assert data == b"the data"
    assert (descriptor["Format"], descriptor["CorrelId"], descriptor["Priority"]) == ("MQSTR", "07" * 24, 3)
    assert descriptor["MsgId"] == put.structure(MD)["MsgId"]
    assert (descriptor["PutApplName"], descriptor["PutApplType"]) == ("TESTER", 28)
    assert client.get(2).codes == failed(MQRC.NO_MSG_AVAILABLE)
    assert client.close_handle(2).codes == OK
    assert client.disconnect().codes == OK


@pytest.mark.parametrize("hello", [Hello(), Hello(level=8, conversations=0)], ids=["shared", "before V7"])
def test_a_client_that_shares_no_conversations_has_plain_headers(connecting: Connecting, hello: Hello) -> None:
    client = connecting(Wire(multiplexed=hello.conversations > 0), hello)
    opened = client.open("Q", BOTH)
    assert opened.codes == OK
    assert opened.conversation == (1 if hello.conversations else 0)


def test_handles_are_the_lowest_even_numbers_that_are_free(client: Client) -> None:
    assert [client.open("Q", BOTH).hobj for _ in range(3)] == [2, 4, 6]
    assert client.close_handle(4).hobj == -1
    assert client.open("OTHER", BOTH).hobj == 4
    assert client.close_handle(8).codes == failed(MQRC.HOBJ_ERROR)


def test_a_put_and_a_get_in_a_unit_of_work_end_with_it(client: Client, qm: QueueManager) -> None:
    client.open("Q", BOTH)
    client.put(2, b"1", pmo={"Options": MQPMO.SYNCPOINT})
    assert qm.messages("Q") == []
    assert client.back().codes == OK
    client.put(2, b"2", pmo={"Options": MQPMO.SYNCPOINT})
    assert client.commit().codes == OK
    descriptor, data = message_of(client.get(2, {"Options": MQGMO.SYNCPOINT}))
    assert (data, descriptor["BackoutCount"]) == (b"2", 0)
    client.back()
    assert message_of(client.get(2, {"Options": MQGMO.SYNCPOINT}))[0]["BackoutCount"] == 1


def test_a_browse_leaves_the_message(client: Client, qm: QueueManager) -> None:
    qm.put("Q", b"1")
    client.open("Q", MQOO.BROWSE)
    assert message_of(client.get(2, {"Options": MQGMO.BROWSE_FIRST}))[1] == b"1"
    assert client.get(2, {"Options": MQGMO.BROWSE_NEXT}).codes == failed(MQRC.NO_MSG_AVAILABLE)
    assert qm.depth("Q") == 1


def test_a_truncated_message_has_its_whole_length(client: Client, qm: QueueManager) -> None:
    qm.put("Q", b"0123456789")
    client.open("Q", BOTH)
    refused = client.get(2, room=4)
    assert refused.codes == (1, MQRC.TRUNCATED_MSG_FAILED)
    assert refused.data(MD, GMO) == (10, b"0123")
    taken = client.get(2, {"Options": MQGMO.ACCEPT_TRUNCATED_MSG}, room=4)
    assert taken.codes == (1, MQRC.TRUNCATED_MSG_ACCEPTED)
    assert taken.data(MD, GMO) == (10, b"0123")


def test_a_version_1_descriptor_stays_one(client: Client, qm: QueueManager) -> None:
    client.open("Q", BOTH)
    assert client.put(2, b"1", md={"Version": 1}).structure(MD)["Version"] == 1
    assert client.get(2, md={"Version": 1}).structure(MD)["Version"] == 1
    assert qm.depth("Q") == 0


def test_put1_needs_no_handle(client: Client, qm: QueueManager) -> None:
    assert client.put1("OTHER", b"1", md={"Expiry": 50}).codes == OK
    assert [each.descriptor.expiry for each in qm.messages("OTHER")] == [50]
    assert client.put1("NOWHERE", b"1").codes == failed(MQRC.UNKNOWN_OBJECT_NAME)


def test_a_dynamic_queue_has_the_name_that_the_reply_says(client: Client, qm: QueueManager) -> None:
    opened = client.open("SYSTEM.DEFAULT.MODEL.QUEUE", MQOO.INPUT_EXCLUSIVE, DynamicQName="ANSWERS.*")
    made = opened.structure(OD)
    assert str(made["ObjectName"]).startswith("ANSWERS.")
    assert made["ObjectQMgrName"] == "QM1"
    assert qm.depth(str(made["ObjectName"])) == 0


def test_attributes_are_inquired_and_set(client: Client, qm: QueueManager) -> None:
    client.open("Q", MQOO.INQUIRE | MQOO.SET)
    qm.put("Q", b"1")
    reply = client.inquire(2, 3, 2016, numbers=1, characters=48)
    assert (reply.codes, reply.long(16), reply.long(20), reply.long(24)) == (OK, 2, 1, 48)
    assert reply.long(36) == 1
    assert reply.body[40:] == b"Q".ljust(48)
    assert client.set(2, 10, 1).codes == OK
    assert client.put1("Q", b"").codes == failed(MQRC.PUT_INHIBITED)


def test_an_inquiry_with_room_to_spare_has_as_many_integers_as_there_is_room_for(client: Client) -> None:
    client.open("", MQOO.INQUIRE, ObjectType=5)
    reply = client.inquire(2, 31, 2015, numbers=3, characters=60)
    assert (reply.long(20), reply.long(24)) == (3, 48)
    assert reply.body[-48:] == b"QM1".ljust(48)


def test_the_queue_manager_says_what_java_clients_ask_when_they_connect(client: Client) -> None:
    client.open("", MQOO.INQUIRE, ObjectType=5)
    reply = client.inquire(2, 31, 32, 2, 2015, 2032, 273, numbers=4, characters=96)
    assert reply.codes == OK
    assert reply.long(28 + 24) >= 800
    assert reply.long(28 + 24 + 12) == 1


def test_a_queue_is_opened_through_the_service_interface(client: Client, qm: QueueManager) -> None:
    qm.alter("Q", DefPersistence=1)
    opened = client.service_open("Q", BOTH)
    assert (opened.codes, opened.hobj) == (OK, 2)
    assert opened.structure(OD)["ObjectName"] == "Q"
    lpoo = opened.body.index(b"LPOO")
    assert opened.long(lpoo + 16) == 1
    assert client.put(2, b"1").codes == OK


def test_a_queue_that_is_not_there_is_not_opened_through_the_service_interface(client: Client) -> None:
    opened = client.service_open("NOWHERE", BOTH)
    assert (opened.codes, opened.hobj) == (failed(MQRC.UNKNOWN_OBJECT_NAME), -1)


def test_the_service_interface_says_what_it_has(client: Client) -> None:
    reply = client.service(1)
    assert reply.codes == OK
    count = reply.long(reply.body.index(b"SPQO") + 12)
    assert count == 12


@pytest.mark.parametrize(
    ("verb", "told"),
    [
        (2, "verb 2 of the service interface, a put, as with a delivery delay, on"),
        (3, "interface, a get, on"),
        (7, "interface, MQSUB"),
        (12345, "verb 12345 of the service interface on"),
    ],
)
def test_what_the_service_interface_lacks_fails_with_a_reason_in_the_log(client: Client, verb: int, told: str) -> None:
    with pytest.warns(StandInWarning, match=told):
        assert client.service(verb).codes == failed(MQRC.FUNCTION_NOT_SUPPORTED)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (0x8E, "MQSUB"),
        (0x8F, "MQSUBRQ"),
        (0xA1, "xa_start"),
        (0xA3, "xa_open"),
        (0xA5, "xa_prepare"),
        (0xA6, "xa_commit"),
        (0xAA, "xa_complete"),
        (0xAB, None),
        (0x80, None),
    ],
)
def test_a_call_that_the_model_lacks_fails_by_its_name(client: Client, kind: int, name: str | None) -> None:
    if name is None:
        client.send(client.side.call(kind))
        assert client.at_end(), "this is no call"
        return
    with pytest.warns(StandInWarning, match=f"2298.: {name}\\b.* on a client channel"):
        assert client.call(client.side.call(kind)).codes == failed(MQRC.FUNCTION_NOT_SUPPORTED)


@pytest.mark.parametrize(("kind", "told"), [(0x8E, "MQSUB"), (0x8F, "MQSUBRQ")])
def test_who_subscribes_learns_what_to_do_instead(client: Client, kind: int, told: str) -> None:
    with pytest.warns(StandInWarning, match=f"{told} on a client channel: .*QueueManager.put"):
        assert client.call(client.side.call(kind)).codes == failed(MQRC.FUNCTION_NOT_SUPPORTED)


@pytest.mark.parametrize("through_service", [False, True])
def test_selection_strings_are_refused(client: Client, through_service: bool) -> None:
    selects = {"Version": 4, "SelectionString.VSOffset": 400, "SelectionString.VSLength": 9}
    opens = client.service_open if through_service else client.open
    with pytest.warns(StandInWarning, match="selection strings"):
        assert opens("Q", BOTH, **selects).codes == failed(MQRC.FUNCTION_NOT_SUPPORTED)


def test_calls_before_mqconn_and_after_mqdisc_have_no_connection(client: Client) -> None:
    client.disconnect()
    assert client.open("Q", BOTH).codes == failed(MQRC.HCONN_ERROR)
    assert client.get(2).codes == failed(MQRC.HCONN_ERROR)
    assert client.connect().codes == OK
    assert client.open("Q", BOTH).codes == OK


def test_mqdisc_commits(client: Client, qm: QueueManager) -> None:
    client.open("Q", BOTH)
    client.put(2, b"1", pmo={"Options": MQPMO.SYNCPOINT})
    client.disconnect()
    assert qm.depth("Q") == 1


def test_another_queue_manager_is_not_here(connecting: Connecting) -> None:
    client = connecting()
    client.disconnect()
    assert client.connect("QM2").codes == failed(MQRC.Q_MGR_NAME_ERROR)
    assert client.connect("QM1").codes == OK


def test_a_long_message_has_several_segments(client: Client) -> None:
    client.open("Q", BOTH)
    data = bytes(range(256)) * 4096
    assert client.put(2, data).codes == OK
    reply = client.get(2, room=1 << 21)
    assert reply.count > 30
    assert message_of(reply)[1] == data


@pytest.mark.parametrize("through_service", [False, True])
def test_context_is_passed_from_the_handle_that_the_client_names(
    client: Client, qm: QueueManager, through_service: bool
) -> None:
    qm.put("Q", b"1", options=MQPMO.SET_ALL_CONTEXT, user_identifier="ada")
    client.open("OTHER", MQOO.OUTPUT | MQOO.PASS_ALL_CONTEXT)
    if through_service:
        client.service_open("Q", MQOO.INPUT_SHARED, own=0x23)
    else:
        client.open("Q", MQOO.INPUT_SHARED | MQOO.SAVE_ALL_CONTEXT)
    client.get(4)
    put = client.put(2, b"2", pmo={"Options": MQPMO.PASS_ALL_CONTEXT, "Context": 4})
    assert (put.codes, put.structure(PMO)["Context"]) == (OK, 4)
    assert [each.descriptor.user_identifier for each in qm.messages("OTHER")] == ["ada"]


def test_an_asynchronous_put_has_no_reply(client: Client, qm: QueueManager, caplog: pytest.LogCaptureFixture) -> None:
    client.open("Q", MQOO.OUTPUT)
    client.send(client.side.put(2, b"1", pmo={"Options": MQPMO.ASYNC_RESPONSE}))
    assert client.close_handle(2).codes == OK
    assert qm.depth("Q") == 1
    client.send(client.side.put(2, b"1", pmo={"Options": MQPMO.ASYNC_RESPONSE}))
    assert client.open("Q", MQOO.OUTPUT).hobj == 2
    assert f"has failed with {MQRC.HOBJ_ERROR:d}; MQSTAT reports it to its client" in caplog.text
