"""Putting messages."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar

from conformance.checks.machines.acting import act
from conformance.checks.machines.base import Applications, any_of
from conformance.checks.machines.vocabulary import puts
from conformance.checks.machines.vocabulary.word import Group, Word
from oracle.histories.notation import Line
from oracle.mqi.constants import MQOO


class Putting(Applications):
    """Applications that put messages."""

    PUT_WORDS: ClassVar[Sequence[Group]] = puts.MESSAGE_WORDS
    """The words of a put: one of each group."""

    def prepare(self, draws: Random) -> None:
        """Put a few messages."""
        super().prepare(draws)
        for _ in range(3):
            if self.can_put():
                self.put(draws)

    @act(lambda self: self.can_put(), weight=2)
    def put(self, draws: Random) -> None:
        """Put a message, or two."""
        handle = any_of(draws, self.handles(MQOO.OUTPUT))
        for _ in range(any_of(draws, (1, 2))):
            word = self.words(draws, self.PUT_WORDS)
            if self.opened(handle).options & MQOO.SET_ALL_CONTEXT:
                word += self.word(draws, puts.ALL_CONTEXTS)
            self.put_message(handle, word)

    @act(lambda self: "put1" in self.features and self.room())
    def put1(self, draws: Random) -> None:
        """Put a message without a handle."""
        conn = any_of(draws, self.free(self.CONNECTIONS))
        queue, word = any_of(draws, self.put1_queues()), self.words(draws, self.PUT_WORDS)
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
