"""The entry point of `mq-conform`: Ctrl-C and SIGTERM are handled before anything that takes long to import."""

from __future__ import annotations

import signal

from oracle.signals import end_at_once


def main() -> None:
    """Run the command `mq-conform`."""
    end_at_once((signal.SIGINT, signal.SIGTERM), "mq-conform: interrupted")
    from conformance.cli import main as commands  # noqa: PLC0415 - takes most of a second
    from conformance.targets.descendants import adopt_orphans  # noqa: PLC0415 - likewise

    adopt_orphans()
    commands(prog_name="mq-conform")


if __name__ == "__main__":
    main()
