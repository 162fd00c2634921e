"""Unit tests of the application, on the oracle."""

from __future__ import annotations

import asyncio

import pytest
from confirmations import new_broker

from oracle.testing import QueueManager

pytestmark = pytest.mark.mq_queue_manager("ORDERS", "CONFIRMATIONS", "FAILED")


def run(qm: QueueManager) -> None:
    """Run the application until it waits for orders."""

    async def until_it_waits() -> None:
        async with new_broker() as broker:
            await broker.start()
            await asyncio.to_thread(qm.until_waiting)

    asyncio.run(until_it_waits())


def test_an_order_is_confirmed_to_its_customer(mq_queue_manager: QueueManager) -> None:
    order = mq_queue_manager.put("ORDERS", "tea", properties={"customer": "Ada"})
    run(mq_queue_manager)
    (confirmation,) = mq_queue_manager.messages("CONFIRMATIONS")
    assert (confirmation.data, confirmation.correl_id) == (b"tea: 3 euros", order)
    assert confirmation.properties["customer"] == "Ada"


def test_an_order_that_fails_is_tried_again_and_then_put_aside(mq_queue_manager: QueueManager) -> None:
    for order in ("milk", "coffee"):
        mq_queue_manager.put("ORDERS", order, properties={"customer": "Ada"})
    run(mq_queue_manager)
    assert [message.data for message in mq_queue_manager.messages("FAILED")] == [b"milk"]
    assert [message.data for message in mq_queue_manager.messages("CONFIRMATIONS")] == [b"coffee: 4 euros"]
    assert mq_queue_manager.depth("ORDERS") == 0
