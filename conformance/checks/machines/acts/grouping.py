"""Putting groups and segments, in order or in any, and getting them in order."""

from __future__ import annotations

from typing import Final

import hypothesis.strategies as st
from hypothesis.stateful import precondition, rule

from conformance.checks.machines.acts.putting import Putting
from conformance.checks.machines.acts.whole import GettingWhole
from conformance.checks.machines.base import any_of
from conformance.checks.machines.search import Search
from conformance.checks.machines.vocabulary import gets, groups, puts
from conformance.checks.machines.vocabulary.word import NOTHING, Word
from oracle.mqi.constants import INPUT_OPTIONS, MQGMO, MQOO, MQPMO

_GROUP_IDS: Final = ("aa", "bb", "cc")


class Grouping(Putting, GettingWhole):
    """Applications that work with groups and segments.

    `holes` are the parts of groups that were left out when the others were put; they may be put later.
    """

    def __init__(self, search: Search) -> None:
        super().__init__(search)
        self.holes: list[Word] = []

    @precondition(lambda self: "groups" in self.features and self.can_put())
    @rule(data=st.data())
    def put_in_group(self, data: st.DataObject) -> None:
        """Put a message of a group, or a segment, with its place in the group set explicitly."""
        handle = any_of(data, self.handles(MQOO.OUTPUT))
        self.put_message(handle, self.words(data, groups.GROUP_WORDS))

    @precondition(lambda self: "groups" in self.features and self.can_put())
    @rule(data=st.data())
    def put_in_any_order(self, data: st.DataObject) -> None:
        """Put a whole group in any order, perhaps without one part, or among the messages of another."""
        handle, group = any_of(data, self.handles(MQOO.OUTPUT)), any_of(data, _GROUP_IDS)
        shape = any_of(data, [each for each in groups.SHAPES if self.features.issuperset(each.features)])
        with_all = self.words(data, (puts.PUT_SYNCPOINTS, puts.PERSISTENCES, puts.PRIORITIES))
        with_each = any_of(data, ((), (), (puts.PRIORITIES,)))
        parts = [groups.part(group, part) + with_all for part in shape.parts]
        if any_of(data, (False, False, True)):
            group = any_of(data, [each for each in _GROUP_IDS if each != group])
            parts += [groups.part(group, part) + with_all for part in groups.SHAPES[0].parts]
        leaves_a_hole = any_of(data, (False, False, True))
        while len(parts) > leaves_a_hole:
            part = parts.pop(any_of(data, range(len(parts))))
            self.put_message(handle, part + self.words(data, with_each))
        self.holes += parts
        if any_of(data, (True, False)):
            self.get_whole(data)

    @precondition(lambda self: self.holes and self.handles(MQOO.OUTPUT))
    @rule(data=st.data())
    def fill_a_hole(self, data: st.DataObject) -> None:
        """Put the part of a group that was left out."""
        word = self.holes.pop(any_of(data, range(len(self.holes))))
        self.put_message(any_of(data, self.handles(MQOO.OUTPUT)), word)

    @precondition(lambda self: "logical-order" in self.features and self.can_put())
    @rule(data=st.data())
    def put_in_order(self, data: st.DataObject) -> None:
        """Put a few messages of a group, or segments, in logical order."""
        handle = any_of(data, self.handles(MQOO.OUTPUT))
        with_all = self.words(data, (groups.GROUP_SYNCPOINTS, puts.PERSISTENCES))
        runs = [run.flags for run in groups.GROUP_RUNS if self.features.issuperset(run.features)]
        for flags in any_of(data, runs or [(0,)]):
            self.put_message(handle, Word(MQPMO.LOGICAL_ORDER, (("MsgFlags", flags),)) + with_all)

    @precondition(lambda self: "logical-order" in self.features and self.handles(INPUT_OPTIONS))
    @rule(data=st.data())
    def get_in_order(self, data: st.DataObject) -> None:
        """Get a few messages in logical order, mostly without selection."""
        handle = any_of(data, self.handles(INPUT_OPTIONS))
        word = Word(MQGMO.LOGICAL_ORDER) + any_of(data, (NOTHING, NOTHING, self.word(data, gets.MATCHES)))
        for _ in range(any_of(data, (1, 2, 3, 6))):
            self.say_get(handle, word + self.word(data, self.GET_SYNCPOINTS))

    def go_on(self, data: st.DataObject, conn: str) -> None:
        """Continue a group after the end of a unit of work: its position must be known then."""
        if "logical-order" not in self.features or any_of(data, (False, True)):
            return
        own = [name for name in self.handles() if self.opened(name).conn == conn]
        writers = [name for name in own if self.opened(name).options & MQOO.OUTPUT]
        readers = [name for name in own if self.opened(name).open_for_input]
        if writers:
            flags = self.word(data, groups.GROUP_FLAGS)
            self.put_message(any_of(data, writers), Word(MQPMO.LOGICAL_ORDER) + flags)
        if readers:
            way = any_of(data, (Word(MQGMO.NO_SYNCPOINT), self.word(data, self.GET_SYNCPOINTS)))
            self.say_get(any_of(data, readers), Word(MQGMO.LOGICAL_ORDER) + way)
