"""Acts of waiting for messages and for signals."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar

from conformance.checks.machines.acting import act
from conformance.checks.machines.acts.browsing import Browsing
from conformance.checks.machines.base import any_of
from conformance.checks.machines.vocabulary import gets
from conformance.checks.machines.vocabulary.word import Group, Word
from oracle.mqi.constants import INPUT_OPTIONS, MQGMO, MQOO


class Waiting(Browsing):
    """Applications that wait."""

    WAITING_MOST: ClassVar[int] = 2
    """The greatest number that wait at a time. One must always be free to continue."""
    WAIT_WORDS: ClassVar[Sequence[Group]] = (gets.WAITS, gets.GET_SYNCPOINTS, gets.WAITED_FOR)
    """The words of a get that waits: one of each group."""

    @act(lambda self: "wait" in self.features and len(self.session.waiting) < self.WAITING_MOST)
    def get_or_browse_waiting(self, draws: Random) -> None:
        """Get or browse a message, or wait for one."""
        name, removers, browsers = self.new_name("w"), self.handles(INPUT_OPTIONS), self.handles(MQOO.BROWSE)
        if browsers and "browse" in self.features and any_of(draws, (False, False, True)):
            self.get_any(draws, browsers, (gets.WAITS, gets.BROWSES, gets.LOCKS), name)
        elif removers:
            self.get_any(draws, removers, self.WAIT_WORDS, name)

    @act(lambda self: "wait" in self.features and len(self.session.waiting) < self.WAITING_MOST)
    def wait_for_something(self, draws: Random) -> None:
        """Wait for a message of a certain kind; there may be none yet."""
        removers, kinds = self.handles(INPUT_OPTIONS), gets.WAITED_FOR[1:]
        if removers:
            self.get_any(draws, removers, (gets.WAITS, gets.GET_SYNCPOINTS, kinds), self.new_name("w"))

    @act(lambda self: {"signal", "zos"} <= self.features and self.handles(INPUT_OPTIONS | MQOO.BROWSE))
    def get_or_be_signalled(self, draws: Random) -> None:
        """Get or browse a message of any kind, or set a signal for one."""
        removers, browsers = self.handles(INPUT_OPTIONS), self.handles(MQOO.BROWSE)
        kinds = any_of(draws, (gets.WAITED_FOR, gets.MATCHES))
        browses = browsers and "browse" in self.features and (not removers or any_of(draws, (False, False, True)))
        ways = (gets.BROWSES, gets.LOCKS) if browses else (gets.GET_SYNCPOINTS,)
        words = (gets.SIGNALS, *ways, kinds, gets.QUIESCINGS)
        self.get_any(draws, browsers if browses else removers, words, self.new_name("s"))

    @act(lambda self: {"signal", "zos"} <= self.features and self.signalled())
    def ask_about_a_signal(self, draws: Random) -> None:
        """Set another signal where one has been set: whether it is accepted shows whether that one is outstanding."""
        self._ask_about(any_of(draws, self.signalled()))

    def signalled(self) -> list[str]:
        """Return the open handles with which a signal has been set, the latest one last."""
        setters = dict.fromkeys(
            each.line.handle
            for each in self.session.exchanges
            if each.line.verb == "get" and each.line.options & MQGMO.SET_SIGNAL
        )
        return [name for name in self.handles() if name in setters]

    def before_the_end(self) -> None:
        """Ask whether signals are outstanding."""
        super().before_the_end()
        if {"signal", "zos"} <= self.features:
            for handle in self.signalled():
                self._ask_about(handle)

    def _ask_about(self, handle: str) -> None:
        way = MQGMO.NO_SYNCPOINT if self.opened(handle).open_for_input else MQGMO.BROWSE_NEXT
        if "syncpoint" not in self.features and way == MQGMO.NO_SYNCPOINT:
            way = MQGMO.NONE
        word = gets.SIGNALS[0] + Word(way)
        self.say_get(handle, word, self.new_name("s"))
