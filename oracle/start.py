"""The entry point of `mq-oracle`: Ctrl-C is handled before anything that takes long to import.

Each command begins this way. Until it handles signals itself, nothing has been written or started, so a signal ends it
at once. The start of Python itself cannot be covered: a signal there makes Python print a traceback.
"""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from oracle.signals import end_at_once


@contextmanager
def loading() -> Iterator[None]:
    """Look for no garbage while modules are imported, and never again among what they made: nearly all of it stays."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def main() -> None:
    """Run the command `mq-oracle`."""
    end_at_once((signal.SIGINT,), "mq-oracle: interrupted")
    with loading():
        from oracle.cli import main as commands  # noqa: PLC0415 - takes half a second

    commands(prog_name="mq-oracle")


if __name__ == "__main__":
    main()
