"""Opening objects by other names than those of local queues: aliases, remote and model queues, dynamic queues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

import hypothesis.strategies as st
from hypothesis.stateful import precondition, rule

from conformance.checks.machines.base import Applications, any_of
from conformance.sessions.session import Setup
from oracle.histories.notation import Line
from oracle.mqi.constants import MQCO, MQOO
from oracle.values import replace

DYNAMIC: Final = "D.1"
"""The name of a dynamic queue: a fixed one, so that others can open it."""


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
            {**each, "target": first} if "target" in each else each
            for each, needed in self.OBJECTS
            if self.features.issuperset(needed) and each["name"] not in taken
        ]
        return replace(setup, queues=(*setup.queues, *further))

    @precondition(lambda self: len(self.session.state.handles) < self.HANDLES_MOST and self.other_names())
    @rule(data=st.data())
    def open_an_object(self, data: st.DataObject) -> None:
        """Open any object, or an existing dynamic queue."""
        conn, name = any_of(data, self.free(self.CONNECTIONS)), any_of(data, self.other_names())
        self.connect(conn)
        definition = self.session.state.definition_of(name)
        options = MQOO.OUTPUT if definition.type == "remote" else self.word(data, self.OPENINGS).options
        members = (("DynamicQName", DYNAMIC),) if definition.type == "model" else ()
        self.play(Line("open", conn, name=self.new_name("h"), queue=name, options=options, members=members))

    @precondition(lambda self: "dynamic-queues" in self.features and self._dynamic_handles())
    @rule(data=st.data())
    def close_a_dynamic_queue(self, data: st.DataObject) -> None:
        """Close a handle of a dynamic queue, and perhaps delete the queue."""
        options = any_of(data, (0, int(MQCO.DELETE), int(MQCO.DELETE_PURGE)))
        self.play(Line("close", handle=any_of(data, self._dynamic_handles()), options=options))

    def other_names(self) -> list[str]:
        """Return the names of the objects that `open` does not open."""
        return [name for name in self.names_of_objects() if name not in self.queues()]

    def names_of_objects(self) -> list[str]:
        """Return the names of all objects."""
        state = self.session.state
        return [*state.queues, *state.definitions]

    def _dynamic_handles(self) -> list[str]:
        return [name for name in self.handles() if self.opened(name).queue == DYNAMIC]
