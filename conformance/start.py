"""The entry point of `mq-conform`: Ctrl-C and SIGTERM are handled before anything that takes long to import."""

from __future__ import annotations

import gc
import signal
from typing import Final

from oracle.signals import end_at_once
from oracle.start import loading

OBJECTS_BETWEEN_COLLECTIONS: Final = 50_000
"""How many objects are made before Python looks for cycles among them.

A run makes millions, and nearly all either are freed without that or stay, as the checks do. With Python's own 700 a
tenth of the time goes to looking.
"""


def main() -> None:
    """Run the command `mq-conform`."""
    end_at_once((signal.SIGINT, signal.SIGTERM), "mq-conform: interrupted")
    with loading():
        from conformance.cli import main as commands  # noqa: PLC0415 - takes most of a second
        from conformance.targets.descendants import adopt_orphans  # noqa: PLC0415 - likewise

    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    adopt_orphans()
    commands(prog_name="mq-conform")


if __name__ == "__main__":
    main()
