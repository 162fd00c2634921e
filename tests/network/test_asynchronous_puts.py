"""Puts without a reply: their identifiers are reserved, and MQSTAT and the commit report their outcomes."""

from __future__ import annotations

import pytest

from fixtures.captures import MQPUT1, Values, Wire
from fixtures.channel_client import Client, Segments, message_of
from oracle.mqi.connection_layouts import MQSTS
from oracle.mqi.constants import MQGMO, MQOO, MQPMO, MQRC
from oracle.mqi.layouts import EBCDIC, MQMD, MQOD
from oracle.mqi.layouts import MQPMO as PMO
from oracle.testing import QueueManager, StandInWarning
from tests.network.conftest import Connecting

OK = (0, 0)
STAT, RESERVE = 0x8D, 6
SIDES = [Wire(order, charset) for order in ("little", "big") for charset in ("ascii", EBCDIC)]
IN_UNIT = MQPMO.SYNCPOINT | MQPMO.ASYNC_RESPONSE
ALONE = MQPMO.NO_SYNCPOINT | MQPMO.ASYNC_RESPONSE


def put(client: Client, queue: str, options: int = IN_UNIT, persistence: int = 1, **md: int | str) -> None:
    """Put a message by MQPUT1 as JMS clients do in transacted sessions."""
    side = client.side
    structures = (
        side.structure(MQOD, {"ObjectName": queue}),
        side.structure(MQMD, {"Version": 2, "Persistence": persistence, **md}),
        side.structure(PMO, {"Version": 1, "Options": options}),
    )
    client.send(side.call(MQPUT1, b"".join(structures) + side.long(1) + b"1"))


def status(client: Client, version: int = 1, kind: int = 0) -> Segments:
    """Carry out an MQSTAT."""
    side = client.side
    return client.call(side.call(STAT, side.long(kind) + side.structure(MQSTS, {"Version": version})))


def told(client: Client, *members: str) -> list[int | str]:
    values: Values = status(client).structure(MQSTS)
    return [values[member] for member in members]


@pytest.fixture
def small(qm: QueueManager) -> str:
    """Return the name of a queue in which there is no room."""
    qm.alter("OTHER", MaxQDepth=1)
    qm.put("OTHER", b"0")
    return "OTHER"


def reserved(client: Client) -> tuple[int, int, bytes]:
    reply = client.service(RESERVE, client.side.long(24, 0xFFFFFF))
    assert reply.codes == OK
    at = reply.body.index("SPRO".encode(reply.charset))
    assert (reply.long(at + 4), reply.long(at + 8), len(reply.body)) == (1, 44, at + 44)
    return reply.long(at + 12), reply.long(at + 16), reply.body[at + 20 :]


@pytest.mark.parametrize("side", SIDES, ids=str)
def test_reserved_identifiers_are_nobody_else_s(connecting: Connecting, side: Wire) -> None:
    client, other = connecting(side), connecting()
    count, counted_before, first = reserved(client)
    assert (count, counted_before, len(first), first[-1]) == (256, 24, 24, 0)
    assert first.startswith(b"AMQ QM1")
    second = reserved(other)[2]
    assert int.from_bytes(second, "big") - int.from_bytes(first, "big") >= count
    made = other.put1("Q", b"1").structure(MQMD)["MsgId"]
    assert int(str(made), 16) - int.from_bytes(second, "big") >= count


def test_a_message_has_the_identifier_that_its_client_gives_it(client: Client, qm: QueueManager) -> None:
    first = reserved(client)[2]
    put(client, "Q", MsgId=first.hex())
    assert client.commit().codes == OK
    assert [each.descriptor.msg_id for each in qm.messages("Q")] == [first]


@pytest.mark.parametrize("side", SIDES, ids=str)
def test_mqstat_counts_and_then_forgets(connecting: Connecting, small: str, side: Wire) -> None:
    client = connecting(side)
    for queue in ("Q", small, "Q", "NOWHERE"):
        put(client, queue, ALONE)
    counts = ("PutSuccessCount", "PutWarningCount", "PutFailureCount", "CompCode", "Reason")
    assert told(client, *counts, "ObjectType", "ObjectName", "ResolvedQMgrName") == [
        2,
        0,
        2,
        2,
        MQRC.Q_FULL,
        1,
        small,
        "QM1",
    ]
    assert told(client, *counts, "ObjectName") == [0, 0, 0, 0, 0, ""]


def test_mqstat_has_two_versions(client: Client) -> None:
    reply = status(client, version=2)
    assert (reply.codes, len(reply.body)) == (OK, 16 + 4 + 272)
    assert len(status(client).body) == 16 + 4 + 224


def test_mqstat_names_the_queue_of_a_handle(client: Client, small: str) -> None:
    client.open(small, MQOO.OUTPUT)
    client.send(client.side.put(2, b"1", pmo={"Options": ALONE}))
    assert told(client, "Reason", "ObjectName") == [MQRC.Q_FULL, small]
    client.send(client.side.put(8, b"1", pmo={"Options": ALONE}))
    assert told(client, "Reason", "ObjectName") == [MQRC.HOBJ_ERROR, ""]


@pytest.mark.parametrize("kind", [1, 2])
def test_mqstat_says_nothing_of_reconnection(client: Client, kind: int) -> None:
    with pytest.warns(StandInWarning, match=f"MQSTAT of type {kind}"):
        assert status(client, kind=kind).codes == (2, MQRC.FUNCTION_NOT_SUPPORTED)


def test_before_mqconn_nothing_is_reserved_or_told(client: Client) -> None:
    client.disconnect()
    assert client.service(RESERVE, client.side.long(24, 1)).codes == (2, MQRC.HCONN_ERROR)
    assert status(client).codes == (2, MQRC.HCONN_ERROR)


@pytest.mark.parametrize("ends", ["commit", "disconnect"])
def test_a_unit_of_work_of_which_a_persistent_message_was_not_put_is_backed_out(
    client: Client, qm: QueueManager, small: str, ends: str
) -> None:
    put(client, "Q")
    put(client, small)
    assert (client.commit() if ends == "commit" else client.disconnect()).codes == (1, MQRC.BACKED_OUT)
    assert qm.depth("Q") == 0
    if ends == "disconnect":
        client.connect()
    put(client, "Q")
    assert client.commit().codes == OK
    assert qm.depth("Q") == 1


@pytest.mark.parametrize(("options", "persistence"), [(IN_UNIT, 0), (IN_UNIT, 2), (ALONE, 1)])
def test_a_message_that_is_not_persistent_or_alone_dooms_no_unit_of_work(
    client: Client, qm: QueueManager, small: str, options: int, persistence: int
) -> None:
    put(client, "Q")
    put(client, small, options, persistence)
    assert client.commit().codes == OK
    assert qm.depth("Q") == 1


def test_a_queue_s_persistence_dooms_too(client: Client, qm: QueueManager, small: str) -> None:
    qm.alter(small, DefPersistence=1)
    put(client, "Q")
    put(client, small, persistence=2)
    told(client, "Reason")
    assert client.commit().codes == (1, MQRC.BACKED_OUT), "MQSTAT does not change the unit of work"


def test_a_backout_ends_what_dooms_a_unit_of_work(client: Client, qm: QueueManager, small: str) -> None:
    put(client, small)
    assert client.back().codes == OK
    put(client, "Q")
    assert client.commit().codes == OK
    client.open("Q", MQOO.INPUT_SHARED)
    assert message_of(client.get(2, {"Options": MQGMO.NO_SYNCPOINT}))[1] == b"1"
    assert qm.depth(small) == 1
