"""Getting messages with the options about whole messages and whole groups."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar, Final

from conformance.checks.machines.acting import act
from conformance.checks.machines.acts.getting import Getting
from conformance.checks.machines.base import any_of
from conformance.checks.machines.vocabulary import gets
from conformance.checks.machines.vocabulary.word import NOTHING, Group
from oracle.mqi.constants import INPUT_OPTIONS, MQGMO, MQOO

_FURTHER: Final = ((NOTHING,), gets.WHOLE_TRUNCATIONS, gets.MATCHES, gets.DESCRIPTORS[-1:])
"""The groups besides those: one word of one of them is used."""


class GettingWhole(Getting):
    """Applications that want whole messages or groups."""

    WHOLE_WORDS: ClassVar[Sequence[Group]] = gets.WHOLE_WORDS
    """The words besides a way to get or browse: one of each group."""

    @act(
        lambda self: (
            self.may_find() and {"groups", "segments"} & self.features and self.handles(INPUT_OPTIONS | MQOO.BROWSE)
        )
    )
    def get_whole(self, draws: Random) -> None:
        """Get or browse with the options about whole messages and groups, once or a few times."""
        way = self.word(draws, gets.WAYS)
        handles = self.handles(MQOO.BROWSE if way.options else INPUT_OPTIONS)
        if handles:
            handle, word = any_of(draws, handles), way + self.words(draws, self.WHOLE_WORDS)
            word += self.word(draws, any_of(draws, _FURTHER))
            if way.options:
                word += self.word(draws, gets.LOCKS)
            for _ in range(any_of(draws, (1, 2, 4))):
                self.say_get(handle, word if way.options else word + self.word(draws, self._syncpoints(draws, handle)))
            if word.options & MQGMO.LOCK:
                self.look_beside(draws, handle)

    def _syncpoints(self, draws: Random, handle: str) -> Group:
        """Return the words for the unit of work: beside an open one a get is often outside of it."""
        beside = self.opened(handle).conn in self.units_of_work() and any_of(draws, (True, False))
        return gets.GET_SYNCPOINTS[1:2] if beside else self.GET_SYNCPOINTS

    def look_beside(self, draws: Random, handle: str) -> None:
        """Get with another handle of the queue what this handle may have locked."""
        queue = self.opened(handle).queue
        others = [name for name in self.handles(INPUT_OPTIONS) if name != handle and self.opened(name).queue == queue]
        if others:
            self.say_get(any_of(draws, others), self.word(draws, self.GET_SYNCPOINTS))
