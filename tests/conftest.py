"""What holds for every test: property tests are judged by their property, not by the machine's speed that day.

Where the variable CI is set, the same examples are tried every time, so that a build that fails tells of the change
that it builds; everywhere else new ones are sought.
"""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import settings

settings.register_profile("mqoracle", deadline=None, print_blob=True, derandomize="CI" in os.environ)
settings.load_profile("mqoracle")


@pytest.fixture(autouse=True, scope="session")
def _interruptible() -> None:
    """Let Ctrl-C interrupt even where the tests run in the background of a shell, which has it ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
