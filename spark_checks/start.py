"""The entry point of `mq-audit`: Ctrl-C and SIGTERM are handled before anything that takes long to import."""

from __future__ import annotations

import signal

from oracle.signals import end_at_once
from oracle.start import loading


def main() -> None:
    """Run the command `mq-audit`."""
    end_at_once((signal.SIGINT, signal.SIGTERM), "mq-audit: interrupted")
    with loading():
        from spark_checks.cli import main as commands  # takes most of a second
        from spark_checks.engines import choosing as engines  # takes some time, like the next import

    engines.is_own_process = True
    commands(prog_name="mq-audit")


if __name__ == "__main__":
    main()
