"""Targets for tests: the reference server, servers that do one thing differently, and lists of prepared lines."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from conformance.checks.rig import Budget, Rig
from conformance.sessions.dialogue import Dialogue
from conformance.sessions.session import History, Session, Setup
from conformance.targets import InProcessTarget
from oracle.errors import TargetEndedError
from oracle.histories.notation import parse
from oracle.model.step import Outcome
from oracle.mqi.calls import Call
from oracle.mqi.profile import PlatformName
from oracle.serve import Server


@pytest.fixture(autouse=True)
def _the_same_search_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a run without a seed search with the same seed each time."""
    monkeypatch.setattr("conformance.commands.run.secrets.randbelow", lambda _: 0)


HELLO = {
    "seq": 1,
    "protocol": 1,
    "implementation": {"name": "canned", "version": "1", "language": "none"},
    "platform": "distributed",
    "clock": "virtual",
    "features": ["priority"],
}


ANSWER = "server = Server()\nfor line in sys.stdin:\n    print(json.dumps(server.answer(line)), flush=True)\n"
"""The body of a Python program that is a target."""


class CannedTarget:
    """A target with prepared lines: it answers every request with the next of them, then ends."""

    name = "canned"

    def __init__(self, lines: Iterable[object], *, silent: bool = False) -> None:
        self._prepared = list(lines)
        self._silent = silent
        self._lines: list[str] = []
        self.sent: list[str] = []
        self.closed = 0

    def start(self) -> None:
        """Start again with the first line."""
        self._lines = [line if isinstance(line, str) else json.dumps(line) for line in self._prepared]

    def send(self, line: str) -> None:
        """Remember what was sent."""
        self.sent.append(line)

    def receive(self, seconds: float) -> str | None:
        """Return the next line."""
        if self._lines:
            return self._lines.pop(0)
        if self._silent:
            return None
        raise TargetEndedError("the target ended early with exit status 3")

    def rest(self) -> None:
        pass

    def unfinished(self) -> str:
        return ""

    def last_words(self) -> str:
        """Return what a report must show."""
        return "it hurts"

    def left(self, seconds: float) -> str:
        return ""

    def close(self, patience: float = 0.0) -> None:
        """Count the closings."""
        self.closed += 1


class ClaimingServer(Server):
    """The reference server with other claims in its reply to hello."""

    def __init__(self, claims: Mapping[str, Any], platform: PlatformName = "distributed") -> None:
        super().__init__(platform)
        self._claims = claims

    def answer(self, line: str) -> dict[str, Any]:
        """Return the server's reply, with the claims in that to hello."""
        reply = super().answer(line)
        return {**reply, **self._claims} if "protocol" in reply else reply


class CountingServer(ClaimingServer):
    """The reference server, which remembers the requests."""

    def __init__(self, claims: Mapping[str, Any] | None = None, platform: PlatformName = "distributed") -> None:
        super().__init__(claims or {}, platform)
        self.requests: list[dict[str, Any]] = []

    def answer(self, line: str) -> dict[str, Any]:
        """Return the server's reply."""
        self.requests.append(json.loads(line))
        return super().answer(line)


class ChoosingServer(Server):
    """The reference server, which takes any of the outcomes that the documents allow."""

    def __init__(self, platform: PlatformName = "distributed", seed: int = 0) -> None:
        super().__init__(platform)
        self._random = Random(seed)

    def choose(self, allowed: Iterator[Outcome], call: Call) -> Outcome:
        """Return any of the outcomes."""
        return self._random.choice(list(allowed))


def target_of(make: Callable[[], Server] = Server) -> InProcessTarget:
    """Return a target in this process."""
    return InProcessTarget("python:test", make)


def rig_of(make: Callable[[], Server] = Server, budget: Budget = Budget.QUICK, seed: int = 0) -> Rig:
    """Return a rig with a target in this process."""
    return Rig(Dialogue(target_of(make)), budget, seed)


def play(text: str, make: Callable[[], Server] = Server, setup: Setup | None = None) -> Session:
    """Carry out a history in the notation."""
    return rig_of(make).play(History(setup or Setup(), parse(text)))


def until(happens: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + 60  # the machine may be busy
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], str]:
    """Return a function that makes a command line from the body of a Python program that reads requests."""

    def write(body: str) -> str:
        path = tmp_path / "target.py"
        path.write_text(f"import json, os, subprocess, sys, time\nfrom oracle.serve import Server\n{body}\n")
        return f"{sys.executable} {path}"

    return write
