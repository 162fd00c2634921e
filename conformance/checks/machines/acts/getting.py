"""Getting messages."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar, Final

from conformance.checks.machines.acting import act
from conformance.checks.machines.base import Applications, any_of
from conformance.checks.machines.vocabulary import gets
from conformance.checks.machines.vocabulary.word import Group, Word
from oracle.histories.notation import Line, Reference, Value
from oracle.mqi.constants import INPUT_OPTIONS

_AIMED_AT_MOST: Final = 5
"""The number of latest messages that a selection may be aimed at."""


class Getting(Applications):
    """Applications that remove messages."""

    REMOVAL_WORDS: ClassVar[Sequence[Group]] = gets.REMOVAL_WORDS
    """The words of a removing get: one of each group."""
    GET_SYNCPOINTS: ClassVar[Group] = gets.GET_SYNCPOINTS
    """The words for the unit of work of a get without other words: one of them."""

    @act(lambda self: self.may_find() and self.handles(INPUT_OPTIONS))
    def get(self, draws: Random) -> None:
        """Get a message."""
        self.get_any(draws, self.handles(INPUT_OPTIONS), self.REMOVAL_WORDS)

    @act(lambda self: self.may_find() and self.handles(INPUT_OPTIONS))
    def get_plainly(self, draws: Random) -> None:
        """Get the first message, as most calls of an application do."""
        self.get_any(draws, self.handles(INPUT_OPTIONS), (self.GET_SYNCPOINTS,))

    def get_any(self, draws: Random, handles: Sequence[str], groups: Sequence[Group], name: str | None = None) -> None:
        """Get or browse with one of the handles, sometimes by the members or token of a recent message."""
        handle = any_of(draws, handles)
        word = self.words(draws, groups)
        messages = self.session.bindings.messages
        if messages and "match" in self.features and gets.MATCHES in groups and any_of(draws, (False, False, True)):
            known = [each for each, members in messages.items() if "MsgToken" in members][-3:]
            if known and "msg-token" in self.features and any_of(draws, (False, False, True)):
                word += gets.by_token(any_of(draws, known))
            else:
                word += self.aimed(draws)
        self.say_get(handle, word, name)

    def aimed(self, draws: Random) -> Word:
        """Select a message of the history by some of its members; one of them may be another's, null or wrong."""
        names = tuple(self.session.bindings.messages)[-_AIMED_AT_MOST:]
        message = any_of(draws, names)
        passed = self.session.bindings.messages[message]
        known = [each for each in gets.AIMS if self.features.issuperset(each.features) and each.member in passed]
        asked = any_of(draws, range(1, 1 << len(known)))
        chosen = [each for place, each in enumerate(known) if asked >> place & 1]
        values: dict[str, Value] = {each.member: Reference(message) for each in chosen}
        if any_of(draws, (False, False, True)):
            spoiled = any_of(draws, chosen)
            values[spoiled.member] = any_of(draws, (Reference(any_of(draws, names)), spoiled.null, spoiled.wrong))
        return Word(members=(("MatchOptions", sum(each.match for each in chosen)), *values.items()))

    def say_get(self, handle: str, word: Word, name: str | None = None) -> None:
        """Make an MQGET."""
        members = tuple(dict(word.members).items())
        self.play(Line("get", name=name, handle=handle, options=word.options, members=members))
