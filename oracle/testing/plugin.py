"""The pytest fixture: put `pytest_plugins = ["oracle.testing.plugin"]` into the `conftest.py` at the root of the tests.

    @pytest.mark.mq_queue_manager("ORDERS", {"name": "SMALL", "MaxQDepth": 1}, platform="zos")
    def test_something(mq_queue_manager): ...

The marker's arguments are those of `oracle.testing.queue_manager`; without it the queue manager has no queues of its
own.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from oracle.testing import QueueManager, queue_manager

_NAME = "mq_queue_manager"


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", f"{_NAME}(*queues, **arguments): the queue manager of the fixture {_NAME}")


@pytest.fixture(name=_NAME)
def _queue_manager(request: pytest.FixtureRequest) -> Iterator[QueueManager]:
    """Run a queue manager for the length of a test, to which code with `ibmmq` connects."""
    marker = request.node.get_closest_marker(_NAME)
    queues, arguments = ((), {}) if marker is None else (marker.args, marker.kwargs)
    with queue_manager(queues, **arguments) as manager:
        yield manager
