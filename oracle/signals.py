"""The end of a command by a signal that comes before the command handles signals itself."""

from __future__ import annotations

import os
import signal

INTERRUPTED = 130
"""The exit status after Ctrl-C."""


def end_at_once(numbers: tuple[signal.Signals, ...], line: str) -> None:
    """Have each of the signals end the process with the line on standard error, unless a shell ignores it.

    An exception would not work: the import system swallows it at some moments.
    """

    def leave(*_: object) -> None:
        try:
            os.write(2, f"{line}\n".encode())
        finally:
            os._exit(INTERRUPTED)

    for number in numbers:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as for a background process of a shell
            signal.signal(number, leave)
