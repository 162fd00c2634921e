"""Getting messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import hypothesis.strategies as st
from hypothesis.stateful import precondition, rule

from conformance.checks.machines.base import Applications, any_of
from conformance.checks.machines.vocabulary import gets
from conformance.checks.machines.vocabulary.word import NOTHING, Group, Word
from oracle.histories.notation import Line, Reference
from oracle.mqi.constants import INPUT_OPTIONS


class Getting(Applications):
    """Applications that remove messages."""

    REMOVAL_WORDS: ClassVar[Sequence[Group]] = gets.REMOVAL_WORDS
    """The words of a removing get: one of each group."""
    GET_SYNCPOINTS: ClassVar[Group] = gets.GET_SYNCPOINTS
    """The words for the unit of work of a get without other words: one of them."""

    @precondition(lambda self: self.handles(INPUT_OPTIONS))
    @rule(data=st.data())
    def get(self, data: st.DataObject) -> None:
        """Get a message."""
        self.get_any(data, self.handles(INPUT_OPTIONS), self.REMOVAL_WORDS)

    @precondition(lambda self: self.handles(INPUT_OPTIONS))
    @rule(data=st.data())
    def get_plainly(self, data: st.DataObject) -> None:
        """Get the first message, as most calls of an application do."""
        self.get_any(data, self.handles(INPUT_OPTIONS), (self.GET_SYNCPOINTS,))

    def get_any(
        self, data: st.DataObject, handles: Sequence[str], groups: Sequence[Group], name: str | None = None
    ) -> None:
        """Get or browse with one of the handles, sometimes by the identifier or token of a recent message."""
        handle = any_of(data, handles)
        word = self.words(data, groups)
        messages = self.session.bindings.messages
        recent = tuple(messages)[-2:]
        if recent and "match" in self.features and gets.MATCHES in groups:
            by_id = Word(members=(("MsgId", Reference(any_of(data, recent))),))
            known = [each for each, members in messages.items() if "MsgToken" in members][-3:]
            by_token = by_id if not known or "msg-token" not in self.features else gets.by_token(any_of(data, known))
            word += any_of(data, (*[NOTHING] * 6, by_id, by_token))
        self.say_get(handle, word, name)

    def say_get(self, handle: str, word: Word, name: str | None = None) -> None:
        """Make an MQGET."""
        members = tuple(dict(word.members).items())
        self.play(Line("get", name=name, handle=handle, options=word.options, members=members))
