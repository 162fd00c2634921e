"""Fixtures of the tests of callbacks: a queue manager with two queues, and a program that consumes from them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from oracle.testing import QueueManager, queue_manager
from tests.standin.conftest import Program
from tests.standin.consumer import STOP, Consumer


@pytest.fixture
def qm() -> Iterator[QueueManager]:
    with queue_manager(["Q", "R"]) as manager:
        yield manager


@pytest.fixture
def consumer(program: Program) -> Iterator[Consumer]:
    consumer = Consumer(program)
    yield consumer
    consumer.control(STOP)
