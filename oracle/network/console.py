"""Commands of a test to a listening queue manager on standard input, one a line, and the answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from oracle.errors import BadInputError, MqOracleError
from oracle.testing.manager import QueueManager

END: Final = "stop"
"""The line that ends the queue manager."""

LONGEST: Final = 4096
"""The greatest length of a line in bytes; a longer one counts as several lines."""


def answer(manager: QueueManager, line: str) -> str:
    """Carry out a line, and return the answer: `ok` and the result, or `error` and the reason."""
    words = line.split()
    if not words:
        return ""
    command = _COMMANDS.get(words[0])
    if command is None:
        return f"error: there is no {words[0]!r}; there are {', '.join((*_COMMANDS, END))}"
    try:
        return f"ok {command(manager, *words[1:])}".rstrip()
    except TypeError:
        return f"error: {words[0]} has other arguments: {_USAGE[words[0]]}"
    except MqOracleError as error:
        return f"error: {error}"


def _advance(manager: QueueManager, seconds: str) -> str:
    try:
        by = float(seconds)
    except ValueError:
        raise BadInputError(f"{seconds!r} is not a number of seconds") from None
    manager.advance(by)
    return f"{manager.seconds:g}"


def _depth(manager: QueueManager, queue: str) -> str:
    return str(manager.depth(queue))


def _quiesce(manager: QueueManager) -> str:
    manager.quiesce()
    return ""


def _waiting(manager: QueueManager) -> str:
    return str(manager.running.waiting())


_COMMANDS: Final[dict[str, Callable[..., str]]] = {
    "advance": _advance,
    "depth": _depth,
    "waiting": _waiting,
    "quiesce": _quiesce,
}
_USAGE: Final = {
    "advance": "advance SECONDS",
    "depth": "depth QUEUE",
    "waiting": "waiting",
    "quiesce": "quiesce",
}
