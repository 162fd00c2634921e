"""The errors that stop a tool: one family with one root.

They mean that the tool could not do what was asked, and each message says what to do. A failing MQI call is not such an
error, but a normal outcome with a reason code. A command line program prints the message and exits with status 2.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

LONGEST_ECHO: Final = 200
"""The most characters of an input that a message repeats."""

_LONG_WORD: Final = re.compile(rf"(\S{{{LONGEST_ECHO}}})\S+")


def echo(text: str) -> str:
    """Return a text of an input as messages show it: on one line, without control characters, and shortened."""
    text = "".join(character if character.isprintable() else " " for character in text)
    return text if len(text) <= LONGEST_ECHO else f"{text[:LONGEST_ECHO]}... ({len(text):,} characters)"


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
    """The input cannot be used: a missing or empty file, a wrong type, a value outside its range.

    A word of the message that is longer than LONGEST_ECHO can only be from the input, and is cut.
    """

    def __init__(self, message: str, place: Place | None = None) -> None:
        message = _LONG_WORD.sub(r"\1...", message)
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


class TargetSilentError(TargetError):
    """The target did not reply within the time limit."""


class TargetGoneError(TargetError):
    """The system behind the target can no longer be reached, so no further check can be performed."""


class ProcessEndedError(MqOracleError):
    """A process that the tool had started for part of its work ended before that was done."""


class InapplicableError(MqOracleError):
    """The target cannot be set up or queried as a check requires: the check does not apply to it."""


class UntoldError(MqOracleError):
    """The target cannot tell what a call returned: neither this call nor those after it can be judged."""
