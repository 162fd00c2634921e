"""Unit tests of the worker, on the oracle."""

from __future__ import annotations

import threading

import ibmmq as mq
import pytest
from worker import CannotNow, Worker

from oracle.testing import QueueManager

pytestmark = pytest.mark.mq_queue_manager("ORDERS")


@pytest.fixture
def manager(mq_queue_manager: QueueManager) -> mq.QueueManager:
    return mq.connect("QM1", "APP.SVRCONN", "localhost(1414)")


def test_orders_are_carried_out_by_priority(mq_queue_manager: QueueManager, manager: mq.QueueManager) -> None:
    done: list[bytes] = []
    worker = Worker(manager, "ORDERS", done.append)
    mq_queue_manager.put("ORDERS", b"ordinary")
    mq_queue_manager.put("ORDERS", b"urgent", priority=7)
    assert [worker.step(), worker.step(), worker.step()] == [True, True, False]
    assert done == [b"urgent", b"ordinary"]
    assert mq_queue_manager.depth("ORDERS") == 0


def test_no_worker_takes_what_another_is_at(mq_queue_manager: QueueManager, manager: mq.QueueManager) -> None:
    done: list[bytes] = []
    second = Worker(manager, "ORDERS", done.append)
    first = Worker(manager, "ORDERS", lambda order: (second.step(), done.append(order)))
    mq_queue_manager.put("ORDERS", b"1")
    mq_queue_manager.put("ORDERS", b"2")
    assert first.step()
    assert done == [b"2", b"1"]


def test_an_order_that_cannot_be_carried_out_stays(mq_queue_manager: QueueManager, manager: mq.QueueManager) -> None:
    def cannot(order: bytes) -> None:
        raise CannotNow

    mq_queue_manager.put("ORDERS", b"later")
    assert not Worker(manager, "ORDERS", cannot).step()
    done: list[bytes] = []
    assert Worker(manager, "ORDERS", done.append).step()
    assert done == [b"later"]


def test_an_order_of_a_worker_that_dies_is_free_again(mq_queue_manager: QueueManager, manager: mq.QueueManager) -> None:
    def dies(order: bytes) -> None:
        raise RuntimeError

    mq_queue_manager.put("ORDERS", b"order")
    worker = Worker(manager, "ORDERS", dies)
    with pytest.raises(RuntimeError):
        worker.step()
    done: list[bytes] = []
    next_worker = Worker(manager, "ORDERS", done.append)
    assert not next_worker.step()
    worker.close()
    assert next_worker.step()


def test_an_order_that_is_out_of_date_is_not_carried_out(
    mq_queue_manager: QueueManager, manager: mq.QueueManager
) -> None:
    done: list[bytes] = []
    worker = Worker(manager, "ORDERS", done.append)
    mq_queue_manager.put("ORDERS", b"while it is hot", expiry=600)
    mq_queue_manager.advance(seconds=70)
    assert not worker.step()
    assert done == []


def test_long_orders_arrive_whole(mq_queue_manager: QueueManager, manager: mq.QueueManager) -> None:
    done: list[bytes] = []
    mq_queue_manager.put("ORDERS", b"x" * 100_000)
    assert Worker(manager, "ORDERS", done.append).step()
    assert done == [b"x" * 100_000]


def test_a_worker_in_a_thread_of_its_own(mq_queue_manager: QueueManager) -> None:
    done: list[bytes] = []

    def work() -> None:
        worker = Worker(mq.connect("QM1", "APP.SVRCONN", "localhost(1414)"), "ORDERS", done.append)
        while worker.step(seconds=30):
            pass

    thread = threading.Thread(target=work)
    thread.start()
    mq_queue_manager.until_waiting()
    mq_queue_manager.put("ORDERS", b"while it waits")
    mq_queue_manager.until_waiting()
    assert done == [b"while it waits"]
    mq_queue_manager.advance(seconds=31)
    thread.join(timeout=20)
    assert not thread.is_alive()
