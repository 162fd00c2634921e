"""The interface of targets: a way to send lines and to receive them."""

from __future__ import annotations

from typing import Protocol


class Target(Protocol):
    """An implementation under test, as a stream of lines in each direction.

    `conformance.sessions.dialogue` decides what the lines mean, and which of them break the protocol.
    """

    name: str
    """The name that the user gave."""

    def start(self) -> None:
        """Start the target anew.

        Raises TargetError if it cannot be started.
        """

    def send(self, line: str) -> None:
        """Send a line; `receive` notices a target that no longer reads."""

    def receive(self, seconds: float) -> str | None:
        """Return the next line that the target wrote, or None if it writes none within the time.

        Raises TargetEndedError if the target has ended.
        """

    def rest(self) -> None:
        """Note that a check has ended and that its setup is no longer needed."""

    def last_words(self) -> str:
        """Return the end of what the target wrote to its standard error."""

    def unfinished(self) -> str:
        """Return the beginning of a line that has no end yet; nothing if there is none."""

    def left(self, seconds: float) -> str:
        """Return what is wrong with the target's end after `bye`, within the time; nothing if all is well."""

    def close(self, patience: float = 0.0) -> None:
        """End the target, with everything that it started; it has `patience` seconds to end by itself."""
