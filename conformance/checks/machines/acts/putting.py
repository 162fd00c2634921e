"""Putting messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import hypothesis.strategies as st
from hypothesis.stateful import precondition, rule

from conformance.checks.machines.base import Applications, any_of
from conformance.checks.machines.vocabulary import puts
from conformance.checks.machines.vocabulary.word import Group, Word
from oracle.histories.notation import Line
from oracle.mqi.constants import MQOO


class Putting(Applications):
    """Applications that put messages."""

    PUT_WORDS: ClassVar[Sequence[Group]] = puts.MESSAGE_WORDS
    """The words of a put: one of each group."""

    def prepare(self, data: st.DataObject) -> None:
        """Put a few messages."""
        super().prepare(data)
        for _ in range(3):
            if self.can_put():
                self.put(data)

    @precondition(lambda self: self.can_put())
    @rule(data=st.data())
    def put(self, data: st.DataObject) -> None:
        """Put a message, or two."""
        handle = any_of(data, self.handles(MQOO.OUTPUT))
        for _ in range(any_of(data, (1, 2))):
            self.put_message(handle, self.words(data, self.PUT_WORDS))

    @precondition(lambda self: "put1" in self.features and self.room())
    @rule(data=st.data())
    def put1(self, data: st.DataObject) -> None:
        """Put a message without a handle."""
        conn = any_of(data, self.free(self.CONNECTIONS))
        queue, word = any_of(data, self.put1_queues()), self.words(data, self.PUT_WORDS)
        self.connect(conn)
        members = tuple(dict(word.members).items())
        self.play(Line("put1", conn, queue=queue, message=self.new_name("m"), options=word.options, members=members))

    def put1_queues(self) -> Sequence[str]:
        """Return the names to which MQPUT1 puts."""
        return self.opened_names()

    def put_message(self, handle: str, word: Word) -> None:
        """Put a message with a handle."""
        members = tuple(dict(word.members).items())
        self.play(Line("put", handle=handle, message=self.new_name("m"), options=word.options, members=members))
