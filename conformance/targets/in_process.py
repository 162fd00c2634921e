"""A target in this process: a Python object that answers one request line with one reply."""

from __future__ import annotations

import importlib
import json
import sys
import traceback
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from oracle.errors import TargetError, UsageError


class Answering(Protocol):
    """A queue manager as a Python object, such as `oracle.serve.Server`."""

    def answer(self, line: str) -> Mapping[str, Any]:
        """Return the reply to a request, which is a line of JSON."""


class InProcessTarget:
    """A target made by calling `make` at each start. Time limits do not apply to it."""

    def __init__(self, name: str, make: Callable[[], Answering]) -> None:
        self.name = name
        self._make = make
        self._server: Answering | None = None
        self._replies: deque[str] = deque()
        self._trouble = ""

    def start(self) -> None:
        """Make the object anew."""
        self._replies.clear()
        try:
            self._server = self._make()
        except (Exception, SystemExit) as error:
            self._trouble = traceback.format_exc()
            raise TargetError(f"{self.name} cannot be made: {error!r}") from error
        if not callable(getattr(self._server, "answer", None)):
            made = type(self._server).__name__
            raise TargetError(f"{self.name} returned {made}, not an object with a method answer(line)")

    def send(self, line: str) -> None:
        """Let the object answer a request.

        Raises TargetError if it raises an exception.
        """
        assert self._server is not None  # the suite starts a target first
        try:
            self._replies.append(json.dumps(self._server.answer(line)))
        except (Exception, SystemExit) as error:
            self._trouble = traceback.format_exc()
            raise TargetError(f"the target raised {error!r}") from error

    def receive(self, seconds: float) -> str | None:  # noqa: ARG002 - an object answers at once or not at all
        """Return the next reply, or None if there is none."""
        return self._replies.popleft() if self._replies else None

    def rest(self) -> None:
        """Do nothing: the next `setup` makes it anew."""

    def last_words(self) -> str:
        """Return the traceback of the exception that ended the target."""
        return self._trouble

    def unfinished(self) -> str:
        """Return nothing: a reply is made as a whole."""
        return ""

    def left(self, seconds: float) -> str:  # noqa: ARG002 - as every target
        """Return nothing: an object does not end by itself."""
        return ""

    def close(self, patience: float = 0.0) -> None:  # noqa: ARG002 - an object does not go on by itself
        """Forget the object."""
        self._server = None


def load(reference: str) -> Callable[[], Answering]:
    """Import the callable that `package.module:callable` names; modules of the current directory are found too.

    Raises UsageError if there is none.
    """
    module, _, name = reference.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # last, so that no file there replaces an installed module
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"--target python:{reference}: {error}; write python:package.module:callable") from error
    except (Exception, SystemExit) as error:
        raise UsageError(f"--target python:{reference}: importing {module} raised {error!r}") from error
    if not callable(found):
        raise UsageError(f"--target python:{reference}: {name} cannot be called")
    return found  # type: ignore[no-any-return]  # what it returns shows at its first answer
