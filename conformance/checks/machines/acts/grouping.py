"""Putting groups and segments, in order or in any, and getting them in order."""

from __future__ import annotations

from random import Random
from typing import Final

from conformance.checks.machines.acting import act
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

    @act(lambda self: "groups" in self.features and self.can_put())
    def put_in_group(self, draws: Random) -> None:
        """Put a message of a group, or a segment, with its place in the group set explicitly."""
        handle = any_of(draws, self.handles(MQOO.OUTPUT))
        self.put_message(handle, self.words(draws, groups.GROUP_WORDS))

    @act(lambda self: "groups" in self.features and self.can_put())
    def put_in_any_order(self, draws: Random) -> None:
        """Put a whole group in any order, perhaps without one part, or among the messages of another."""
        handle, group = any_of(draws, self.handles(MQOO.OUTPUT)), any_of(draws, _GROUP_IDS)
        shape = any_of(draws, [each for each in groups.SHAPES if self.features.issuperset(each.features)])
        with_all = self.words(draws, (puts.PUT_SYNCPOINTS, puts.PERSISTENCES, puts.PRIORITIES))
        with_each = any_of(draws, ((), (), (puts.PRIORITIES,)))
        parts = [groups.part(group, part) + with_all for part in shape.parts]
        if any_of(draws, (False, False, True)):
            group = any_of(draws, [each for each in _GROUP_IDS if each != group])
            parts += [groups.part(group, part) + with_all for part in groups.SHAPES[0].parts]
        leaves_a_hole = any_of(draws, (False, False, True))
        while len(parts) > leaves_a_hole:
            part = parts.pop(any_of(draws, range(len(parts))))
            self.put_message(handle, part + self.words(draws, with_each))
        self.holes += parts
        if any_of(draws, (True, False)):
            if any_of(draws, (False, False, True)):
                self.put_message(handle, self.word(draws, puts.PUT_SYNCPOINTS[-1:]))
            self.get_whole(draws)

    @act(lambda self: self.holes and self.handles(MQOO.OUTPUT))
    def fill_a_hole(self, draws: Random) -> None:
        """Put the part of a group that was left out."""
        word = self.holes.pop(any_of(draws, range(len(self.holes))))
        self.put_message(any_of(draws, self.handles(MQOO.OUTPUT)), word)

    @act(lambda self: "logical-order" in self.features and self.can_put())
    def put_in_order(self, draws: Random) -> None:
        """Put a few messages of a group, or segments, in logical order."""
        handle = any_of(draws, self.handles(MQOO.OUTPUT))
        with_all = self.words(draws, (groups.GROUP_SYNCPOINTS, puts.PERSISTENCES))
        runs = [run.flags for run in groups.GROUP_RUNS if self.features.issuperset(run.features)]
        for flags in any_of(draws, runs or [(0,)]):
            with_this = any_of(draws, (NOTHING, NOTHING, self.word(draws, puts.PERSISTENCES)))
            self.put_message(handle, Word(MQPMO.LOGICAL_ORDER, (("MsgFlags", flags),)) + with_all + with_this)

    @act(lambda self: self.may_find() and {"browse", "logical-order"} <= self.features and self.handles(MQOO.BROWSE))
    def browse_in_order(self, draws: Random) -> None:
        """Browse a few messages in logical order."""
        handle, word = any_of(draws, self.handles(MQOO.BROWSE)), Word(MQGMO.LOGICAL_ORDER)
        for way in any_of(draws, (gets.PLAIN_BROWSES[:2], gets.PLAIN_BROWSES[1:2], gets.PLAIN_BROWSES)):
            self.say_get(handle, way + word)

    @act(lambda self: self.may_find() and "logical-order" in self.features and self.handles(INPUT_OPTIONS))
    def get_in_order(self, draws: Random) -> None:
        """Get a few messages in logical order, mostly without selection."""
        handle = any_of(draws, self.handles(INPUT_OPTIONS))
        word = Word(MQGMO.LOGICAL_ORDER) + any_of(draws, (NOTHING, NOTHING, self.word(draws, gets.MATCHES)))
        for _ in range(any_of(draws, (1, 2, 3, 6))):
            self.say_get(handle, word + self.word(draws, self.GET_SYNCPOINTS))

    def go_on(self, draws: Random, conn: str) -> None:
        """Continue a group after the end of a unit of work: its position must be known then."""
        if "logical-order" not in self.features or any_of(draws, (False, True)):
            return
        own = [name for name in self.handles() if self.opened(name).conn == conn]
        writers = [name for name in own if self.opened(name).options & MQOO.OUTPUT]
        readers = [name for name in own if self.opened(name).open_for_input]
        if writers:
            flags = self.word(draws, groups.GROUP_FLAGS)
            self.put_message(any_of(draws, writers), Word(MQPMO.LOGICAL_ORDER) + flags)
        if readers:
            way = any_of(draws, (Word(MQGMO.NO_SYNCPOINT), self.word(draws, self.GET_SYNCPOINTS)))
            self.say_get(any_of(draws, readers), Word(MQGMO.LOGICAL_ORDER) + way)
        browsers = [name for name in own if self.opened(name).options & MQOO.BROWSE]
        if browsers and "browse" in self.features and any_of(draws, (True, False)):
            self.say_get(any_of(draws, browsers), Word(MQGMO.BROWSE_NEXT | MQGMO.LOGICAL_ORDER))
