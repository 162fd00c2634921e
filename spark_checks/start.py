"""Where `mq-audit` begins: Ctrl-C and SIGTERM are taken note of before anything that takes long to import.

Until the command itself handles them, nothing has been written or started, so they end it at once. What comes before,
the start of Python itself, cannot be covered: there the system ends the process in its own way.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress

_INTERRUPTED = 130


def _leave(*_: object) -> None:
    """End at once: an exception would be swallowed by the machinery of imports at some moments."""
    with suppress(OSError):
        os.write(2, b"mq-audit: interrupted; nothing was written\n")
    os._exit(_INTERRUPTED)


def main() -> None:
    """Run the command `mq-audit`."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as for what a shell runs in the background
            signal.signal(number, _leave)
    from spark_checks.cli import main as commands  # takes most of a second
    from spark_checks.engines import choosing as engines  # takes some time, as the next

    engines.is_own_process = True
    commands(prog_name="mq-audit")


if __name__ == "__main__":
    main()
