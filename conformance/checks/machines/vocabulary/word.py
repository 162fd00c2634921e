"""A word: options and members of a call, with the features that they need.

Each word is drawn only if the target claims its features; `clock` stands for a virtual clock, the name of a platform
for that platform. Repeated words are drawn more often.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from oracle.histories.notation import Value

Members = tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Word:
    """Options and members that are used together in a call."""

    options: int = 0
    """The options, as a sum."""
    members: Members = ()
    """The members and their values."""
    features: tuple[str, ...] = ()
    """The features that it needs."""

    def __add__(self, other: Word) -> Word:
        return Word(self.options | other.options, self.members + other.members)


Group = tuple[Word, ...]
"""Words, one of which is used."""

NOTHING: Final = Word()


def attributes(word: Word) -> tuple[tuple[str, int], ...]:
    """Return the members of a word as attributes of an object."""
    return tuple((name, int(str(value))) for name, value in word.members)


def said(words: Group, features: frozenset[str]) -> Group:
    """Return the words for a target with these features; the empty word is always one of them."""
    return tuple(word for word in words if features.issuperset(word.features)) or (NOTHING,)


def given(*features: str, **members: Value) -> Word:
    """Return a word that sets members."""
    return Word(members=tuple(members.items()), features=features)
