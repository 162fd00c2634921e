"""Getting messages with the options about whole messages and whole groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import hypothesis.strategies as st
from hypothesis.stateful import precondition, rule

from conformance.checks.machines.acts.getting import Getting
from conformance.checks.machines.base import any_of
from conformance.checks.machines.vocabulary import gets
from conformance.checks.machines.vocabulary.word import NOTHING, Group
from oracle.mqi.constants import INPUT_OPTIONS, MQOO


class GettingWhole(Getting):
    """Applications that want whole messages or groups."""

    WHOLE_WORDS: ClassVar[Sequence[Group]] = gets.WHOLE_WORDS
    """The words besides a way to get or browse: one of each group."""

    @precondition(lambda self: {"groups", "segments"} & self.features and self.handles(INPUT_OPTIONS | MQOO.BROWSE))
    @rule(data=st.data())
    def get_whole(self, data: st.DataObject) -> None:
        """Get or browse with the options about whole messages and groups, once or a few times."""
        way = self.word(data, gets.WAYS)
        handles = self.handles(MQOO.BROWSE if way.options else INPUT_OPTIONS)
        if handles:
            handle, word = any_of(data, handles), way + self.words(data, self.WHOLE_WORDS)
            word += any_of(data, (NOTHING, NOTHING, self.words(data, (gets.TRUNCATIONS, gets.MATCHES))))
            for _ in range(any_of(data, (1, 2, 4))):
                self.say_get(handle, word if way.options else word + self.word(data, self.GET_SYNCPOINTS))
