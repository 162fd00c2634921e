"""A row of a table as a check: the histories that visit its cells, played one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final

from conformance.checks.check import Check
from conformance.checks.features import details_of, features_of
from conformance.checks.rig import Rig
from conformance.sessions.session import History, Session, Setup
from oracle.histories.notation import parse

AREA: Final = "tables"
"""The first part of the ids of these checks."""

GROUP_QUEUE: Final[Mapping[str, Any]] = {"name": "Q", "IndexType": "GROUP_ID"}
"""A queue of groups; the index is what z/OS needs for them."""


def row(
    name: str,
    title: str,
    rules: tuple[str, ...],
    texts: Iterable[str],
    queue: Mapping[str, Any] = GROUP_QUEUE,
) -> Check:
    """Return the check of a row: histories in the notation, each on a queue manager with one queue."""
    histories = tuple(History(Setup((queue,)), parse(text, name)) for text in texts)
    needed = {feature for history in histories for feature in features_of(history)}
    return Check(
        f"{AREA}/{name}",
        title,
        "scenario",
        partial(play_all, histories),
        rules=rules,
        features=tuple(sorted(needed)),
        details=details_of(histories, rules),
    )


def play_all(histories: Iterable[History], rig: Rig) -> Session | None:
    """Play histories and return the first session that departs from the documents, if one does."""
    return rig.play_all(histories)
