"""How a command ends where a signal comes before it handles signals itself."""

from __future__ import annotations

import os
import signal

INTERRUPTED = 130
"""The exit status after Ctrl-C."""


def end_at_once(numbers: tuple[signal.Signals, ...], line: str) -> None:
    """Have each of the signals end the process with the line on standard error, unless a shell has it ignored.

    An exception would not do: the machinery of imports swallows it at some moments.
    """

    def leave(*_: object) -> None:
        try:
            os.write(2, f"{line}\n".encode())
        finally:
            os._exit(INTERRUPTED)

    for number in numbers:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as for what a shell runs in the background
            signal.signal(number, leave)
