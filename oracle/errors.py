"""The errors that stop a tool: one family with one root.

They mean that the tool could not do what was asked, and each message says what to do. A failing MQI call is not such an
error, but a normal outcome with a reason code. A command line program prints the message and exits with status 2.
"""

from __future__ import annotations

from dataclasses import dataclass


class MqOracleError(Exception):
    """Root of all errors that the tools of this project raise on purpose."""


@dataclass(frozen=True)
class Place:
    """The place of an error in an input."""

    source: str
    """The file, or the name of another source."""
    line: int | None = None
    """The line or record, from 1; None where it is not known."""

    def __str__(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}"


class BadInputError(MqOracleError):
    """The input cannot be used: a missing or empty file, a wrong type, a value outside its range."""

    def __init__(self, message: str, place: Place | None = None) -> None:
        super().__init__(message if place is None else f"{place}: {message}")
        self.place = place


class UsageError(MqOracleError):
    """The tool was asked for something that does not exist or cannot be combined."""


class NotModelledError(MqOracleError):
    """The call needs behaviour that the reference model does not contain; it is never guessed."""


class TargetError(MqOracleError):
    """The implementation under test could not carry out a request: a broken target, not an MQI failure."""


class TargetEndedError(TargetError):
    """The target has ended, or has closed its output."""


class TargetGoneError(TargetError):
    """The system behind the target can no longer be reached, so no further check can be performed."""


class InapplicableError(MqOracleError):
    """The target cannot be set up or queried as a check requires: the check does not apply to it."""
