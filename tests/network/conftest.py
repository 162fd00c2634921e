"""A queue manager that listens, and clients of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from fixtures.channel_client import Client, connected
from oracle.testing import QueueManager, queue_manager

Connecting = Callable[..., Client]


@pytest.fixture
def qm() -> Iterator[QueueManager]:
    with queue_manager(["Q", "OTHER"], listen=0) as manager:
        yield manager


@pytest.fixture
def connecting(qm: QueueManager) -> Iterator[Connecting]:
    """Return what connects a client to the queue manager."""
    with ExitStack() as block:
        yield lambda *args, **kwargs: block.enter_context(connected(port_of(qm), *args, **kwargs))


@pytest.fixture
def client(connecting: Connecting) -> Client:
    return connecting()


def port_of(manager: QueueManager) -> int:
    assert manager.port is not None
    return manager.port
