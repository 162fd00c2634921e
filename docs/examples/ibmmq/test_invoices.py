"""Unit tests of the bookkeeper, on the oracle."""

from __future__ import annotations

import ibmmq as mq
import pytest
from ibmmq import CMQC
from invoices import Bookkeeper

from oracle.testing import QueueManager

pytestmark = pytest.mark.mq_queue_manager(
    {"name": "INVOICES", "BackoutThreshold": 2, "BackoutRequeueQName": "FAILED"}, "FAILED"
)


@pytest.fixture
def manager(mq_queue_manager: QueueManager) -> mq.QueueManager:
    return mq.connect("QM1", "APP.SVRCONN", "localhost(1414)")


class Sender:
    """Puts the messages of invoices in logical order."""

    def __init__(self, manager: mq.QueueManager) -> None:
        self._queue = mq.Queue(manager, "INVOICES", CMQC.MQOO_OUTPUT)

    def send(self, data: bytes, *, last: bool = False) -> None:
        flags = CMQC.MQMF_LAST_MSG_IN_GROUP if last else CMQC.MQMF_MSG_IN_GROUP
        pmo = mq.PMO(Options=CMQC.MQPMO_LOGICAL_ORDER | CMQC.MQPMO_NO_SYNCPOINT)
        self._queue.put(data, mq.MD(MsgFlags=flags), pmo)


def test_an_invoice_is_booked_when_it_is_whole(mq_queue_manager: QueueManager, manager: mq.QueueManager) -> None:
    booked: list[list[bytes]] = []
    bookkeeper = Bookkeeper(manager, "INVOICES", booked.append)
    sender = Sender(manager)
    sender.send(b"head")
    sender.send(b"line")
    assert not bookkeeper.step()
    sender.send(b"total", last=True)
    assert bookkeeper.step()
    assert booked == [[b"head", b"line", b"total"]]
    assert mq_queue_manager.depth("INVOICES") == 0


def test_parts_of_two_invoices_are_not_mixed(mq_queue_manager: QueueManager, manager: mq.QueueManager) -> None:
    booked: list[list[bytes]] = []
    bookkeeper = Bookkeeper(manager, "INVOICES", booked.append)
    one, two = Sender(manager), Sender(manager)
    one.send(b"1 head")
    two.send(b"2 head")
    two.send(b"2 total", last=True)
    one.send(b"1 total", last=True)
    assert [bookkeeper.step(), bookkeeper.step()] == [True, True]
    assert booked == [[b"1 head", b"1 total"], [b"2 head", b"2 total"]]


def test_an_invoice_that_fails_again_and_again_is_moved_aside(
    mq_queue_manager: QueueManager, manager: mq.QueueManager
) -> None:
    tried: list[list[bytes]] = []

    def fails(parts: list[bytes]) -> None:
        tried.append(parts)
        raise ValueError

    sender = Sender(manager)
    sender.send(b"head")
    sender.send(b"total", last=True)
    bookkeeper = Bookkeeper(manager, "INVOICES", fails)
    assert [bookkeeper.step() for _ in range(3)] == [False, False, True]
    assert tried == [[b"head", b"total"]] * 2
    moved = mq_queue_manager.messages("FAILED")
    assert [message.data for message in moved] == [b"head", b"total"]
    assert [message.descriptor.msg_seq_number for message in moved] == [1, 2]
    assert mq_queue_manager.depth("INVOICES") == 0
