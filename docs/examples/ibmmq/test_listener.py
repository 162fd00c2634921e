"""Unit tests of the listener, on the oracle."""

from __future__ import annotations

import ibmmq as mq
import pytest
from listener import Listener, start, stop

from oracle.testing import QueueManager

pytestmark = pytest.mark.mq_queue_manager("ORDERS", "PAYMENTS")


def connected() -> mq.QueueManager:
    return mq.connect("QM1", "APP.SVRCONN", "localhost(1414)")


def test_messages_are_handled_as_they_come(mq_queue_manager: QueueManager) -> None:
    manager, handled = connected(), []
    Listener(manager, "ORDERS", lambda order: handled.append(order) or True)
    start(manager)
    mq_queue_manager.put("ORDERS", b"1")
    mq_queue_manager.put("ORDERS", b"2")
    mq_queue_manager.until_waiting()
    assert handled == [b"1", b"2"]


def test_what_cannot_be_handled_comes_again(mq_queue_manager: QueueManager) -> None:
    manager, tries = connected(), []

    def handle(order: bytes) -> bool:
        tries.append(order)
        if len(tries) < 3:
            raise ValueError(order)
        return True

    Listener(manager, "ORDERS", handle)
    mq_queue_manager.put("ORDERS", b"1")
    start(manager)
    mq_queue_manager.until_waiting()
    stop(manager)
    assert tries == [b"1"] * 3
    assert mq_queue_manager.depth("ORDERS") == 0


def paid_while_an_order_is_open(qm: QueueManager, orders: mq.QueueManager, payments: mq.QueueManager) -> list[bytes]:
    """Return the orders that are still there after one was begun, a payment was made, and the program died."""
    Listener(orders, "ORDERS", lambda order: False)  # it has not finished when it returns
    Listener(payments, "PAYMENTS", lambda payment: True)
    for manager in {orders, payments}:
        start(manager)
    qm.put("ORDERS", b"an order")
    qm.until_waiting(len({orders, payments}))
    qm.put("PAYMENTS", b"a payment")
    qm.until_waiting(len({orders, payments}))
    stop(orders)
    orders.backout()
    return [message.data for message in qm.messages("ORDERS")]


def test_on_one_connection_a_payment_commits_the_order_that_is_open(mq_queue_manager: QueueManager) -> None:
    manager = connected()
    assert paid_while_an_order_is_open(mq_queue_manager, manager, manager) == []


def test_with_a_connection_each_the_order_is_not_lost(mq_queue_manager: QueueManager) -> None:
    assert paid_while_an_order_is_open(mq_queue_manager, connected(), connected()) == [b"an order"]
