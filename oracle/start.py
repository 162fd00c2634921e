"""The entry point of `mq-oracle`: Ctrl-C is handled before anything that takes long to import.

Each command begins this way. Until it handles signals itself, nothing has been written or started, so a signal ends it
at once. The start of Python itself cannot be covered: a signal there makes Python print a traceback.
"""

from __future__ import annotations

import signal

from oracle.signals import end_at_once


def main() -> None:
    """Run the command `mq-oracle`."""
    end_at_once((signal.SIGINT,), "mq-oracle: interrupted")
    from oracle.cli import main as commands  # noqa: PLC0415 - takes half a second

    commands(prog_name="mq-oracle")


if __name__ == "__main__":
    main()
