"""Browsing with marks."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar

from conformance.checks.machines.acting import act
from conformance.checks.machines.acts.browsing import Browsing
from conformance.checks.machines.base import any_of
from conformance.checks.machines.vocabulary import gets
from conformance.checks.machines.vocabulary.word import Group
from oracle.mqi.constants import MQOO


class Marking(Browsing):
    """Applications that mark what they browse, for themselves and for the cooperating set."""

    MARK_WORDS: ClassVar[Sequence[Group]] = (gets.PLAIN_BROWSES, gets.MARKS, gets.TRUNCATIONS)
    """The words of a marking browse: one of each group."""

    @act(lambda self: self.may_find() and {"browse", "mark-browse"} <= self.features and self.handles(MQOO.BROWSE))
    def mark(self, draws: Random) -> None:
        """Browse with marks, once or a few times."""
        handle, word = any_of(draws, self.handles(MQOO.BROWSE)), self.words(draws, self.MARK_WORDS)
        for _ in range(any_of(draws, (1, 2, 3))):
            self.say_get(handle, word)

    @act(lambda self: self.may_find() and {"browse", "mark-browse"} <= self.features and self.handles(MQOO.BROWSE))
    def look_for_the_unmarked(self, draws: Random) -> None:
        """Mark a message or two with one handle, and browse for unmarked ones with the same or another."""
        handles = self.handles(MQOO.BROWSE)
        marker, mark = any_of(draws, handles), any_of(draws, gets.MARKS[:2])
        for word in any_of(draws, ((), gets.PLAIN_BROWSES[:1], gets.PLAIN_BROWSES[:2])):
            self.say_get(marker, word + mark)
        self.get_any(draws, (*handles, marker), (gets.UNMARKED_BROWSES,))
