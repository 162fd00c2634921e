"""`faststream-mq`, the IBM MQ broker of FastStream: publish, subscribe, request and reply, and what happens on errors.

Each application runs until it waits for messages: its subscribers have nothing more to do then.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from oracle.testing import QueueManager, queue_manager

MODEL = "DEV.APP.MODEL.QUEUE"
SIGN_ON = {"username": "app", "password": "secret"}
LONG = "x" * 500
"""Longer than the 64 bytes for which FastStream asks at first."""


@pytest.fixture
def qm() -> Iterator[QueueManager]:
    queues: list[str | dict[str, str]] = ["IN", "OUT", "RPC", {"name": MODEL, "type": "model"}]
    with queue_manager(queues, credentials={"app": "secret"}) as manager:
        yield manager


@pytest.fixture
def fs() -> Any:
    return importlib.import_module("faststream_mq")


@pytest.fixture
def broker(qm: QueueManager, fs: Any) -> Any:
    return fs.MQBroker("QM1", wait_interval=0.2, **SIGN_ON)


@pytest.fixture
def context() -> Any:
    """Return the default of a parameter that FastStream fills in by its name."""
    return importlib.import_module("faststream").Context()


Program = Callable[[], Awaitable[Any]]


def run(broker: Any, program: Program, qm: QueueManager | None = None, subscribers: int = 0) -> Any:
    """Start the application, run a program beside it, and let the subscribers finish."""

    async def both() -> Any:
        async with broker:
            await broker.start()
            result = await program()
            if qm is not None:
                await asyncio.to_thread(qm.until_waiting, subscribers)
            return result

    return asyncio.run(both())


def test_what_is_published_is_on_the_queue(qm: QueueManager, broker: Any) -> None:
    async def publish() -> None:
        await broker.publish(
            {"amount": 3},
            "OUT",
            headers={"colour": "blue", "a-b": "c"},
            priority=7,
            persistence=True,
            expiry=100,
            correlation_id="41" * 24,
            reply_to="IN",
        )

    run(broker, publish)
    (message,) = qm.messages("OUT")
    assert message.data == b'{"amount":3}'
    assert message.properties["colour"] == "blue"
    assert message.properties["a_dash_b"] == "c"
    assert (message.priority, message.persistence, message.expiry) == (7, 1, 100)
    assert (message.correl_id, message.reply_to_q, message.reply_to_q_mgr) == (b"A" * 24, "IN", "QM1")
    assert message.user_identifier == "app"


def test_a_subscriber_publishes_what_it_makes_of_each_message(qm: QueueManager, broker: Any, context: Any) -> None:
    seen: list[dict[str, str]] = []

    @broker.subscriber("IN")  # type: ignore[untyped-decorator]  # FastStream is not installed where types are checked
    @broker.publisher("OUT")  # type: ignore[untyped-decorator]  # likewise
    async def louder(body: str, message: Any = context) -> str:
        seen.append(message.headers)
        return body.upper()

    async def publish() -> None:
        await broker.publish("one", "IN", headers={"first": "1", "long": LONG, "last": "9"})
        await broker.publish("two", "IN")

    run(broker, publish, qm, 1)
    assert [message.data for message in qm.messages("OUT")] == [b"ONE", b"TWO"]
    assert {name: seen[0][name] for name in ("first", "long", "last")} == {"first": "1", "long": LONG, "last": "9"}
    assert qm.depth("IN") == 0


def test_a_request_is_answered_on_a_dynamic_queue(qm: QueueManager, broker: Any, context: Any) -> None:
    asked: list[str] = []

    @broker.subscriber("RPC")  # type: ignore[untyped-decorator]  # FastStream is not installed where types are checked
    async def add(numbers: list[int], message: Any = context) -> int:
        asked.append(message.reply_to)
        return sum(numbers)

    async def request() -> Any:
        return await broker.request([1, 2, 3], "RPC", timeout=20)

    reply = run(broker, request)
    assert reply.body == b"6"
    assert asked[0].startswith("FASTSTREAM.REPLY.")
    assert not qm.running.state.is_defined(asked[0])  # a temporary dynamic queue goes when it is closed


def test_a_request_that_nobody_answers_ends(qm: QueueManager, broker: Any) -> None:
    async def request() -> Any:
        with pytest.raises(TimeoutError):
            await broker.request("?", "OUT", timeout=0.3)

    run(broker, request)
    assert qm.depth("OUT") == 1


def test_after_an_exception_the_message_comes_again(qm: QueueManager, broker: Any, context: Any) -> None:
    tries: list[int] = []

    @broker.subscriber("IN")  # type: ignore[untyped-decorator]  # FastStream is not installed where types are checked
    async def third_time(body: str, message: Any = context) -> None:
        tries.append(message.raw_message.metadata.BackoutCount)
        if len(tries) < 3:
            raise ValueError(body)
        await broker.publish(body, "OUT")

    async def publish() -> None:
        await broker.publish("fragile", "IN")

    run(broker, publish, qm, 1)
    assert tries == [0, 1, 2]
    assert [message.data for message in qm.messages("OUT")] == [b"fragile"]
    assert qm.depth("IN") == 0


def test_a_subscriber_of_a_queue_that_is_not_there_says_so(broker: Any) -> None:
    @broker.subscriber("NOT.THERE")  # type: ignore[untyped-decorator]  # as above
    async def never(body: str) -> None:
        raise AssertionError(body)

    async def nothing() -> None:
        raise AssertionError("the broker started")

    mq: Any = importlib.import_module("ibmmq")
    with pytest.raises(mq.MQMIError) as failed:
        run(broker, nothing)
    assert failed.value.reason == mq.CMQC.MQRC_UNKNOWN_OBJECT_NAME


@pytest.mark.parametrize(("how", "seen"), [("ack", [0]), ("nack", [0, 1, 2]), ("reject", [0])])
def test_messages_are_settled_by_hand(qm: QueueManager, broker: Any, context: Any, how: str, seen: list[int]) -> None:
    policy = importlib.import_module("faststream").AckPolicy.MANUAL
    counts: list[int] = []

    @broker.subscriber("IN", ack_policy=policy)  # type: ignore[untyped-decorator]  # as above
    async def settle(body: str, message: Any = context) -> None:
        counts.append(message.raw_message.metadata.BackoutCount)
        await getattr(message, how if counts[-1] < 2 else "ack")()

    async def publish() -> None:
        await broker.publish("x", "IN")

    run(broker, publish, qm, 1)
    assert counts == seen
    assert qm.depth("IN") == 0


def test_broken_connections_are_made_again(qm: QueueManager, broker: Any) -> None:
    bodies: list[str] = []

    @broker.subscriber("IN")  # type: ignore[untyped-decorator]  # FastStream is not installed where types are checked
    async def note(body: str) -> None:
        bodies.append(body)

    async def publish() -> None:
        await broker.publish("before", "IN")
        await asyncio.to_thread(qm.until_waiting)
        assert qm.break_connections() == 2
        await broker.publish("after", "IN")

    run(broker, publish, qm, 1)
    assert bodies == ["before", "after"]
