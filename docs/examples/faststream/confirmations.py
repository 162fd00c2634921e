"""Confirms orders: a FastStream application on IBM MQ. An order that fails three times is put aside."""

from __future__ import annotations

from faststream_mq import MQBroker
from faststream_mq.annotations import MQMessage

PRICES = {"tea": 3, "coffee": 4}
TRIES = 3


def new_broker() -> MQBroker:
    """Return the application; it connects when it is started."""
    broker = MQBroker("QM1", channel="APP.SVRCONN", conn_name="localhost(1414)")

    @broker.subscriber("ORDERS")
    async def confirm(order: str, message: MQMessage) -> None:
        answers = {"headers": {"customer": message.headers["customer"]}, "correlation_id": message.message_id}
        if message.raw_message.metadata.BackoutCount >= TRIES:
            await broker.publish(order, "FAILED", **answers)
        else:
            await broker.publish(f"{order}: {PRICES[order]} euros", "CONFIRMATIONS", **answers)

    return broker
