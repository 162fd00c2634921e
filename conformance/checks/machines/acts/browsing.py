"""Browsing, and locking what is browsed."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar, Final

from conformance.checks.machines.acting import act
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

    @act(lambda self: self.may_find() and "browse" in self.features and self.handles(MQOO.BROWSE))
    def browse(self, draws: Random) -> None:
        """Browse, and perhaps lock."""
        self.get_any(draws, self.handles(MQOO.BROWSE), self.BROWSE_WORDS)

    @act(lambda self: self.may_find() and "browse" in self.features and self.handles(MQOO.BROWSE))
    def browse_plainly(self, draws: Random) -> None:
        """Browse the next message, and perhaps lock it."""
        self.get_any(draws, self.handles(MQOO.BROWSE), (gets.BROWSES, gets.LOCKS))

    @act(lambda self: self.may_find() and "browse" in self.features and self.handles(MQOO.BROWSE))
    def browse_to_the_end(self, draws: Random) -> None:
        """Browse until there is nothing more, and once again."""
        handle = any_of(draws, self.handles(MQOO.BROWSE))
        onwards = Line("get", handle=handle, options=MQGMO.BROWSE_NEXT)
        for _ in range(_THROUGH_MOST):
            exchange = self.play(onwards)
            if exchange is None or exchange.reply["CompCode"]:
                break
        self.play(onwards)

    @act(lambda self: "lock" in self.features and self.browsers())
    def unlock(self, draws: Random) -> None:
        """Release a lock, or try to."""
        self.play(Line("get", handle=any_of(draws, self.browsers()), options=MQGMO.UNLOCK))

    @act(lambda self: "lock" in self.features and self.handles(MQOO.BROWSE))
    def contend_for_a_message(self, draws: Random) -> None:
        """Lock a message with one handle, and try to get or browse with another."""
        owner = any_of(draws, self.handles(MQOO.BROWSE))
        self.say_get(owner, any_of(draws, gets.PLAIN_BROWSES) + Word(MQGMO.LOCK))
        if any_of(draws, (True, False)):
            self._go_on(draws, owner)
        queue = self.opened(owner).queue
        word = any_of(draws, (gets.BROWSES[0], self.word(draws, self.GET_SYNCPOINTS)))
        needed = MQOO.BROWSE if word.options & MQGMO.BROWSE_FIRST else INPUT_OPTIONS
        others = [name for name in self.handles(needed) if name != owner and self.opened(name).queue == queue]
        if others:
            self.say_get(any_of(draws, others), word)

    def _go_on(self, draws: Random, owner: str) -> None:
        """Make a call with a handle that holds a lock, which may keep it or release it."""
        opened = self.opened(owner)
        ways: list[Group] = [gets.BROWSES, gets.BROWSES]
        if opened.open_for_input:
            ways.append(self.GET_SYNCPOINTS)
        self.get_any(draws, (owner,), (any_of(draws, ways), gets.TRUNCATIONS))
        if opened.conn in self.units_of_work() and any_of(draws, (True, False)):
            self.play(Line(any_of(draws, ("cmit", "back")), opened.conn))

    @act(lambda self: {"browse", "under-cursor"} <= self.features and self.browsers())
    def get_under_cursor(self, draws: Random) -> None:
        """Get the message that was browsed."""
        readers = [name for name in self.browsers() if self.opened(name).open_for_input]
        if readers:
            word = self.word(draws, self.GET_SYNCPOINTS)
            self.play(
                Line(
                    "get",
                    handle=any_of(draws, readers),
                    options=MQGMO.MSG_UNDER_CURSOR | word.options,
                    members=word.members,
                )
            )

    def browsers(self) -> list[str]:
        """Return the handles that have browsed something."""
        return [name for name in self.handles(MQOO.BROWSE) if self.opened(name).cursor is not None]
