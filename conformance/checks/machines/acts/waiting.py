"""Acts of waiting for messages and for signals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import hypothesis.strategies as st
from hypothesis.stateful import precondition, rule

from conformance.checks.machines.acts.browsing import Browsing
from conformance.checks.machines.base import any_of
from conformance.checks.machines.vocabulary import gets
from conformance.checks.machines.vocabulary.word import Group
from oracle.mqi.constants import INPUT_OPTIONS, MQOO


class Waiting(Browsing):
    """Applications that wait."""

    WAITING_MOST: ClassVar[int] = 2
    """The greatest number that wait at a time. One must always be free to continue."""
    WAIT_WORDS: ClassVar[Sequence[Group]] = (gets.WAITS, gets.GET_SYNCPOINTS, gets.WAITED_FOR)
    """The words of a get that waits: one of each group."""

    @precondition(lambda self: "wait" in self.features and len(self.session.waiting) < self.WAITING_MOST)
    @rule(data=st.data())
    def get_or_browse_waiting(self, data: st.DataObject) -> None:
        """Get or browse a message, or wait for one."""
        name, removers, browsers = self.new_name("w"), self.handles(INPUT_OPTIONS), self.handles(MQOO.BROWSE)
        if browsers and "browse" in self.features and any_of(data, (False, False, True)):
            self.get_any(data, browsers, (gets.WAITS, gets.BROWSES, gets.LOCKS), name)
        elif removers:
            self.get_any(data, removers, self.WAIT_WORDS, name)

    @precondition(lambda self: "wait" in self.features and len(self.session.waiting) < self.WAITING_MOST)
    @rule(data=st.data())
    def wait_for_something(self, data: st.DataObject) -> None:
        """Wait for a message of a certain kind; there may be none yet."""
        removers, kinds = self.handles(INPUT_OPTIONS), gets.WAITED_FOR[1:]
        if removers:
            self.get_any(data, removers, (gets.WAITS, gets.GET_SYNCPOINTS, kinds), self.new_name("w"))

    @precondition(lambda self: {"signal", "zos"} <= self.features and self.handles(INPUT_OPTIONS))
    @rule(data=st.data())
    def get_or_be_signalled(self, data: st.DataObject) -> None:
        """Get a message, or set a signal for one."""
        words = (gets.SIGNALS, gets.GET_SYNCPOINTS, gets.WAITED_FOR)
        self.get_any(data, self.handles(INPUT_OPTIONS), words, self.new_name("s"))
