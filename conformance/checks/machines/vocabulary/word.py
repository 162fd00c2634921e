"""A word: what a machine may say in a call, and the features without which it is not said.

Each word is drawn only if the target claims the features that stand with it; `clock` stands for a virtual clock, the
name of a platform for that platform. Repeated words are drawn more often.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from oracle.histories.notation import Value

Members = tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Word:
    """What is said together in a call."""

    options: int = 0
    """The options, added up."""
    members: Members = ()
    """The members and their values."""
    features: tuple[str, ...] = ()
    """The features without which it is not said."""

    def __add__(self, other: Word) -> Word:
        return Word(self.options | other.options, self.members + other.members)


Group = tuple[Word, ...]
"""Words; one of them is said."""

NOTHING: Final = Word()


def said(words: Group, features: frozenset[str]) -> Group:
    """Return the words that a target with these features may be told; saying nothing is always one of them."""
    return tuple(word for word in words if features.issuperset(word.features)) or (NOTHING,)


def given(*features: str, **members: Value) -> Word:
    """Return a word that sets members."""
    return Word(members=tuple(members.items()), features=features)
