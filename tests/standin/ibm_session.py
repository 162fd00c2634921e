"""A pytest plugin for a run of IBM's own tests of `ibmmq`: the queue manager that they expect, for the whole run."""

from __future__ import annotations

import os
from contextlib import ExitStack

import pytest

from oracle.testing import queue_manager

_BLOCK = ExitStack()

_REQUIRED = os.environ.get("PY_IBMMQ_TEST_QM_CONNAUTH_USE_PW", "REQUIRED") == "REQUIRED"
"""Whether users have to name themselves, by the variable with which IBM's tests are told so."""


def pytest_configure(config: pytest.Config) -> None:
    manager = queue_manager(
        # IBM's tests ask for queues that hold messages, and for queues whose description begins so.
        [{"name": "TEST.SAMPLE", "QDesc": "IBM MQ sample"}],
        credentials={"admin": "password", "app": "password", **({} if _REQUIRED else {"": ""})},
        library=os.environ.get("STANDIN") == "library",
    )
    _BLOCK.enter_context(manager).put("TEST.SAMPLE", b"sample")


def pytest_unconfigure(config: pytest.Config) -> None:
    _BLOCK.close()
