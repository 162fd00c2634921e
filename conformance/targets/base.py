"""What the suite needs of a target: a way to send lines and to receive them."""

from __future__ import annotations

from typing import Protocol


class Target(Protocol):
    """An implementation under test, as a stream of lines in each direction.

    What the lines mean, and which of them break the protocol, is the affair of `conformance.sessions.dialogue`.
    """

    name: str
    """How the user named the target."""

    def start(self) -> None:
        """Start the target anew.

        Raises TargetError if it cannot be started.
        """

    def send(self, line: str) -> None:
        """Send a line; a target that no longer reads is noticed by `receive`."""

    def receive(self, seconds: float) -> str | None:
        """Return the next line that the target wrote, or None if it writes none within the time.

        Raises TargetEndedError if the target has ended.
        """

    def rest(self) -> None:
        """Note that a check is over and that what it has set up is no longer needed."""

    def last_words(self) -> str:
        """Return the end of what the target wrote to its standard error."""

    def left(self, seconds: float) -> str:
        """Return what is wrong with how the target has ended after `bye`, within the time; nothing if all is well."""

    def close(self, patience: float = 0.0) -> None:
        """End the target, with everything that it started; it has `patience` seconds to end by itself."""
