"""The detection of an input's form, and its replay."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from oracle.errors import BadInputError, Place, UsageError
from oracle.histories.notation import parse
from oracle.mqi.profile import PlatformName
from oracle.protocol.setup import state_of_setup
from oracle.replay.history import queues_of, replay_history
from oracle.replay.log import replay_log
from oracle.replay.steps import Replayed, at
from oracle.replay.transcript import replay_transcript


@dataclass(frozen=True)
class Setup:
    """The `setup` request of the target protocol for a history."""

    members: Mapping[str, Any]
    """Its members."""
    source: str = "setup"
    """The file that they come from, for messages."""


def replay(
    text: str, source: str, setup: Setup | None = None, platform: PlatformName = "distributed"
) -> Iterator[Replayed]:
    """Yield what each call of an input shows, up to the first departure. The first line determines the input's form.

    `setup` is for a history in the notation: without it every queue that the history names is a local queue with the
    attributes of a newly defined one. Raises BadInputError, and UndecidedError if the input lacks something.
    """
    first = next((line for line in text.splitlines() if line.strip()), "")
    if not first:
        raise BadInputError("nothing to replay: the input is empty", Place(source))
    return _some(_replay(text, first, source, setup, platform), source)


def _some(steps: Iterator[Replayed], source: str) -> Iterator[Replayed]:
    """Yield the steps. Raises BadInputError if there are none: an input without calls must not count as conforming."""
    first = next(steps, None)
    if first is None:
        raise BadInputError("nothing to replay: the input has no calls", Place(source))
    yield first
    yield from steps


def _replay(text: str, first: str, source: str, setup: Setup | None, platform: PlatformName) -> Iterator[Replayed]:
    if not first.lstrip().startswith("{"):
        return _replay_history(text, source, setup, platform)
    if setup is not None:
        raise UsageError("a setup is for a history in the notation: a transcript or an event log brings its own")
    if {"header", "call"} & _members(first):
        return replay_log(text.split("\n"), source)
    return replay_transcript(text.split("\n"), source, platform)


def _members(line: str) -> set[str]:
    """Return the members of a first line; a request has `op`, a record of an event log `header` or `call`."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return set()
    return set() if "op" in value else set(value)


def _replay_history(text: str, source: str, setup: Setup | None, platform: PlatformName) -> Iterator[Replayed]:
    if setup is None:
        setup = Setup({"queues": [{"name": name} for name in queues_of(parse(text, source))]}, source)
    with at(Place(setup.source)):
        state = state_of_setup(setup.members, platform)
    return replay_history(text, source, state)
