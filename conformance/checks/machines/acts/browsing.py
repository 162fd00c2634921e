"""Browsing, and locking what is browsed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

import hypothesis.strategies as st
from hypothesis.stateful import precondition, rule

from conformance.checks.machines.acts.getting import Getting
from conformance.checks.machines.base import any_of
from conformance.checks.machines.vocabulary import gets
from conformance.checks.machines.vocabulary.word import Group, Word
from oracle.histories.notation import Line
from oracle.mqi.constants import INPUT_OPTIONS, MQGMO, MQOO

_THROUGH_MOST: Final = 6
"""The number of messages that are browsed to reach the end of a queue."""


class Browsing(Getting):
    """Applications that browse."""

    BROWSE_WORDS: ClassVar[Sequence[Group]] = gets.BROWSE_WORDS
    """The words of a browse: one of each group."""

    @precondition(lambda self: "browse" in self.features and self.handles(MQOO.BROWSE))
    @rule(data=st.data())
    def browse(self, data: st.DataObject) -> None:
        """Browse, and perhaps lock."""
        self.get_any(data, self.handles(MQOO.BROWSE), self.BROWSE_WORDS)

    @precondition(lambda self: "browse" in self.features and self.handles(MQOO.BROWSE))
    @rule(data=st.data())
    def browse_plainly(self, data: st.DataObject) -> None:
        """Browse the next message, and perhaps lock it."""
        self.get_any(data, self.handles(MQOO.BROWSE), (gets.BROWSES, gets.LOCKS))

    @precondition(lambda self: "browse" in self.features and self.handles(MQOO.BROWSE))
    @rule(data=st.data())
    def browse_to_the_end(self, data: st.DataObject) -> None:
        """Browse until there is nothing more, and once again."""
        handle = any_of(data, self.handles(MQOO.BROWSE))
        onwards = Line("get", handle=handle, options=MQGMO.BROWSE_NEXT)
        for _ in range(_THROUGH_MOST):
            exchange = self.play(onwards)
            if exchange is None or exchange.reply["CompCode"]:
                break
        self.play(onwards)

    @precondition(lambda self: "lock" in self.features and self.browsers())
    @rule(data=st.data())
    def unlock(self, data: st.DataObject) -> None:
        """Release a lock, or try to."""
        self.play(Line("get", handle=any_of(data, self.browsers()), options=MQGMO.UNLOCK))

    @precondition(lambda self: "lock" in self.features and self.handles(MQOO.BROWSE))
    @rule(data=st.data())
    def contend_for_a_message(self, data: st.DataObject) -> None:
        """Lock a message with one handle, and try to get or browse with another."""
        owner = any_of(data, self.handles(MQOO.BROWSE))
        self.say_get(owner, any_of(data, gets.PLAIN_BROWSES) + Word(MQGMO.LOCK))
        queue = self.opened(owner).queue
        word = any_of(data, (gets.BROWSES[0], self.word(data, self.GET_SYNCPOINTS)))
        needed = MQOO.BROWSE if word.options & MQGMO.BROWSE_FIRST else INPUT_OPTIONS
        others = [name for name in self.handles(needed) if name != owner and self.opened(name).queue == queue]
        if others:
            self.say_get(any_of(data, others), word)

    @precondition(lambda self: {"browse", "under-cursor"} <= self.features and self.browsers())
    @rule(data=st.data())
    def get_under_cursor(self, data: st.DataObject) -> None:
        """Get the message that was browsed."""
        readers = [name for name in self.browsers() if self.opened(name).open_for_input]
        if readers:
            word = self.word(data, self.GET_SYNCPOINTS)
            self.play(
                Line(
                    "get",
                    handle=any_of(data, readers),
                    options=MQGMO.MSG_UNDER_CURSOR | word.options,
                    members=word.members,
                )
            )

    def browsers(self) -> list[str]:
        """Return the handles that have browsed something."""
        return [name for name in self.handles(MQOO.BROWSE) if self.opened(name).cursor is not None]
