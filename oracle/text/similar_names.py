"""Names that are like one that nothing has, for the question which of them is meant.

>>> do_you_mean("MaxQDepht", ["MaxQDepth", "MaxMsgLength"])
'do you mean MaxQDepth?'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


def similar(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Return the known names that are like this one, the most similar first."""
    return get_close_matches(name, list(known), n=most)


def question(names: Sequence[str]) -> str:
    """Return the question whether one of these names is meant; empty if there is none."""
    *others, last = names or ("",)
    return f"do you mean {', '.join(others)}{' or ' if others else ''}{last}?" if names else ""


def do_you_mean(name: str, known: Iterable[str], most: int = 3) -> str:
    """Return the question whether one of the known names that are like this one is meant; empty if none is."""
    return question(similar(name, known, most))
