"""Opening objects by other names than those of local queues: aliases, remote and model queues, dynamic queues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from conformance.checks.machines.acting import act
from conformance.checks.machines.base import Applications, any_of
from conformance.checks.machines.vocabulary import gets, puts
from conformance.checks.machines.vocabulary.queues import DYNAMIC, FIRST
from conformance.checks.machines.vocabulary.word import Members
from conformance.sessions.session import Setup
from oracle.histories.notation import Line
from oracle.mqi.constants import MQCO, MQOO
from oracle.values import replace


class Naming(Applications):
    """Applications that reach queues by every kind of object."""

    OBJECTS: ClassVar[Sequence[tuple[Mapping[str, Any], Sequence[str]]]] = ()
    """The objects besides the local queues, each with the features that it needs."""

    def with_objects(self, setup: Setup) -> Setup:
        """Return the queue manager with every object that the target claims and whose name is not taken.

        An alias is one of the first local queue.
        """
        taken = {str(queue["name"]) for queue in setup.queues}
        first = next(queue["name"] for queue in setup.queues if queue.get("type", "local") == "local")
        further = [
            {**each, "target": first} if each.get("target") == FIRST else each
            for each, needed in self.OBJECTS
            if self.features.issuperset(needed) and each["name"] not in taken
        ]
        return replace(setup, queues=(*setup.queues, *further))

    @act(lambda self: len(self.session.state.handles) < self.HANDLES_MOST and self.other_names())
    def open_an_object(self, draws: Random) -> None:
        """Open any object, or an existing dynamic queue."""
        names = self.other_names()
        likelier = [DYNAMIC, "AD"] if {DYNAMIC, "AD"} <= {*names} else []
        self._open_by_name(draws, any_of(draws, names + likelier))

    @act(lambda self: "dynamic-queues" in self.features and self._dynamic_handles())
    def close_a_dynamic_queue(self, draws: Random) -> None:
        """Close a handle of a dynamic queue, and perhaps delete the queue."""
        handle = any_of(draws, self._dynamic_handles())
        options = any_of(draws, (0, int(MQCO.DELETE), int(MQCO.DELETE_PURGE)))
        opened = self.opened(handle)
        if opened.options & MQOO.OUTPUT and any_of(draws, (True, False)):
            word = self.word(draws, puts.PUT_SYNCPOINTS)
            self.play(Line("put", handle=handle, message=self.new_name("m"), options=word.options))
        if opened.open_for_input and any_of(draws, (True, False)):
            self.play(Line("get", handle=handle, options=self.word(draws, gets.GET_SYNCPOINTS).options))
        self.play(Line("close", handle=handle, options=options))

    @act(lambda self: self._models() and len(self.session.state.handles) < self.HANDLES_MOST)
    def make_a_dynamic_queue(self, draws: Random) -> None:
        """Make a dynamic queue, or make it again under the eyes of those that still have the one before it open."""
        before = self._dynamic_handles()
        if len(before) > any_of(draws, (0, 1)):
            closed = before.pop(any_of(draws, range(len(before))))
            self.play(Line("close", handle=closed, options=int(MQCO.DELETE_PURGE)))
        self._open_by_name(draws, any_of(draws, self._models()))
        for handle in before:
            if self.opened(handle).options & MQOO.OUTPUT:
                self.play(Line("put", handle=handle, message=self.new_name("m")))
            elif self.opened(handle).options & MQOO.INQUIRE and "inquire" in self.features:
                self.play(Line("inq", handle=handle, inquired=("CurrentQDepth",)))
        names = [name for name in (DYNAMIC, "AD") if name in self.names_of_objects()]
        if "put1" in self.features and names and any_of(draws, (True, False)):
            conn = any_of(draws, self.free(self.CONNECTIONS))
            self.connect(conn)
            self.play(Line("put1", conn, queue=any_of(draws, names), message=self.new_name("m")))

    def _open_by_name(self, draws: Random, name: str) -> None:
        conn = any_of(draws, self.free(self.CONNECTIONS))
        self.connect(conn)
        definition, word = self.session.state.definition_of(name), self.word(draws, self.OPENINGS)
        options = MQOO.OUTPUT if definition.type == "remote" else word.options
        named: Members = (("DynamicQName", DYNAMIC),) if definition.type == "model" else ()
        members = (*named, *word.members) if options == word.options else named
        self.play(Line("open", conn, name=self.new_name("h"), queue=name, options=options, members=members))

    def _models(self) -> list[str]:
        return [name for name, each in self.session.state.definitions.items() if each.type == "model"]

    def other_names(self) -> list[str]:
        """Return the names of the objects that `open` does not open."""
        return [name for name in self.names_of_objects() if name not in self.queues()]

    def names_of_objects(self) -> list[str]:
        """Return the names of all objects."""
        state = self.session.state
        return [*state.queues, *state.definitions]

    def _dynamic_handles(self) -> list[str]:
        return [name for name in self.handles() if self.opened(name).queue == DYNAMIC]
