"""The hook and the trigger of Apache Airflow's provider for IBM MQ, `apache-airflow-providers-ibm-mq`."""

from __future__ import annotations

import asyncio
import importlib
import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from oracle.testing import QueueManager, queue_manager
from tests.programs import airflow_parts
from tests.programs.airflow_parts import CONNECTIONS, Connection

SETTINGS = json.dumps({"queue_manager": "QM1", "channel": "APP.SVRCONN", "open_options": "MQOO_INPUT_SHARED"})
POLL_S = 30.0


@pytest.fixture
def qm() -> Iterator[QueueManager]:
    CONNECTIONS["mq"] = Connection("localhost", 1414, "ada", "secret", SETTINGS)
    with queue_manager(["Q"], credentials={"ada": "secret"}, clock="manual") as manager, airflow_parts.in_place():
        yield manager


@pytest.fixture
def hooks(qm: QueueManager) -> Any:
    return importlib.import_module("airflow.providers.ibm.mq.hooks.mq")


async def while_it_waits(qm: QueueManager, program: Awaitable[Any], act: Callable[[], object]) -> Any:
    """Start a program, act when it waits for a message, and return its result."""
    running = asyncio.ensure_future(program)
    await asyncio.to_thread(qm.until_waiting)
    act()
    return await asyncio.wait_for(running, 30)


def test_what_the_hook_produces_is_text_of_its_user(qm: QueueManager, hooks: Any) -> None:
    asyncio.run(hooks.IBMMQHook("mq").aproduce("Q", "grüße"))
    (message,) = qm.messages("Q")
    assert (message.data.decode(), message.format, message.coded_char_set_id) == ("grüße", "MQSTR", 1208)
    assert message.user_identifier == "ada"


def test_it_consumes_one_message_and_leaves_the_next(qm: QueueManager, hooks: Any) -> None:
    for text in ("first", "second"):
        qm.put("Q", text)
    assert asyncio.run(hooks.IBMMQHook("mq").aconsume("Q")) == "first"
    assert [message.data for message in qm.messages("Q")] == [b"second"]


def test_it_waits_and_polls_again(qm: QueueManager, hooks: Any) -> None:
    """The interval passes by the test's clock, and the hook asks once more."""

    async def consume() -> Any:
        running = asyncio.ensure_future(hooks.IBMMQHook("mq").aconsume("Q", poll_interval=POLL_S))
        await asyncio.to_thread(qm.until_waiting)
        qm.advance(seconds=POLL_S + 1)
        return await while_it_waits(qm, running, lambda: qm.put("Q", "late"))

    assert asyncio.run(consume()) == "late"
    assert qm.seconds == POLL_S + 1


def test_it_reads_behind_the_properties_of_a_message(qm: QueueManager, hooks: Any) -> None:
    qm.put("Q", "body", properties={"colour": "blue"})
    assert asyncio.run(hooks.IBMMQHook("mq").aconsume("Q")) == "body"


def test_a_user_who_may_not_connect(qm: QueueManager, hooks: Any) -> None:
    CONNECTIONS["mq"] = replace(CONNECTIONS["mq"], login="bob")
    with pytest.raises(ConnectionError, match="2035"):
        asyncio.run(hooks.IBMMQHook("mq").aproduce("Q", "x"))


@pytest.mark.parametrize(("act", "reason"), [("InhibitGet", 2016), (None, 2085)])
def test_what_will_not_pass_ends_it(qm: QueueManager, hooks: Any, act: str | None, reason: int) -> None:
    if act:
        qm.alter("Q", **{act: 1})
    with pytest.raises(hooks.IBMMQError) as failed:
        asyncio.run(hooks.IBMMQHook("mq").aconsume("Q" if act else "NOT.THERE"))
    assert (failed.value.reason, failed.value.transient) == (reason, False)


def test_the_trigger_fires_with_the_message(qm: QueueManager, hooks: Any) -> None:
    triggers = importlib.import_module("airflow.providers.ibm.mq.triggers.mq")

    async def fired() -> Any:
        return await anext(triggers.AwaitMessageTrigger("mq", "Q", poll_interval=POLL_S).run())

    async def first_event() -> Any:
        return await while_it_waits(qm, fired(), lambda: qm.put("Q", "arrived"))

    assert asyncio.run(first_event()).payload == "arrived"
    assert qm.depth("Q") == 0
